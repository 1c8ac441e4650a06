//! Countermove.

use super::{Quiet, QuietFacts, Sources, killers};
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "countermove",
    about: "Countermove: the last refutation of the same piece and square.",
    idea: "Many moves have a natural reply: the quiet move that last refuted the same piece on the same square is \
        searched right after the killers.",
    risk: "One entry for each piece and square: the last refutation may come from a very different position.",
    reads: "path (the last move); learned statistics. Nothing after a null move. Other rules use countermoves even if \
        this is off.",
    papers: "`uiterwijk1992`.",
};

crate::params! {
    /// the move that last refuted the previous move comes early
    on = true;
    /// bonus of the countermove; if it is also a killer, the larger bonus counts (history counts)
    bonus = 19000 in 0..=99999 by 1000, neutral 16000;
}

crate::source::in_force! { bonus: 0 }

/// The bonus of the countermove, on top of what it has as a killer.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, facts: &QuietFacts, quiet: &Quiet<'_>) -> i32 {
    if quiet.packed == facts.counter {
        (sources.orders.weights.countermove.bonus - killers::bonus(sources, facts, quiet)).max(0)
    } else {
        0
    }
}
