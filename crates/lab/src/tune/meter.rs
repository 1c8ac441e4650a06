//! What measures candidates: our engine in this process, or any UCI engine.

use super::measure::{Measure, Probe, Set};
use super::objective::Conditions;
use super::space::{Candidate, Space};
use crate::epd::Record;
use crate::game::{self, Pace};
use crate::openings::Openings;
use crate::player::EnginePlayer;
use crate::suite::{self, EngineSolver};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use shakmaty::{ByColor, Color};
use std::sync::{Arc, OnceLock};

/// Measures one probe after the other. Nothing may be carried over from one to the next.
pub trait Meter {
    /// The result of a probe.
    ///
    /// # Errors
    /// What went wrong, as a sentence for the user.
    fn measure(&mut self, candidate: &Candidate, probe: &Probe) -> Result<Measure, String>;
}

/// Makes one meter for each worker.
pub trait Meters: Send + Sync {
    /// A new meter.
    ///
    /// # Errors
    /// What went wrong, as a sentence for the user.
    fn make(&self) -> Result<Box<dyn Meter>, String>;
}

/// The positions and openings of a run.
#[derive(Default)]
pub struct Material {
    /// The suite that is tuned on.
    pub tuning: Vec<Record>,
    /// The hold-out suite.
    pub holdout: Vec<Record>,
    /// How many openings there are.
    pub opening_count: usize,
    /// Their seed.
    pub opening_seed: u64,
    /// The openings, made when the first is wanted.
    pub openings: OnceLock<Vec<Game>>,
}

impl Material {
    /// The positions of a suite.
    pub fn set(&self, set: Set) -> &[Record] {
        match set {
            Set::Tuning => &self.tuning,
            Set::Holdout => &self.holdout,
        }
    }

    /// An opening, judged to be balanced by these parameters.
    fn opening(&self, judge: &Parameters, number: u32) -> &Game {
        let make = || Openings::new(judge.clone(), self.opening_seed).take(self.opening_count.max(1)).collect();
        let all: &Vec<Game> = self.openings.get_or_init(make);
        &all[number as usize % all.len()]
    }
}

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
    fn measure(&mut self, candidate: &Candidate, probe: &Probe) -> Result<Measure, String> {
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
        let record = &self.setup.material.set(set)[index as usize];
        let row =
            suite::solve(&mut self.solver, "", record, &self.setup.conditions.of_suite()).map_err(|e| e.to_string())?;
        Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
    }

    fn play(&self, candidate: &Candidate, opponent: &Candidate, opening: u32) -> Result<Measure, String> {
        let player = |candidate| {
            EnginePlayer::new("", self.parameters(candidate)?, self.setup.conditions.hash).map_err(|e| e.to_string())
        };
        let (mut own, mut other) = (player(candidate)?, player(opponent)?);
        let opening = self.setup.material.opening(&self.setup.base, opening);
        let pace = Pace::Nodes(self.setup.conditions.move_nodes);
        let (mut points, mut nodes) = (0, 0);
        for color in Color::ALL {
            let players: ByColor<&mut dyn game::Player> = match color {
                Color::White => ByColor { white: &mut own, black: &mut other },
                Color::Black => ByColor { white: &mut other, black: &mut own },
            };
            let record = game::play(players, opening, pace, &mut []);
            points += match record.verdict.winner {
                None => 1,
                Some(winner) if winner == color => 2,
                Some(_) => 0,
            };
            nodes += record.played.iter().map(|played| played.choice.nodes).sum::<u64>();
        }
        Ok(Measure::Pair { points, nodes })
    }
}
