//! Refutations elsewhere in the tree: killers by ply, countermoves by the preceding move.

use super::{PIECE_TO, PieceTo};
use crate::position::{NO_MOVE, pack};
use shakmaty::Move;

/// Killer moves kept per ply.
pub const KILLERS: usize = 2;

/// The quiet moves that last cut at one ply.
#[derive(Clone, Copy, Default, Debug)]
pub struct Killers([u16; KILLERS]);

impl Killers {
    /// No killers yet.
    pub const NONE: Killers = Killers([NO_MOVE; KILLERS]);

    /// The slot of a move: 0 is the latest killer.
    #[inline]
    pub fn slot(&self, packed: u16) -> Option<usize> {
        self.0.iter().position(|&k| k == packed).filter(|_| packed != NO_MOVE)
    }

    /// The killer in this slot.
    pub(crate) fn get(&self, slot: usize) -> Option<u16> {
        self.0.get(slot).copied()
    }

    /// Stores a quiet move that cut.
    pub fn push(&mut self, mv: Move) {
        let packed = pack(mv);
        if self.0[0] != packed {
            self.0 = [packed, self.0[0]];
        }
    }
}

crate::history::heap_table! {
    /// Refutations by the refuted move's piece and square.
    pub struct Countermoves([u16; PIECE_TO + 1]) = NO_MOVE;
}

impl Countermoves {
    /// The packed move that last refuted the move before.
    #[inline]
    pub fn after(&self, before: PieceTo) -> u16 {
        self.0[before.index()]
    }

    /// Stores the refutation of the move before.
    pub fn update(&mut self, before: PieceTo, mv: Move) {
        if before != PieceTo::NONE {
            self.0[before.index()] = pack(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Role, Square};

    #[test]
    fn killers_shift_and_do_not_repeat() {
        let mv = |to| Move::Normal { role: Role::Knight, from: Square::G1, capture: None, to, promotion: None };
        let mut killers = Killers::default();
        for to in [Square::F3, Square::F3, Square::H3] {
            killers.push(mv(to));
        }
        assert_eq!(killers.slot(pack(mv(Square::H3))), Some(0));
        assert_eq!(killers.slot(pack(mv(Square::F3))), Some(1));
        assert_eq!(killers.slot(pack(mv(Square::E2))), None);
        assert_eq!(killers.slot(NO_MOVE), None);
    }
}
