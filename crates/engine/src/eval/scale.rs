//! How much of an endgame advantage can be realised: the scale factor, and the sum of winning chances.

use shakmaty::{Bitboard, File, Rank, Role, Square};

use super::geometry::{distance, fill_files};
use super::info::Info;
use super::material::MaterialEntry;
use super::pair::{Pair, pair};
use super::pawns::PawnEntry;
use super::side::{Black, Side, White};
use super::weights::*;

const FIFTH: usize = 4;
/// This many knights do not force mate.
const HELPLESS_KNIGHTS: usize = 2;

/// Scale of the endgame value (0 to 64) when the side `eg` favours tries to win.
#[inline(always)]
pub fn scale(info: &Info, material: &MaterialEntry, pawns: &PawnEntry, eg: i32) -> i32 {
    if eg > 0 { for_side::<White>(info, material, pawns) } else { for_side::<Black>(info, material, pawns) }
}

fn for_side<S: Side>(info: &Info, material: &MaterialEntry, pawns: &PawnEntry) -> i32 {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    let count = us.pawns.count() as i32;
    let (ours, theirs) = (material.pieces[S::US], material.pieces[S::THEM]);
    let bishop = VALUE[Role::Bishop as usize].mg();
    if count == 0 && ours - theirs <= bishop {
        let rook = VALUE[Role::Rook as usize].mg();
        return match () {
            () if ours < rook => SCALE_NO_PAWNS_DRAW,
            () if theirs <= bishop => SCALE_NO_PAWNS_SMALL,
            () => SCALE_NO_PAWNS,
        };
    }
    let knights = info.pieces::<S>(Role::Knight);
    if count == 0 && knights.count() <= HELPLESS_KNIGHTS && (us.own & !knights).single_square().is_some() {
        return SCALE_NO_PAWNS_SMALL;
    }
    if wrong_corner::<S>(info) {
        return SCALE_NO_PAWNS_DRAW;
    }
    if opposite_bishops(info) {
        return if ours == bishop && theirs == bishop {
            SCALE_OPPOSITE_BASE + SCALE_OPPOSITE_PASSED * pawns.passed[S::US].count() as i32
        } else {
            let pieces = (us.own & !us.pawns).count() as i32 - 1;
            SCALE_OPPOSITE_PIECES_BASE + SCALE_OPPOSITE_PIECES * pieces
        };
    }
    if info.board.queens().single_square().is_some() {
        let without = if (info.board.queens() & us.own).any() { them.own } else { us.own };
        let minors = (info.board.bishops() | info.board.knights()) & without;
        return SCALE_QUEEN_BASE + SCALE_QUEEN_MINORS * minors.count() as i32;
    }
    let rook = VALUE[Role::Rook as usize].mg();
    if count == 1 && ours == rook && theirs == rook && them.pawns.is_empty() && held::<S>(us.pawns, them.king) {
        return SCALE_ROOK_PAWN_HELD;
    }
    let one_wing = i32::from(!both_wings(info.board.pawns()));
    (SCALE_BASE + SCALE_PAWN * count).min(SCALE_NORMAL) - SCALE_ONE_WING * one_wing
}

/// Only pawns on one rook file and bishops that do not control their corner, where the enemy king waits.
#[inline(always)]
fn wrong_corner<S: Side>(info: &Info) -> bool {
    let us = info.us::<S>();
    let bishops = info.pieces::<S>(Role::Bishop);
    let rest = us.own & !us.pawns & !bishops;
    if rest.more_than_one() || us.pawns.is_empty() {
        return false;
    }
    let files = fill_files(us.pawns);
    let file = match () {
        () if files == Bitboard::from_file(File::A) => File::A,
        () if files == Bitboard::from_file(File::H) => File::H,
        () => return false,
    };
    let corner = S::square(file, Rank::Eighth);
    let shade = if corner.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    (bishops & shade).is_empty() && distance(info.them::<S>().king, corner) <= 1
}

/// One bishop each, on different colours.
#[inline(always)]
fn opposite_bishops(info: &Info) -> bool {
    let bishops = info.board.bishops();
    (bishops & info.camps[0].own).single_square().is_some()
        && (bishops & info.camps[1].own).single_square().is_some()
        && (bishops & Bitboard::LIGHT_SQUARES).single_square().is_some()
}

/// Does the king stand before the single pawn?
#[inline(always)]
fn held<S: Side>(pawn: Bitboard, king: Square) -> bool {
    pawn.first().is_some_and(|sq| S::front_span(sq).contains(king))
}

/// Pawns on the queen's side and on the king's side.
#[inline(always)]
fn both_wings(pawns: Bitboard) -> bool {
    (pawns & Bitboard::WEST).any() && (pawns & Bitboard::EAST).any()
}

/// Much to play for helps the better side, little takes from it, but never turns the score around. Seen by White.
#[inline(always)]
pub fn chances(info: &Info, pawns: &PawnEntry, total: Pair) -> Pair {
    let all = pawns.all();
    let (white, black) = (info.camps[1].king, info.camps[0].king);
    let files = (white.file() as i32 - black.file() as i32).abs();
    let ranks = (white.rank() as i32 - black.rank() as i32).abs();
    let outflanking = files - ranks;
    let both = both_wings(all);
    let infiltration = White::rank(white) >= FIFTH || Black::rank(black) >= FIFTH;
    let pawns_only = (info.occupied & !all & !info.board.kings()).is_empty();
    let stuck = outflanking < 0 && !both;
    let sum = CHANCES_PASSED * (pawns.passed[0] | pawns.passed[1]).count() as i32
        + CHANCES_PAWN * all.count() as i32
        + CHANCES_OUTFLANKING * outflanking
        + CHANCES_BOTH_WINGS * i32::from(both)
        + CHANCES_INFILTRATION * i32::from(infiltration)
        + CHANCES_PAWNS_ONLY * i32::from(pawns_only)
        + CHANCES_STUCK * i32::from(stuck)
        + CHANCES_BASE;
    let (mg, eg) = (total.mg(), total.eg());
    pair(mg.signum() * (sum + CHANCES_MIDDLEGAME).clamp(-mg.abs(), 0), eg.signum() * sum.max(-eg.abs()))
}
