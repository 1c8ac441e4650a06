//! The genetic algorithm of "Optimizing Selective Search in Chess" (2010), over any space.
//!
//! The paper gives: 70 bits in Gray code, 10 organisms, fitness-proportional selection, uniform crossover at 0.75, mutation at 0.05,
//! elitism, 50 generations. Where it gives nothing, the defaults here are:
//!
//! - the first organisms are random bits, not the start values;
//! - parents are drawn from a roulette wheel with replacement; if the second parent is the same organism as the first, it is drawn
//!   again, up to 20 times;
//! - with probability 0.75 each bit of the child comes from either parent with equal chance, else the child copies the first parent;
//! - one child for each mating; the best organism is copied unchanged;
//! - every bit mutates with probability 0.05, which is 3.5 of 70 bits;
//! - of organisms with the same cost the earlier one counts as better.
//!
//! With a roulette wheel, selection pressure is low when costs differ by a tenth. It is higher with `scaled`, `rank` and `tournament`.

use super::{CandidateCost, Optimiser, Query, Snapshot};
use crate::space::{Candidate, Space};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How parents are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParentSelection {
    /// In proportion to 1 / cost: the paper.
    #[default]
    Roulette,
    /// In proportion to the lead over the worst, plus a tenth of the best one's lead.
    Scaled,
    /// In proportion to the reversed rank.
    Rank,
    /// The better of two drawn at random.
    Tournament,
}

/// The unit of mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mutation {
    /// Every bit with the given probability.
    #[default]
    Bit,
    /// One random bit of an organism with the given probability.
    Organism,
}

/// The numbers of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeneticSettings {
    /// Organisms.
    pub population: usize,
    /// Generations, the random one included.
    pub generations: usize,
    /// How parents are chosen.
    pub selection: ParentSelection,
    /// Probability that a child has two parents.
    pub crossover: f64,
    /// Probability of a mutation.
    pub mutation: f64,
    /// The unit of mutation.
    pub mutates: Mutation,
    /// Best organisms that are copied unchanged.
    pub elite: usize,
    /// True if the first organism has the start values.
    pub from_start: bool,
}

impl Default for GeneticSettings {
    /// The paper.
    fn default() -> GeneticSettings {
        GeneticSettings {
            population: 10,
            generations: 50,
            selection: ParentSelection::Roulette,
            crossover: 0.75,
            mutation: 0.05,
            mutates: Mutation::Bit,
            elite: 1,
            from_start: false,
        }
    }
}

/// Draws after which the second parent may be the same organism as the first. Another organism with the same bits is always accepted.
const REDRAWS_MAX: usize = 20;
/// Share of the best organism's lead added to each in scaled selection.
const SCALED_FLOOR: f64 = 0.1;

type Chromosome = Vec<bool>;

/// A run of the algorithm.
pub struct Genetic {
    settings: GeneticSettings,
    space: Space,
    rng: ChaCha8Rng,
    generation: usize,
    organisms: Vec<Chromosome>,
    measured: Vec<CandidateCost>,
}

impl Genetic {
    /// The algorithm before its first generation.
    pub fn new(space: &Space, settings: GeneticSettings, seed: u64) -> Genetic {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut organism = || (0..space.bits()).map(|_| rng.random_bool(0.5)).collect();
        let mut organisms: Vec<Chromosome> = (0..settings.population.max(1)).map(|_| organism()).collect();
        if settings.from_start {
            organisms[0] = space.encode(&space.start());
        }
        Genetic { settings, space: space.clone(), rng, generation: 0, organisms, measured: Vec::new() }
    }

    /// Places of the organisms, the best first; of equals, the one whose cost is known best.
    fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.measured.len()).collect();
        let error = |index: usize| self.measured[index].cost.error;
        order.sort_by(|a, b| {
            self.value(*a).total_cmp(&self.value(*b)).then(error(*a).total_cmp(&error(*b))).then(a.cmp(b))
        });
        order
    }

    fn value(&self, index: usize) -> f64 {
        self.measured[index].cost.value
    }

    /// The next generation, bred from the measured one.
    fn breed(&mut self) {
        let ranking = self.ranking();
        let weights = self.weights(&ranking);
        let elite = self.settings.elite.min(ranking.len());
        let mut next: Vec<Chromosome> = ranking[..elite].iter().map(|index| self.organisms[*index].clone()).collect();
        while next.len() < self.organisms.len() {
            let first = self.draw(&weights, &ranking);
            let second = (0..REDRAWS_MAX).map(|_| self.draw(&weights, &ranking)).find(|index| *index != first);
            let mut child = self.cross(first, second.unwrap_or(first));
            self.mutate(&mut child);
            next.push(child);
        }
        self.organisms = next;
    }

    /// The chance of each organism to be a parent, not normalised.
    fn weights(&self, ranking: &[usize]) -> Vec<f64> {
        let (best, worst) = (self.value(ranking[0]), self.value(ranking[ranking.len() - 1]));
        let mut weights = vec![1.0; ranking.len()];
        for (place, index) in ranking.iter().enumerate() {
            weights[*index] = match self.settings.selection {
                ParentSelection::Roulette => 1.0 / self.value(*index).max(f64::EPSILON),
                ParentSelection::Scaled => (worst - self.value(*index)) + SCALED_FLOOR * (worst - best),
                ParentSelection::Rank => (ranking.len() - place) as f64,
                ParentSelection::Tournament => 1.0,
            };
        }
        weights
    }

    /// Draws a parent.
    fn draw(&mut self, weights: &[f64], ranking: &[usize]) -> usize {
        if self.settings.selection == ParentSelection::Tournament {
            let places = [0, 1].map(|_| self.rng.random_range(0..ranking.len()));
            return ranking[places[0].min(places[1])];
        }
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return self.rng.random_range(0..weights.len());
        }
        let mut rest = self.rng.random::<f64>() * total;
        for (index, weight) in weights.iter().enumerate() {
            rest -= weight;
            if rest < 0.0 {
                return index;
            }
        }
        weights.len() - 1
    }

    fn cross(&mut self, first: usize, second: usize) -> Chromosome {
        if !self.rng.random_bool(self.settings.crossover) {
            return self.organisms[first].clone();
        }
        let parents = self.organisms[first].iter().zip(&self.organisms[second]);
        parents.map(|(one, other)| if self.rng.random_bool(0.5) { *one } else { *other }).collect()
    }

    fn mutate(&mut self, child: &mut Chromosome) {
        match self.settings.mutates {
            Mutation::Bit => {
                for bit in child {
                    *bit ^= self.rng.random_bool(self.settings.mutation);
                }
            }
            Mutation::Organism if self.rng.random_bool(self.settings.mutation) => {
                let place = self.rng.random_range(0..child.len());
                child[place] ^= true;
            }
            Mutation::Organism => {}
        }
    }
}

impl Optimiser for Genetic {
    fn ask(&mut self) -> Query {
        if self.generation >= self.settings.generations {
            return Query::done();
        }
        if self.generation > 0 {
            self.breed();
        }
        let candidates: Vec<Candidate> = self.organisms.iter().map(|organism| self.space.decode(organism)).collect();
        Query::whole(candidates)
    }

    fn tell(&mut self, answer: &[CandidateCost]) {
        self.generation += 1;
        self.measured = answer.to_vec();
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let best = self.measured.get(*self.ranking().first()?)?;
        Some(Snapshot {
            step: self.generation,
            steps: self.settings.generations,
            population: self.measured.clone(),
            best: best.candidate.clone(),
            best_cost: Some(best.cost),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cost;
    use super::super::trial::{self, cost, inside, run};
    use super::*;

    const SEED: u64 = 11;
    const SELECTIONS: [ParentSelection; 4] =
        [ParentSelection::Roulette, ParentSelection::Scaled, ParentSelection::Rank, ParentSelection::Tournament];

    /// Ten and seven bits, so that two random organisms are hardly ever equal.
    fn space() -> Space {
        trial::space(&[(0, 1023, 1), (-64, 63, 1)])
    }

    /// The algorithm after its first generation, whose organisms cost this much, with these errors.
    fn with_costs(settings: GeneticSettings, costs: &[(f64, f64)]) -> Genetic {
        let mut genetic = Genetic::new(&space(), GeneticSettings { population: costs.len(), ..settings }, SEED);
        let candidates = genetic.ask().candidates;
        let with_cost =
            |(candidate, &(value, error))| CandidateCost { candidate, cost: Cost { value, error, solved: None } };
        genetic.tell(&candidates.into_iter().zip(costs).map(with_cost).collect::<Vec<_>>());
        genetic
    }

    fn exact(costs: &[f64]) -> Vec<(f64, f64)> {
        costs.iter().map(|cost| (*cost, 0.0)).collect()
    }

    #[test]
    fn the_numbers_of_the_paper_are_the_default() {
        let function = |c: &[i32]| cost(c, &[300.0, 20.0]);
        let trial = run(&mut Genetic::new(&space(), GeneticSettings::default(), SEED), &function);
        assert_eq!((trial.candidates.len(), trial.snapshots.len()), (10 * 50, 50));
        assert!(inside(&space(), &trial.candidates));
        let GeneticSettings { selection, crossover, mutation, mutates, elite, .. } = GeneticSettings::default();
        assert_eq!((selection, mutates, elite), (ParentSelection::Roulette, Mutation::Bit, 1));
        assert_eq!((crossover, mutation), (0.75, 0.05));
    }

    #[test]
    fn the_seed_alone_decides() {
        let candidates = |seed: u64| {
            run(&mut Genetic::new(&space(), GeneticSettings::default(), seed), &|c| cost(c, &[300.0, 20.0])).candidates
        };
        assert_eq!(candidates(3), candidates(3));
        assert_ne!(candidates(3), candidates(4));
    }

    #[test]
    fn the_first_generation_is_random_except_for_requested_start_values() {
        let first = |from_start: bool| {
            Genetic::new(&space(), GeneticSettings { from_start, ..GeneticSettings::default() }, SEED).ask().candidates
        };
        let (random, started) = (first(false), first(true));
        assert_eq!(started[0], space().start());
        assert_ne!(random[0], space().start());
        assert_eq!(random[1..], started[1..]);
        assert!(random.iter().all(|c| random.iter().filter(|other| *other == c).count() == 1), "{random:?}");
    }

    #[test]
    fn the_best_live_on_unchanged_whatever_else_mutates() {
        for elite in [1, 2, 4] {
            let settings = GeneticSettings { elite, mutation: 0.5, ..GeneticSettings::default() };
            let mut genetic = with_costs(settings, &exact(&[5.0, 3.0, 9.0, 1.0, 3.0, 8.0]));
            let before = genetic.organisms.clone();
            genetic.breed();
            // Of the two that cost 3 the earlier one is the better.
            let expected: Vec<_> = [3, 1, 4, 0][..elite].iter().map(|index| before[*index].clone()).collect();
            assert_eq!(genetic.organisms[..elite], expected[..], "{elite}");
            assert_eq!(genetic.organisms.len(), before.len());
            assert!(genetic.organisms[elite..].iter().all(|child| !before.contains(child)), "all others are new");
        }
    }

    #[test]
    fn the_best_cost_never_rises_and_without_an_elite_it_may() {
        let rises = |elite: usize| {
            let settings = GeneticSettings { elite, generations: 40, ..GeneticSettings::default() };
            let trial = run(&mut Genetic::new(&space(), settings, SEED), &|c| cost(c, &[300.0, 20.0]));
            let best: Vec<f64> = trial.snapshots.iter().map(|s| s.best_cost.expect("it was measured").value).collect();
            best.windows(2).filter(|pair| pair[1] > pair[0]).count()
        };
        assert_eq!(rises(1), 0);
        assert!(rises(0) > 0);
    }

    #[test]
    fn of_equal_costs_the_one_known_best_leads() {
        let genetic =
            with_costs(GeneticSettings::default(), &[(4.0, 0.0), (2.0, 0.5), (2.0, 0.1), (2.0, 0.5), (7.0, 0.0)]);
        assert_eq!(genetic.ranking(), [2, 1, 3, 0, 4]);
        let snapshot = genetic.snapshot().expect("a generation is measured");
        assert_eq!((snapshot.step, snapshot.steps), (1, 50));
        assert_eq!(snapshot.best, genetic.measured[2].candidate);
        assert_eq!(snapshot.best_cost, Some(genetic.measured[2].cost));
    }

    #[test]
    fn parents_are_drawn_by_their_costs() {
        const DRAWS: usize = 20_000;
        const TOLERANCE: f64 = 0.015; // four standard deviations of a half
        for (selection, expected) in [
            (ParentSelection::Roulette, [1.0 / 8.0, 4.0 / 8.0, 1.0 / 8.0, 2.0 / 8.0]),
            (ParentSelection::Scaled, [0.3 / 6.2, 3.3 / 6.2, 0.3 / 6.2, 2.3 / 6.2]),
            (ParentSelection::Rank, [2.0 / 10.0, 4.0 / 10.0, 1.0 / 10.0, 3.0 / 10.0]),
            (ParentSelection::Tournament, [3.0 / 16.0, 7.0 / 16.0, 1.0 / 16.0, 5.0 / 16.0]),
        ] {
            let settings = GeneticSettings { selection, ..GeneticSettings::default() };
            let mut genetic = with_costs(settings, &exact(&[4.0, 1.0, 4.0, 2.0]));
            let ranking = genetic.ranking();
            let weights = genetic.weights(&ranking);
            let mut drawn = [0usize; 4];
            for _ in 0..DRAWS {
                drawn[genetic.draw(&weights, &ranking)] += 1;
            }
            for (count, share) in drawn.iter().zip(expected) {
                let found = *count as f64 / DRAWS as f64;
                assert!((found - share).abs() < TOLERANCE, "{selection:?}: {drawn:?} for {expected:?}");
            }
        }
    }

    #[test]
    fn equal_and_vanishing_costs_leave_every_candidate_a_chance() {
        for costs in [[3.0; 4], [0.0; 4]] {
            for selection in SELECTIONS {
                let mut genetic =
                    with_costs(GeneticSettings { selection, ..GeneticSettings::default() }, &exact(&costs));
                let ranking = genetic.ranking();
                let weights = genetic.weights(&ranking);
                let mut drawn = [0usize; 4];
                (0..400).for_each(|_| drawn[genetic.draw(&weights, &ranking)] += 1);
                assert!(drawn.iter().all(|count| *count > 10), "{selection:?} {costs:?}: {drawn:?}");
            }
        }
    }

    #[test]
    fn a_child_takes_each_bit_from_either_parent_or_all_from_the_first() {
        const BITS: usize = 2000;
        let mut genetic =
            with_costs(GeneticSettings { crossover: 1.0, ..GeneticSettings::default() }, &exact(&[1.0, 1.0]));
        genetic.organisms = vec![vec![false; BITS], vec![true; BITS]];
        let from_second = genetic.cross(0, 1).iter().filter(|bit| **bit).count();
        assert!((900..=1100).contains(&from_second), "{from_second} of {BITS}"); // deviation 22
        assert_eq!(genetic.cross(1, 1), genetic.organisms[1], "what parents share is kept");
        genetic.settings.crossover = 0.0;
        assert_eq!(genetic.cross(0, 1), genetic.organisms[0]);
        genetic.settings.crossover = 0.75;
        let copies = (0..1000).filter(|_| genetic.cross(0, 1) == genetic.organisms[0]).count();
        assert!((200..=300).contains(&copies), "{copies} of 1000 have one parent"); // deviation 14
    }

    #[test]
    fn parents_of_a_child_differ() {
        let settings = GeneticSettings { crossover: 1.0, mutation: 0.0, elite: 0, ..GeneticSettings::default() };
        // The first is drawn nearly always: were it allowed to mate with itself, nearly all children would be its copies.
        let mut genetic = with_costs(settings, &exact(&[1.0, 20.0, 20.0, 20.0, 20.0, 20.0]));
        let first = genetic.organisms[0].clone();
        genetic.breed();
        let copies = genetic.organisms.iter().filter(|child| **child == first).count();
        assert!(copies <= 2, "{copies} children are copies");
    }

    #[test]
    fn the_share_of_mutated_bits_is_the_probability() {
        const BITS: usize = 20_000;
        let mut genetic = with_costs(GeneticSettings::default(), &exact(&[1.0]));
        let mut flipped = |mutates: Mutation, mutation: f64| {
            genetic.settings = GeneticSettings { mutates, mutation, ..GeneticSettings::default() };
            let mut child = vec![false; BITS];
            genetic.mutate(&mut child);
            child.iter().filter(|bit| **bit).count()
        };
        assert_eq!((flipped(Mutation::Bit, 0.0), flipped(Mutation::Bit, 1.0)), (0, BITS));
        let some = flipped(Mutation::Bit, 0.05);
        assert!((850..=1150).contains(&some), "{some} of {BITS}"); // deviation 31
        assert_eq!((flipped(Mutation::Organism, 0.0), flipped(Mutation::Organism, 1.0)), (0, 1));
        let organisms = (0..1000).map(|_| flipped(Mutation::Organism, 0.05)).sum::<usize>();
        assert!((20..=80).contains(&organisms), "{organisms} of 1000"); // deviation 7
    }

    #[test]
    fn every_way_of_selection_comes_near_the_least_cost() {
        let function = |c: &[i32]| cost(c, &[300.0, 20.0]);
        for selection in SELECTIONS {
            let mut better = 0;
            for seed in 0..5 {
                let settings =
                    GeneticSettings { selection, generations: 60, population: 20, ..GeneticSettings::default() };
                let trial = run(&mut Genetic::new(&space(), settings, seed), &function);
                let at = |snapshot: &Snapshot| snapshot.best_cost.expect("it was measured").value;
                // Random search of the same size would be as near as this once in twelve times.
                better += i32::from(at(&trial.last) <= 1.0 + 3.0);
                assert!(at(&trial.last) <= at(&trial.snapshots[0]));
            }
            assert!(better >= 3, "{selection:?}: {better} of 5");
        }
    }

    #[test]
    fn small_populations_live() {
        for (population, elite) in [(0, 1), (1, 0), (1, 1), (2, 9)] {
            let settings = GeneticSettings { population, elite, generations: 5, ..GeneticSettings::default() };
            let trial = run(&mut Genetic::new(&space(), settings, SEED), &|c| cost(c, &[0.0, 0.0]));
            assert_eq!(
                (trial.snapshots.len(), trial.candidates.len()),
                (5, 5 * population.max(1)),
                "{population} {elite}"
            );
        }
    }
}
