//! Butterfly history, with gravity.

use super::{ByTo, Context, LIMIT, MoveIndex, Mover, QuietTable, QuietWeights, SIDES, SQUARES, count, gravity};
use crate::source::Description;
use shakmaty::{Bitboard, Color, Move};

pub(crate) const SOURCE: Description = Description {
    name: "butterfly history",
    about: "Butterfly history: results of a quiet move in the whole tree.",
    idea: "A quiet move that caused cutoffs elsewhere in the tree will probably do so here. A counter for each \
        side, from-square and to-square rises when the move cuts and falls when it was searched before the cutoff \
        move. The nearer a counter is to its limit, the smaller the update in that direction (gravity): counters \
        never saturate, and old results fade. With `threats`, moves that leave or enter an attacked square have \
        separate counters.",
    risk: "From-square and to-square ignore piece and position: in a large tree the counters are close to noise, \
        so they are combined with other tables.",
    reads: "side to move; learned statistics; attacked squares.",
    papers: "`schaeffer1983`, `schaeffer1989`, `practice`.",
};

crate::params! {
    /// use butterfly history
    on = true;
    /// weight of the counter (1/64)
    weight = 72 in 0..=512 by 8, neutral 128;
    /// separate counters for moves from an attacked square, to an attacked square, both, and neither
    threats = true;
}

crate::source::in_force! { weight: 0 }

/// By from and to.
type FromTo = [ByTo; SQUARES];

/// A square is attacked or it is not.
const THREATS: usize = 2;

/// By whether from is attacked, and whether to is.
type ByThreats = [[FromTo; THREATS]; THREATS];

crate::history::heap_table! {
    /// Counters by side, threats, from and to.
    pub struct Butterfly([ByThreats; SIDES]) = [[[[0; SQUARES]; SQUARES]; THREATS]; THREATS];
}

/// Which of two counters a square has.
#[inline(always)]
fn attacked(threatened: Bitboard, square: usize) -> usize {
    (threatened.0 >> square & 1) as usize
}

impl QuietTable for Butterfly {
    type Row<'a> = (&'a ByThreats, Bitboard);
    type Lane<'a> = ([&'a ByTo; THREATS], Bitboard, i32);

    #[inline(always)]
    fn row(&self, context: &Context) -> (&ByThreats, Bitboard) {
        (&self.0[context.turn as usize], context.threatened)
    }

    #[inline(always)]
    fn lane<'a>((row, threatened): Self::Row<'a>, weights: &QuietWeights, mover: Mover) -> Self::Lane<'a> {
        let [calm, attacked] = &row[attacked(threatened, mover.from)];
        ([&calm[mover.from], &attacked[mover.from]], threatened, weights.butterfly.weight)
    }

    #[inline(always)]
    fn weigh((by_threat, threatened, weight): Self::Lane<'_>, to: usize) -> i32 {
        count(by_threat[attacked(threatened, to)], to) * weight
    }

    fn update(&mut self, _: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        let (from, to) = (at.mover.from, at.to);
        let [from_attacked, to_attacked] = [from, to].map(|square| attacked(context.threatened, square));
        gravity(&mut self.0[context.turn as usize][from_attacked][to_attacked][from][to], amount, LIMIT);
    }
}

impl Butterfly {
    /// The counter of a quiet move.
    #[inline]
    pub fn count(&self, turn: Color, threatened: Bitboard, mv: Move) -> i32 {
        let MoveIndex { mover: Mover { from, .. }, to } = MoveIndex::of(turn, mv);
        let [from_attacked, to_attacked] = [from, to].map(|square| attacked(threatened, square));
        self.0[turn as usize][from_attacked][to_attacked][from][to].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{CONTINUATIONS, PieceTo};
    use shakmaty::{Role, Square};

    #[test]
    fn attacked_squares_have_counters_of_their_own() {
        let mv = Move::Normal { role: Role::Knight, from: Square::G1, capture: None, to: Square::F3, promotion: None };
        let (from, to) = (Bitboard::from(Square::G1), Bitboard::from(Square::F3));
        let ways = [Bitboard::EMPTY, to, from, from | to];
        for (number, threatened) in ways.into_iter().enumerate() {
            let mut table = Butterfly::default();
            let before = [PieceTo::NONE; CONTINUATIONS.len()];
            let context = Context { turn: Color::White, pawn_key: 0, threatened, before };
            table.update(&crate::history::Params::DEFAULT, &context, MoveIndex::of(Color::White, mv), 700);
            let counts = ways.map(|threatened| table.count(Color::White, threatened, mv));
            let mut expected = ways.map(|_| 0);
            expected[number] = 700;
            assert_eq!(counts, expected, "{threatened:?}");
            let elsewhere = threatened | Bitboard::from(Square::A8);
            assert_eq!(table.count(Color::White, elsewhere, mv), 700, "other squares do not matter");
        }
    }
}
