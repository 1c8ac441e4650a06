//! The frequencies of kinds of moves: the counting model (`tsuruoka2002`).
//!
//! Legal moves are counted, not positions: if one of twenty quiet moves is played, the chance of each is a twentieth.

use super::data::{RealizationData, RealizationExample};
use quarterply_engine::rules::realization::CHANCES;
use quarterply_engine::rules::sex::Category;

/// One kind of move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedMoveKind {
    /// The kind.
    pub kind: Category,
    /// Moves of that kind that were played.
    pub played: u64,
    /// Moves of that kind that could be played.
    pub seen: u64,
}

/// Prior count of a kind: half a move in ten.
const PRIOR_PLAYED: f64 = 0.5;
const PRIOR_SEEN: f64 = 10.0;

impl RatedMoveKind {
    /// Its chance.
    pub fn chance(&self) -> f64 {
        (self.played as f64 + PRIOR_PLAYED) / (self.seen as f64 + PRIOR_SEEN)
    }

    /// The same as a coefficient (1/10000); `default` if no such move could be played.
    pub fn coefficient(&self, default: i32) -> i32 {
        if self.seen == 0 {
            return default;
        }
        (self.chance() * f64::from(CHANCES.max)).round().clamp(CHANCES.min.into(), CHANCES.max.into()) as i32
    }
}

/// Counts all kinds.
pub fn count(data: &RealizationData) -> Vec<RatedMoveKind> {
    let mut kinds: Vec<RatedMoveKind> =
        Category::ALL.iter().map(|&kind| RatedMoveKind { kind, played: 0, seen: 0 }).collect();
    for example in (0..data.positions()).map(|index| data.example(index)) {
        for index in 0..example.moves() {
            let kind = &mut kinds[example.kind(index) as usize];
            kind.seen += 1;
            kind.played += u64::from(index == example.played());
        }
    }
    kinds
}

/// The chances of the moves of a position, scaled to a sum of one.
pub fn chances(kinds: &[RatedMoveKind], example: &RealizationExample<'_>) -> Vec<f64> {
    let chances: Vec<f64> = (0..example.moves()).map(|index| kinds[example.kind(index) as usize].chance()).collect();
    let sum: f64 = chances.iter().sum();
    chances.into_iter().map(|chance| chance / sum).collect()
}
