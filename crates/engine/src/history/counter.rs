//! Countermoves: the quiet move that last refuted a move (`uiterwijk1992`).

use super::{PIECE_TO, PieceTo};
use crate::position::{NO_MOVE, pack};
use shakmaty::Move;

/// Refutations by the refuted move's piece and square.
pub struct Countermoves(Box<[u16]>);

impl Default for Countermoves {
    fn default() -> Countermoves {
        Countermoves(vec![NO_MOVE; PIECE_TO + 1].into_boxed_slice())
    }
}

impl Countermoves {
    /// The packed move that last refuted the move before.
    #[inline]
    pub fn after(&self, before: PieceTo) -> u16 {
        self.0[before.index()]
    }

    /// Remembers what refuted the move before.
    pub fn learn(&mut self, before: PieceTo, mv: Move) {
        if before != PieceTo::NONE {
            self.0[before.index()] = pack(mv);
        }
    }
}
