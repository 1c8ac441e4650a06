//! Fixtures that the unit tests of several modules share.

use crate::budget::Budget;
use crate::clock::{Clock, Limits};
use crate::node::{Candidate, Node, NodeType, Place, Stage};
use crate::params::Parameters;
use crate::position::{Game, NO_MOVE, Position, is_quiet};
use crate::report::{SearchOutcome, SearchReport};
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::search::Searcher;
use crate::search::watch::Mode;
use crate::see::Exchange;
use crate::table::{Entry, Table};
use shakmaty::Move;
use shakmaty::uci::UciMove;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

pub(crate) fn game(fen: &str) -> Game {
    Game::standard(fen).expect(fen)
}

/// The game after these moves.
pub(crate) fn after(fen: &str, moves: &str) -> Game {
    let mut game = game(fen);
    game.play_line(moves.split_whitespace()).expect(moves);
    game
}

/// The smallest table.
pub(crate) fn table() -> Arc<Table> {
    Arc::new(Table::new(1).expect("one MiB"))
}

/// A thread that the system cannot start: no memory holds its stack.
pub(crate) fn impossible_thread() -> Builder {
    Builder::new().stack_size(isize::MAX as usize / 2)
}

pub(crate) fn searcher(parameters: Parameters) -> Searcher<()> {
    Searcher::new(parameters, table())
}

/// A searcher with the default parameters after a change.
pub(crate) fn searcher_with(change: impl FnOnce(&mut Parameters)) -> Searcher<()> {
    let mut parameters = Parameters::default();
    change(&mut parameters);
    searcher(parameters)
}

/// A node `ply` plies from the root with `plies` left for both sides.
pub(crate) fn place(window: Window, plies: i32, ply: u16, kind: NodeType) -> Place {
    Place::new(window, Budget::even(Depth::plies(plies)), Ply(ply), kind)
}

/// A search that no clock ends.
pub(crate) fn search<M: Mode>(s: &mut Searcher<M>, game: &Game, limits: &Limits) -> SearchOutcome {
    s.think(game, limits, Clock::unlimited(), &mut |_| ControlFlow::Continue(()))
}

/// The node of the position of `game`, evaluated, before its moves.
pub(crate) fn node<'a, M: Mode>(s: &mut Searcher<M>, game: &'a Game, place: Place) -> Node<'a> {
    s.evaluator.begin(game.position());
    let mut n = s.facts(game.position(), place);
    s.evaluate_node(&mut n);
    n
}

/// The report of a search whose line is one move.
pub(crate) fn report(mv: Move, score: Score, bound: Bound, depth: u32) -> SearchReport {
    SearchReport {
        depth,
        seldepth: depth,
        number: 1,
        score,
        bound,
        nodes: 1,
        time: Duration::ZERO,
        hashfull: 0,
        tbhits: 0,
        table: None,
        line: vec![mv],
    }
}

/// A result in the table, without a move.
pub(crate) fn entry(score: Score, bound: Bound, depth: Depth) -> Entry {
    Entry { mv: NO_MOVE, score, eval: None, depth, bound, pv: false, threat: false }
}

/// A late move about to be searched.
pub(crate) fn candidate(position: &Position, uci: &str) -> Candidate {
    let legal = position.legal_moves();
    let mv = *legal.iter().find(|mv| UciMove::from_standard(**mv).to_string() == uci).expect(uci);
    Candidate {
        mv,
        number: 6,
        quiets_before: 5,
        quiet: is_quiet(mv),
        gives_check: position.gives_check(&position.check_info(), mv),
        history: 0,
        stage: if is_quiet(mv) { Stage::Quiet } else { Stage::BadNoisy },
        killer_or_counter: false,
        from_table: false,
        usual_reduction: Depth::ZERO,
        cutoffs_below: 0,
        exchange: Exchange::known(None),
    }
}
