//! Simultaneous perturbation stochastic approximation, Spall (1992), with the gains that are usual for chess engines.
//!
//! Each iteration moves all parameters at once by a random sign times `c_k`, plays the two sides against each other (or measures both
//! on the same positions) and moves the point towards the side that did better, by `a_k / c_k` for each game or search that it is
//! ahead:
//!
//! - `c_k = c_end (K / k)^gamma`,
//! - `a_k = r_end c_end^2 ((A + K) / (A + k))^alpha`,
//!
//! where `k` counts pairs, `K` is how many there will be, `A` a tenth of it, and `c_end` a twentieth of the range unless that is less
//! than half a step. On a suite one position searched by both sides counts like a pair of games, and being ahead is the relative
//! difference of costs.
//!
//! Parameters are whole numbers. Both sides are rounded with the same random number, so that their means are exact and they
//! always differ, even if `c_k` is small or a border is near.

use super::{CandidateCost, CurrentPoint, MeasurementScope, Optimiser, Progress, Query, Snapshot};
use crate::space::{Candidate, Dimension, Space};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Games of a pair.
const GAMES: f64 = 2.0;
/// Perturbations in steps are at least this.
const PERTURBATION_MIN: f64 = 0.5;

/// The numbers of the method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaSettings {
    /// Iterations.
    pub iterations: usize,
    /// Pairs of games, or positions, of one iteration.
    pub pairs: usize,
    /// The last perturbation as a share of the range.
    pub c_end: f64,
    /// The last learning rate.
    pub r_end: f64,
    /// Exponent of the decay of the steps.
    pub alpha: f64,
    /// Exponent of the decay of the perturbations.
    pub gamma: f64,
    /// Pairs by which the first steps are held back, as a share of all.
    pub a_share: f64,
    /// How many times, evenly spread, the point is measured by the whole objective.
    pub checks: usize,
}

impl Default for SpsaSettings {
    /// As on the public testing servers.
    fn default() -> SpsaSettings {
        SpsaSettings {
            iterations: 2000,
            pairs: 8,
            c_end: 0.05,
            r_end: 0.002,
            alpha: 0.602,
            gamma: 0.101,
            a_share: 0.1,
            checks: 20,
        }
    }
}

/// A run of the method.
pub struct Spsa {
    settings: SpsaSettings,
    space: Space,
    rng: ChaCha8Rng,
    point: Vec<f64>,
    signs: Vec<f64>,
    iteration: usize,
    /// True if the next query is the cost of the point; else it is a couple.
    is_check_next: bool,
    last_couple: Vec<CandidateCost>,
    checked: Option<Snapshot>,
    checks: Progress,
    noisy: bool,
}

impl Spsa {
    /// The method at the start values. `noisy`: the point is the answer, not the cheapest of the checks.
    pub fn new(space: &Space, settings: SpsaSettings, seed: u64, noisy: bool) -> Spsa {
        Spsa {
            settings,
            space: space.clone(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            point: space.start().into_iter().map(f64::from).collect(),
            signs: vec![0.0; space.dimensions.len()],
            iteration: 0,
            is_check_next: false,
            last_couple: Vec::new(),
            checked: None,
            checks: Progress::default(),
            noisy,
        }
    }

    /// Pairs played before this iteration, plus one.
    fn k(&self) -> f64 {
        (self.iteration * self.settings.pairs.max(1) + 1) as f64
    }

    /// The perturbation of a parameter now.
    fn perturbation(&self, dimension: &Dimension) -> f64 {
        c_end(&self.settings, dimension) * libm::pow(total(&self.settings) / self.k(), self.settings.gamma)
    }

    /// The step of a parameter for each game ahead, now.
    fn rate(&self, dimension: &Dimension) -> f64 {
        let (all, c_end) = (total(&self.settings), c_end(&self.settings, dimension));
        let held = self.settings.a_share * all;
        let a = self.settings.r_end * c_end * c_end;
        a * libm::pow((held + all) / (held + self.k()), self.settings.alpha) / self.perturbation(dimension)
    }

    /// The two sides of a new perturbation.
    fn couple(&mut self) -> Vec<Candidate> {
        let (mut plus, mut minus) = (Candidate::new(), Candidate::new());
        for index in 0..self.space.dimensions.len() {
            self.signs[index] = if self.rng.random_bool(0.5) { 1.0 } else { -1.0 };
            let draw: f64 = self.rng.random();
            let dimension = &self.space.dimensions[index];
            let (low, high) = sides(dimension, self.point[index], self.perturbation(dimension), draw);
            let up = self.signs[index] > 0.0;
            plus.push(if up { high } else { low });
            minus.push(if up { low } else { high });
        }
        vec![plus, minus]
    }

    /// Moves the point by the result of a couple.
    fn step(&mut self, answer: &[CandidateCost]) {
        let [plus, minus] = answer else { return };
        let (plus, minus) = (plus.cost.value, minus.cost.value);
        let share = if plus + minus > 0.0 { (minus - plus) / (plus + minus) } else { 0.0 };
        let ahead = share * GAMES * self.settings.pairs.max(1) as f64;
        for index in 0..self.space.dimensions.len() {
            let dimension = &self.space.dimensions[index];
            let moved = self.point[index] + self.rate(dimension) * self.signs[index] * ahead;
            self.point[index] = moved.clamp(f64::from(dimension.min), f64::from(dimension.max));
        }
        self.iteration += 1;
    }

    /// Returns true if the point is measured after this iteration.
    fn is_check(&self) -> bool {
        let SpsaSettings { iterations, checks, .. } = self.settings;
        let done = |iteration: usize| iteration * checks.clamp(1, iterations.max(1)) / iterations.max(1);
        done(self.iteration) > done(self.iteration - 1)
    }

    /// The state at the point. If costs are noisy, the point is the best candidate; else the cheapest point is.
    fn checked(&self, point: &CandidateCost) -> Snapshot {
        let SpsaSettings { iterations, checks, .. } = self.settings;
        let checks = checks.clamp(1, iterations.max(1));
        // If a run ends between two checks, its last cost replaces the next check.
        let early = usize::from(!self.is_check());
        let best = if self.noisy { point } else { self.checks.best.as_ref().unwrap_or(point) };
        let mut population = self.last_couple.clone();
        population.push(point.clone());
        Snapshot {
            step: self.iteration * checks / iterations.max(1) + early,
            steps: checks,
            population,
            best: best.candidate.clone(),
            best_cost: Some(best.cost),
        }
    }
}

/// All pairs of a run.
fn total(settings: &SpsaSettings) -> f64 {
    (settings.iterations * settings.pairs.max(1)).max(1) as f64
}

/// The last perturbation of a parameter.
fn c_end(settings: &SpsaSettings, dimension: &Dimension) -> f64 {
    (settings.c_end * dimension.width()).max(PERTURBATION_MIN * f64::from(dimension.step))
}

/// The allowed values below and above a point, rounded up or down with the same draw from 0 to 1.
fn sides(dimension: &Dimension, point: f64, distance: f64, draw: f64) -> (i32, i32) {
    let last = f64::from(dimension.levels() - 1);
    let level = |value: f64| {
        let exact = (value - f64::from(dimension.min)) / f64::from(dimension.step);
        (exact + draw).floor().clamp(0.0, last) as u32
    };
    let (low, high) = (level(point - distance), level(point + distance));
    let (low, high) = match (low == high, high < last as u32) {
        (false, _) => (low, high),
        (true, true) => (low, high + 1),
        (true, false) => (low.saturating_sub(1), high),
    };
    (dimension.value(low), dimension.value(high))
}

impl Optimiser for Spsa {
    fn ask(&mut self) -> Query {
        if self.is_check_next {
            Query::whole(vec![self.space.nearest(&self.point)])
        } else if self.iteration >= self.settings.iterations {
            Query::done()
        } else {
            Query { candidates: self.couple(), scope: MeasurementScope::Couples(self.settings.pairs.max(1)) }
        }
    }

    fn tell(&mut self, answer: &[CandidateCost]) {
        if self.is_check_next {
            self.checks.update(answer);
            self.checked = answer.first().map(|point| self.checked(point));
            self.is_check_next = false;
        } else {
            self.step(answer);
            self.last_couple = answer.to_vec();
            self.checked = None;
            self.is_check_next = self.is_check();
        }
    }

    fn snapshot(&self) -> Option<Snapshot> {
        self.checked.clone()
    }

    fn last(&mut self) -> Option<Query> {
        if self.iteration == 0 || self.checked.is_some() {
            return None;
        }
        self.is_check_next = true;
        Some(self.ask())
    }

    fn point(&self) -> Option<CurrentPoint> {
        Some(CurrentPoint { iteration: self.iteration, values: self.point.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cost;
    use super::super::trial::{answer, cost, inside, run, space};
    use super::*;

    #[test]
    fn gains_are_those_of_the_formulas() {
        // Computed separately from c = c_end K^gamma, a = r_end c_end^2 (A + K)^alpha with K = 1000, c_end = 2, r_end = 0.002.
        let one = space(&[(0, 40, 1)]);
        let mut spsa =
            Spsa::new(&one, SpsaSettings { iterations: 1000, pairs: 1, ..SpsaSettings::default() }, 1, false);
        for (iteration, c, rate) in
            [(0, 4.018_185_625, 0.008_382_564_8), (499, 2.145_033_234, 0.005_371_892_4), (999, 2.0, 0.004)]
        {
            spsa.iteration = iteration;
            let dimension = &one.dimensions[0];
            assert!((spsa.perturbation(dimension) - c).abs() < 1e-8, "{iteration}");
            assert!((spsa.rate(dimension) - rate).abs() < 1e-9, "{iteration}");
        }
        assert_eq!(c_end(&spsa.settings, &space(&[(0, 4, 1)]).dimensions[0]), 0.5);
    }

    #[test]
    fn one_step_moves_by_rate_times_sign_times_lead() {
        let mut one = space(&[(0, 40, 1)]);
        one.dimensions[0].start = 20;
        let mut spsa =
            Spsa::new(&one, SpsaSettings { iterations: 1000, pairs: 4, ..SpsaSettings::default() }, 3, false);
        let query = spsa.ask();
        assert_eq!(query.scope, MeasurementScope::Couples(4));
        // The plus side wins 5 of 8 games and loses 3: two games ahead.
        let with_cost = |index: usize, value| CandidateCost {
            candidate: query.candidates[index].clone(),
            cost: Cost { value, ..Cost::default() },
        };
        let (rate, sign) = (spsa.rate(&one.dimensions[0]), spsa.signs[0]);
        spsa.tell(&[with_cost(0, 0.375), with_cost(1, 0.625)]);
        assert!((spsa.point[0] - (20.0 + rate * sign * 2.0)).abs() < 1e-12);
        assert!(sign * f64::from(query.candidates[0][0] - query.candidates[1][0]) > 0.0);
    }

    #[test]
    fn sides_differ_everywhere_and_are_right_on_average() {
        const DRAWS: u32 = 1000;
        for (min, max, step) in [(0, 1, 1), (0, 4, 1), (0, 1023, 1), (1024, 8192, 128)] {
            let one = space(&[(min, max, step)]);
            let dimension = &one.dimensions[0];
            let distance = c_end(&SpsaSettings::default(), dimension);
            for share in 0..=10 {
                let point = f64::from(min) + dimension.width() * f64::from(share) / 10.0;
                let drawn = (0..DRAWS).map(|i| sides(dimension, point, distance, f64::from(i) / f64::from(DRAWS)));
                let mut sum = 0.0;
                for (low, high) in drawn {
                    assert!(min <= low && low < high && high <= max, "{low} {high}");
                    sum += f64::from(high);
                }
                let expected = point + distance;
                if expected <= f64::from(max) && point - distance >= f64::from(min) {
                    assert!((sum / f64::from(DRAWS) - expected).abs() < 0.01 * f64::from(step), "{point} of {max}");
                }
            }
        }
    }

    #[test]
    fn a_bowl_is_descended_and_the_seed_decides() {
        let mut bowl = space(&[(0, 200, 1), (0, 200, 1), (0, 20, 1)]);
        for dimension in &mut bowl.dimensions {
            dimension.start = dimension.max / 2;
        }
        let target = [60.0, 130.0, 14.0];
        let scaled = |c: &[i32]| cost(&[c[0], c[1], 10 * c[2]], &[target[0], target[1], 10.0 * target[2]]) + 2000.0;
        let settings = SpsaSettings { iterations: 2000, pairs: 16, ..SpsaSettings::default() };
        let trial = run(&mut Spsa::new(&bowl, settings, 7, false), &scaled);
        assert!(scaled(&trial.last.best) < 2100.0, "{:?}", trial.last.best);
        assert!(scaled(&bowl.start()) > 5000.0 && inside(&bowl, &trial.candidates));
        assert_eq!((trial.snapshots.len(), trial.last.step, trial.last.steps), (20, 20, 20));
        let again = run(&mut Spsa::new(&bowl, settings, 7, false), &scaled);
        assert_eq!(trial.candidates, again.candidates);
        assert_ne!(trial.candidates, run(&mut Spsa::new(&bowl, settings, 8, false), &scaled).candidates);
    }

    /// The result of a run with a budget since its last check was lost, or the whole result.
    #[test]
    fn a_run_that_ends_between_two_checks_measures_its_point_last() {
        let mut one = space(&[(0, 1000, 1)]);
        one.dimensions[0].start = 500;
        // The tenth iteration is the first with a check, which is the eleventh question.
        let settings = SpsaSettings { iterations: 40, pairs: 4, checks: 4, r_end: 0.5, ..SpsaSettings::default() };
        for (questions, step) in [(0, None), (7, Some(1)), (10, Some(1)), (11, None), (14, Some(2))] {
            let mut spsa = Spsa::new(&one, settings, 5, true);
            let answer =
                |spsa: &mut Spsa, query: &Query| spsa.tell(&answer(query, &|c| 0.5 - f64::from(c[0]) / 10_000.0));
            for _ in 0..questions {
                let query = spsa.ask();
                answer(&mut spsa, &query);
            }
            let last = spsa.last();
            let expected = step.map(|_| Query::whole(vec![one.nearest(&spsa.point)]));
            assert_eq!(last, expected, "{questions}");
            let (Some(query), Some(step)) = (last, step) else { continue };
            answer(&mut spsa, &query);
            let found = spsa.snapshot().expect("a cost");
            assert_eq!((found.step, found.steps, &found.best), (step, 4, &query.candidates[0]), "{questions}");
            assert_eq!(spsa.last(), None, "{questions}");
        }
    }

    /// The lowest of 20 checks of 50 pairs of games was the answer: the luckiest one.
    #[test]
    fn noisy_costs_give_the_last_point_and_not_the_luckiest_check() {
        let mut one = space(&[(0, 1000, 1)]);
        one.dimensions[0].start = 500;
        let settings = SpsaSettings { iterations: 40, pairs: 4, checks: 4, r_end: 0.5, ..SpsaSettings::default() };
        let ended = |noisy| {
            let mut spsa = Spsa::new(&one, settings, 5, noisy);
            let mut checked = Vec::new();
            loop {
                let query = spsa.ask();
                if query.candidates.is_empty() {
                    return (one.nearest(&spsa.point), checked, spsa.snapshot().expect("the last check"));
                }
                if query.scope == MeasurementScope::Whole {
                    checked.extend(query.candidates.iter().cloned());
                }
                // Larger values are better, and the first check is the luckiest.
                let luck = 0.1 * checked.len() as f64;
                spsa.tell(&answer(&query, &|candidate| luck + 0.5 - f64::from(candidate[0]) / 10_000.0));
            }
        };
        let (point, checked, noisy) = ended(true);
        assert_eq!(checked.len(), 4);
        assert!(point[0] > checked[0][0] && checked[0][0] >= 500, "{checked:?}");
        assert_eq!((&noisy.best, noisy.best_cost), (&point, noisy.population.last().map(|last| last.cost)));
        let (same, _, exact) = ended(false);
        assert_eq!((&same, &exact.best), (&point, &checked[0]));
    }
}
