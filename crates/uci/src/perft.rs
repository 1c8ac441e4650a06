//! `go perft N`: counts the leaves of the tree of legal moves, move by move.

use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Control;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position as _};

use crate::output::Output;

/// Writes one line per legal move and returns the sum as the last line.
pub fn divide(game: &Game, depth: u32, castling: CastlingMode, output: &Output, control: &Control) -> String {
    let root = game.position().chess();
    let mut sum = u64::from(depth == 0);
    for mv in root.legal_moves() {
        if depth == 0 || control.stopped() || output.broken() {
            break;
        }
        let mut child = root.clone();
        child.play_unchecked(mv);
        let leaves = count(&child, depth - 1, control);
        output.line(format_args!("{}: {leaves}", UciMove::from_move(mv, castling)));
        sum += leaves;
    }
    let cut_short = if control.stopped() { " (stopped)" } else { "" };
    format!("Nodes searched: {sum}{cut_short}")
}

fn count(position: &Chess, depth: u32, control: &Control) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    if control.stopped() {
        return 0;
    }
    let below = |mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        count(&child, depth - 1, control)
    };
    moves.into_iter().map(below).sum()
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
