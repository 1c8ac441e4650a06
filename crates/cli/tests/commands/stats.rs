//! `quarterply stats` from the outside.

use crate::support::{contents, file, has_text, quarterply, refused, succeeds, words};

/// The last line of the JSON of a run with these arguments.
fn summary(order: &str) -> serde_json::Value {
    succeeds(&words!("stats --json - --quiet {order}")).json().pop().expect("a line")
}

#[test]
fn the_bench_is_searched_as_bench_does() {
    let bench = quarterply(&["bench", "6", "--quiet"]);
    let nodes: u64 = bench.out.split(' ').next().and_then(|nodes| nodes.parse().ok()).expect("a count");
    for audit in ["0", "2%"] {
        let summary = summary(&format!("--depth 6 --audit {audit}"));
        assert_eq!(summary["census"]["nodes"], nodes, "audit {audit}");
        assert_eq!(summary["census"]["audit_nodes"] == 0, audit == "0");
    }
}

#[test]
fn tables_keep_to_eighty_columns_and_a_page_is_written() {
    let (folder, suite) =
        file("s.epd", b"4k3/8/8/8/8/8/4P3/4K3 w - - bm Kd1;\nr3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"two\";\n");
    let page = folder.path().join("stats.html");
    let arguments = words!("stats --suite {suite} --nodes 5k --page {} --profile falcon", page.display());
    let run = succeeds(&arguments);
    assert!(run.out.contains("Which move cuts") && run.out.contains("falcon"), "{}", run.out);
    let wide = run.out.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    assert!(contents(page).contains("Where lines end"));
    refused(&arguments, "--overwrite");
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_folder, bad) = file("bad.epd", b"nonsense\n");
    for (arguments, needle) in [
        (vec!["stats", "--suite", &bad], "bad.epd"),
        (vec!["stats", "--suite", "none.epd"], "none.epd"),
        (vec!["stats", "--audit", "2"], "`2` is not a valid share"),
        (vec!["stats", "--nodes", "0"], "0"),
        (vec!["stats", "--hash", "33554433"], "give a whole number from 0 to 33554432"),
        (vec!["stats", "--depth", "deep"], "deep"),
        (vec!["stats", "--profile", "nobody"], "nobody"),
        (vec!["stats", "--set", "futility.on=7"], "futility.on"),
    ] {
        refused(&arguments, needle);
    }
}

#[test]
fn an_invalid_position_is_named_and_the_others_are_searched() {
    let (_folder, suite) = file("s.epd", b"4k3/8/8/8/8/8/4P3/4K3 w - -\nnonsense\n");
    let run = quarterply(&["stats", "--suite", &suite, "--depth", "3"]).ends(1);
    assert!(has_text(&run.err, "s.epd:2") && run.out.contains("Where lines end"), "{}{}", run.err, run.out);
}
