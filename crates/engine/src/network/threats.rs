//! Threat inputs: which pieces are en prise.
//!
//! A network with inputs for pieces and squares only has to derive attacks from pairs of squares, including lines of sight. Small
//! networks do not learn this. These inputs mark each piece except the kings that is *en prise*: attacked by a cheaper piece, or
//! attacked and not defended. Pins and X-rays are ignored, and a king attacks no defended piece.
//!
//! The inputs hold side and role, but not the square: there are [`THREATS`], each counted once for each such piece. Their rows
//! are added when a value is requested, and are not cached: few are set, and any move can change them. More inputs (by square,
//! and for pieces that are attacked but not en prise, or not defended) improved nothing (`docs/results/network.md`).

use super::{INPUTS, Perspective, ROLES, SIDES};
use crate::side::{Black, ConstColor, White};
use shakmaty::{Bitboard, Board, Piece, Square, attacks};

/// Threat inputs of one perspective.
pub const THREATS: usize = SIDES * ROLES;
/// A board with more pieces has no threat inputs, so that sums stay within 16 bits; no game has one.
pub const PIECES_MAX: usize = 32;

impl Perspective {
    /// The input that says that a piece is en prise: `768 + (own ? 0 : 1) * 6 + role`, roles from pawn to king.
    #[inline(always)]
    pub fn threat(self, piece: Piece) -> usize {
        let side = usize::from(piece.color != self.color);
        INPUTS + side * ROLES + piece.role as usize - 1
    }

    /// The threat inputs that are set on a board, each as often as there are such pieces.
    pub fn threats(self, board: &Board) -> impl Iterator<Item = usize> {
        en_prise(board).into_iter().filter_map(move |square| Some(self.threat(board.piece_at(square)?)))
    }
}

/// The squares of the pieces of both colours that are en prise.
#[inline]
pub fn en_prise(board: &Board) -> Bitboard {
    if board.occupied().count() > PIECES_MAX {
        return Bitboard::EMPTY;
    }
    let (black, white) = (Reach::of::<Black>(board), Reach::of::<White>(board));
    white.exposed::<White>(board, &black) | black.exposed::<Black>(board, &white)
}

/// What the pieces of one side attack.
struct Reach {
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
    /// All but the king.
    army: Bitboard,
    king: Bitboard,
}

impl Reach {
    #[inline(always)]
    fn of<S: ConstColor>(board: &Board) -> Reach {
        let (own, occupied) = (board.by_color(S::COLOR), board.occupied());
        let pawns = S::pawn_attacks(board.pawns() & own);
        let minors = reach(board.knights() & own, attacks::knight_attacks)
            | reach(board.bishops() & own, |square| attacks::bishop_attacks(square, occupied));
        let rooks = reach(board.rooks() & own, |square| attacks::rook_attacks(square, occupied));
        let queens = reach(board.queens() & own, |square| attacks::queen_attacks(square, occupied));
        let king = reach(board.kings() & own, attacks::king_attacks);
        Reach { pawns, minors, rooks, army: pawns | minors | rooks | queens, king }
    }

    /// The pieces of the side that attacks this, where the other attacks `them`.
    #[inline(always)]
    fn exposed<S: ConstColor>(&self, board: &Board, them: &Reach) -> Bitboard {
        let own = board.by_color(S::COLOR) & !board.kings();
        let majors = board.rooks() | board.queens();
        let cheaper = them.pawns & !board.pawns() | them.minors & majors | them.rooks & board.queens();
        own & (cheaper | (them.army | them.king) & !(self.army | self.king))
    }
}

/// What all pieces on some squares attack.
#[inline(always)]
fn reach(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    pieces.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;

    fn board(fen: &str) -> Board {
        fen.parse::<Fen>().expect(fen).into_setup().board
    }

    #[test]
    fn a_piece_is_en_prise_to_a_cheaper_one_or_where_nothing_defends_it() {
        for (name, fen, expected) in [
            ("only kings", "4k3/8/8/8/8/8/8/4K3", ""),
            ("a piece that nobody attacks", "4k3/8/8/3n4/8/8/8/4K3", ""),
            ("a knight by a pawn, defended", "4k3/8/4p3/3n4/4P3/8/4K3/8", "d5"),
            ("knights by each other, both defended", "4k3/8/4p3/3n4/8/2N5/1P6/4K3", ""),
            ("knights by each other, one of them defended", "4k3/8/8/3n4/8/2N5/1P6/4K3", "d5"),
            ("a rook by a bishop, defended", "3rk3/8/8/8/7B/8/8/4K3", "d8"),
            ("a rook by a knight, defended", "3rk3/1N6/8/8/8/8/8/4K3", "d8"),
            ("a bishop by a rook, defended", "3bk3/8/8/8/3R4/8/8/4K3", ""),
            ("a queen by a rook, and the rook by the queen", "3qk3/8/8/8/3R4/2P5/8/4K3", "d8"),
            ("a queen by a queen, both defended", "3qk3/8/8/8/3Q4/2P5/8/4K3", ""),
            ("a queen by a queen, neither defended", "3q3k/8/8/8/3Q4/8/8/7K", "d4 d8"),
            ("pawns by each other, both defended", "4k3/2p5/3p4/4P3/5P2/8/8/4K3", ""),
            ("pawns by each other, one of them defended", "4k3/8/3p4/4P3/5P2/8/8/4K3", "d6"),
            ("a rook that a king attacks and nothing defends", "8/8/8/3nk3/3R4/8/8/4K3", "d4"),
            ("a rook that a king attacks and a pawn defends", "8/8/8/4k3/3R4/2P5/8/4K3", ""),
            ("nothing through another piece", "3rk3/3p4/8/8/3R4/8/8/4K3", ""),
        ] {
            let squares = en_prise(&board(&format!("{fen} w - - 0 1")));
            let found: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
            assert_eq!(found.join(" "), expected, "{name}");
        }
    }

    #[test]
    fn on_a_flipped_board_the_flipped_squares_are() {
        for fen in [
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "3rk3/1N6/8/8/8/2p5/3Q4/4K3 b - - 0 1",
        ] {
            let board = board(fen);
            let mut flipped = board.clone();
            flipped.flip_vertical();
            flipped.swap_colors();
            assert_eq!(en_prise(&flipped), en_prise(&board).flip_vertical(), "{fen}");
            assert!(en_prise(&board).any(), "{fen}");
        }
    }

    #[test]
    fn among_more_pieces_than_a_game_has_none_is() {
        let placement = |third: &str| board(&format!("rnbqkbnr/pppppppp/{third}/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"));
        assert_eq!(en_prise(&placement("P7")), Bitboard::EMPTY, "33 pieces");
        let fewer = board("rnbqkbnr/1ppppppp/P7/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
        assert_eq!(en_prise(&fewer), Bitboard::from_square(Square::A6), "32 pieces");
    }

    #[test]
    fn a_threat_input_is_told_by_side_and_role() {
        use shakmaty::{Color, Role};
        let [white, black] = [Color::White, Color::Black].map(|color| Perspective::new(color, Square::A1));
        let [pawn, queen] = [Role::Pawn.of(Color::White), Role::Queen.of(Color::White)];
        assert_eq!((white.threat(pawn), black.threat(pawn)), (768, 768 + 6));
        assert_eq!((white.threat(queen), black.threat(queen)), (768 + 4, 768 + 10));
        let two = board("4k3/8/3n1n2/4P3/8/8/8/K7 w - - 0 1");
        assert_eq!(white.threats(&two).collect::<Vec<_>>(), [768 + 7; 2], "each counts");
    }
}
