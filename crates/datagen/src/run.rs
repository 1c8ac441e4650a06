//! A run: workers play, one thread writes the games in the order of their numbers.

use crate::error::DataError;
use crate::far;
use crate::folder::Writer;
use crate::play::{PlayError, Player, tables_of};
use crate::read::{Archive, Games};
use crate::record::{GameRecord, Outcome};
use crate::replay::{Filter, ReplayError};
use crate::settings::{Goal, Settings};
use quarterply_work::{Far, Hands, WorkError};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often the system is asked to put games on the disk, against failures of power.
const SYNC_INTERVAL: Duration = Duration::from_secs(60);
const SECONDS_PER_HOUR: f64 = 3600.0;

/// Why a run ended before its time.
#[derive(Debug, Error)]
pub enum RunError {
    /// No game can be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// No game can be written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A game cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Others cannot do the work.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A worker died.
    #[error("a defect of this program ended a worker; the games written are safe, and `datagen resume` goes on")]
    Died,
}

/// What has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Moves, which are positions.
    pub moves: u64,
    /// Positions that pass the default filter.
    pub kept: u64,
    /// Games that White won, that were drawn, that Black won.
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
            Outcome::White => &mut self.white,
            Outcome::Draw => &mut self.draws,
            Outcome::Black => &mut self.black,
        } += 1;
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Everything in the folder.
    pub all: Totals,
    /// What this process added.
    pub added: Totals,
    /// How long it took.
    pub time: Duration,
    /// The time of all workers together.
    pub working: Duration,
    /// The part of it that was spent in searches.
    pub searching: Duration,
    /// Was it stopped before its goal?
    pub stopped: bool,
}

impl Summary {
    /// Share of the workers' time that was spent in searches.
    pub fn search_share(&self) -> f64 {
        self.searching.as_secs_f64() / self.working.as_secs_f64().max(f64::EPSILON)
    }

    /// Positions that pass the default filter, for each second of a worker.
    pub fn kept_rate(&self) -> f64 {
        self.added.kept as f64 / self.working.as_secs_f64().max(f64::EPSILON)
    }
}

/// What there is to do, handed out piece by piece.
enum Jobs<'a> {
    /// The number of the next game to play, and of the last one.
    Play { next: AtomicU64, last: Option<u64> },
    /// Games to give new scores, from this number on.
    Relabel { games: Box<Mutex<Games<'a>>>, from: u64 },
    /// Games to draw positions from, so many from each, from the position of this number on.
    Visit { games: Box<Mutex<Games<'a>>>, each: u64, from: u64 },
}

/// A piece of work.
enum Job {
    Play(u64),
    Relabel(Box<GameRecord>),
    /// A game, and the first number that is not written yet.
    Visit(Box<GameRecord>, u64),
}

impl Jobs<'_> {
    fn take(&self) -> Option<Result<Job, RunError>> {
        match self {
            Jobs::Play { next, last } => {
                let number = next.fetch_add(1, Relaxed);
                last.is_none_or(|last| number <= last).then_some(Ok(Job::Play(number)))
            }
            Jobs::Relabel { games, from } => {
                let game = next_game(games, |number| number >= *from)?;
                Some(game.map(|game| Job::Relabel(Box::new(game))).map_err(RunError::from))
            }
            Jobs::Visit { games, each, from } => {
                let game = next_game(games, |number| number * each >= *from)?;
                Some(game.map(|game| Job::Visit(Box::new(game), *from)).map_err(RunError::from))
            }
        }
    }
}

/// The next game that is wanted by its number.
fn next_game(games: &Mutex<Games<'_>>, wanted: impl Fn(u64) -> bool) -> Option<Result<GameRecord, DataError>> {
    let mut games = games.lock().unwrap_or_else(PoisonError::into_inner);
    games.find(|game| game.as_ref().map_or(true, |game| wanted(game.number)))
}

/// What the workers share.
pub(crate) struct Shared<'a, 'b> {
    /// Set from outside: the run shall end in good order.
    stop: &'a AtomicBool,
    /// Set from inside: the goal is reached, or something is wrong.
    halt: AtomicBool,
    deadline: Option<Instant>,
    jobs: Jobs<'b>,
    /// Time in all, and in searches.
    spent: Mutex<[Duration; 2]>,
}

impl Shared<'_, '_> {
    /// What to do now, if there is anything.
    fn take(&self) -> Option<Result<Job, RunError>> {
        if self.is_over() { None } else { self.jobs.take() }
    }

    /// Is nothing to be begun any more?
    pub(crate) fn is_over(&self) -> bool {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late || self.stop.load(Relaxed) || self.halt.load(Relaxed)
    }

    /// The numbers of the next games to play, so many or as many as are left; nothing if there are none.
    pub(crate) fn take_games(&self, count: u64) -> Option<(u64, u64)> {
        let Jobs::Play { next, last } = &self.jobs else { return None };
        let first = next.fetch_add(count, Relaxed);
        let end = (first + count - 1).min(last.unwrap_or(u64::MAX));
        (first <= end && !self.is_over()).then_some((first, end))
    }

    /// How many games have not been taken, if there is a last one.
    pub(crate) fn games_left(&self) -> Option<u64> {
        let Jobs::Play { next, last } = &self.jobs else { return None };
        last.map(|last| (last + 1).saturating_sub(next.load(Relaxed)))
    }

    /// Counts the time of a worker: in all, and in searches.
    pub(crate) fn count_time(&self, working: Duration, searching: Duration) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent[0] += working;
        spent[1] += searching;
    }
}

/// A finished game, and how many of its positions pass the default filter.
pub(crate) type Played = Result<(GameRecord, u64), RunError>;

/// Plays on until the goal is reached or `stop` is set; running games are finished. `so_far` is what the folder holds already,
/// and `see` is told of every game that is written.
///
/// # Errors
/// No game can be played or written; what was written stays.
pub fn run(
    writer: &mut Writer,
    goal: Goal,
    so_far: Totals,
    hands: Hands<'_>,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Totals),
) -> Result<Summary, RunError> {
    let jobs = Jobs::Play { next: AtomicU64::new(writer.next_number()), last: goal.games };
    drive(writer, jobs, Course { goal, all: so_far, added: Totals::default(), see }, hands, stop)
}

/// Gives the games of `source` new scores, from the first that the writer does not have, until all are done or `stop` is set.
///
/// # Errors
/// The source is damaged, or no game can be written; what was written stays.
pub fn relabel(
    writer: &mut Writer,
    source: &Archive,
    so_far: Totals,
    workers: usize,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Totals),
) -> Result<Summary, RunError> {
    let jobs = Jobs::Relabel { games: Box::new(Mutex::new(source.games())), from: writer.next_number() };
    drive(writer, jobs, Course::whole(so_far, see), Hands::Threads(workers), stop)
}

/// Draws positions that searches of the games of `source` visit, as the settings of `writer` say, from the first that it does not have,
/// until all games are done or `stop` is set.
///
/// # Errors
/// The source is damaged, or nothing can be written; what was written stays.
pub fn visit(
    writer: &mut Writer,
    source: &Archive,
    so_far: Totals,
    workers: usize,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Totals),
) -> Result<Summary, RunError> {
    let each = writer.header().settings.visited.map_or(0, |visited| visited.each);
    let jobs = Jobs::Visit { games: Box::new(Mutex::new(source.games())), each, from: writer.next_number() };
    drive(writer, jobs, Course::whole(so_far, see), Hands::Threads(workers), stop)
}

/// Sets workers to work, and writes what they do.
fn drive(
    writer: &mut Writer,
    jobs: Jobs<'_>,
    mut course: Course<'_>,
    hands: Hands<'_>,
    stop: &AtomicBool,
) -> Result<Summary, RunError> {
    let begin = Instant::now();
    let team = Team::new(&writer.header().settings, hands)?;
    let hours = |hours: f64| Duration::try_from_secs_f64(hours * SECONDS_PER_HOUR).ok();
    let deadline = course.goal.hours.and_then(hours).and_then(|time| begin.checked_add(time));
    let halt = AtomicBool::new(course.reached());
    let shared = Shared { stop, halt, deadline, jobs, spent: Mutex::default() };
    let written = thread::scope(|scope| {
        let (sender, games) = channel();
        match team {
            Team::Players(players) => {
                for player in players {
                    let (sender, shared) = (sender.clone(), &shared);
                    scope.spawn(move || work(player, shared, &sender));
                }
            }
            Team::Far(far, orders) => {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || orders.send(far, shared, &sender));
            }
        }
        drop(sender);
        let written = course.write(writer, &games);
        shared.halt.store(true, Relaxed);
        written
    });
    writer.sync()?;
    written?;
    let stopped = stop.load(Relaxed) && !course.reached();
    let [working, searching] = *shared.spent.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Summary { all: course.all, added: course.added, time: begin.elapsed(), working, searching, stopped })
}

/// Who plays.
enum Team<'a> {
    Players(Vec<Player>),
    Far(Far<'a>, Box<far::Orders>),
}

impl<'a> Team<'a> {
    fn new(settings: &Settings, hands: Hands<'a>) -> Result<Team<'a>, RunError> {
        match hands {
            Hands::Threads(workers) => {
                let tables = tables_of(settings).map_err(PlayError::from)?;
                let players = (0..workers.max(1)).map(|_| Player::new(settings, tables.clone()));
                Ok(Team::Players(players.collect::<Result<_, _>>()?))
            }
            Hands::Far(mut far) => {
                let orders = far::Orders::new(settings, &mut far)?;
                Ok(Team::Far(far, Box::new(orders)))
            }
        }
    }
}

/// One worker: plays until there is nothing to play any more.
fn work(mut player: Player, shared: &Shared<'_, '_>, sender: &Sender<Played>) {
    let begin = Instant::now();
    while let Some(job) = shared.take() {
        // A defect must not leave the other workers playing for nothing.
        let played = catch_unwind(AssertUnwindSafe(|| job.and_then(|job| work_on(&mut player, job))));
        let (all, failure) = match played.unwrap_or(Err(RunError::Died)) {
            Ok(all) => (all, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        let failed = failure.is_some();
        let gone = all.into_iter().map(Ok).chain(failure).any(|one| sender.send(one).is_err());
        if gone || failed {
            break;
        }
    }
    shared.count_time(begin.elapsed(), player.searching());
}

fn work_on(player: &mut Player, job: Job) -> Result<Vec<(GameRecord, u64)>, RunError> {
    let games = match job {
        Job::Play(number) => vec![player.play(number)?],
        Job::Relabel(game) => vec![player.relabel(&game)?],
        Job::Visit(game, from) => player.visit(&game)?.into_iter().filter(|game| game.number >= from).collect(),
    };
    // Counting replays the game: whatever is written can be read.
    let count = |game| Filter::DEFAULT.count(&game).map(|kept| (game, kept));
    Ok(games.into_iter().map(count).collect::<Result<_, _>>()?)
}

/// The run as the writing thread sees it.
struct Course<'a> {
    goal: Goal,
    all: Totals,
    added: Totals,
    see: &'a mut dyn FnMut(&Totals),
}

impl<'a> Course<'a> {
    /// Until the source ends.
    fn whole(all: Totals, see: &'a mut dyn FnMut(&Totals)) -> Course<'a> {
        Course { goal: Goal::default(), all, added: Totals::default(), see }
    }

    /// Is nothing left to do?
    fn reached(&self) -> bool {
        self.goal.games.is_some_and(|games| self.all.games >= games)
            || self.goal.positions.is_some_and(|positions| self.all.kept >= positions)
    }

    /// Writes games in the order of their numbers until the goal is reached, or no more come.
    fn write(&mut self, writer: &mut Writer, games: &Receiver<Played>) -> Result<(), RunError> {
        let mut waiting = BTreeMap::new();
        let mut synced = Instant::now();
        for played in games {
            let (game, kept) = played?;
            waiting.insert(game.number, (game, kept));
            while let Some((game, kept)) = waiting.remove(&writer.next_number()) {
                writer.append(&game)?;
                self.all.add(&game, kept);
                self.added.add(&game, kept);
                (self.see)(&self.all);
                if self.reached() {
                    return Ok(());
                }
            }
            if synced.elapsed() > SYNC_INTERVAL {
                writer.sync()?;
                synced = Instant::now();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
