//! How much of an endgame advantage can be realised: a factor for the endgame half of the value.

use shakmaty::{Bitboard, Role};

use super::endings::wrong_corner;
use super::groups::*;
use super::info::Info;
use super::material::{Army, MaterialEntry};
use super::pawns::PawnEntry;
use super::trace::Trace;
use crate::side::{Black, ConstColor, White};

/// The whole endgame value.
pub const WHOLE: i32 = 64;
/// The scale lies between nothing and this.
pub const SCALE_MAX: i32 = 128;
/// Pieces in pawns, as players count them, by role number.
const POINTS: Army = [0, 1, 3, 3, 5, 9, 0];
/// A minor piece in the same unit.
const MINOR: i32 = 3;
/// This many knights do not force mate.
const HELPLESS_KNIGHTS: i32 = 2;

/// Scale of the endgame value (1/64) when the side that `eg` favours tries to win.
#[inline(always)]
pub fn scale<T: Trace>(info: &Info, material: &MaterialEntry, pawns: &PawnEntry, eg: i32, trace: &mut T) -> i32 {
    if T::ACTIVE {
        // A tracer receives both: the side that counts depends on the weights.
        for_side::<White, T>(info, material, pawns, trace);
        for_side::<Black, T>(info, material, pawns, trace);
    }
    if eg > 0 {
        for_side::<White, _>(info, material, pawns, &mut ())
    } else {
        for_side::<Black, _>(info, material, pawns, &mut ())
    }
}

#[inline(always)]
fn part<S: ConstColor, T: Trace>(trace: &mut T, group: Group, count: i32) -> i32 {
    if T::ACTIVE && count != 0 {
        trace.scale(group.at(0), S::COLOR, count);
    }
    PARTS[group.at(0)] * count
}

fn for_side<S: ConstColor, T: Trace>(info: &Info, material: &MaterialEntry, pawns: &PawnEntry, trace: &mut T) -> i32 {
    let (us, them) = (&material.armies[S::US], &material.armies[S::THEM]);
    if no_winning_material(us) || in_wrong_corner::<S>(info) {
        if T::ACTIVE {
            trace.no_winning_material(S::COLOR);
        }
        return 0;
    }
    let flag = i32::from;
    let pieces = |army: &Army| army[Role::Knight as usize..].iter().sum::<i32>();
    let only = |army: &Army, role: Role| pieces(army) == 1 && army[role as usize] == 1;
    let both = |role: Role| only(us, role) && only(them, role);
    let own = us[Role::Pawn as usize];
    let passed = pawns.passed[S::US].count() as i32;
    let (opposite, bishops) = (opposite_bishops(info), both(Role::Bishop));
    let barren = own == 0 && worth(us) - worth(them) <= MINOR;
    let sum = part::<S, T>(trace, SCALE_BASE, 1)
        + part::<S, T>(trace, SCALE_PAWN, own)
        + part::<S, T>(trace, SCALE_PASSED, passed)
        + part::<S, T>(trace, SCALE_ONE_WING, flag(!both_wings(pawns.all())))
        + part::<S, T>(trace, SCALE_PAWNS_ONLY, flag(pieces(us) + pieces(them) == 0))
        + part::<S, T>(trace, SCALE_ROOKS, flag(both(Role::Rook)))
        + part::<S, T>(trace, SCALE_QUEENS, flag(both(Role::Queen)))
        + part::<S, T>(trace, SCALE_OPPOSITE, flag(opposite && bishops))
        + part::<S, T>(trace, SCALE_OPPOSITE_PIECES, flag(opposite && !bishops))
        + part::<S, T>(trace, SCALE_BARREN, flag(barren));
    sum.clamp(0, SCALE_MAX)
}

/// Pieces and pawns in pawns.
fn worth(army: &Army) -> i32 {
    army.iter().zip(POINTS).map(|(count, points)| count * points).sum()
}

/// No pawns and nothing with which to force mate: a minor piece, or two knights.
fn no_winning_material(us: &Army) -> bool {
    let heavy = us[Role::Pawn as usize] + us[Role::Rook as usize] + us[Role::Queen as usize];
    let (knights, bishops) = (us[Role::Knight as usize], us[Role::Bishop as usize]);
    heavy == 0 && (knights + bishops <= 1 || (bishops == 0 && knights <= HELPLESS_KNIGHTS))
}

/// Only pawns on one rook file and bishops that do not control their corner, where the enemy king waits.
#[inline(always)]
fn in_wrong_corner<S: ConstColor>(info: &Info) -> bool {
    let us = info.us::<S>();
    let bishops = info.pieces::<S>(Role::Bishop);
    let rest = us.own & !us.pawns & !bishops;
    !rest.more_than_one() && us.pawns.any() && wrong_corner(us.pawns, bishops, S::COLOR, info.them::<S>().king)
}

/// One bishop each, on different colours.
#[inline(always)]
fn opposite_bishops(info: &Info) -> bool {
    let bishops = info.board.bishops();
    (bishops & info.sides[0].own).single_square().is_some()
        && (bishops & info.sides[1].own).single_square().is_some()
        && (bishops & Bitboard::LIGHT_SQUARES).single_square().is_some()
}

/// Pawns on the queen's side and on the king's side.
#[inline(always)]
fn both_wings(pawns: Bitboard) -> bool {
    (pawns & Bitboard::WEST).any() && (pawns & Bitboard::EAST).any()
}
