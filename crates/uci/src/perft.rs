//! `go perft N`: counts the leaves of the tree of legal moves, move by move.

use quarterply_engine::perft::perft;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Control;
use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;

use crate::output::Output;

/// Writes one line per legal move and returns the sum as the last line.
pub fn divide(game: &Game, depth: u32, castling: CastlingMode, output: &Output, control: &Control) -> String {
    let mut sum = u64::from(depth == 0);
    for mv in game.position().legal_moves() {
        if depth == 0 || control.stopped() || output.broken() {
            break;
        }
        let leaves = perft(&game.position().play(mv), depth - 1, &|| control.stopped());
        output.line(format_args!("{}: {leaves}", UciMove::from_move(mv, castling)));
        sum += leaves;
    }
    let cut_short = if control.stopped() { " (stopped)" } else { "" };
    format!("Nodes searched: {sum}{cut_short}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SharedBuffer;

    #[test]
    fn the_sum_and_the_moves_are_those_of_the_literature() {
        for (depth, moves, sum) in [(0, 0, 1), (1, 20, 20), (3, 20, 8902)] {
            let buffer = SharedBuffer::default();
            let output = Output::new(buffer.clone());
            let last = divide(&Game::new(), depth, CastlingMode::Standard, &output, &Control::default());
            assert_eq!(last, format!("Nodes searched: {sum}"));
            assert_eq!(buffer.lines().len(), moves, "depth {depth}");
        }
    }
}
