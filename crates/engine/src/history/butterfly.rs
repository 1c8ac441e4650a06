//! Butterfly history: how a quiet move fared anywhere, by side, from and to (`schaeffer1983`).

use super::{Context, LIMIT, Params, MoveIndex, QuietTable, SIDES, SQUARES, gravity};
use crate::ordering;
use shakmaty::{Color, Move};

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
    fn weigh(row: &FromTo, weights: &ordering::Params, at: MoveIndex) -> i32 {
        i32::from(row[at.from_to]) * weights.butterfly
    }

    fn learn(&mut self, _: &Params, context: &Context, at: MoveIndex, amount: i32) {
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
