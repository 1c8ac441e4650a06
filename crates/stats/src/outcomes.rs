//! The mathematics of pairs of games: results that are worth 0 to 1 in equal steps, and how often each was seen.
//!
//! References: Van den Bergh, *Normalized Elo* and *The generalized sequential probability ratio test*
//! (`van-den-bergh2019`, `van-den-bergh2020`), for the definitions; the solution of the equations is ours.

use super::{CONFIDENCE, ELO_PER_TENFOLD, Estimate, elo_of_score, quantile};
use statrs::distribution::{ContinuousCDF, Normal};

/// Results that were never seen count as this number, as in fishtest: a result that is impossible under one hypothesis would decide the
/// test alone, and the likelihoods have no finite ratio without it.
const UNSEEN: f64 = 1e-3;

/// Steps of the bisections: enough for the last bit of a result in 0 to 1.
const STEPS: u32 = 60;

/// The points per game of each result: 0 to 4 half points of two games.
const WORTH: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Games in one result.
const GAMES: f64 = 2.0;

/// How often each result was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcomes {
    /// The share of each result.
    share: [f64; 5],
    /// The number of results.
    total: f64,
}

/// The quantity that a hypothesis fixes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hypothesis {
    /// The expected score per game.
    Score(f64),
    /// The normalized Elo.
    NormalizedElo(f64),
}

/// Elo per standard deviation of a game: with it, normalized Elo and Elo agree for small differences without draws.
pub(super) fn elo_per_deviation() -> f64 {
    2.0 * ELO_PER_TENFOLD / std::f64::consts::LN_10
}

impl Outcomes {
    /// `None` without results.
    pub fn new(counts: [u64; 5]) -> Option<Outcomes> {
        Outcomes::weighted(counts.map(|count| count as f64))
    }

    fn weighted(weights: [f64; 5]) -> Option<Outcomes> {
        let total: f64 = weights.iter().sum();
        (total > 0.0).then(|| Outcomes { share: weights.map(|weight| weight / total), total })
    }

    /// Results that were never seen get a little weight.
    fn regularized(counts: [u64; 5]) -> Option<Outcomes> {
        if counts.iter().all(|count| *count == 0) {
            return None;
        }
        Outcomes::weighted(counts.map(|count| if count == 0 { UNSEEN } else { count as f64 }))
    }

    /// The mean of the results.
    pub fn mean(&self) -> f64 {
        dot(&self.share, &WORTH)
    }

    /// The variance of one result.
    fn variance(&self) -> f64 {
        let mean = self.mean();
        dot(&self.share, &WORTH.map(|worth| (worth - mean).powi(2)))
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        (self.variance() / self.total).sqrt()
    }

    /// The Elo difference, with the interval that belongs to that of the mean.
    pub fn elo(&self) -> Estimate {
        let (mean, reach) = (self.mean(), quantile() * self.error());
        let (low, high) = if reach > 0.0 { (mean - reach, mean + reach) } else { self.interval_without_scatter() };
        Estimate { value: elo_of_score(mean), low: elo_of_score(low), high: elo_of_score(high) }
    }

    /// The interval of the mean where all results were the same, so that no deviation can be estimated: the other results, together,
    /// may be as frequent as is compatible with never having been seen (`clopper-pearson1934`), and be the best or the worst.
    fn interval_without_scatter(&self) -> (f64, f64) {
        let least = ((1.0 - CONFIDENCE) / 2.0).powf(1.0 / self.total);
        (least * self.mean(), least * self.mean() + (1.0 - least))
    }

    /// How far the mean is above one half in standard deviations of one game, in Elo.
    pub fn normalized_elo(&self) -> Estimate {
        let deviation = (self.variance() * GAMES).sqrt();
        if deviation > 0.0 {
            let value = (self.mean() - 0.5) / deviation * elo_per_deviation();
            let reach = quantile() * elo_per_deviation() / (self.total * GAMES).sqrt();
            Estimate { value, low: value - reach, high: value + reach }
        } else {
            Estimate { value: elo_of_score(self.mean()), ..Estimate::UNKNOWN }
        }
    }

    /// The probability that the expected score is above one half.
    pub fn superiority(&self) -> f64 {
        let lead = self.mean() - 0.5;
        if lead == 0.0 { 0.5 } else { Normal::standard().cdf(lead / self.error()) }
    }

    /// The logarithm of the likelihood ratio of the second hypothesis to the first, each with the likeliest distribution that it allows.
    pub fn log_likelihood_ratio(counts: [u64; 5], first: Hypothesis, second: Hypothesis) -> f64 {
        let Some(seen) = Outcomes::regularized(counts) else { return 0.0 };
        let (first, second) = (seen.likeliest(first), seen.likeliest(second));
        let ratio = std::array::from_fn(|index| (second[index] / first[index]).ln());
        seen.total * dot(&seen.share, &ratio)
    }

    /// The distribution under which the results are likeliest among those that the hypothesis allows.
    fn likeliest(&self, hypothesis: Hypothesis) -> [f64; 5] {
        match hypothesis {
            Hypothesis::Score(score) => self.tilted(&WORTH.map(|worth| worth - score)).unwrap_or(self.share),
            Hypothesis::NormalizedElo(elo) => self.with_lead(elo / elo_per_deviation() * GAMES.sqrt()),
        }
    }

    /// The likeliest distribution with a mean of zero for `values`: every share divided by `1 + t * value`, with the one `t` that
    /// does it (the Lagrange multiplier). `None` if all values have the same sign.
    fn tilted(&self, values: &[f64; 5]) -> Option<[f64; 5]> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least >= 0.0 || most <= 0.0 {
            return None;
        }
        let shares = |t: f64| std::array::from_fn(|index| self.share[index] / (1.0 + t * values[index]));
        let t = bisect(-1.0 / most, -1.0 / least, |t| dot(&shares(t), values) > 0.0);
        Some(shares(t))
    }

    /// The likeliest distribution whose mean is `lead` standard deviations above one half.
    ///
    /// With a given deviation `s`, the mean has to be `m = 1/2 + lead * s`. Where the likelihood is greatest, its derivative is a
    /// multiple of that of the condition, which for a result worth `a` is `a - 1/2 - lead * s * (1 + ((a - m) / s)^2) / 2`. This
    /// has a mean of zero, so the distribution is tilted; the bisection finds the `s` that equals the deviation of the result.
    fn with_lead(&self, lead: f64) -> [f64; 5] {
        let at = |deviation: f64| {
            let mean = 0.5 + lead * deviation;
            let condition =
                |worth: f64| worth - 0.5 - lead * deviation * (1.0 + ((worth - mean) / deviation).powi(2)) / 2.0;
            let shares = self.tilted(&WORTH.map(condition))?;
            Some((dot(&shares, &WORTH.map(|worth| (worth - mean).powi(2))), shares))
        };
        // No larger deviation is possible between 0 and 1, or with the mean between them.
        let most = 0.5f64.min(0.5 / lead.abs());
        let deviation = bisect(0.0, most, |s| at(s).is_none_or(|(variance, _)| variance > s * s));
        at(deviation).map_or(self.share, |(_, shares)| shares)
    }
}

fn dot(a: &[f64; 5], b: &[f64; 5]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Where `below` turns from true to false between `low` and `high`.
pub(super) fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(share: [f64; 5]) -> Outcomes {
        Outcomes::weighted(share).expect("positive")
    }

    /// How far the mean is above one half, in standard deviations.
    fn lead(outcomes: &Outcomes) -> f64 {
        (outcomes.mean() - 0.5) / outcomes.variance().sqrt()
    }

    /// The distribution turned towards wins or losses until it satisfies a condition that wins raise.
    fn turned(share: [f64; 5], low: impl Fn(&Outcomes) -> bool) -> Outcomes {
        let at = |t: f64| of(std::array::from_fn(|index| share[index] * (t * index as f64).exp()));
        at(bisect(-20.0, 20.0, |t| low(&at(t))))
    }

    /// The logarithm of the likelihood of one result.
    fn fit(seen: &Outcomes, of: &[f64; 5]) -> f64 {
        dot(&seen.share, &of.map(f64::ln))
    }

    const SHARES: [std::ops::Range<f64>; 5] = [0.001..1.0, 0.001..1.0, 0.001..1.0, 0.001..1.0, 0.001..1.0];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Nothing that the hypothesis allows fits better than what was found.
        #[test]
        fn the_likeliest_distribution_is_allowed_and_fits_best(seen in SHARES, others in prop::array::uniform8(SHARES), elo in -300.0..300.0) {
            let seen = of(seen);
            let score = 0.5 + elo / 1000.0;
            let by_score = seen.likeliest(Hypothesis::Score(score));
            let by_lead = seen.likeliest(Hypothesis::NormalizedElo(elo));
            let expected = elo / elo_per_deviation() * 2f64.sqrt();
            for found in [by_score, by_lead] {
                prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            }
            prop_assert!((of(by_score).mean() - score).abs() < 1e-9);
            prop_assert!((lead(&of(by_lead)) - expected).abs() < 1e-6, "{} {expected}", lead(&of(by_lead)));
            for other in others {
                // From far away and from near by.
                for other in [other, std::array::from_fn(|index| by_lead[index] * (1.0 + 0.01 * other[index]))] {
                    let (same_score, same_lead) = (turned(other, |o| o.mean() < score), turned(other, |o| lead(o) < expected));
                    prop_assert!(fit(&seen, &by_score) >= fit(&seen, &same_score.share) - 1e-9);
                    prop_assert!(fit(&seen, &by_lead) >= fit(&seen, &same_lead.share) - 1e-9);
                }
            }
        }
    }
}
