//! Moves as people write them.

use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::uci::UciMove;

/// A legal move from UCI (`g1f3`) or short algebraic notation (`Nf3`).
pub fn read(position: &Position, text: &str) -> Option<Move> {
    let chess = position.chess();
    let uci = text.parse::<UciMove>().ok().and_then(|uci| uci.to_move(chess).ok());
    uci.or_else(|| text.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(chess).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use quarterply_engine::shakmaty::CastlingMode;

    #[test]
    fn both_notations_are_read() {
        let fen = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
        for (one, other) in [("e1g1", "O-O"), ("b7a8q", "bxa8=Q+"), ("a1a8", "Rxa8+"), ("b7b8n", "b8=N")] {
            let (one, other) = (read(game.position(), one), read(game.position(), other));
            assert!(one.is_some() && one == other, "{one:?} {other:?}");
        }
        for text in ["e2e4", "Ke4", "", "O-O-O-O", "0000", "--", "bxa8"] {
            assert_eq!(read(game.position(), text), None, "{text}");
        }
    }
}
