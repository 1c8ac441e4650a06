//! The readers in `examples/python` understand what the program writes, and the contest in `tools/contest` runs from end to end.

use std::process::Command;

use crate::support::{file, program, quarterply};

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/read_results.py");
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/paper/summary.json");
const CONTEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/contest/run.py");
const SUITE: &[u8] = b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n";

#[test]
fn a_contest_of_hardly_any_nodes_names_and_rates_everyone() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("no python3 here: the contest is NOT tested");
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let run = || {
        let mut command = Command::new("python3");
        command.arg(CONTEST).arg("--quick").arg("--program").arg(program()).arg("--home").arg(home.path());
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(home.path().join("contest.md")).expect("the page")
    };
    let page = run();
    for name in ["textbook", "sex-two", "realization"] {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect(name);
        assert!(row.contains('[') && !row.contains("not played"), "{row}");
    }
    // What is finished is not done again.
    let games = std::fs::read(home.path().join("games.jsonl")).expect("the journal");
    assert_eq!(run(), page);
    assert_eq!(std::fs::read(home.path().join("games.jsonl")).expect("the journal"), games);
}

#[test]
fn the_python_readers_read_what_we_write() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("no python3 here: the readers are NOT tested");
        return;
    }
    let (folder, suite) = file("small.epd", SUITE);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (solved, journal, games) = (path("solve.jsonl"), path("match.jsonl"), path("games.pgn"));
    let run = quarterply(&["solve", &suite, "--nodes", "1000", "--quiet", "--json", &solved]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let players =
        ["match", "--player", "default", "--player", "classic", "--nodes", "100", "--games", "4", "--hash", "1"];
    let run = quarterply(&[&players[..], &["--quiet", "--json", &journal, "--pgn", &games]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    // A journal of a match that was killed ends in the middle of a line.
    let mut torn = std::fs::read_to_string(&journal).expect("the journal");
    torn.push_str("{\"pair\": 3, \"pla");
    std::fs::write(&journal, torn).expect("written");
    let output = Command::new("python3").arg(READER).args([&solved, &journal, &games, RUN]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("solve: 1 of 1 solved"), "{text}");
    assert!(lines[1].starts_with("match: 4 games, 0 faults: default "), "{text}");
    assert!(lines[2].starts_with("pgn: 4 games, ") && !lines[2].contains(" 0 nodes"), "{text}");
    assert!(lines[3].starts_with("tune: ") && lines[3].contains("50 steps"), "{text}");
}
