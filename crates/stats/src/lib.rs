//! Statistics of matches and of paired measurements.
//!
//! - [`pentanomial`]: the strength of one player against another, from pairs of games; [`trinomial`]: counts of single games;
//! - [`sprt`]: when a match may stop;
//! - [`ratings`]: a table of more than two players;
//! - [`screening`]: many settings measured in the same games;
//! - [`staged`]: many settings in separate games, each to the same width;
//! - [`paired`]: the same positions measured twice;
//! - [`proportion`]: how often something happens.
//!
//! Every interval is given with [`CONFIDENCE`]. Sources are named where the formulas are.

#![forbid(unsafe_code)]

mod outcomes;
pub mod paired;
pub mod pentanomial;
pub mod proportion;
pub mod ratings;
pub mod screening;
pub mod sprt;
pub mod staged;
pub mod trinomial;

pub use paired::{Mean, clustered_mean, mean, sign_test};
pub use pentanomial::Pentanomial;
pub use proportion::wilson;
pub use sprt::Sprt;
pub use trinomial::Trinomial;

use statrs::distribution::{ContinuousCDF, Normal};
use std::fmt;

/// The confidence every interval is given with.
pub const CONFIDENCE: f64 = 0.95;

/// The least number of pairs of games, or of positions measured twice, for a conclusion: the deviation of fewer is unreliable, and an
/// interval from it may be far too narrow.
pub const SAMPLE_MIN: u64 = 20;

/// The Elo difference that corresponds to odds of ten to one.
const ELO_PER_TENFOLD: f64 = 400.0;

/// A value and its interval at the level [`CONFIDENCE`]. Ends are infinite if the games carry no information about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Nothing is known.
    pub const UNKNOWN: Estimate = Estimate { value: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Half the width of the interval.
    pub fn margin(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The value with its interval: `+4.5 [-3.9, +12.9]`. If only one end of the interval is known, that bound:
    /// `at least +63.5`, or `+381.7 [at least +63.5]` with a known value; `unknown` without any.
    pub fn with_interval(&self) -> String {
        let bound = match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => return format!("{:+.1} [{:+.1}, {:+.1}]", self.value, self.low, self.high),
            (true, false) => format!("at least {:+.1}", self.low),
            (false, true) => format!("at most {:+.1}", self.high),
            (false, false) => return "unknown".to_owned(),
        };
        if self.value.is_finite() { format!("{:+.1} [{bound}]", self.value) } else { bound }
    }
}

impl fmt::Display for Estimate {
    /// `+4.5 +- 8.4`; the precision is that of the format, one digit if it has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        write!(f, "{:+.digits$} +- {:.digits$}", self.value, self.margin())
    }
}

/// The Elo difference at which the stronger side is expected to score this share per game: infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    ELO_PER_TENFOLD * (score / (1.0 - score)).log10()
}

/// The expected score per game at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / ELO_PER_TENFOLD))
}

/// Half the width of an interval in standard deviations.
fn quantile() -> f64 {
    Normal::standard().inverse_cdf(f64::midpoint(1.0, CONFIDENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_inverse() {
        for (elo, score) in [(0.0, 0.5), (400.0, 10.0 / 11.0), (-400.0, 1.0 / 11.0), (190.848_5, 0.75)] {
            assert!((score_of_elo(elo) - score).abs() < 1e-5, "{elo}");
            assert!((elo_of_score(score) - elo).abs() < 1e-2, "{score}");
        }
        assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((elo_of_score(-0.1), elo_of_score(1.1)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn estimates_are_shown_with_their_margin() {
        let estimate = Estimate { value: 4.54, low: 3.74, high: 5.34 };
        assert_eq!(estimate.to_string(), "+4.5 +- 0.8");
        assert_eq!(format!("{estimate:.2}"), "+4.54 +- 0.80");
        assert_eq!(Estimate::UNKNOWN.to_string(), "+0.0 +- inf");
        assert_eq!(estimate.with_interval(), "+4.5 [+3.7, +5.3]");
        let lost = Estimate { value: f64::NEG_INFINITY, low: f64::NEG_INFINITY, high: -63.54 };
        assert_eq!(lost.with_interval(), "at most -63.5");
        let won = Estimate { value: f64::INFINITY, low: -290.5, high: f64::INFINITY };
        assert_eq!(won.with_interval(), "at least -290.5");
        assert_eq!(Estimate { value: 381.7, ..won }.with_interval(), "+381.7 [at least -290.5]");
        assert_eq!(Estimate::UNKNOWN.with_interval(), "unknown");
    }
}
