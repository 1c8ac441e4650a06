//! Continuation history.

use super::{
    ByPieceTo, ByTo, CONTINUATIONS, Context, LIMIT, MoveIndex, Mover, PERCENT, PIECE_TO, PIECES, PieceTo, QuietTable,
    QuietWeights, SQUARES, count, gravity,
};
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "continuation history",
    about: "Continuation history: results of a quiet move after the preceding moves.",
    idea: "The value of a quiet move depends on the preceding moves. There is a counter for its piece and to-square \
        together with those of the move one, two, four or, optionally, six plies ago. One table serves all distances.",
    risk: "Large and sparse: much of it is empty in a short search, and its reads miss the cache.",
    reads: "path (the last six moves); learned statistics. After a null move and before the root an empty table is used.",
    papers: "`practice`; it grew from `uiterwijk1992`.",
};

crate::params! {
    /// use continuation history
    on = true;
    /// weight of the counter one ply back (1/64)
    one = 96 in 0..=512 by 8, neutral 128;
    /// weight of the counter two plies back (1/64)
    two = 72 in 0..=512 by 8, neutral 64;
    /// weight of the counter four plies back (1/64)
    four = 24 in 0..=512 by 8, neutral 32;
    /// weight of the counter six plies back; if 0, it is not updated either (1/64)
    six = 64 in 0..=512 by 8, neutral 0;
}

crate::source::in_force! { one: 0, two: 0, four: 0, six: 0 }

crate::history::heap_table! {
    /// Counters by the earlier move's piece and square, and by those of the move itself.
    pub struct Continuation([ByPieceTo; PIECE_TO + 1]) = [[0; SQUARES]; PIECES];
}

impl QuietTable for Continuation {
    type Row<'a> = [&'a ByPieceTo; CONTINUATIONS.len()];
    type Lane<'a> = [(&'a ByTo, i32); CONTINUATIONS.len()];

    #[inline(always)]
    fn row(&self, context: &Context) -> [&ByPieceTo; CONTINUATIONS.len()] {
        context.before.map(|before| &self.0[before.index()])
    }

    #[inline(always)]
    fn lane<'a>(row: Self::Row<'a>, weights: &QuietWeights, mover: Mover) -> Self::Lane<'a> {
        let [one, two, four, six] = row.map(|row| &row[mover.piece]);
        let p = &weights.continuation;
        [(one, p.one), (two, p.two), (four, p.four), (six, p.six)]
    }

    #[inline(always)]
    fn weigh(lane: Self::Lane<'_>, to: usize) -> i32 {
        let [one, two, four, six] = lane.map(|(counters, weight)| count(counters, to) * weight);
        one + two + four + six
    }

    fn update(&mut self, p: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        for before in context.before.iter().filter(|&&before| before != PieceTo::NONE) {
            let cell = &mut self.0[before.index()][at.mover.piece][at.to];
            gravity(cell, amount * p.continuation_share / PERCENT, LIMIT);
        }
    }
}
