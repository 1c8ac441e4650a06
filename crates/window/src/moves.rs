//! Moves as people write them.

use quarterply_engine::notation;
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;

/// The legal move that a text means in any notation of [`notation`].
pub fn read(position: &Position, text: &str) -> Option<Move> {
    notation::read_move(position.chess(), text).ok()
}

/// The moves of a line without their numbers: `1.e4 e5 2.Nf3` and `1. e4 e5 2. Nf3` alike.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    line.split_whitespace()
        .map(move |word| match word.rsplit_once('.') {
            Some((before, mv)) if before.chars().all(number) => mv,
            _ => word,
        })
        .filter(move |word| !word.is_empty() && !word.chars().all(number))
}
