//! `quarterply perft` from the outside.

use crate::support::{file, quarterply, refused, succeeds};

#[test]
fn counts_of_one_position() {
    for (arguments, total) in [
        (vec!["perft", "4"], "197281 leaves at depth 4"),
        (vec!["perft", "0"], "1 leaves at depth 0"),
        (vec!["perft", "3", "--fen", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"], "2812 leaves"),
        (vec!["perft", "2", "--fen", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", "--workers", "1"], "191 leaves"),
        (vec!["perft", "2", "--divide", "--fen", "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb -"], "e1h1: "),
    ] {
        let run = succeeds(&arguments);
        assert!(run.out.contains(total), "{arguments:?} {}", run.out);
    }
}

#[test]
fn the_division_has_one_line_per_move() {
    let run = quarterply(&["perft", "2", "--divide"]);
    assert_eq!(run.out.lines().filter(|line| line.ends_with(": 20")).count(), 20, "{}", run.out);
}

#[test]
fn a_suite_is_checked_and_unreachable_positions_are_refused() {
    let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197\n\
        B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1 ;D1 6 ;D2 106\n";
    let (_folder, suite) = file("s.epd", text.as_bytes());
    succeeds(&["perft", "--suite", &suite, "--max-depth", "2"])
        .shows(&[&format!("refused {suite}:2:"), "2 counts up to depth 2 checked, 0 wrong, 1 refused"]);
}

#[test]
fn a_row_has_the_count_of_its_depth() {
    let (_folder, suite) = file("s.epd", b"4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197\n");
    let run = succeeds(&["perft", "--suite", &suite]);
    let row = run.out.lines().find(|line| line.contains("right")).expect("a row");
    assert!(row.contains("3    1 197 "), "{row}");
}

/// The counts come from an independent move generator, see `data/perft/README.md`.
#[test]
fn chess960_counts_are_right() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/perft/chess960.epd");
    succeeds(&["perft", "4", "--suite", suite]).shows(&["36 counts up to depth 4 checked, 0 wrong, 0 refused"]);
}

#[test]
fn every_mismatch_is_reported() {
    let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 16 ;D2 66 ;D3 1\n";
    let (_folder, suite) = file("s.epd", text.as_bytes());
    quarterply(&["perft", "3", "--suite", &suite])
        .ends(1)
        .shows(&[":1: WRONG at depth 1: 15 found, 16 expected", ":1: WRONG at depth 3: 1197 found, 1 expected"]);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, empty) = file("empty.epd", b"\n");
    let (_b, plain) = file("plain.epd", b"4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n");
    for (arguments, needle) in [
        (vec!["perft"], "DEPTH"),
        (vec!["perft", "x"], "x"),
        (vec!["perft", "-1"], "give a whole number from 0 to 60"),
        (vec!["perft", "2", "--profile", "nosuch"], "--set: moves are counted without a search; remove them"),
        (vec!["perft", "2", "--set", "null_move.on=false"], "cannot use --profile or --set"),
        (vec!["perft", "2", "--fen", "8/8/8/8/8/8/8/8 w - -"], "is not a legal position"),
        (vec!["perft", "2", "--fen", "nonsense"], "cannot read the position"),
        (
            vec!["perft", "1", "--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4"],
            "cannot read the position",
        ),
        (vec!["perft", "--suite", "/no/such.epd"], "cannot read `/no/such.epd`"),
        (vec!["perft", "--suite", &empty], "it holds no position"),
        (vec!["perft", "--suite", &plain], "it has none; write them as"),
    ] {
        refused(&arguments, needle);
    }
}
