//! Continuation history.

use super::{
    ByPieceTo, ByTo, CONTINUATIONS, Context, LIMIT, MoveIndex, Mover, PERCENT, PIECE_TO, PIECES, PieceTo, QuietTable,
    QuietWeights, SQUARES, count, gravity_to,
};
use crate::source::{Header, SourceInfo};

pub(crate) const SOURCE: SourceInfo = SourceInfo {
    name: "continuation history",
    about: "Continuation history: how a quiet move fared after earlier moves.",
    header: Header {
        idea: "What is good depends on what was just played: counters of a quiet move's piece and square for each \
            piece and square of the moves one, two, four and, where asked for, six plies ago. One table serves all \
            distances.",
        risk: "Large and sparse: much of it is empty in a short search, and its reads miss the cache.",
        reads: "path (the last six moves); what was learnt. After a null move and before the root an empty slice.",
        papers: "`practice`; it grew from `uiterwijk1992`.",
    },
};

crate::params! {
    /// how a quiet move fared after the moves before it counts
    on = true;
    /// weight of the counter one ply back (1/64)
    one = 96 in 0..=512 by 8, neutral 128;
    /// weight of the counter two plies back (1/64)
    two = 72 in 0..=512 by 8, neutral 64;
    /// weight of the counter four plies back (1/64)
    four = 24 in 0..=512 by 8, neutral 32;
    /// weight of the counter six plies back, which is not learnt either where this is 0 (1/64)
    six = 64 in 0..=512 by 8, neutral 0;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { one: 0, two: 0, four: 0, six: 0, ..self } }
    }
}

/// Counters by the earlier move's piece and square, and by those of the move itself.
pub struct Continuation(Box<[ByPieceTo]>);

impl Default for Continuation {
    fn default() -> Continuation {
        Continuation(vec![[[0; SQUARES]; PIECES]; PIECE_TO + 1].into_boxed_slice())
    }
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

    fn learn(&mut self, p: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        let known = || context.before.iter().filter(|&&before| before != PieceTo::NONE);
        let sum = match p.joint {
            0 => 0,
            _ => known().map(|before| count(&self.0[before.index()][at.mover.piece], at.to)).sum(),
        };
        for before in known() {
            let cell = &mut self.0[before.index()][at.mover.piece][at.to];
            let held = (i32::from(*cell) * (PERCENT - p.joint) + sum * p.joint) / PERCENT;
            gravity_to(cell, held, amount * p.continuation_share / PERCENT, LIMIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Params as Sizes;
    use shakmaty::{Bitboard, Color, Move, Role, Square};

    #[test]
    fn what_all_counters_say_together_makes_an_update_small() {
        let mv = |role, from, to| Move::Normal { role, from, capture: None, to, promotion: None };
        let before =
            [Square::A1, Square::B1, Square::C1].map(|to| PieceTo::of(Color::Black, mv(Role::Rook, Square::H1, to)));
        let [one, two, four] = before;
        let context = |before| Context { turn: Color::White, pawn_key: 0, threatened: Bitboard::EMPTY, before };
        let at = MoveIndex::of(Color::White, mv(Role::Knight, Square::G1, Square::F3));
        let learnt = |joint| {
            let p = Sizes { joint, continuation_share: 100, ..Sizes::DEFAULT };
            let mut table = Continuation::default();
            for _ in 0..8 {
                table.learn(&p, &context([PieceTo::NONE, two, four, PieceTo::NONE]), at, 1000);
            }
            table.learn(&p, &context([one, two, four, PieceTo::NONE]), at, 1000);
            count(&table.0[one.index()][at.mover.piece], at.to)
        };
        assert_eq!(learnt(0), 1000, "nothing was known after this move");
        let (half, whole) = (learnt(50), learnt(100));
        assert!(0 < whole && whole < half && half < 1000, "{half} {whole}");
    }
}
