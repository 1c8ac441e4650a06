//! Knights, bishops, rooks and queens: mobility, the small terms of each, and their attacks for the terms that follow.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::geometry::{distance, file_of};
use super::info::Info;
use super::pair::Pair;
use super::pawns::{PawnEntry, files_without};
use super::side::Side;
use super::style::share;
use super::trace::{Term, Trace};
use super::weights::*;

/// Ranks 4 to 6 of the owner, where outposts are.
const OUTPOST_RANKS: std::ops::RangeInclusive<usize> = 3..=5;
const SEVENTH: usize = 6;
const EIGHTH: usize = 7;
const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

/// All pieces of one side.
#[inline(always)]
pub fn pieces<S: Side, T: Trace>(info: &mut Info, pawns: &PawnEntry, trace: &mut T) -> Pair {
    let outposts = outposts::<S>(info, pawns);
    let mut mobility = Pair::ZERO;
    let knights = knights::<S>(info, outposts, &mut mobility);
    let bishops = bishops::<S>(info, outposts, &mut mobility);
    let rooks = rooks::<S>(info, &mut mobility);
    let queens = queens::<S>(info, &mut mobility);
    info.camps[S::US].mobility = mobility;
    let mobility = share(mobility, info.style.mobility);
    trace.note(Term::Knights, S::COLOR, knights);
    trace.note(Term::Bishops, S::COLOR, bishops);
    trace.note(Term::Rooks, S::COLOR, rooks);
    trace.note(Term::Queens, S::COLOR, queens);
    trace.note(Term::Mobility, S::COLOR, mobility);
    knights + bishops + rooks + queens + mobility
}

/// Squares defended by a pawn that no enemy pawn will ever attack.
#[inline(always)]
fn outposts<S: Side>(info: &Info, pawns: &PawnEntry) -> Bitboard {
    let ranks = OUTPOST_RANKS.fold(Bitboard::EMPTY, |mask, rank| mask | S::rank_mask(rank));
    ranks & info.us::<S>().by[Role::Pawn as usize] & !pawns.span[S::THEM]
}

/// What knights and bishops have in common.
#[inline(always)]
fn minor<S: Side>(info: &Info, sq: Square) -> Pair {
    let mut score = FAR_FROM_KING * distance(sq, info.us::<S>().king);
    if S::down(info.board.pawns()).contains(sq) {
        score += BEHIND_PAWN;
    }
    score
}

#[inline(always)]
fn knights<S: Side>(info: &mut Info, outposts: Bitboard, mobility: &mut Pair) -> Pair {
    let area = info.us::<S>().area;
    let own = info.us::<S>().own;
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Knight) {
        let reach = info.register::<S>(Role::Knight, sq, attacks::knight_attacks(sq));
        *mobility += KNIGHT_MOBILITY[(reach & area).count()];
        score += minor::<S>(info, sq);
        if outposts.contains(sq) {
            score += KNIGHT_OUTPOST;
        } else if (outposts & reach & !own).any() {
            score += KNIGHT_REACHES_OUTPOST;
        }
    }
    score
}

#[inline(always)]
fn bishops<S: Side>(info: &mut Info, outposts: Bitboard, mobility: &mut Pair) -> Pair {
    let area = info.us::<S>().area;
    let through = info.occupied ^ info.board.queens();
    let all_pawns = info.board.pawns();
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Bishop) {
        let reach = info.register::<S>(Role::Bishop, sq, attacks::bishop_attacks(sq, through));
        *mobility += BISHOP_MOBILITY[(reach & area).count()];
        score += minor::<S>(info, sq);
        if outposts.contains(sq) {
            score += BISHOP_OUTPOST;
        }
        let ours = info.us::<S>().pawns;
        let shade = if sq.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
        let blocked = ours & S::down(info.occupied) & CENTRE_FILES;
        score += BAD_BISHOP * ((ours & shade).count() * (1 + blocked.count())) as i32;
        if (attacks::bishop_attacks(sq, all_pawns) & Bitboard::CENTER).more_than_one() {
            score += LONG_DIAGONAL;
        }
        if trapped_bishop::<S>(sq, info.them::<S>().pawns) {
            score += TRAPPED_BISHOP;
        }
    }
    score
}

/// A bishop that went to a7 or h7 behind the enemy pawns and cannot come back past b6 or g6.
#[inline(always)]
fn trapped_bishop<S: Side>(sq: Square, theirs: Bitboard) -> bool {
    let rim = S::rank_mask(SEVENTH) & Bitboard::SIDES;
    rim.contains(sq) && (S::Other::pawn_attacks(theirs) & S::down(attacks::king_attacks(sq)) & theirs).any()
}

#[inline(always)]
fn rooks<S: Side>(info: &mut Info, mobility: &mut Pair) -> Pair {
    let rooks = info.pieces::<S>(Role::Rook);
    let area = info.us::<S>().area;
    let through = info.occupied ^ info.board.queens() ^ rooks;
    let half_open = files_without(info.us::<S>().pawns);
    let open = files_without(info.board.pawns());
    let mut score = Pair::ZERO;
    for sq in rooks {
        let reach = info.register::<S>(Role::Rook, sq, attacks::rook_attacks(sq, through));
        let room = (reach & area).count();
        *mobility += ROOK_MOBILITY[room];
        if open.contains(sq) {
            score += ROOK_OPEN;
        } else if half_open.contains(sq) {
            score += ROOK_HALF_OPEN;
        } else if room <= TRAPPED_ROOK_MAX {
            score += trapped_rook::<S>(info, sq);
        }
        if (file_of(sq) & info.board.queens()).any() {
            score += ROOK_ON_QUEEN;
        }
        if S::rank(sq) == SEVENTH {
            let them = info.them::<S>();
            if S::rank(them.king) == EIGHTH || (them.pawns & S::rank_mask(SEVENTH)).any() {
                score += ROOK_ON_SEVENTH;
            }
        }
    }
    score
}

/// A rook between its own king and the corner; castling would free it.
#[inline(always)]
fn trapped_rook<S: Side>(info: &Info, sq: Square) -> Pair {
    let king = info.us::<S>().king;
    let outside = (king.file() >= shakmaty::File::E) == (sq.file() > king.file());
    if !outside {
        return Pair::ZERO;
    }
    let castles = (info.castles & S::rank_mask(0)).any();
    TRAPPED_ROOK * (2 - i32::from(castles))
}

#[inline(always)]
fn queens<S: Side>(info: &mut Info, mobility: &mut Pair) -> Pair {
    let area = info.us::<S>().area;
    let mut score = Pair::ZERO;
    for sq in info.pieces::<S>(Role::Queen) {
        let reach = info.register::<S>(Role::Queen, sq, attacks::queen_attacks(sq, info.occupied));
        *mobility += QUEEN_MOBILITY[(reach & area).count()];
        if in_line::<S>(info, sq) {
            score += QUEEN_IN_LINE;
        }
    }
    score
}

/// Does a single piece stand between the queen and an enemy rook or bishop?
#[inline(always)]
fn in_line<S: Side>(info: &Info, queen: Square) -> bool {
    let snipers = (attacks::rook_attacks(queen, Bitboard::EMPTY) & info.pieces::<S::Other>(Role::Rook))
        | (attacks::bishop_attacks(queen, Bitboard::EMPTY) & info.pieces::<S::Other>(Role::Bishop));
    snipers.into_iter().any(|sniper| {
        let between = attacks::between(queen, sniper) & info.occupied;
        between.any() && !between.more_than_one()
    })
}
