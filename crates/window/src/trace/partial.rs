//! A recording while its search runs, so that a search that is killed leaves a tree.

use super::format::TraceSummary;
use crate::last_iteration::LastIteration;
use quarterply_engine::clock::Instant;
use quarterply_engine::shakmaty::CastlingMode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The last finished iteration of a search, shared by its listener and its recorder.
pub(crate) type SharedIteration = Arc<Mutex<LastIteration>>;

/// Receives bytes that follow those of the calls before, and an end that makes all of them a complete trace of the search so far.
type Receive = dyn FnMut(&[u8], &[u8]) + Send;

/// Sends a growing recording to a receiver.
pub struct PartialTraces {
    every: Duration,
    pub(super) receive: Box<Receive>,
    /// Bytes that were written and not sent.
    pub(super) fresh: Vec<u8>,
}

impl PartialTraces {
    /// Calls `receive` with the first block of nodes, and later when a block is complete and the last call was `every` ago. Its arguments
    /// are the bytes since the last call and an end: all bytes so far and this end are a trace that [`super::Trace`] reads, in which the
    /// search was stopped at this place.
    pub fn new(every: Duration, receive: impl FnMut(&[u8], &[u8]) + Send + 'static) -> PartialTraces {
        PartialTraces { every, receive: Box::new(receive), fresh: Vec::new() }
    }
}

/// When the next part is due, and the source of its summary.
pub(super) struct PartSchedule {
    every: Duration,
    due: Instant,
    finished: SharedIteration,
    mode: CastlingMode,
}

impl PartSchedule {
    pub fn new(parts: &PartialTraces, finished: SharedIteration, mode: CastlingMode) -> PartSchedule {
        PartSchedule { every: parts.every, due: Instant::now(), finished, mode }
    }

    /// Returns true when a part is due, and begins to wait for the next one.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.due;
        if is_due {
            self.due = now + self.every;
        }
        is_due
    }

    /// The summary at the last finished iteration.
    pub fn summary(&self, nodes: u64) -> TraceSummary {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let mut summary = TraceSummary { nodes, depth: finished.depth(), ..TraceSummary::default() };
        if let Some(report) = &finished.report {
            summary.line = report.line.iter().map(|mv| mv.to_uci(self.mode).to_string()).collect();
            summary.score = report.score.0;
        }
        summary
    }
}
