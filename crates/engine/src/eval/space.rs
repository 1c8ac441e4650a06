//! Space: safe squares for the pieces behind the own pawns in the centre.

use shakmaty::{Bitboard, Role};

use super::groups::SPACE;
use super::info::Info;
use super::pair::Pair;
use super::trace::{Term, Trace, weigh};
use crate::side::ConstColor;

/// Files c to f.
const CENTRE: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
/// Ranks 2 to 4 of the owner.
const RANKS: (usize, usize) = (1, 3);
/// Squares times pieces are counted in eighths.
const UNIT: usize = 8;

/// Room of one side. The more pieces there are to place, the more it matters.
#[inline(always)]
pub fn space<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let room = S::band(RANKS.0, RANKS.1) & CENTRE & !us.pawns & !them.by[Role::Pawn as usize];
    let pieces = (us.own & !us.pawns).count();
    let score = weigh::<S, T>(trace, SPACE.at(0), (room.count() * pieces / UNIT) as i32);
    trace.note(Term::Space, S::COLOR, score);
    score
}
