//! Statistics of paired measurements.
//!
//! References: Student (1908) for the confidence interval of a mean; Dixon and Mood (1946) for the sign test, here with the
//! exact binomial distribution.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// The confidence every interval is given with.
pub const CONFIDENCE: f64 = 0.95;

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

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[3.0]), Some(Mean { count: 1, mean: 3.0, deviation: 0.0, margin: None }));
        assert_eq!(mean(&[2.0, 2.0]).and_then(|m| m.margin), Some(0.0));
    }
}
