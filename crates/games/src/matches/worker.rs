//! A worker: takes pairs from the schedule and plays them, one after the other.

use super::journal::{Journal, JournalError};
use super::line::{GameLine, PairLine};
use super::plan::{Lineup, Plan};
use super::run::MatchError;
use super::schedule::{Schedule, Unit};
use super::supply::Supply;
use crate::game::{self, Adjudicator, Choice, Ending, Pace, Player, Record, Verdict};
use crate::pgn;
use quarterply_engine::position::Game;
use quarterply_uci::process::Stop;
use shakmaty::{ByColor, Color};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A pair that is finished and in the journal.
pub(super) struct Finished {
    pub index: usize,
    pub line: PairLine,
    /// All time of the worker from taking the pair to having it written.
    pub busy: Duration,
}

/// What a worker tells.
pub(super) enum Report {
    /// A game is finished; its pair may not be.
    Game(GameLine),
    /// A pair is finished.
    Pair(Finished),
    /// The match cannot go on.
    Failed(MatchError),
}

/// What all workers share.
pub(super) struct Hall<'a> {
    pub plan: &'a Plan,
    pub schedule: &'a Schedule,
    pub lineup: &'a dyn Lineup,
    pub openings: &'a Supply,
    pub journal: Option<Mutex<Journal>>,
    /// The day that the games carry.
    pub date: String,
    /// Pairs that need not be played, because the journal has them.
    pub done: BTreeSet<usize>,
    /// The next pair to be taken.
    pub next: AtomicUsize,
    /// One for each pairing, set when it is decided.
    pub closed: Vec<Stop>,
    /// Set by the user.
    pub stop: Stop,
    /// Set when something went wrong.
    pub halt: Stop,
}

impl Hall<'_> {
    pub fn is_over(&self) -> bool {
        self.stop.is_set() || self.halt.is_set()
    }

    /// The next pair that has to be played.
    pub fn take(&self) -> Option<Unit> {
        loop {
            let unit = self.schedule.unit(self.next.fetch_add(1, Ordering::Relaxed))?;
            if self.is_over() {
                return None;
            }
            if !self.done.contains(&unit.index) && !self.closed[unit.pairing].is_set() {
                return Some(unit);
            }
        }
    }

    /// Plays pairs until there are none left.
    pub fn work(&self, sender: &Sender<Report>) {
        let mut seats = self.plan.entrants.iter().map(|_| None).collect();
        while let Some(unit) = self.take() {
            let report = match self.play(&unit, &mut seats, sender) {
                Ok(None) => continue,
                Ok(Some(finished)) => Report::Pair(finished),
                Err(error) => {
                    self.halt.set();
                    Report::Failed(error)
                }
            };
            if sender.send(report).is_err() {
                return;
            }
        }
    }

    /// Plays one pair and writes it down; nothing if it was abandoned.
    fn play(
        &self,
        unit: &Unit,
        seats: &mut Vec<Option<Box<dyn Player>>>,
        sender: &Sender<Report>,
    ) -> Result<Option<Finished>, MatchError> {
        let [first, second] = unit.players;
        self.sit_down(first, seats)?;
        self.sit_down(second, seats)?;
        let begin = Instant::now();
        let opening = self.openings.get(unit.round).ok_or(MatchError::NoOpenings)?;
        let Ok([Some(first), Some(second)]) = seats.get_disjoint_mut(unit.players) else { return Ok(None) };
        let reasons = [self.closed[unit.pairing].clone(), self.stop.clone(), self.halt.clone()];
        let board = Board { plan: self.plan, unit, date: &self.date, opening: &opening, reasons };
        let mut tell = |line: &GameLine| {
            // Who does not listen to the game will not take the pair either.
            let _ = sender.send(Report::Game(line.clone()));
        };
        let Some(line) = board.play([first.as_mut(), second.as_mut()], &mut tell) else { return Ok(None) };
        self.write(&line)?;
        Ok(Some(Finished { index: unit.index, line, busy: begin.elapsed() }))
    }

    /// Writes a pair down.
    pub fn write(&self, line: &PairLine) -> Result<(), MatchError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.append(line).map_err(|error: JournalError| MatchError::Journal(error))
    }

    fn sit_down(&self, player: usize, seats: &mut [Option<Box<dyn Player>>]) -> Result<(), MatchError> {
        if seats[player].is_none() {
            let name = || self.plan.entrants[player].name.clone();
            let seat = self.lineup.seat(player).map_err(|reason| MatchError::Seat { name: name(), reason })?;
            seats[player] = Some(seat);
        }
        Ok(())
    }
}

/// A pair that is to be played: everything but the players.
pub(super) struct Board<'a> {
    pub plan: &'a Plan,
    pub unit: &'a Unit,
    /// The day that the games carry.
    pub date: &'a str,
    pub opening: &'a Game,
    /// Any of them says that nobody wants the result any more.
    pub reasons: [Stop; 3],
}

impl Board<'_> {
    /// Plays the games of the pair; nothing if it was abandoned.
    pub fn play(&self, players: [&mut dyn Player; 2], tell: &mut dyn FnMut(&GameLine)) -> Option<PairLine> {
        let [first, second] = players;
        let mut games = Vec::new();
        for index in 0..self.unit.games {
            let (white, black) =
                if index.is_multiple_of(2) { (&mut *first, &mut *second) } else { (&mut *second, &mut *first) };
            let line = self.line(index, self.play_game(index, ByColor { white, black })?);
            tell(&line);
            games.push(line);
        }
        let names = self.unit.players.map(|player| self.plan.entrants[player].name.clone());
        Some(PairLine::new(self.unit, names, self.opening.fen(), games))
    }

    /// Plays one game; nothing if it was abandoned. A fault in a game that is being abandoned proves nothing: whoever stops a
    /// match may have stopped the players too.
    fn play_game(&self, index: usize, players: ByColor<&mut dyn Player>) -> Option<Record> {
        let mut adjudicators = self.plan.adjudication.start();
        adjudicators.push(Box::new(Abandon(self.reasons.clone())));
        let record = game::play(players, self.opening, self.paces(index), &mut adjudicators);
        let ending = &record.verdict.ending;
        let abandoned = *ending == Ending::Adjudicated(ABANDONED);
        let doubtful = ending.is_fault() && self.reasons.iter().any(Stop::is_set);
        (!abandoned && !doubtful).then_some(record)
    }

    /// The paces of white and black in a game of a pair.
    fn paces(&self, index: usize) -> ByColor<Pace> {
        let [first, second] = self.unit.players.map(|player| self.plan.pace_of(player));
        if index.is_multiple_of(2) {
            ByColor { white: first, black: second }
        } else {
            ByColor { white: second, black: first }
        }
    }

    fn line(&self, index: usize, mut record: Record) -> GameLine {
        let [first, second] = self.unit.players.map(|player| self.plan.entrants[player].name.clone());
        let (white, black) = if index.is_multiple_of(2) { (first, second) } else { (second, first) };
        record.names = ByColor { white, black };
        let number = self.unit.game_number(index);
        let header = pgn::Header {
            event: self.plan.event.clone(),
            round: number,
            date: self.date.to_owned(),
            time_control: self.paces(index).map(|pace| pace.pgn()),
        };
        GameLine::new(number, &record, pgn::write(&record, &header))
    }
}

/// Why an abandoned game ended.
const ABANDONED: &str = "abandoned";

/// Ends a game whose result nobody wants any more.
struct Abandon([Stop; 3]);

impl Adjudicator for Abandon {
    fn judge(&mut self, _: &Game, _: Color, _: &Choice) -> Option<Verdict> {
        let abandoned = Verdict { winner: None, ending: Ending::Adjudicated(ABANDONED) };
        self.0.iter().any(Stop::is_set).then_some(abandoned)
    }
}
