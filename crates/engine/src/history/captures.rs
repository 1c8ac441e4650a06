//! Capture history: counters by piece, square and captured role.

use super::{LIMIT, PERCENT, PIECE_TO, Params, PieceTo, gravity};
use shakmaty::{Color, Move};

const VICTIMS: usize = 8;

crate::history::heap_table! {
    /// Counters by piece, square and captured role.
    pub struct Captures([i16; PIECE_TO * VICTIMS]) = 0;
}

fn index(turn: Color, mv: Move) -> usize {
    let victim = mv.capture().map_or(0, |role| role as usize);
    PieceTo::of(turn, mv).index() * VICTIMS + victim
}

impl Captures {
    /// The counter of a capture or promotion.
    #[inline]
    pub fn count(&self, turn: Color, mv: Move) -> i32 {
        self.0[index(turn, mv)].into()
    }

    /// Moves it by `amount`.
    pub fn update(&mut self, p: &Params, turn: Color, mv: Move, amount: i32) {
        gravity(&mut self.0[index(turn, mv)], amount * p.capture_share / PERCENT, LIMIT);
    }
}
