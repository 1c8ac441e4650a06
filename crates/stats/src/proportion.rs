//! Proportions with their intervals.
//!
//! References: Wilson (`wilson1927`) for the interval; it stays within 0 and 1 and holds for few cases and rare events, where that of
//! the normal distribution does not (`newcombe1998`).

use super::{Estimate, quantile};

/// `part` as a share of `whole`, with its interval; 0 to 1 if `whole` is 0.
pub fn wilson(part: u64, whole: u64) -> Estimate {
    if whole == 0 {
        return Estimate { value: 0.0, low: 0.0, high: 1.0 };
    }
    let (part, whole) = (part.min(whole) as f64, whole as f64);
    let square = quantile() * quantile();
    let value = part / whole;
    let middle = value + square / (2.0 * whole);
    let half = (square * (value * (1.0 - value) + square / (4.0 * whole)) / whole).sqrt();
    let scale = 1.0 + square / whole;
    // At the very ends rounding must not leave what is possible.
    let low = if part == 0.0 { 0.0 } else { ((middle - half) / scale).max(0.0) };
    let high = if part == whole { 1.0 } else { ((middle + half) / scale).min(1.0) };
    Estimate { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table I of `newcombe1998`, method 3.
    #[test]
    fn intervals_are_those_of_the_paper() {
        for (part, whole, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = wilson(part, whole);
            let near = |a: f64, b: f64| (a - b).abs() < 5e-5;
            assert!(near(found.low, low) && near(found.high, high), "{part} of {whole}: {found:?}");
            assert!(near(found.value, part as f64 / whole as f64));
        }
    }

    #[test]
    fn nothing_and_everything_stay_within_bounds() {
        assert_eq!(wilson(0, 0), Estimate { value: 0.0, low: 0.0, high: 1.0 });
        let (none, all) = (wilson(0, 50), wilson(50, 50));
        assert!(none.low == 0.0 && none.high > 0.0 && all.high == 1.0 && all.low < 1.0, "{none:?} {all:?}");
        assert!((none.high - (1.0 - all.low)).abs() < 1e-12, "the ends mirror each other");
    }
}
