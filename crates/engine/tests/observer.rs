//! Watching changes nothing, and what is watched adds up.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::observer::{At, Counter, Errand, Observer, Purpose, Verdict};
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::{CastlingMode, Move};
use quarterply_engine::table::Table;
use std::ops::ControlFlow;
use std::sync::Arc;

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
];
const NODES: u64 = 60_000;

fn search<O: Observer>(fen: &str, observer: O) -> (u64, Option<Move>, O) {
    search_with(fen, Parameters::default(), observer)
}

fn search_with<O: Observer>(fen: &str, parameters: Parameters, observer: O) -> (u64, Option<Move>, O) {
    let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
    let table = Arc::new(Table::new(4).expect("four MiB"));
    let mut searcher = Searcher::new(parameters, table, observer);
    let limits = Limits { nodes: Some(NODES), depth: Some(14), ..Limits::default() };
    let outcome = searcher.search_alone(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
    (outcome.nodes, outcome.best, searcher.into_observer())
}

#[test]
fn a_watched_search_is_the_same_search() {
    for fen in POSITIONS {
        let (nodes, best, ()) = search(fen, ());
        let (watched_nodes, watched_best, counter) = search(fen, Counter::default());
        assert_eq!((nodes, best), (watched_nodes, watched_best), "{fen}");
        assert!(counter.nodes > 0 && counter.cutoffs > 0, "{fen}: nothing was seen");
        assert!(counter.spoke[Rule::LateMoveReduction as usize] > 0, "{fen}: no reduction was seen");
    }
}

#[test]
fn the_learned_cost_reduces_in_place_of_the_formula() {
    let parameters = quarterply_engine::profile::builtin("learned").expect("built in");
    let (_, _, counter) = search_with(POSITIONS[1], parameters, Counter::default());
    let spoke = |rule: Rule| counter.spoke[rule as usize];
    assert!(spoke(Rule::LearnedCost) > 1000 && spoke(Rule::LateMoveReduction) == 0);
}

/// Adds up the ledger of each move and compares it with what the move was charged.
#[derive(Default)]
struct Auditor {
    open: Depth,
    charged: Option<(Move, Depth)>,
    moves: u64,
    searched: u64,
    wrong: u64,
}

impl Observer for Auditor {
    fn ruled(&mut self, _: At, _: Rule, verdict: Verdict) {
        if let Verdict::Priced(_, cost) = verdict {
            self.open += cost;
        }
    }

    fn charged(&mut self, _: At, mv: Move, total: Depth) {
        self.moves += 1;
        self.wrong += u64::from(Depth::ONE_PLY + self.open != total);
        self.open = Depth::ZERO;
        self.charged = Some((mv, total));
    }

    fn searching(&mut self, _: At, errand: Errand) {
        let firsts = [Purpose::First, Purpose::Reduced, Purpose::Scout];
        if let Some((mv, total)) = self.charged.take().filter(|_| firsts.contains(&errand.purpose)) {
            self.wrong += u64::from((errand.mv, errand.cost) != (Some(mv), total));
            self.searched += 1;
        }
    }
}

#[test]
fn the_ledger_of_every_move_is_what_it_was_charged() {
    let learned = quarterply_engine::profile::builtin("learned").expect("built in");
    let both = [Parameters::default(), learned];
    for (fen, parameters) in POSITIONS.iter().flat_map(|fen| both.iter().map(move |parameters| (fen, parameters))) {
        let (_, _, auditor) = search_with(fen, parameters.clone(), Auditor::default());
        assert!(auditor.moves > 500, "{fen}: {} moves", auditor.moves);
        assert_eq!(auditor.wrong, 0, "{fen}");
        // The limit may end the search between the charge of a move and its search.
        let cut_short = auditor.moves - auditor.searched;
        assert!(cut_short <= 1, "{fen}: {cut_short} moves were charged and not searched");
    }
}
