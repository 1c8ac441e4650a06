//! Measurements on other machines: a task is a candidate with some of its probes, its outcome their results.
//!
//! Everything that a measurement depends on goes along: parameters, limits, positions, openings. Who measures needs no suite and no plan.

use super::error::TuneError;
use super::measure::{Measure, Outcome, Probe, Task};
use super::meter::{OwnEngine, play_pair};
use super::space::Candidate;
use quarterply_engine::clock::Limits;
use quarterply_files::epd::{Record, parse_line};
use quarterply_games::portable::{EngineData, Opening};
use quarterply_games::solver::EngineSolver;
use quarterply_lab::suite::{self, Leashed, Stop};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{Build, Course, Desk, Digest, Executor, Far, Fault, Found, NOMINAL_SPEED, drive};
use serde::{Deserialize, Serialize};

/// What such tasks are called.
pub const KIND: &str = "tune";
/// A task is no larger than this part of a batch of work, so that all workers have something to do.
const PARTS: usize = 64;
/// Moves of a pair of games, both sides together.
const PAIR_MOVES: f64 = 200.0;
/// The only thread of engines that are measured.
const THREADS: usize = 1;

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    engine: EngineData,
    /// Nodes per position.
    nodes: u64,
    stop: Stop,
    /// Nodes per move in games.
    move_nodes: u64,
    probes: Vec<Asked>,
}

/// A probe with all that it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Asked {
    /// A position with its task, as EPD.
    Position(String),
    /// An opening played twice with colours swapped.
    Pair { opponent: EngineData, opening: Opening },
}

/// Others who measure.
pub struct Hired {
    /// How they are reached.
    pub executor: Box<dyn Executor>,
    /// What they must be built from.
    pub build: Build,
    /// Hears what the user should know.
    pub say: Box<dyn Fn(&str) + Send + Sync>,
}

/// What others measure for a run.
pub struct Elsewhere {
    hired: Hired,
    setup: OwnEngine,
    /// The engine that candidates change.
    base: EngineData,
    /// Tasks done for this run by this process.
    done: u64,
}

impl Elsewhere {
    /// Has the measurements of this engine made by others.
    ///
    /// # Errors
    /// The network cannot be stored.
    pub fn new(mut hired: Hired, setup: OwnEngine) -> Result<Elsewhere, TuneError> {
        let Hired { executor, build, say } = &mut hired;
        let mut far = Far { executor: executor.as_mut(), build: build.clone(), say: say.as_ref() };
        let base = EngineData::solver_of(&setup.base, setup.conditions.hash, THREADS, &mut far)?;
        Ok(Elsewhere { hired, setup, base, done: 0 })
    }

    /// Cuts work into tasks. The same work is cut in the same way again, whatever of it is known by then, so that a resumed run finds
    /// what was done for it meanwhile.
    pub fn cut(&self, wanted: &[Task]) -> Vec<Task> {
        let most = self.hired.executor.grain() * NOMINAL_SPEED;
        let count = wanted.iter().map(|task| task.probes.len()).sum::<usize>();
        let conditions = &self.setup.conditions;
        let nodes = |probe: &Probe| match probe {
            Probe::Position { .. } => conditions.nodes as f64,
            Probe::Pair { .. } => conditions.move_nodes as f64 * PAIR_MOVES,
        };
        let part = (count / PARTS).max(1);
        let mut tasks = Vec::new();
        for task in wanted {
            let mut probes: Vec<Probe> = Vec::new();
            let mut cost = 0.0;
            for probe in &task.probes {
                if !probes.is_empty() && (probes.len() >= part || cost + nodes(probe) > most) {
                    tasks.push(Task { candidate: task.candidate.clone(), probes: std::mem::take(&mut probes) });
                    cost = 0.0;
                }
                cost += nodes(probe);
                probes.push(probe.clone());
            }
            tasks.push(Task { candidate: task.candidate.clone(), probes });
        }
        tasks
    }

    /// Has tasks done. Their outcomes come in any order.
    ///
    /// # Errors
    /// They cannot be done; what came before was told.
    pub fn measure(
        &mut self,
        tasks: Vec<Task>,
        stop: &Interruption,
        on_outcome: &mut dyn FnMut(Outcome) -> Result<(), TuneError>,
    ) -> Result<(), TuneError> {
        let Elsewhere { hired: Hired { executor, build, say }, setup, base, done } = self;
        let mut far = Far { executor: executor.as_mut(), build: build.clone(), say: say.as_ref() };
        let left = tasks.len();
        let errands = Errands { setup, base, build: build.clone() };
        let mut batch = Batch { errands, tasks: tasks.into_iter(), left, done, stop, on_outcome, ended: None };
        drive(&mut far, &mut batch)?;
        match batch.ended {
            Some(error) => Err(error),
            None if batch.left > 0 => Err(TuneError::Stopped),
            None => Ok(()),
        }
    }
}

/// Makes data of tasks.
struct Errands<'a> {
    setup: &'a OwnEngine,
    base: &'a EngineData,
    build: Build,
}

impl Errands<'_> {
    fn engine(&self, candidate: &Candidate) -> EngineData {
        let mut engine = self.base.clone();
        for (dimension, value) in self.setup.space.dimensions.iter().zip(candidate) {
            engine.parameters.insert(dimension.name.clone(), *value);
        }
        engine
    }

    fn probe(&self, probe: &Probe) -> Result<Asked, String> {
        let OwnEngine { base, material, .. } = self.setup;
        Ok(match probe {
            Probe::Position { set, index } => {
                let record = material.position(*set, *index)?;
                // What the position is called, and what else is said of it, changes no search.
                let bare = Record { id: None, others: Vec::new(), counts: Vec::new(), ..record.clone() };
                Asked::Position(bare.to_string())
            }
            Probe::Pair { opponent, opening } => {
                Asked::Pair { opponent: self.engine(opponent), opening: Opening::of(material.opening(base, *opening)) }
            }
        })
    }

    fn task(&self, task: &Task) -> Result<quarterply_work::Task, String> {
        let conditions = &self.setup.conditions;
        let content = Content {
            engine: self.engine(&task.candidate),
            nodes: conditions.nodes,
            stop: conditions.stop,
            move_nodes: conditions.move_nodes,
            probes: task.probes.iter().map(|probe| self.probe(probe)).collect::<Result<_, _>>()?,
        };
        let objects = self.base.evaluation.object().into_iter().collect();
        let content = serde_json::to_value(content).unwrap_or_default();
        Ok(quarterply_work::Task { kind: KIND.to_owned(), build: self.build.clone(), objects, content })
    }
}

/// A batch of work as others see it.
struct Batch<'a, 'b> {
    errands: Errands<'a>,
    tasks: std::vec::IntoIter<Task>,
    /// Tasks without an outcome.
    left: usize,
    done: &'a mut u64,
    stop: &'a Interruption,
    on_outcome: &'a mut (dyn FnMut(Outcome) -> Result<(), TuneError> + 'b),
    /// Why no more is to be done.
    ended: Option<TuneError>,
}

impl Course<Task> for Batch<'_, '_> {
    fn take(&mut self) -> Option<(Task, quarterply_work::Task)> {
        let task = self.tasks.next()?;
        match self.errands.task(&task) {
            Ok(data) => Some((task, data)),
            Err(reason) => {
                self.ended = Some(TuneError::Engine(reason));
                None
            }
        }
    }

    fn done(&mut self, task: Task, outcome: quarterply_work::Outcome) -> Result<(), String> {
        let measures: Vec<Measure> = serde_json::from_value(outcome.body).map_err(|error| error.to_string())?;
        let fits = |(probe, measure): (&Probe, &Measure)| {
            matches!(
                (probe, measure),
                (Probe::Position { .. }, Measure::Position { .. }) | (Probe::Pair { .. }, Measure::Pair { .. })
            )
        };
        if measures.len() != task.probes.len() || !task.probes.iter().zip(&measures).all(fits) {
            return Err(format!(
                "{} measurements for {} probes, or of another kind",
                measures.len(),
                task.probes.len()
            ));
        }
        self.left -= 1;
        *self.done += 1;
        self.ended = (self.on_outcome)(Outcome { task, measures }).err();
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.ended.is_some() || self.stop.is_set()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        // What comes after this batch depends on what it finds.
        (*self.done, None)
    }
}

/// Measures what others ask for.
#[derive(Default)]
pub struct Runner {
    /// The engine that searched last.
    ready: Option<(EngineData, EngineSolver)>,
}

impl Runner {
    /// A solver that plays as this engine. Nothing of the one before is left in it once a new game begins.
    fn solver(&mut self, engine: &EngineData, desk: &Desk) -> Result<EngineSolver, Fault> {
        match self.ready.take() {
            Some((known, solver)) if known == *engine => Ok(solver),
            Some((known, mut solver)) if known.hash == engine.hash => {
                solver.set_parameters(engine.parameters(desk)?);
                Ok(solver)
            }
            _ => engine.solver(desk),
        }
    }

    fn search(&mut self, content: &Content, line: &str, desk: &Desk) -> Result<Measure, Fault> {
        let record = parse_line(line, 1).map_err(|fault| Fault::Refused(fault.to_string()))?;
        let limits = Limits { nodes: Some(content.nodes), ..Limits::default() };
        let conditions = suite::Conditions { limits, stop: content.stop };
        let mut solver = self.solver(&content.engine, desk)?;
        let row = suite::solve(&mut Leashed { solver: &mut solver, desk }, "", &record, &conditions);
        self.ready = Some((content.engine.clone(), solver));
        let row = row.map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
    }
}

fn play(content: &Content, opponent: &EngineData, opening: &Opening, desk: &Desk) -> Result<Measure, Fault> {
    let opening = opening.game().map_err(Fault::Refused)?;
    let mut first = content.engine.player("", desk)?;
    let mut second = opponent.player("", desk)?;
    play_pair(&mut first, &mut second, &opening, content.move_nodes).map_err(Fault::Failed)
}

impl quarterply_work::Runner for Runner {
    fn run(&mut self, task: &quarterply_work::Task, desk: &Desk) -> Result<Found, Fault> {
        let content: Content = serde_json::from_value(task.content.clone())
            .map_err(|error| Fault::Refused(format!("it is no task of tune ({error})")))?;
        // Two players, each with a table.
        desk.room(2 * content.engine.hash as u64)?;
        let mut measures = Vec::with_capacity(content.probes.len());
        for probe in &content.probes {
            let measure = match probe {
                Asked::Position(line) => self.search(&content, line, desk)?,
                Asked::Pair { opponent, opening } => play(&content, opponent, opening, desk)?,
            };
            if desk.is_stopped() {
                // A search that was broken off proves nothing.
                return Err(Fault::Stopped);
            }
            measures.push(measure);
        }
        let body = serde_json::to_value(&measures).unwrap_or_default();
        let agree = Some(Digest::of(body.to_string().as_bytes()));
        Ok(Found { body, agree })
    }
}
