//! Positions in 32 bytes and moves in two, as the public *viriformat* (version 3) has them.
//!
//! The layout is that of the specification of the crate `viriformat`, so that other trainers read the games. The crate does not check
//! its input, so this module reads and writes the format itself, and a test compares the two.
//!
//! All integers are little-endian; squares count from a1 = 0 along the ranks.

use quarterply_engine::position::Position;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Move, Piece, Position as _, PositionError, Role, Setup,
    Square,
};
use std::num::NonZeroU32;
use thiserror::Error;

/// Bytes of a packed position.
pub const POSITION_BYTES: usize = 32;

/// Offsets and lengths of the parts of a packed position.
pub(crate) const PIECES: usize = 8;
const PIECES_BYTES: usize = 16;
pub(crate) const TURN: usize = 24;
pub(crate) const HALFMOVES: usize = 25;
pub(crate) const FULLMOVES: usize = 26;
pub(crate) const SCORE: usize = 28;
/// Offset of the result of the game.
pub(crate) const RESULT: usize = 30;
/// Offset of the byte that the format leaves free.
pub(crate) const EXTRA: usize = 31;

/// Code of a rook that may still castle; other roles count from the pawn's 0 to the king's 5.
const CASTLING_ROOK: u8 = 6;
const ROLE_MASK: u8 = 7;
const BLACK_PIECE: u8 = 8;
pub(crate) const BITS_PER_PIECE: usize = 4;
pub(crate) const PIECE_MASK: u8 = 15;
/// Most pieces on a board.
pub(crate) const PIECES_MAX: usize = 32;
/// "No en passant square" among squares.
const NO_SQUARE: u8 = 64;
const BLACK_TO_MOVE: u8 = 128;

/// Bytes that are not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// More pieces than squares are stored for.
    #[error("cannot use the board: it has {0} pieces, more than {PIECES_MAX}")]
    Crowded(usize),
    /// A code that is not one of a piece: the code and its square.
    #[error("cannot read the piece on {1}: code {0} is unknown")]
    Piece(u8, Square),
    /// An en passant square beyond the board.
    #[error("cannot read the en passant square: code {0} is unknown")]
    EnPassant(u8),
    /// An illegal position.
    #[error("{0}")]
    Illegal(String),
}

/// A position in 32 bytes; score, result and the free byte are zero.
pub fn encode_position(chess: &Chess) -> [u8; POSITION_BYTES] {
    let mut bytes = [0; POSITION_BYTES];
    let board = chess.board();
    let rooks = chess.castles().castling_rights();
    bytes[..PIECES].copy_from_slice(&board.occupied().0.to_le_bytes());
    for (index, square) in board.occupied().into_iter().enumerate().take(PIECES_MAX) {
        let Some(piece) = board.piece_at(square) else { continue };
        let role = if rooks.contains(square) { CASTLING_ROOK } else { piece.role as u8 - Role::Pawn as u8 };
        let color = if piece.color.is_black() { BLACK_PIECE } else { 0 };
        bytes[PIECES + index / 2] |= (role | color) << (BITS_PER_PIECE * (index % 2));
    }
    bytes[TURN] =
        chess.legal_ep_square().map_or(NO_SQUARE, u8::from) | if chess.turn().is_black() { BLACK_TO_MOVE } else { 0 };
    bytes[HALFMOVES] = u8::try_from(chess.halfmoves()).unwrap_or(u8::MAX);
    let fullmoves = u16::try_from(chess.fullmoves().get()).unwrap_or(u16::MAX);
    bytes[FULLMOVES..SCORE].copy_from_slice(&fullmoves.to_le_bytes());
    bytes
}

/// The position encoded by these bytes, with its castling mode.
///
/// # Errors
/// [`PackError`]: the bytes are not a position.
pub fn decode_position(bytes: &[u8; POSITION_BYTES]) -> Result<(Chess, CastlingMode), PackError> {
    let mut setup = Setup::empty();
    (setup.board, setup.castling_rights) = decode_board(bytes)?;
    setup.turn = Color::from_white(bytes[TURN] & BLACK_TO_MOVE == 0);
    setup.ep_square = match bytes[TURN] & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        square => Some(Square::try_from(square).map_err(|_| PackError::EnPassant(square))?),
    };
    setup.halfmoves = bytes[HALFMOVES].into();
    let fullmoves = u16::from_le_bytes([bytes[FULLMOVES], bytes[FULLMOVES + 1]]);
    setup.fullmoves = NonZeroU32::new(fullmoves.into()).unwrap_or(NonZeroU32::MIN);
    let mode = CastlingMode::detect(&setup);
    let chess = Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|error| PackError::Illegal(error.to_string()))?;
    Ok((chess, mode))
}

/// The pieces, and the rooks that may castle.
fn decode_board(bytes: &[u8; POSITION_BYTES]) -> Result<(Board, Bitboard), PackError> {
    let mut word = [0; PIECES];
    word.copy_from_slice(&bytes[..PIECES]);
    let occupied = Bitboard(u64::from_le_bytes(word));
    if occupied.count() > PIECES_MAX {
        return Err(PackError::Crowded(occupied.count()));
    }
    let codes = &bytes[PIECES..PIECES + PIECES_BYTES];
    let (mut board, mut rooks) = (Board::empty(), Bitboard::EMPTY);
    for (index, square) in occupied.into_iter().enumerate() {
        let code = codes[index / 2] >> (BITS_PER_PIECE * (index % 2)) & PIECE_MASK;
        let role = match code & ROLE_MASK {
            CASTLING_ROOK => {
                rooks.add(square);
                Role::Rook
            }
            role => Role::try_from(u16::from(role) + Role::Pawn as u16).map_err(|_| PackError::Piece(code, square))?,
        };
        board.set_piece_at(square, Piece { color: Color::from_white(code & BLACK_PIECE == 0), role });
    }
    Ok((board, rooks))
}

/// Two bits of promotion: knight, bishop, rook, queen.
const PROMOTION_SHIFT: u16 = 12;
const PROMOTION_MASK: u16 = 3;
/// Two bits of kind.
const KIND_SHIFT: u16 = 14;
const KIND_NORMAL: u16 = 0;
const KIND_EN_PASSANT: u16 = 1;
const KIND_CASTLE: u16 = 2;
const KIND_PROMOTION: u16 = 3;
const TO_SHIFT: u16 = 6;
const SQUARE_MASK: u16 = 63;

/// A move in 16 bits: from, to (the rook's square when castling), promotion, kind. Never 0.
pub fn encode_move(mv: Move) -> u16 {
    let (from, to, promotion, kind) = match mv {
        Move::Normal { from, to, promotion: Some(role), .. } => {
            (from, to, role as u16 - Role::Knight as u16, KIND_PROMOTION)
        }
        Move::Normal { from, to, .. } => (from, to, 0, KIND_NORMAL),
        Move::EnPassant { from, to } => (from, to, 0, KIND_EN_PASSANT),
        Move::Castle { king, rook } => (king, rook, 0, KIND_CASTLE),
        Move::Put { to, .. } => (to, to, 0, KIND_NORMAL),
    };
    from as u16 | (to as u16) << TO_SHIFT | promotion << PROMOTION_SHIFT | kind << KIND_SHIFT
}

/// The move encoded by 16 bits, if it is legal in `position`.
pub fn decode_move(position: &Position, raw: u16) -> Option<Move> {
    let from = Square::new(u32::from(raw & SQUARE_MASK));
    let to = Square::new(u32::from(raw >> TO_SHIFT & SQUARE_MASK));
    let mv = match raw >> KIND_SHIFT {
        KIND_EN_PASSANT => Move::EnPassant { from, to },
        KIND_CASTLE => Move::Castle { king: from, rook: to },
        kind => {
            let promotion = Role::try_from((raw >> PROMOTION_SHIFT & PROMOTION_MASK) + Role::Knight as u16).ok();
            let board = position.board();
            let promotion = promotion.filter(|_| kind == KIND_PROMOTION);
            Move::Normal { role: board.role_at(from)?, from, capture: board.role_at(to), to, promotion }
        }
    };
    let ours = position.chess().us().contains(from);
    (ours && position.chess().is_legal(mv)).then_some(mv)
}

#[cfg(test)]
mod tests;
