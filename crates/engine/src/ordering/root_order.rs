//! The order of moves at the root.

use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "root order",
    about: "The order of moves at the root.",
    idea: "The best move of the last iteration is first, then the moves whose refutation took most nodes: a move \
        that is hard to refute is more likely to become best.",
    risk: "Node counts are unreliable in the first iterations, and a move that fails low gets a large count \
        without being good.",
    reads: "values and nodes of earlier iterations.",
    papers: "`althofer1992`.",
};

crate::params! {
    /// order the root moves after the best one by the nodes spent on them; off: they keep their order
    on = true;
    /// share of the nodes of earlier iterations that is kept when an iteration begins (percent)
    kept = 100 in 0..=100 by 5;
    /// the first iteration orders moves by quiescence search; off: as generated
    first_by_quiescence = false;
}

const PERCENT: u64 = 100;

crate::source::in_force! {}

impl Params {
    /// The part of `effort` that is kept when another iteration begins.
    pub fn decayed(&self, effort: u64) -> u64 {
        effort * self.kept as u64 / PERCENT
    }
}
