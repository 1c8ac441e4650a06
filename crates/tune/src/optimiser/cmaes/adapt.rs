//! The normal distribution that candidates are drawn from, and how it learns from their ranking.

use nalgebra::{DMatrix, SymmetricEigen};

/// No parameter's standard deviation falls below this part of the distance of its neighbouring values.
const SPREAD_MIN: f64 = 0.3;
/// No parameter's standard deviation rises above this share of its range.
const SPREAD_MAX: f64 = 1.0;
/// Least eigenvalue, so that rounding cannot make a variance negative.
const VARIANCE_MIN: f64 = 1e-20;

/// Weights and learning rates: the default settings of the tutorial, table 1, from the number of parameters and of candidates.
struct Rates {
    /// Weight of each place of the ranking.
    weights: Vec<f64>,
    /// How many equal weights would select as much.
    mass: f64,
    /// Learning rate of the step-size path.
    sigma: f64,
    /// Damping of the step size.
    damping: f64,
    /// Learning rate of the covariance path.
    path: f64,
    /// Learning rate of the rank-one update.
    one: f64,
    /// Learning rate of the rank-mu update.
    mu: f64,
    /// Expected length of a vector of normal draws.
    length: f64,
}

impl Rates {
    // The digits are those of the tutorial's formulas, which name none of them.
    fn new(n: f64, population: usize) -> Rates {
        let half = (population as f64 + 1.0) / 2.0;
        let raw: Vec<f64> = (1..=population / 2).map(|place| libm::log(half) - libm::log(place as f64)).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let mass = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let sigma = (mass + 2.0) / (n + mass + 5.0);
        let excess = (((mass - 1.0) / (n + 1.0)).max(0.0).sqrt() - 1.0).max(0.0);
        let one = 2.0 / ((n + 1.3) * (n + 1.3) + mass);
        let mu = (2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) * (n + 2.0) + mass)).min(1.0 - one);
        Rates {
            weights,
            mass,
            sigma,
            damping: 1.0 + 2.0 * excess + sigma,
            path: (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n),
            one,
            mu,
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }

    /// Length of the step-size path above which the covariance path waits.
    fn long(&self, n: f64) -> f64 {
        (1.4 + 2.0 / (n + 1.0)) * self.length
    }
}

/// A normal distribution over the unit box.
pub struct Distribution {
    rates: Rates,
    /// Its centre.
    pub mean: Vec<f64>,
    sigma: f64,
    covariance: DMatrix<f64>,
    /// Main axes of the covariance, one a column, and the deviation along each.
    axes: DMatrix<f64>,
    deviations: Vec<f64>,
    sigma_path: Vec<f64>,
    path: Vec<f64>,
    /// What is left of the start in the step-size path, squared.
    memory: f64,
    /// Least deviation of each parameter.
    least: Vec<f64>,
}

impl Distribution {
    /// A spherical distribution. `steps`: distances of neighbouring values.
    pub fn new(mean: Vec<f64>, sigma: f64, steps: Vec<f64>, population: usize) -> Distribution {
        let n = mean.len();
        let mut distribution = Distribution {
            rates: Rates::new(n.max(1) as f64, population),
            mean,
            sigma,
            covariance: DMatrix::identity(n, n),
            axes: DMatrix::identity(n, n),
            deviations: vec![1.0; n],
            sigma_path: vec![0.0; n],
            path: vec![0.0; n],
            memory: 1.0,
            least: steps.into_iter().map(|step| SPREAD_MIN * step).collect(),
        };
        distribution.limit();
        distribution.decompose();
        distribution
    }

    /// The point of the box that corresponds to independent normal draws.
    pub fn at(&self, z: &[f64]) -> Vec<f64> {
        let n = self.mean.len();
        let along = |i: usize| (0..n).map(|j| self.axes[(i, j)] * self.deviations[j] * z[j]).sum::<f64>();
        (0..n).map(|i| (self.mean[i] + self.sigma * along(i)).clamp(0.0, 1.0)).collect()
    }

    /// Learns from points, the best first.
    pub fn adapt(&mut self, ranked: &[&[f64]]) {
        let n = self.mean.len();
        let steps: Vec<Vec<f64>> = ranked.iter().take(self.rates.weights.len()).map(|x| self.step_to(x)).collect();
        let weighted = |i: usize| self.rates.weights.iter().zip(&steps).map(|(w, y)| w * y[i]).sum::<f64>();
        let step: Vec<f64> = (0..n).map(weighted).collect();
        for (mean, y) in self.mean.iter_mut().zip(&step) {
            *mean += self.sigma * y;
        }
        let is_short = self.follow(&step);
        self.learn(&steps, is_short);
        let excess = length(&self.sigma_path) / self.rates.length - 1.0;
        self.sigma *= libm::exp((self.rates.sigma / self.rates.damping * excess).min(1.0));
        self.limit();
        self.decompose();
    }

    fn step_to(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.mean).map(|(x, mean)| (x - mean) / self.sigma).collect()
    }

    /// Updates both paths. False if the step-size path is so long that the covariance path has to wait.
    fn follow(&mut self, step: &[f64]) -> bool {
        let n = step.len();
        let white = self.whitened(step);
        let Rates { sigma, path, mass, .. } = self.rates;
        let gain = (sigma * (2.0 - sigma) * mass).sqrt();
        for (own, new) in self.sigma_path.iter_mut().zip(&white) {
            *own = (1.0 - sigma) * *own + gain * new;
        }
        self.memory *= (1.0 - sigma) * (1.0 - sigma);
        let is_short = length(&self.sigma_path) / (1.0 - self.memory).sqrt() < self.rates.long(n as f64);
        let gain = if is_short { (path * (2.0 - path) * mass).sqrt() } else { 0.0 };
        for (own, new) in self.path.iter_mut().zip(step) {
            *own = (1.0 - path) * *own + gain * new;
        }
        is_short
    }

    /// A step in units of the distribution: the inverse root of the covariance times the step.
    fn whitened(&self, step: &[f64]) -> Vec<f64> {
        let n = step.len();
        let along = |j: usize| (0..n).map(|i| self.axes[(i, j)] * step[i]).sum::<f64>() / self.deviations[j];
        let scaled: Vec<f64> = (0..n).map(along).collect();
        (0..n).map(|i| (0..n).map(|j| self.axes[(i, j)] * scaled[j]).sum()).collect()
    }

    /// Rank-one and rank-mu update of the covariance.
    fn learn(&mut self, steps: &[Vec<f64>], is_short: bool) {
        let Rates { one, mu, path, .. } = self.rates;
        let lost = if is_short { 0.0 } else { one * path * (2.0 - path) };
        let kept = 1.0 - one - mu + lost;
        for i in 0..self.mean.len() {
            for j in 0..=i {
                let rank_mu: f64 = self.rates.weights.iter().zip(steps).map(|(w, y)| w * y[i] * y[j]).sum();
                let value = kept * self.covariance[(i, j)] + one * self.path[i] * self.path[j] + mu * rank_mu;
                self.covariance[(i, j)] = value;
                self.covariance[(j, i)] = value;
            }
        }
    }

    /// Keeps the spread of each parameter between its least and greatest, and the covariance near one.
    fn limit(&mut self) {
        let n = self.mean.len();
        let widen: Vec<f64> = (0..n)
            .map(|i| {
                let spread = self.sigma * self.covariance[(i, i)].max(VARIANCE_MIN).sqrt();
                (self.least[i] / spread).max(1.0) * (SPREAD_MAX / spread).min(1.0)
            })
            .collect();
        for i in 0..n {
            for j in 0..n {
                self.covariance[(i, j)] *= widen[i] * widen[j];
            }
        }
        let size = (0..n).map(|i| self.covariance[(i, i)]).sum::<f64>() / n.max(1) as f64;
        if size > 0.0 {
            self.covariance.iter_mut().for_each(|value| *value /= size);
            self.path.iter_mut().for_each(|value| *value /= size.sqrt());
            self.sigma *= size.sqrt();
        }
    }

    fn decompose(&mut self) {
        let eigen = SymmetricEigen::new(self.covariance.clone());
        self.deviations = eigen.eigenvalues.iter().map(|value| value.max(VARIANCE_MIN).sqrt()).collect();
        self.axes = eigen.eigenvectors;
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_tutorial() {
        // Computed separately from the formulas of table 1 for n = 10, lambda = 10.
        let rates = Rates::new(10.0, 10);
        for (name, value, expected) in [
            ("w1", rates.weights[0], 0.456_272_647),
            ("w5", rates.weights[4], 0.025_509_592),
            ("mass", rates.mass, 3.167_299_281),
            ("c_sigma", rates.sigma, 0.284_428_588),
            ("d_sigma", rates.damping, 1.284_428_588),
            ("c_c", rates.path, 0.294_990_383),
            ("c_1", rates.one, 0.015_283_825),
            ("c_mu", rates.mu, 0.020_154_283),
            ("length", rates.length, 3.084_726_565),
        ] {
            assert!((value - expected).abs() < 1e-8, "{name}: {value}");
        }
        assert!((rates.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn spreads_stay_between_their_limits() {
        let mut distribution = Distribution::new(vec![0.5; 3], 0.3, vec![1.0, 0.1, 0.001], 8);
        let spread = |d: &Distribution, i: usize| d.sigma * d.covariance[(i, i)].sqrt();
        for _ in 0..200 {
            // All candidates at the centre: the distribution shrinks at the maximum rate.
            let centre = distribution.mean.clone();
            distribution.adapt(&[&centre[..]; 8]);
        }
        for (i, least) in [0.3, 0.03, 0.0003].into_iter().enumerate() {
            assert!(spread(&distribution, i) > least * 0.999, "{i}: {}", spread(&distribution, i));
        }
        assert!(spread(&distribution, 2) < 0.01);
    }

    #[test]
    fn a_preferred_direction_stretches_the_distribution() {
        let mut distribution = Distribution::new(vec![0.5; 2], 0.05, vec![1e-4; 2], 8);
        for generation in 0..20 {
            let end = 0.02 * if generation % 2 == 0 { 1.0 } else { -1.0 };
            let mean = distribution.mean.clone();
            let points: Vec<Vec<f64>> = (0..8).map(|_| vec![mean[0] + end, mean[1]]).collect();
            distribution.adapt(&points.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        assert!(distribution.covariance[(0, 0)] > 2.0 * distribution.covariance[(1, 1)]);
    }
}
