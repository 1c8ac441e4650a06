//! Killers.
//!
//! *Idea*: A quiet move that refuted one node often refutes its sisters, whatever was played there. The two latest of each ply come before
//! other quiet moves; they are forgotten when the node two plies above is entered anew.
//! *Risk*: Next to nothing where the sisters differ: it is tried in vain once a node.
//! *Reads*: path (ply); what was learnt. Whether a move is a killer makes it dearer or cheaper in other rules whatever this switch says.
//! *Papers*: `akl-newborn1977`.
//! *Measured*: ECM, 20 000 nodes, off: 532 solved (+43 -58 against 547 with it on), nodes to the solution x1.02 (0.97 ..
//! 1.07), -31.4 Elo (-76.4 .. +12.7) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Quiet, QuietFacts, Sources};
use crate::position::{NO_MOVE, pack};
use shakmaty::Move;

crate::params! {
    /// killers come before other quiet moves
    on = true;
    /// bonus of the latest killer (history counts)
    latest = 37000 in 0..=99999 by 1000, neutral 32000;
    /// bonus of the killer before (history counts)
    earlier = 31000 in 0..=99999 by 1000, neutral 24000;
    /// try killers before the other quiet moves are generated
    first = false;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { latest: 0, earlier: 0, first: false, ..self } }
    }
}

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
    pub(super) fn get(&self, slot: usize) -> Option<u16> {
        self.0.get(slot).copied()
    }

    /// Remembers a quiet move that cut.
    pub fn push(&mut self, mv: Move) {
        let packed = pack(mv);
        if self.0[0] != packed {
            self.0 = [packed, self.0[0]];
        }
    }
}

/// The bonus of a killer.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, facts: &QuietFacts, quiet: &Quiet<'_>) -> i32 {
    let p = &sources.orders.weights.killers;
    match facts.killers.slot(quiet.packed) {
        Some(0) => p.latest,
        Some(_) => p.earlier,
        None => 0,
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
