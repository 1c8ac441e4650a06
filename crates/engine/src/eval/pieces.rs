//! Knights, bishops, rooks and queens: mobility, the small terms of each, and their attacks for the terms that follow.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::groups::*;
use super::info::{Info, piece_index};
use super::pair::Pair;
use super::pawns::PawnEntry;
use super::style::share;
use super::trace::{Term, Trace, weigh};
use crate::geometry::{distance, file_of};
use crate::side::ConstColor;

/// Ranks 4 to 6 of the owner, where outposts are.
const OUTPOST_RANKS: (usize, usize) = (3, 5);
const SEVENTH: usize = 6;
const EIGHTH: usize = 7;

/// All pieces of one side.
#[inline(always)]
pub fn pieces<S: ConstColor, T: Trace>(info: &mut Info, pawns: &PawnEntry, trace: &mut T) -> Pair {
    let mut mobility = Pair::ZERO;
    let knights = knights::<S, T>(info, pawns, &mut mobility, trace);
    let bishops = bishops::<S, T>(info, pawns, &mut mobility, trace);
    let rooks = rooks::<S, T>(info, pawns, &mut mobility, trace);
    let queens = queens::<S, T>(info, &mut mobility, trace);
    let mobility = share(mobility, info.style.mobility);
    trace.note(Term::Knights, S::COLOR, knights);
    trace.note(Term::Bishops, S::COLOR, bishops);
    trace.note(Term::Rooks, S::COLOR, rooks);
    trace.note(Term::Queens, S::COLOR, queens);
    trace.note(Term::Mobility, S::COLOR, mobility);
    knights + bishops + rooks + queens + mobility
}

/// Terms of all pieces: the distance to the kings.
#[inline(always)]
fn any<S: ConstColor, T: Trace>(info: &Info, role: Role, sq: Square, trace: &mut T) -> Pair {
    weigh::<S, T>(trace, FROM_OUR_KING.at(piece_index(role)), distance(sq, info.us::<S>().king))
        + weigh::<S, T>(trace, FROM_THEIR_KING.at(piece_index(role)), distance(sq, info.them::<S>().king))
}

/// Terms of knights and bishops.
#[inline(always)]
fn minor<S: ConstColor, T: Trace>(info: &Info, role: Role, sq: Square, trace: &mut T) -> Pair {
    let behind = S::down(info.board.pawns()).contains(sq);
    any::<S, T>(info, role, sq, trace) + weigh::<S, T>(trace, BEHIND_PAWN.at(0), i32::from(behind))
}

/// Squares in the enemy's half that no enemy pawn will ever attack.
#[inline(always)]
fn holes<S: ConstColor>(pawns: &PawnEntry) -> Bitboard {
    S::band(OUTPOST_RANKS.0, OUTPOST_RANKS.1) & !pawns.span[S::THEM]
}

#[inline(always)]
fn knights<S: ConstColor, T: Trace>(info: &mut Info, pawns: &PawnEntry, mobility: &mut Pair, trace: &mut T) -> Pair {
    let holes = holes::<S>(pawns);
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Knight) {
        let reach = info.register::<S, T>(Role::Knight, sq, attacks::knight_attacks(sq), trace);
        let us = info.us::<S>();
        *mobility += weigh::<S, T>(trace, KNIGHT_MOBILITY.at((reach & us.area).count()), 1);
        score += minor::<S, T>(info, Role::Knight, sq, trace);
        if holes.contains(sq) {
            let defended = us.by[Role::Pawn as usize].contains(sq);
            score += weigh::<S, T>(trace, if defended { KNIGHT_OUTPOST } else { KNIGHT_HOLE }.at(0), 1);
        }
    }
    score
}

#[inline(always)]
fn bishops<S: ConstColor, T: Trace>(info: &mut Info, pawns: &PawnEntry, mobility: &mut Pair, trace: &mut T) -> Pair {
    let holes = holes::<S>(pawns);
    // Through the own queen: the two support each other.
    let through = info.occupied ^ info.pieces::<S>(Role::Queen);
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Bishop) {
        let reach = info.register::<S, T>(Role::Bishop, sq, attacks::bishop_attacks(sq, through), trace);
        let us = info.us::<S>();
        *mobility += weigh::<S, T>(trace, BISHOP_MOBILITY.at((reach & us.area).count()), 1);
        score += minor::<S, T>(info, Role::Bishop, sq, trace);
        score += shade::<S, T>(info, sq, trace);
        let outpost = holes.contains(sq) && us.by[Role::Pawn as usize].contains(sq);
        score += weigh::<S, T>(trace, BISHOP_OUTPOST.at(0), i32::from(outpost));
        let centre = (attacks::bishop_attacks(sq, info.board.pawns()) & Bitboard::CENTER).more_than_one();
        score += weigh::<S, T>(trace, BISHOP_ON_CENTRE.at(0), i32::from(centre));
    }
    score
}

/// Pawns on the squares of a bishop's colour: our own are in its way, the enemy's are its targets.
#[inline(always)]
fn shade<S: ConstColor, T: Trace>(info: &Info, sq: Square, trace: &mut T) -> Pair {
    let shade = if sq.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    let ours = info.us::<S>().pawns & shade;
    let blocked = ours & S::down(info.occupied);
    weigh::<S, T>(trace, PAWN_ON_SHADE.at(0), ours.count() as i32)
        + weigh::<S, T>(trace, BLOCKED_PAWN_ON_SHADE.at(0), blocked.count() as i32)
        + weigh::<S, T>(trace, THEIR_PAWN_ON_SHADE.at(0), (info.them::<S>().pawns & shade).count() as i32)
}

#[inline(always)]
fn rooks<S: ConstColor, T: Trace>(info: &mut Info, pawns: &PawnEntry, mobility: &mut Pair, trace: &mut T) -> Pair {
    let rooks = info.pieces::<S>(Role::Rook);
    // Through own rooks and queens: they support each other.
    let through = info.occupied ^ info.pieces::<S>(Role::Queen) ^ rooks;
    let mut score = Pair::ZERO;
    for sq in rooks {
        let reach = info.register::<S, T>(Role::Rook, sq, attacks::rook_attacks(sq, through), trace);
        *mobility += weigh::<S, T>(trace, ROOK_MOBILITY.at((reach & info.us::<S>().area).count()), 1);
        score += any::<S, T>(info, Role::Rook, sq, trace);
        score += file::<S, T>(info, pawns, sq, trace);
        let them = info.them::<S>();
        let targets = S::rank(them.king) == EIGHTH || (them.pawns & S::rank_mask(SEVENTH)).any();
        score += weigh::<S, T>(trace, ROOK_SEVENTH.at(0), i32::from(S::rank(sq) == SEVENTH && targets));
    }
    score
}

/// The file of a rook: the pawns and the enemy king on it.
#[inline(always)]
fn file<S: ConstColor, T: Trace>(info: &Info, pawns: &PawnEntry, sq: Square, trace: &mut T) -> Pair {
    let king = i32::from(file_of(sq).contains(info.them::<S>().king));
    let mut score = weigh::<S, T>(trace, ON_KING_FILE.at(0), king);
    let (ours, theirs) = (pawns.files[S::US].contains(sq), pawns.files[S::THEM].contains(sq));
    if !ours {
        score += weigh::<S, T>(trace, if theirs { ROOK_HALF_OPEN } else { ROOK_OPEN }.at(0), 1);
    } else {
        let shut = info.us::<S>().pawns & file_of(sq) & S::down(info.them::<S>().pawns);
        score += weigh::<S, T>(trace, ROOK_CLOSED.at(0), i32::from(shut.any()));
    }
    score
}

#[inline(always)]
fn queens<S: ConstColor, T: Trace>(info: &mut Info, mobility: &mut Pair, trace: &mut T) -> Pair {
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Queen) {
        let reach = info.register::<S, T>(Role::Queen, sq, attacks::queen_attacks(sq, info.occupied), trace);
        *mobility += weigh::<S, T>(trace, QUEEN_MOBILITY.at((reach & info.us::<S>().area).count()), 1);
        score += any::<S, T>(info, Role::Queen, sq, trace);
        let king = file_of(sq).contains(info.them::<S>().king);
        score += weigh::<S, T>(trace, ON_KING_FILE.at(0), i32::from(king));
        score += weigh::<S, T>(trace, QUEEN_IN_LINE.at(0), i32::from(in_line::<S>(info, sq)));
    }
    score
}

/// Returns true if a single piece is between the queen and an enemy rook or bishop.
#[inline(always)]
fn in_line<S: ConstColor>(info: &Info, queen: Square) -> bool {
    let snipers = (attacks::rook_attacks(queen, Bitboard::EMPTY) & info.pieces::<S::Other>(Role::Rook))
        | (attacks::bishop_attacks(queen, Bitboard::EMPTY) & info.pieces::<S::Other>(Role::Bishop));
    snipers.into_iter().any(|sniper| (attacks::between(queen, sniper) & info.occupied).single_square().is_some())
}
