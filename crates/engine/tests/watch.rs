//! Watching changes nothing, and what is watched adds up.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::watch::{
    Detail, EventNode, MoveResult, Purpose, RuleAction, SearchEvent, Watch, Watched,
};
use quarterply_engine::shakmaty::Move;
use quarterply_engine::table::Table;
use std::sync::Arc;

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
];
const NODES: u64 = 60_000;

fn table() -> Arc<Table> {
    Arc::new(Table::new(4).expect("four MiB"))
}

fn limits() -> Limits {
    Limits { nodes: Some(NODES), depth: Some(14), ..Limits::default() }
}

/// Counts nodes entered, cutoffs by searched moves, and the two reductions.
#[derive(Default)]
struct Counter {
    nodes: u64,
    cutoffs: u64,
    reduced: u64,
    learned: u64,
}

impl Watch for Counter {
    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Entered(..) => self.nodes += 1,
            SearchEvent::MoveSearched(_, MoveResult::Cutoff(..)) => self.cutoffs += 1,
            SearchEvent::Ruled(_, Rule::LateMoveReduction, _) => self.reduced += 1,
            SearchEvent::Ruled(_, Rule::LearnedCost, _) => self.learned += 1,
            _ => {}
        }
    }
}

/// Moves made and the move chosen by a search that `watch` watches.
fn search(fen: &str, parameters: Parameters, watch: &mut dyn Watch) -> (u64, Option<Move>) {
    let game = Game::standard(fen).expect(fen);
    let mut searcher = Searcher::watched(parameters, table(), Watched::by(watch), None);
    let outcome = searcher.search_within(&game, &limits());
    (outcome.nodes, outcome.best)
}

fn count(fen: &str, parameters: Parameters) -> Counter {
    let mut counter = Counter::default();
    search(fen, parameters, &mut counter);
    counter
}

#[test]
fn a_watched_search_is_the_same_search() {
    for fen in POSITIONS {
        let game = Game::standard(fen).expect(fen);
        let mut plain = Searcher::new(Parameters::default(), table());
        let found = plain.search_within(&game, &limits());
        let mut counter = Counter::default();
        for watch in [&mut counter as &mut dyn Watch, &mut Nodes::default(), &mut ()] {
            assert_eq!(search(fen, Parameters::default(), watch), (found.nodes, found.best), "{fen}");
        }
        assert!(counter.nodes > 0 && counter.cutoffs > 0, "{fen}: nothing was seen");
        assert!(counter.reduced > 0, "{fen}: no reduction was seen");
    }
}

#[test]
fn the_learned_cost_reduces_in_place_of_the_formula() {
    let parameters = quarterply_engine::profile::builtin("learned").expect("built in");
    let counter = count(POSITIONS[1], parameters);
    assert!(counter.learned > 1000 && counter.reduced == 0);
}

/// Adds up the breakdown of each move and compares it with the move's total cost.
#[derive(Default)]
struct Auditor {
    open: Depth,
    deducted: Option<(Move, Depth)>,
    moves: u64,
    searched: u64,
    wrong: u64,
}

impl Watch for Auditor {
    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Ruled(_, _, RuleAction::CostChanged(_, cost)) => self.open += cost,
            SearchEvent::TotalCost(_, mv, total) => {
                self.moves += 1;
                self.wrong += u64::from(Depth::ONE_PLY + self.open != total);
                self.open = Depth::ZERO;
                self.deducted = Some((mv, total));
            }
            SearchEvent::Searching(_, sub_search) => {
                let firsts = [Purpose::First, Purpose::Reduced, Purpose::NullWindow];
                if let Some((mv, total)) = self.deducted.take().filter(|_| firsts.contains(&sub_search.purpose)) {
                    self.wrong += u64::from((sub_search.mv, sub_search.cost) != (Some(mv), total));
                    self.searched += 1;
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_breakdown_of_every_move_adds_up_to_its_cost() {
    let learned = quarterply_engine::profile::builtin("learned").expect("built in");
    let both = [Parameters::default(), learned];
    for (fen, parameters) in POSITIONS.iter().flat_map(|fen| both.iter().map(move |parameters| (fen, parameters))) {
        let mut auditor = Auditor::default();
        search(fen, parameters.clone(), &mut auditor);
        assert!(auditor.moves > 500, "{fen}: {} moves", auditor.moves);
        assert_eq!(auditor.wrong, 0, "{fen}");
        // The limit may end the search between the deduction for a move and its search.
        let cut_short = auditor.moves - auditor.searched;
        assert!(cut_short <= 1, "{fen}: {cut_short} moves have a cost and were not searched");
    }
}

/// Counts the events of nodes, and notes any other.
#[derive(Default)]
struct Nodes {
    entered: u64,
    left: u64,
    valued: u64,
    results: u64,
    iterated: u64,
    others: u64,
}

impl Watch for Nodes {
    fn detail(&self) -> Detail {
        Detail::Nodes
    }

    fn event(&mut self, event: SearchEvent<'_>) {
        let count = match event {
            SearchEvent::Entered(EventNode { .. }, _) => &mut self.entered,
            SearchEvent::Left(..) => &mut self.left,
            SearchEvent::Valued(..) => &mut self.valued,
            SearchEvent::MoveSearched(..) => &mut self.results,
            SearchEvent::Iterated(_) => &mut self.iterated,
            _ => &mut self.others,
        };
        *count += 1;
    }
}

#[test]
fn only_events_of_the_requested_detail_are_emitted() {
    let (mut nodes, counter) = (Nodes::default(), count(POSITIONS[1], Parameters::default()));
    search(POSITIONS[1], Parameters::default(), &mut nodes);
    assert_eq!((nodes.entered, nodes.others), (counter.nodes, 0));
    let open = nodes.entered - nodes.left;
    assert!(open < 30, "{open} nodes were not left, and the search was stopped once");
    assert!(nodes.valued > 1000 && nodes.results > 1000 && nodes.iterated > 5);
}
