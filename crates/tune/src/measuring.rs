//! Measurements as tasks: a candidate with some of its probes; the outcome is their results.
//!
//! For our own engine everything that a measurement depends on is part of the task: parameters, limits, positions, openings. Another
//! engine is measured by a [`Meter`] in this process; tasks for workers elsewhere name it, and its options are part of them.

mod external;

pub use external::ExternalTask;

use super::error::TuneError;
use super::ledger::{Counter, OnProgress};
use super::measure::{Measure, Probe, ProbeOutcome, ProbeResult, ProbeTask, TaskResults};
use super::meter::{ExternalEngine, MakeMeter, Material, Meter, PairScore, play_game};
use super::objective::ObjectiveConditions;
use super::space::{Candidate, Space};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::search::pool::Control;
use quarterply_files::epd::{Record, parse_line};
use quarterply_games::game::{Pace, PaceError};
use quarterply_games::offered::{ExternalEngineData, OfferedEngines};
use quarterply_games::portable::{EngineData, Opening};
use quarterply_games::solver::{EngineSolver, Solver};
use quarterply_lab::suite::{self, Stop};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{
    Context, Digest, Done, Ending, Executor, Job, JobState, NOMINAL_SPEED, Piece, TaskError, TaskKind, Threads,
    WorkError,
};
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// Tasks per thread that a batch of work is cut into, at least.
const TASKS_PER_THREAD: usize = 16;
/// For remote workers, a task is at most this part of a batch, so that all workers have tasks.
const PARTS: usize = 64;
/// Moves of a pair of games, both sides together.
const PAIR_MOVES: f64 = 200.0;
/// Clocks of a pair of games.
const PAIR_CLOCKS: f64 = 4.0;
/// Tables of a task: games have two players.
const PAIR_OF_TABLES: u64 = 2;
/// Threads of the engines that are measured.
const THREADS: usize = 1;

/// Everything that measurements by our own engine depend on.
#[derive(Clone)]
pub struct OwnEngine {
    /// What candidates change.
    pub base: Parameters,
    /// How they change it.
    pub space: Space,
    /// Limits.
    pub conditions: ObjectiveConditions,
    /// Positions and openings.
    pub material: Arc<Material>,
}

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureTask {
    /// Our own engine.
    Own(OwnTask),
    /// Another engine that the machine offers.
    External(ExternalTask),
    /// The engine of the executor; see [`Measuring::threads`].
    Local(ProbeTask),
}

/// Probes of this engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnTask {
    engine: EngineData,
    /// Nodes per position.
    nodes: u64,
    stop: Stop,
    /// The limit of moves in games, as the user writes it.
    pace: String,
    /// See [`Pace::with_margin`] (milliseconds).
    margin: u64,
    probes: Vec<OwnProbe>,
}

/// A probe with all that it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OwnProbe {
    /// A position with its solution, as EPD.
    Position(String),
    /// An opening played twice with colours swapped.
    Pair { opponent: EngineData, opening: Opening },
}

/// The engine of this machine: what makes its meter, and the meter.
type LocalEngine = (Arc<MakeMeter>, Option<Box<dyn Meter>>);

/// Measures probes.
#[derive(Default)]
pub struct Measuring {
    local: Option<LocalEngine>,
    /// Other engines that tasks may name.
    engines: OfferedEngines,
    /// The engine that searched last.
    engine: Option<(EngineData, EngineSolver)>,
}

impl Measuring {
    /// The executor that measures in this process until `stop` is set; `local` makes what measures [`MeasureTask::Local`].
    pub fn threads(count: usize, stop: &Interruption, local: Option<Arc<MakeMeter>>) -> Threads<Measuring> {
        Threads::start_until(count, Some(stop.flag()), move || {
            Ok(Measuring { local: local.clone().map(|make| (make, None)), ..Measuring::default() })
        })
    }

    /// Measures tasks that name these engines, too.
    pub fn offering(engines: OfferedEngines) -> Measuring {
        Measuring { engines, ..Measuring::default() }
    }

    fn measure_local(&mut self, task: &ProbeTask, context: &Context) -> Result<TaskResults, TaskError> {
        let Some((make, meter)) = &mut self.local else {
            return Err(TaskError::Refused("its engine is on another machine only".to_owned()));
        };
        let meter = match meter {
            Some(meter) => meter,
            none => none.insert(make().map_err(TaskError::Failed)?),
        };
        let mut on_trouble = |what| (context.notes)(what);
        let mut results = TaskResults::default();
        for probe in &task.probes {
            if context.is_cancelled() {
                return Err(TaskError::Stopped);
            }
            results.push(meter.measure(&task.candidate, probe, &mut on_trouble).map_err(TaskError::Failed)?);
        }
        Ok(results)
    }

    fn measure_own(&mut self, task: &OwnTask, context: &Context) -> Result<TaskResults, TaskError> {
        context.reserve(PAIR_OF_TABLES * task.engine.hash as u64)?;
        let mut results = TaskResults::default();
        for probe in &task.probes {
            let result = match probe {
                OwnProbe::Position(line) => self.search(task, line, context)?.into(),
                OwnProbe::Pair { opponent, opening } => play(task, opponent, opening, context)?,
            };
            if context.is_cancelled() {
                // A search that was broken off proves nothing.
                return Err(TaskError::Stopped);
            }
            results.push(result);
        }
        Ok(results)
    }

    /// A solver that plays as this engine. Nothing of the one before is left in it once a new game begins.
    fn solver(&mut self, engine: &EngineData, context: &Context) -> Result<&mut EngineSolver, TaskError> {
        let solver = match self.engine.take() {
            Some((known, solver)) if known == *engine => solver,
            Some((known, mut solver)) if known.hash == engine.hash => {
                solver.set_parameters(engine.parameters(context)?);
                solver
            }
            _ => engine.solver(context)?,
        };
        Ok(&mut self.engine.insert((engine.clone(), solver)).1)
    }

    fn search(&mut self, task: &OwnTask, line: &str, context: &Context) -> Result<Measure, TaskError> {
        let record = parse_line(line, 1).map_err(|fault| TaskError::Refused(fault.to_string()))?;
        let limits = Limits { nodes: Some(task.nodes), ..Limits::default() };
        let conditions = suite::SuiteConditions { limits, stop: task.stop };
        let solver = self.solver(&task.engine, context)?;
        let control = Control::default();
        solver.set_control(&control);
        let _hook = context.cancel.on_cancel(move || control.stop());
        let row = suite::solve(solver, "", &record, &conditions);
        let row = row.map_err(|error| TaskError::Failed(error.to_string()))?;
        Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
    }
}

fn play(task: &OwnTask, opponent: &EngineData, opening: &Opening, context: &Context) -> Result<ProbeResult, TaskError> {
    let pace: Pace = task.pace.parse().map_err(|error: PaceError| TaskError::Refused(error.to_string()))?;
    let pace = pace.with_margin(Duration::from_millis(task.margin));
    let opening = opening.game().map_err(TaskError::Refused)?;
    let mut first = task.engine.player("", context)?;
    let mut second = opponent.player("", context)?;
    let mut score = PairScore::default();
    for color in Color::ALL {
        score.add(&play_game([&mut first, &mut second], color, &opening, pace), color);
    }
    Ok(score.result())
}

impl TaskKind for Measuring {
    const NAME: &'static str = "tune";
    type Task = MeasureTask;
    type Outcome = TaskResults;

    fn run(&mut self, task: &MeasureTask, context: &Context) -> Result<TaskResults, TaskError> {
        match task {
            MeasureTask::Own(task) => self.measure_own(task, context),
            MeasureTask::External(task) => self.measure_external(task, context),
            MeasureTask::Local(task) => self.measure_local(task, context),
        }
    }

    fn objects(task: &MeasureTask) -> Vec<Digest> {
        match task {
            MeasureTask::Own(task) => task.engine.evaluation.object().into_iter().collect(),
            MeasureTask::External(_) | MeasureTask::Local(_) => Vec::new(),
        }
    }

    fn checksum(task: &MeasureTask, results: &TaskResults) -> Option<Digest> {
        let text = || serde_json::to_vec(results).unwrap_or_default();
        let repeats = |task: &OwnTask| task.pace.parse::<Pace>().is_ok_and(|pace| !pace.is_timed());
        matches!(task, MeasureTask::Own(task) if repeats(task)).then(|| Digest::of(&text()))
    }
}

/// What executes the measurements of a run, and how tasks are made for it.
pub struct MeasurementRunner<'e> {
    executor: Box<dyn Executor<Measuring> + 'e>,
    /// Our own engine, with its data; `None` if the engine of the executor is measured.
    own: Option<(OwnEngine, EngineData)>,
    /// Another engine, if tasks for workers elsewhere have it measured.
    external: Option<(ExternalEngine, ExternalEngineData)>,
    /// Probes of a task in this process, at most.
    chunk: usize,
    /// Tasks done.
    done: u64,
    stop: Interruption,
}

impl<'e> MeasurementRunner<'e> {
    /// Measures with this executor: this engine, or that of the executor.
    ///
    /// # Errors
    /// The network of this engine cannot be stored.
    pub fn new(
        mut executor: Box<dyn Executor<Measuring> + 'e>,
        own: Option<OwnEngine>,
        chunk: usize,
        stop: Interruption,
    ) -> Result<MeasurementRunner<'e>, WorkError> {
        let own = match own {
            None => None,
            Some(own) => {
                let store = &mut |path: &std::path::Path| executor.store(path);
                let data = EngineData::solver_of(&own.base, own.conditions.hash, THREADS, store)?;
                Some((own, data))
            }
        };
        Ok(MeasurementRunner { executor, own, external: None, chunk: chunk.max(1), done: 0, stop })
    }

    /// The same with tasks that have another engine measured by workers elsewhere.
    #[must_use]
    pub fn with_external(self, engine: ExternalEngine, data: ExternalEngineData) -> MeasurementRunner<'e> {
        MeasurementRunner { external: Some((engine, data)), ..self }
    }

    /// Cuts work into tasks. `missing` is what is not known of `wanted`. For workers elsewhere the same work is cut in the same way
    /// again, whatever of it is known by then, so that a resumed run finds what was measured for it meanwhile.
    pub(crate) fn cut(&self, wanted: &[ProbeTask], missing: &dyn Fn(&[ProbeTask]) -> Vec<ProbeTask>) -> Vec<ProbeTask> {
        let own = self.own.as_ref().map(|(own, _)| &own.conditions);
        match (self.executor.grain(), own.or(self.external.as_ref().map(|(engine, _)| &engine.conditions))) {
            (Some(grain), Some(conditions)) => missing(&cut_evenly(wanted, grain, conditions)),
            _ => cut_down(&missing(wanted), self.chunk, self.executor.threads().max(1)),
        }
    }

    /// Has tasks measured. Their outcomes are counted in any order.
    ///
    /// # Errors
    /// They cannot be measured; what came before counts.
    pub(crate) fn measure(
        &mut self,
        tasks: Vec<ProbeTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<(), TuneError> {
        let on_progress = RefCell::new(on_progress);
        let MeasurementRunner { executor, own, external, done, stop, .. } = self;
        let left = tasks.len();
        let mut job = BatchJob {
            own: own.as_ref(),
            external: external.as_ref(),
            tasks,
            next: 0,
            left,
            done,
            counter,
            stop,
            on_progress: &on_progress,
        };
        let say = |text: &str| (on_progress.borrow_mut())(super::ledger::Progress::Trouble(text.to_owned()));
        match quarterply_work::run(&mut job, executor.as_mut(), &say) {
            // An engine that was cancelled has not failed.
            Err(TuneError::Work(WorkError::Task(_) | WorkError::Refused(_))) if stop.is_set() => {
                Err(TuneError::Stopped)
            }
            Err(TuneError::Work(WorkError::Task(reason) | WorkError::Refused(reason))) => {
                Err(TuneError::Engine(reason))
            }
            Ok(()) if job.left > 0 => Err(TuneError::Stopped),
            ended => ended,
        }
    }
}

/// Cuts work into tasks of the same cost.
fn cut_evenly(wanted: &[ProbeTask], grain: Duration, conditions: &ObjectiveConditions) -> Vec<ProbeTask> {
    let most = grain.as_secs_f64() * NOMINAL_SPEED;
    let count = wanted.iter().map(|task| task.probes.len()).sum::<usize>();
    let nodes = |probe: &Probe| match probe {
        Probe::Position { .. } => conditions.nodes as f64,
        Probe::Pair { .. } => pair_nodes(&conditions.pace),
    };
    let part = (count / PARTS).max(1);
    let mut tasks = Vec::new();
    for task in wanted {
        let mut probes: Vec<Probe> = Vec::new();
        let mut cost = 0.0;
        for probe in &task.probes {
            if !probes.is_empty() && (probes.len() >= part || cost + nodes(probe) > most) {
                tasks.push(ProbeTask { candidate: task.candidate.clone(), probes: std::mem::take(&mut probes) });
                cost = 0.0;
            }
            cost += nodes(probe);
            probes.push(probe.clone());
        }
        tasks.push(ProbeTask { candidate: task.candidate.clone(), probes });
    }
    tasks
}

/// What a pair of games takes, in nodes at [`NOMINAL_SPEED`].
fn pair_nodes(pace: &Pace) -> f64 {
    let seconds = match pace {
        Pace::Nodes(nodes) => return *nodes as f64 * PAIR_MOVES,
        // Unknown: a task of its own.
        Pace::Depth(_) => return f64::INFINITY,
        Pace::Movetime { time, .. } => time.as_secs_f64() * PAIR_MOVES,
        Pace::Clock(control) => PAIR_CLOCKS * control.base.as_secs_f64() + PAIR_MOVES * control.increment.as_secs_f64(),
    };
    seconds * NOMINAL_SPEED
}

/// Cuts work into tasks: large ones first, single probes in the end, so that all threads finish at nearly the same time. A pair of games
/// is a task of its own, so that no more than the games in progress is lost.
fn cut_down(work: &[ProbeTask], chunk: usize, threads: usize) -> Vec<ProbeTask> {
    let mut left: usize = work.iter().map(|task| task.probes.len()).sum();
    let mut tasks = Vec::new();
    for task in work {
        let mut rest = &task.probes[..];
        while !rest.is_empty() {
            let most = if matches!(rest[0], Probe::Pair { .. }) { 1 } else { chunk };
            let size = (left / (threads * TASKS_PER_THREAD)).clamp(1, most).min(rest.len());
            let (now, later) = rest.split_at(size);
            tasks.push(ProbeTask { candidate: task.candidate.clone(), probes: now.to_vec() });
            left -= size;
            rest = later;
        }
    }
    tasks
}

/// A batch of measurements: a job.
struct BatchJob<'a, 'b, 'c> {
    own: Option<&'a (OwnEngine, EngineData)>,
    external: Option<&'a (ExternalEngine, ExternalEngineData)>,
    tasks: Vec<ProbeTask>,
    next: usize,
    /// Tasks without an outcome.
    left: usize,
    /// Tasks done since the command began.
    done: &'a mut u64,
    counter: &'a mut Counter<'b>,
    stop: &'a Interruption,
    on_progress: &'a RefCell<&'a mut OnProgress<'c>>,
}

impl Job for BatchJob<'_, '_, '_> {
    type Kind = Measuring;
    type Error = TuneError;

    fn next(&mut self) -> Result<Option<Piece<Measuring>>, TuneError> {
        let Some(task) = self.tasks.get(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Piece::Task(match (self.own, self.external) {
            (Some((setup, data)), _) => MeasureTask::Own(own_task(setup, data, task).map_err(TuneError::Engine)?),
            (None, Some((setup, data))) => {
                MeasureTask::External(ExternalTask::new(setup, data, task).map_err(TuneError::Engine)?)
            }
            (None, None) => MeasureTask::Local(task.clone()),
        })))
    }

    fn check(&self, number: u64, results: &TaskResults) -> Result<(), String> {
        let (task, measures) = (&self.tasks[number as usize], &results.measures);
        let fits = |(probe, measure): (&Probe, &Measure)| {
            matches!(
                (probe, measure),
                (Probe::Position { .. }, Measure::Position { .. }) | (Probe::Pair { .. }, Measure::Pair { .. })
            )
        };
        let is_pair = |place: &usize| matches!(task.probes.get(*place), Some(Probe::Pair { .. }));
        if !results.faults.iter().all(|(place, _)| is_pair(place)) {
            return Err("a fault without a game".to_owned());
        }
        if measures.len() == task.probes.len() && task.probes.iter().zip(measures).all(fits) {
            return Ok(());
        }
        Err(format!("{} measurements for {} probes, or of another kind", measures.len(), task.probes.len()))
    }

    fn received(&mut self, number: u64, done: &Done<TaskResults>) -> Result<(), TuneError> {
        self.left -= 1;
        *self.done += 1;
        let task = self.tasks[number as usize].clone();
        let outcome = ProbeOutcome { task, results: done.outcome.clone() };
        self.counter.take(outcome, &mut **self.on_progress.borrow_mut())
    }

    fn done(&mut self, _: u64, _: Done<TaskResults>) -> Result<(), TuneError> {
        Ok(())
    }

    fn state(&self) -> JobState {
        if self.stop.is_set() { JobState::Stop(Ending::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        // What comes after this batch depends on what it finds.
        (*self.done, None)
    }
}

fn own_task(setup: &OwnEngine, base: &EngineData, task: &ProbeTask) -> Result<OwnTask, String> {
    let engine = |candidate: &Candidate| {
        let mut engine = base.clone();
        for (dimension, value) in setup.space.dimensions.iter().zip(candidate) {
            engine.parameters.insert(dimension.name.clone(), *value);
        }
        engine
    };
    let probe = |probe: &Probe| {
        Ok::<_, String>(match probe {
            Probe::Position { set, index } => {
                let record = setup.material.position(*set, *index)?;
                // The name of a position and its other operations do not affect the search.
                let bare = Record { id: None, others: Vec::new(), counts: Vec::new(), ..record.clone() };
                OwnProbe::Position(bare.to_string())
            }
            Probe::Pair { opponent, opening } => OwnProbe::Pair {
                opponent: engine(opponent),
                opening: Opening::of(setup.material.opening(&setup.base, *opening)),
            },
        })
    };
    let ObjectiveConditions { nodes, stop, pace, .. } = setup.conditions;
    let margin = u64::try_from(pace.margin().as_millis()).unwrap_or(u64::MAX);
    let probes = task.probes.iter().map(probe).collect::<Result<_, _>>()?;
    Ok(OwnTask { engine: engine(&task.candidate), nodes, stop, pace: pace.to_string(), margin, probes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Set;

    fn work(counts: &[u32]) -> Vec<ProbeTask> {
        let probes = |count| (0..count).map(|index| Probe::Position { set: Set::Tuning, index }).collect();
        counts.iter().enumerate().map(|(i, n)| ProbeTask { candidate: vec![i as i32], probes: probes(*n) }).collect()
    }

    #[test]
    fn work_is_cut_into_shrinking_tasks_and_nothing_is_lost() {
        let work = work(&[300, 1, 299]);
        let tasks = cut_down(&work, 8, 2);
        assert_eq!(tasks.iter().map(|task| task.probes.len()).sum::<usize>(), 600);
        assert_eq!((tasks[0].probes.len(), tasks[tasks.len() - 1].probes.len()), (8, 1));
        for task in &work {
            let own: Vec<_> =
                tasks.iter().filter(|t| t.candidate == task.candidate).flat_map(|t| t.probes.clone()).collect();
            assert_eq!(own, task.probes);
        }
    }
}
