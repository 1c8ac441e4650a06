//! Optimisers: they propose candidates and receive their costs.
//!
//! An optimiser is deterministic: its queries depend only on its settings, its seed and the costs it received. It has a separate
//! random number generator and never reads a clock. Therefore, runs can be resumed by replay, and are equal for any number of
//! workers.

pub mod cmaes;
pub mod genetic;
pub mod gradient;
pub mod random;
pub mod spsa;
#[cfg(test)]
mod trial;

use super::objective::Objective;
use super::space::{Candidate, Space};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// The cost of a candidate: less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The figure to minimise, in the unit of the objective: total nodes of a suite; else a share from 0 (best) to 1 (worst).
    pub value: f64,
    /// Standard error of the value; 0 if it is exact.
    pub error: f64,
    /// Positions solved, where the objective has a suite; an estimate if the candidate was measured on a part of it.
    pub solved: Option<f64>,
}

/// A candidate and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateCost {
    /// The candidate.
    pub candidate: Candidate,
    /// Its cost.
    pub cost: Cost,
}

/// How the candidates of a query are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasurementScope {
    /// By the whole objective. A race may use a part of it for a candidate that is clearly worse than others of the query.
    Whole,
    /// Candidates 0 and 1, 2 and 3, and so on, form couples, and only the difference of their costs counts. A couple plays this
    /// number of pairs of games, or is measured on this number of positions, a new sample for each query.
    Couples(usize),
    /// All candidates on the same random sample of this number of positions or pairs of games, a new one for each query.
    Sample(usize),
}

/// A query of an optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The candidates to measure; none: the optimiser is done. The same candidate may be requested again, which costs nothing.
    pub candidates: Vec<Candidate>,
    /// How exactly.
    pub scope: MeasurementScope,
}

impl Query {
    /// Candidates to measure by the whole objective.
    pub fn whole(candidates: Vec<Candidate>) -> Query {
        Query { candidates, scope: MeasurementScope::Whole }
    }

    /// The end of the queries.
    pub fn done() -> Query {
        Query::whole(Vec::new())
    }
}

/// The state of an optimiser after it received costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Generations or iterations finished, from 1.
    pub step: usize,
    /// How many there will be.
    pub steps: usize,
    /// The candidates of this step with their costs: the population, or the point and its trials.
    pub population: Vec<CandidateCost>,
    /// The result if the run ended now. It need not be one of the population.
    pub best: Candidate,
    /// The cost of the best candidate, if it was measured.
    pub best_cost: Option<Cost>,
}

/// The state of a method between two snapshots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurrentPoint {
    /// Iterations finished.
    pub iteration: usize,
    /// The values now, which need not be whole numbers.
    pub values: Vec<f64>,
}

/// A method of finding candidates of little cost.
pub trait Optimiser {
    /// The next query. Each query is answered by one call of [`Optimiser::tell`] before the next call.
    fn ask(&mut self) -> Query;

    /// Receives the answer: the candidates of the last query in its order, with their costs.
    fn tell(&mut self, answer: &[CandidateCost]);

    /// The state after [`Optimiser::tell`]. `None` while a step needs more queries.
    fn snapshot(&self) -> Option<Snapshot>;

    /// The last query of a run that must end now, if costs were received since the last snapshot. It is answered like the others.
    fn last(&mut self) -> Option<Query> {
        None
    }

    /// The state of a method with iterations between two snapshots; `None` for the others.
    fn point(&self) -> Option<CurrentPoint> {
        None
    }
}

/// What an optimiser received.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// Answers so far.
    step: usize,
    /// The last of them.
    measured: Vec<CandidateCost>,
    /// The cheapest candidate of all; of equals, the first.
    best: Option<CandidateCost>,
}

impl Progress {
    /// Receives an answer.
    fn update(&mut self, answer: &[CandidateCost]) {
        self.step += 1;
        self.measured = answer.to_vec();
        let all = self.best.iter().chain(answer);
        self.best = all.min_by(|a, b| a.cost.value.total_cmp(&b.cost.value)).cloned();
    }

    /// The state of an optimiser whose result is the cheapest candidate.
    fn snapshot(&self, steps: usize) -> Option<Snapshot> {
        let CandidateCost { candidate, cost } = self.best.clone()?;
        let population = self.measured.clone();
        Some(Snapshot { step: self.step, steps, population, best: candidate, best_cost: Some(cost) })
    }
}

/// A method with its settings, as recorded in a run's `run.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase")]
pub enum Method {
    /// A genetic algorithm.
    Genetic(genetic::GeneticSettings),
    /// Descent along the measured gradient.
    Gradient(gradient::GradientSettings),
    /// Simultaneous perturbation.
    Spsa(spsa::SpsaSettings),
    /// Covariance matrix adaptation.
    Cmaes(cmaes::CmaesSettings),
    /// Random search.
    Random(random::RandomSettings),
}

/// A number of a plan: its name there, its value and its valid range.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanNumber {
    /// The name in `run.toml`.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// The valid values.
    pub range: RangeInclusive<f64>,
}

impl PlanNumber {
    /// Most candidates, steps, games or openings of a run: all of them fit into memory.
    const COUNT_MAX: u32 = 1_000_000;

    /// A number of things, at least `least`.
    pub fn count(name: &'static str, value: u64, least: u32) -> PlanNumber {
        PlanNumber { name, value: value as f64, range: f64::from(least)..=f64::from(PlanNumber::COUNT_MAX) }
    }
}

impl fmt::Display for PlanNumber {
    /// The value, and what is valid instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlanNumber { name, value, range } = self;
        let least = if *range.start() == f64::MIN_POSITIVE { "more than 0".into() } else { range.start().to_string() };
        let most = if *range.end() == f64::MAX { "any number".into() } else { range.end().to_string() };
        write!(f, "`{name}` is {value}: expected {least} to {most}")
    }
}

impl Method {
    /// An optimiser at its start. If `noisy`, a method that moves a point or a centre returns that, not the cheapest candidate, whose cost
    /// is biased.
    pub fn start(&self, space: &Space, seed: u64, noisy: bool) -> Box<dyn Optimiser> {
        match self {
            Method::Genetic(settings) => Box::new(genetic::Genetic::new(space, *settings, seed)),
            Method::Gradient(settings) => Box::new(gradient::Gradient::new(space, *settings)),
            Method::Spsa(settings) => Box::new(spsa::Spsa::new(space, *settings, seed, noisy)),
            Method::Cmaes(settings) => Box::new(cmaes::Cmaes::new(space, *settings, seed, noisy)),
            Method::Random(settings) => Box::new(random::Random::new(space, *settings, seed)),
        }
    }

    /// The numbers of the method by name, with their valid ranges.
    pub fn numbers(&self) -> Vec<PlanNumber> {
        const POSITIVE: RangeInclusive<f64> = f64::MIN_POSITIVE..=f64::MAX;
        const SHARE: RangeInclusive<f64> = 0.0..=1.0;
        let count = |name, value: usize, least: u32| PlanNumber::count(name, value as u64, least);
        let real = |name, value: f64, range| PlanNumber { name, value, range };
        match self {
            Method::Genetic(s) => vec![
                count("population", s.population, 2),
                count("generations", s.generations, 1),
                real("crossover", s.crossover, SHARE),
                real("mutation", s.mutation, SHARE),
                real("elite", s.elite as f64, 0.0..=s.population as f64),
            ],
            Method::Gradient(s) => vec![
                count("iterations", s.iterations, 1),
                real("delta", s.delta, POSITIVE),
                real("eta", s.eta, POSITIVE),
                real("decay", s.decay, SHARE),
            ],
            Method::Spsa(s) => vec![
                count("iterations", s.iterations, 1),
                count("pairs", s.pairs, 1),
                real("c_end", s.c_end, POSITIVE),
                real("r_end", s.r_end, POSITIVE),
                real("alpha", s.alpha, 0.0..=f64::MAX),
                real("gamma", s.gamma, 0.0..=f64::MAX),
                real("a_share", s.a_share, 0.0..=f64::MAX),
                count("checks", s.checks, 1),
            ],
            Method::Cmaes(s) => vec![
                count("generations", s.generations, 1),
                count("population", s.population, 0),
                real("sigma", s.sigma, POSITIVE),
                count("sample", s.sample, 0),
            ],
            Method::Random(s) => vec![count("steps", s.steps, 1), count("population", s.population, 1)],
        }
    }

    /// Iterations or generations of a whole run.
    pub fn iterations(&self) -> usize {
        match self {
            Method::Genetic(settings) => settings.generations,
            Method::Gradient(settings) => settings.iterations,
            Method::Spsa(settings) => settings.iterations,
            Method::Cmaes(settings) => settings.generations,
            Method::Random(settings) => settings.steps,
        }
    }

    /// Returns true if it only keeps the best, so that the others need no exact cost. Racing requires it.
    pub fn may_race(&self) -> bool {
        matches!(self, Method::Genetic(_) | Method::Cmaes(_) | Method::Random(_))
    }

    /// Returns true if a run on this objective returns the point or centre that it reached, not the cheapest candidate: games are
    /// noisy, and the cost of the cheapest of several is biased.
    pub fn is_noisy(&self, objective: &Objective) -> bool {
        objective.needs_games() && matches!(self, Method::Spsa(_) | Method::Cmaes(_))
    }

    /// Positions or pairs of games of a random sample that measures a query; `None` without samples.
    pub fn sample(&self) -> Option<usize> {
        match self {
            Method::Spsa(settings) => Some(settings.pairs),
            Method::Cmaes(settings) => (settings.sample > 0).then_some(settings.sample),
            Method::Genetic(_) | Method::Gradient(_) | Method::Random(_) => None,
        }
    }

    /// Its usual name.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Genetic(_) => "genetic algorithm",
            Method::Gradient(_) => "gradient descent",
            Method::Spsa(_) => "SPSA",
            Method::Cmaes(_) => "CMA-ES",
            Method::Random(_) => "random search",
        }
    }
}
