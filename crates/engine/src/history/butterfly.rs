//! Butterfly history, with gravity.
//!
//! *Idea*: A quiet move that cut elsewhere in the tree will cut here as well. A counter for each side, from and to rises when the move
//! cuts and falls when it was tried before the one that did; the nearer a counter is to its limit the less an update in that direction
//! adds, so that none saturates and old knowledge fades. With `threats` a move that leaves or enters a square which the opponent attacks has
//! counters of its own: to flee is another matter than to walk.
//! *Risk*: From and to say nothing of piece and position: deep in the tree it is close to noise, which is why it is one of several tables.
//! *Reads*: side to move; what was learnt; attacked squares.
//! *Papers*: `schaeffer1983`, `schaeffer1989`, `practice`.
//! *Measured*: ECM, 20 000 nodes, off: 480 solved (+47 -46 against 479 with it on), nodes to the solution x1.00 (0.95 ..
//! 1.06), -34.9 Elo (-79.7 .. +8.9) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 3873485,
//! `docs/results/rules.md`.

use super::{Context, LIMIT, MoveIndex, QuietTable, SIDES, SQUARES, gravity};
use crate::ordering::Weights;
use shakmaty::{Bitboard, Color, Move};

crate::params! {
    /// how a quiet move fared anywhere, by from and to, counts
    on = true;
    /// weight of the counter (1/64)
    weight = 104 in 0..=512 by 8;
    /// counters of their own for moves from an attacked square, to one, both, and neither
    threats = true;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { weight: 0, ..self } }
    }
}

type FromTo = [i16; SQUARES * SQUARES];

/// Whether from is attacked, and whether to is.
const THREATS: usize = 4;

/// Counters by side, threats, from and to.
pub struct Butterfly(Box<[[FromTo; THREATS]]>);

impl Default for Butterfly {
    fn default() -> Butterfly {
        Butterfly(vec![[[0; SQUARES * SQUARES]; THREATS]; SIDES].into_boxed_slice())
    }
}

/// Which of the four counters a move has where these squares are attacked.
#[inline(always)]
fn threats(threatened: Bitboard, at: MoveIndex) -> usize {
    let attacked = |square: usize| (threatened.0 >> square & 1) as usize;
    attacked(at.from_to / SQUARES) * 2 + attacked(at.from_to % SQUARES)
}

impl QuietTable for Butterfly {
    type Row<'a> = (&'a [FromTo; THREATS], Bitboard);

    #[inline(always)]
    fn row(&self, context: &Context) -> (&[FromTo; THREATS], Bitboard) {
        (&self.0[context.turn as usize], context.threatened)
    }

    #[inline(always)]
    fn weigh((row, threatened): (&[FromTo; THREATS], Bitboard), weights: &Weights, at: MoveIndex) -> i32 {
        i32::from(row[threats(threatened, at)][at.from_to]) * weights.butterfly.weight
    }

    fn learn(&mut self, _: &super::Params, context: &Context, at: MoveIndex, amount: i32) {
        let row = &mut self.0[context.turn as usize];
        gravity(&mut row[threats(context.threatened, at)][at.from_to], amount, LIMIT);
    }
}

impl Butterfly {
    /// The counter of a quiet move.
    #[inline]
    pub fn count(&self, turn: Color, threatened: Bitboard, mv: Move) -> i32 {
        let at = MoveIndex::of(turn, mv);
        self.0[turn as usize][threats(threatened, at)][at.from_to].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{CONTINUATIONS, PieceTo};
    use shakmaty::{Role, Square};

    #[test]
    fn attacked_squares_have_counters_of_their_own() {
        let mv =
            Move::Normal { role: Role::Knight, from: Square::G1, capture: None, to: Square::F3, promotion: None };
        let (from, to) = (Bitboard::from(Square::G1), Bitboard::from(Square::F3));
        let ways = [Bitboard::EMPTY, to, from, from | to];
        for (number, threatened) in ways.into_iter().enumerate() {
            let mut table = Butterfly::default();
            let before = [PieceTo::NONE; CONTINUATIONS.len()];
            let context = Context { turn: Color::White, pawn_key: 0, threatened, before };
            table.learn(&crate::history::Params::DEFAULT, &context, MoveIndex::of(Color::White, mv), 700);
            let counts = ways.map(|threatened| table.count(Color::White, threatened, mv));
            let mut expected = [0; THREATS];
            expected[number] = 700;
            assert_eq!(counts, expected, "{threatened:?}");
            let elsewhere = threatened | Bitboard::from(Square::A8);
            assert_eq!(table.count(Color::White, elsewhere, mv), 700, "other squares do not matter");
        }
    }
}
