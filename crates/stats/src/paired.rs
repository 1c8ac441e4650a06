//! The same positions measured twice: is the difference chance?
//!
//! References: Student (`student1908`) for the confidence interval of a mean; Cochran (`cochran1977`, section 9A.2) for that of values that
//! come in clusters; Dixon and Mood (`dixon-mood1946`) for the sign test, here with the exact binomial distribution.

use super::CONFIDENCE;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// A mean and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The number of values.
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

/// The mean of values that come in clusters, each given by the sum and the number of its values. Values of one cluster may depend on each
/// other, as positions of one game do; the interval therefore comes from the scatter of clusters. [`Mean::count`] is the number of clusters
/// and [`Mean::deviation`] that of their weighted means. `None` without values.
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

    /// A value that is given five times in a row counts once.
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
}
