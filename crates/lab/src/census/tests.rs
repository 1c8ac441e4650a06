use super::*;
use quarterply_engine::budget::Budget;
use quarterply_engine::clock::Limits;
use quarterply_engine::node::NodeType;
use quarterply_engine::ordering::Stage;
use quarterply_engine::position::{Game, NO_MOVE};
use quarterply_engine::score::{Ply, Score, Window};
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::search::watch::{
    AuditResult, ConsideredMove, EventNode, Iteration, MoveResult, NodeFacts, RuleAction, SearchEvent, SubSearch, Watch,
};
use quarterply_engine::shakmaty::Move;
use quarterply_files::bench;

const POSITIONS: usize = 8;
const DEPTH: u32 = 8;

fn plan(audit: f64) -> CensusPlan {
    CensusPlan { limits: Limits::depth(DEPTH), hash: TABLE_DEFAULT, audit, seed: 7 }
}

fn census(parameters: &Parameters, audit: f64, workers: usize) -> (Census, Vec<PositionEffort>) {
    let mut searched = Vec::new();
    let records: Vec<_> = bench::positions().into_iter().take(POSITIONS).collect();
    let census = run(&records, parameters, &plan(audit), workers, &Control::default(), &mut |one| {
        searched.push(one.clone());
        true
    });
    (census.expect("memory for two tables"), searched)
}

/// Tells a recorder what happens, with a clock of nodes.
struct EventScript {
    recorder: CensusRecorder,
    nodes: u64,
    mv: Move,
}

impl EventScript {
    fn new() -> EventScript {
        let mv = Game::new().parse_uci("e2e4").expect("legal");
        EventScript { recorder: CensusRecorder::new(&Parameters::default(), 0.0, 1, 0), nodes: 0, mv }
    }

    fn at(&self, ply: u16, depth: i32) -> EventNode {
        let window = Window::new(Score(10), Score(11));
        EventNode { ply: Ply(ply), depth: Depth::plies(depth), window, key: 1, mv: None, nodes: self.nodes }
    }

    fn enter(&mut self, ply: u16, depth: i32, kind: NodeType, level: Option<i32>) {
        let budget = Budget::even(Depth::plies(depth)).sides();
        let facts = NodeFacts { kind, level, budget, in_check: false, entry: None, table_key: 1, excluded: NO_MOVE };
        let at = self.at(ply, depth);
        self.recorder.event(SearchEvent::Entered(at, &facts));
    }

    fn consider(&mut self, ply: u16, number: i32, stage: Stage, killer_or_counter: bool) {
        let (mv, at) = (self.mv, self.at(ply, 5));
        let considered =
            ConsideredMove { mv, stage, order: None, history: 0, gives_check: false, number, killer_or_counter };
        self.recorder.event(SearchEvent::Considered(at, &considered));
    }

    /// A move searched below `ply`: a leaf of `nodes` nodes with this value for the mover.
    fn child(&mut self, ply: u16, purpose: Purpose, nodes: u64, value: i32) {
        let sub_search = SubSearch { purpose, mv: Some(self.mv), cost: Depth::ONE_PLY };
        let at = self.at(ply, 5);
        self.recorder.event(SearchEvent::Searching(at, sub_search));
        self.nodes += nodes;
        self.enter(ply + 1, 4, NodeType::All, None);
        let at = self.at(ply + 1, 4);
        self.recorder.event(SearchEvent::Left(at, Score(-value)));
    }

    fn finish(&mut self, ply: u16, depth: i32, value: i32) {
        let at = self.at(ply, depth);
        self.recorder.event(SearchEvent::MoveSearched(at, MoveResult::of(self.mv, Score(value), at.window)));
    }
}

#[test]
fn known_events_give_known_figures() {
    let mut script = EventScript::new();
    script.recorder.event(SearchEvent::Iterated(Iteration {
        depth: Depth::plies(6),
        line: 0,
        voter: 0,
        attempt: 0,
        reduction: Depth::ZERO,
    }));
    script.enter(0, 6, NodeType::Pv, None);
    script.enter(1, 5, NodeType::Cut, None);
    script.recorder.event(SearchEvent::RuleCalled(Rule::NullMove));
    script.child(1, Purpose::NullMove, 7, 3);
    script.consider(1, 1, Stage::Table, false);
    script.child(1, Purpose::First, 20, 5);
    script.finish(1, 5, 5);
    script.consider(1, 2, Stage::Quiet, true);
    script.child(1, Purpose::Reduced, 10, 30);
    script.child(1, Purpose::ReSearchFull, 30, 4);
    script.finish(1, 5, 4);
    script.consider(1, 3, Stage::GoodNoisy, false);
    let at = script.at(1, 5);
    for _ in 0..2 {
        let changed = RuleAction::CostChanged(script.mv, Depth::ONE_PLY);
        script.recorder.event(SearchEvent::Ruled(at, Rule::LateMoveReduction, changed));
    }
    script.child(1, Purpose::NullWindow, 40, 12);
    script.finish(1, 5, 12);
    let at = script.at(1, 5);
    script.recorder.event(SearchEvent::Left(at, Score(12)));
    let census = script.recorder.into_census();
    let cutoffs = census.deep_cuts();
    assert_eq!((cutoffs.count, cutoffs.first(), cutoffs.numbers, cutoffs.squares), (1, 0, 3, 9));
    assert_eq!(cutoffs.by_origin, [0, 1, 0, 0, 0], "a good capture");
    assert_eq!((cutoffs.late_nodes, cutoffs.late_before), (100, 60), "the null move is not a move of the node");
    let made = |purpose| (census.searches(purpose).made, census.searches(purpose).above);
    assert_eq!(
        [Purpose::First, Purpose::Reduced, Purpose::ReSearchFull, Purpose::NullWindow, Purpose::NullMove].map(made),
        [(1, 0), (1, 1), (1, 0), (1, 1), (1, 0)]
    );
    assert_eq!(census.rules[Rule::NullMove as usize], RuleCounts { tested: 1, tried: 1, applied: 0 });
    assert_eq!(census.rules[Rule::LateMoveReduction as usize].applied, 1, "two costs of one move");
    assert_eq!(census.leaves[..4], [0, 0, 5, 0]);
    assert_eq!(census.visits, [1, 5, 1, 0, 0]);
    assert_eq!((census.table.made, census.table.hits), (7, 0));
}

#[test]
fn costs_are_counted_in_eighths_of_a_ply_by_where_the_move_came_from() {
    let mut script = EventScript::new();
    script.enter(0, 6, NodeType::Pv, None);
    let moves = [
        (Stage::Table, false, 384),
        (Stage::Quiet, false, 2687),
        (Stage::Quiet, true, -128),
        (Stage::Quiet, false, 9000),
    ];
    for (number, (stage, killer_or_counter, cost)) in (1..).zip(moves) {
        script.consider(0, number, stage, killer_or_counter);
        let at = script.at(0, 6);
        script.recorder.event(SearchEvent::TotalCost(at, script.mv, Depth(cost)));
    }
    let costs = script.recorder.into_census().costs;
    let one = |origin: MoveOrigin, eighths: usize| costs[origin as usize][eighths];
    assert_eq!(
        [
            one(MoveOrigin::Table, 3),
            one(MoveOrigin::Quiet, 20),
            one(MoveOrigin::KillerOrCounter, 0),
            one(MoveOrigin::Quiet, COSTS - 1)
        ],
        [1; 4]
    );
    assert_eq!(costs.iter().flatten().sum::<u64>(), 4);
}

/// Costs of quiet moves follow from their values: 93 % of them were 21 or 24 eighths of a ply once, because few nodes were evaluated.
#[test]
fn interestingness_distinguishes_quiet_moves() {
    for name in ["sex", "sex-1989"] {
        let parameters = quarterply_engine::profile::builtin(name).expect("built in");
        let records: Vec<_> = bench::positions().into_iter().take(POSITIONS).collect();
        let limits = Limits::nodes(5000);
        let found =
            run(&records, &parameters, &CensusPlan { limits, ..plan(0.0) }, 1, &Control::default(), &mut |_| true);
        let quiet = found.expect("memory").costs[MoveOrigin::Quiet as usize];
        let all: u64 = quiet.iter().sum();
        assert!((quiet[21] + quiet[24]) * 3 < all, "{name}: {quiet:?}");
        assert!(quiet.iter().filter(|count| **count * 100 > all).count() >= 10, "{name}: {quiet:?}");
    }
}

#[test]
fn events_in_an_audit_are_not_counted() {
    let mut script = EventScript::new();
    script.recorder = CensusRecorder::new(&Parameters::default(), 1.0, 1, 0);
    script.enter(0, 6, NodeType::Pv, None);
    let at = script.at(0, 6);
    assert!(script.recorder.audits(at, PruningKind::Move, Rule::Futility));
    script.enter(1, 5, NodeType::Cut, None);
    script.recorder.event(SearchEvent::RuleCalled(Rule::Futility));
    script.consider(1, 1, Stage::Table, false);
    script.child(1, Purpose::First, 20, 50);
    script.finish(1, 5, 50);
    script.recorder.event(SearchEvent::Left(at, Score(50)));
    script.recorder.event(SearchEvent::Audited(AuditResult {
        kind: PruningKind::Move,
        rule: Rule::Futility,
        mattered: true,
        nodes: 20,
    }));
    script.consider(0, 1, Stage::Table, false);
    let census = script.recorder.into_census();
    assert_eq!(
        census.audits(PruningKind::Move, Rule::Futility),
        AuditCounts { pruned_or_reduced: 1, audited: 1, mattered: 1, nodes: 20 }
    );
    assert_eq!(
        (census.all_visits(), census.deep_cuts().count, census.rules[Rule::Futility as usize].tested),
        (1, 0, 0)
    );
}

#[test]
fn the_figures_add_up() {
    let (census, searched) = census(&Parameters::default(), 0.02, 2);
    for &class in Class::ALL {
        let Cutoffs { count, by_number, by_origin, numbers, late_before, late_nodes, .. } = census.all_cutoffs(class);
        assert_eq!(by_number.iter().sum::<u64>(), count, "{class:?}");
        assert_eq!(by_origin.iter().sum::<u64>(), count, "{class:?}");
        assert!(numbers >= count && late_before <= late_nodes, "{class:?}");
        assert!(count > 0 && count <= census.visits[class as usize], "{class:?}");
    }
    assert_eq!(census.nodes, searched.iter().map(|one| one.nodes).sum::<u64>());
    assert_eq!(census.audit_nodes(), searched.iter().map(|one| one.audit_nodes).sum::<u64>());
    assert_eq!(census.positions, POSITIONS as u64);
    assert!(census.all_visits() >= census.nodes, "a move searched again is visited again");
    assert!(census.leaves.iter().sum::<u64>() < census.all_visits() && census.leaves_quiet > 0);
    let reduced = census.searches(Purpose::Reduced);
    assert!(
        reduced.above <= census.searches(Purpose::ReSearchMiddle).made + census.searches(Purpose::ReSearchFull).made
    );
    for probes in [census.table, census.table_quiet] {
        assert!(probes.made >= probes.hits && probes.hits >= probes.cutoffs && probes.hits >= probes.moves);
    }
    for (rule, did) in census.active_rules() {
        assert!(did.applied <= did.tested.max(did.tried), "{rule:?}: {did:?}");
    }
    for (kind, rule, audits) in census.all_audits() {
        let AuditCounts { pruned_or_reduced: all, audited, mattered, .. } = audits;
        assert!(all >= audited && audited >= mattered, "{kind:?} {rule:?}: {audits:?}");
    }
    assert!(census.iterations.iter().all(|it| it.positions <= census.positions));
    assert_eq!(census.iterations[DEPTH as usize].positions, POSITIONS as u64);
    assert!(census.branching().is_some_and(|factor| factor > 1.0 && factor < 4.0));
}

#[test]
fn the_nodes_are_those_of_the_bench_and_audits_change_no_other_figure() {
    let expected = bench::signature(&Parameters::default(), DEPTH, POSITIONS);
    let (plain, rows) = census(&Parameters::default(), 0.0, 1);
    assert_eq!(plain.nodes, expected);
    assert!(plain.all_audits().all(|(_, _, audits)| audits.audited == 0));
    let (audited, audited_rows) = census(&Parameters::default(), 0.05, 2);
    assert_eq!(audited.nodes, expected);
    assert!(audited.audit_nodes() > 0);
    let nodes =
        |rows: &[PositionEffort]| rows.iter().map(|row| (row.id.clone(), row.nodes, row.seldepth)).collect::<Vec<_>>();
    assert_eq!(nodes(&rows), nodes(&audited_rows));
    let mut bare = audited.clone();
    bare.audits
        .iter_mut()
        .flatten()
        .for_each(|s| *s = AuditCounts { pruned_or_reduced: s.pruned_or_reduced, ..AuditCounts::default() });
    assert_eq!(bare, plain);
    assert_eq!(census(&Parameters::default(), 0.05, 1).0, audited, "whatever the number of workers");
}

#[test]
fn wrong_pruning_is_detected() {
    let wrong = |parameters: &Parameters, kind: PruningKind, rule: Rule| {
        let audits = census(parameters, 0.05, 2).0.audits(kind, rule);
        assert!(audits.audited >= 100, "{rule:?}: {audits:?}");
        share(audits.mattered, audits.audited).unwrap_or_default()
    };
    // Nodes are cut as soon as the evaluation reaches beta, and quiet moves left out as soon as it fails to.
    let mut absurd = Parameters::classical();
    for (name, value) in [
        ("reverse_futility.slope", 10),
        ("reverse_futility.improving", 200),
        ("reverse_futility.uncertain", 0),
        ("futility.base", 0),
        ("futility.slope", 0),
        ("futility.history_divisor", 2048),
    ] {
        absurd.set(name, value).expect(name);
    }
    for (kind, rule) in [(PruningKind::Node, Rule::ReverseFutility), (PruningKind::Move, Rule::Futility)] {
        let (good, bad) = (wrong(&Parameters::classical(), kind, rule), wrong(&absurd, kind, rule));
        assert!(bad > 2.0 * good, "{rule:?}: {good:.4} at the defaults, {bad:.4} with absurd margins");
    }
}

#[test]
fn tables_fit_into_eighty_columns_and_the_page_has_its_plots() {
    let (census, _) = census(&Parameters::default(), 0.05, 2);
    let tables = tables(&census);
    assert_eq!(tables.len(), 11);
    for CensusTable { title, header, rows, .. } in &tables {
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            // A column has a blank on each side, and one stands between columns.
            cells.max().unwrap_or(0).max(header[column].chars().count()) + 3
        };
        let all: usize = (0..header.len()).map(width).sum::<usize>() - 1;
        assert!(all <= 80, "{title}: {all} columns");
        assert!(rows.iter().all(|row| row.len() <= header.len()), "{title}");
    }
    let page = page(&census, &[("suite", "a <b>".to_owned())]).expect("drawn");
    assert_eq!(page.matches("<svg").count(), 5);
    assert!(page.contains("a &lt;b&gt;") && tables.iter().all(|table| page.contains(table.title)));
    let json = json(&census);
    assert_eq!(json["cutoffs"]["cut"]["cutoffs"], census.all_cutoffs(Class::Cut).count);
}
