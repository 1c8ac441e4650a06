//! Progress of long commands where stderr is not a terminal: a line at intervals, and nothing with `--quiet`.

use std::path::Path;
use std::process::Command;

use crate::support::{contents, folder, program, succeeds};

/// Seconds between two lines, instead of 30.
const INTERVAL: (&str, &str) = ("QUARTERPLY_PROGRESS", "0.001");
const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/suites/quarterply-24.epd");
/// 2226 games: enough that reading them takes longer than the shortest time between two lines.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/games/202611281917.games");

const PLAY: [&str; 7] = ["datagen", "--games", "40", "--nodes", "40", "--bench-depth", "1"];

/// Runs a command that ends with exit code 0, and returns what it wrote to stderr.
#[track_caller]
fn stderr_of(arguments: &[&str]) -> String {
    let output = Command::new(program()).args(arguments).env(INTERVAL.0, INTERVAL.1).output().expect("the binary runs");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{arguments:?}\n{text}");
    text
}

#[test]
fn every_long_command_writes_lines() {
    let (_home, path) = folder();
    let (games, tuned, net) = (path("games"), path("tuned"), path("net"));
    let tune =
        "tune random --params network.tempo --suite SUITE --nodes 300 --hash 1 --steps 2 --match-pairs 0 --out TUNED";
    let mining = "mine --seed 3 --games 12 --play-nodes 60 --shallow-nodes 60 --nodes 3000 --verify-nodes 6000";
    for (line, start) in [
        (format!("{} --out OUT", PLAY.join(" ")).as_str(), "datagen "),
        ("match --nodes 100 --games 4 --hash 1 --player default --player classic", "match "),
        ("solve SUITE --nodes 2000 --hash 1", "quarterply-24 "),
        ("ablate SUITE --nodes 300 --without=probcut", "settings "),
        ("ablate --staged --games 40 --game-nodes 60 --without=probcut --width 120", "games "),
        (&format!("{mining} --set EvalFile=<classical>"), "games "),
        (tune, "step 1/2, candidate "),
        ("learn wdl GAMES", "games "),
        ("train GAMES --out NET --passes 1 --hidden 32 --holdout-share 0.2", "train "),
    ] {
        let files = [("SUITE", SUITE), ("GAMES", GAMES), ("OUT", &games), ("TUNED", &tuned), ("NET", &net)];
        let path = |word: &str| files.iter().find(|(name, _)| *name == word).map(|(_, path)| *path);
        let text = stderr_of(&line.split(' ').map(|word| path(word).unwrap_or(word)).collect::<Vec<_>>());
        let found = text.lines().find(|text| text.starts_with(start) && text.bytes().any(|byte| byte.is_ascii_digit()));
        assert!(found.is_some(), "{line} without a line `{start}`\n{text}");
        assert!(!text.contains(['\r', '\u{1b}', '█', '░']), "{line}\n{text}");
    }
    // Games that are searched again have an end, which is known at the start.
    for (command, nodes) in [("relabel", "200"), ("sample", "2000")] {
        let text =
            stderr_of(&["datagen", command, &games, "--nodes", nodes, "--bench-depth", "1", "--out", &path(command)]);
        let lines = text.lines().filter_map(|line| line.strip_prefix("datagen ")?.split_once(" %"));
        let shares: Vec<u32> = lines.filter_map(|(share, _)| share.parse().ok()).collect();
        assert!(shares.iter().any(|share| (5..=100).contains(share)), "{command}: {shares:?}\n{text}");
    }
    let quiet = path("quiet");
    let stderr = stderr_of(&[&PLAY[..], &["--out", &quiet, "--quiet"]].concat());
    assert_eq!(stderr, "");
}

/// The run of two seconds: two iterations of three with a check, and a value that can move far.
fn small(out: &str) -> Vec<&str> {
    let sizes =
        "--iterations 3 --checks 3 --batch 2 --pairs 3 --openings 4 --match-pairs 0 --move-nodes 60 --r-end 0.5";
    let mut arguments = vec!["tune", "spsa", "--params", "network.tempo"];
    arguments.extend(sizes.split(' '));
    arguments.extend(["--hash", "1", "--holdout", SUITE, "--nodes", "100", "--workers", "1", "--out", out]);
    arguments
}

#[test]
fn tuning_on_games_reports_progress() {
    let (_home, path) = folder();
    let out = path("run");
    let text = stderr_of(&small(&out));
    for needle in ["iteration 2/3, candidate ", " pairs of games played, ", "network.tempo ", "(start 0)", " to go"] {
        let is_reported = text.lines().any(|line| line.starts_with("iteration ") && line.contains(needle));
        assert!(is_reported, "{needle}\n{text}");
    }
    assert!(text.contains("; gain ") && text.contains(" Elo in 3 pairs at iteration 1"), "{text}");
    // The journal up to a line is what a killed run leaves behind.
    let journal = Path::new(&out).join("journal.jsonl");
    let lines = contents(&journal);
    let pairs = lines.match_indices("\"pairs\"").map(|(at, _)| at).collect::<Vec<_>>();
    let end = pairs[pairs.len() - 2] - "{\"record\":".len();
    std::fs::write(&journal, &lines[..end]).expect("written");
    let shown = succeeds(&["tune", "show", &out, "--json", &path("shown.jsonl")]);
    for needle in ["iteration 2 of 3, ", " pairs of games played", "moved most: network.tempo ", "running time "] {
        assert!(shown.out.contains(needle), "{needle}\n{}", shown.out);
    }
    let remedy = format!("no process is working on the run; continue with `quarterply tune resume {out}`");
    assert!(shown.out.contains(&remedy) && shown.out.contains(" Elo in 3 pairs at iteration 2"), "{}", shown.out);
    let report = contents(path("shown.jsonl"));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["progress"]["iteration"], &report["progress"]["iterations"]), (&2.into(), &3.into()));
    // A finished run says what came of it instead.
    succeeds(&["tune", "resume", &out, "--quiet"]);
    assert!(!succeeds(&["tune", "show", &out]).out.contains("moved most"));
}
