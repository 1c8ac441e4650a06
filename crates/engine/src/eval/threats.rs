//! Threats: what this side attacks and the opponent has to see to.

use shakmaty::{Bitboard, Role, attacks};

use super::info::Info;
use super::pair::Pair;
use super::side::Side;
use super::style::share;
use super::trace::{Term, Trace};
use super::weights::*;

const THIRD: usize = 2;

/// All threats of one side.
#[inline(always)]
pub fn threats<S: Side, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let pieces = them.own & !info.board.pawns();
    let guarded = them.by[Role::Pawn as usize] | (them.twice & !us.twice);
    let weak = them.own & !guarded & us.all;

    let mut score = RESTRICTED * (them.all & !guarded & us.all).count() as i32;
    let firm = pieces & guarded;
    if (firm | weak).any() {
        score += on_pieces::<S>(info, firm, weak, pieces);
    }
    score += by_pawns::<S>(info, pieces);
    let queens = info.pieces::<S::Other>(Role::Queen);
    if let Some(queen) = queens.single_square() {
        score += on_queen::<S>(info, queen, guarded);
    }
    let score = share(score, info.style.threats);
    trace.note(Term::Threats, S::COLOR, score);
    score
}

/// Attacks of pieces and king on `weak` pieces and, by minor pieces, on `firm` ones.
#[inline(always)]
fn on_pieces<S: Side>(info: &Info, firm: Bitboard, weak: Bitboard, pieces: Bitboard) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let minors = us.by[Role::Knight as usize] | us.by[Role::Bishop as usize];
    let mut score = victims(info, (firm | weak) & minors, &MINOR_ATTACKS);
    if weak.any() {
        score += victims(info, weak & us.by[Role::Rook as usize], &ROOK_ATTACKS);
        if (weak & us.by[Role::King as usize]).any() {
            score += KING_ATTACKS;
        }
        let hanging = weak & (!them.all | (pieces & us.twice));
        score += HANGING * hanging.count() as i32;
        score += QUEEN_DEFENDS * (weak & them.by[Role::Queen as usize]).count() as i32;
    }
    score
}

/// Sum of a table over the pieces on `squares`.
#[inline(always)]
fn victims(info: &Info, squares: Bitboard, table: &[Pair; 7]) -> Pair {
    let mut score = Pair::ZERO;
    if squares.any() {
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            score += table[role as usize] * (squares & info.board.by_role(role)).count() as i32;
        }
    }
    score
}

/// Attacks by pawns that are safe where they stand, and by safe pushes.
#[inline(always)]
fn by_pawns<S: Side>(info: &Info, pieces: Bitboard) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let safe = !them.all | us.all;
    let hit = S::pawn_attacks(us.pawns & safe) & pieces;
    let free = !info.occupied;
    let once = S::up(us.pawns) & free;
    let twice = S::up(once & S::rank_mask(THIRD)) & free;
    let pushes = (once | twice) & !them.by[Role::Pawn as usize] & safe;
    // Pieces already under attack by a pawn need no push.
    let next = S::pawn_attacks(pushes) & pieces & !us.by[Role::Pawn as usize];
    PAWN_ATTACKS * hit.count() as i32 + PUSH_ATTACKS * next.count() as i32
}

/// Safe squares from which a minor piece or rook would hit the queen next move.
#[inline(always)]
fn on_queen<S: Side>(info: &Info, queen: shakmaty::Square, guarded: Bitboard) -> Pair {
    let us = info.us::<S>();
    let safe = us.area & !guarded;
    let knights = us.by[Role::Knight as usize] & attacks::knight_attacks(queen);
    let lines = (us.by[Role::Bishop as usize] & attacks::bishop_attacks(queen, info.occupied))
        | (us.by[Role::Rook as usize] & attacks::rook_attacks(queen, info.occupied));
    KNIGHT_ON_QUEEN * (knights & safe).count() as i32 + SLIDER_ON_QUEEN * (lines & safe & us.twice).count() as i32
}
