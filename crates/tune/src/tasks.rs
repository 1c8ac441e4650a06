//! Measurements as tasks: a candidate with some of its units; the outcome is their results.
//!
//! Everything that a measurement depends on is part of the task: limits, positions, openings, and for our own engine its parameters.
//! Another engine has its options there; tasks for workers elsewhere name it, and those of this process mean the one that it tunes.

mod task;

pub use task::{MeasureTask, Measuring};

use super::cache::{Counter, UnitRunner};
use super::error::TuneError;
use super::inputs::{ExternalEngine, TuningInputs};
use super::objective::ObjectiveConditions;
use super::run::{OnEvent, TuningEvent};
use super::space::Space;
use super::units::{CandidateTask, FinishedTask, Measurement, TaskResults, WorkUnit};
use quarterply_engine::params::Parameters;
use quarterply_games::game::Pace;
use quarterply_games::portable::EngineData;
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{Done, Executor, Job, JobItem, JobState, NOMINAL_SPEED, StopMode, WorkError};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
use task::TaskEngine;

/// Tasks per thread that a batch of work is cut into, at least.
const TASKS_PER_THREAD: usize = 16;
/// For remote workers, a task is at most this part of a batch, so that all workers have tasks.
const PARTS: usize = 64;
/// Moves of a pair of games, both sides together.
const PAIR_MOVES: f64 = 200.0;
/// Clocks of a pair of games.
const PAIR_CLOCKS: f64 = 4.0;
/// Threads of the engines that are measured.
const THREADS: usize = 1;

/// Everything that measurements depend on.
#[derive(Clone)]
pub(crate) struct MeasuredEngine {
    /// The parameters that candidates of our engine are based on; they also judge openings.
    pub base: Parameters,
    /// Another engine, if that is measured.
    pub external: Option<ExternalEngine>,
    /// The tuned parameters.
    pub space: Space,
    /// Limits.
    pub conditions: ObjectiveConditions,
    /// Positions and openings.
    pub inputs: Arc<TuningInputs>,
}

/// The executor of the measurements of a run, and the division into tasks for it.
pub(crate) struct MeasurementRunner<'e> {
    executor: Box<dyn Executor<Measuring> + 'e>,
    setup: MeasuredEngine,
    /// The engine without the values of a candidate.
    base: TaskEngine,
    /// Units of a task in this process, at most.
    chunk: usize,
    /// Tasks done.
    done: u64,
    stop: Interruption,
}

impl<'e> MeasurementRunner<'e> {
    /// Measures with this executor.
    ///
    /// # Errors
    /// The network of this engine cannot be stored, or the program of another one cannot be read.
    pub(crate) fn new(
        mut executor: Box<dyn Executor<Measuring> + 'e>,
        setup: MeasuredEngine,
        chunk: usize,
        stop: Interruption,
    ) -> Result<MeasurementRunner<'e>, TuneError> {
        let base = match &setup.external {
            None => {
                let store = &mut |path: &std::path::Path| executor.store(path);
                TaskEngine::Own(EngineData::new(&setup.base, setup.conditions.hash, THREADS, store)?)
            }
            Some(_) if executor.threads() > 0 => TaskEngine::Local(Vec::new()),
            Some(engine) => TaskEngine::External(engine.data().map_err(TuneError::Start)?),
        };
        Ok(MeasurementRunner { executor, setup, base, chunk: chunk.max(1), done: 0, stop })
    }
}

impl UnitRunner for MeasurementRunner<'_> {
    fn cut(
        &self,
        tasks: &[CandidateTask],
        missing: &dyn Fn(&[CandidateTask]) -> Vec<CandidateTask>,
    ) -> Vec<CandidateTask> {
        match self.executor.target_duration() {
            Some(target_duration) => missing(&cut_evenly(tasks, target_duration, &self.setup.conditions)),
            None => cut_down(&missing(tasks), self.chunk, self.executor.threads().max(1)),
        }
    }

    fn measure(
        &mut self,
        tasks: Vec<CandidateTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError> {
        let on_progress = RefCell::new(on_progress);
        let MeasurementRunner { executor, setup, base, done, stop, .. } = self;
        let left = tasks.len();
        let on_progress = &on_progress;
        let mut job = BatchJob { setup, base, tasks, next: 0, left, done, counter, stop, on_progress };
        let say = |text: &str| (on_progress.borrow_mut())(TuningEvent::Warning(text));
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
fn cut_evenly(
    requested: &[CandidateTask],
    target_duration: Duration,
    conditions: &ObjectiveConditions,
) -> Vec<CandidateTask> {
    let most = target_duration.as_secs_f64() * NOMINAL_SPEED;
    let count = requested.iter().map(|task| task.units.len()).sum::<usize>();
    let nodes = |unit: &WorkUnit| match unit {
        WorkUnit::Position { .. } => conditions.nodes as f64,
        WorkUnit::Pair { .. } => pair_nodes(&conditions.pace),
    };
    let part = (count / PARTS).max(1);
    let mut tasks = Vec::new();
    for task in requested {
        let mut units: Vec<WorkUnit> = Vec::new();
        let mut cost = 0.0;
        for unit in &task.units {
            if !units.is_empty() && (units.len() >= part || cost + nodes(unit) > most) {
                tasks.push(CandidateTask { candidate: task.candidate.clone(), units: std::mem::take(&mut units) });
                cost = 0.0;
            }
            cost += nodes(unit);
            units.push(unit.clone());
        }
        tasks.push(CandidateTask { candidate: task.candidate.clone(), units });
    }
    tasks
}

/// The duration of a pair of games, in nodes at [`NOMINAL_SPEED`].
fn pair_nodes(pace: &Pace) -> f64 {
    let seconds = match pace {
        Pace::Nodes(nodes) => return *nodes as f64 * PAIR_MOVES,
        // Unknown: a separate task.
        Pace::Depth(_) => return f64::INFINITY,
        Pace::Movetime { time, .. } => time.as_secs_f64() * PAIR_MOVES,
        Pace::Clock(control) => PAIR_CLOCKS * control.base.as_secs_f64() + PAIR_MOVES * control.increment.as_secs_f64(),
    };
    seconds * NOMINAL_SPEED
}

/// Cuts work into tasks: large ones first, single units in the end, so that all threads finish at nearly the same time. A pair of games
/// is a separate task, so that no more than the games in progress is lost.
fn cut_down(work: &[CandidateTask], chunk: usize, threads: usize) -> Vec<CandidateTask> {
    let mut left: usize = work.iter().map(|task| task.units.len()).sum();
    let mut tasks = Vec::new();
    for task in work {
        let mut rest = &task.units[..];
        while !rest.is_empty() {
            let most = if matches!(rest[0], WorkUnit::Pair { .. }) { 1 } else { chunk };
            let size = (left / (threads * TASKS_PER_THREAD)).clamp(1, most).min(rest.len());
            let (now, later) = rest.split_at(size);
            tasks.push(CandidateTask { candidate: task.candidate.clone(), units: now.to_vec() });
            left -= size;
            rest = later;
        }
    }
    tasks
}

/// A batch of measurements: a job.
struct BatchJob<'a, 'b, 'c> {
    setup: &'a MeasuredEngine,
    base: &'a TaskEngine,
    tasks: Vec<CandidateTask>,
    next: usize,
    /// Tasks without an outcome.
    left: usize,
    /// Tasks done since the command began.
    done: &'a mut u64,
    counter: &'a mut Counter<'b>,
    stop: &'a Interruption,
    on_progress: &'a RefCell<&'a mut OnEvent<'c>>,
}

impl Job for BatchJob<'_, '_, '_> {
    type Kind = Measuring;
    type Error = TuneError;

    fn next(&mut self) -> Result<Option<JobItem<Measuring>>, TuneError> {
        let Some(task) = self.tasks.get(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(JobItem::Task(MeasureTask::new(self.setup, self.base, task).map_err(TuneError::Engine)?)))
    }

    fn check(&self, number: u64, results: &TaskResults) -> Result<(), String> {
        let (task, measures) = (&self.tasks[number as usize], &results.measures);
        let fits = |(unit, measure): (&WorkUnit, &Measurement)| {
            matches!(
                (unit, measure),
                (WorkUnit::Position { .. }, Measurement::Position { .. })
                    | (WorkUnit::Pair { .. }, Measurement::Pair { .. })
            )
        };
        let is_pair = |place: &usize| matches!(task.units.get(*place), Some(WorkUnit::Pair { .. }));
        if !results.faults.iter().all(|(place, _)| is_pair(place)) {
            return Err("a fault without a game".to_owned());
        }
        if measures.len() == task.units.len() && task.units.iter().zip(measures).all(fits) {
            return Ok(());
        }
        Err(format!("{} measurements for {} units, or of another kind", measures.len(), task.units.len()))
    }

    fn received(&mut self, number: u64, done: &Done<TaskResults>) -> Result<(), TuneError> {
        self.left -= 1;
        *self.done += 1;
        let task = self.tasks[number as usize].clone();
        let outcome = FinishedTask { task, results: done.outcome.clone() };
        self.counter.take(outcome, &mut **self.on_progress.borrow_mut())
    }

    fn done(&mut self, _: u64, _: Done<TaskResults>) -> Result<(), TuneError> {
        Ok(())
    }

    fn state(&self) -> JobState {
        if self.stop.is_set() { JobState::Stop(StopMode::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        // The next batch depends on the results of this one.
        (*self.done, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SuiteRole;

    fn work(counts: &[u32]) -> Vec<CandidateTask> {
        let units = |count| (0..count).map(|index| WorkUnit::Position { set: SuiteRole::Tuning, index }).collect();
        counts.iter().enumerate().map(|(i, n)| CandidateTask { candidate: vec![i as i32], units: units(*n) }).collect()
    }

    #[test]
    fn work_is_cut_into_shrinking_tasks_and_nothing_is_lost() {
        let work = work(&[300, 1, 299]);
        let tasks = cut_down(&work, 8, 2);
        assert_eq!(tasks.iter().map(|task| task.units.len()).sum::<usize>(), 600);
        assert_eq!((tasks[0].units.len(), tasks[tasks.len() - 1].units.len()), (8, 1));
        for task in &work {
            let own: Vec<_> =
                tasks.iter().filter(|t| t.candidate == task.candidate).flat_map(|t| t.units.clone()).collect();
            assert_eq!(own, task.units);
        }
    }
}
