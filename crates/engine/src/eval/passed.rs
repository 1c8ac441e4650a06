//! Passed pawns: their relation to pieces and kings. Their value by rank is in `pawns`.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::groups::*;
use super::info::Info;
use super::pair::Pair;
use super::pawns::PawnEntry;
use super::style::share;
use super::trace::{Term, Trace, weigh};
use crate::geometry::{distance, file_of};
use crate::side::ConstColor;

const EIGHTH: usize = 7;
/// From the second rank a pawn may take two steps at once.
const LONGEST_WALK: i32 = 5;

/// All passed pawns of one side.
#[inline(always)]
pub fn passed<S: ConstColor, T: Trace>(info: &Info, pawns: &PawnEntry, trace: &mut T) -> Pair {
    let mut score = Pair::ZERO;
    for sq in pawns.passed[S::US] {
        score += way::<S, T>(info, sq, trace);
        score += kings::<S, T>(info, sq, trace);
        score += rooks::<S, T>(info, sq, trace);
    }
    let score = share(score, info.style.passed_pawns);
    trace.note(Term::Passed, S::COLOR, score);
    score
}

/// How free is the way?
#[inline(always)]
fn way<S: ConstColor, T: Trace>(info: &Info, sq: Square, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let rank = S::rank(sq);
    let stop = S::up(Bitboard::from_square(sq));
    let mut score = Pair::ZERO;
    if (stop & info.occupied).any() {
        score += weigh::<S, T>(trace, PASSED_BLOCKED.at(rank), 1);
    }
    if (stop & them.all).is_empty() {
        score += weigh::<S, T>(trace, PASSED_SAFE_STEP.at(rank), 1);
        if (S::front_file(sq) & (them.all | them.own)).is_empty() {
            score += weigh::<S, T>(trace, PASSED_SAFE_WAY.at(rank), 1);
        }
    }
    if (stop & us.all).any() {
        score += weigh::<S, T>(trace, PASSED_ESCORTED.at(rank), 1);
    }
    score
}

/// The enemy king should be far from the square in front, our own near; best is an enemy king that comes too late.
#[inline(always)]
fn kings<S: ConstColor, T: Trace>(info: &Info, sq: Square, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let rank = S::rank(sq);
    let Some(stop) = S::up(Bitboard::from_square(sq)).first() else { return Pair::ZERO };
    let mut score = weigh::<S, T>(trace, PASSED_OUR_KING.at(rank), distance(us.king, stop));
    score += weigh::<S, T>(trace, PASSED_THEIR_KING.at(rank), distance(them.king, stop));
    if unstoppable::<S>(info, sq) {
        score += weigh::<S, T>(trace, UNSTOPPABLE.at(rank), 1);
    }
    score
}

/// The opponent has only its king to stop the pawn, and it comes too late, or ours guards the way.
#[inline(always)]
fn unstoppable<S: ConstColor>(info: &Info, sq: Square) -> bool {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    if (them.own & !them.pawns).more_than_one() {
        return false;
    }
    let path = S::front_file(sq);
    let Some(goal) = S::foremost(path) else { return false };
    let walk = ((EIGHTH - S::rank(sq)) as i32).min(LONGEST_WALK);
    let late = i32::from(info.turn != S::COLOR);
    let outrun = (path & info.occupied).is_empty() && distance(them.king, goal) - late > walk;
    let guarded = (path & !attacks::king_attacks(us.king)).is_empty() && (path & info.occupied).is_empty();
    let taken = them.by[Role::King as usize].contains(sq) && late == 1 && !us.all.contains(sq);
    (outrun || guarded) && !taken
}

/// A rook behind the pawn sees its whole way.
#[inline(always)]
fn rooks<S: ConstColor, T: Trace>(info: &Info, sq: Square, trace: &mut T) -> Pair {
    let on_file = info.board.rooks() & file_of(sq) & !S::front_file(sq);
    if on_file.is_empty() {
        return Pair::ZERO;
    }
    let behind = on_file & attacks::rook_attacks(sq, info.occupied);
    let ours = (behind & info.us::<S>().own).any();
    let theirs = (behind & info.them::<S>().own).any();
    // The enemy's rook is recorded as a weight of the pawn's owner, with the enemy's sign.
    weigh::<S, T>(trace, ROOK_BEHIND_PASSED.at(0), i32::from(ours))
        + weigh::<S, T>(trace, ROOK_BEHIND_THEIR_PASSED.at(0), -i32::from(theirs))
}
