//! Random search: every candidate is independent, with uniformly distributed values. The baseline for other methods.

use super::{CandidateCost, Optimiser, Progress, Query, Snapshot};
use crate::space::Space;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSettings {
    /// Steps.
    pub steps: usize,
    /// Candidates of each step.
    pub population: usize,
}

impl Default for RandomSettings {
    /// As many candidates as the genetic algorithm of the paper.
    fn default() -> RandomSettings {
        RandomSettings { steps: 50, population: 10 }
    }
}

/// A random search.
pub struct Random {
    settings: RandomSettings,
    space: Space,
    rng: ChaCha8Rng,
    progress: Progress,
}

impl Random {
    /// The search before its first step.
    pub fn new(space: &Space, settings: RandomSettings, seed: u64) -> Random {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Random { settings, space: space.clone(), rng, progress: Progress::default() }
    }
}

impl Optimiser for Random {
    fn ask(&mut self) -> Query {
        if self.progress.step >= self.settings.steps {
            return Query::done();
        }
        let (rng, dimensions) = (&mut self.rng, &self.space.dimensions);
        let mut draw = || dimensions.iter().map(|d| d.value(rng.random_range(0..d.levels()))).collect();
        Query::whole((0..self.settings.population.max(1)).map(|_| draw()).collect())
    }

    fn tell(&mut self, answer: &[CandidateCost]) {
        self.progress.update(answer);
    }

    fn snapshot(&self) -> Option<Snapshot> {
        self.progress.snapshot(self.settings.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{self, cost, run};
    use super::*;

    #[test]
    fn every_value_is_drawn_about_equally_often() {
        const STEPS: usize = 400;
        const TOLERANCE: usize = 90;
        let space = trial::space(&[(0, 3, 1), (-10, 10, 5)]);
        let mut search = Random::new(&space, RandomSettings { steps: STEPS, population: 10 }, 1);
        let mut seen = [0usize; 4];
        loop {
            let query = search.ask();
            if query.candidates.is_empty() {
                break;
            }
            for candidate in &query.candidates {
                seen[candidate[0] as usize] += 1;
                assert!(candidate[1] % 5 == 0 && (-10..=10).contains(&candidate[1]), "{candidate:?}");
            }
            search.tell(&trial::answer(&query, &|_| 1.0));
        }
        // 4000 draws of one in four: 1000 each, standard deviation 27.
        assert!(seen.iter().all(|count| count.abs_diff(1000) < TOLERANCE), "{seen:?}");
    }

    #[test]
    fn the_best_is_kept_and_the_seed_decides() {
        let space = trial::space(&[(0, 100, 1), (0, 100, 1)]);
        let sphere = |c: &[i32]| cost(c, &[30.0, 70.0]);
        let (first, again, other) = (
            run(&mut Random::new(&space, RandomSettings::default(), 5), &sphere),
            run(&mut Random::new(&space, RandomSettings::default(), 5), &sphere),
            run(&mut Random::new(&space, RandomSettings::default(), 6), &sphere),
        );
        assert_eq!(first.candidates, again.candidates);
        assert_ne!(first.candidates, other.candidates);
        let least = first.candidates.iter().map(|c| sphere(c)).fold(f64::INFINITY, f64::min);
        assert_eq!(sphere(&first.last.best), least);
        assert_eq!(first.last.best_cost.map(|c| c.value), Some(least));
    }
}
