//! Racing: candidates are compared on a growing random part of the work, and those that are clearly worse are dropped early.
//!
//! The work that measures a candidate consists of units: positions of the suite and pairs of games. In each round of a race,
//! every remaining candidate is measured on the units drawn so far, half as many again as in the round before. The candidate with
//! the lowest estimated cost is the reference. A candidate is dropped if its paired difference to the reference exceeds a number
//! of standard errors, which falls as the sample grows, or if no difference was found for some rounds. Candidates of the last
//! round have been measured on all units, and their costs are exact; the others get an estimate. The best candidate so far takes
//! part in every race at no cost, since its results are known.
//!
//! *Selection of units.* A unit separates candidates if its results differ. A position that all candidates solve, or none,
//! carries little information, and an unsolved position costs most. A unit is drawn with a probability in proportion to the
//! standard deviation of its results over the candidates met so far, divided by the square root of its cost in nodes: the
//! allocation of least variance for a given amount of work (Neyman 1934). No probability is zero.
//!
//! *Unbiased estimates.* Each unit has a random number, a new one for each race, and belongs to a sample if the number is below
//! the unit's probability (Poisson sampling): a larger sample contains the smaller one. Sums are estimated by dividing each term
//! by its probability (Horvitz and Thompson 1952), and costs as the exact cost of the best plus the estimated difference to it.
//!
//! Everything depends only on the seed, the candidates asked and their results, so races repeat exactly for any number of workers.

mod draw;

use super::cache::MeasurementCache;
use super::cost_function::CostFunction;
use super::error::TuneError;
use super::optimiser::{CandidateCost, Cost};
use super::run::OnEvent;
use super::space::Candidate;
use super::units::{CandidateTask, Measurement, WorkUnit};
use draw::{UnitSampler, UnitStatistics};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How a race is run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RaceSettings {
    /// Units of the first round, on average.
    pub first: f64,
    /// Ratio of the number of units of consecutive rounds.
    pub growth: f64,
    /// Standard errors by which a candidate must be behind to be dropped in the beginning; it falls evenly to 0 at the end.
    pub behind: f64,
}

impl Default for RaceSettings {
    fn default() -> RaceSettings {
        RaceSettings { first: 8.0, growth: 1.5, behind: 1.3 }
    }
}

/// In the first race, the results of units are unknown: it begins with this multiple of the units.
const PILOT: f64 = 3.0;
/// A candidate without any difference to the reference is dropped from this multiple of the units of the first round on.
const SAME_FROM: f64 = 3.0;

/// The results of a candidate so far.
#[derive(Clone, Debug, Default)]
struct CandidateResults {
    measures: Vec<Option<Measurement>>,
    costs: Vec<f64>,
}

/// The state of the races of a run.
pub struct Race {
    settings: RaceSettings,
    seed: u64,
    units: Vec<WorkUnit>,
    known: HashMap<Candidate, CandidateResults>,
    statistics: Vec<UnitStatistics>,
    incumbent: Option<Candidate>,
}

/// A candidate in a race.
struct RacingCandidate {
    candidate: Candidate,
    /// The probabilities of the last round it took part in.
    probabilities: Vec<f64>,
    sample: Vec<usize>,
    out: bool,
}

impl Race {
    /// A series of races over these units.
    pub fn new(settings: RaceSettings, seed: u64, cost_function: &CostFunction) -> Race {
        let units = cost_function.units();
        let statistics = vec![UnitStatistics::default(); units.len()];
        Race { settings, seed, units, known: HashMap::new(), statistics, incumbent: None }
    }

    /// Races the candidates of query `number` against each other and against the best so far.
    pub fn run(
        &mut self,
        cost_function: &CostFunction,
        candidates: Vec<Candidate>,
        number: u64,
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Vec<CandidateCost>, TuneError> {
        let draw = UnitSampler::new(&self.statistics, self.seed, number);
        let mut racing = self.racing_candidates(&candidates);
        let mut expected_units = self.settings.first * if self.incumbent.is_none() { PILOT } else { 1.0 };
        loop {
            let probabilities = draw.probabilities(expected_units);
            let sample = draw.sample(&probabilities);
            self.measure(cost_function, &mut racing, &probabilities, &sample, cache, on_progress)?;
            if expected_units >= self.units.len() as f64 {
                break;
            }
            self.drop_out(&mut racing, &draw, expected_units);
            expected_units *= self.settings.growth.max(1.0 + f64::EPSILON);
        }
        self.record_best(&racing);
        Ok(candidates.into_iter().map(|candidate| self.candidate_cost(cost_function, &racing, candidate)).collect())
    }

    /// The candidates, each once, and the best so far.
    fn racing_candidates(&self, candidates: &[Candidate]) -> Vec<RacingCandidate> {
        let mut racing: Vec<RacingCandidate> = Vec::new();
        for candidate in self.incumbent.iter().chain(candidates) {
            if racing.iter().all(|racer| racer.candidate != *candidate) {
                let candidate = candidate.clone();
                racing.push(RacingCandidate { candidate, probabilities: Vec::new(), sample: Vec::new(), out: false });
            }
        }
        racing
    }

    /// Measures all candidates that are left on a sample.
    fn measure(
        &mut self,
        cost_function: &CostFunction,
        racing: &mut [RacingCandidate],
        probabilities: &[f64],
        sample: &[usize],
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError> {
        let left: Vec<&mut RacingCandidate> = racing.iter_mut().filter(|racer| !racer.out).collect();
        let units: Vec<WorkUnit> = sample.iter().map(|index| self.units[*index].clone()).collect();
        let task =
            |racer: &&mut RacingCandidate| CandidateTask { candidate: racer.candidate.clone(), units: units.clone() };
        let tasks: Vec<CandidateTask> = left.iter().map(task).collect();
        let results = cache.measure(&tasks, on_progress)?;
        for (racer, measures) in left.into_iter().zip(results) {
            let known = self.known.entry(racer.candidate.clone()).or_insert_with(|| CandidateResults {
                measures: vec![None; self.units.len()],
                costs: vec![0.0; self.units.len()],
            });
            for (index, measure) in sample.iter().zip(measures) {
                if known.measures[*index].replace(measure).is_none() {
                    known.costs[*index] = cost_function.unit_cost(&measure);
                    self.statistics[*index].add(known.costs[*index], measure.nodes());
                }
            }
            racer.probabilities = probabilities.to_vec();
            racer.sample = sample.to_vec();
        }
        Ok(())
    }

    /// Drops the candidates that are clearly worse than the best after `expected_units` units, and those without any difference to it.
    fn drop_out(&self, racing: &mut [RacingCandidate], draw: &UnitSampler, expected_units: f64) {
        let errors = self.settings.behind * (1.0 - expected_units / self.units.len() as f64);
        let left: Vec<usize> = (0..racing.len()).filter(|index| !racing[*index].out).collect();
        let Some(first) = left.first().copied() else { return };
        let ahead = |a: usize, b: usize| self.difference(&racing[a], &racing[b].candidate) < 0.0;
        let best = left.iter().copied().fold(first, |best, index| if ahead(index, best) { index } else { best });
        let reference = racing[best].candidate.clone();
        for index in left.into_iter().filter(|index| *index != best) {
            let racer = &racing[index];
            let behind = self.difference(racer, &reference);
            let error = self.variance(racer, &reference, Some(draw)).sqrt();
            let same = self.terms(racer, &reference).all(|(_, difference)| difference == 0.0);
            let clear = if same { expected_units >= SAME_FROM * self.settings.first } else { behind >= errors * error };
            racing[index].out = clear && self.all_of(&racing[index].candidate).is_none();
        }
    }

    /// All measures of a candidate, if none is missing.
    fn all_of(&self, candidate: &Candidate) -> Option<Vec<Measurement>> {
        self.known.get(candidate)?.measures.iter().copied().collect()
    }

    /// The estimated difference of the costs of a racer and a reference that has been measured on the racer's sample.
    fn difference(&self, racer: &RacingCandidate, reference: &Candidate) -> f64 {
        self.terms(racer, reference).map(|(probability, difference)| difference / probability).sum()
    }

    /// The variance of that estimate: the variance of a small sample is averaged with the expectation from earlier candidates.
    fn variance(&self, racer: &RacingCandidate, reference: &Candidate, draw: Option<&UnitSampler>) -> f64 {
        let shown: f64 = self
            .terms(racer, reference)
            .map(|(probability, difference)| (1.0 - probability) * (difference / probability).powi(2))
            .sum();
        let Some(variances) = draw.and_then(|draw| draw.variances.as_ref()) else { return shown };
        let spread = |(variance, probability): (&f64, &f64)| 2.0 * variance * (1.0 - probability) / probability;
        let expected: f64 = variances.iter().zip(&racer.probabilities).map(spread).sum();
        f64::midpoint(shown, expected)
    }

    /// The probability of a unit and the difference on it, for all units of a candidate's sample.
    fn terms<'a>(&'a self, racer: &'a RacingCandidate, reference: &Candidate) -> impl Iterator<Item = (f64, f64)> + 'a {
        let own = self.known.get(&racer.candidate);
        let other = self.known.get(reference);
        own.zip(other).into_iter().flat_map(move |(own, other)| {
            racer.sample.iter().map(move |i| (racer.probabilities[*i], own.costs[*i] - other.costs[*i]))
        })
    }

    /// Makes the cheapest of those that ran to the end the best so far.
    fn record_best(&mut self, racing: &[RacingCandidate]) {
        let total =
            |candidate: &Candidate| self.known.get(candidate).map_or(f64::INFINITY, |k| k.costs.iter().sum::<f64>());
        let finished = racing.iter().filter(|racer| !racer.out).map(|racer| &racer.candidate);
        self.incumbent = finished.min_by(|a, b| total(a).total_cmp(&total(b))).cloned();
    }

    /// The exact cost of a candidate that ran to the end; else that of the incumbent plus the estimated difference, which counts as 0 if
    /// it is negative.
    fn candidate_cost(
        &self,
        cost_function: &CostFunction,
        racing: &[RacingCandidate],
        candidate: Candidate,
    ) -> CandidateCost {
        let exact = |candidate: &Candidate| self.all_of(candidate).map(|measures| cost_function.exact(&measures));
        if let Some(cost) = exact(&candidate) {
            return CandidateCost { candidate, cost };
        }
        let racer = racing.iter().find(|racer| racer.candidate == candidate);
        let Some((racer, incumbent)) = racer.zip(self.incumbent.as_ref()) else {
            return CandidateCost { candidate, cost: Cost { value: f64::MAX, ..Cost::default() } };
        };
        let best = exact(incumbent).unwrap_or_default();
        let behind = self.difference(racer, incumbent).max(0.0);
        let error = self.variance(racer, incumbent, None).sqrt();
        let solved = best.solved.map(|solved| (solved + self.solved_difference(racer, incumbent)).max(0.0));
        CandidateCost { candidate, cost: Cost { value: best.value + behind, error, solved } }
    }

    fn solved_difference(&self, racer: &RacingCandidate, incumbent: &Candidate) -> f64 {
        let Some((own, best)) = self.known.get(&racer.candidate).zip(self.known.get(incumbent)) else { return 0.0 };
        let solved = |measure: &Option<Measurement>| {
            f64::from(u8::from(matches!(measure, Some(Measurement::Position { solved: true, .. }))))
        };
        let term = |i: &usize| (solved(&own.measures[*i]) - solved(&best.measures[*i])) / racer.probabilities[*i];
        racer.sample.iter().map(term).sum()
    }
}

#[cfg(test)]
mod tests;
