//! Moves as people write them.

use quarterply_engine::notation;
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;

/// The legal move that a text means in any notation of [`notation`].
pub fn read(position: &Position, text: &str) -> Option<Move> {
    notation::read_move(position.chess(), text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use quarterply_engine::shakmaty::CastlingMode;

    #[test]
    fn every_notation_is_read() {
        let fen = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
        for (one, other) in [
            ("e1g1", "O-O"),
            ("b7a8q", "bxa8=Q+"),
            ("a1a8", "Rxa8+"),
            ("b7b8n", "b8=N"),
            ("b7b8n", "b8N!"),
            ("a1-a8", "♖xa8"),
        ] {
            let (one, other) = (read(game.position(), one), read(game.position(), other));
            assert!(one.is_some() && one == other, "{one:?} {other:?}");
        }
        for text in ["e2e4", "Ke4", "", "O-O-O-O", "0000", "--", "bxa8"] {
            assert_eq!(read(game.position(), text), None, "{text}");
        }
    }
}
