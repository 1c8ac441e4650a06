//! The 16-bit form of a move (see [`pack`](super::pack)) turned back into a move, if it is legal in a position.
//!
//! The search asks this of every table move and killer. Moves of other positions arrive too, so that every one of the 65 536 codes needs an
//! answer. A move is legal if its piece can go there and if the own king is not attacked afterwards; no list of moves is made.

use super::{KIND_CASTLE, KIND_EN_PASSANT, KIND_SHIFT, NO_MOVE, Position, SQUARE_MASK, TO_SHIFT};
use shakmaty::{Bitboard, Move, Position as _, Rank, Role, Square, attacks};

impl Position {
    /// The move of a 16-bit code, if it is legal here.
    pub fn unpack(&self, packed: u16) -> Option<Move> {
        self.decode(packed).filter(|&mv| self.is_legal(mv))
    }

    fn decode(&self, packed: u16) -> Option<Move> {
        if packed == NO_MOVE {
            return None;
        }
        let from = Square::new(u32::from(packed & SQUARE_MASK));
        let to = Square::new(u32::from(packed >> TO_SHIFT & SQUARE_MASK));
        if !self.chess.us().contains(from) {
            return None;
        }
        let role = self.board().role_at(from)?;
        Some(match packed >> KIND_SHIFT {
            KIND_CASTLE => Move::Castle { king: from, rook: to },
            KIND_EN_PASSANT => Move::EnPassant { from, to },
            kind => Move::Normal { role, from, capture: self.board().role_at(to), to, promotion: promotion_of(kind) },
        })
    }

    /// Returns true if a decoded move is legal. Its first square has a piece of the side to move, of the role that it names.
    fn is_legal(&self, mv: Move) -> bool {
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                self.reaches(role, from, to, promotion) && self.leaves_king_safe(role, from, to, Bitboard::from(to))
            }
            Move::EnPassant { from, to } => {
                let taken = Bitboard::from(Square::from_coords(to.file(), from.rank()));
                let pawn = self.board().pawns().contains(from);
                let target = self.chess.maybe_ep_square() == Some(to);
                let reached = attacks::pawn_attacks(self.turn(), from).contains(to);
                pawn && target && reached && self.leaves_king_safe(Role::Pawn, from, to, taken)
            }
            // Rare, and its conditions are many.
            castle => self.chess.is_legal(castle),
        }
    }

    /// Returns true if a piece can go from one square to another, whatever becomes of its king.
    fn reaches(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> bool {
        let (occupied, turn) = (self.board().occupied(), self.turn());
        if self.chess.us().contains(to) || self.board().kings().contains(to) {
            return false;
        }
        if role != Role::Pawn {
            let pseudo = attacks::attacks(from, role.of(turn), occupied);
            return promotion.is_none() && pseudo.contains(to);
        }
        let last = turn.fold_wb(Rank::Eighth, Rank::First);
        if promotion.is_some() != (to.rank() == last) {
            return false;
        }
        if occupied.contains(to) {
            return attacks::pawn_attacks(turn, from).contains(to);
        }
        let forward = turn.fold_wb(STEP, -STEP);
        let one = from.offset(forward);
        let first = from.rank() == turn.fold_wb(Rank::Second, Rank::Seventh);
        let two = || one.filter(|&one| first && !occupied.contains(one)).and_then(|one| one.offset(forward));
        one == Some(to) || two() == Some(to)
    }

    /// Returns true if the own king is not attacked after a move that takes what stands on `taken`.
    fn leaves_king_safe(&self, role: Role, from: Square, to: Square, taken: Bitboard) -> bool {
        let king = if role == Role::King { to } else { self.king(self.turn()) };
        let occupied = (self.board().occupied() & !taken).without(from).with(to);
        (self.board().attacks_to(king, !self.turn(), occupied) & !taken).is_empty()
    }
}

/// From a square to the next of its file, for White.
const STEP: i32 = 8;

fn promotion_of(kind: u16) -> Option<Role> {
    match Role::try_from(kind) {
        Ok(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => Some(role),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use shakmaty::CastlingMode;

    /// Positions of random games with pins, checks, double checks, promotions, castling, and en passant captures that uncover the king.
    const STARTS: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/1b6/3pP3/8/8/R3K2R b KQ e3 0 1",
        "1rkr4/8/8/8/8/8/8/1RKR4 w KQkq - 0 1",
    ];
    const MOVES: usize = 12;

    #[test]
    fn of_all_codes_those_of_legal_moves_are_accepted() {
        let mut random = ChaCha8Rng::seed_from_u64(20_261_129);
        let mut accepted = 0;
        for fen in STARTS {
            let mut position = Game::from_fen(fen, CastlingMode::Chess960).expect(fen).position().clone();
            for _ in 0..MOVES {
                for code in 0..=u16::MAX {
                    let expected = position.decode(code).filter(|&mv| position.chess.is_legal(mv));
                    assert_eq!(position.unpack(code), expected, "{code:016b} in {:?}", position.board());
                    accepted += usize::from(expected.is_some());
                }
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[random.random_range(0..moves.len())]);
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }

    #[test]
    fn a_pawn_that_uncovers_its_king_does_not_take_in_passing() {
        let game = |fen: &str| Game::standard(fen).expect(fen);
        let code = crate::position::pack(Move::EnPassant { from: Square::E5, to: Square::D6 });
        for (fen, legal) in [
            ("8/8/8/3pP3/8/8/8/K3k3 w - d6 0 1", true),
            ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", false),
            ("8/8/8/3pP3/8/8/8/K3k3 w - - 0 1", false),
        ] {
            assert_eq!(game(fen).position().unpack(code).is_some(), legal, "{fen}");
        }
    }
}
