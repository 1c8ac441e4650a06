//! Help texts from the outside: every option stands under the heading that it belongs to, and texts and placeholders name the same thing.

use crate::support::{says, succeeds};

const METHODS: [&str; 5] = ["ga", "gradient", "spsa", "cmaes", "random"];

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
fn options_of_a_tuning_method_stand_under_options() {
    for (method, option) in METHODS.into_iter().zip(["population", "delta", "batch", "sigma", "steps"]) {
        let help = succeeds(&["tune", method, "--help"]).out;
        assert_eq!(options(&help, "Execution"), ["nats", "tasks"], "{help}");
        assert!(options(&help, "Options").iter().any(|name| name == option), "{help}");
    }
}

#[test]
fn the_short_help_of_a_tuning_method_shows_its_options() {
    for (method, option) in METHODS.into_iter().zip(["population", "delta", "batch", "sigma", "steps"]) {
        let help = succeeds(&["tune", method, "-h"]).out;
        assert!(help.contains(&format!("--{option} <")), "{help}");
        assert!(!help.contains("--nats"), "{help}");
    }
}

#[test]
fn the_cache_of_a_worker_stands_under_options() {
    let help = succeeds(&["worker", "--help"]).out;
    assert_eq!(options(&help, "Results"), ["log"], "{help}");
    assert!(options(&help, "Options").iter().any(|name| name == "cache"), "{help}");
}

#[test]
fn help_texts_use_the_names_of_their_placeholders() {
    for (command, text) in [
        (&["perft"][..], "with --suite the maximum length [default with --suite: 5]"),
        (&["bench"], "to depth DEPTH, in plies"),
        (&["match"], "Search SECONDS seconds per move"),
        (&["tune", "ga"], "Search SECONDS seconds per move in games"),
        (&["worker"], "Write the outcome of --task to FILE"),
        (&["window", "search"], "--hash <MB>"),
        (&["window", "bets"], "--hash <MB>"),
        (&["window", "review"], "--hash <MB>"),
    ] {
        let help = succeeds(&[command, &["--help"]].concat()).out;
        assert!(says(&help, text), "{command:?} without `{text}`\n{help}");
    }
}

#[test]
fn the_example_of_completions_replaces_no_file_of_the_user() {
    let help = succeeds(&["completions", "--help"]).out;
    assert!(says(&help, "> ~/.local/share/bash-completion/completions/quarterply"), "{help}");
}
