//! Playing a match: workers play, one collector puts the results in order.

use super::far::Orders;
use super::games_file::{GamesFile, GamesFileError};
use super::journal::{Existing, Header, Journal, JournalError, Opened};
use super::line::{GameLine, PairLine};
use super::plan::{Lineup, Plan};
use super::schedule::{Schedule, Unit};
use super::standing::Standing;
use super::summary::Summary;
use super::supply::Supply;
use super::worker::{Hall, Report};
use quarterply_uci::process::Stop;
use quarterply_work::{Far, WorkError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Fewest players of a match.
const PLAYERS_MIN: usize = 2;

/// Why a match cannot be played, or not to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// Nobody to play against.
    #[error("a match needs two or more players, and there are {0}; name each with --player")]
    Players(usize),
    /// Nothing to play.
    #[error("a match of no games; give --games 2 or more")]
    NoGames,
    /// No opening was found.
    #[error("there is no opening to begin from; name another book")]
    NoOpenings,
    /// A player does not exist.
    #[error("{name}: {reason}")]
    Seat {
        /// What it is called.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Others cannot do the work.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The games cannot be written.
    #[error(transparent)]
    Games(#[from] GamesFileError),
    /// The journal has more games than are asked for.
    #[error(
        "{file}: pair {pair} is beyond --games {games}; ask for at least as many games as there are, or name another file"
    )]
    Beyond {
        /// The journal.
        file: String,
        /// The number of the pair.
        pair: usize,
        /// Games of each pairing.
        games: usize,
    },
    /// A pair of the journal is not that of the schedule.
    #[error("{file}: pair {pair} is not of this match: {what}; name another file")]
    Foreign {
        /// The journal.
        file: String,
        /// The number of the pair.
        pair: usize,
        /// What differs.
        what: String,
    },
}

/// Where results go.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The journal.
    pub journal: Option<PathBuf>,
    /// The games.
    pub pgn: Option<PathBuf>,
    /// What to do with results that are there.
    pub existing: Existing,
}

/// What happens in a match.
pub enum News<'a> {
    /// Something the user should know.
    Note(&'a str),
    /// The games begin; so many pairs were in the journal.
    Begin {
        /// Pairs that need not be played.
        resumed: usize,
        /// All pairs.
        pairs: usize,
    },
    /// A game is finished. They come as they finish, and those whose pair is not finished may have to be played again.
    Game {
        /// Its result.
        line: &'a GameLine,
    },
    /// A pair is finished and counts. They come in the order of the schedule.
    Pair {
        /// Its result.
        line: &'a PairLine,
        /// The match with it.
        standing: &'a Standing,
        /// Did the journal have it?
        resumed: bool,
    },
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games were played.
    Complete,
    /// The sequential tests were decided.
    Decided,
    /// It was stopped and can be resumed.
    Stopped,
}

/// How well the time was used in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed {
    /// Games finished.
    pub games: u64,
    /// Time from the first game to the last.
    pub wall: Duration,
    /// Time of all workers for finished pairs.
    pub busy: Duration,
    /// Time in which players thought.
    pub search: Duration,
}

impl Speed {
    /// Time lost between the moves as a share of the time in which players thought; `None` without games.
    pub fn overhead(&self) -> Option<f64> {
        let search = self.search.as_secs_f64();
        (search > 0.0).then(|| (self.busy.as_secs_f64() - search) / search)
    }

    /// Games per hour; `None` without games.
    pub fn games_per_hour(&self) -> Option<f64> {
        const SECONDS: f64 = 3600.0;
        (self.games > 0).then(|| self.games as f64 / self.wall.as_secs_f64() * SECONDS)
    }
}

/// What a match came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result.
    pub standing: Standing,
    /// How it ended.
    pub end: End,
    /// Pairs that are in the journal and do not count yet, because pairs before them are not finished.
    pub waiting: usize,
    /// How well the time was used.
    pub speed: Speed,
}

/// Plays a match on threads of this process, or goes on with it.
///
/// # Errors
/// [`MatchError`]
pub fn run(
    plan: &Plan,
    lineup: &dyn Lineup,
    openings: &Supply,
    files: &Files,
    stop: &Stop,
    watch: &mut dyn FnMut(News<'_>),
) -> Result<Outcome, MatchError> {
    run_far(plan, lineup, openings, files, stop, None, watch)
}

/// Plays a match, or goes on with it; others play its pairs if there are any.
///
/// # Errors
/// [`MatchError`]
pub fn run_far(
    plan: &Plan,
    lineup: &dyn Lineup,
    openings: &Supply,
    files: &Files,
    stop: &Stop,
    far: Option<Far<'_>>,
    watch: &mut dyn FnMut(News<'_>),
) -> Result<Outcome, MatchError> {
    let schedule = plan.schedule();
    check(plan, &schedule, openings)?;
    let orders = far.map(|far| Orders::new(plan, lineup, far)).transpose()?;
    let (journal, header, pairs) = open_journal(plan, files, watch)?;
    let found = journal.is_some().then(|| place(plan, &schedule, openings, files, pairs)).transpose()?;
    let found = found.unwrap_or_default();
    let closed: Vec<Stop> = schedule.pairings().iter().map(|_| Stop::default()).collect();
    let hall = Hall {
        plan,
        schedule: &schedule,
        lineup,
        openings,
        journal: journal.map(Mutex::new),
        date: header.date,
        done: found.keys().copied().collect(),
        next: AtomicUsize::new(0),
        closed: closed.clone(),
        stop: stop.clone(),
        halt: Stop::default(),
    };
    watch(News::Begin { resumed: found.len(), pairs: schedule.len() });
    let standing = Standing::new(plan.names(), &schedule, plan.sprt);
    let mut collector = Collector {
        schedule: &schedule,
        waiting: found,
        due: 0,
        standing,
        closed,
        games: None,
        speed: Speed::default(),
    };
    collector.begin(files, watch)?;
    collector.play(&hall, orders, watch)?;
    collector.finish(&hall)
}

fn check(plan: &Plan, schedule: &Schedule, openings: &Supply) -> Result<(), MatchError> {
    if plan.entrants.len() < PLAYERS_MIN {
        return Err(MatchError::Players(plan.entrants.len()));
    }
    if schedule.is_empty() {
        return Err(MatchError::NoGames);
    }
    openings.get(0).map(drop).ok_or(MatchError::NoOpenings)
}

type Open = (Option<Journal>, Header, Vec<PairLine>);

fn open_journal(plan: &Plan, files: &Files, watch: &mut dyn FnMut(News<'_>)) -> Result<Open, MatchError> {
    let asked = plan.header();
    let Some(path) = &files.journal else { return Ok((None, asked, Vec::new())) };
    let Opened { journal, settings: header, lines: pairs, notes } = Journal::open(path, files.existing, &asked)?;
    notes.iter().for_each(|note| watch(News::Note(note)));
    if header.games != plan.games {
        let (then, now) = (header.games, plan.games);
        watch(News::Note(&format!("{}: begun with --games {then}, goes on to {now}", path.display())));
    }
    Ok((Some(journal), header, pairs))
}

/// Finds the place of each pair of the journal in the schedule.
fn place(
    plan: &Plan,
    schedule: &Schedule,
    openings: &Supply,
    files: &Files,
    pairs: Vec<PairLine>,
) -> Result<BTreeMap<usize, PairLine>, MatchError> {
    let file = files.journal.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let mut found = BTreeMap::new();
    for line in pairs {
        let foreign = |what: String| MatchError::Foreign { file: file.clone(), pair: line.pair, what };
        let Some(unit) = line.pair.checked_sub(1).and_then(|index| schedule.unit(index)) else {
            return Err(MatchError::Beyond { file, pair: line.pair, games: plan.games });
        };
        expect(plan, &unit, &line, openings).map_err(foreign)?;
        if let Some(line) = found.insert(unit.index, line) {
            let what = "it stands there twice".to_owned();
            return Err(MatchError::Foreign { file, pair: line.pair, what });
        }
    }
    Ok(found)
}

/// Is this the pair that the schedule says?
pub(super) fn expect(plan: &Plan, unit: &Unit, line: &PairLine, openings: &Supply) -> Result<(), String> {
    let names = unit.players.map(|player| &plan.entrants[player].name);
    if names != line.players.each_ref() {
        return Err(format!("played by {} then, by {} and {} now", line.players.join(" and "), names[0], names[1]));
    }
    if line.games.len() != unit.games {
        return Err(format!("{} games then, {} now", line.games.len(), unit.games));
    }
    let opening = openings.get(unit.round).map(|game| game.fen()).unwrap_or_default();
    if opening != line.opening {
        return Err(format!("the opening was {} then and is {opening} now", line.opening));
    }
    Ok(())
}

/// Puts finished pairs back in order.
struct Collector<'a> {
    schedule: &'a Schedule,
    /// Finished pairs whose turn has not come.
    waiting: BTreeMap<usize, PairLine>,
    /// The pair whose turn it is.
    due: usize,
    standing: Standing,
    closed: Vec<Stop>,
    games: Option<GamesFile>,
    speed: Speed,
}

impl Collector<'_> {
    /// Takes over the pairs of the journal and opens the file of the games.
    fn begin(&mut self, files: &Files, watch: &mut dyn FnMut(News<'_>)) -> Result<(), MatchError> {
        let mut so_far = String::new();
        self.advance(&mut |line, standing| {
            line.games.iter().for_each(|game| so_far.push_str(&game.pgn));
            watch(News::Pair { line, standing, resumed: true });
            Ok(())
        })?;
        if let Some(path) = &files.pgn {
            let (games, note) = GamesFile::open(path, files.existing, &so_far)?;
            note.iter().for_each(|note| watch(News::Note(note)));
            self.games = Some(games);
        }
        Ok(())
    }

    fn play(
        &mut self,
        hall: &Hall<'_>,
        orders: Option<Orders<'_>>,
        watch: &mut dyn FnMut(News<'_>),
    ) -> Result<(), MatchError> {
        let begin = Instant::now();
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            if let Some(orders) = orders {
                scope.spawn(move || orders.send(hall, &sender));
            } else {
                for _ in 0..hall.plan.workers.clamp(1, self.schedule.len()) {
                    let sender = sender.clone();
                    scope.spawn(move || hall.work(&sender));
                }
                drop(sender);
            }
            let collected = self.collect(&receiver, watch);
            if collected.is_err() {
                hall.halt.set();
            }
            collected
        })?;
        self.speed.wall = begin.elapsed();
        Ok(())
    }

    fn collect(&mut self, receiver: &Receiver<Report>, watch: &mut dyn FnMut(News<'_>)) -> Result<(), MatchError> {
        for report in receiver {
            let finished = match report {
                Report::Failed(error) => return Err(error),
                Report::Game(line) => {
                    watch(News::Game { line: &line });
                    continue;
                }
                Report::Pair(finished) => finished,
            };
            self.speed.busy += finished.busy;
            for game in &finished.line.games {
                self.speed.games += 1;
                self.speed.search += Duration::from_micros(game.search_us);
            }
            self.waiting.insert(finished.index, finished.line);
            let mut games = self.games.take();
            self.advance(&mut |line, standing| {
                if let Some(games) = &mut games {
                    line.games.iter().try_for_each(|game| games.append(&game.pgn))?;
                }
                watch(News::Pair { line, standing, resumed: false });
                Ok(())
            })?;
            self.games = games;
        }
        Ok(())
    }

    /// Counts all pairs whose turn has come. What a pairing played beyond its decision is left out.
    fn advance(
        &mut self,
        count: &mut dyn FnMut(&PairLine, &Standing) -> Result<(), MatchError>,
    ) -> Result<(), MatchError> {
        while let Some(unit) = self.schedule.unit(self.due) {
            let line = self.waiting.remove(&self.due);
            if !self.closed[unit.pairing].is_set() {
                let Some(line) = line else { break };
                self.standing.add(&unit, &line);
                count(&line, &self.standing)?;
                if self.standing.meetings[unit.pairing].is_decided() {
                    self.closed[unit.pairing].set();
                }
            }
            self.due += 1;
        }
        Ok(())
    }

    /// Writes the summary of a match that is over.
    fn finish(self, hall: &Hall<'_>) -> Result<Outcome, MatchError> {
        let end = if self.due < self.schedule.len() {
            End::Stopped
        } else if self.standing.is_decided() {
            End::Decided
        } else {
            End::Complete
        };
        if let Some(journal) = &hall.journal
            && end != End::Stopped
            && self.speed.games > 0
        {
            let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.append(&Summary::new(&self.standing))?;
        }
        Ok(Outcome { standing: self.standing, end, waiting: self.waiting.len(), speed: self.speed })
    }
}
