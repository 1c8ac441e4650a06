//! `quarterply bench` from the outside.

use crate::support::{assert_texts, file, program, quarterply, refused, succeeds, words};

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
    let bench = |more: &str| nodes(&succeeds(&words!("bench 5 {more}")).out);
    let first = bench("");
    assert_eq!(first, bench(""));
    assert_ne!(first, bench("--set null_move.on=false"));
    assert_ne!(first, bench("--profile classic"));
}

#[test]
fn quiet_leaves_the_last_line_only() {
    assert_eq!(quarterply(&["bench", "2", "--quiet"]).out.lines().count(), 1);
}

/// Another level than the requested one measures another speed.
#[test]
fn a_vector_level_that_the_machine_lacks_is_reported_by_any_command() {
    let said = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(program());
        let output = command.env("QUARTERPLY_VECTOR", "mmx").args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for arguments in [&["bench", "2"][..], &["eval"]] {
        assert_texts(&said(arguments), &["QUARTERPLY_VECTOR: this machine has", "not `mmx`"]);
    }
    assert_eq!(said(&["bench", "2", "--quiet"]), "");
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_folder, profile) = file("bad.toml", b"[no_such_rule]\non = true\n");
    for (arguments, needle) in [
        (vec!["bench", "--profile", &profile], "bad.toml:1: no rule is named `no_such_rule`"),
        (vec!["bench", "0"], "0"),
        (vec!["bench", "deep"], "deep"),
        (vec!["bench", "--set", "nothing=1"], "no parameter is named `nothing`"),
        (vec!["bench", "2", "--workers", "2"], "cannot use --workers or --seed"),
        (vec!["eval", "--seed", "7"], "cannot use --workers or --seed"),
    ] {
        refused(&arguments, needle);
    }
}
