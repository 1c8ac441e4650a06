//! Moves as people write them.

use quarterply_engine::notation;
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;

/// The legal move that a text means in any notation of [`notation`].
pub fn read(position: &Position, text: &str) -> Option<Move> {
    notation::read_move(position.chess(), text).ok()
}
