//! A run as a job: games are made by tasks, and written in the order of their numbers.

use crate::error::DataError;
use crate::folder::Writer;
use crate::play::PlayError;
use crate::produce::{
    DatagenWork, GamesFound, GamesTask, ProducedGame, Production, TaskSettings, TaskSize, TaskSource,
};
use crate::read::Archive;
use crate::record::{GameOutcome, GameRecord};
use crate::settings::DatagenGoal;
use quarterply_work::{Done, Executor, Job, JobItem, JobState, StopMode, WorkError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Time between two syncs of the file, which limit the loss in a power failure.
const SYNC_INTERVAL: Duration = Duration::from_secs(60);
const SECONDS_PER_HOUR: f64 = 3600.0;

/// An error that ends a run.
#[derive(Debug, Error)]
pub enum RunError {
    /// No game can be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// No game can be written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The tasks cannot be executed.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// Counts of games and their positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Moves, which are positions.
    pub moves: u64,
    /// Positions that pass the default filter.
    pub kept: u64,
    /// Games that White won.
    pub white: u64,
    /// Draws.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
}

impl Totals {
    /// Counts a game, of which `kept` positions pass the default filter.
    pub fn add(&mut self, game: &GameRecord, kept: u64) {
        self.games += 1;
        self.moves += game.steps.len() as u64;
        self.kept += kept;
        *match game.outcome {
            GameOutcome::White => &mut self.white,
            GameOutcome::Draw => &mut self.draws,
            GameOutcome::Black => &mut self.black,
        } += 1;
    }
}

/// The results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DatagenSummary {
    /// Everything in the folder.
    pub all: Totals,
    /// Games that this process added.
    pub added: Totals,
    /// Elapsed time.
    pub time: Duration,
    /// The time of all workers together.
    pub working: Duration,
    /// The part of it that was spent in searches.
    pub searching: Duration,
    /// True if it was stopped before its goal.
    pub stopped: bool,
}

impl DatagenSummary {
    /// Share of the workers' time that was spent in searches.
    pub fn search_share(&self) -> f64 {
        self.searching.as_secs_f64() / self.working.as_secs_f64().max(f64::EPSILON)
    }

    /// Positions that pass the default filter, for each second of a worker.
    pub fn kept_rate(&self) -> f64 {
        self.added.kept as f64 / self.working.as_secs_f64().max(f64::EPSILON)
    }
}

/// Plays until the goal is reached or `stop` is set; running games are finished. `so_far` counts the games of the folder, `on_message`
/// receives messages for the user, and `on_totals` the totals after every game that is written.
///
/// # Errors
/// No game can be played or written; what was written stays.
pub fn run(
    writer: &mut Writer,
    goal: DatagenGoal,
    so_far: Totals,
    executor: &mut dyn Executor<Production>,
    stop: &AtomicBool,
    on_message: &dyn Fn(&str),
    on_totals: &mut dyn FnMut(&Totals),
) -> Result<DatagenSummary, RunError> {
    let source = TaskSource::Play { next: writer.next_number(), last: goal.games };
    DatagenRun::new(writer, source, goal, so_far, executor, stop, on_totals)?.drive(executor, on_message)
}

/// Searches the games of `source` again, from the first that the writer does not have, until all are done or `stop` is set: gives them new
/// scores or, with `each`, draws this number of positions that searches of a game visit.
///
/// # Errors
/// The source is damaged, or no game can be written; what was written stays.
pub fn search_again(
    writer: &mut Writer,
    source: &Archive,
    each: Option<u64>,
    so_far: Totals,
    executor: &mut dyn Executor<Production>,
    stop: &AtomicBool,
    on_totals: &mut dyn FnMut(&Totals),
) -> Result<DatagenSummary, RunError> {
    let source = TaskSource::Stored { games: Box::new(source.games()), each, from: writer.next_number() };
    DatagenRun::new(writer, source, DatagenGoal::default(), so_far, executor, stop, on_totals)?.drive(executor, &|_| {})
}

/// A run in progress.
struct DatagenRun<'a> {
    writer: &'a mut Writer,
    source: TaskSource<'a>,
    how: Arc<TaskSettings>,
    size: TaskSize,
    goal: DatagenGoal,
    /// The results so far; those that the end decides are set there.
    summary: DatagenSummary,
    /// The numbers of the games that each task plays.
    ranges: Vec<Option<(u64, u64)>>,
    /// Games received, in any order.
    received: u64,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    begun: Instant,
    synced: Instant,
    on_totals: &'a mut dyn FnMut(&Totals),
}

impl<'a> DatagenRun<'a> {
    fn new(
        writer: &'a mut Writer,
        source: TaskSource<'a>,
        goal: DatagenGoal,
        all: Totals,
        executor: &mut dyn Executor<Production>,
        stop: &'a AtomicBool,
        on_totals: &'a mut dyn FnMut(&Totals),
    ) -> Result<DatagenRun<'a>, RunError> {
        let (begun, settings) = (Instant::now(), &writer.header().settings);
        let hours = |hours: f64| Duration::try_from_secs_f64(hours * SECONDS_PER_HOUR).ok();
        Ok(DatagenRun {
            how: Arc::new(TaskSettings::new(settings, executor)?),
            size: TaskSize::new(executor.target_duration(), settings),
            deadline: goal.hours.and_then(hours).and_then(|time| begun.checked_add(time)),
            writer,
            source,
            goal,
            summary: DatagenSummary { all, ..DatagenSummary::default() },
            ranges: Vec::new(),
            received: 0,
            stop,
            begun,
            synced: begun,
            on_totals,
        })
    }

    fn drive(
        mut self,
        executor: &mut dyn Executor<Production>,
        on_message: &dyn Fn(&str),
    ) -> Result<DatagenSummary, RunError> {
        let ended = quarterply_work::run(&mut self, executor, on_message);
        self.writer.sync()?;
        ended?;
        let time = self.begun.elapsed();
        let threads = executor.threads() as u32;
        Ok(DatagenSummary {
            time,
            // Threads of this process also wait for tasks; the idle time of workers elsewhere is not counted.
            working: if threads > 0 { time * threads } else { self.summary.working },
            stopped: self.stop.load(Relaxed) && !self.reached(),
            ..self.summary
        })
    }

    /// Returns true if nothing is left to do.
    fn reached(&self) -> bool {
        let Totals { games, kept, .. } = self.summary.all;
        self.goal.games.is_some_and(|goal| games >= goal) || self.goal.positions.is_some_and(|goal| kept >= goal)
    }
}

impl Job for DatagenRun<'_> {
    type Kind = Production;
    type Error = RunError;

    fn next(&mut self) -> Result<Option<JobItem<Production>>, RunError> {
        let Some(work) = self.source.next(&self.size)? else { return Ok(None) };
        self.ranges.push(match work {
            DatagenWork::Play { first, last } => Some((first, last)),
            DatagenWork::Relabel(_) | DatagenWork::Sample(..) => None,
        });
        Ok(Some(JobItem::Task(GamesTask { work, how: Arc::clone(&self.how) })))
    }

    fn received(&mut self, _: u64, done: &Done<GamesFound>) -> Result<(), RunError> {
        let GamesFound { games, searching } = &done.outcome;
        self.received += games.len() as u64;
        self.size.learn(done.time, games.len());
        self.summary.working += done.time;
        self.summary.searching += Duration::try_from_secs_f64(*searching).unwrap_or_default();
        Ok(())
    }

    fn done(&mut self, _: u64, done: Done<GamesFound>) -> Result<(), RunError> {
        for ProducedGame { game, kept } in done.outcome.games {
            if self.reached() {
                break;
            }
            self.writer.append(&game)?;
            self.summary.all.add(&game, kept);
            self.summary.added.add(&game, kept);
            (self.on_totals)(&self.summary.all);
        }
        if self.synced.elapsed() > SYNC_INTERVAL {
            self.writer.sync()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn check(&self, number: u64, found: &GamesFound) -> Result<(), String> {
        let Some((first, last)) = self.ranges[number as usize] else { return Ok(()) };
        let is_whole = found.games.iter().map(|made| made.game.number).eq(first..=last);
        if is_whole { Ok(()) } else { Err(format!("it does not hold the games {first} to {last}")) }
    }

    fn state(&self) -> JobState {
        if self.reached() {
            JobState::Stop(StopMode::Cancel)
        } else if self.stop.load(Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            JobState::Stop(StopMode::Finish)
        } else {
            JobState::Running
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.received, self.source.left())
    }
}

#[cfg(test)]
mod tests;
