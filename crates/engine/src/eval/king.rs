//! King danger: what the enemy pieces can do to a king.
//!
//! The pieces' attacks on the king's zone, weak squares, checks and missing pawns are counted and weighed into one sum; a fitted curve
//! turns the sum into a penalty. The curve is what makes two attackers worth more than twice one.

use shakmaty::{Bitboard, Role, attacks};

use super::groups::*;
use super::info::{Info, piece_index};
use super::pair::Pair;
use super::pawns::PawnEntry;
use super::style::share;
use super::trace::{Term, Trace, endanger};
use crate::geometry::{adjacent_files, file_of, files_around};
use crate::side::ConstColor;

/// The last rank on which the wing of a king is watched.
const WING_LAST: usize = 3;
/// Enemy pawns count as near up to this many ranks ahead.
const NEAR: usize = 3;

/// The danger from `S` to the enemy king, as a penalty seen by the king's side.
#[inline(always)]
pub fn danger<S: ConstColor, T: Trace>(info: &Info, pawns: &PawnEntry, trace: &mut T) -> Pair {
    let guarded = guarded::<S>(info);
    let danger = info.us::<S>().danger
        + zone::<S, T>(info, guarded, trace)
        + checks::<S, T>(info, guarded, trace)
        + wing::<S, T>(info, trace)
        + files::<S, T>(info, pawns, trace)
        + circumstances::<S, T>(info, trace);
    let score = share(-penalty(danger), info.style.king_danger);
    trace.note(Term::Danger, S::Other::COLOR, score);
    score
}

/// Squares the defender guards with something that is not the king.
#[inline(always)]
fn guarded<S: ConstColor>(info: &Info) -> Bitboard {
    let them = info.them::<S>();
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .fold(Bitboard::EMPTY, |squares, role| squares | them.by[role as usize])
}

/// Squares around the king that are poorly defended, and the pieces that could do better.
#[inline(always)]
fn zone<S: ConstColor, T: Trace>(info: &Info, guarded: Bitboard, trace: &mut T) -> i32 {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let weak = them.zone & us.all & !guarded;
    let guards = them.own & (info.board.knights() | info.board.bishops()) & them.zone;
    endanger::<S, T>(trace, WEAK_SQUARE.at(0), weak.count() as i32)
        + endanger::<S, T>(trace, SHIELDED.at(0), them.shields.count() as i32)
        + endanger::<S, T>(trace, GUARD.at(0), guards.count() as i32)
}

/// Checks at hand: by kind of piece where they are safe, by square where the piece would be taken. The king itself takes only what
/// nothing else of ours attacks.
#[inline(always)]
fn checks<S: ConstColor, T: Trace>(info: &Info, guarded: Bitboard, trace: &mut T) -> i32 {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let taken = guarded | (them.by[Role::King as usize] & !us.twice);
    let lines = attacks::rook_attacks(them.king, info.occupied);
    let diagonals = attacks::bishop_attacks(them.king, info.occupied);
    let mut unsafe_checks = Bitboard::EMPTY;
    let mut sum = 0;
    for (role, squares) in [
        (Role::Knight, attacks::knight_attacks(them.king)),
        (Role::Bishop, diagonals),
        (Role::Rook, lines),
        (Role::Queen, lines | diagonals),
    ] {
        let checks = squares & us.by[role as usize] & !us.own;
        let good = checks & !taken;
        if good.any() {
            let group = if good.more_than_one() { CHECKERS } else { CHECKER };
            sum += endanger::<S, T>(trace, group.at(piece_index(role)), 1);
        } else if role != Role::Queen {
            unsafe_checks |= checks;
        }
    }
    sum + endanger::<S, T>(trace, UNSAFE_CHECK.at(0), unsafe_checks.count() as i32)
}

/// How the king's wing is contested.
#[inline(always)]
fn wing<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> i32 {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let wing = S::Other::band(0, WING_LAST) & files_around(them.king);
    let hits = (wing & us.all).count() + (wing & us.twice).count();
    endanger::<S, T>(trace, WING_HIT.at(0), hits as i32)
        + endanger::<S, T>(trace, WING_GUARDED.at(0), (wing & them.all).count() as i32)
}

/// Pawns that are missing before the king, and those that have come for it.
#[inline(always)]
fn files<S: ConstColor, T: Trace>(info: &Info, pawns: &PawnEntry, trace: &mut T) -> i32 {
    let them = info.them::<S>();
    let files = file_of(them.king) | adjacent_files(them.king);
    let open = files & !pawns.files[S::THEM] & Bitboard::from_rank(them.king.rank());
    let first = S::Other::rank(them.king);
    let near = files & S::Other::band(first, (first + NEAR).min(RANKS - 1)) & info.us::<S>().pawns;
    endanger::<S, T>(trace, OPEN_FILE.at(0), open.count() as i32)
        + endanger::<S, T>(trace, PAWN_NEAR.at(0), near.count() as i32)
}

/// The danger from a queen and with the move, and the constant part.
#[inline(always)]
fn circumstances<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> i32 {
    let queen = info.pieces::<S>(Role::Queen).any();
    endanger::<S, T>(trace, WITH_QUEEN.at(0), i32::from(queen))
        + endanger::<S, T>(trace, ATTACKER_TO_MOVE.at(0), i32::from(info.turn == S::COLOR))
        + endanger::<S, T>(trace, ALWAYS.at(0), 1)
}
