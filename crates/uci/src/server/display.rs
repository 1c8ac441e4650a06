//! Output of the commands for people.

use std::fmt::Write as _;

use quarterply_engine::position::Game;

/// Rows of a board.
const RANKS: usize = 8;

/// The answer to `help`.
pub(super) const HELP: &str = "\
Quarterply speaks UCI: uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, quit.
Commands outside UCI:
  d                show the board, its FEN, its key and the checking pieces
  eval             show the terms of the static evaluation
  go perft DEPTH   count the leaves of the tree of legal moves
  bench [DEPTH]    search fixed positions; the last line is the signature
  genfens N seed S book None|FILE [plies N]
                   draw random openings, as OpenBench asks for them
Run `quarterply --help` in a shell for the other commands.";

/// The answer to `d`: the board with its FEN, its key and the checking pieces.
pub(super) fn board(game: &Game) -> String {
    let position = game.position();
    let mut text = String::new();
    for (rank, row) in format!("{:?}", position.board()).lines().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {row}", RANKS - rank);
    }
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        text,
        "  a b c d e f g h\n\nFEN: {}\nKey: {:016x}\nCheckers: {}",
        game.fen(),
        position.key(),
        if checkers.is_empty() { "none".into() } else { checkers.join(" ") }
    );
    text
}
