//! Statements of the documentation about what the program finds or misses in a position: each stands next to its command, whose output is
//! checked here.

use std::path::Path;

use crate::support::{contents, succeeds};

/// A command as the page shows it, and what its output must contain.
struct DocumentedOutput {
    page: &'static str,
    command: &'static str,
    output: &'static str,
}

const DOCUMENTED_OUTPUTS: [DocumentedOutput; 1] = [DocumentedOutput {
    page: "docs/results/network.md",
    command: r#"quarterply "position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1" "go depth 2""#,
    output: "score mate 2 ",
}];

/// The arguments of a command line whose only quotation marks are double ones.
fn arguments(command: &str) -> Vec<&str> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

#[test]
fn documented_search_results_are_reproduced() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for DocumentedOutput { page, command, output } in DOCUMENTED_OUTPUTS {
        let text = contents(root.join(page));
        assert!(text.lines().any(|line| line == command), "{page} does not show `{command}`");
        let run = succeeds(&arguments(command)[1..]);
        assert!(run.out.contains(output), "{command} does not print `{output}`:\n{}", run.out);
    }
}
