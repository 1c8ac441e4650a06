//! Room: safe squares behind the own pawns in the centre, worth more the more pieces want to use them.

use shakmaty::{Bitboard, Role};

use super::info::Info;
use super::pair::{Pair, pair};
use super::side::Side;
use super::trace::{Term, Trace};
use super::weights::*;

const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
/// Ranks 2 to 4 of the owner.
const RANKS: (usize, usize) = (1, 3);

/// Space of one side; zero when few pieces are left.
#[inline(always)]
pub fn space<S: Side, T: Trace>(info: &Info, phase: i32, trace: &mut T) -> Pair {
    if phase < SPACE_PHASE_MIN {
        return Pair::ZERO;
    }
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let ranks = S::band(RANKS.0, RANKS.1);
    let safe = CENTRE_FILES & ranks & !us.pawns & !them.by[Role::Pawn as usize];
    // Up to three squares behind a pawn count again while the enemy does not reach them.
    let mut behind = us.pawns;
    behind |= S::down(behind);
    behind |= S::down(S::down(behind));
    let shielded = behind & safe & !them.all;
    let weight = us.own.count() as i32 - SPACE_PIECES_OFF;
    let value = (safe.count() + shielded.count()) as i32 * weight * weight / SPACE_DIVISOR;
    let score = pair(value, 0);
    trace.note(Term::Space, S::COLOR, score);
    score
}
