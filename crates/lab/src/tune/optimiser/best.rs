//! The cheapest candidate met so far.

use super::{Cost, Priced};

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

    /// What it costs.
    pub(super) fn cost(&self) -> Option<Cost> {
        self.0.as_ref().map(|best| best.cost)
    }
}
