//! The result of a match for programs: the last line of its journal.

use super::standing::{PairingResult, Standing};
use quarterply_stats::Estimate;
use quarterply_stats::ratings::Ratings;
use quarterply_stats::sprt::Decision;
use serde::Serialize;

/// The result of a match.
#[derive(Clone, Debug, Serialize)]
pub struct MatchSummary {
    /// Distinguishes this line from those of pairs: always true.
    pub summary: bool,
    /// Games counted.
    pub games: u64,
    /// True if one drawn game was added to each pairing to get finite ratings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub draws_added: bool,
    /// The players in order.
    pub players: Vec<PlayerSummary>,
    /// The pairings in order.
    pub meetings: Vec<PairingSummary>,
}

/// All results of a player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerSummary {
    /// Its name.
    pub name: String,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points.
    pub points: f64,
    /// Rating (Elo around the mean of all players) and the ends of its interval, if games link more than two players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<[f64; 3]>,
    /// Games lost on time.
    pub time_losses: usize,
    /// Games lost by another fault.
    pub faults: usize,
}

/// The results of two players against each other, seen by the first.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSummary {
    /// The players.
    pub players: [String; 2],
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs with 0 to 4 half points.
    pub pairs: [u64; 5],
    /// Score per game, 0 to 1.
    pub score: f64,
    /// Elo difference and the ends of its interval; an end is null if the games do not limit it.
    pub elo: [f64; 3],
    /// The same for normalized Elo.
    pub normalized_elo: [f64; 3],
    /// Likelihood of superiority.
    pub los: f64,
    /// The log-likelihood ratio, if there is a sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llr: Option<f64>,
    /// `H0`, `H1` or `continue`, if there is a sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
}

impl MatchSummary {
    /// The result as it stands.
    pub fn new(standing: &Standing) -> MatchSummary {
        let ratings = standing.ratings();
        let players = (0..standing.names.len()).map(|player| player_summary(standing, ratings.as_ref(), player));
        MatchSummary {
            summary: true,
            games: standing.games,
            draws_added: ratings.as_ref().is_some_and(|ratings| ratings.draws_added),
            players: players.collect(),
            meetings: standing.pairings.iter().map(|pairing| pairing_summary(standing, pairing)).collect(),
        }
    }
}

/// The value and the ends of the interval.
fn ends(estimate: Estimate) -> [f64; 3] {
    [estimate.value, estimate.low, estimate.high]
}

fn player_summary(standing: &Standing, ratings: Option<&Ratings>, player: usize) -> PlayerSummary {
    let games = standing.of(player).games;
    let (time_losses, faults) = standing.faults_of(player);
    PlayerSummary {
        name: standing.names[player].clone(),
        wins: games.wins,
        draws: games.draws,
        losses: games.losses,
        points: games.points(),
        rating: ratings.map(|ratings| ends(ratings.players[player])),
        time_losses,
        faults,
    }
}

fn pairing_summary(standing: &Standing, pairing: &PairingResult) -> PairingSummary {
    let (games, pairs) = (pairing.tally.games, pairing.tally.pairs);
    PairingSummary {
        players: pairing.players.map(|player| standing.names[player].clone()),
        games: [games.wins, games.draws, games.losses],
        pairs: pairs.counts,
        score: games.score(),
        elo: ends(pairs.elo()),
        normalized_elo: ends(pairs.normalized_elo()),
        los: pairs.los(),
        llr: pairing.test.map(|test| test.llr),
        decision: pairing.test.map(|test| match test.decision {
            Decision::Continue => "continue",
            Decision::H0 => "H0",
            Decision::H1 => "H1",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Schedule, TournamentFormat};
    use super::*;
    use quarterply_stats::Trinomial;
    use serde_json::{Value, json};

    /// The summary of a round robin with these results of its pairings.
    fn summary(players: usize, games: [Trinomial; 3]) -> Value {
        let names = ["A", "B", "C"][..players].iter().map(|name| (*name).to_owned()).collect();
        let schedule = Schedule::new(players, TournamentFormat::RoundRobin, 4);
        let mut standing = Standing::new(names, &schedule, None);
        standing.pairings.iter_mut().zip(games).for_each(|(pairing, games)| pairing.tally.games = games);
        serde_json::to_value(MatchSummary::new(&standing)).expect("JSON")
    }

    #[test]
    fn more_than_two_players_have_ratings_as_in_the_table() {
        let (even, won) = (Trinomial::new(1, 2, 1), Trinomial::new(4, 0, 0));
        let rating = |summary: &Value, player: usize| summary["players"][player]["rating"].clone();
        let balanced = summary(3, [even; 3]);
        assert!(rating(&balanced, 1)[0].as_f64().is_some_and(|elo| elo.abs() < 0.1), "{balanced}");
        assert_eq!(balanced.get("draws_added"), None, "{balanced}");
        // A won all games.
        let added = summary(3, [won, won, even]);
        assert_eq!(added["draws_added"], json!(true), "{added}");
        let [elo, low, high] = [0_usize, 1, 2].map(|end| rating(&added, 0)[end].as_f64().expect("a number"));
        assert!(elo > 100.0 && low < elo && elo < high, "{added}");
        for without in [summary(2, [even; 3]), summary(3, [Trinomial::default(); 3])] {
            assert_eq!(rating(&without, 0), Value::Null, "{without}");
        }
    }
}
