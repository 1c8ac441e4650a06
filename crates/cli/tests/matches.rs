//! Matches from outside.

mod support;

use serde_json::Value;
use support::{quarterply, says};
use tempfile::TempDir;

/// A quick match between two profiles.
const QUICK: [&str; 9] = ["match", "--player", "default", "--player", "classic", "--nodes", "200", "--hash", "1"];

/// A folder and a path in it.
fn place(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("a path in UTF-8").to_owned()
}

fn play(extra: &[&str]) -> support::Run {
    quarterply(&[&QUICK[..], extra].concat())
}

/// Times differ from run to run: everything else of a journal or a PGN.
fn timeless(path: &str) -> String {
    let text = std::fs::read_to_string(path).expect("a result");
    let times = |word: &str| word.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    let mut kept = String::new();
    for line in text.lines() {
        let fields = line.split(',').filter(|field| !field.starts_with("\"search_us\""));
        let line: Vec<&str> = fields.collect();
        let line = line.join(",");
        let words: Vec<&str> = line.split_whitespace().filter(|word| !times(word)).collect();
        kept += &words.join(" ");
        kept.push(' ');
    }
    kept
}

#[test]
fn a_match_ends_with_a_table_a_journal_and_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, pgn) = (place(&folder, "out.jsonl"), place(&folder, "out.pgn"));
    let run = play(&["--games", "6", "--json", &json, "--pgn", &pgn, "--concurrency", "2"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.out, run.err);
    for needle in ["default", "classic", "pairs with 0, ½, 1, 1½, 2 points", "complete: 6 games", "games per hour"] {
        assert!(says(&run.out, needle), "{needle}\n{}", run.out);
    }
    let lines: Vec<Value> = std::fs::read_to_string(&json)
        .expect("the journal")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0]["players"][1]["spec"], &lines[0]["hash"]), (&Value::from("classic"), &Value::from(1)));
    assert_eq!((&lines[4]["summary"], &lines[4]["games"]), (&Value::from(true), &Value::from(6)));
    let games = std::fs::read_to_string(&pgn).expect("the games");
    let numbers: Vec<&str> = games.lines().filter(|line| line.starts_with("[Round ")).collect();
    assert_eq!(numbers.len(), 6);
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn json_can_go_to_stdout() {
    let run = play(&["--games", "2", "--json", "-", "--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &lines[0]["pair"], &lines[1]["summary"]), (2, &Value::from(1), &Value::from(true)));
    assert!(says(&run.err, "complete: 2 games"), "{}", run.err);
}

#[test]
fn a_match_goes_on_where_it_was_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| place(&folder, name);
    let (whole, whole_pgn) = (file("whole.jsonl"), file("whole.pgn"));
    let run = play(&["--games", "8", "--json", &whole, "--pgn", &whole_pgn]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let journal = std::fs::read(&whole).expect("the journal");
    let games = std::fs::read(&whole_pgn).expect("the games");
    let (json, pgn) = (file("cut.jsonl"), file("cut.pgn"));
    // In the middle of the third line, which is the second pair; the games are a little behind or ahead.
    let second = journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).expect("two lines").0;
    for games_share in [4, 2] {
        std::fs::write(&json, &journal[..second + 300]).expect("cut");
        std::fs::write(&pgn, &games[..games.len() / games_share]).expect("cut");
        let run = play(&["--games", "8", "--json", &json, "--pgn", &pgn, "--resume", "--concurrency", "2"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(says(&run.err, "the last line was cut off in the middle"), "{}", run.err);
        assert!(says(&run.err, "going on: 1 of 4 pairs"), "{}", run.err);
        assert_eq!(timeless(&pgn), timeless(&whole_pgn));
    }
    let run = play(&["--games", "8", "--json", &json, "--pgn", &pgn, "--resume"]);
    assert!(
        says(&run.err, "going on: 4 of 4 pairs") && says(&run.out, "complete: 8 games"),
        "{}\n{}",
        run.err,
        run.out
    );
}

#[test]
fn results_are_never_lost_by_accident() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, pgn) = (place(&folder, "out.jsonl"), place(&folder, "out.pgn"));
    let with = |extra: &[&str]| play(&[&["--games", "2", "--json", &json, "--pgn", &pgn], extra].concat());
    assert_eq!(with(&[]).code, Some(0));
    let before = std::fs::read(&json).expect("the journal");
    for (extra, needle) in [
        (vec![], "holds results already; go on with --resume, replace them with --overwrite"),
        (vec!["--resume", "--hash", "2"], "--hash: 1 then, 2 now"),
        (vec!["--resume", "--seed", "9"], "--seed: 1 then, 9 now"),
        (vec!["--resume", "--player", "falcon"], "--player"),
        (vec!["--resume", "--format", "round-robin"], "--format"),
    ] {
        // A flag that is given twice is refused by the command line itself, except for --player.
        let words: Vec<&str> = extra.iter().copied().collect();
        let run = if words.contains(&"--hash") {
            let mut all: Vec<&str> = QUICK[..7].to_vec();
            all.extend(["--games", "2", "--json", &json, "--pgn", &pgn]);
            all.extend(&words);
            quarterply(&all)
        } else {
            with(&words)
        };
        assert_eq!(run.code, Some(2), "{extra:?}\n{}", run.err);
        assert!(says(&run.err, needle), "{extra:?}\n{}", run.err);
        assert_eq!(std::fs::read(&json).expect("the journal"), before, "{extra:?}");
    }
    assert_eq!(with(&["--overwrite"]).code, Some(0));
}

#[test]
fn more_games_can_be_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = place(&folder, "out.jsonl");
    assert_eq!(play(&["--games", "2", "--json", &json]).code, Some(0));
    let run = play(&["--games", "4", "--json", &json, "--resume"]);
    assert!(says(&run.err, "begun with --games 2, goes on to 4"), "{}", run.err);
    assert!(says(&run.out, "complete: 4 games"), "{}", run.out);
}

#[test]
fn a_test_ends_a_match() {
    let run = play(&["--games", "400", "--sprt", "elo0=-400 elo1=0 alpha=0.2 beta=0.2", "--concurrency", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(says(&run.out, "decided after") && says(&run.out, "H1 accepted: default - classic"), "{}", run.out);
}

#[test]
fn many_players_get_two_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = place(&folder, "out.jsonl");
    let arguments = ["--player", "classic", "--format", "round-robin", "--games", "2", "--json", &json];
    let run = play(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for needle in ["classic 2", "default - classic 2", "classic - classic 2", "complete: 6 games", "rating"] {
        assert!(says(&run.out, needle), "{needle}\n{}", run.out);
    }
}

#[test]
fn useless_input_is_refused_with_code_2() {
    for (arguments, needle) in [
        (vec!["match"], "--player"),
        (vec!["match", "--player", "default"], "a match needs two or more players, and there are 1"),
        (vec!["match", "--player", "default", "--player", "defalt"], "did you mean `default`?"),
        (vec!["match", "--player", "default", "--player", "cmd:/no/such/engine"], "no program `/no/such/engine`"),
        (vec!["match", "--player", "default", "--player", "default", "--games", "5"], "4 or 6"),
        (vec!["match", "--player", "default", "--player", "default", "--tc", "fast"], "`fast` is no time control"),
        (
            vec!["match", "--player", "default", "--player", "default", "--nodes", "9", "--depth", "2"],
            "cannot be used with",
        ),
        (vec!["match", "--player", "default", "--player", "default", "--format", "swiss"], "`swiss` is no format"),
        (vec!["match", "--player", "default", "--player", "default", "--sprt", "elo0=5 elo1=0"], "elo0"),
        (vec!["match", "--player", "default", "--player", "default", "--resume"], "--resume needs the journal"),
        (vec!["match", "--player", "default", "--player", "default", "--set", "null_move.on=false"], "--player"),
        (vec!["match", "--player", "default", "--player", "default", "--openings", "/no/such.epd"], "/no/such.epd"),
        (
            vec!["match", "--player", "default", "--player", "default", "--nodes", "9", "--json", "/no/such/x.jsonl"],
            "/no/such/x.jsonl: cannot be opened",
        ),
    ] {
        let run = quarterply(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}\n{}", run.err);
        assert!(says(&run.err, needle), "{arguments:?}\n{}", run.err);
    }
}

#[test]
fn every_flag_is_explained_with_an_example() {
    let run = quarterply(&["match", "--help"]);
    let blocks: Vec<&str> = run.out.split("\n      --").skip(1).collect();
    for flag in [
        "player",
        "format",
        "games",
        "tc",
        "nodes",
        "depth",
        "margin",
        "hash",
        "threads",
        "overhead",
        "syzygy",
        "openings",
        "opening-order",
        "opening-start",
        "opening-plies",
        "chess960",
        "concurrency",
        "sprt",
        "adjudicate-score",
        "adjudicate-draw",
        "adjudicate-syzygy",
        "pgn",
        "resume",
        "overwrite",
    ] {
        let block = blocks
            .iter()
            .find(|block| block.starts_with(&format!("{flag} ")) || block.starts_with(&format!("{flag}\n")));
        assert!(block.is_some_and(|block| block.contains("Example")), "--{flag}\n{}", run.out);
    }
}
