//! Threats: what this side attacks and the opponent has to see to.

use shakmaty::{Bitboard, Role, attacks};

use super::groups::*;
use super::info::Info;
use super::pair::Pair;
use super::style::share;
use super::trace::{Term, Trace, weigh};
use crate::side::ConstColor;

const THIRD: usize = 2;
const ARMY: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// All threats of one side.
#[inline(always)]
pub fn threats<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let mut score = by_pawns::<S, T>(info, trace);
    score += by_pieces::<S, T>(info, trace);
    score += on_queen::<S, T>(info, trace);
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let contested = us.all & them.all & !them.by[Role::Pawn as usize];
    score += weigh::<S, T>(trace, CONTESTED.at(0), contested.count() as i32);
    let score = share(score, info.style.threats);
    trace.note(Term::Threats, S::COLOR, score);
    score
}

/// Adds up `group` for the pieces on `squares`, whose roles begin with `first`.
#[inline(always)]
fn victims<S: ConstColor, T: Trace>(info: &Info, squares: Bitboard, group: Group, first: Role, trace: &mut T) -> Pair {
    let mut score = Pair::ZERO;
    if squares.any() {
        for role in ARMY.into_iter().skip(first as usize - Role::Pawn as usize) {
            let count = (squares & info.board.by_role(role)).count() as i32;
            score += weigh::<S, T>(trace, group.at(role as usize - first as usize), count);
        }
    }
    score
}

/// Pieces that attack defended and undefended ones.
#[inline(always)]
fn by_pieces<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let attacked = them.own & us.all;
    if attacked.is_empty() {
        return Pair::ZERO;
    }
    let mut score = Pair::ZERO;
    let defended = attacked & them.all;
    for (role, group) in
        [(Role::Knight, KNIGHT_HITS), (Role::Bishop, BISHOP_HITS), (Role::Rook, ROOK_HITS), (Role::Queen, QUEEN_HITS)]
    {
        score += victims::<S, T>(info, defended & us.by[role as usize], group, Role::Pawn, trace);
    }
    // Squares that a pawn attacks are counted with the pawns.
    let loose = attacked & !them.all & !(us.by[Role::Pawn as usize] & !info.board.pawns());
    score += victims::<S, T>(info, loose, UNDEFENDED, Role::Pawn, trace);
    let at_once = loose.any() && info.turn == S::COLOR;
    score += weigh::<S, T>(trace, LOOSE_TO_MOVE.at(0), i32::from(at_once));
    let overpowered = defended & us.twice & !them.twice & !them.by[Role::Pawn as usize];
    score + weigh::<S, T>(trace, OUTNUMBERED.at(0), overpowered.count() as i32)
}

/// Attacks by pawns that are safe where they stand, and by safe pushes.
#[inline(always)]
fn by_pawns<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let pieces = them.own & !info.board.pawns();
    let safe = !them.all | us.all;
    let hit = S::pawn_attacks(us.pawns & safe) & pieces;
    let free = !info.occupied;
    let once = S::up(us.pawns) & free;
    let twice = S::up(once & S::rank_mask(THIRD)) & free;
    let pushes = (once | twice) & !them.by[Role::Pawn as usize] & safe;
    // Pieces already under attack by a pawn need no push.
    let next = S::pawn_attacks(pushes) & pieces & !us.by[Role::Pawn as usize];
    victims::<S, T>(info, hit, PAWN_HITS, Role::Knight, trace)
        + victims::<S, T>(info, next, PAWN_WILL_HIT, Role::Knight, trace)
}

/// Safe squares from which a knight, bishop or rook would hit the queen next move.
#[inline(always)]
fn on_queen<S: ConstColor, T: Trace>(info: &Info, trace: &mut T) -> Pair {
    let Some(queen) = info.pieces::<S::Other>(Role::Queen).first() else { return Pair::ZERO };
    let (us, them) = (info.us::<S>(), info.them::<S>());
    // The queen does not defend the square: it has to leave.
    let guarded = them.by[Role::Pawn as usize] | them.twice;
    let safe = us.area & !us.own & !guarded;
    let knights = us.by[Role::Knight as usize] & attacks::knight_attacks(queen) & safe;
    let sliders = (us.by[Role::Bishop as usize] & attacks::bishop_attacks(queen, info.occupied))
        | (us.by[Role::Rook as usize] & attacks::rook_attacks(queen, info.occupied));
    let firm = sliders & safe & us.twice;
    weigh::<S, T>(trace, KNIGHT_NEAR_QUEEN.at(0), i32::from(knights.any()))
        + weigh::<S, T>(trace, SLIDER_NEAR_QUEEN.at(0), i32::from(firm.any()))
}
