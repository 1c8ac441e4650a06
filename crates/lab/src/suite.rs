//! Running suites: how many positions are solved, and after how many nodes.
//!
//! - `solved`: the final best move is a solution (`bm`: one of these; `am`: none of these; `dm`: a mate in at most this number of
//!   moves is announced, against the side to move if the number is negative). Of several operations all must hold.
//! - `nodes_first`: nodes when the best move at the root first became a solution.
//! - `nodes_stable`: nodes at the start of the last uninterrupted stretch, up to the end of the search, with a solution as
//!   best move.
//! - An unsolved position counts as the cap in both: the node limit, or without one the nodes searched.
//!
//! Positions run in parallel, each in a new game; rows come out in the order of the suite and do not depend on the number of
//! workers as long as the limit is in nodes or depth. An executor searches
//! them ([`quarterply_work`]): threads of this process or other machines.

mod row;
mod run;
mod watch;

pub use row::{RunConditions, SuiteRow, SuiteSummary};
pub use run::{MakeSolver, PositionsTask, RunError, SuiteEngine, SuiteSetup, SuiteWorker, run, solve};
pub use watch::{BestMoveWatch, SolveCriteria};

use quarterply_engine::clock::Limits;
use serde::{Deserialize, Serialize};

/// Transposition table per worker when none is given, in MiB.
pub const HASH_DEFAULT: usize = 64;

/// How each position is searched.
#[derive(Clone, Debug, Default)]
pub struct SuiteConditions {
    /// Nodes, time or depth.
    pub limits: Limits,
    /// When to stop before the limit.
    pub stop: Stop,
}

/// When to stop a search before its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Never.
    #[default]
    AtLimit,
    /// When a solution has been the best move at the end of this many consecutive iterations; the position then counts as
    /// solved.
    Held(u32),
    /// As soon as the best move is a solution in the second iteration or later: in the first one it depends on the order of moves alone.
    WhenFound,
}
