//! Measurements: the smallest units of work, and their results.
//!
//! A measurement depends on the candidate and the unit of work, under the fixed conditions of the run, and on nothing else. So it can be made
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

/// A unit of work for one candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WorkUnit {
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

/// The result of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measurement {
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

impl Measurement {
    /// Nodes that it took.
    pub fn nodes(&self) -> u64 {
        match *self {
            Measurement::Position { nodes, .. } | Measurement::Pair { nodes, .. } => nodes,
        }
    }
}

/// The results of the units of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResults {
    /// One for each unit, in order.
    pub measures: Vec<Measurement>,
    /// Faults in games, each with the place of its unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<(usize, GameFault)>,
}

impl TaskResults {
    /// Adds the measurement of the next unit, and the faults in its games.
    pub fn push(&mut self, measure: Measurement, faults: Vec<GameFault>) {
        let place = self.measures.len();
        self.faults.extend(faults.into_iter().map(|fault| (place, fault)));
        self.measures.push(measure);
    }
}

/// Units of one candidate that a worker takes at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateTask {
    /// The candidate.
    pub candidate: Candidate,
    /// The units.
    pub units: Vec<WorkUnit>,
}

/// A finished task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedTask {
    /// The task.
    pub task: CandidateTask,
    /// Its results.
    pub results: TaskResults,
}

impl FinishedTask {
    /// The faults in its games.
    pub fn faults(&self) -> impl Iterator<Item = FaultReport> + '_ {
        self.results.faults.iter().filter_map(|(place, fault)| match self.task.units.get(*place)? {
            WorkUnit::Pair { opponent, opening } => Some(FaultReport {
                candidate: self.task.candidate.clone(),
                opponent: opponent.clone(),
                opening: *opening,
                fault: fault.clone(),
            }),
            WorkUnit::Position { .. } => None,
        })
    }
}
