//! King danger: what the enemy pieces can do to a king, by a square law.
//!
//! The sum grows with every attacker, weak square and safe check; its square is what makes two attackers worth more
//! than twice one, so that the search looks for the attack and for the defence.

use shakmaty::{Bitboard, Role, attacks};

use super::geometry::flank_of;
use super::info::Info;
use super::pair::{Pair, pair};
use super::side::Side;
use super::style::share;
use super::trace::{Term, Trace};
use super::weights::*;

/// Ranks of its own half and the one beyond, in which a king's flank is watched.
const CAMP_RANKS: usize = 5;

/// Danger to this side's king and weakness of its flank. `shelter` is the value of its pawn cover.
#[inline(always)]
pub fn danger<S: Side, T: Trace>(info: &Info, shelter: Pair, trace: &mut T) -> Pair {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    // Squares the enemy reaches and only our king or queen may contest.
    let poorly = !us.all | us.by[Role::King as usize] | us.by[Role::Queen as usize];
    let weak = them.all & !us.twice & poorly;
    let flank = Flank::new::<S>(info);
    let mobility = them.mobility.mg() - us.mobility.mg();
    let knights_home = (us.by[Role::Knight as usize] & us.by[Role::King as usize]).any();
    let no_queen = info.pieces::<S::Other>(Role::Queen).is_empty();
    let sum = them.attackers * them.attack_weight
        + DANGER_HIT * them.hits
        + DANGER_WEAK_SQUARE * (us.zone & weak).count() as i32
        + checks::<S>(info, weak)
        + DANGER_SHIELD * us.shields.count() as i32
        + DANGER_FLANK_SQUARE * flank.attacks * flank.attacks / DANGER_FLANK_DIVISOR
        + DANGER_FLANK_DEFENDED * flank.defended
        + DANGER_MOBILITY * mobility
        + DANGER_NO_QUEEN * i32::from(no_queen)
        + DANGER_KNIGHT_HOME * i32::from(knights_home)
        + DANGER_SHELTER * shelter.mg() / DANGER_SHELTER_DIVISOR
        + DANGER_BASE;
    let mut score = FLANK_ATTACKED * flank.attacks;
    if sum > DANGER_MIN {
        let sum = sum.min(DANGER_MAX);
        score -= pair(sum * sum / DANGER_SQUARE_DIVISOR, sum / DANGER_ENDGAME_DIVISOR);
    }
    if flank.bare {
        score += BARE_FLANK;
    }
    let score = share(score, info.style.king_danger);
    trace.note(Term::Danger, S::COLOR, score);
    score
}

/// How the king's third of the board is contested.
struct Flank {
    attacks: i32,
    defended: i32,
    bare: bool,
}

impl Flank {
    #[inline(always)]
    fn new<S: Side>(info: &Info) -> Flank {
        let (us, them) = (info.us::<S>(), info.them::<S>());
        let files = flank_of(us.king);
        let camp = (0..CAMP_RANKS).fold(Bitboard::EMPTY, |mask, rank| mask | S::rank_mask(rank)) & files;
        let hit = camp & them.all;
        Flank {
            attacks: (hit.count() + (hit & them.twice).count()) as i32,
            defended: (camp & us.all).count() as i32,
            bare: (info.board.pawns() & files).is_empty(),
        }
    }
}

/// Checks the enemy has at hand: safe ones by piece, and squares where a check would be taken.
#[inline(always)]
fn checks<S: Side>(info: &Info, weak: Bitboard) -> i32 {
    let (us, them) = (info.us::<S>(), info.them::<S>());
    // Our queen does not shelter the king: it would have to leave or be taken.
    let through = info.occupied ^ info.pieces::<S>(Role::Queen);
    let lines = attacks::rook_attacks(us.king, through);
    let diagonals = attacks::bishop_attacks(us.king, through);
    let safe = !them.own & (!us.all | (weak & them.twice));
    let at = |role: Role| them.by[role as usize];

    let rook = lines & at(Role::Rook);
    let queen = (lines | diagonals) & at(Role::Queen);
    let bishop = diagonals & at(Role::Bishop);
    let knight = attacks::knight_attacks(us.king) & at(Role::Knight);

    let rook_safe = rook & safe;
    // A queen check is not counted where a rook could give it, nor where our queen would take it.
    let queen_safe = queen & safe & !us.by[Role::Queen as usize] & !rook_safe;
    let bishop_safe = bishop & safe & !queen_safe;
    let knight_safe = knight & safe;

    let mut unsafe_checks = Bitboard::EMPTY;
    let mut sum = 0;
    for (role, good, any) in [
        (Role::Rook, rook_safe, rook),
        (Role::Queen, queen_safe, Bitboard::EMPTY),
        (Role::Bishop, bishop_safe, bishop),
        (Role::Knight, knight_safe, knight),
    ] {
        if good.any() {
            sum += DANGER_SAFE_CHECK[role as usize][usize::from(good.more_than_one())];
        } else {
            unsafe_checks |= any;
        }
    }
    sum + DANGER_UNSAFE_CHECK * (unsafe_checks & !them.own).count() as i32
}
