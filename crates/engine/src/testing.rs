//! Fixtures that the unit tests of several modules share.

use crate::budget::Budget;
use crate::node::{NodeType, Place};
use crate::params::Parameters;
use crate::position::{Game, NO_MOVE};
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::search::Searcher;
use crate::table::{Entry, Table};
use shakmaty::CastlingMode;
use std::sync::Arc;

pub(crate) fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect(fen)
}

/// The smallest table.
pub(crate) fn table() -> Arc<Table> {
    Arc::new(Table::new(1).expect("one MiB"))
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

/// A result in the table, without a move.
pub(crate) fn entry(score: Score, bound: Bound, depth: Depth) -> Entry {
    Entry { mv: NO_MOVE, score, eval: None, depth, bound, pv: false, threat: false }
}
