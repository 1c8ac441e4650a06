//! The cheapest candidate met so far.

use super::{CandidateCost, Snapshot};

/// Keeps the cheapest of all candidates that it receives; of equals, the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Best(Option<CandidateCost>);

impl Best {
    /// Receives more candidates.
    pub(super) fn see(&mut self, measured: &[CandidateCost]) {
        for one in measured {
            if self.0.as_ref().is_none_or(|best| one.cost.value < best.cost.value) {
                self.0 = Some(one.clone());
            }
        }
    }

    /// The cheapest so far.
    pub(super) fn get(&self) -> Option<&CandidateCost> {
        self.0.as_ref()
    }

    /// The state of an optimiser whose result is the cheapest candidate.
    pub(super) fn snapshot(&self, step: usize, steps: usize, population: &[CandidateCost]) -> Option<Snapshot> {
        let CandidateCost { candidate, cost } = self.0.clone()?;
        Some(Snapshot { step, steps, population: population.to_vec(), best: candidate, best_cost: Some(cost) })
    }
}
