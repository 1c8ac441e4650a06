//! Butterfly history, with gravity.
//!
//! *Idea*: A quiet move that cut elsewhere in the tree will cut here as well. A counter for each side, from and to rises when the move
//! cuts and falls when it was tried before the one that did; the nearer a counter is to its limit the less an update in that direction
//! adds, so that none saturates and old knowledge fades.
//! *Risk*: From and to say nothing of piece and position: deep in the tree it is close to noise, which is why it is one of several tables.
//! *Reads*: side to move; what was learnt.
//! *Papers*: `schaeffer1983`, `schaeffer1989`, `practice`.
//! *Measured*: ECM, 20 000 nodes, off: 442 solved (+65 -53 against 430 with it on), nodes to the solution x1.00 (0.94 ..
//! 1.06); default profile, 2026-11-23, bench 3557881, `docs/results/rules.md`.

use super::{Context, LIMIT, MoveIndex, QuietTable, SIDES, SQUARES, gravity};
use crate::ordering::Weights;
use shakmaty::{Color, Move};

crate::params! {
    /// how a quiet move fared anywhere, by from and to, counts
    on = true;
    /// weight of the counter (1/64)
    weight = 96 in 0..=512 by 8;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { weight: 0, ..self } }
    }
}

type FromTo = [i16; SQUARES * SQUARES];

/// Counters by side, from and to.
pub struct Butterfly(Box<[FromTo]>);

impl Default for Butterfly {
    fn default() -> Butterfly {
        Butterfly(vec![[0; SQUARES * SQUARES]; SIDES].into_boxed_slice())
    }
}

impl QuietTable for Butterfly {
    type Row<'a> = &'a FromTo;

    #[inline(always)]
    fn row(&self, context: &Context) -> &FromTo {
        &self.0[context.turn as usize]
    }

    #[inline(always)]
    fn weigh(row: &FromTo, weights: &Weights, at: MoveIndex) -> i32 {
        i32::from(row[at.from_to]) * weights.butterfly.weight
    }

    fn learn(&mut self, _: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        gravity(&mut self.0[context.turn as usize][at.from_to], amount, LIMIT);
    }
}

impl Butterfly {
    /// The counter of a quiet move.
    #[inline]
    pub fn count(&self, turn: Color, mv: Move) -> i32 {
        self.0[turn as usize][MoveIndex::of(turn, mv).from_to].into()
    }
}
