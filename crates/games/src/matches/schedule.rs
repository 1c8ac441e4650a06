//! The pairings, their order and their openings: a pure function of the settings.
//!
//! The unit of work, of the journal and of the statistics is the pair: two games from one opening with colours swapped. The
//! units go round by round through all pairings, so that a match that is cut short has treated all alike; every pairing of a
//! round starts from the same opening.

use serde::{Deserialize, Serialize};

/// Games of a whole pair.
pub const PAIR: usize = 2;

/// Which players meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = unknown_format)]
pub enum TournamentFormat {
    /// The first player against each of the others.
    #[default]
    Gauntlet,
    /// Everyone against everyone.
    RoundRobin,
}

fn unknown_format(text: &str) -> String {
    format!(
        "`{text}` is not a valid format: expected gauntlet (the first player against all others) or round-robin (all against all)"
    )
}

/// Two games (the last of an odd number: one) between two players from one opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledPair {
    /// Its place in the schedule, from 0.
    pub index: usize,
    /// Which pairing plays it.
    pub pairing: usize,
    /// The players by number; the first has white in the first game.
    pub players: [usize; 2],
    /// Its place among the units of the pairing, from 0: the number of its opening.
    pub round: usize,
    /// How many games it has.
    pub games: usize,
}

/// All units of a match, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The pairs of players that meet.
    pub pairings: Vec<[usize; 2]>,
    games: usize,
}

impl Schedule {
    /// A schedule for this number of players, with `games` for each pairing.
    pub fn new(players: usize, format: TournamentFormat, games: usize) -> Schedule {
        let hosts = match format {
            TournamentFormat::Gauntlet => players.min(1),
            TournamentFormat::RoundRobin => players,
        };
        let pairings = (0..hosts).flat_map(|a| (a + 1..players).map(move |b| [a, b])).collect();
        Schedule { pairings, games }
    }

    /// Units of each pairing.
    pub fn rounds(&self) -> usize {
        self.games.div_ceil(PAIR)
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.rounds() * self.pairings.len()
    }

    /// Returns true if there are no games to play.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.games * self.pairings.len()
    }

    /// One unit; `None` past the end.
    pub fn unit(&self, index: usize) -> Option<ScheduledPair> {
        let count = self.pairings.len();
        if index >= self.len() {
            return None;
        }
        let (round, pairing) = (index / count, index % count);
        let games = PAIR.min(self.games - round * PAIR);
        Some(ScheduledPair { index, pairing, players: self.pairings[pairing], round, games })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pairing_gets_its_games() {
        for (players, format, games, pairings, units, total) in [
            (2, TournamentFormat::Gauntlet, 4, 1, 2, 4),
            (2, TournamentFormat::RoundRobin, 4, 1, 2, 4),
            (4, TournamentFormat::Gauntlet, 10, 3, 15, 30),
            (4, TournamentFormat::RoundRobin, 10, 6, 30, 60),
            (3, TournamentFormat::RoundRobin, 3, 3, 6, 9),
            (1, TournamentFormat::RoundRobin, 10, 0, 0, 0),
            (0, TournamentFormat::Gauntlet, 10, 0, 0, 0),
            (2, TournamentFormat::Gauntlet, 0, 1, 0, 0),
        ] {
            let schedule = Schedule::new(players, format, games);
            let name = format!("{players} players, {format}, {games} games");
            assert_eq!(schedule.pairings.len(), pairings, "{name}");
            assert_eq!((schedule.len(), schedule.games()), (units, total), "{name}");
            let all: Vec<ScheduledPair> = (0..).map_while(|index| schedule.unit(index)).collect();
            assert_eq!(all.len(), units, "{name}");
            for pairing in 0..pairings {
                let own = all.iter().filter(|unit| unit.pairing == pairing);
                assert_eq!(own.map(|unit| unit.games).sum::<usize>(), games, "{name}, pairing {pairing}");
            }
        }
    }

    #[test]
    fn rounds_go_through_all_pairings_with_one_opening() {
        let schedule = Schedule::new(3, TournamentFormat::RoundRobin, 4);
        let all: Vec<_> = (0..).map_while(|index| schedule.unit(index)).map(|u| (u.round, u.players)).collect();
        assert_eq!(all, [(0, [0, 1]), (0, [0, 2]), (0, [1, 2]), (1, [0, 1]), (1, [0, 2]), (1, [1, 2])]);
    }

    /// A resumed match with more games depends on this.
    #[test]
    fn more_games_only_append() {
        let (short, long) =
            (Schedule::new(4, TournamentFormat::Gauntlet, 6), Schedule::new(4, TournamentFormat::Gauntlet, 8));
        for index in 0..short.len() {
            assert_eq!(short.unit(index), long.unit(index));
        }
    }

    #[test]
    fn formats_are_read_back() {
        for format in [TournamentFormat::Gauntlet, TournamentFormat::RoundRobin] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "swiss".parse::<TournamentFormat>().expect_err("unknown");
        assert!(error.contains("`swiss`") && error.contains("gauntlet"), "{error}");
    }
}
