//! `quarterply compare` from the outside.

use crate::support::{file, has_text, refused, succeeds};

fn line(id: usize, solved: bool, stable: u64) -> String {
    format!(
        r#"{{"suite":"s","id":"p{id}","fen":"f","solved":{solved},"move":"e2e4","nodes_first":1,"nodes_stable":{stable},"nodes":9,"depth":1,"ms":0}}"#
    ) + "\n"
}

#[test]
fn changes_are_listed_and_tested() {
    // Ten positions need half the nodes, one is newly solved among them, one is newly lost.
    let before: String = (0..12).map(|id| line(id, id != 3, 1000)).collect();
    let after: String = (0..12).map(|id| line(id, id != 11, if id < 10 { 500 } else { 1000 })).collect();
    let (_a, a) = file("a.json", before.as_bytes());
    let (_b, b) = file("b.json", after.as_bytes());
    succeeds(&["compare", &a, &b]).shows(&[
        "newly solved: 1",
        "newly lost: 1",
        "12 000",
        "7 000",
        "-41.7 %",
        "10 fewer, 0 more",
        "p = 0.0020",
        "x 0.561",
    ]);
}

/// With a position added as the first of a suite without names, each position was compared with the one before it.
#[test]
fn a_position_added_to_a_suite_leaves_the_pairs_as_they_are() {
    let row = |number: usize, position: usize| {
        line(0, true, 1000 * position as u64)
            .replace("\"id\":\"p0\"", &format!("\"id\":\"s:{number}\""))
            .replace("\"fen\":\"f\"", &format!("\"fen\":\"f{position}\""))
    };
    let before: String = (1..=3).map(|number| row(number, number)).collect();
    let after: String = row(1, 9) + &(1..=3).map(|number| row(number + 1, number)).collect::<String>();
    let (_a, a) = file("a.json", before.as_bytes());
    let (_b, b) = file("b.json", after.as_bytes());
    succeeds(&["compare", &a, &b]).shows(&["0 fewer, 0 more"]).says(&["left out 1 position that only", "b.json"]);
}

/// Unsolved positions cost the limit: with ten times the nodes, all of them became ten times as hard.
#[test]
fn runs_with_other_limits_are_compared_with_a_warning() {
    let summary = |nodes: u64| {
        let sums = r#""positions":2,"solved":1,"nodes_first_total":2,"nodes_stable_total":2,"nodes_total":2,"ms":0"#;
        format!(r#"{{"summary":true,"suite":"s",{sums},"conditions":{{"nodes":{nodes},"stop":"at-limit"}}}}"#)
    };
    let run = |nodes: u64, end: &str| line(1, true, 5) + &line(2, false, nodes) + end;
    for (first, second, warning) in [
        (run(100, &summary(100)), run(1000, &summary(1000)), "100 nodes in"),
        (run(100, ""), run(1000, ""), "1 position is unsolved in both files with different costs"),
    ] {
        let (_a, a) = file("a.json", first.as_bytes());
        let (_b, b) = file("b.json", second.as_bytes());
        succeeds(&["compare", &a, &b]).says(&[warning, "are not comparable"]);
        let same = succeeds(&["compare", &a, &a]);
        assert!(!has_text(&same.err, "warning"), "{}", same.err);
    }
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, good) = file("good.json", line(1, true, 5).as_bytes());
    let (_b, cut) = file("cut.json", &line(1, true, 5).as_bytes()[..50]);
    let (_c, empty) = file("empty.json", b"");
    let (_d, binary) = file("binary.json", b"\xff\xfe\x00");
    let (_e, other) = file("other.json", line(2, true, 5).as_bytes());
    for (second, needle) in [
        ("/no/such.json", "cannot read /no/such.json: "),
        (&cut, "cut.json:1:"),
        (&cut, "cut off"),
        (&empty, "it contains no result"),
        (&binary, "not a text file"),
        (&other, "no position in common"),
    ] {
        refused(&["compare", &good, second], needle);
    }
    for [flag, value] in [["--profile", "nosuch"], ["--set", "null_move.on=false"]] {
        refused(&["compare", &good, &good, flag, value], "--set: results are compared without a search");
    }
}
