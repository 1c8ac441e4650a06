//! Positions that a user gives to any command: castling rights that are impossible.

use crate::support::{file, quarterply, succeeds};

/// King and rook at home on one side; the rights of the other side, and the queen's side, are impossible.
const IMPOSSIBLE: &str = "4k3/8/8/8/8/8/P7/4K2R w KQq - 0 1";
/// What is left of it.
const POSSIBLE: &str = "4k3/8/8/8/8/8/P7/4K2R w K - 0 1";
/// Possible in Chess960 only.
const CHESS960: &str = "8/8/8/8/8/5k2/8/5K1R w K - 0 1";

#[test]
fn impossible_castling_rights_on_the_command_line_are_dropped_with_a_warning() {
    for command in [
        &["perft", "3"][..],
        &["eval"],
        &["window", "search", "--depth", "3"],
        &["window", "why", "a3", "--depth", "3"],
        &["window", "diff", "--set-second", "null_move.on=false", "--depth", "3"],
        &["window", "bets", "--depth", "3"],
    ] {
        let run = |fen: &str| quarterply(&[command, &["--fen", fen, "--overwrite"]].concat());
        let (given, left) = (run(IMPOSSIBLE), run(POSSIBLE));
        assert_eq!((given.code, left.code), (Some(0), Some(0)), "{command:?}\n{}", given.err);
        let warning = format!("castling rights `Qq` of `{IMPOSSIBLE}` are dropped");
        given.says(&[&warning]);
        assert!(!given.out.contains(IMPOSSIBLE) && !left.err.contains("warning"), "{command:?}\n{}", left.err);
    }
}

#[test]
fn dropped_castling_rights_do_not_count_in_perft() {
    let leaves = |fen| {
        let run = quarterply(&["perft", "4", "--fen", fen]);
        run.out.split(' ').next().map(str::to_owned)
    };
    assert_eq!(leaves(IMPOSSIBLE), leaves(POSSIBLE));
    assert_ne!(leaves(IMPOSSIBLE), leaves("4k3/8/8/8/8/8/P7/4K2R w - - 0 1"));
}

#[test]
fn castling_rights_of_chess960_are_kept_with_a_warning_unless_they_name_the_rook() {
    for command in [&["perft", "1", "--divide"][..], &["eval"]] {
        succeeds(&[command, &["--fen", CHESS960]].concat()).says(&[&format!("`{CHESS960}` is read as Chess960")]);
    }
    let named = quarterply(&["perft", "1", "--divide", "--fen", "8/8/8/8/8/5k2/8/5K1R w H - 0 1"]);
    assert!(named.err.is_empty() && named.out.contains("f1h1: 1"), "{}{}", named.out, named.err);
}

#[test]
fn impossible_castling_rights_in_suites_and_books_are_dropped_with_a_warning() {
    let line = format!("{IMPOSSIBLE} bm O-O a4 a3; id \"x\"; D1 17;\n");
    let (_folder, path) = file("rights.epd", line.as_bytes());
    for command in [
        &["solve", &path, "--nodes", "200"][..],
        &["perft", "--suite", &path, "--max-depth", "1"],
        &["stats", "--suite", &path, "--nodes", "200"],
        &["window", "bets", &path, "--nodes", "200"],
        &["match", "--player", "default", "--player", "classic", "--nodes", "50", "--games", "2", "--openings", &path],
    ] {
        succeeds(command).says(&["rights.epd:1: castling rights `Qq` of"]);
    }
    let (_folder, path) = file("960.epd", format!("{CHESS960} bm O-O; id \"x\";\n").as_bytes());
    quarterply(&["solve", &path, "--nodes", "200"]).says(&["960.epd:1: read as Chess960 (1 of 1 positions)"]);
}
