//! Which units belong to a sample, and with which probability.

use quarterply_games::openings::stream;
use rand::RngExt;

/// Results of a unit that the typical spread counts for.
const PRIOR_WEIGHT: f64 = 1.0;
/// Least standard deviation of a unit, as a share of the typical one.
const SPREAD_MIN: f64 = 0.1;
/// Halvings that find the scale of the probabilities.
const HALVINGS: u32 = 60;

/// Statistics of a unit: the variance of its results over candidates, and their cost in nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnitStatistics {
    count: f64,
    mean: f64,
    squares: f64,
    nodes: f64,
}

impl UnitStatistics {
    /// Takes note of a result.
    pub fn add(&mut self, value: f64, nodes: u64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
        self.nodes += nodes as f64;
    }

    /// Results beyond the first.
    fn degrees(&self) -> f64 {
        (self.count - 1.0).max(0.0)
    }
}

/// Statistics of all units together.
struct PooledStatistics {
    variance: f64,
    nodes: f64,
}

impl PooledStatistics {
    /// `None` before there is any difference between candidates.
    fn of(statistics: &[UnitStatistics]) -> Option<PooledStatistics> {
        let sum = |of: &dyn Fn(&UnitStatistics) -> f64| statistics.iter().map(of).sum::<f64>();
        let (degrees, squares) = (sum(&UnitStatistics::degrees), sum(&|s| s.squares));
        let nodes = (sum(&|s| s.nodes) / sum(&|s| s.count)).max(1.0);
        (degrees > 0.0 && squares > 0.0).then(|| PooledStatistics { variance: squares / degrees, nodes })
    }

    /// The variance of a unit's results over candidates; the less is known of it, the more typical it is taken to be.
    fn variance(&self, unit: &UnitStatistics) -> f64 {
        let shrunk = (unit.squares + PRIOR_WEIGHT * self.variance) / (unit.degrees() + PRIOR_WEIGHT);
        shrunk.max(SPREAD_MIN * SPREAD_MIN * self.variance)
    }

    /// The nodes that a unit takes, likewise.
    fn cost(&self, unit: &UnitStatistics) -> f64 {
        ((unit.nodes + PRIOR_WEIGHT * self.nodes) / (unit.count + PRIOR_WEIGHT)).max(1.0)
    }
}

/// The units of one race: in which proportion they are drawn, and their random numbers.
pub struct UnitSampler {
    /// The probability of each unit, not to scale.
    pub weights: Vec<f64>,
    /// The variance of each unit's results over candidates, if anything is known of it.
    pub variances: Option<Vec<f64>>,
    numbers: Vec<f64>,
}

impl UnitSampler {
    /// The draw of race `number`, given what is known of the units.
    pub fn new(statistics: &[UnitStatistics], seed: u64, number: u64) -> UnitSampler {
        let mut rng = stream(seed, number + 1);
        let numbers = statistics.iter().map(|_| rng.random::<f64>()).collect();
        let Some(typical) = PooledStatistics::of(statistics) else {
            return UnitSampler { weights: vec![1.0; statistics.len()], variances: None, numbers };
        };
        let variances: Vec<f64> = statistics.iter().map(|unit| typical.variance(unit)).collect();
        let weight = |(variance, unit): (&f64, &UnitStatistics)| (variance / typical.cost(unit)).sqrt();
        UnitSampler {
            weights: variances.iter().zip(statistics).map(weight).collect(),
            variances: Some(variances),
            numbers,
        }
    }

    /// The probability of each unit if `expected_units` units are drawn on average.
    pub fn probabilities(&self, expected_units: f64) -> Vec<f64> {
        if expected_units >= self.weights.len() as f64 {
            return vec![1.0; self.weights.len()];
        }
        let at = |scale: f64| self.weights.iter().map(move |weight| (scale * weight).min(1.0));
        let least = self.weights.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (0.0, 1.0 / least.max(f64::MIN_POSITIVE));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if at(middle).sum::<f64>() < expected_units { low = middle } else { high = middle }
        }
        at(high).collect()
    }

    /// The units that belong to the sample with these probabilities.
    pub fn sample(&self, probabilities: &[f64]) -> Vec<usize> {
        let drawn = |index: &usize| self.numbers[*index] < probabilities[*index];
        (0..probabilities.len()).filter(drawn).collect()
    }
}
