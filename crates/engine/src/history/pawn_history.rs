//! Pawn-structure history.

use super::{
    ByPieceTo, ByTo, Context, LIMIT, MoveIndex, Mover, PERCENT, PIECES, QuietTable, QuietWeights, SQUARES, count,
    gravity,
};
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "pawn-structure history",
    about: "Pawn-structure history: results of a quiet move with a similar pawn structure.",
    idea: "Plans depend on the pawn structure: in similar structures the same piece goes to the same square. The \
        counters are indexed by a part of the pawn key and by the move's piece and to-square.",
    risk: "Structures with colliding keys share a counter, and after a pawn move all counters are new.",
    reads: "pawns; learned statistics.",
    papers: "`practice`.",
};

crate::params! {
    /// use pawn-structure history
    on = true;
    /// weight of the counter (1/64)
    weight = 112 in 0..=512 by 8, neutral 64;
}

crate::source::in_force! { weight: 0 }

const STRUCTURES: usize = 512;

crate::history::heap_table! {
    /// Counters by a part of the pawns' key, piece and square.
    pub struct PawnHistory([ByPieceTo; STRUCTURES]) = [[0; SQUARES]; PIECES];
}

fn structure(context: &Context) -> usize {
    context.pawn_key as usize % STRUCTURES
}

impl QuietTable for PawnHistory {
    type Row<'a> = &'a ByPieceTo;
    type Lane<'a> = (&'a ByTo, i32);

    #[inline(always)]
    fn row(&self, context: &Context) -> &ByPieceTo {
        &self.0[structure(context)]
    }

    #[inline(always)]
    fn lane<'a>(row: Self::Row<'a>, weights: &QuietWeights, mover: Mover) -> Self::Lane<'a> {
        (&row[mover.piece], weights.pawn_history.weight)
    }

    #[inline(always)]
    fn weigh((counters, weight): Self::Lane<'_>, to: usize) -> i32 {
        count(counters, to) * weight
    }

    fn update(&mut self, p: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        gravity(&mut self.0[structure(context)][at.mover.piece][at.to], amount * p.pawn_share / PERCENT, LIMIT);
    }
}
