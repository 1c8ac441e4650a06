//! Perft: the number of sequences of legal moves of a given length, the test of move generation and make-move.

use crate::position::Position;

/// The number of sequences of `depth` legal moves. The last move of each is counted without being played. After `stopped` has
/// returned true the number is too small.
pub fn perft(position: &Position, depth: u32, stopped: &impl Fn() -> bool) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_moves().len() as u64,
        _ if stopped() => 0,
        _ => position.legal_moves().iter().map(|mv| perft(&position.play(*mv), depth - 1, stopped)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    #[test]
    fn a_count_that_is_stopped_plays_no_further_move() {
        let game = Game::new();
        for (depth, all, stopped) in [(0, 1, 1), (1, 20, 20), (2, 400, 0)] {
            assert_eq!(perft(game.position(), depth, &|| false), all, "depth {depth}");
            assert_eq!(perft(game.position(), depth, &|| true), stopped, "depth {depth}");
        }
    }
}
