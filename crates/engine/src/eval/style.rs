//! How much each group of terms counts: the evaluation's parameters.
//!
//! The single weights are constants, fitted to games; these shares of whole groups are what a profile may set, a more daring one or a
//! calmer one. `default` weights king danger above the fitted share: it solves more and loses a little in play
//! (`docs/results/tuning.md`).

use super::pair::{Pair, pair};

crate::params! {
    /// weight of the danger to the kings (percent)
    king_danger = 150 in 0..=1000 by 10, neutral 100;
    /// weight of the pawn shelter of the kings (percent)
    king_shelter = 100 in 0..=300 by 10;
    /// weight of mobility (percent)
    mobility = 90 in 0..=300 by 10, neutral 100;
    /// weight of attacked and hanging pieces (percent)
    threats = 110 in 0..=300 by 10, neutral 100;
    /// weight of passed pawns (percent)
    passed_pawns = 100 in 0..=300 by 10;
    /// weight of the bonus for the side to move (percent)
    tempo = 100 in 0..=400 by 20;
}

/// All of it (percent).
const WHOLE: i32 = 100;

/// A percentage of a term.
#[inline(always)]
pub(super) fn share(value: Pair, percent: i32) -> Pair {
    if percent == WHOLE { value } else { pair(value.mg() * percent / WHOLE, value.eg() * percent / WHOLE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitted_terms_count_in_full() {
        for spec in Params::SPECS {
            assert_eq!(Params::NEUTRAL.get(spec.name), Some(WHOLE), "{}", spec.name);
        }
    }

    #[test]
    fn shares_are_symmetric() {
        for percent in [0, 33, 100, 250] {
            let value = pair(-77, 31);
            assert_eq!(share(value, percent), -share(-value, percent), "{percent}");
        }
        assert_eq!(share(pair(80, -40), 150), pair(120, -60));
    }
}
