//! Playing weaker on purpose: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! The rule has two parts. First, a move may cost only so many nodes: [`NODES_MIN`] at the lowest rating, twice as many every
//! [`ELO_PER_DOUBLING`] points above. Second, the [`LINES`] best moves are compared, each with an error added to its score;
//! the error is drawn evenly from a range that shrinks from [`ERROR_MAX`] at the lowest rating to nothing at the highest. The
//! draw depends only on the position and the number of moves played, so that a game can be repeated. Forced mates are worth
//! far more than the error and are never missed once seen. The scale is an estimate and not yet calibrated by matches.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::report::Report;

/// The lowest rating.
pub const ELO_MIN: i64 = 1000;
/// The highest rating; the scores are taken as they are.
pub const ELO_MAX: i64 = 2800;
/// Nodes for a move at the lowest rating.
const NODES_MIN: f64 = 64.0;
/// Points that double the nodes.
const ELO_PER_DOUBLING: f64 = 120.0;
/// Moves that are compared.
const LINES: usize = 4;
/// The greatest error at the lowest rating (pawns/100).
const ERROR_MAX: i64 = 200;

/// A chosen weakness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Nodes for a move.
    pub nodes: u64,
    /// The greatest error of a score (pawns/100).
    pub error: i32,
}

impl Handicap {
    /// The weakness that belongs to a rating.
    pub fn of(elo: i64) -> Handicap {
        let above = elo.clamp(ELO_MIN, ELO_MAX) - ELO_MIN;
        let nodes = NODES_MIN * (above as f64 / ELO_PER_DOUBLING).exp2();
        let error = ERROR_MAX * (ELO_MAX - ELO_MIN - above) / (ELO_MAX - ELO_MIN);
        Handicap { nodes: nodes as u64, error: error as i32 }
    }

    /// Tightens the limits of a search.
    pub fn restrict(self, limits: &mut Limits) {
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.lines = limits.lines.max(LINES);
    }

    /// The index of the line to play.
    pub fn choose(self, lines: &[Report], game: &Game) -> Option<usize> {
        let seed = game.position().key().wrapping_add(game.moves().len() as u64);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut best: Option<(i32, usize)> = None;
        for (index, line) in lines.iter().enumerate() {
            let believed = line.score.0 + random.random_range(-self.error..=self.error);
            if best.is_none_or(|(value, _)| believed > value) {
                best = Some((believed, index));
            }
        }
        best.map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use quarterply_engine::score::{Bound, Ply, Score};

    fn line(number: usize, score: Score) -> Report {
        Report {
            depth: 1,
            seldepth: 1,
            number,
            score,
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            line: Vec::new(),
        }
    }

    /// Games of random length, for different draws.
    fn games() -> Vec<Game> {
        let mut game = Game::new();
        let mut games = Vec::new();
        for index in 0..40 {
            let moves = game.position().legal_moves();
            game.play(moves[index % moves.len()]);
            games.push(game.clone());
        }
        games
    }

    #[test]
    fn a_higher_rating_sees_more_and_errs_less() {
        let steps: Vec<Handicap> = (ELO_MIN..=ELO_MAX).step_by(200).map(Handicap::of).collect();
        assert!(steps.is_sorted_by(|a, b| a.nodes < b.nodes && a.error > b.error), "{steps:?}");
        assert_eq!(Handicap::of(0), Handicap::of(ELO_MIN));
        assert_eq!(Handicap::of(ELO_MAX).error, 0);
        assert_eq!(Handicap::of(ELO_MIN), Handicap { nodes: 64, error: 200 });
    }

    #[test]
    fn weak_play_errs_but_never_in_a_mate() {
        let close = [line(1, Score(50)), line(2, Score(20)), line(3, Score(-30))];
        let mate = [line(1, Score::mate_in(Ply(3))), line(2, Score(900))];
        let games = games();
        let picks = |elo: i64, lines: &[Report]| -> Vec<usize> {
            games.iter().filter_map(|game| Handicap::of(elo).choose(lines, game)).collect()
        };
        let weak = picks(ELO_MIN, &close);
        assert_eq!(weak.len(), games.len());
        assert!((0..close.len()).all(|index| weak.contains(&index)), "{weak:?}");
        assert_eq!(weak, picks(ELO_MIN, &close), "the same game is played again");
        assert!(picks(ELO_MAX, &close).iter().all(|index| *index == 0));
        assert!(picks(ELO_MIN, &mate).iter().all(|index| *index == 0));
        assert_eq!(Handicap::of(ELO_MIN).choose(&[], &games[0]), None);
    }

    #[test]
    fn limits_only_get_tighter() {
        let handicap = Handicap::of(ELO_MIN);
        let mut limits = Limits { nodes: Some(10), ..Limits::default() };
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines), (Some(10), LINES));
        let mut limits = Limits { lines: 9, ..Limits::default() };
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines), (Some(64), 9));
    }
}
