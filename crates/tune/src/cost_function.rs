//! From queries of an optimiser to measurements, and from measurements to costs.

use super::cache::MeasurementCache;
use super::error::TuneError;
use super::objective::{self, Objective};
use super::optimiser::{CandidateCost, Cost, MeasurementScope, Query};
use super::run::OnEvent;
use super::space::Candidate;
use super::units::{CandidateTask, Measurement, SuiteRole, WorkUnit};
use quarterply_games::openings::stream;
use rand::seq::index;

/// The cost of candidates, and the work that measures it.
#[derive(Clone, Debug, Default)]
pub struct CostFunction {
    /// The objective.
    pub objective: Objective,
    /// Nodes per position.
    pub cap: u64,
    /// Positions of the suite; 0 if the objective has none.
    pub positions: u32,
    /// Pairs of games that measure a candidate.
    pub pairs: u32,
    /// Openings there are.
    pub openings: u32,
    /// The opponent in games: the start values.
    pub start: Candidate,
    /// Seed of random samples.
    pub seed: u64,
}

/// Positions and openings that measure a query.
struct Sample {
    positions: Vec<u32>,
    openings: Vec<u32>,
}

impl CostFunction {
    /// Measures the candidates of query `number`, counted from 0.
    pub fn evaluate(
        &self,
        query: Query,
        number: u64,
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Vec<CandidateCost>, TuneError> {
        let sample = self.sample(query.scope, number);
        let couples = matches!(query.scope, MeasurementScope::Couples(_)) && self.objective.needs_games();
        let tasks: Vec<CandidateTask> =
            (0..query.candidates.len()).map(|index| self.task(&query.candidates, index, &sample, couples)).collect();
        let results = cache.measure(&tasks, on_progress)?;
        let mut costs: Vec<Cost> = results.iter().map(|measures| self.cost(measures, &sample)).collect();
        if couples {
            self.mirror(&mut costs, &results, &sample);
        }
        Ok(query.candidates.into_iter().zip(costs).map(|(candidate, cost)| CandidateCost { candidate, cost }).collect())
    }

    /// The positions and pairs that measure a candidate in full.
    fn whole(&self) -> Sample {
        Sample { positions: (0..self.positions).collect(), openings: (0..self.pairs).collect() }
    }

    fn sample(&self, scope: MeasurementScope, number: u64) -> Sample {
        let count = match scope {
            MeasurementScope::Whole => return self.whole(),
            MeasurementScope::Couples(count) | MeasurementScope::Sample(count) => count,
        };
        let mut rng = stream(self.seed, number + 1);
        let mut draw = |from: u32| -> Vec<u32> {
            let drawn = index::sample(&mut rng, from as usize, count.min(from as usize));
            let mut drawn: Vec<u32> = drawn.into_iter().map(|index| index as u32).collect();
            drawn.sort_unstable();
            drawn
        };
        let positions = draw(self.positions);
        let openings = if self.objective.needs_games() { draw(self.openings) } else { Vec::new() };
        Sample { positions, openings }
    }

    /// The units of one candidate. In a couple only the first one plays: the second one's result is the same seen from the other side.
    fn task(&self, candidates: &[Candidate], index: usize, sample: &Sample, couples: bool) -> CandidateTask {
        let candidate = candidates[index].clone();
        let position = |index: &u32| WorkUnit::Position { set: SuiteRole::Tuning, index: *index };
        let mut units: Vec<WorkUnit> = sample.positions.iter().map(position).collect();
        let opponent = match (couples, index.is_multiple_of(2)) {
            (true, true) => candidates.get(index + 1).unwrap_or(&self.start),
            (true, false) => return CandidateTask { candidate, units },
            (false, _) => &self.start,
        };
        units.extend(
            sample.openings.iter().map(|opening| WorkUnit::Pair { opponent: opponent.clone(), opening: *opening }),
        );
        CandidateTask { candidate, units }
    }

    fn cost(&self, measures: &[Measurement], sample: &Sample) -> Cost {
        let (positions, pairs) = measures.split_at(sample.positions.len().min(measures.len()));
        let mut cost = objective::exact_cost(&self.objective, self.cap, positions, pairs);
        let share = f64::from(self.positions) / sample.positions.len().max(1) as f64;
        if share > 1.0 {
            if self.objective.is_nodes() {
                cost.value *= share;
            }
            cost.solved = cost.solved.map(|solved| solved * share);
        }
        cost
    }

    /// Gives the second one of each couple the games of the first, seen from its side.
    fn mirror(&self, costs: &mut [Cost], results: &[Vec<Measurement>], sample: &Sample) {
        for first in (0..costs.len().saturating_sub(1)).step_by(2) {
            let pairs = &results[first][sample.positions.len()..];
            let share = self.objective.games_weight() / self.objective.weight();
            let even = objective::lost(&[]);
            costs[first + 1].value += share * (1.0 - objective::lost(pairs) - even);
        }
    }
}

/// The work of a race.
impl CostFunction {
    /// All units of work that measure a candidate.
    pub fn units(&self) -> Vec<WorkUnit> {
        self.task(std::slice::from_ref(&self.start), 0, &self.whole(), false).units
    }

    /// The part of a unit's result in the cost.
    pub fn unit_cost(&self, measure: &Measurement) -> f64 {
        let (positions, pairs) = (f64::from(self.positions.max(1)), f64::from(self.pairs.max(1)));
        match measure {
            Measurement::Position { .. } if self.objective.is_nodes() => {
                self.objective.position_cost(measure, self.cap)
            }
            Measurement::Position { .. } => {
                self.objective.position_cost(measure, self.cap) / (positions * self.objective.weight())
            }
            Measurement::Pair { .. } => {
                let share = self.objective.games_weight() / self.objective.weight();
                share * objective::lost(std::slice::from_ref(measure)) / pairs
            }
        }
    }

    /// The exact cost, from the results of all units in order.
    pub fn exact(&self, measures: &[Measurement]) -> Cost {
        self.cost(measures, &self.whole())
    }
}
