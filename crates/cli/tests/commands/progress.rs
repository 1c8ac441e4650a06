//! Progress of long commands where stderr is not a terminal: a line at intervals, and nothing with `--quiet`.

use std::path::Path;
use std::process::Command;

use crate::support::{SUITE, contents, folder, json_value, program, succeeds, words};

/// Seconds between two lines, instead of 30.
const INTERVAL: (&str, &str) = ("QUARTERPLY_PROGRESS", "0.001");
/// 2226 games: enough that reading them takes longer than the shortest time between two lines.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/games/202611281917.games");

const PLAY: &str = "datagen --games 40 --nodes 40 --bench-depth 1";

/// Runs a command that ends with exit code 0, and returns what it wrote to stderr.
#[track_caller]
fn stderr_of(arguments: &[String]) -> String {
    let output = Command::new(program()).args(arguments).env(INTERVAL.0, INTERVAL.1).output().expect("the binary runs");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{arguments:?}\n{text}");
    text
}

#[test]
fn every_long_command_writes_lines() {
    let (_home, path) = folder();
    let (games, tuned, net) = (path("games"), path("tuned"), path("net"));
    let sizes = "--nodes 300 --hash 1 --steps 2 --match-pairs 0";
    let mining = "--shallow-nodes 60 --nodes 3000 --verify-nodes 6000 --set EvalFile=<classical>";
    for (command, start) in [
        (words!("{PLAY} --out {games}"), "datagen "),
        (words!("match --nodes 100 --games 4 --hash 1 --player default --player classic"), "match "),
        (words!("solve {SUITE} --nodes 2000 --hash 1"), "quarterply-24 "),
        (words!("ablate {SUITE} --nodes 300 --without=probcut"), "settings "),
        (words!("ablate --staged --games 40 --game-nodes 60 --without=probcut --width 120"), "games "),
        (words!("mine --seed 3 --games 12 --play-nodes 60 {mining}"), "games "),
        (words!("tune random --params network.tempo --suite {SUITE} {sizes} --out {tuned}"), "step 1/2, candidate "),
        (words!("learn wdl {GAMES}"), "games "),
        (words!("train {GAMES} --out {net} --passes 1 --hidden 32 --holdout-share 0.2"), "train "),
    ] {
        let text = stderr_of(&command);
        let found = text.lines().find(|text| text.starts_with(start) && text.bytes().any(|byte| byte.is_ascii_digit()));
        assert!(found.is_some(), "{command:?} without a line `{start}`\n{text}");
        assert!(!text.contains(['\r', '\u{1b}', '█', '░']), "{command:?}\n{text}");
    }
    // Games that are searched again have an end, which is known at the start.
    for (command, nodes) in [("relabel", "200"), ("sample", "2000")] {
        let out = path(command);
        let text = stderr_of(&words!("datagen {command} {games} --nodes {nodes} --bench-depth 1 --out {out}"));
        let lines = text.lines().filter_map(|line| line.strip_prefix("datagen ")?.split_once(" %"));
        let shares: Vec<u32> = lines.filter_map(|(share, _)| share.parse().ok()).collect();
        assert!(shares.iter().any(|share| (5..=100).contains(share)), "{command}: {shares:?}\n{text}");
    }
    let quiet = path("quiet");
    let stderr = stderr_of(&words!("{PLAY} --out {quiet} --quiet"));
    assert_eq!(stderr, "");
}

#[test]
fn tuning_on_games_reports_progress() {
    let (_home, path) = folder();
    let out = path("run");
    // Two seconds: two iterations of three with a check, and a value that can move far.
    let games = "--iterations 3 --checks 3 --batch 2 --pairs 3 --openings 4 --match-pairs 0 --move-nodes 60";
    let limits = format!("--r-end 0.5 --hash 1 --holdout {SUITE} --nodes 100 --workers 1");
    let text = stderr_of(&words!("tune spsa --params network.tempo {games} {limits} --out {out}"));
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
    let report = json_value(&contents(path("shown.jsonl")));
    assert_eq!((&report["progress"]["iteration"], &report["progress"]["iterations"]), (&2.into(), &3.into()));
    // A finished run says what came of it instead.
    succeeds(&["tune", "resume", &out, "--quiet"]);
    assert!(!succeeds(&["tune", "show", &out]).out.contains("moved most"));
}
