//! Help texts from the outside: every option is listed under the heading of its group, and texts use the names of the placeholders.

use crate::support::{has_text, succeeds};

/// Methods of `tune`, each with one of its options.
const METHODS: [(&str, &str); 5] =
    [("ga", "population"), ("gradient", "delta"), ("spsa", "batch"), ("cmaes", "sigma"), ("random", "steps")];

/// Names of the options under a heading of a long help text.
fn options(help: &str, heading: &str) -> Vec<String> {
    let heading = format!("{heading}:");
    let section = help.lines().skip_while(|line| **line != heading).skip(1);
    // A section ends with the next line that is not indented.
    let section = section.take_while(|line| line.is_empty() || line.starts_with(' '));
    let names = section.filter_map(|line| line.strip_prefix("      --"));
    names.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn options_are_listed_under_the_heading_of_their_group() {
    for (method, option) in METHODS {
        let help = succeeds(&["tune", method, "--help"]).out;
        assert_eq!(options(&help, "Execution"), ["nats", "tasks"], "{help}");
        assert!(options(&help, "Options").iter().any(|name| name == option), "{help}");
    }
    for (command, option) in [
        (&[][..], "show-parameters"),
        (&["datagen"], "background"),
        (&["datagen", "resume"], "accept-new-program"),
        (&["train"], "skip-damaged"),
        (&["worker"], "cache"),
    ] {
        let help = succeeds(&[command, &["--help"]].concat()).out;
        assert!(options(&help, "Options").iter().any(|name| name == option), "{command:?} {option}: {help}");
    }
}

#[test]
fn the_short_help_of_a_tuning_method_shows_its_options() {
    for (method, option) in METHODS {
        let help = succeeds(&["tune", method, "-h"]).out;
        assert!(help.contains(&format!("--{option} <")), "{help}");
        assert!(!help.contains("--nats"), "{help}");
    }
}

#[test]
fn help_texts_use_the_names_of_their_placeholders() {
    for (command, text) in [
        (&["perft"][..], "with --suite the maximum length [default with --suite: 5]"),
        (&["bench"], "to depth DEPTH, in plies"),
        (&["match"], "Search SECONDS seconds per move"),
        (&["solve"], "after SECONDS; it has 5 s more to answer `stop`"),
        (&["tune", "ga"], "Search SECONDS seconds per move in games"),
        (&["worker"], "Write the outcome of --task to FILE"),
        (&["learn", "eval"], "--score-max <CP>"),
        (&["window", "search"], "--hash <MB>"),
        (&["window", "bets"], "--hash <MB>"),
        (&["window", "review"], "--hash <MB>"),
    ] {
        let help = succeeds(&[command, &["--help"]].concat()).out;
        assert!(has_text(&help, text), "{command:?} without `{text}`\n{help}");
    }
}

#[test]
fn the_example_of_completions_replaces_no_file_of_the_user() {
    let help = succeeds(&["completions", "--help"]).out;
    assert!(has_text(&help, "> ~/.local/share/bash-completion/completions/quarterply"), "{help}");
}
