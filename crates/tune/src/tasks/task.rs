//! Tasks with all that their measurements depend on, and their execution.

use super::MeasuredEngine;
use crate::fault::{GameFault, PairPlayer};
use crate::inputs::{ExternalEngine, PairScore, play_game};
use crate::space::{Candidate, Space};
use crate::units::{CandidateTask, Measurement, TaskResults, WorkUnit};
use quarterply_engine::clock::Limits;
use quarterply_engine::search::pool::Control;
use quarterply_files::epd::{Record, parse_line};
use quarterply_games::external::UciEngine;
use quarterply_games::game::{Pace, PaceError, Player};
use quarterply_games::offered::{ExternalEngineData, OfferedEngines};
use quarterply_games::portable::{EngineData, Opening};
use quarterply_games::solver::{EngineSolver, Solver};
use quarterply_lab::suite::{self, Stop};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{Context, Digest, TaskError, TaskKind, Threads};
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::time::Duration;

/// Tables of a task: games have two players.
const PAIR_OF_TABLES: u64 = 2;

/// Units of an engine with the values of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureTask {
    engine: TaskEngine,
    /// Nodes per position.
    nodes: u64,
    stop: Stop,
    /// The limit of moves in games, as the user writes it.
    pace: String,
    /// See [`Pace::with_margin`] (milliseconds).
    margin: u64,
    units: Vec<TaskUnit>,
}

/// An engine with the values of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TaskEngine {
    /// Our own engine.
    Own(EngineData),
    /// Another engine that the machine offers.
    External(ExternalEngineData),
    /// The other engine of [`Measuring::threads`] with these options.
    Local(Vec<(String, String)>),
}

/// A unit with all that it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TaskUnit {
    /// A position with its solution, as EPD.
    Position(String),
    /// An opening played twice with colours swapped.
    Pair { opponent: TaskEngine, opening: Opening },
}

impl TaskEngine {
    /// This engine with the values of a candidate.
    fn with_values(&self, space: &Space, candidate: &Candidate) -> TaskEngine {
        let mut engine = self.clone();
        match &mut engine {
            TaskEngine::Own(engine) => {
                let names = space.dimensions.iter().map(|dimension| dimension.name.clone());
                engine.parameters.extend(names.zip(candidate.iter().copied()));
            }
            TaskEngine::External(ExternalEngineData { options, .. }) | TaskEngine::Local(options) => {
                options.extend(space.settings(candidate));
            }
        }
        engine
    }

    /// Its table (MiB), if a worker must have memory for it.
    fn hash(&self) -> usize {
        match self {
            TaskEngine::Own(engine) => engine.hash,
            TaskEngine::External(engine) => engine.hash,
            TaskEngine::Local(_) => 0,
        }
    }
}

impl MeasureTask {
    /// The units of a candidate as data; `base` is the engine without the values of a candidate.
    ///
    /// # Errors
    /// A message: a position does not exist.
    pub(super) fn new(setup: &MeasuredEngine, base: &TaskEngine, task: &CandidateTask) -> Result<MeasureTask, String> {
        let engine = |candidate: &Candidate| base.with_values(&setup.space, candidate);
        let unit = |unit: &WorkUnit| {
            Ok::<_, String>(match unit {
                WorkUnit::Position { set, index } => {
                    let record = setup.inputs.position(*set, *index)?;
                    // The name of a position and its other operations do not affect the search.
                    let bare = Record { id: None, others: Vec::new(), counts: Vec::new(), ..record.clone() };
                    TaskUnit::Position(bare.to_string())
                }
                WorkUnit::Pair { opponent, opening } => TaskUnit::Pair {
                    opponent: engine(opponent),
                    opening: Opening::of(setup.inputs.opening(&setup.base, *opening)),
                },
            })
        };
        let pace = setup.conditions.pace;
        Ok(MeasureTask {
            engine: engine(&task.candidate),
            nodes: setup.conditions.nodes,
            stop: setup.conditions.stop,
            pace: pace.to_string(),
            margin: u64::try_from(pace.margin().as_millis()).unwrap_or(u64::MAX),
            units: task.units.iter().map(unit).collect::<Result<_, _>>()?,
        })
    }
}

/// Measures units.
#[derive(Default)]
pub struct Measuring {
    /// The engine of [`TaskEngine::Local`].
    local: Option<ExternalEngine>,
    /// Other engines that tasks may name.
    engines: OfferedEngines,
    /// Our engine, as it searched last.
    own: Option<(EngineData, EngineSolver)>,
    /// The other engine that searched last.
    running: Option<(TaskEngine, UciEngine)>,
}

impl Measuring {
    /// The executor that measures in this process until `stop` is set; `local` is the engine of [`TaskEngine::Local`].
    pub(crate) fn threads(count: usize, stop: &Interruption, local: Option<ExternalEngine>) -> Threads<Measuring> {
        Threads::start_until(count, Some(stop.flag()), move || {
            Ok(Measuring { local: local.clone(), ..Measuring::default() })
        })
    }

    /// Measures tasks that name these engines, too.
    pub fn offering(engines: OfferedEngines) -> Measuring {
        Measuring { engines, ..Measuring::default() }
    }

    /// Our engine as a solver. Nothing of the one before is left in it once a new game begins.
    fn own(&mut self, engine: &EngineData, context: &Context) -> Result<&mut EngineSolver, TaskError> {
        let solver = match self.own.take() {
            Some((known, solver)) if known == *engine => solver,
            Some((known, mut solver)) if known.hash == engine.hash => {
                solver.set_parameters(engine.parameters(context)?);
                solver
            }
            _ => engine.solver(context)?,
        };
        Ok(&mut self.own.insert((engine.clone(), solver)).1)
    }

    /// Another engine as a solver. Other values need a new process: not every engine applies a later change of options.
    fn other(&mut self, engine: &TaskEngine, context: &Context) -> Result<&mut UciEngine, TaskError> {
        let running = match self.running.take() {
            Some((known, running)) if known == *engine => running,
            _ => self.start(engine, context)?,
        };
        Ok(&mut self.running.insert((engine.clone(), running)).1)
    }

    /// Starts another engine.
    fn start(&self, engine: &TaskEngine, context: &Context) -> Result<UciEngine, TaskError> {
        match (engine, &self.local) {
            (TaskEngine::External(data), _) => self.engines.solver(data, context),
            (TaskEngine::Local(settings), Some(local)) => local.start(settings).map_err(TaskError::Failed),
            _ => Err(TaskError::Refused("its engine is on another machine only".to_owned())),
        }
    }

    /// Calls a function with another engine, and once more after a failure in this process, because engines also fail for reasons that do
    /// not depend on their options. Each failure is reported, because it may have taken the whole time limit. Tasks elsewhere are tried
    /// again by their queue.
    fn twice<T>(
        &mut self,
        engine: &TaskEngine,
        context: &Context,
        attempt: impl Fn(&mut Measuring) -> Result<T, TaskError>,
    ) -> Result<T, TaskError> {
        let broke = match attempt(self) {
            Err(TaskError::Failed(reason)) => reason,
            outcome => return outcome,
        };
        self.running = None;
        let with = match (engine, &self.local) {
            (TaskEngine::Local(settings), Some(local)) if !context.is_cancelled() => local.with(settings),
            _ => return Err(TaskError::Failed(broke)),
        };
        (context.notes)(format!("{with} was started once more: {broke}"));
        attempt(self).map_err(|error| match error {
            TaskError::Failed(reason) => TaskError::Failed(format!("{with} failed twice: {reason}")),
            other => other,
        })
    }

    fn search(&mut self, task: &MeasureTask, line: &str, context: &Context) -> Result<Measurement, TaskError> {
        let record = parse_line(line, 1).map_err(|fault| TaskError::Refused(fault.to_string()))?;
        let conditions = suite::SuiteConditions { limits: Limits::nodes(task.nodes), stop: task.stop };
        let solver: &mut dyn Solver = match &task.engine {
            TaskEngine::Own(engine) => self.own(engine, context)?,
            other => self.other(other, context)?,
        };
        let control = Control::default();
        solver.set_control(&control);
        let _hook = context.cancel.on_cancel(move || control.stop());
        let row = suite::solve(solver, &record, &conditions);
        let row = row.map_err(|error| TaskError::Failed(error.in_position(&record.fen())))?;
        Ok(Measurement::Position {
            solved: row.solved,
            first: row.nodes_first,
            stable: row.nodes_stable,
            nodes: row.nodes,
        })
    }

    fn player(&mut self, engine: &TaskEngine, context: &Context) -> Result<Box<dyn Player>, TaskError> {
        match engine {
            TaskEngine::Own(engine) => Ok(Box::new(engine.player("", context)?)),
            other => Ok(Box::new(self.twice(other, context, |measuring| measuring.start(other, context))?)),
        }
    }

    /// Plays an opening with both colours, with new players after a fault. An engine of this process that cannot be started although
    /// the other one can loses the game; elsewhere it may be the fault of the machine.
    fn pair(
        &mut self,
        task: &MeasureTask,
        opponent: &TaskEngine,
        opening: &Opening,
        context: &Context,
    ) -> Result<(Measurement, Vec<GameFault>), TaskError> {
        let pace: Pace = task.pace.parse().map_err(|error: PaceError| TaskError::Refused(error.to_string()))?;
        let pace = pace.with_margin(Duration::from_millis(task.margin));
        let opening = opening.game().map_err(TaskError::Refused)?;
        let is_local = matches!(task.engine, TaskEngine::Local(_));
        if !is_local {
            self.running = None;
        }
        let (mut score, mut ready) = (PairScore::default(), None);
        for color in Color::ALL {
            let mut players = match ready.take() {
                Some(players) => players,
                None => match (self.player(&task.engine, context), self.player(opponent, context)) {
                    (Ok(first), Ok(second)) => [first, second],
                    (Err(TaskError::Failed(reason)), Ok(_)) if is_local => {
                        score.lose(PairPlayer::Candidate, reason, &opening);
                        continue;
                    }
                    (Ok(_), Err(TaskError::Failed(reason))) if is_local => {
                        score.lose(PairPlayer::Opponent, reason, &opening);
                        continue;
                    }
                    (Err(error), _) | (_, Err(error)) => return Err(error),
                },
            };
            let [first, second] = &mut players;
            let record = play_game([first.as_mut(), second.as_mut()], color, &opening, pace, &context.cancel);
            if context.is_cancelled() {
                return Err(TaskError::Stopped);
            }
            ready = score.add(&record, color).then_some(players);
        }
        Ok(score.result())
    }
}

impl TaskKind for Measuring {
    const NAME: &'static str = "tune";
    type Task = MeasureTask;
    type Outcome = TaskResults;

    fn run(&mut self, task: &MeasureTask, context: &Context) -> Result<TaskResults, TaskError> {
        if !matches!(task.engine, TaskEngine::Local(_)) {
            // Another task's engine may have died meanwhile, and its table is not in what is reserved.
            self.running = None;
        }
        context.reserve(PAIR_OF_TABLES * task.engine.hash() as u64)?;
        let mut results = TaskResults::default();
        for unit in &task.units {
            let result = match unit {
                TaskUnit::Position(line) => {
                    let search = |measuring: &mut Measuring| measuring.search(task, line, context);
                    self.twice(&task.engine, context, search).map(|measure| (measure, Vec::new()))
                }
                TaskUnit::Pair { opponent, opening } => self.pair(task, opponent, opening, context),
            };
            if context.is_cancelled() {
                // A search that was cancelled has no valid result.
                return Err(TaskError::Stopped);
            }
            let (measure, faults) = result?;
            results.push(measure, faults);
        }
        Ok(results)
    }

    fn objects(task: &MeasureTask) -> Vec<Digest> {
        match &task.engine {
            TaskEngine::Own(engine) => engine.evaluation.object().into_iter().collect(),
            TaskEngine::External(_) | TaskEngine::Local(_) => Vec::new(),
        }
    }

    fn checksum(task: &MeasureTask, results: &TaskResults) -> Option<Digest> {
        let repeats = task.pace.parse::<Pace>().is_ok_and(|pace| !pace.is_timed());
        let text = || serde_json::to_vec(results).unwrap_or_default();
        (repeats && matches!(task.engine, TaskEngine::Own(_))).then(|| Digest::of(&text()))
    }
}
