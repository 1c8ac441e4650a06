//! Traces: everything a search did, in a file that can be larger than memory.
//!
//! [`Recorder`] is an observer that writes a trace while the search runs; [`Trace`] reads it, node by node, as [`NodeRecord`]s.
//! How the two fit together:
//!
//! ```
//! use quarterply_engine::{clock::Limits, params::Parameters, position::Game, search::pool::Control};
//! use quarterply_window::trace::{Filter, record};
//!
//! let (game, parameters) = (&Game::new(), &Parameters::default());
//! let limits = &Limits::depth(3);
//! let setup = record::RecordSetup { game, parameters, profile: "default", limits, hash: 16, filter: Filter::default() };
//! let trace = record::in_memory(&setup, None, &Control::default(), None)?;
//! let root = trace.node(trace.last_root().expect("a finished iteration"))?;
//! for mv in root.moves() {
//!     println!("{:?}: {} nodes", mv.mv, mv.nodes());
//! }
//! let child = trace.node(root.children().next().expect("a recorded child"))?;
//! assert_eq!(child.ply, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compress;
mod encode;
pub mod filter;
pub mod format;
pub mod node;
mod origin;
mod partial;
mod read;
pub mod record;
mod recorder;
mod unpack;
mod write;

pub use filter::{Filter, FilterError};
pub use format::{IterationInfo, RuleName, TraceError, TraceHeader, TraceSummary, VERSION, assemble};
pub use node::{
    ChildSearch, CostLine, Decision, EntryOrigin, MoveCode, MoveOutcome, MoveRecord, MoveValue, NodeId, NodeRecord,
    NodeStep, Numbers, Purpose, RuleReason, SearchedMove, SkippedToo, TableHit, Valuation,
};
pub use partial::PartialTraces;
pub use read::Trace;
pub use recorder::Recorder;
