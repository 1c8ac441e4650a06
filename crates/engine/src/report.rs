//! Reports of a search to its caller, as data: the UCI layer writes the text.

use crate::score::{Bound, Score};
use crate::tablebase::Wdl;
use shakmaty::Move;
use std::time::Duration;

/// The state of one line of a search: depth, score and moves.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// Nominal depth of the iteration (plies); 0 if the move was not searched.
    pub depth: u32,
    /// Greatest ply reached.
    pub seldepth: u32,
    /// Number of the line (MultiPV), from 1.
    pub number: usize,
    /// The value for the side to move.
    pub score: Score,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Fullness of the transposition table (permille).
    pub hashfull: u32,
    /// Successful tablebase probes, including those of root moves.
    pub tbhits: u64,
    /// The tablebase result of the first move of the line, if the tables cover the position.
    pub table: Option<Wdl>,
    /// The principal variation; empty only if the position has no legal move.
    pub line: Vec<Move>,
}

/// An event of a running search.
#[derive(Clone, Copy, Debug)]
pub enum ProgressEvent<'a> {
    /// An iteration was finished. Contains its lines, at least one, best first; each starts with a different move.
    Iteration(&'a [SearchReport]),
    /// The value of a line fell outside the aspiration window, which is widened next.
    Bound(&'a SearchReport),
    /// The best root move changed, possibly inside an iteration.
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
pub struct SearchOutcome {
    /// The best move; `None` if the game is over.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report of the chosen line, the first of `lines`.
    pub report: SearchReport,
    /// One report for each requested line, best first; each starts with a different move. If the search was stopped inside an iteration, some
    /// lines come from the iteration before. A move that was never searched to the end has depth 0 and the static evaluation.
    pub lines: Vec<SearchReport>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}
