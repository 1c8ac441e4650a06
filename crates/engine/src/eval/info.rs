//! Data that the terms share: the attacks of both sides, computed once for each position.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::EvalView;
use super::groups::{ATTACKER, HIT};
use super::style::Params;
use super::trace::{Trace, endanger};
use crate::geometry::shields;
use crate::side::{Black, ConstColor, White};

const ROLES: usize = 7;

/// Facts about one side.
#[derive(Clone, Copy)]
pub struct SideInfo {
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
    /// The mobility area: squares that no enemy pawn attacks and that no pawn or king of ours occupies.
    pub area: Bitboard,
    /// The zone around this king that the enemy aims at.
    pub zone: Bitboard,
    /// The danger from the pieces of this side to the enemy king (danger units).
    pub danger: i32,
}

/// Facts about a position.
pub struct Info<'a> {
    /// The pieces.
    pub board: &'a Board,
    /// All pieces.
    pub occupied: Bitboard,
    /// By colour (0 black, 1 white).
    pub sides: [SideInfo; 2],
    /// Side to move.
    pub turn: Color,
    /// How much each group of terms counts.
    pub style: &'a Params,
}

/// Place of a role from knight to queen in groups that have one weight for each.
#[inline(always)]
pub const fn piece_index(role: Role) -> usize {
    role as usize - Role::Knight as usize
}

impl<'a> Info<'a> {
    /// Kings, pawns, shields and mobility areas; the pieces register themselves later.
    #[inline]
    pub fn new(view: &EvalView<'a>) -> Info<'a> {
        let EvalView { board, turn, style, .. } = *view;
        Info { board, occupied: board.occupied(), sides: [side::<Black>(board), side::<White>(board)], turn, style }
    }

    /// This side's facts.
    #[inline(always)]
    pub fn us<S: ConstColor>(&self) -> &SideInfo {
        &self.sides[S::US]
    }

    /// The opponent's facts.
    #[inline(always)]
    pub fn them<S: ConstColor>(&self) -> &SideInfo {
        &self.sides[S::THEM]
    }

    /// This side's pieces of a role.
    #[inline(always)]
    pub fn pieces<S: ConstColor>(&self, role: Role) -> Bitboard {
        self.board.by_role(role) & self.sides[S::US].own
    }

    /// Enters the attacks of one piece; returns the squares it may really go to or attack.
    #[inline(always)]
    pub fn register<S: ConstColor, T: Trace>(
        &mut self,
        role: Role,
        sq: Square,
        reach: Bitboard,
        trace: &mut T,
    ) -> Bitboard {
        let (zone, king) = (self.sides[S::THEM].zone, self.sides[S::THEM].king);
        let side = &mut self.sides[S::US];
        let mut reach = reach;
        if side.shields.contains(sq) {
            reach &= attacks::ray(side.king, sq);
        }
        side.twice |= side.all & reach;
        side.all |= reach;
        side.by[role as usize] |= reach;
        if (reach & zone).any() {
            let hits = (reach & attacks::king_attacks(king)).count() as i32;
            side.danger += endanger::<S, T>(trace, ATTACKER.at(piece_index(role)), 1);
            side.danger += endanger::<S, T>(trace, HIT.at(piece_index(role)), hits);
        }
        reach
    }
}

#[inline(always)]
fn side<S: ConstColor>(board: &Board) -> SideInfo {
    let own = board.by_color(S::COLOR);
    let pawns = board.pawns() & own;
    let king = (board.kings() & own).first().expect("both sides have a king");
    let by_king = attacks::king_attacks(king);
    let by_pawns = S::pawn_attacks(pawns);
    let by_their_pawns = S::Other::pawn_attacks(board.pawns() & !own);
    let mut by = [Bitboard::EMPTY; ROLES];
    by[Role::King as usize] = by_king;
    by[Role::Pawn as usize] = by_pawns;
    SideInfo {
        own,
        pawns,
        king,
        by,
        all: by_king | by_pawns,
        twice: (by_king & by_pawns) | S::pawn_double_attacks(pawns),
        shields: shields(board, king, S::COLOR.other()),
        area: !(by_their_pawns | pawns | Bitboard::from_square(king)),
        zone: by_king | S::up(by_king) | Bitboard::from_square(king),
        danger: 0,
    }
}
