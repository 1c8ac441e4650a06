//! The result of a match for programs: the last line of its journal.

use super::standing::{PairingResult, Standing};
use quarterply_stats::Estimate;
use quarterply_stats::sprt::Decision;
use serde::Serialize;

/// The result of a match.
#[derive(Clone, Debug, Serialize)]
pub struct MatchSummary {
    /// Distinguishes this line from those of pairs: always true.
    pub summary: bool,
    /// Games counted.
    pub games: u64,
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
        MatchSummary {
            summary: true,
            games: standing.games,
            players: (0..standing.names.len()).map(|player| player_summary(standing, player)).collect(),
            meetings: standing.pairings.iter().map(|pairing| pairing_summary(standing, pairing)).collect(),
        }
    }
}

fn player_summary(standing: &Standing, player: usize) -> PlayerSummary {
    let games = standing.of(player).games;
    let (time_losses, faults) = standing.faults_of(player);
    PlayerSummary {
        name: standing.names[player].clone(),
        wins: games.wins,
        draws: games.draws,
        losses: games.losses,
        points: games.points(),
        time_losses,
        faults,
    }
}

fn pairing_summary(standing: &Standing, pairing: &PairingResult) -> PairingSummary {
    let (games, pairs) = (pairing.tally.games, pairing.tally.pairs);
    let ends = |estimate: Estimate| [estimate.value, estimate.low, estimate.high];
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
