//! Measurements: the smallest units of work, and their results.
//!
//! A measurement depends on the candidate and the probe, under the fixed conditions of the run, and on nothing else. So it can be made
//! by any worker at any time, is made only once, and can be kept for ever.

use super::fault::{FaultReport, GameFault};
use super::space::Candidate;
use serde::{Deserialize, Serialize};

/// A suite of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SuiteRole {
    /// The one that is tuned on.
    Tuning,
    /// The hold-out suite, used at the end only.
    Holdout,
}

/// One piece of work for one candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Probe {
    /// Search a position.
    Position {
        /// Of this suite.
        set: SuiteRole,
        /// Its place in the suite.
        index: u32,
    },
    /// Play an opening twice with colours swapped.
    Pair {
        /// Against this one.
        opponent: Candidate,
        /// The number of the opening.
        opening: u32,
    },
}

/// The result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// Of a position; see [`quarterply_lab::suite`] for the terms.
    Position {
        /// True if the final best move was a solution.
        solved: bool,
        /// Nodes until the solution was first found; the cap if unsolved.
        first: u64,
        /// Nodes until it was found for good; the cap if unsolved.
        stable: u64,
        /// Nodes searched.
        nodes: u64,
    },
    /// Of two games.
    Pair {
        /// Half points of the candidate, 0 to 4.
        points: u8,
        /// Nodes searched by both sides.
        nodes: u64,
    },
}

impl Measure {
    /// Nodes that it took.
    pub fn nodes(&self) -> u64 {
        match *self {
            Measure::Position { nodes, .. } | Measure::Pair { nodes, .. } => nodes,
        }
    }
}

/// The results of the probes of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResults {
    /// One for each probe, in order.
    pub measures: Vec<Measure>,
    /// Faults in games, each with the place of its probe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<(usize, GameFault)>,
}

impl TaskResults {
    /// Adds the measurement of the next probe, and the faults in its games.
    pub fn push(&mut self, measure: Measure, faults: Vec<GameFault>) {
        let place = self.measures.len();
        self.faults.extend(faults.into_iter().map(|fault| (place, fault)));
        self.measures.push(measure);
    }
}

/// Probes of one candidate that a worker takes at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeTask {
    /// The candidate.
    pub candidate: Candidate,
    /// The probes.
    pub probes: Vec<Probe>,
}

/// A finished task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeOutcome {
    /// The task.
    pub task: ProbeTask,
    /// Its results.
    pub results: TaskResults,
}

impl ProbeOutcome {
    /// The faults in its games.
    pub fn faults(&self) -> impl Iterator<Item = FaultReport> + '_ {
        self.results.faults.iter().filter_map(|(place, fault)| match self.task.probes.get(*place)? {
            Probe::Pair { opponent, opening } => Some(FaultReport {
                candidate: self.task.candidate.clone(),
                opponent: opponent.clone(),
                opening: *opening,
                fault: fault.clone(),
            }),
            Probe::Position { .. } => None,
        })
    }
}
