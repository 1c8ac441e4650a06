//! Passed pawns: how far, how free, and who is near.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::geometry::{distance, file_of, from_edge};
use super::info::Info;
use super::pair::{Pair, pair};
use super::pawns::PawnEntry;
use super::side::Side;
use super::style::share;
use super::trace::{Term, Trace};
use super::weights::*;

const FOURTH: usize = 3;
const EIGHTH: usize = 7;
/// Moves a pawn on the second rank needs to promote.
const LONGEST_WALK: i32 = 5;

/// All passed pawns of one side.
#[inline(always)]
pub fn passed<S: Side, T: Trace>(info: &Info, pawns: &PawnEntry, trace: &mut T) -> Pair {
    let mut score = Pair::ZERO;
    for sq in pawns.passed[S::US] {
        score += one::<S>(info, sq);
    }
    let score = share(score, info.style.passed_pawns);
    trace.note(Term::Passed, S::COLOR, score);
    score
}

#[inline(always)]
fn one<S: Side>(info: &Info, sq: Square) -> Pair {
    let rank = S::rank(sq);
    let step = S::up(Bitboard::from_square(sq));
    let mut score = PASSED[rank] + PASSED_FROM_EDGE * from_edge(sq.file()) as i32;
    if rank >= FOURTH
        && let Some(stop) = step.first()
    {
        score += kings::<S>(info, stop, rank);
        if (step & info.occupied).is_empty() {
            score += way::<S>(info, sq, step, rank);
        }
    }
    // One that still has pawns before it counts half.
    let clear = step.first().is_some_and(|stop| (S::front_span(stop) & info.them::<S>().pawns).is_empty());
    if !clear || (step & info.board.pawns()).any() {
        score = pair(score.mg() / 2, score.eg() / 2);
    } else if unstoppable::<S>(info, sq, rank) {
        score += pair(0, UNSTOPPABLE - UNSTOPPABLE_SLOPE * (EIGHTH - rank) as i32);
    }
    score
}

/// The enemy king should be far from the square in front, our own near.
#[inline(always)]
fn kings<S: Side>(info: &Info, stop: Square, rank: usize) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let near = |king: Square, sq: Square| distance(king, sq).min(PASSED_KING_MAX);
    let mut value = PASSED_THEIR_KING[rank] * near(them.king, stop) - PASSED_OUR_KING[rank] * near(us.king, stop);
    if let Some(next) = S::up(Bitboard::from_square(stop)).first() {
        value -= PASSED_OUR_KING_NEXT[rank] * near(us.king, next);
    }
    pair(0, value)
}

/// The square in front is empty: how free is the rest of the way?
#[inline(always)]
fn way<S: Side>(info: &Info, sq: Square, step: Bitboard, rank: usize) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let path = S::front_file(sq);
    let behind = file_of(sq) & !path & info.board.rooks_and_queens() & attacks::rook_attacks(sq, info.occupied);
    // An enemy rook behind the pawn sees every square of its way.
    let seen = if (behind & them.own).any() { Bitboard::FULL } else { them.all | (them.own & !info.board.pawns()) };
    let mut factor = if (seen & S::front_span(sq)).is_empty() {
        PASSED_WAY_CALM
    } else if (seen & path).is_empty() {
        PASSED_WAY_FREE
    } else if (seen & step).is_empty() {
        PASSED_STEP_FREE
    } else {
        0
    };
    if (behind & us.own).any() || (us.all & step).any() {
        factor += PASSED_ESCORTED;
    }
    let value = PASSED_UNIT[rank] * factor;
    pair(value, value)
}

/// The opponent has only its king, which comes too late, or ours guards the way.
#[inline(always)]
fn unstoppable<S: Side>(info: &Info, sq: Square, rank: usize) -> bool {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let hit = !us.all.contains(sq) && them.by[Role::King as usize].contains(sq);
    if (them.own & !them.pawns).more_than_one() || hit {
        return false;
    }
    let path = S::front_file(sq);
    let Some(goal) = S::foremost(path) else { return false };
    let walk = ((EIGHTH - rank) as i32).min(LONGEST_WALK);
    let late = i32::from(info.turn != S::COLOR);
    let outrun = (path & info.occupied).is_empty() && distance(them.king, goal) - late > walk;
    let guarded =
        (path & them.own).is_empty() && (path & !attacks::king_attacks(us.king)).is_empty() && !path.contains(us.king);
    outrun || guarded
}
