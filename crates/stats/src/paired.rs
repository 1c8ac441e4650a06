//! The same positions measured twice: is the difference chance?
//!
//! References: Student (`student1908`) for the confidence interval of a mean; Cochran (`cochran1977`, section 9A.2) for that of values that
//! come in clusters; Dixon and Mood (`dixon-mood1946`) for the sign test, here
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
    clustered_mean(&values.iter().map(|value| (*value, 1)).collect::<Vec<_>>())
}

/// The mean of values that come in clusters, each given by the sum of its values and how many there are: values of one cluster may depend
/// on each other, as positions of one game do, so that the interval is that of the scatter of clusters. [`Mean::count`] is the number of
/// clusters and [`Mean::deviation`] that of their weighted means. `None` without values.
pub fn clustered_mean(clusters: &[(f64, usize)]) -> Option<Mean> {
    let values: usize = clusters.iter().map(|(_, values)| values).sum();
    if values == 0 {
        return None;
    }
    let (n, count) = (clusters.len() as f64, clusters.len());
    let mean = clusters.iter().map(|(sum, _)| sum).sum::<f64>() / values as f64;
    if count < 2 {
        return Some(Mean { count, mean, deviation: 0.0, margin: None });
    }
    // Each cluster's difference from what it would sum to at the mean, for each value of an average cluster.
    let average = values as f64 / n;
    let squares: f64 = clusters.iter().map(|(sum, values)| ((sum - mean * *values as f64) / average).powi(2)).sum();
    let deviation = (squares / (n - 1.0)).sqrt();
    let student = StudentsT::new(0.0, 1.0, n - 1.0).ok();
    let upper = f64::midpoint(1.0, CONFIDENCE);
    let margin = student.map(|t| t.inverse_cdf(upper) * deviation / n.sqrt());
    Some(Mean { count, mean, deviation, margin })
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

/// Up to this number of differences the exact distribution of the rank sum is used; beyond, the normal approximation.
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
    fn clusters_of_one_value_are_values() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let clusters: Vec<(f64, usize)> = values.iter().map(|value| (*value, 1)).collect();
        let (plain, clustered) = (mean(&values).expect("ten"), clustered_mean(&clusters).expect("ten"));
        assert!(close(plain.mean, clustered.mean) && close(plain.deviation, clustered.deviation));
        assert!(close(plain.margin.expect("ten"), clustered.margin.expect("ten")));
    }

    /// A value that is given five times in a row tells no more than once.
    #[test]
    fn values_that_depend_on_each_other_do_not_narrow_the_interval() {
        let once: Vec<(f64, usize)> = (1..=10).map(|value| (f64::from(value), 1)).collect();
        let again: Vec<(f64, usize)> = (1..=10).map(|value| (5.0 * f64::from(value), 5)).collect();
        let [once, again] = [once, again].map(|clusters| clustered_mean(&clusters).expect("ten clusters"));
        assert!(
            close(once.mean, again.mean) && close(once.margin.expect("ten"), again.margin.expect("ten")),
            "{once:?} {again:?}"
        );
        // Sums 4, 10 and 1 of 2, 3 and 1 values: the mean is 2.5, the residues -1, 2.5 and -1.5, the average cluster has 2 values.
        let uneven = clustered_mean(&[(4.0, 2), (10.0, 3), (1.0, 1)]).expect("three clusters");
        let deviation = ((1.0 + 6.25 + 2.25) / 4.0 / 2.0f64).sqrt();
        assert!(close(uneven.mean, 2.5) && close(uneven.deviation, deviation), "{uneven:?}");
        // t(0.975; 2) = 4.3027 from the published table.
        assert!(close(uneven.margin.expect("three"), 4.3027 * deviation / 3f64.sqrt()), "{uneven:?}");
        assert_eq!((clustered_mean(&[]), clustered_mean(&[(0.0, 0)])), (None, None));
        assert_eq!(clustered_mean(&[(4.0, 2)]).map(|mean| (mean.mean, mean.margin)), Some((2.0, None)));
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[3.0]), Some(Mean { count: 1, mean: 3.0, deviation: 0.0, margin: None }));
        assert_eq!(mean(&[2.0, 2.0]).and_then(|m| m.margin), Some(0.0));
    }

    /// Effect of two drugs on the sleep of ten people, differences (Student 1908, `student1908`; the data set `sleep` of R).
    const SLEEP: [f64; 10] = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];

    #[test]
    fn the_t_test_agrees_with_published_examples() {
        // The manual of R prints t = 4.0621, p = 0.002833 for the sleep data.
        assert_eq!(format!("{:.6}", t_test(&SLEEP).expect("they differ")), "0.002833");
        // Darwin's maize, differences in eighths of an inch; Fisher (The Design of Experiments, 1935) finds t = 2.148 and just
        // misses 5 %: 0.0497.
        let maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48].map(f64::from);
        assert_eq!(format!("{:.4}", t_test(&maize).expect("they differ")), "0.0497");
        assert_eq!((t_test(&[]), t_test(&[1.0]), t_test(&[1.0, 1.0])), (None, None, None));
    }

    #[test]
    fn the_signed_rank_test_agrees_with_published_examples() {
        // Hollander and Wolfe (1973), depression scale, the example of R's `wilcox.test`: V = 40, one-sided p = 0.01953.
        let depression = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01];
        let test = signed_rank_test(&depression);
        assert_eq!((test.count, test.rises, test.falls), (9, 40.0, 5.0));
        assert_eq!(format!("{:.5}", test.p / 2.0), "0.01953");
        // The example of G08AGF in the NAG library: statistic 32, two-sided 0.0547.
        let nag = signed_rank_test(&[19, 27, -1, 6, 7, 13, -4, 3].map(f64::from));
        assert_eq!((nag.rises, format!("{:.4}", nag.p)), (32.0, "0.0547".to_owned()));
        // With ties and a zero R uses the normal distribution: 0.009091.
        let ranks = doubled_ranks(&[0.8, 1.0, 1.2, 1.3, 1.3, 1.4, 1.8, 2.4, 4.6]);
        assert_eq!(format!("{:.6}", normal_p(&ranks, 0)), "0.009091");
        let sleep = signed_rank_test(&SLEEP);
        assert_eq!((sleep.count, sleep.falls, sleep.p), (9, 0.0, 2.0 / 512.0));
    }

    #[test]
    fn critical_values_are_those_of_the_tables() {
        // The largest rank sum that is significant at 5 % (two-sided), as in every table after Wilcoxon (1945).
        for (count, critical) in
            [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (12, 13), (15, 25), (16, 29), (20, 52), (25, 89), (30, 137)]
        {
            let ranks: Vec<usize> = (1..=count).map(|rank| 2 * rank).collect();
            assert!(exact_p(&ranks, 2 * critical) <= 0.05, "{count}");
            assert!(exact_p(&ranks, 2 * critical + 2) > 0.05, "{count}");
        }
    }

    #[test]
    fn many_differences_are_judged_alike_by_both_distributions() {
        let differences: Vec<f64> = (1..=EXACT_MAX as i32).map(|i| f64::from(if i % 5 < 3 { i } else { -i })).collect();
        let exact = signed_rank_test(&differences);
        let ranks: Vec<usize> = (1..=EXACT_MAX).map(|rank| 2 * rank).collect();
        let normal = normal_p(&ranks, (2.0 * exact.falls) as usize);
        assert!((exact.p - normal).abs() < 5e-4, "{} {normal}", exact.p);
        let more: Vec<f64> = differences.iter().chain(&[0.5, -0.5]).copied().collect();
        assert!((signed_rank_test(&more).p - exact.p).abs() < 2e-3);
    }

    #[test]
    fn no_differences_are_no_evidence() {
        for values in [&[][..], &[0.0, 0.0], &[f64::NAN], &[1.0], &[1.0, -1.0]] {
            assert_eq!(signed_rank_test(values).p, 1.0, "{values:?}");
        }
    }
}
