//! A match as a job: pairs are tasks, and count in the order of the schedule.

use super::games_file::{GamesFile, GamesFileError};
use super::journal::{Existing, Journal, JournalError, MatchHeader, Opened};
use super::line::{GameLine, PairLine};
use super::pair::{PairTask, Pairs, PlayerTask, players};
use super::plan::{MatchPlan, PlayerFactory};
use super::schedule::{PAIR, Schedule, ScheduledPair};
use super::standing::Standing;
use super::summary::MatchSummary;
use super::supply::OpeningSupply;
use crate::portable::Opening;
use quarterply_uci::process::Stop;
use quarterply_work::{Done, Executor, Job, JobItem, JobState, OutcomeOrigin, StopMode, WorkError};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Fewest players of a match.
const PLAYERS_MIN: usize = 2;

/// Why a match cannot be played, or not to its end.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum MatchError {
    #[error("cannot start the match: it needs two or more players, and there are {0}; name each with --player")]
    Players(usize),
    #[error("cannot start the match: it has no games; give --games 2 or more")]
    NoGames,
    #[error(
        "cannot start the match: there is no usable opening; give another book, a smaller --opening-start or more --opening-plies"
    )]
    NoOpenings,
    /// A player does not exist: its name and the reason.
    #[error("{}", player_fault(.0, .1))]
    Player(String, String),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Remote workers cannot do the work.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The games cannot be written.
    #[error(transparent)]
    Games(#[from] GamesFileError),
    #[error("cannot continue {file}: pair {pair} is beyond --games {games}; increase --games, or name another file")]
    Beyond { file: String, pair: usize, games: usize },
    #[error("cannot continue {file}: pair {pair} is not of this match ({what}); name another file")]
    Foreign { file: String, pair: usize, what: String },
}

/// Where results go.
#[derive(Clone, Debug, Default)]
pub struct MatchFiles {
    /// The journal.
    pub journal: Option<PathBuf>,
    /// The games.
    pub pgn: Option<PathBuf>,
    /// How to treat existing results.
    pub existing: Existing,
}

/// An event of a match.
pub enum MatchEvent<'a> {
    /// A message for the user.
    Note(&'a str),
    /// The journal was begun with fewer games, or with more.
    Resized {
        /// The journal.
        file: &'a Path,
        /// Games of each pairing when it was begun.
        then: usize,
        /// Games of each pairing now.
        now: usize,
    },
    /// The games begin; the journal already holds this many pairs.
    Begin {
        /// Pairs that need not be played.
        resumed: usize,
        /// All pairs.
        pairs: usize,
    },
    /// A game is finished. Games come as they finish; those whose pair is not finished may have to be played again.
    Game(&'a GameLine),
    /// A pair is finished and counts. They come in the order of the schedule.
    Pair {
        /// Its result.
        line: &'a PairLine,
        /// The match with it.
        standing: &'a Standing,
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

/// The use of time in this run.
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

/// The outcome of a match.
#[derive(Clone, Debug)]
pub struct MatchOutcome {
    /// The result.
    pub standing: Standing,
    /// How it ended.
    pub end: End,
    /// Pairs that are in the journal and do not count yet, because pairs before them are not finished.
    pub waiting: usize,
    /// The use of time.
    pub speed: Speed,
}

/// Plays or resumes a match.
pub fn run(
    plan: &MatchPlan,
    factory: &dyn PlayerFactory,
    openings: OpeningSupply,
    files: &MatchFiles,
    stop: &Stop,
    executor: &mut dyn Executor<Pairs>,
    watch: &mut dyn FnMut(MatchEvent<'_>),
) -> Result<MatchOutcome, MatchError> {
    let players = players(plan, factory, executor)?;
    let watch = RefCell::new(watch);
    let tell = |event: MatchEvent<'_>| (watch.borrow_mut())(event);
    let mut game = Match::new(plan.clone(), players, openings, files, stop, Box::new(tell))?;
    quarterply_work::run(&mut game, executor, &|note| tell(MatchEvent::Note(note)))?;
    game.finish()
}

/// Errors of players name the player already.
fn player_fault(name: &str, reason: &str) -> String {
    if reason.starts_with("cannot use player") {
        reason.to_owned()
    } else {
        format!("cannot use player `{name}`: {reason}")
    }
}

fn check(plan: &MatchPlan, schedule: &Schedule, openings: &OpeningSupply) -> Result<(), MatchError> {
    if plan.entrants.len() < PLAYERS_MIN {
        return Err(MatchError::Players(plan.entrants.len()));
    }
    if schedule.is_empty() {
        return Err(MatchError::NoGames);
    }
    openings.get(0).map(drop).ok_or(MatchError::NoOpenings)
}

/// The journal, its settings, its pairs, and the summary that it ends with.
type Open = (Option<Journal>, MatchHeader, Vec<PairLine>, Option<String>);

fn open_journal(
    plan: &MatchPlan,
    files: &MatchFiles,
    watch: &mut dyn FnMut(MatchEvent<'_>),
) -> Result<Open, MatchError> {
    let requested = plan.header();
    let Some(path) = &files.journal else { return Ok((None, requested, Vec::new(), None)) };
    let opened = Journal::open(path, files.existing, &requested)?;
    let Opened { journal, settings: header, lines: pairs, summary, notes } = opened;
    notes.iter().for_each(|note| watch(MatchEvent::Note(note)));
    if header.games != plan.games {
        watch(MatchEvent::Resized { file: path, then: header.games, now: plan.games });
    }
    Ok((Some(journal), header, pairs, summary))
}

/// Finds the place of each pair of the journal in the schedule.
fn place(
    plan: &MatchPlan,
    schedule: &Schedule,
    openings: &OpeningSupply,
    files: &MatchFiles,
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
            let what = "it occurs twice".to_owned();
            return Err(MatchError::Foreign { file, pair: line.pair, what });
        }
    }
    Ok(found)
}

/// Checks that this pair agrees with the schedule.
fn expect(plan: &MatchPlan, unit: &ScheduledPair, line: &PairLine, openings: &OpeningSupply) -> Result<(), String> {
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

/// A match that is played: a job of pairs.
pub struct Match<'a> {
    plan: MatchPlan,
    players: Vec<Arc<PlayerTask>>,
    openings: OpeningSupply,
    stop: Stop,
    watch: Box<dyn FnMut(MatchEvent<'_>) + 'a>,
    schedule: Schedule,
    date: Arc<str>,
    journal: Option<Journal>,
    /// The summary that the journal ended with when it was opened.
    summary: Option<String>,
    games: Option<GamesFile>,
    /// Pairs of the journal whose turn has not come.
    known: BTreeMap<usize, PairLine>,
    /// The next unit of the schedule.
    next: usize,
    /// The units that were handed out.
    units: Vec<ScheduledPair>,
    /// Finished pairs that do not count yet.
    pending: BTreeSet<usize>,
    /// Pairs that count, of each pairing.
    counted: Vec<usize>,
    /// Decided pairings.
    closed: Vec<bool>,
    standing: Standing,
    speed: Speed,
    begun: Instant,
}

impl<'a> Match<'a> {
    /// Opens the files of a match and counts what its journal has.
    pub fn new(
        plan: MatchPlan,
        players: Vec<Arc<PlayerTask>>,
        openings: OpeningSupply,
        files: &MatchFiles,
        stop: &Stop,
        mut watch: Box<dyn FnMut(MatchEvent<'_>) + 'a>,
    ) -> Result<Match<'a>, MatchError> {
        let schedule = plan.schedule();
        check(&plan, &schedule, &openings)?;
        let (journal, header, pairs, summary) = open_journal(&plan, files, &mut *watch)?;
        let known = journal.is_some().then(|| place(&plan, &schedule, &openings, files, pairs)).transpose()?;
        let known = known.unwrap_or_default();
        watch(MatchEvent::Begin { resumed: known.len(), pairs: schedule.len() });
        let pairings = schedule.pairings.len();
        let mut game = Match {
            players,
            openings,
            stop: stop.clone(),
            watch,
            date: header.date.into(),
            journal,
            summary,
            games: None,
            pending: known.keys().copied().collect(),
            known,
            next: 0,
            units: Vec::new(),
            counted: vec![0; pairings],
            closed: vec![false; pairings],
            standing: Standing::new(plan.names(), &schedule, plan.sprt),
            speed: Speed::default(),
            begun: Instant::now(),
            schedule,
            plan,
        };
        game.begin(files)?;
        Ok(game)
    }

    /// Counts the first pairs of the journal, up to the first that is missing, and opens the file of the games.
    fn begin(&mut self, files: &MatchFiles) -> Result<(), MatchError> {
        let mut so_far = String::new();
        while let Some(unit) = self.schedule.unit(self.next) {
            if !self.closed[unit.pairing] {
                let Some(line) = self.known.remove(&unit.index) else { break };
                line.games.iter().for_each(|game| so_far.push_str(&game.pgn));
                self.count(&unit, &line)?;
            }
            self.next += 1;
        }
        if let Some(path) = &files.pgn {
            let (games, note) = GamesFile::open(path, files.existing, &so_far)?;
            note.iter().for_each(|note| (self.watch)(MatchEvent::Note(note)));
            self.games = Some(games);
        }
        Ok(())
    }

    /// Counts a pair, and closes its pairing if that is decided.
    fn count(&mut self, unit: &ScheduledPair, line: &PairLine) -> Result<(), MatchError> {
        self.pending.remove(&unit.index);
        // Games of a pairing after its decision are not counted.
        if self.closed[unit.pairing] {
            return Ok(());
        }
        self.standing.add(unit, line);
        self.counted[unit.pairing] += 1;
        if let Some(games) = &mut self.games {
            line.games.iter().try_for_each(|game| games.append(&game.pgn))?;
        }
        (self.watch)(MatchEvent::Pair { line, standing: &self.standing });
        self.closed[unit.pairing] = self.standing.pairings[unit.pairing].is_decided();
        Ok(())
    }

    fn task(&self, unit: &ScheduledPair) -> Result<PairTask, MatchError> {
        let opening = self.openings.get(unit.round).ok_or(MatchError::NoOpenings)?;
        let MatchPlan { event, adjudication, .. } = &self.plan;
        Ok(PairTask {
            event: event.as_str().into(),
            date: Arc::clone(&self.date),
            index: unit.index,
            games: unit.games,
            players: unit.players.map(|player| Arc::clone(&self.players[player])),
            opening: Opening::of(&opening),
            win: adjudication.win.map(|rule| rule.to_string().into()),
            draw: adjudication.draw.map(|rule| rule.to_string().into()),
        })
    }

    /// Raises the number of games of a match whose pairs are all done, which can then be run once more. A smaller number changes nothing.
    pub fn extend(&mut self, games: usize) {
        self.plan.games = games.max(self.plan.games);
        self.schedule = self.plan.schedule();
        // A new run numbers its pieces from 0.
        self.units.clear();
    }

    /// Writes the summary of a match that is over, unless the journal ends with it.
    pub fn finish(mut self) -> Result<MatchOutcome, MatchError> {
        self.speed.wall = self.begun.elapsed();
        let rounds = self.schedule.rounds();
        let complete = |pairing: usize| self.closed[pairing] || self.counted[pairing] == rounds;
        let end = if !(0..self.closed.len()).all(complete) {
            End::Stopped
        } else if self.standing.is_decided() {
            End::Decided
        } else {
            End::Complete
        };
        if let Some(journal) = &mut self.journal
            && end != End::Stopped
        {
            let summary = MatchSummary::new(&self.standing);
            if self.speed.games > 0 || serde_json::to_string(&summary).ok() != self.summary {
                journal.append(&summary)?;
            }
        }
        let closed = |index: &&usize| self.schedule.unit(**index).is_some_and(|unit| !self.closed[unit.pairing]);
        let waiting = self.pending.iter().filter(closed).count();
        Ok(MatchOutcome { standing: self.standing, end, waiting, speed: self.speed })
    }
}

impl Job for Match<'_> {
    type Kind = Pairs;
    type Error = MatchError;

    fn next(&mut self) -> Result<Option<JobItem<Pairs>>, MatchError> {
        while let Some(unit) = self.schedule.unit(self.next) {
            self.next += 1;
            if self.closed[unit.pairing] {
                continue;
            }
            let piece = match self.known.remove(&unit.index) {
                Some(line) => JobItem::Known(line),
                None => JobItem::Task(self.task(&unit)?),
            };
            self.units.push(unit);
            return Ok(Some(piece));
        }
        Ok(None)
    }

    fn check(&self, number: u64, line: &PairLine) -> Result<(), String> {
        let unit = &self.units[number as usize];
        if line.pair != unit.index + 1 {
            return Err(format!("pair {} instead of {}", line.pair, unit.index + 1));
        }
        expect(&self.plan, unit, line, &self.openings)
    }

    fn received(&mut self, number: u64, done: &Done<PairLine>) -> Result<(), MatchError> {
        let line = written(done);
        if let Some(journal) = &mut self.journal {
            journal.append(&line)?;
        }
        self.pending.insert(self.units[number as usize].index);
        self.speed.busy += done.time;
        for game in &line.games {
            self.speed.games += 1;
            self.speed.search += Duration::from_micros(game.search_us);
            (self.watch)(MatchEvent::Game(game));
        }
        Ok(())
    }

    fn done(&mut self, number: u64, done: Done<PairLine>) -> Result<(), MatchError> {
        let unit = self.units[number as usize];
        self.count(&unit, &written(&done))
    }

    fn is_needed(&self, number: u64) -> bool {
        !self.closed[self.units[number as usize].pairing]
    }

    fn state(&self) -> JobState {
        if self.stop.is_set() { JobState::Stop(StopMode::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let played = self.speed.games / PAIR as u64;
        let counted = self.counted.iter().sum::<usize>() + self.pending.len();
        (played, Some(self.schedule.len().saturating_sub(counted) as u64))
    }
}

/// The line of a pair, with the worker that played it.
fn written(done: &Done<PairLine>) -> Cow<'_, PairLine> {
    match &done.origin {
        OutcomeOrigin::Worker(name) => Cow::Owned(PairLine { worker: Some(name.clone()), ..done.outcome.clone() }),
        OutcomeOrigin::Here | OutcomeOrigin::Journal => Cow::Borrowed(&done.outcome),
    }
}
