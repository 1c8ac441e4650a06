//! Measurements by another engine elsewhere: the task says which engine, with which options, and which positions and openings; the
//! configuration of the worker says where the engine is.

use super::{Measuring, PAIR_OF_TABLES};
use crate::measure::{Measure, Probe, ProbeResult, ProbeTask, TaskResults};
use crate::meter::{ExternalEngine, PairScore, play_game};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_files::epd::{Record, parse_line};
use quarterply_games::external::UciEngine;
use quarterply_games::game::{Pace, PaceError};
use quarterply_games::offered::ExternalEngineData;
use quarterply_games::portable::Opening;
use quarterply_lab::suite::{self, Stop};
use quarterply_work::{Context, TaskError};
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::time::Duration;

/// Options with their values.
type Settings = Vec<(String, String)>;

/// Probes of another engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalTask {
    engine: ExternalEngineData,
    /// The options of the candidate.
    settings: Settings,
    /// Nodes per position.
    nodes: u64,
    stop: Stop,
    /// The limit of moves in games, as the user writes it.
    pace: String,
    /// See [`Pace::with_margin`] (milliseconds).
    margin: u64,
    probes: Vec<ExternalProbe>,
}

/// A probe with all that it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ExternalProbe {
    /// A position with its solution, as EPD.
    Position(String),
    /// An opening played twice with colours swapped against the engine with these options.
    Pair { opponent: Settings, opening: Opening },
}

impl ExternalTask {
    /// The probes of a candidate as data.
    ///
    /// # Errors
    /// A message: a position does not exist.
    pub fn new(setup: &ExternalEngine, data: &ExternalEngineData, task: &ProbeTask) -> Result<ExternalTask, String> {
        let probe = |probe: &Probe| {
            Ok::<_, String>(match probe {
                Probe::Position { set, index } => {
                    let record = setup.material.position(*set, *index)?;
                    // The name of a position and its other operations do not affect the search.
                    let bare = Record { id: None, others: Vec::new(), counts: Vec::new(), ..record.clone() };
                    ExternalProbe::Position(bare.to_string())
                }
                Probe::Pair { opponent, opening } => ExternalProbe::Pair {
                    opponent: setup.space.settings(opponent),
                    opening: Opening::of(setup.material.opening(&Parameters::default(), *opening)),
                },
            })
        };
        let pace = setup.conditions.pace;
        Ok(ExternalTask {
            engine: data.clone(),
            settings: setup.space.settings(&task.candidate),
            nodes: setup.conditions.nodes,
            stop: setup.conditions.stop,
            pace: pace.to_string(),
            margin: u64::try_from(pace.margin().as_millis()).unwrap_or(u64::MAX),
            probes: task.probes.iter().map(probe).collect::<Result<_, _>>()?,
        })
    }

    /// The engine with these options.
    fn engine(&self, settings: &Settings) -> ExternalEngineData {
        let mut engine = self.engine.clone();
        engine.options.extend(settings.iter().cloned());
        engine
    }
}

impl Measuring {
    /// Measures probes by another engine that this machine offers.
    pub(super) fn measure_external(
        &mut self,
        task: &ExternalTask,
        context: &Context,
    ) -> Result<TaskResults, TaskError> {
        context.reserve(PAIR_OF_TABLES * task.engine.hash as u64)?;
        let mut running: Option<UciEngine> = None;
        let mut results = TaskResults::default();
        for probe in &task.probes {
            let result = match probe {
                ExternalProbe::Position(line) => {
                    let engine = match &mut running {
                        Some(engine) => engine,
                        none => none.insert(self.start(task, &task.settings, context)?),
                    };
                    search(engine, task, line).map(ProbeResult::from)
                }
                ExternalProbe::Pair { opponent, opening } => self.pair(task, opponent, opening, context),
            };
            if context.is_cancelled() {
                // A search that was broken off proves nothing.
                return Err(TaskError::Stopped);
            }
            results.push(result?);
        }
        Ok(results)
    }

    fn start(&self, task: &ExternalTask, settings: &Settings, context: &Context) -> Result<UciEngine, TaskError> {
        self.engines.solver(&task.engine(settings), context)
    }

    /// Plays an opening with both colours. Engines are started again after a fault.
    fn pair(
        &self,
        task: &ExternalTask,
        opponent: &Settings,
        opening: &Opening,
        context: &Context,
    ) -> Result<ProbeResult, TaskError> {
        let pace: Pace = task.pace.parse().map_err(|error: PaceError| TaskError::Refused(error.to_string()))?;
        let pace = pace.with_margin(Duration::from_millis(task.margin));
        let opening = opening.game().map_err(TaskError::Refused)?;
        let (mut score, mut running) = (PairScore::default(), None);
        for color in Color::ALL {
            let mut players = match running.take() {
                Some(players) => players,
                None => [self.start(task, &task.settings, context)?, self.start(task, opponent, context)?],
            };
            let [first, second] = &mut players;
            let record = play_game([first, second], color, &opening, pace);
            if context.is_cancelled() {
                return Err(TaskError::Stopped);
            }
            running = score.add(&record, color).then_some(players);
        }
        Ok(score.result())
    }
}

fn search(engine: &mut UciEngine, task: &ExternalTask, line: &str) -> Result<Measure, TaskError> {
    let record = parse_line(line, 1).map_err(|fault| TaskError::Refused(fault.to_string()))?;
    let limits = Limits { nodes: Some(task.nodes), ..Limits::default() };
    let conditions = suite::SuiteConditions { limits, stop: task.stop };
    let row = suite::solve(engine, "", &record, &conditions);
    let row = row.map_err(|error| TaskError::Failed(format!("{error}, in {}", record.fen())))?;
    Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
}
