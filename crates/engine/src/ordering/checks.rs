//! Quiet checks that lose nothing on their square.

use super::{Quiet, QuietFacts, Sources};
use crate::score::Score;

/// The bonus of such a check.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, _: &QuietFacts, quiet: &Quiet) -> i32 {
    let wanted = quiet.gives_check && sources.weights.check > 0 && sources.position.see_ge(quiet.mv, Score::ZERO);
    if wanted { sources.weights.check } else { 0 }
}
