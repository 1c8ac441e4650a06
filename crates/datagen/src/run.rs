//! A run: workers play, one thread writes the games in the order of their numbers.

use crate::error::DataError;
use crate::folder::Writer;
use crate::play::{PlayError, Player, tables_of};
use crate::record::{GameRecord, Outcome};
use crate::replay::{Filter, ReplayError};
use crate::settings::Goal;
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
    /// A game cannot be replayed, which is a defect.
    #[error("{0}, which is a defect of this program")]
    Replay(#[from] ReplayError),
    /// A worker died.
    #[error(
        "a defect of this program ended a worker in game {0}; the games before it are safe, and `datagen resume` goes on"
    )]
    Died(u64),
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

/// What the workers share.
struct Shared<'a> {
    /// Set from outside: the run shall end in good order.
    stop: &'a AtomicBool,
    /// Set from inside: the goal is reached, or something is wrong.
    halt: AtomicBool,
    games: Option<u64>,
    deadline: Option<Instant>,
    /// The number of the next game to begin.
    next: AtomicU64,
    /// Time in all, and in searches.
    spent: Mutex<[Duration; 2]>,
}

impl Shared<'_> {
    /// The number of the game to play now, if there is one.
    fn take(&self) -> Option<u64> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.stop.load(Relaxed) || self.halt.load(Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Relaxed);
        self.games.is_none_or(|games| number <= games).then_some(number)
    }
}

/// A finished game, and how many of its positions pass the default filter.
type Played = Result<(GameRecord, u64), RunError>;

/// Plays on until the goal is reached or `stop` is set; running games are finished. `so_far` is what the folder holds already,
/// and `see` is told of every game that is written.
///
/// # Errors
/// No game can be played or written; what was written stays.
pub fn run(
    writer: &mut Writer,
    goal: Goal,
    so_far: Totals,
    workers: usize,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Totals),
) -> Result<Summary, RunError> {
    let begin = Instant::now();
    let settings = writer.header().settings.clone();
    let tables = tables_of(&settings).map_err(PlayError::from)?;
    let players = (0..workers.max(1)).map(|_| Player::new(&settings, tables.clone()));
    let players: Vec<Player> = players.collect::<Result<_, _>>()?;
    let hours = |hours: f64| Duration::try_from_secs_f64(hours * SECONDS_PER_HOUR).ok();
    let mut course = Course { goal, all: so_far, added: Totals::default(), see };
    let shared = Shared {
        stop,
        halt: AtomicBool::new(course.reached()),
        games: goal.games,
        deadline: goal.hours.and_then(hours).and_then(|time| begin.checked_add(time)),
        next: AtomicU64::new(writer.next_number()),
        spent: Mutex::default(),
    };
    let written = thread::scope(|scope| {
        let (sender, games) = channel();
        for player in players {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || work(player, shared, &sender));
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

/// One worker: plays until there is nothing to play any more.
fn work(mut player: Player, shared: &Shared<'_>, sender: &Sender<Played>) {
    let begin = Instant::now();
    while let Some(number) = shared.take() {
        // A defect must not leave the other workers playing for nothing.
        let played = catch_unwind(AssertUnwindSafe(|| play(&mut player, number)));
        let played = played.unwrap_or(Err(RunError::Died(number)));
        let failed = played.is_err();
        if sender.send(played).is_err() || failed {
            break;
        }
    }
    let mut spent = shared.spent.lock().unwrap_or_else(PoisonError::into_inner);
    spent[0] += begin.elapsed();
    spent[1] += player.searching();
}

fn play(player: &mut Player, number: u64) -> Played {
    let game = player.play(number)?;
    // Counting replays the game: whatever is written can be read.
    let kept = Filter::DEFAULT.count(&game)?;
    Ok((game, kept))
}

/// The run as the writing thread sees it.
struct Course<'a> {
    goal: Goal,
    all: Totals,
    added: Totals,
    see: &'a mut dyn FnMut(&Totals),
}

impl Course<'_> {
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
