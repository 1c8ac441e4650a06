//! Our engine in this process.

use super::{Material, Meter, Meters, play_pair};
use crate::measure::{Measure, Probe, Set};
use crate::objective::Conditions;
use crate::space::{Candidate, Space};
use quarterply_engine::params::Parameters;
use quarterply_games::player::EnginePlayer;
use quarterply_games::solver::EngineSolver;
use quarterply_lab::suite;
use std::sync::Arc;

/// Everything that measurements by our own engine depend on.
#[derive(Clone)]
pub struct OwnEngine {
    /// What candidates change.
    pub base: Parameters,
    /// How they change it.
    pub space: Space,
    /// Limits.
    pub conditions: Conditions,
    /// Positions and openings.
    pub material: Arc<Material>,
}

impl Meters for OwnEngine {
    fn make(&self) -> Result<Box<dyn Meter>, String> {
        let solver = EngineSolver::new(self.base.clone(), self.conditions.hash, 1).map_err(|e| e.to_string())?;
        Ok(Box::new(OwnMeter { setup: self.clone(), solver, candidate: None }))
    }
}

struct OwnMeter {
    setup: OwnEngine,
    solver: EngineSolver,
    candidate: Option<Candidate>,
}

impl Meter for OwnMeter {
    fn measure(
        &mut self,
        candidate: &Candidate,
        probe: &Probe,
        _on_trouble: &mut dyn FnMut(String),
    ) -> Result<Measure, String> {
        match probe {
            Probe::Position { set, index } => self.search(candidate, *set, *index),
            Probe::Pair { opponent, opening } => self.play(candidate, opponent, *opening),
        }
    }
}

impl OwnMeter {
    fn parameters(&self, candidate: &Candidate) -> Result<Parameters, String> {
        self.setup.space.apply(&self.setup.base, candidate).map_err(|e| e.to_string())
    }

    fn search(&mut self, candidate: &Candidate, set: Set, index: u32) -> Result<Measure, String> {
        if self.candidate.as_ref() != Some(candidate) {
            self.solver.set_parameters(self.parameters(candidate)?);
            self.candidate = Some(candidate.clone());
        }
        let record = self.setup.material.position(set, index)?;
        let conditions = self.setup.conditions.of_suite();
        let row = suite::solve(&mut self.solver, "", record, &conditions).map_err(|e| e.to_string())?;
        Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
    }

    fn play(&self, candidate: &Candidate, opponent: &Candidate, opening: u32) -> Result<Measure, String> {
        let player = |candidate| {
            EnginePlayer::new("", self.parameters(candidate)?, self.setup.conditions.hash).map_err(|e| e.to_string())
        };
        let opening = self.setup.material.opening(&self.setup.base, opening);
        play_pair(&mut player(candidate)?, &mut player(opponent)?, opening, self.setup.conditions.move_nodes)
    }
}
