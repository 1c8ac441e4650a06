//! The history of a run, step by step: the data of tables, plots and reports.

use super::conclude::Conclusion;
use super::optimiser::{Method, Snapshot};
use super::plan::TuningPlan;
use super::space::Dimension;
use serde::{Deserialize, Serialize};

/// One generation or iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningStep {
    /// The state of the optimiser.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// Nodes searched since the beginning of the run. Results that were known already are free.
    pub spent: u64,
    /// Candidates met since the beginning, each counted once.
    pub candidates: usize,
}

impl TuningStep {
    /// Mean cost of the population.
    pub fn mean(&self) -> f64 {
        let costs = self.snapshot.population.iter().map(|candidate| candidate.cost.value);
        costs.sum::<f64>() / self.snapshot.population.len().max(1) as f64
    }

    /// Mean of the positions solved, where the objective has a suite.
    pub fn mean_solved(&self) -> Option<f64> {
        let solved: Option<Vec<f64>> = self.snapshot.population.iter().map(|candidate| candidate.cost.solved).collect();
        solved.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }
}

/// A whole run so far. As JSON it is the run's `summary.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Version of the program that began the run.
    pub version: String,
    /// Signature of its search.
    pub signature: String,
    /// The optimiser.
    pub method: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The objective.
    pub objective: String,
    /// See [`TuningPlan::noisy`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noisy: bool,
    /// True if each step measures its candidates on another sample: the costs of two steps are not comparable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
    /// Nodes per position.
    pub nodes: u64,
    /// The suite that was tuned on.
    pub suite: Option<String>,
    /// Fingerprint of the positions of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_fingerprint: Option<String>,
    /// The hold-out suite.
    pub holdout: Option<String>,
    /// Fingerprint of the positions of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout_fingerprint: Option<String>,
    /// The limit of moves in games, if the objective has games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<String>,
    /// The parameters that were tuned.
    pub dimensions: Vec<Dimension>,
    /// Every step in order.
    pub steps: Vec<TuningStep>,
    /// True if the optimiser has finished.
    pub finished: bool,
    /// The conclusion, once it is known.
    pub conclusion: Option<Conclusion>,
}

impl RunSummary {
    /// The summary of a run before its first step.
    pub fn of(plan: &TuningPlan) -> RunSummary {
        RunSummary {
            version: plan.version.clone(),
            signature: plan.signature.clone(),
            method: plan.method.name().to_owned(),
            seed: plan.seed,
            objective: plan.objective.to_string(),
            noisy: plan.noisy,
            sampled: match &plan.method {
                Method::Cmaes(settings) => settings.sample > 0,
                Method::Spsa(_) => plan.objective.needs_suite(),
                _ => false,
            },
            nodes: plan.nodes,
            suite: plan.suite.as_ref().map(ToString::to_string),
            suite_fingerprint: plan.suite.as_ref().map(|suite| suite.fingerprint.clone()),
            holdout: plan.holdout.as_ref().map(ToString::to_string),
            holdout_fingerprint: plan.holdout.as_ref().map(|suite| suite.fingerprint.clone()),
            move_limit: plan.objective.needs_games().then(|| plan.pace().to_string()),
            dimensions: plan.space.dimensions.clone(),
            ..RunSummary::default()
        }
    }
}
