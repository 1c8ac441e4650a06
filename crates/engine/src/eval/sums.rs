//! The sums over all pieces that the classical evaluation updates move by move.

use super::material::Counts;
use super::pair::Pair;
use super::squares::{PHASE, PSQ};
use crate::position::{SquareChange, changes};
use shakmaty::{Board, Color, Move, Piece, Square};

/// Sums over the pieces of a position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sums {
    /// Material and piece-square values, white minus black.
    pub psq: Pair,
    /// Numbers of pieces.
    pub counts: Counts,
    /// Game phase: 24 with all pieces on the board, 0 with pawns only.
    pub phase: i32,
}

impl Sums {
    /// The sums from scratch.
    pub fn of(board: &Board) -> Sums {
        let mut sums = Sums::default();
        for (square, piece) in board.iter() {
            sums.change(square, piece, SquareChange::On);
        }
        sums
    }

    /// The sums after a legal move of `turn`.
    #[inline(always)]
    pub fn after(mut self, turn: Color, mv: Move) -> Sums {
        changes(turn, mv, |square, piece, change| self.change(square, piece, change));
        self
    }

    #[inline(always)]
    fn change(&mut self, square: Square, piece: Piece, change: SquareChange) {
        let psq = PSQ[piece.color as usize][piece.role as usize][square as usize];
        let (unit, phase) = (Counts::unit(piece), PHASE[piece.role as usize]);
        match change {
            SquareChange::On => {
                self.psq += psq;
                self.counts.0 += unit;
                self.phase += phase;
            }
            SquareChange::Off => {
                self.psq -= psq;
                self.counts.0 -= unit;
                self.phase -= phase;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::position::{Game, Position};
    use shakmaty::CastlingMode;

    /// Castling, en passant, promotions with and without capture, ordinary moves.
    pub(crate) const POSITIONS: [(&str, CastlingMode); 4] = [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", CastlingMode::Standard),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", CastlingMode::Standard),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", CastlingMode::Standard),
        ("1rk4r/pppp1ppp/8/8/8/8/PPPPP1PP/1RK4R w HBhb - 0 1", CastlingMode::Chess960),
    ];
    const DEPTH: u32 = 3;

    fn check(position: &Position, sums: Sums, depth: u32) {
        assert_eq!(sums, Sums::of(position.board()), "{}", position.fen());
        if depth > 0 {
            for mv in position.legal_moves() {
                check(&position.play(mv), sums.after(position.turn(), mv), depth - 1);
            }
        }
    }

    #[test]
    fn sums_kept_move_by_move_are_those_from_scratch() {
        for (fen, mode) in POSITIONS {
            let game = Game::from_fen(fen, mode).expect(fen);
            check(game.position(), Sums::of(game.position().board()), DEPTH);
        }
    }
}
