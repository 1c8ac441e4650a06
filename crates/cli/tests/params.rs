//! `quarterply params` from the outside.

mod support;

use support::{file, quarterply, says};

#[test]
fn every_form_lists_the_parameter() {
    for (format, needle) in [
        ("table", "null_move.base"),
        ("json", "\"name\": \"null_move.base\""),
        ("toml", "[null_move]"),
        ("markdown", "## `null_move`"),
        ("openbench", "null_move.base, int, "),
        ("fishtest", "null_move.base,"),
        ("weather-factory", "\"null_move.base\": {"),
        ("ctt", "\"null_move.base\": \"Integer("),
    ] {
        let run = quarterply(&["params", "--format", format]);
        assert_eq!(run.code, Some(0), "{format} {}", run.err);
        assert!(run.out.contains(needle), "{format}\n{}", run.out);
    }
}

#[test]
fn the_toml_form_is_a_profile() {
    let run = quarterply(&["params", "--format", "toml", "--set", "null_move.on=false"]);
    let (_folder, profile) = file("mine.toml", run.out.as_bytes());
    let again = quarterply(&["params", "--format", "toml", "--profile", &profile]);
    assert_eq!(again.out, run.out);
    assert!(run.out.contains("on = false"), "{}", run.out);
}

#[test]
fn a_selection_is_shown_alone() {
    let run = quarterply(&["params", "null_move.base", "--format", "fishtest"]);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, empty) = file("empty.toml", b"");
    let (_b, binary) = file("binary.toml", b"\xff\x00");
    let (_c, cut) = file("cut.toml", b"[null_move]\r\non = tr");
    for (arguments, needle) in [
        (vec!["params", "no_such_rule"], "no rule or parameter is named `no_such_rule`"),
        (vec!["params", "--format", "xml"], "xml"),
        (vec!["params", "--set", "null_move.base"], "sets nothing"),
        (vec!["params", "--profile", "/no/such.toml"], "/no/such.toml: cannot be read"),
        (vec!["params", "--profile", &empty], "empty.toml: empty"),
        (vec!["params", "--profile", &binary], "binary.toml:1: not a text file"),
        (vec!["params", "--profile", &cut], "cut.toml:2: no TOML"),
    ] {
        let run = quarterply(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}\n{}", run.err);
        assert!(says(&run.err, needle), "{arguments:?}\n{}", run.err);
    }
}
