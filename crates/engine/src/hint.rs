//! Branch hints: cold paths are outlined to keep the hot code small.

use std::hint::cold_path;

/// A condition that is rarely true.
#[inline(always)]
pub(crate) fn unlikely(condition: bool) -> bool {
    if condition {
        cold_path();
        true
    } else {
        false
    }
}

/// A switch among the parameters, which most searches leave as profile `default` has it: `usual`.
#[inline(always)]
pub(crate) fn switch(on: bool, usual: bool) -> bool {
    if on == usual {
        usual
    } else {
        cold_path();
        !usual
    }
}
