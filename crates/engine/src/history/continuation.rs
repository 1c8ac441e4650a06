//! Continuation history: how a quiet move fared after the moves 1, 2 and 4 plies ago (current practice).

use super::{CONTINUATIONS, Context, LIMIT, PERCENT, PIECE_TO, Params, PieceTo, MoveIndex, QuietTable, gravity};
use crate::ordering;

type ByPieceTo = [i16; PIECE_TO];

/// Counters by the earlier move's piece and square, and by those of the move itself. One table serves all distances.
pub struct Continuation(Box<[ByPieceTo]>);

impl Default for Continuation {
    fn default() -> Continuation {
        Continuation(vec![[0; PIECE_TO]; PIECE_TO + 1].into_boxed_slice())
    }
}

impl QuietTable for Continuation {
    type Row<'a> = [&'a ByPieceTo; CONTINUATIONS.len()];

    #[inline(always)]
    fn row(&self, context: &Context) -> [&ByPieceTo; CONTINUATIONS.len()] {
        context.before.map(|before| &self.0[before.index()])
    }

    #[inline(always)]
    fn weigh(row: [&ByPieceTo; CONTINUATIONS.len()], weights: &ordering::Params, at: MoveIndex) -> i32 {
        let [one, two, four] = row.map(|row| i32::from(row[at.piece_to]));
        one * weights.continuation_1 + two * weights.continuation_2 + four * weights.continuation_4
    }

    fn learn(&mut self, p: &Params, context: &Context, at: MoveIndex, amount: i32) {
        for before in context.before {
            if before != PieceTo::NONE {
                let cell = &mut self.0[before.index()][at.piece_to];
                gravity(cell, amount * p.continuation_share / PERCENT, LIMIT);
            }
        }
    }
}
