//! The result of a match so far: scores of players and pairings, endings of games, and faults.

use super::line::{GameLine, PairLine};
use super::schedule::{PAIR, Schedule, ScheduledPair};
use quarterply_stats::ratings::{Pairing, Ratings, rate};
use quarterply_stats::sprt::Decision;
use quarterply_stats::{Pentanomial, Sprt, Trinomial};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Results of one player, against one other or against all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerTally {
    /// Its games.
    pub games: Trinomial,
    /// Its complete pairs.
    pub pairs: Pentanomial,
}

impl PlayerTally {
    /// Adds a finished pair, seen by its first player.
    fn add(&mut self, line: &PairLine) {
        let half_points = line.half_points();
        for half_points in &half_points {
            self.games.add(match half_points {
                0 => Some(false),
                1 => None,
                _ => Some(true),
            });
        }
        if half_points.len() == PAIR {
            self.pairs.add(half_points.iter().sum());
        }
    }

    /// The same results seen by the opponent.
    #[must_use]
    pub fn reversed(self) -> PlayerTally {
        PlayerTally { games: self.games.reversed(), pairs: self.pairs.reversed() }
    }

    fn join(&mut self, more: PlayerTally) {
        self.games += more.games;
        self.pairs += more.pairs;
    }
}

/// Two players and their results, seen by the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairingResult {
    /// The players by number.
    pub players: [usize; 2],
    /// The results.
    pub tally: PlayerTally,
    /// The sequential test of them.
    pub test: Option<SequentialTest>,
}

/// A sequential test and its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    /// The test.
    pub sprt: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Its decision.
    pub decision: Decision,
}

impl PairingResult {
    /// True if the test has ended.
    pub fn is_decided(&self) -> bool {
        self.test.is_some_and(|test| test.decision != Decision::Continue)
    }
}

/// A game that was lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultLoss {
    /// The number of the game.
    pub game: usize,
    /// The player that lost the game.
    pub by: String,
    /// The fault.
    pub what: String,
    /// True if the fault is only a loss on time.
    pub on_time: bool,
}

/// The least time that was left on a clock after a move. Its text: `at least 12 ms left on the clock (Toga in game 7)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastTime {
    /// The time.
    pub left: Duration,
    /// The player; `None` in journals of earlier versions.
    pub by: Option<String>,
    /// The number of the game.
    pub game: usize,
}

impl fmt::Display for LeastTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at least {} ms left on the clock", self.left.as_millis())?;
        self.by.as_ref().map_or(Ok(()), |by| write!(f, " ({by} in game {})", self.game))
    }
}

/// The result of a match so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The players.
    pub names: Vec<String>,
    /// The pairings.
    pub pairings: Vec<PairingResult>,
    /// Games played.
    pub games: u64,
    /// Moves played, of both sides.
    pub plies: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken by all moves.
    pub search: Duration,
    /// The least time that was ever left on a clock after a move.
    pub least_left: Option<LeastTime>,
    /// How many games ended how.
    pub endings: BTreeMap<String, u64>,
    /// Games lost by a fault, in order.
    pub fault_losses: Vec<FaultLoss>,
}

impl Standing {
    /// Nothing played yet.
    pub fn new(names: Vec<String>, schedule: &Schedule, sprt: Option<Sprt>) -> Standing {
        let test = sprt.map(|sprt| SequentialTest { sprt, llr: 0.0, decision: Decision::Continue });
        let pairing = |players: &[usize; 2]| PairingResult { players: *players, tally: PlayerTally::default(), test };
        let pairings = schedule.pairings.iter().map(pairing).collect();
        Standing { names, pairings, ..Standing::default() }
    }

    /// Adds a finished pair.
    pub fn add(&mut self, unit: &ScheduledPair, line: &PairLine) {
        let pairing = &mut self.pairings[unit.pairing];
        pairing.tally.add(line);
        if let Some(test) = &mut pairing.test {
            test.llr = test.sprt.llr(&pairing.tally.pairs);
            test.decision = test.sprt.decide(test.llr);
        }
        line.games.iter().for_each(|game| self.add_game(game));
    }

    fn add_game(&mut self, game: &GameLine) {
        self.games += 1;
        self.plies += game.plies;
        self.nodes += game.nodes;
        self.search += Duration::from_micros(game.search_us);
        if let Some(left) = game.least_left_ms.map(Duration::from_millis)
            && self.least_left.as_ref().is_none_or(|least| left < least.left)
        {
            self.least_left = Some(LeastTime { left, by: game.least_left_by.clone(), game: game.game });
        }
        *self.endings.entry(game.ending.clone()).or_default() += 1;
        if let Some(fault) = &game.fault {
            self.fault_losses.push(FaultLoss {
                game: game.game,
                by: fault.by.clone(),
                what: fault.what.clone(),
                on_time: game.ending == crate::game::Ending::TimeLoss.code(),
            });
        }
    }

    /// All results of one player.
    pub fn of(&self, player: usize) -> PlayerTally {
        let mut tally = PlayerTally::default();
        for pairing in &self.pairings {
            let [first, second] = pairing.players;
            if first == player {
                tally.join(pairing.tally);
            } else if second == player {
                tally.join(pairing.tally.reversed());
            }
        }
        tally
    }

    /// Ratings of more than two players around the mean of all; `None` for two, and before games link all players.
    pub fn ratings(&self) -> Option<Ratings> {
        const PLAYERS_MIN: usize = 3;
        if self.names.len() < PLAYERS_MIN {
            return None;
        }
        let pairing = |result: &PairingResult| {
            let [first, second] = result.players;
            Pairing { first, second, result: result.tally.games }
        };
        let pairings: Vec<Pairing> = self.pairings.iter().map(pairing).collect();
        rate(self.names.len(), &pairings)
    }

    /// How many games a player lost on time, and how many by other faults.
    pub fn faults_of(&self, player: usize) -> (usize, usize) {
        let own = self.fault_losses.iter().filter(|mishap| Some(&mishap.by) == self.names.get(player));
        let (on_time, other): (Vec<_>, Vec<_>) = own.partition(|mishap| mishap.on_time);
        (on_time.len(), other.len())
    }

    /// Returns true if all sequential tests are decided; false without a test.
    pub fn is_decided(&self) -> bool {
        !self.pairings.is_empty() && self.pairings.iter().all(PairingResult::is_decided)
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::PlayerFault;
    use super::super::schedule::TournamentFormat;
    use super::*;
    use crate::game::GameResult::{self, Black, Draw, White};

    fn game(number: usize, result: GameResult, ending: &str) -> GameLine {
        GameLine {
            game: number,
            white: String::new(),
            black: String::new(),
            result,
            ending: ending.to_owned(),
            fault: None,
            plies: 10,
            nodes: 1000,
            search_us: 2000,
            least_left_ms: None,
            least_left_by: None,
            pgn: String::new(),
        }
    }

    fn add(standing: &mut Standing, schedule: &Schedule, index: usize, results: &[GameResult]) {
        let unit = schedule.unit(index).expect("a unit");
        let games = results.iter().map(|result| game(1, *result, "checkmate")).collect();
        let line = PairLine::new(unit.index, [String::new(), String::new()], String::new(), games);
        standing.add(&unit, &line);
    }

    fn names(count: usize) -> Vec<String> {
        ["A", "B", "C"][..count].iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn points_are_counted_for_every_player() {
        let schedule = Schedule::new(3, TournamentFormat::RoundRobin, 4);
        let mut standing = Standing::new(names(3), &schedule, None);
        // A - B, A - C, B - C: the first of each pair has white in its first game.
        for (index, results) in [(0, [White, Black]), (1, [Draw, Draw]), (2, [Black, White])] {
            add(&mut standing, &schedule, index, &results);
        }
        let of = |player| standing.of(player);
        assert_eq!((of(0).games, of(0).pairs.counts), (Trinomial::new(2, 2, 0), [0, 0, 1, 0, 1]));
        assert_eq!((of(1).games, of(1).pairs.counts), (Trinomial::new(0, 0, 4), [2, 0, 0, 0, 0]));
        assert_eq!((of(2).games, of(2).pairs.counts), (Trinomial::new(2, 2, 0), [0, 0, 1, 0, 1]));
        assert_eq!((standing.games, standing.plies, standing.nodes), (6, 60, 6000));
        assert_eq!(standing.search, Duration::from_millis(12));
    }

    #[test]
    fn half_a_pair_counts_as_a_game_only() {
        let schedule = Schedule::new(2, TournamentFormat::Gauntlet, 3);
        let mut standing = Standing::new(names(2), &schedule, None);
        add(&mut standing, &schedule, 0, &[White, White]);
        add(&mut standing, &schedule, 1, &[White]);
        assert_eq!((standing.of(0).games, standing.of(0).pairs.counts), (Trinomial::new(2, 0, 1), [0, 0, 1, 0, 0]));
    }

    #[test]
    fn faults_are_listed_and_counted() {
        let schedule = Schedule::new(2, TournamentFormat::Gauntlet, 4);
        let mut standing = Standing::new(names(2), &schedule, None);
        let fault = |by: &str, what: &str| Some(PlayerFault { by: by.to_owned(), what: what.to_owned() });
        let games = vec![
            GameLine { fault: fault("B", "time loss"), least_left_ms: Some(7), ..game(1, White, "time-loss") },
            GameLine {
                fault: fault("B", "no answer"),
                least_left_ms: Some(3),
                least_left_by: Some("A".to_owned()),
                ..game(2, Black, "hang")
            },
        ];
        let unit = schedule.unit(0).expect("a unit");
        standing.add(&unit, &PairLine::new(unit.index, ["A".into(), "B".into()], String::new(), games));
        assert_eq!((standing.faults_of(0), standing.faults_of(1)), ((0, 0), (1, 1)));
        let least = standing.least_left.as_ref().expect("a clock");
        assert_eq!(least.to_string(), "at least 3 ms left on the clock (A in game 2)");
        assert_eq!((standing.endings["hang"], standing.fault_losses[1].game), (1, 2));
    }

    #[test]
    fn a_test_is_decided_for_each_pairing() {
        let sprt = "elo0=0 elo1=200".parse().expect("a test");
        let schedule = Schedule::new(3, TournamentFormat::Gauntlet, 400);
        let mut standing = Standing::new(names(3), &schedule, Some(sprt));
        let results = [White, Black];
        for round in 0..50 {
            add(&mut standing, &schedule, 2 * round, &results);
        }
        assert!(standing.pairings[0].is_decided() && !standing.pairings[1].is_decided() && !standing.is_decided());
        for round in 0..50 {
            add(&mut standing, &schedule, 2 * round + 1, &results.map(|r| if r == White { Black } else { White }));
        }
        let decision = |index: usize| standing.pairings[index].test.expect("a test").decision;
        assert_eq!((decision(0), decision(1), standing.is_decided()), (Decision::H1, Decision::H0, true));
        assert!(!Standing::new(names(3), &schedule, None).is_decided());
    }
}
