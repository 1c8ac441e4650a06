//! The same positions measured twice: is the difference chance?
//!
//! References: Student (`student1908`) for the confidence interval of a mean; Dixon and Mood (`dixon-mood1946`) for the sign test, here
//! with the exact binomial distribution; Wilcoxon (`wilcoxon1945`) for the signed-rank test, here with its exact distribution also
//! where differences are equal.

use super::{CONFIDENCE, normal_cdf};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// A mean and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard deviation of one value.
    pub deviation: f64,
    /// Half the width of the confidence interval; `None` with fewer than two values.
    pub margin: Option<f64>,
}

/// The mean of `values` with its confidence interval; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<Mean> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return Some(Mean { count: values.len(), mean, deviation: 0.0, margin: None });
    }
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let deviation = (squares / (n - 1.0)).sqrt();
    let student = StudentsT::new(0.0, 1.0, n - 1.0).ok();
    let upper = f64::midpoint(1.0, CONFIDENCE);
    let margin = student.map(|t| t.inverse_cdf(upper) * deviation / n.sqrt());
    Some(Mean { count: values.len(), mean, deviation, margin })
}

/// The two-sided p-value of the paired t-test: could differences with a true mean of zero have a mean as far from it? `None` with
/// fewer than two differences, or if they are all equal.
pub fn t_test(differences: &[f64]) -> Option<f64> {
    let Mean { count, mean, deviation, .. } = mean(differences).filter(|mean| mean.deviation > 0.0)?;
    let n = count as f64;
    let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
    Some(2.0 * student.cdf(-(mean / deviation * n.sqrt()).abs()))
}

/// The two-sided p-value of `more` rises against `fewer` falls if both were equally likely. Ties are left out.
pub fn sign_test(more: u64, fewer: u64) -> f64 {
    let total = more + fewer;
    let Ok(even_chance) = Binomial::new(0.5, total) else { return 1.0 };
    if total == 0 {
        return 1.0;
    }
    (2.0 * even_chance.cdf(more.min(fewer))).min(1.0)
}

/// Up to so many differences the exact distribution of the rank sum is used; beyond, the normal one.
const EXACT_MAX: usize = 200;

/// The signed-rank test of differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Differences that are not zero; zeros are left out.
    pub count: usize,
    /// Sum of the ranks of the rises; equal sizes share their mean rank.
    pub rises: f64,
    /// Sum of the ranks of the falls.
    pub falls: f64,
    /// The two-sided p-value, if rises and falls of every size were equally likely.
    pub p: f64,
}

/// Tests whether rises and falls balance, their sizes considered; values that are no numbers are left out.
pub fn signed_rank_test(differences: &[f64]) -> SignedRank {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && !d.is_nan()).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&sorted);
    let sum = |rises: bool| -> usize {
        sorted.iter().zip(&ranks).filter(|(d, _)| (**d > 0.0) == rises).map(|(_, rank)| rank).sum()
    };
    let (rises, falls) = (sum(true), sum(false));
    let least = rises.min(falls);
    let p = if sorted.len() <= EXACT_MAX { exact_p(&ranks, least) } else { normal_p(&ranks, least) };
    SignedRank { count: sorted.len(), rises: rises as f64 / 2.0, falls: falls as f64 / 2.0, p }
}

/// Twice the rank of each value, sorted by size: the mean of equal ranks may end in one half.
fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for equal in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let (first, last) = (ranks.len() + 1, ranks.len() + equal.len());
        ranks.extend(std::iter::repeat_n(first + last, equal.len()));
    }
    ranks
}

/// The share of all choices of signs for which the smaller doubled rank sum is at most `least`.
fn exact_p(ranks: &[usize], least: usize) -> f64 {
    // The share of the signs so far for each sum of the rises up to `least`.
    let mut shares = vec![0.0; least + 1];
    shares[0] = 1.0;
    for rank in ranks {
        for sum in (0..=least).rev() {
            let with = sum.checked_sub(*rank).map_or(0.0, |rest| shares[rest]);
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

/// The same by the normal distribution, moved by half a rank towards the middle.
fn normal_p(ranks: &[usize], least: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    let deviation = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum::<f64>().sqrt() / 2.0;
    // Half a rank is one in doubled ranks.
    let short = total as f64 / 2.0 - least as f64 - 1.0;
    if short <= 0.0 { 1.0 } else { 2.0 * normal_cdf(-short / deviation) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn the_sign_test_gives_exact_binomial_values() {
        // Sums of binomial coefficients over powers of two.
        for (more, fewer, p) in [
            (0, 0, 1.0),
            (5, 5, 1.0),
            (0, 1, 1.0),
            (8, 2, 112.0 / 1024.0),
            (2, 8, 112.0 / 1024.0),
            (10, 0, 2.0 / 1024.0),
            (0, 20, 2.0 / 1_048_576.0),
        ] {
            assert!((sign_test(more, fewer) - p).abs() < 1e-9, "{more} {fewer}: {}", sign_test(more, fewer));
        }
    }

    #[test]
    fn the_interval_uses_students_distribution() {
        // t(0.975; 9) = 2.2622 from the published table; the deviation of 1..=10 is 3.02765.
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let m = mean(&values).expect("ten values");
        assert!(close(m.mean, 5.5) && close(m.deviation, 3.02765), "{m:?}");
        assert!(close(m.margin.expect("ten values"), 2.2622 * 3.02765 / 10f64.sqrt()), "{m:?}");
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[3.0]), Some(Mean { count: 1, mean: 3.0, deviation: 0.0, margin: None }));
        assert_eq!(mean(&[2.0, 2.0]).and_then(|m| m.margin), Some(0.0));
    }
}
