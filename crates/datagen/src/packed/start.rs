//! Start positions: first the squares that differ from the first position of chess, then the side to move and the counters.

use super::coder::{Bit, BitTree, Coder, Corrupt, Number};
use crate::viriformat::{
    self, BITS_PER_PIECE, FULLMOVES, HALFMOVES, PIECE_MASK, PIECES, PIECES_MAX, POSITION_BYTES, SCORE, TURN,
};
use shakmaty::{CastlingMode, Chess};

const SQUARES: usize = 64;
/// The code of the piece on each square, as in [`viriformat`].
type Codes = [u8; SQUARES];
/// A code that no piece has.
const EMPTY: u8 = 7;
const CODES: usize = 1 << BITS_PER_PIECE;

/// Adaptive model of start positions.
pub struct Starts {
    first: Codes,
    /// True for a square as in the first position, by the same fact of the previous square.
    same: [[Bit; 2]; SQUARES],
    /// Codes of squares that differ, by the code in the first position.
    others: Vec<BitTree>,
    turn: BitTree,
    halfmoves: Number,
    fullmoves: Number,
}

impl Default for Starts {
    fn default() -> Starts {
        Starts {
            first: codes(&viriformat::encode_position(&Chess::default())),
            same: [[Bit::default(); 2]; SQUARES],
            others: vec![BitTree::new(BITS_PER_PIECE as u32); CODES],
            turn: BitTree::new(u8::BITS),
            halfmoves: Number::default(),
            fullmoves: Number::default(),
        }
    }
}

impl Starts {
    /// Codes a position; how it castles follows from it.
    pub fn code(&mut self, coder: &mut impl Coder, known: Option<&Chess>) -> Result<(Chess, CastlingMode), Corrupt> {
        let known = known.map(viriformat::encode_position);
        let found = self.board(coder, known.as_ref().map(codes).as_ref())?;
        let mut bytes = bytes(&found)?;
        let byte = |at: usize| known.map(|bytes| u32::from(bytes[at]));
        let small = |number: u32| u8::try_from(number).map_err(|_| Corrupt);
        bytes[TURN] = small(self.turn.code(coder, byte(TURN))?)?;
        bytes[HALFMOVES] = small(self.halfmoves.code(coder, byte(HALFMOVES))?)?;
        let word = known.map(|bytes| u16::from_le_bytes([bytes[FULLMOVES], bytes[FULLMOVES + 1]]));
        let word = self.fullmoves.code(coder, word.map(u32::from))?;
        let word = u16::try_from(word).map_err(|_| Corrupt)?;
        bytes[FULLMOVES..SCORE].copy_from_slice(&word.to_le_bytes());
        viriformat::decode_position(&bytes).map_err(|_| Corrupt)
    }

    fn board(&mut self, coder: &mut impl Coder, known: Option<&Codes>) -> Result<Codes, Corrupt> {
        let mut found = self.first;
        let mut same_before = true;
        for square in 0..SQUARES {
            let first = self.first[square];
            let known = known.map(|codes| codes[square]);
            let same = &mut self.same[square][usize::from(same_before)];
            same_before = same.code(coder, known.map(|code| code == first))?;
            if !same_before {
                let other = self.others[usize::from(first)].code(coder, known.map(u32::from))?;
                found[square] = u8::try_from(other).map_err(|_| Corrupt)?;
            }
        }
        Ok(found)
    }
}

/// The pieces on the squares of a position in 32 bytes.
fn codes(bytes: &[u8; POSITION_BYTES]) -> Codes {
    let mut occupied = [0; PIECES];
    occupied.copy_from_slice(&bytes[..PIECES]);
    let occupied = u64::from_le_bytes(occupied);
    let mut codes = [EMPTY; SQUARES];
    let squares = (0..SQUARES).filter(|square| occupied >> square & 1 == 1);
    for (index, square) in squares.enumerate().take(PIECES_MAX) {
        codes[square] = bytes[PIECES + index / 2] >> (BITS_PER_PIECE * (index % 2)) & PIECE_MASK;
    }
    codes
}

/// The reverse of [`codes`].
fn bytes(codes: &Codes) -> Result<[u8; POSITION_BYTES], Corrupt> {
    let mut bytes = [0; POSITION_BYTES];
    let mut occupied = 0u64;
    let pieces = codes.iter().enumerate().filter(|(_, code)| **code != EMPTY);
    for (index, (square, code)) in pieces.enumerate() {
        if index == PIECES_MAX {
            return Err(Corrupt);
        }
        occupied |= 1 << square;
        bytes[PIECES + index / 2] |= code << (BITS_PER_PIECE * (index % 2));
    }
    bytes[..PIECES].copy_from_slice(&occupied.to_le_bytes());
    Ok(bytes)
}
