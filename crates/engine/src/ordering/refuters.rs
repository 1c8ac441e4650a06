//! Killers and the countermove: what refuted a sister node, or the same move elsewhere (`akl-newborn1977`, `uiterwijk1992`).

use super::{Quiet, QuietFacts, Sources};

/// The bonus of killers and countermove.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, facts: &QuietFacts, quiet: &Quiet) -> i32 {
    let weights = sources.weights;
    match facts.killers.slot(quiet.packed) {
        Some(0) => weights.killer_1,
        Some(_) => weights.killer_2,
        None if quiet.packed == facts.counter => weights.counter,
        None => 0,
    }
}
