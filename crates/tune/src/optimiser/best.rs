//! The cheapest candidate met so far.

use super::{Priced, Snapshot};

/// Remembers the cheapest of everything it is shown; of equals, the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Best(Option<Priced>);

impl Best {
    /// Looks at more candidates.
    pub(super) fn see(&mut self, priced: &[Priced]) {
        for one in priced {
            if self.0.as_ref().is_none_or(|best| one.cost.value < best.cost.value) {
                self.0 = Some(one.clone());
            }
        }
    }

    /// The cheapest so far.
    pub(super) fn get(&self) -> Option<&Priced> {
        self.0.as_ref()
    }

    /// Where an optimiser stands whose result is the cheapest candidate.
    pub(super) fn snapshot(&self, step: usize, steps: usize, population: &[Priced]) -> Option<Snapshot> {
        let Priced { candidate, cost } = self.0.clone()?;
        Some(Snapshot { step, steps, population: population.to_vec(), best: candidate, best_cost: Some(cost) })
    }
}
