//! What a search tells its caller. No text: the UCI layer writes that.

use crate::score::{Bound, Score};
use crate::tablebase::Wdl;
use shakmaty::Move;
use std::time::Duration;

/// A score with its line, as far as the search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Nominal depth of the iteration (plies); 0 if the move was not searched.
    pub depth: u32,
    /// Greatest ply reached.
    pub seldepth: u32,
    /// Which of several lines, from 1.
    pub number: usize,
    /// The value for the side to move.
    pub score: Score,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// Moves made so far by all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Fullness of the transposition table (permille).
    pub hashfull: u32,
    /// Successful tablebase probes, those of the root moves included.
    pub tbhits: u64,
    /// What the endgame tables say of the line's first move, if they know it.
    pub table: Option<Wdl>,
    /// The principal variation; empty only when there is no legal move.
    pub line: Vec<Move>,
}

/// News from a running search.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// An iteration has been finished: its lines, best first, each with another move. Never empty.
    Iteration(&'a [Report]),
    /// A line's value fell outside its aspiration window: a bound, before the window is widened.
    Bound(&'a Report),
    /// The best move at the root was set anew, also inside an iteration.
    Best {
        /// The new best move.
        mv: Move,
        /// Depth of the iteration (plies).
        depth: u32,
        /// Moves made so far by all threads.
        nodes: u64,
        /// Its value.
        score: Score,
    },
    /// A root move is about to be searched.
    Current {
        /// The move.
        mv: Move,
        /// Its place in the order, from 1.
        number: u32,
        /// Depth of the iteration (plies).
        depth: u32,
    },
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The move to play; `None` when the game is over.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report of the chosen line, the first of `lines`.
    pub report: Report,
    /// All lines that were asked for, best first, each with another move. After a stop inside an iteration some come from the
    /// iteration before, and moves that were never searched to the end have depth 0 and the static evaluation.
    pub lines: Vec<Report>,
    /// Moves made by all threads.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}
