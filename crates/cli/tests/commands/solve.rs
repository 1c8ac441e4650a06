//! `quarterply solve` from the outside, and our own starter suite.

use crate::support::{self, file, folder, quarterply, refused, succeeds, words};
use serde_json::Value;

/// A mate in one, a pawn to win, a move to avoid, points, and a mate in two to announce.
const SUITE: &str = "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n\
    4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"queen\";\n\
    4k3/8/8/3q4/8/2N5/8/4K3 w - - am Kf2; id \"avoid\";\n\
    4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; c0 \"Nxd5=10, Kf1=1\"; id \"points\";\n\
    7k/8/8/8/8/1R6/R7/K7 w - - dm 2; id \"announce\";\n";

#[test]
fn every_kind_of_task_is_solved_and_written_as_json() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    let rows = succeeds(&["solve", &suite, "--nodes", "20000", "--json", "-"]).json();
    assert_eq!(rows.len(), 6);
    for row in &rows[..5] {
        assert_eq!(row["solved"], true, "{row}");
        assert_eq!(row["suite"], "small");
        let nodes = |key: &str| row[key].as_u64().expect(key);
        assert!(nodes("nodes_first") <= nodes("nodes_stable"), "{row}");
        assert!(nodes("nodes_stable") <= 20_000, "{row}");
    }
    assert_eq!(rows[0]["move"], "c1c8");
    let sum: u64 = rows[..5].iter().filter_map(|row| row["nodes_stable"].as_u64()).sum();
    let last = &rows[5];
    assert_eq!((&last["summary"], &last["positions"], &last["solved"]), (&Value::Bool(true), &5.into(), &5.into()));
    assert_eq!((&last["nodes_stable_total"], &last["points"]), (&sum.into(), &10.into()));
}

/// A mate in two as collections of mates write it: wanted in two, wanted in one (which there is not), and from the other side.
#[test]
fn a_mate_is_solved_when_its_length_is_announced() {
    const MATES: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - bm #2; id \"two\";\n\
        kbK5/pp6/1P6/8/8/8/8/R7 w - - bm #1; id \"one\";\n\
        kbK5/pp6/RP6/8/8/8/8/8 b - - bm #-1; id \"mated\";\n\
        6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm #-1; id \"wrong side\";\n";
    let (_folder, suite) = file("mates.epd", MATES.as_bytes());
    let run = succeeds(&["solve", &suite, "--nodes", "50000", "--json", "-"]);
    let solved: Vec<bool> = run.json()[..4].iter().map(|row| row["solved"] == true).collect();
    assert_eq!(solved, [true, false, true, false], "{}", run.out);
    run.says(&["mate in 2", "mate in 1", "mated in 1"]);
}

/// The results of one run were refused as those of several.
#[test]
fn a_suite_with_the_same_name_twice_can_be_compared() {
    let twice = SUITE.replace("id \"queen\"", "id \"mate\"");
    let (_folder, suite) = file("twice.epd", twice.as_bytes());
    let (_home, path) = folder();
    let json = path("twice.json");
    succeeds(&["solve", &suite, "--nodes", "1000", "--json", &json]);
    succeeds(&["compare", &json, &json]).shows(&["positions 5 5"]);
}

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    let figures = |workers: &str| {
        let mut rows = quarterply(&["solve", &suite, "--nodes", "5000", "--json", "-", "--workers", workers]).json();
        for row in &mut rows {
            row["ms"] = 0.into();
        }
        rows
    };
    assert_eq!(figures("1"), figures("3"));
}

#[test]
fn the_table_names_positions_and_the_summary_adds_up() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    succeeds(&["solve", &suite, "--depth", "4"])
        .shows(&["mate", "Rc8#", "not Kf2", "mate in 2", "small: 5 of 5 solved", "10 of 10 points"])
        .says(&["limit per position: depth 4"]);
}

#[test]
fn searches_can_end_before_the_limit() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    let total = |more: &str| {
        let rows = quarterply(&words!("solve {suite} --nodes 200000 --json - {more}")).json();
        (rows[5]["nodes_total"].as_u64().expect("a sum"), rows[5]["solved"].as_u64().expect("a count"))
    };
    let (full, held, found) = (total(""), total("--hold 3"), total("--stop-when-found"));
    assert!(found.0 < held.0 && held.0 < full.0, "{found:?} {held:?} {full:?}");
    assert_eq!((found.1, held.1, full.1), (5, 5, 5));
}

#[test]
fn one_bad_line_is_reported_and_the_rest_run() {
    let text = format!("{SUITE}4k3/8/8/8/8/8/8/4K3 w - - bm Qh9;\r\n4k3/8/8/8/8/8/8/4K3 w - - id \"no task\";\n");
    let (_folder, suite) = file("mixed.epd", text.as_bytes());
    quarterply(&["solve", &suite, "--nodes", "2000"])
        .ends(1)
        .says(&[&format!("{suite}:6: `Qh9` after `bm` is not a valid move"), &format!("{suite}:7: nothing to solve")])
        .shows(&["2 lines skipped"]);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, empty) = file("empty.epd", b"");
    let (_b, binary) = file("binary.epd", b"\x7fELF\x00\x01\x02");
    let (_c, cut) = file("cut.epd", &SUITE.as_bytes()[..SUITE.len() - 5]);
    let (_d, letter) = file("letter.epd", b"Dear reader,\n");
    let (_e, good) = file("good.epd", SUITE.as_bytes());
    let (_f, toml) = file("bad.toml", b"[null_move]\nbass = 3\n");
    for (arguments, needle) in [
        (vec!["solve", "/no/such.epd"], "cannot read `/no/such.epd`"),
        (vec!["solve", &empty], "it holds no position"),
        (vec!["solve", &binary], ":1: not a text file"),
        (vec!["solve", &cut], "ends in the middle of this line"),
        (vec!["solve", &letter], "cannot read any of the 1 lines as EPD"),
        (vec!["solve"], "SUITE"),
        (vec!["solve", &good, "--nodes", "0"], "--nodes"),
        (vec!["solve", &good, "--nodes", "many"], "many"),
        (vec!["solve", &good, "--depth", "4000000000"], "from 1 to 200"),
        (vec!["solve", &good, "--engine", "x", "--timeout", "18446744073709551615"], "from 1 to 31536000"),
        (vec!["ablate", &good, "--depth", "4000000000"], "from 1 to 200"),
        (vec!["solve", &good, "--set", "null_move.bass=3"], "did you mean `null_move.base`?"),
        (
            vec!["solve", &good, "--set", "null_move.base=-3"],
            "`-3` is not a valid value of `null_move.base`: expected 1024 to 8192",
        ),
        (vec!["solve", &good, "--profile", "defualt"], "did you mean `default`?"),
        (vec!["solve", &good, "--profile", &toml], "bad.toml:2: no parameter is named `null_move.bass`"),
        (vec!["solve", &good, "--engine", "/no/such/engine"], "/no/such/engine"),
        (vec!["solve", &good, "--engine", "x", "--profile", "default"], "cannot be used with"),
        (vec!["solve", &good, "--json", "/no/such/folder/x.json"], "cannot write"),
        (vec!["solve", &good, "--hash", "99999999999"], "99999999999"),
        (vec!["solve", &good, "--hash", "33554433"], "give a whole number from 0 to 33554432"),
    ] {
        refused(&arguments, needle);
    }
}

#[test]
fn any_uci_engine_can_solve_a_suite() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    let own = format!("'{}'", env!("CARGO_BIN_EXE_quarterply"));
    let run = succeeds(&["solve", &suite, "--nodes", "20000", "--json", "-", "--engine", &own]);
    let rows = run.json();
    assert_eq!(rows[5]["solved"], 5, "{}", run.out);
    refused(&["solve", &suite, "--engine", &own, "--option", "Contempt=5"], "has no option `Contempt`");
}

/// The conditions named a table that the engine did not have, without the warning that `match` gives.
#[test]
fn settings_that_an_engine_does_not_use_are_named() {
    let (_folder, suite) = file("small.epd", SUITE.as_bytes());
    let own = format!("'{}' --profile classic", env!("CARGO_BIN_EXE_quarterply"));
    let with = |more: &[&str]| succeeds(&[&["solve", &suite, "--nodes", "100", "--engine", &own][..], more].concat());
    with(&["--hash", "0"]).says(&["warning: quarterply: Hash is 1, because its range does not include 0"]);
    with(&["--option", "Hash=2"]).says(&["; table 2 MiB, threads 1; engine", &own]);
    let both = ["solve", &suite, "--engine", &own, "--movetime", "10", "--timeout", "5"];
    refused(&both, "cannot be used with");
}

/// When the suite was made, 28 of its 31 positions were solved for good within 20 000 nodes: half of them leaves room for any
/// change of the search that is worth making.
#[test]
fn half_of_the_starter_suite_is_solved_with_few_nodes() {
    let rows = succeeds(&["solve", support::SUITE, "--nodes", "20000", "--hash", "16", "--json", "-"]).json();
    let summary = rows.last().expect("a summary");
    let count = |name: &str| summary[name].as_u64().expect(name);
    assert!(2 * count("solved") >= count("positions"), "{summary}");
}
