//! Games between two processes of the binary.

use crate::support::{contents, file, quarterply, refused, succeeds, words};

#[test]
fn games_at_a_node_limit_end_by_the_rules_and_repeat() {
    let (_folder, pgn) = file("games.pgn", b"");
    let play = || quarterply(&words!("selfplay --games 4 --nodes 300 --seed 11 --pgn {pgn} --overwrite"));
    let run = play().ends(0);
    run.shows(&["4 games", "0 faults"]);
    let games = contents(&pgn);
    assert_eq!(games.matches("[Event ").count(), 4);
    assert_eq!(play().out, run.out);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    for (arguments, needle) in [
        (vec!["selfplay", "--tc", "fast"], "`fast` is not a valid time control"),
        (vec!["selfplay", "--nodes", "0"], "--nodes"),
        (vec!["selfplay", "--games", "2", "--first", "/no/such/engine"], "no program `/no/such/engine`"),
        (vec!["selfplay", "--pgn", "/no/such/folder/x.pgn"], "/no/such/folder/x.pgn"),
    ] {
        refused(&arguments, needle);
    }
}

/// `--profile nosuch` and `--set` were ignored without a word: the games were those of `default`.
#[test]
fn profile_and_set_apply_to_the_engines_that_are_this_program() {
    let play = |more: &str| {
        let (_folder, pgn) = file("games.pgn", b"");
        succeeds(&words!("selfplay --games 2 --nodes 200 --pgn {pgn} --overwrite --quiet {more}"));
        let games = contents(&pgn);
        // The times differ from run to run.
        let is_time = |word: &&str| word.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
        games.split_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
    };
    let usual = play("");
    assert_eq!(usual, play("--profile default"));
    assert_ne!(usual, play("--profile classic"));
    assert_ne!(usual, play("--set null_move.on=false --set late_move_reduction.on=false"));
    refused(&["selfplay", "--profile", "nosuch"], "nosuch");
    refused(&["selfplay", "--set", "nul_move.on=true"], "nul_move.on");
    let both = words!("selfplay --first a --second b --profile classic");
    refused(&both, "cannot use --profile or --set: --first and --second are other engines; remove them");
}

/// The full acceptance run: `cargo test --release -- --ignored two_hundred` on an idle machine (a quarter of
/// an hour).
#[test]
#[ignore = "takes a quarter of an hour and an idle machine"]
fn two_hundred_fast_games_have_no_fault() {
    succeeds(&["selfplay", "--games", "200", "--tc", "1+0.01", "--quiet"]).shows(&["200 games", "0 faults"]);
}
