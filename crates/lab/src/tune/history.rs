//! What happened in a run, step by step: the raw material of tables, plots and reports.

use super::optimiser::Snapshot;
use serde::{Deserialize, Serialize};

/// One generation or iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Where the optimiser stood.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// Nodes searched since the beginning of the run. Results that were known already are free.
    pub spent: u64,
    /// Candidates met since the beginning, each counted once.
    pub candidates: usize,
}

impl Step {
    /// Mean cost of the population.
    pub fn mean(&self) -> f64 {
        let costs = self.snapshot.population.iter().map(|priced| priced.cost.value);
        costs.sum::<f64>() / self.snapshot.population.len().max(1) as f64
    }

    /// Least cost of the population.
    pub fn least(&self) -> f64 {
        self.snapshot.population.iter().map(|priced| priced.cost.value).fold(f64::INFINITY, f64::min)
    }

    /// Mean of the positions solved, where the objective has a suite.
    pub fn mean_solved(&self) -> Option<f64> {
        let solved: Option<Vec<f64>> = self.snapshot.population.iter().map(|priced| priced.cost.solved).collect();
        solved.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }
}
