//! The two colours as types, so that each term is written once and compiled twice without a branch on colour.

use shakmaty::{Bitboard, Color, Rank, Square};

use crate::geometry::{FRONT_FILE, FRONT_SPAN};

const NOT_FILE_A: Bitboard = Bitboard(!0x0101_0101_0101_0101);
const NOT_FILE_H: Bitboard = Bitboard(!0x8080_8080_8080_8080);
const FILES: i32 = 8;
const RANK_SQUARES: usize = 8;
const LAST_RANK: usize = 7;

/// A colour, seen as the side a term is computed for.
pub trait ConstColor {
    /// The opponent.
    type Other: ConstColor<Other = Self>;
    /// The colour itself.
    const COLOR: Color;
    /// Index of this colour in per-colour arrays.
    const US: usize = Self::COLOR as usize;
    /// Index of the opponent.
    const THEM: usize = 1 - Self::US;

    /// Squares one step forward.
    #[inline(always)]
    fn up(b: Bitboard) -> Bitboard {
        if Self::COLOR.is_white() { Bitboard(b.0 << FILES) } else { Bitboard(b.0 >> FILES) }
    }

    /// Squares one step back.
    #[inline(always)]
    fn down(b: Bitboard) -> Bitboard {
        Self::Other::up(b)
    }

    /// Squares attacked by pawns on `pawns`.
    #[inline(always)]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        Self::left_attacks(pawns) | Self::right_attacks(pawns)
    }

    /// Squares attacked by two pawns of `pawns`.
    #[inline(always)]
    fn pawn_double_attacks(pawns: Bitboard) -> Bitboard {
        Self::left_attacks(pawns) & Self::right_attacks(pawns)
    }

    /// Squares attacked towards file a.
    #[inline(always)]
    fn left_attacks(pawns: Bitboard) -> Bitboard {
        Self::up(Bitboard((pawns & NOT_FILE_A).0 >> 1))
    }

    /// Squares attacked towards file h.
    #[inline(always)]
    fn right_attacks(pawns: Bitboard) -> Bitboard {
        Self::up(Bitboard((pawns & NOT_FILE_H).0 << 1))
    }

    /// Rank counted from this side's home rank, 0 to 7.
    #[inline(always)]
    fn rank(sq: Square) -> usize {
        if Self::COLOR.is_white() { sq.rank() as usize } else { sq.rank().flip_vertical() as usize }
    }

    /// The squares of a rank given by its number from this side's home, 0 to 7.
    #[inline(always)]
    fn rank_mask(rank: usize) -> Bitboard {
        let rank = Rank::ALL[rank];
        Bitboard::from_rank(if Self::COLOR.is_white() { rank } else { rank.flip_vertical() })
    }

    /// The squares of a rank given by its number from this side's home and of all ranks up to `last`.
    #[inline(always)]
    fn band(first: usize, last: usize) -> Bitboard {
        // Shifts instead of a loop over the ranks: the compiler sees a constant.
        let from_home =
            Bitboard::FULL.0 << (RANK_SQUARES * first) & Bitboard::FULL.0 >> (RANK_SQUARES * (LAST_RANK - last));
        Bitboard(if Self::COLOR.is_white() { from_home } else { from_home.swap_bytes() })
    }

    /// Squares in front of `sq` on its file.
    #[inline(always)]
    fn front_file(sq: Square) -> Bitboard {
        Bitboard(FRONT_FILE[Self::US][sq as usize])
    }

    /// Squares in front of `sq` on its file and the two adjacent files.
    #[inline(always)]
    fn front_span(sq: Square) -> Bitboard {
        Bitboard(FRONT_SPAN[Self::US][sq as usize])
    }

    /// Every square on the rank of `sq` or further from home.
    #[inline(always)]
    fn rows_from(sq: Square) -> Bitboard {
        let below = FILES as u32 * sq.rank() as u32;
        let above = FILES as u32 * (Rank::Eighth as u32 - sq.rank() as u32);
        Bitboard(if Self::COLOR.is_white() { !0 << below } else { !0 >> above })
    }

    /// The square of `squares` furthest from home.
    #[inline(always)]
    fn foremost(squares: Bitboard) -> Option<Square> {
        if Self::COLOR.is_white() { squares.last() } else { squares.first() }
    }

    /// The square of `squares` nearest to home.
    #[inline(always)]
    fn rearmost(squares: Bitboard) -> Option<Square> {
        Self::Other::foremost(squares)
    }
}

/// White.
pub struct White;
/// Black.
pub struct Black;

impl ConstColor for White {
    type Other = Black;
    const COLOR: Color = Color::White;
}

impl ConstColor for Black {
    type Other = White;
    const COLOR: Color = Color::Black;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_mirror_each_other() {
        for sq in Square::ALL {
            let b = Bitboard::from_square(sq);
            let mirror = sq.flip_vertical();
            let m = Bitboard::from_square(mirror);
            assert_eq!(White::up(b).flip_vertical(), Black::up(m));
            assert_eq!(White::pawn_attacks(b), shakmaty::attacks::pawn_attacks(Color::White, sq), "{sq}");
            assert_eq!(White::pawn_attacks(b).flip_vertical(), Black::pawn_attacks(m));
            assert_eq!(White::front_span(sq).flip_vertical(), Black::front_span(mirror));
            assert_eq!(White::rank(sq), Black::rank(mirror));
        }
        assert_eq!((White::US, White::THEM, Black::US), (1, 0, 0));
    }
}
