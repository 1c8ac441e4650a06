//! The genetic algorithm of "Optimizing Selective Search in Chess" (2010), over any space.
//!
//! The paper gives: 70 bits in Gray code, 10 organisms, fitness-proportional selection, uniform crossover at 0.75, mutation at 0.05,
//! elitism, 50 generations. Where it is silent, the defaults here are:
//!
//! - the first organisms are random bits, not the start values;
//! - parents are drawn from a roulette wheel with replacement; a second parent equal to the first is drawn again, a few times;
//! - with probability 0.75 each bit of the child comes from either parent with equal chance, else the child copies the first parent;
//! - one child for each mating; the best organism is copied unchanged;
//! - every bit mutates with probability 0.05, which is 3.5 of 70 bits;
//! - of organisms with the same cost the earlier one counts as better.
//!
//! Roulette wheels press weakly when costs differ by a tenth. `scaled`, `rank` and `tournament` press harder.

use super::{Optimiser, Priced, Query, Snapshot};
use crate::tune::space::{Candidate, Code, Space};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How parents are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// In proportion to 1 / cost: the paper.
    #[default]
    Roulette,
    /// In proportion to the lead over the worst, plus a tenth of the best one's lead.
    Scaled,
    /// In proportion to the place from behind.
    Rank,
    /// The better of two drawn at random.
    Tournament,
}

/// What mutates.
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
pub struct Settings {
    /// Organisms.
    pub population: usize,
    /// Generations, the random one included.
    pub generations: usize,
    /// How parents are chosen.
    pub selection: Selection,
    /// Probability that a child has two parents.
    pub crossover: f64,
    /// Probability of a mutation.
    pub mutation: f64,
    /// What mutates.
    pub mutates: Mutation,
    /// Best organisms that live on.
    pub elite: usize,
    /// Is the first organism made of the start values?
    pub from_start: bool,
}

impl Default for Settings {
    /// The paper.
    fn default() -> Settings {
        Settings {
            population: 10,
            generations: 50,
            selection: Selection::Roulette,
            crossover: 0.75,
            mutation: 0.05,
            mutates: Mutation::Bit,
            elite: 1,
            from_start: false,
        }
    }
}

/// Draws after which the second parent may equal the first.
const REDRAWS_MAX: usize = 20;
/// The best one's lead that every organism gets on top in scaled selection.
const SCALED_FLOOR: f64 = 0.1;

type Chromosome = Vec<bool>;

/// A run of the algorithm.
pub struct Genetic {
    settings: Settings,
    code: Code,
    rng: ChaCha8Rng,
    generation: usize,
    organisms: Vec<Chromosome>,
    priced: Vec<Priced>,
}

impl Genetic {
    /// The algorithm before its first generation.
    pub fn new(space: &Space, settings: Settings, seed: u64) -> Genetic {
        let code = Code::new(space);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut organisms: Vec<Chromosome> =
            (0..settings.population.max(1)).map(|_| (0..code.len()).map(|_| rng.random_bool(0.5)).collect()).collect();
        if settings.from_start {
            organisms[0] = code.encode(&space.start());
        }
        Genetic { settings, code, rng, generation: 0, organisms, priced: Vec::new() }
    }

    /// Places of the organisms, the best first; of equals, the one whose cost is known best.
    fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.priced.len()).collect();
        let error = |index: usize| self.priced[index].cost.error;
        order.sort_by(|a, b| {
            self.value(*a).total_cmp(&self.value(*b)).then(error(*a).total_cmp(&error(*b))).then(a.cmp(b))
        });
        order
    }

    fn value(&self, index: usize) -> f64 {
        self.priced[index].cost.value
    }

    /// The next generation, bred from the priced one.
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
                Selection::Roulette => 1.0 / self.value(*index).max(f64::EPSILON),
                Selection::Scaled => (worst - self.value(*index)) + SCALED_FLOOR * (worst - best),
                Selection::Rank => (ranking.len() - place) as f64,
                Selection::Tournament => 1.0,
            };
        }
        weights
    }

    /// Draws a parent.
    fn draw(&mut self, weights: &[f64], ranking: &[usize]) -> usize {
        if self.settings.selection == Selection::Tournament {
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
        let candidates: Vec<Candidate> = self.organisms.iter().map(|organism| self.code.decode(organism)).collect();
        Query::whole(candidates)
    }

    fn tell(&mut self, answer: &[Priced]) {
        self.generation += 1;
        self.priced = answer.to_vec();
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let best = self.priced.get(*self.ranking().first()?)?;
        Some(Snapshot {
            step: self.generation,
            steps: self.settings.generations,
            population: self.priced.clone(),
            best: best.candidate.clone(),
            best_cost: Some(best.cost),
        })
    }
}
