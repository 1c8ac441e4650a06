//! Known functions to try optimisers on. Tests only.

use super::{CandidateCost, Cost, Optimiser, Query, Snapshot};
use crate::space::{Candidate, Dimension, Space};

/// Queries after which an optimiser should have stopped by itself.
const QUERIES_MAX: usize = 100_000;

/// The candidates and snapshots of an optimiser.
pub struct OptimiserTrial {
    /// Every candidate in order.
    pub candidates: Vec<Candidate>,
    /// Every snapshot.
    pub snapshots: Vec<Snapshot>,
    /// The last of them.
    pub last: Snapshot,
}

/// A space of ranges and steps that starts from the least values.
pub fn space(ranges: &[(i32, i32, i32)]) -> Space {
    let dimension = |(index, (min, max, step)): (usize, &(i32, i32, i32))| Dimension {
        name: format!("trial.x{index}"),
        min: *min,
        max: *max,
        step: *step,
        start: *min,
        switch: false,
    };
    Space { dimensions: ranges.iter().enumerate().map(dimension).collect() }
}

/// One plus the squared distance from a target.
pub fn cost(candidate: &[i32], target: &[f64]) -> f64 {
    1.0 + candidate.iter().zip(target).map(|(value, goal)| (f64::from(*value) - goal).powi(2)).sum::<f64>()
}

/// The answer to a query.
pub fn answer(query: &Query, function: &dyn Fn(&[i32]) -> f64) -> Vec<CandidateCost> {
    let cost = |candidate: &Candidate| Cost { value: function(candidate), error: 0.0, solved: None };
    query
        .candidates
        .iter()
        .map(|candidate| CandidateCost { candidate: candidate.clone(), cost: cost(candidate) })
        .collect()
}

/// Runs an optimiser to its end.
pub fn run(optimiser: &mut dyn Optimiser, function: &dyn Fn(&[i32]) -> f64) -> OptimiserTrial {
    let (mut candidates, mut snapshots) = (Vec::new(), Vec::new());
    for _ in 0..QUERIES_MAX {
        let query = optimiser.ask();
        if query.candidates.is_empty() {
            let last: Snapshot = <[_]>::last(&snapshots).cloned().expect("at least one step");
            return OptimiserTrial { candidates, snapshots, last };
        }
        candidates.extend(query.candidates.iter().cloned());
        optimiser.tell(&answer(&query, function));
        snapshots.extend(optimiser.snapshot());
    }
    panic!("does not end");
}

/// Returns true if every candidate is on the grid of its space.
pub fn inside(space: &Space, candidates: &[Candidate]) -> bool {
    let fits = |(d, value): (&Dimension, &i32)| d.min <= *value && *value <= d.max && (value - d.min) % d.step == 0;
    candidates
        .iter()
        .all(|candidate| candidate.len() == space.dimensions.len() && space.dimensions.iter().zip(candidate).all(fits))
}
