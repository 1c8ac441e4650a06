//! What the terms share: who attacks what, computed once for each position.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::View;
use super::geometry::king_zone;
use super::pair::Pair;
use super::side::{Black, Side, White};
use super::style::Params;
use super::weights::DANGER_ATTACKER;

const ROLES: usize = 7;
/// Home rank numbers whose pawns take no part in mobility.
const SECOND: usize = 1;
const THIRD: usize = 2;

/// Facts about one side.
#[derive(Clone, Copy)]
pub struct Camp {
    /// Its pieces.
    pub own: Bitboard,
    /// Its pawns.
    pub pawns: Bitboard,
    /// Its king.
    pub king: Square,
    /// Squares attacked, by role number.
    pub by: [Bitboard; ROLES],
    /// Squares attacked by anything.
    pub all: Bitboard,
    /// Squares attacked at least twice.
    pub twice: Bitboard,
    /// Pieces of either colour that alone stand between this king and an enemy slider.
    pub shields: Bitboard,
    /// Squares that count as mobility.
    pub area: Bitboard,
    /// The zone around this king that the enemy aims at.
    pub zone: Bitboard,
    /// Own pieces that attack the enemy's zone.
    pub attackers: i32,
    /// Sum of their weights (danger units).
    pub attack_weight: i32,
    /// Their attacks on squares next to the enemy king.
    pub hits: i32,
    /// Sum of mobility.
    pub mobility: Pair,
}

/// Facts about a position.
pub struct Info<'a> {
    /// The pieces.
    pub board: &'a Board,
    /// All pieces.
    pub occupied: Bitboard,
    /// By colour (0 black, 1 white).
    pub camps: [Camp; 2],
    /// Rooks that may still castle.
    pub castles: Bitboard,
    /// Side to move.
    pub turn: Color,
    /// How much each group of terms counts.
    pub style: &'a Params,
}

impl<'a> Info<'a> {
    /// Kings, pawns, shields and mobility areas; the pieces register themselves later.
    #[inline]
    pub fn new(view: &View<'a>) -> Info<'a> {
        let board = view.board;
        let camps = [camp::<Black>(board), camp::<White>(board)];
        let mut info = Info {
            board,
            occupied: board.occupied(),
            camps,
            castles: view.castles,
            turn: view.turn,
            style: view.style,
        };
        info.prepare::<White>();
        info.prepare::<Black>();
        for (us, them) in [(0, 1), (1, 0)] {
            let zone = info.camps[them].zone;
            let camp = &mut info.camps[us];
            camp.attackers = (camp.by[Role::Pawn as usize] & zone).count() as i32;
        }
        info
    }

    /// This side's facts.
    #[inline(always)]
    pub fn us<S: Side>(&self) -> &Camp {
        &self.camps[S::US]
    }

    /// The opponent's facts.
    #[inline(always)]
    pub fn them<S: Side>(&self) -> &Camp {
        &self.camps[S::THEM]
    }

    /// This side's pieces of a role.
    #[inline(always)]
    pub fn pieces<S: Side>(&self, role: Role) -> Bitboard {
        self.board.by_role(role) & self.camps[S::US].own
    }

    /// What needs both sides' pawns.
    #[inline(always)]
    fn prepare<S: Side>(&mut self) {
        let theirs = self.camps[S::THEM].by[Role::Pawn as usize];
        let shields = self.shields::<S>();
        let queens = self.pieces::<S>(Role::Queen);
        let occupied = self.occupied;
        let camp = &mut self.camps[S::US];
        let low = S::rank_mask(SECOND) | S::rank_mask(THIRD);
        let stuck = camp.pawns & (S::down(occupied) | low);
        camp.shields = shields;
        camp.area = !(theirs | stuck | queens | Bitboard::from_square(camp.king) | (shields & camp.own));
        camp.zone = king_zone(camp.king) & !S::pawn_double_attacks(camp.pawns);
    }

    #[inline(always)]
    fn shields<S: Side>(&self) -> Bitboard {
        let king = self.us::<S>().king;
        let lines = (attacks::rook_attacks(king, Bitboard::EMPTY) & self.board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & self.board.bishops_and_queens());
        let mut shields = Bitboard::EMPTY;
        for sniper in lines & self.them::<S>().own {
            let between = attacks::between(king, sniper) & self.occupied;
            if !between.more_than_one() {
                shields |= between;
            }
        }
        shields
    }

    /// Enters the attacks of one piece; returns the squares it may really use.
    #[inline(always)]
    pub fn register<S: Side>(&mut self, role: Role, sq: Square, reach: Bitboard) -> Bitboard {
        let (zone, king) = (self.camps[S::THEM].zone, self.camps[S::THEM].king);
        let camp = &mut self.camps[S::US];
        let mut reach = reach;
        if camp.shields.contains(sq) {
            reach &= attacks::ray(camp.king, sq);
        }
        camp.twice |= camp.all & reach;
        camp.all |= reach;
        camp.by[role as usize] |= reach;
        if (reach & zone).any() {
            camp.attackers += 1;
            camp.attack_weight += DANGER_ATTACKER[role as usize];
            camp.hits += (reach & attacks::king_attacks(king)).count() as i32;
        }
        reach
    }
}

#[inline(always)]
fn camp<S: Side>(board: &Board) -> Camp {
    let own = board.by_color(S::COLOR);
    let pawns = board.pawns() & own;
    let king = (board.kings() & own).first().expect("both sides have a king");
    let by_king = attacks::king_attacks(king);
    let by_pawns = S::pawn_attacks(pawns);
    let mut by = [Bitboard::EMPTY; ROLES];
    by[Role::King as usize] = by_king;
    by[Role::Pawn as usize] = by_pawns;
    Camp {
        own,
        pawns,
        king,
        by,
        all: by_king | by_pawns,
        twice: (by_king & by_pawns) | S::pawn_double_attacks(pawns),
        shields: Bitboard::EMPTY,
        area: Bitboard::EMPTY,
        zone: Bitboard::EMPTY,
        attackers: 0,
        attack_weight: 0,
        hits: 0,
        mobility: Pair::ZERO,
    }
}
