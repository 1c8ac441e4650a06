//! Statements of the documentation about what the program finds or misses in a position: each stands next to its command, whose output is
//! checked here.

use crate::documentation::{read, words};
use crate::support::succeeds;

/// A page, a command as it shows it, and what the output of the command must contain.
const DOCUMENTED_OUTPUTS: [[&str; 3]; 1] = [[
    "docs/results/network.md",
    r#"quarterply "position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1" "go depth 2""#,
    "score mate 2 ",
]];

#[test]
fn documented_search_results_are_reproduced() {
    for [page, command, output] in DOCUMENTED_OUTPUTS {
        assert!(read(page).lines().any(|line| line == command), "{page} does not show `{command}`");
        let words = words(command);
        succeeds(&words[1..].iter().map(String::as_str).collect::<Vec<_>>()).shows(&[output]);
    }
}
