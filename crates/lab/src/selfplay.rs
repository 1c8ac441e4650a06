//! Many games between two engines, every opening played twice with colours swapped.

use crate::external::{Setup, UciEngine};
use crate::game::{self, Pace, Record};
use quarterply_engine::position::Game;
use quarterply_uci::client::ClientError;
use shakmaty::{ByColor, Color};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// What is played.
#[derive(Clone, Debug)]
pub struct Series {
    /// Both engines; the result is seen by the first.
    pub engines: [Setup; 2],
    /// One opening for every two games; the last may serve one game.
    pub openings: Vec<Game>,
    /// How many games.
    pub games: usize,
    /// What each move may cost.
    pub pace: Pace,
    /// Games played at the same time.
    pub workers: usize,
}

/// The result of a series so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won by the first engine.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by the first engine.
    pub losses: u64,
    /// Moves played by the engines.
    pub moves: u64,
    /// The least time that was ever left on a clock after a move.
    pub least_left: Option<Duration>,
    /// How the games ended, and how many ended so.
    pub endings: BTreeMap<String, u64>,
    /// Games that ended by a fault: number, loser, and what it did.
    pub faults: Vec<(usize, String, String)>,
}

impl Tally {
    /// Adds game `index`, counted from 0; the first engine has white in the even ones.
    pub fn add(&mut self, index: usize, record: &Record) {
        let first = if index.is_multiple_of(2) { Color::White } else { Color::Black };
        match record.verdict.winner {
            None => self.draws += 1,
            Some(winner) if winner == first => self.wins += 1,
            Some(_) => self.losses += 1,
        }
        self.moves += record.played.len() as u64;
        let left = record.played.iter().filter_map(|played| played.left);
        self.least_left = left.chain(self.least_left).min();
        let ending = &record.verdict.ending;
        *self.endings.entry(ending.to_string()).or_default() += 1;
        if ending.is_fault() {
            let loser = record.verdict.winner.map_or_else(String::new, |winner| record.names.get(!winner).clone());
            self.faults.push((index + 1, loser, ending.to_string()));
        }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { wins, draws, losses, moves, faults, .. } = self;
        write!(f, "{} games: {wins} won, {draws} drawn, {losses} lost; {moves} moves", self.games())?;
        if let Some(left) = self.least_left {
            write!(f, "; at least {} ms left on the clock", left.as_millis())?;
        }
        write!(f, "; {} faults", faults.len())
    }
}

/// Plays a series. `on_game` gets every game in order; its `false` ends the series.
pub fn play(series: &Series, on_game: &mut dyn FnMut(usize, &Record) -> bool) -> Result<Tally, ClientError> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut tally = Tally::default();
    let mut waiting = BTreeMap::new();
    let mut due = 0;
    thread::scope(|scope| {
        for _ in 0..series.workers.clamp(1, series.games.max(1)) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || work(series, next, &sender));
        }
        drop(sender);
        for news in &receiver {
            let (index, record) = news.inspect_err(|_| next.store(series.games, Ordering::Relaxed))?;
            waiting.insert(index, record);
            while let Some(record) = waiting.remove(&due) {
                tally.add(due, &record);
                if !on_game(due, &record) {
                    next.store(series.games, Ordering::Relaxed);
                }
                due += 1;
            }
        }
        Ok(())
    })?;
    Ok(tally)
}

/// A finished game with its number.
type News = Result<(usize, Record), ClientError>;

/// Plays games until there are none left; engines that failed are started anew.
fn work(series: &Series, next: &AtomicUsize, sender: &Sender<News>) {
    let mut engines: Option<[UciEngine; 2]> = None;
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= series.games || series.openings.is_empty() {
            return;
        }
        let opening = &series.openings[(index / 2) % series.openings.len()];
        let mut pair = match engines.take().map_or_else(|| start(series), Ok) {
            Ok(pair) => pair,
            Err(error) => {
                // A receiver that is gone has its result already.
                let _ = sender.send(Err(error));
                return;
            }
        };
        let record = play_one(&mut pair, index, opening, series.pace);
        if !record.verdict.ending.is_fault() {
            engines = Some(pair);
        }
        if sender.send(Ok((index, record))).is_err() {
            return;
        }
    }
}

fn start(series: &Series) -> Result<[UciEngine; 2], ClientError> {
    let [first, second] = &series.engines;
    Ok([UciEngine::start(first)?, UciEngine::start(second)?])
}

fn play_one(pair: &mut [UciEngine; 2], index: usize, opening: &Game, pace: Pace) -> Record {
    let [first, second] = pair;
    let players: ByColor<&mut dyn game::Player> = if index.is_multiple_of(2) {
        ByColor { white: first, black: second }
    } else {
        ByColor { white: second, black: first }
    };
    game::play(players, opening, pace, &mut [])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, Verdict};

    fn record(winner: Option<Color>, ending: Ending) -> Record {
        Record {
            names: ByColor { white: "W".into(), black: "B".into() },
            opening: Game::new(),
            played: Vec::new(),
            verdict: Verdict { winner, ending },
        }
    }

    #[test]
    fn the_tally_is_seen_by_the_first_engine() {
        let mut tally = Tally::default();
        for (index, winner, ending) in [
            (0, Some(Color::White), Ending::Checkmate),
            (1, Some(Color::White), Ending::Checkmate),
            (2, None, Ending::Stalemate),
            (3, Some(Color::Black), Ending::TimeLoss),
        ] {
            tally.add(index, &record(winner, ending));
        }
        assert_eq!((tally.wins, tally.draws, tally.losses, tally.games()), (2, 1, 1, 4));
        assert_eq!(tally.faults, [(4, "W".to_owned(), "time loss".to_owned())]);
        assert_eq!(tally.endings["checkmate"], 2);
        assert_eq!(tally.to_string(), "4 games: 2 won, 1 drawn, 1 lost; 0 moves; 1 faults");
    }
}
