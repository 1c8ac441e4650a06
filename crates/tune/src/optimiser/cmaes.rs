//! Covariance matrix adaptation: the (mu/mu_w, lambda)-CMA-ES of Hansen (`hansen2016`), with
//! step-size control, rank-one and rank-mu update.
//!
//! It works on the unit box: every range from 0 to 1. Draws outside are moved to the border. Parameters are whole numbers: the
//! nearest allowed value is measured, and the spread of no parameter may fall so low that its neighbours are never tried.
//!
//! Logarithms and the like come from `libm`, and products are summed in a fixed order, so that runs are equal on every machine.

mod adapt;

use super::{CandidateCost, MeasurementScope, Optimiser, Progress, Query, Snapshot};
use crate::space::Space;
use adapt::Distribution;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Base number of candidates of a generation; each doubling of the parameters adds about two.
const POPULATION_BASE: f64 = 4.0;
/// Candidates added for each unit of the logarithm of the number of parameters.
const POPULATION_SLOPE: f64 = 3.0;
/// The centre of a range.
const CENTRE: f64 = 0.5;

/// The numbers of the method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CmaesSettings {
    /// Generations.
    pub generations: usize,
    /// Candidates of each; 0: 4 + 3 ln n for n parameters.
    pub population: usize,
    /// The first standard deviation, as a share of each range.
    pub sigma: f64,
    /// Positions or pairs of games that measure a generation, a new sample for each; 0: the whole objective.
    pub sample: usize,
    /// True: begin at the start values; false: at the centres of the ranges.
    pub from_start: bool,
}

impl Default for CmaesSettings {
    fn default() -> CmaesSettings {
        CmaesSettings { generations: 50, population: 0, sigma: 0.3, sample: 0, from_start: true }
    }
}

/// A run of the method.
pub struct Cmaes {
    settings: CmaesSettings,
    space: Space,
    rng: ChaCha8Rng,
    population: usize,
    distribution: Distribution,
    drawn: Vec<Vec<f64>>,
    progress: Progress,
    noisy: bool,
}

impl Cmaes {
    /// The method before its first generation. `noisy`: the centre is the answer, not the cheapest candidate.
    pub fn new(space: &Space, settings: CmaesSettings, seed: u64, noisy: bool) -> Cmaes {
        let n = space.dimensions.len();
        let by_size = POPULATION_BASE + POPULATION_SLOPE * libm::log(n.max(1) as f64);
        let requested = if settings.population == 0 { by_size as usize } else { settings.population };
        let population = requested.max(2);
        let mean = if settings.from_start { space.shares(&space.start()) } else { vec![CENTRE; n] };
        let steps = space.dimensions.iter().map(|d| f64::from(d.step) / d.width().max(1.0)).collect();
        Cmaes {
            settings,
            space: space.clone(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            population,
            distribution: Distribution::new(mean, settings.sigma, steps, population),
            drawn: Vec::new(),
            progress: Progress::default(),
            noisy: noisy || settings.sample > 0,
        }
    }

    /// The centre of the distribution, which is the answer where costs are noisy.
    fn centre(&self) -> Vec<i32> {
        self.space.nearest(&self.space.point(&self.distribution.mean))
    }
}

/// A normally distributed number, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * libm::log(1.0 - radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
}

impl Optimiser for Cmaes {
    fn ask(&mut self) -> Query {
        if self.progress.step >= self.settings.generations {
            return Query::done();
        }
        self.drawn.clear();
        for _ in 0..self.population {
            let z: Vec<f64> = (0..self.space.dimensions.len()).map(|_| normal(&mut self.rng)).collect();
            self.drawn.push(self.distribution.at(&z));
        }
        let candidates = self.drawn.iter().map(|shares| self.space.nearest(&self.space.point(shares))).collect();
        let scope = if self.settings.sample == 0 {
            MeasurementScope::Whole
        } else {
            MeasurementScope::Sample(self.settings.sample)
        };
        Query { candidates, scope }
    }

    fn tell(&mut self, answer: &[CandidateCost]) {
        self.progress.update(answer);
        let mut order: Vec<usize> = (0..answer.len().min(self.drawn.len())).collect();
        order.sort_by(|a, b| answer[*a].cost.value.total_cmp(&answer[*b].cost.value).then(a.cmp(b)));
        let ranked: Vec<&[f64]> = order.iter().map(|index| self.drawn[*index].as_slice()).collect();
        self.distribution.adapt(&ranked);
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let exact = self.progress.snapshot(self.settings.generations)?;
        Some(if self.noisy { Snapshot { best: self.centre(), best_cost: None, ..exact } } else { exact })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{OptimiserTrial, cost, inside, run, space};
    use super::*;
    use std::cell::Cell;

    fn solve(space: &Space, settings: CmaesSettings, seed: u64, function: &dyn Fn(&[i32]) -> f64) -> OptimiserTrial {
        let trial = run(&mut Cmaes::new(space, settings, seed, false), function);
        assert!(inside(space, &trial.candidates));
        trial
    }

    #[test]
    fn a_sphere_is_solved_to_the_last_digit() {
        let sphere = space(&[(0, 1000, 1); 5]);
        let target = [700.0, 200.0, 500.0, 20.0, 980.0];
        let settings = CmaesSettings { generations: 80, population: 10, from_start: false, ..CmaesSettings::default() };
        for seed in 0..3 {
            let trial = solve(&sphere, settings, seed, &|c| cost(c, &target));
            assert!(cost(&trial.last.best, &target) < 4.0, "{:?}", trial.last.best);
        }
    }

    #[test]
    fn the_bent_valley_of_rosenbrock_is_followed() {
        // -2 to 2 in thousandths; the least value, 0, is at (1, 1, 1).
        let valley = space(&[(-2000, 2000, 1); 3]);
        let rosenbrock = |c: &[i32]| {
            let x: Vec<f64> = c.iter().map(|v| f64::from(*v) / 1000.0).collect();
            x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum::<f64>()
        };
        let settings = CmaesSettings { generations: 300, population: 10, from_start: true, ..CmaesSettings::default() };
        let trial = solve(&valley, settings, 4, &rosenbrock);
        assert!(rosenbrock(&trial.last.best) < 1e-3, "{:?}", trial.last.best);
    }

    #[test]
    fn coarse_numbers_with_many_dips_are_solved() {
        // A bowl with a ripple of period 3 over 0 to 20; the least value is at 9 everywhere. Few values: spreads reach their floor.
        let ripple = space(&[(0, 20, 1); 6]);
        let function = |c: &[i32]| {
            let one = |v: &i32| f64::from((v - 9).pow(2)) + if (v - 9) % 3 == 0 { 0.0 } else { 6.0 };
            c.iter().map(one).sum::<f64>()
        };
        let settings = CmaesSettings { generations: 120, population: 20, from_start: true, ..CmaesSettings::default() };
        for seed in 0..3 {
            let trial = solve(&ripple, settings, seed, &function);
            assert!(function(&trial.last.best) <= 9.0, "{:?}", trial.last.best);
        }
    }

    #[test]
    fn optima_in_corners_and_switches_are_found() {
        let corner = space(&[(0, 1, 1), (0, 7, 1), (0, 1023, 1), (0, 1, 1)]);
        let goal = [1.0, 0.0, 1023.0, 0.0];
        let trial =
            solve(&corner, CmaesSettings { population: 10, ..CmaesSettings::default() }, 2, &|c| cost(c, &goal));
        assert!(cost(&trial.last.best, &goal) < 60.0, "{:?}", trial.last.best);
        assert_eq!((trial.last.best[0], trial.last.best[3]), (1, 0));
    }

    #[test]
    fn the_seed_decides_and_samples_recommend_the_centre() {
        let sphere = space(&[(0, 100, 1), (0, 100, 1), (0, 100, 1)]);
        let function = |c: &[i32]| cost(c, &[40.0, 50.0, 60.0]);
        let candidates = |seed| solve(&sphere, CmaesSettings::default(), seed, &function).candidates;
        assert_eq!(candidates(1), candidates(1));
        assert_ne!(candidates(1), candidates(2));
        let mut sampled = Cmaes::new(&sphere, CmaesSettings { sample: 30, ..CmaesSettings::default() }, 1, false);
        assert_eq!(sampled.ask().scope, MeasurementScope::Sample(30));
        let trial = run(
            &mut Cmaes::new(&sphere, CmaesSettings { sample: 30, ..CmaesSettings::default() }, 1, false),
            &function,
        );
        assert_eq!(trial.last.best_cost, None);
        assert!(function(&trial.last.best) < 20.0, "{:?}", trial.last.best);
    }

    /// On games, the answer was the candidate with the luckiest games.
    #[test]
    fn noisy_costs_give_the_centre_and_not_the_luckiest_candidate() {
        let sphere = space(&[(0, 100, 1); 3]);
        let ended = |noisy| {
            let lucky = Cell::new(true);
            let function = |c: &[i32]| if lucky.replace(false) { 0.0 } else { cost(c, &[40.0, 50.0, 60.0]) };
            run(&mut Cmaes::new(&sphere, CmaesSettings::default(), 1, noisy), &function)
        };
        let exact = ended(false);
        assert_eq!((&exact.last.best, exact.last.best_cost.map(|cost| cost.value)), (&exact.candidates[0], Some(0.0)));
        let noisy = ended(true);
        assert_eq!((&noisy.candidates, noisy.last.best_cost), (&exact.candidates, None));
        assert!(cost(&noisy.last.best, &[40.0, 50.0, 60.0]) < 50.0, "{:?}", noisy.last.best);
    }

    #[test]
    fn normal_draws_have_mean_zero_and_deviation_one() {
        const DRAWS: usize = 20_000;
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let draws: Vec<f64> = (0..DRAWS).map(|_| normal(&mut rng)).collect();
        let (mean, square) =
            (draws.iter().sum::<f64>() / DRAWS as f64, draws.iter().map(|z| z * z).sum::<f64>() / DRAWS as f64);
        // Standard errors: 0.007 and 0.01.
        assert!(mean.abs() < 0.03 && (square - 1.0).abs() < 0.04, "{mean} {square}");
    }
}
