//! The pawns before a king, and the enemy pawns that run against them.

use shakmaty::{Bitboard, File, Rank, Square};

use super::geometry::{distance, from_edge};
use super::pair::{Pair, pair};
use super::side::Side;
use super::weights::*;

/// A shelter value with what it was computed for.
#[derive(Clone, Copy)]
pub struct Shelter {
    /// The king's square; `None` before the first computation.
    pub king: Option<Square>,
    /// Rooks with which it might castle.
    pub castles: Bitboard,
    /// The value, seen by the king's side.
    pub value: Pair,
}

impl Shelter {
    /// Nothing computed yet.
    pub const NONE: Shelter = Shelter { king: None, castles: Bitboard::EMPTY, value: Pair::ZERO };

    /// Was this computed for this king and these rights?
    #[inline(always)]
    pub fn is_for(&self, king: Square, castles: Bitboard) -> bool {
        self.king == Some(king) && self.castles == castles
    }
}

/// Shelter of a king on `king`, or where it may castle to if that is better; and its distance to its pawns.
pub fn shelter<S: Side>(ours: Bitboard, theirs: Bitboard, king: Square, castles: Bitboard) -> Pair {
    let mut best = cover::<S>(ours, theirs, king);
    for rook in castles {
        let file = if rook.file() > king.file() { File::G } else { File::C };
        let value = cover::<S>(ours, theirs, S::square(file, Rank::First));
        if value.mg() > best.mg() {
            best = value;
        }
    }
    let walk = ours.into_iter().map(|pawn| distance(king, pawn)).min().unwrap_or(0);
    best - pair(0, KING_FROM_PAWNS * walk)
}

/// Shelter of a king on this very square.
fn cover<S: Side>(ours: Bitboard, theirs: Bitboard, king: Square) -> Pair {
    let behind = S::rows_from(king);
    // A shelter pawn that an enemy pawn attacks will not stay.
    let ours = ours & behind & !S::Other::pawn_attacks(theirs);
    let theirs = theirs & behind;
    let centre = (king.file() as usize).clamp(File::B as usize, File::G as usize);
    let mut value = Pair::ZERO;
    for file in &File::ALL[centre - 1..=centre + 1] {
        let column = Bitboard::from_file(*file);
        let shield = S::rearmost(ours & column).map_or(0, S::rank);
        let storm = S::rearmost(theirs & column).map_or(0, S::rank);
        let edge = from_edge(*file);
        value += pair(SHELTER[edge][shield], 0);
        if shield > 0 && storm == shield + 1 {
            value -= STORM_STOPPED[storm];
        } else {
            value -= pair(STORM[edge][storm], 0);
        }
    }
    let column = Bitboard::from_file(king.file());
    if (ours & column).is_empty() {
        value += if (theirs & column).is_empty() { KING_FILE_OPEN } else { KING_FILE_HALF_OPEN };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::side::{Black, White};
    use super::*;
    use crate::eval::pawns::pawns_of;
    use shakmaty::Board;

    fn value(placement: &str, king: Square, castles: Bitboard) -> i32 {
        let [black, white] = pawns_of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap());
        shelter::<White>(white, black, king, castles).mg()
    }

    #[test]
    fn a_whole_shelter_is_better_than_a_broken_one() {
        let none = Bitboard::EMPTY;
        let whole = value("8/8/8/8/8/8/5PPP/8", Square::G1, none);
        for (name, placement) in [
            ("moved g pawn", "8/8/8/8/6P1/8/5P1P/8"),
            ("no g pawn", "8/8/8/8/8/8/5P1P/8"),
            ("no pawns", "8/8/8/8/8/8/8/8"),
            ("storm", "8/8/8/8/6pp/5p2/5PPP/8"),
        ] {
            assert!(value(placement, Square::G1, none) < whole, "{name}");
        }
    }

    #[test]
    fn castling_rights_promise_the_better_shelter() {
        let placement = "8/8/8/3pp3/3PP3/8/PPP2PPP/8";
        let rook = Bitboard::from_square(Square::H1);
        assert!(value(placement, Square::E1, rook) > value(placement, Square::E1, Bitboard::EMPTY));
        assert_eq!(value(placement, Square::E1, rook), value(placement, Square::G1, Bitboard::EMPTY));
    }

    #[test]
    fn colours_mirror() {
        let board = Board::from_ascii_board_fen(b"8/p1p2pp1/7p/8/3P2P1/8/PPP2P1P/8").unwrap();
        let [black, white] = pawns_of(&board);
        for sq in Square::ALL {
            let a = shelter::<White>(white, black, sq, Bitboard::EMPTY);
            let b = shelter::<Black>(white.flip_vertical(), black.flip_vertical(), sq.flip_vertical(), Bitboard::EMPTY);
            assert_eq!(a, b, "{sq}");
        }
    }
}
