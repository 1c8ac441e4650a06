//! How far each quiet move of a node falls behind the best one: the gap that determines its cost in search by interestingness (`levy1989`).
//!
//! All quiet moves of a node are valued in the same way, in pawns/100: by the static value after the move if the depth is large enough,
//! else by histories. The same numbers give the chance of a move by a softmax.

use crate::chance::log_sum;
use crate::position::{MOVES_MAX, pack};
use crate::score::Score;
use arrayvec::ArrayVec;
use shakmaty::Move;

/// The unit of bits and logarithms.
const UNIT: i64 = 1024;
/// ln 2 in 1/1024.
const LN_2: i64 = 710;

/// The quiet moves of a node with their scores (pawns/100).
#[derive(Clone, Default, Debug)]
pub struct QuietScores(ArrayVec<(u16, Score), MOVES_MAX>);

impl QuietScores {
    /// Adds a move.
    pub fn push(&mut self, mv: Move, score: Score) {
        let _ = self.0.try_push((pack(mv), score)); // no position has more moves
    }

    fn best(&self) -> Score {
        self.0.iter().map(|(_, score)| *score).max().unwrap_or(Score::ZERO)
    }

    /// The score of the move; of one that was not added, the lowest of all.
    pub fn of(&self, mv: Move) -> Score {
        let packed = pack(mv);
        let known = self.0.iter().find(|(other, _)| *other == packed);
        known.map_or_else(|| self.0.iter().map(|(_, score)| *score).min().unwrap_or(Score::ZERO), |(_, score)| *score)
    }

    /// How far the move falls behind the best quiet one; never negative.
    pub fn gap(&self, mv: Move) -> Score {
        (self.best() - self.of(mv)).max(Score::ZERO)
    }

    /// Quiet moves no further than `margin` behind the best one that come before this one: those with more score, and of equals those that were
    /// added earlier. None come before the best.
    pub fn near_before(&self, mv: Move, margin: Score) -> usize {
        let (best, own, packed) = (self.best(), self.of(mv), pack(mv));
        let place = self.0.iter().position(|(other, _)| *other == packed).unwrap_or(self.0.len());
        let before = |at: usize, score: Score| score > own || score == own && at < place;
        self.0.iter().enumerate().filter(|(at, (_, score))| best - *score <= margin && before(*at, *score)).count()
    }

    /// The cost of the move in bits (1/1024), if each `temperature` of score (pawns/100) multiplies the odds by e.
    pub fn bits(&self, mv: Move, temperature: i32) -> i32 {
        let weight = |score: Score| (i64::from(score.0) * UNIT * UNIT / (i64::from(temperature.max(1)) * LN_2)) as i32;
        let total = log_sum(self.0.iter().map(|(_, score)| weight(*score)));
        (total - weight(self.of(mv))).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    fn quiet_scores(values: &[i32]) -> (QuietScores, Vec<Move>) {
        let moves: Vec<Move> = Game::new().position().legal_moves().into_iter().take(values.len()).collect();
        let mut quiet_scores = QuietScores::default();
        for (mv, value) in moves.iter().zip(values) {
            quiet_scores.push(*mv, Score(*value));
        }
        (quiet_scores, moves)
    }

    #[test]
    fn the_gap_is_counted_from_the_best_move() {
        let (quiet_scores, moves) = quiet_scores(&[-20, 30, 10]);
        assert_eq!([0, 1, 2].map(|n: usize| quiet_scores.gap(moves[n])), [Score(50), Score(0), Score(20)]);
        for (margin, before) in [(0, [1, 0, 1]), (20, [2, 0, 1]), (50, [2, 0, 1])] {
            assert_eq!([0, 1, 2].map(|n: usize| quiet_scores.near_before(moves[n], Score(margin))), before, "{margin}");
        }
        let stranger = Game::new().position().legal_moves().into_iter().next_back().expect("twenty moves");
        assert_eq!(quiet_scores.gap(stranger), Score(50), "unknown moves are the last");
        assert_eq!(QuietScores::default().gap(stranger), Score::ZERO);
    }

    #[test]
    fn of_equal_moves_the_first_is_the_best() {
        let (equal, moves) = quiet_scores(&[7; 4]);
        assert_eq!([0, 1, 2, 3].map(|n: usize| equal.near_before(moves[n], Score::ZERO)), [0, 1, 2, 3]);
    }

    #[test]
    fn equal_moves_share_the_chance_and_better_ones_cost_less() {
        let (equal, moves) = quiet_scores(&[0; 16]);
        let bits = equal.bits(moves[3], 30);
        assert_eq!(bits, 4 * 1024, "one of sixteen is four bits");
        let (unequal, moves) = quiet_scores(&[0, 30, 300]);
        let costs = [0, 1, 2].map(|n: usize| unequal.bits(moves[n], 30));
        assert!(costs.is_sorted_by(|a, b| a > b), "{costs:?}");
        assert!(costs[2] < 16, "a move that stands out is nearly certain: {costs:?}");
        let apart = f64::from(costs[0] - costs[1]) / 1024.0;
        assert!((apart - std::f64::consts::LOG2_E).abs() < 0.05, "a temperature is a factor of e: {apart}");
    }
}
