//! `quarterply tune` on games of another engine: limits of moves, and games lost by faults.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{
    CommandOutput, SUITE, contents, folder, has_text, json_value, program, quarterply, refused, succeeds, words,
};

/// A program whose commands pass through this filter on their way to the engine.
fn engine(path: &str, filter: &str) {
    fs::write(path, format!("#!/bin/sh\n{filter} | {}\n", program())).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Tuning one option of an engine in iterations of a pair of games, and a check in one.
fn tuned(engine: &str, out: &str, more: &str) -> Vec<String> {
    let games = "--batch 1 --pairs 1 --checks 1 --openings 2 --match-pairs 0 --hash 1 --nodes 1 --workers 1";
    words!("tune spsa --engine {engine} --params null_move.base {games} --holdout {SUITE} --out {out} {more}")
}

fn plan(folder: &str) -> String {
    contents(Path::new(folder).join("run.toml"))
}

#[test]
fn wrong_limits_are_refused() {
    let (_home, path) = folder();
    let (program, out) = (path("engine.sh"), path("run"));
    engine(&program, "cat");
    for (limit, needle) in [
        ("--tc 1+0 --depth 3", "cannot be used with"),
        ("--movetime 1 --move-nodes 9", "cannot be used with"),
        ("--tc x", "such as 1+0.01"),
        ("--movetime 0", "such as 0.1"),
        ("--depth 0", "1"),
    ] {
        refused(&tuned(&program, &out, &format!("--iterations 1 {limit}")), needle);
    }
    assert!(!Path::new(&out).exists());
    succeeds(&tuned(&program, &out, "--iterations 1 --depth 1"));
    let file = Path::new(&out).join("run.toml");
    let good = plan(&out);
    for (from, to, needle) in [
        ("move_limit = ", "move_nodes = 5\nmove_limit = ", "either `move_nodes` or `move_limit`"),
        ("move_limit = \"depth=1\"\n", "", "either `move_nodes` or `move_limit`"),
        ("depth=1", "depth=none", "`depth=none` is not a valid pace"),
    ] {
        fs::write(&file, good.replace(from, to)).expect("written");
        refused(&["tune", "resume", &out], needle);
    }
}

/// The faults that `tune show` knows.
fn faults(folder: &str, json: &str) -> Vec<serde_json::Value> {
    succeeds(&["tune", "show", folder, "--json", json, "--overwrite"]);
    json_value(&contents(json))["progress"]["faults"].as_array().cloned().unwrap_or_default()
}

#[test]
fn one_faulty_game_is_a_loss_and_the_run_continues() {
    let (_home, path) = folder();
    let (program, out) = (path("engine.sh"), path("run"));
    // The first process that receives `go` ends, together with its filter; a filter that went on would hold the output open, and the
    // match would wait for a timeout.
    let once = path("once");
    let first = format!("if [ ! -e {once} ] && mkdir {once} 2>/dev/null; then exit; else echo \"$l\"; fi");
    engine(&program, &format!("while IFS= read -r l; do case $l in go*) {first};; *) echo \"$l\";; esac; done"));
    let run = succeeds(&tuned(&program, &out, "--iterations 1 --move-nodes 30"));
    run.says(&[
        "fault 1 (limit 5): the candidate lost a game by ",
        "null_move.base = ",
        "--move-nodes 30 may be too few",
    ]);
    assert!(!has_text(&run.err, "fault 2 ("), "{}", run.err);
    run.shows(&["1 game was lost by faults, and counted as lost:"]);
    let found = faults(&out, &path("shown.jsonl"));
    let fault = &found[0];
    assert_eq!((found.len(), &fault["by"]), (1, &"candidate".into()), "{found:?}");
    assert!(fault["position"].as_str().is_some_and(|fen| fen.split(' ').count() == 6), "{fault}");
    // The candidate lost that game: of the first pair it has at most the half points of the other.
    let journal = contents(Path::new(&out).join("journal.jsonl"));
    let pair = journal.lines().find(|line| line.contains("\"pairs\"")).expect("a pair");
    let first = json_value(pair);
    assert!(first["half_points"][0].as_u64().is_some_and(|points| points <= 2), "{first}");
    let page = contents(Path::new(&out).join("report.html"));
    assert!(page.contains("games lost by faults"));
}

#[test]
fn many_faults_end_a_run_that_can_be_continued() {
    let (_home, path) = folder();
    let (program, out, json) = (path("engine.sh"), path("run"), path("shown.jsonl"));
    engine(&program, "sed -u '/^go/Q'");
    let stopped = |run: &CommandOutput, count: &str, next: &str| {
        assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
        let message = format!("cannot continue tuning: {count} games were lost by faults, the last one because the ");
        let remedy = format!("tune resume --faults {next}`");
        let remedies = [message.as_str(), "repair the engine", "narrow --params", remedy.as_str()];
        assert!(remedies.iter().all(|needle| has_text(&run.err, needle)), "{}", run.err);
    };
    stopped(&quarterply(&tuned(&program, &out, "--iterations 2 --move-nodes 30 --faults 3")), "4", "9");
    let first = faults(&out, &json);
    assert_eq!(first.len(), 4, "{first:?}");
    // Nothing more is played before more faults are allowed.
    stopped(&quarterply(&["tune", "resume", &out]), "4", "9");
    assert_eq!(faults(&out, &json), first);
    // A repaired engine finishes the run, and the faults stay in its results.
    engine(&program, "cat");
    succeeds(&["tune", "resume", &out, "--faults", "5"])
        .says(&["engine.sh` has changed since the run began (SHA-256 "]);
    assert_eq!(faults(&out, &json), first);
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn games_are_limited_like_those_of_a_match() {
        let (_home, path) = folder();
        let (program, log) = (path("engine.sh"), path("log"));
        engine(&program, &format!("tee -a {log}"));
        for (number, (limit, recorded, go)) in (1..).zip([
            ("--tc 0.1+0.001", "move_limit = \"0.1+0.001\"", "go wtime 100 btime 100 winc 1 binc 1"),
            ("--movetime 0.001", "move_limit = \"movetime=0.001\"", "go movetime 1"),
            ("--depth 1", "move_limit = \"depth=1\"", "go depth 1"),
            ("--move-nodes 30", "move_nodes = 30", "go nodes 30"),
        ]) {
            let out = path(&format!("run-{number}"));
            // A busy machine takes longer for some moves.
            succeeds(&tuned(&program, &out, &format!("--iterations 1 {limit} --faults 1000")));
            let sent = contents(&log);
            assert!(sent.lines().any(|line| line.trim_end() == go), "{go}\n{sent}");
            let plan = plan(&out);
            assert!(plan.contains(recorded) && plan.contains("faults = 1000"), "{plan}");
            // A run that goes on has the same limit: games that are missing are played with it again.
            let journal = Path::new(&out).join("journal.jsonl");
            let lines = contents(&journal);
            let first = lines.lines().take_while(|line| !line.contains("\"pairs\"")).map(|line| format!("{line}\n"));
            fs::write(&journal, first.collect::<String>()).expect("written");
            fs::remove_file(&log).expect("a log");
            succeeds(&["tune", "resume", &out]);
            let sent = contents(&log);
            assert!(sent.lines().any(|line| line.trim_end() == go), "{go}\n{sent}");
            fs::remove_file(&log).expect("a log");
        }
    }
}
