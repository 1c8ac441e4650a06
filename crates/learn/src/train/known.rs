//! Positions with an obvious value, to check by eye that a network has learned chess.

use quarterply_engine::network::Network;
use quarterply_engine::position::Game;
use shakmaty::{Board, Color};

/// The positions that reports show: the special feature and the FEN of each.
const KNOWN: [(&str, &str); 9] = [
    ("start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("a pawn up", "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("a knight up", "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("a queen up", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("a rook down", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1"),
    ("an open game", "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5"),
    ("rook ending, a pawn up", "8/5pk1/6p1/R7/8/r5P1/4PP1K/8 w - - 0 1"),
    ("pawn ending, a passed pawn far ahead", "8/8/1P3k2/8/5K2/8/5p2/8 w - - 0 1"),
    ("a bare king against queen and rook", "8/8/3k4/8/8/8/8/QR2K3 w - - 0 1"),
];

/// The values of a network for a known position.
pub struct KnownValue {
    /// The special feature of the position.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// The value for the side to move (pawns/100).
    pub value: i32,
    /// That of the same position with the other side to move (pawns/100).
    pub passed: i32,
    /// True if the colour-swapped and the mirrored position have the same value. Otherwise the network is defective.
    pub symmetric: bool,
}

/// A network's values of all known positions.
pub fn answers(network: &Network) -> Vec<KnownValue> {
    let answer = |(name, fen): (&'static str, &'static str)| {
        let game = Game::standard(fen).ok()?;
        let (board, turn) = (game.position().board(), game.position().turn());
        let value = |board: &Board, turn: Color| network.value(board, turn).0;
        let (mut exchanged, mut mirrored) = (board.clone(), board.clone());
        exchanged.flip_vertical();
        exchanged.swap_colors();
        mirrored.flip_horizontal();
        let here = value(board, turn);
        let symmetric = value(&exchanged, !turn) == here && value(&mirrored, turn) == here;
        Some(KnownValue { name, fen, value: here, passed: value(board, !turn), symmetric })
    };
    KNOWN.into_iter().filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::quantise;
    use crate::train::shape::Shape;
    use crate::train::trainer::TrainerState;

    #[test]
    fn every_known_position_is_one_and_symmetry_is_seen() {
        let shape = Shape { hidden: 32, buckets: 4 };
        let state = TrainerState::new(shape, 3);
        let network = quantise::network(shape, &state.weights, 400, String::new()).expect("first weights are small");
        let answers = answers(&network);
        assert_eq!(answers.len(), KNOWN.len());
        assert!(answers.iter().all(|answer| answer.symmetric));
        assert!(answers.iter().any(|answer| answer.value != answer.passed));
    }
}
