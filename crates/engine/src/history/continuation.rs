//! Continuation history.
//!
//! *Idea*: What is good depends on what was just played: counters of a quiet move's piece and square for each piece and square of the moves
//! one, two and four plies ago. One table serves all distances.
//! *Risk*: Large and sparse: much of it is empty in a short search, and its reads miss the cache.
//! *Reads*: path (the last four moves); what was learnt. After a null move and before the root an empty slice.
//! *Papers*: `practice`; it grew from `uiterwijk1992`.
//! *Measured*: ECM, 20 000 nodes, off: 436 solved (+64 -58 against 430 with it on), nodes to the solution x0.98 (0.93 ..
//! 1.03); default profile, 2026-11-23, bench 3557881, `docs/results/rules.md`.

use super::{CONTINUATIONS, Context, LIMIT, MoveIndex, PERCENT, PIECE_TO, PieceTo, QuietTable, gravity};
use crate::ordering::Weights;

crate::params! {
    /// how a quiet move fared after the moves before it counts
    on = true;
    /// weight of the counter one ply back (1/64)
    one = 136 in 0..=512 by 8;
    /// weight of the counter two plies back (1/64)
    two = 72 in 0..=512 by 8;
    /// weight of the counter four plies back (1/64)
    four = 32 in 0..=512 by 8;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { one: 0, two: 0, four: 0, ..self } }
    }
}

type ByPieceTo = [i16; PIECE_TO];

/// Counters by the earlier move's piece and square, and by those of the move itself.
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
    fn weigh(row: [&ByPieceTo; CONTINUATIONS.len()], weights: &Weights, at: MoveIndex) -> i32 {
        let [one, two, four] = row.map(|row| i32::from(row[at.piece_to]));
        let p = &weights.continuation;
        one * p.one + two * p.two + four * p.four
    }

    fn learn(&mut self, p: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        for before in context.before {
            if before != PieceTo::NONE {
                let cell = &mut self.0[before.index()][at.piece_to];
                gravity(cell, amount * p.continuation_share / PERCENT, LIMIT);
            }
        }
    }
}
