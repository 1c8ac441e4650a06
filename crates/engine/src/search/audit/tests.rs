use crate::clock::Limits;
use crate::params::Parameters;
use crate::profile;
use crate::rules::Rule;
use crate::search::Searcher;
use crate::search::watch::{AuditResult, EventNode, Mode, PruningKind, SearchEvent, Watch, Watched};
use crate::testing;

const POSITIONS: [&str; 3] = [
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
];
const NODES: u64 = 12_000;
/// One of this number of pruned moves is searched.
const EVERY: u64 = 7;

/// Audits every seventh pruning or reduction.
#[derive(Default)]
struct PeriodicAudit {
    prunings: u64,
    audited: Vec<AuditResult>,
    within: bool,
    nested: u64,
}

impl Watch for PeriodicAudit {
    fn event(&mut self, event: SearchEvent<'_>) {
        if let SearchEvent::Audited(audited) = event {
            self.within = false;
            self.audited.push(audited);
        }
    }

    fn audits(&mut self, _: EventNode, _: PruningKind, _: Rule) -> bool {
        self.nested += u64::from(self.within);
        self.prunings += 1;
        self.within = self.prunings.is_multiple_of(EVERY);
        self.within
    }
}

fn search_summary<M: Mode>(fen: &str, s: &mut Searcher<M>) -> String {
    let found = testing::search(s, &testing::game(fen), &Limits::nodes(NODES));
    let report = found.report;
    format!("{} {} {} {:?} {:?}", found.nodes, report.depth, report.seldepth, report.score, report.line)
}

fn plain(fen: &str, parameters: &Parameters) -> String {
    search_summary(fen, &mut testing::searcher(parameters.clone()))
}

fn audited(fen: &str, parameters: &Parameters, with_table: bool) -> (String, PeriodicAudit) {
    let mut every = PeriodicAudit::default();
    let mut searcher = Searcher::watched(parameters.clone(), testing::table(), Watched::audited_by(&mut every), None);
    if with_table {
        searcher.set_audit_table(testing::table());
    }
    let summary = search_summary(fen, &mut searcher);
    drop(searcher);
    (summary, every)
}

#[test]
fn an_audited_search_is_the_same_search() {
    for name in ["default", "tactical", "learned", "falcon", "sex-two", "sex-layer", "realization", "classic"] {
        let mut parameters = profile::builtin(name).expect(name);
        if name == "default" {
            // Sources of move order that remember the line.
            for switch in ["guard.on", "last_best_reply.on", "refutation_table.on", "threat_move.on", "mate_killers.on"]
            {
                parameters.set(switch, 1).expect(switch);
            }
        }
        let mut audits = 0;
        for fen in POSITIONS {
            let plain = plain(fen, &parameters);
            for with_table in [false, true] {
                let (audited, every) = audited(fen, &parameters, with_table);
                assert_eq!(audited, plain, "{name}, {fen}");
                assert_eq!(every.nested, 0, "{name}, {fen}: an audit within an audit");
                let due = every.prunings / EVERY;
                assert_eq!(every.audited.len() as u64, due, "{name}, {fen}");
                audits += due;
            }
        }
        assert!(name == "classic" || audits > 1000, "{name}: {audits} audits");
    }
}

#[test]
fn every_kind_of_pruning_is_audited() {
    let mut seen = std::collections::HashSet::new();
    let (mut mattered, mut all) = (0, 0);
    for fen in POSITIONS {
        let (_, every) = audited(fen, &Parameters::default(), true);
        mattered += every.audited.iter().filter(|audited| audited.mattered).count();
        all += every.audited.len();
        seen.extend(every.audited.iter().map(|audited| audited.kind));
    }
    assert!(mattered > 0 && mattered < all / 2, "{mattered} of {all}");
    assert_eq!(seen.len(), PruningKind::ALL.len(), "{seen:?}");
}
