//! `quarterply bench` from the outside.

use crate::support::{file, quarterply, refused, succeeds};

/// The nodes in a last line `N nodes M nps`.
fn nodes(out: &str) -> u64 {
    let last = out.lines().last().expect("a last line");
    match last.split(' ').collect::<Vec<_>>()[..] {
        [nodes, "nodes", speed, "nps"] if speed.parse::<u64>().is_ok() => nodes.parse().expect("a count"),
        _ => panic!("{last}"),
    }
}

#[test]
fn the_signature_repeats_and_follows_the_parameters() {
    let bench = |extra: &[&str]| {
        let run = succeeds(&[&["bench", "5"], extra].concat());
        nodes(&run.out)
    };
    let first = bench(&[]);
    assert_eq!(first, bench(&[]));
    assert_ne!(first, bench(&["--set", "null_move.on=false"]));
    assert_ne!(first, bench(&["--profile", "classic"]));
}

#[test]
fn quiet_leaves_the_last_line_only() {
    assert_eq!(quarterply(&["bench", "2", "--quiet"]).out.lines().count(), 1);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_folder, profile) = file("bad.toml", b"[no_such_rule]\non = true\n");
    for (arguments, needle) in [
        (vec!["bench", "--profile", &profile], "bad.toml:1: no rule is named `no_such_rule`"),
        (vec!["bench", "0"], "0"),
        (vec!["bench", "deep"], "deep"),
        (vec!["bench", "--set", "nothing=1"], "no parameter is named `nothing`"),
    ] {
        refused(&arguments, needle);
    }
}
