//! Results are written to temporary files that are then renamed. Older results are replaced only with --overwrite, input files never.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::support::nats::wait;
#[cfg(unix)]
use crate::support::{SUITE as SUITE_24, json_lines};
use crate::support::{contents, file, folder, has_text, kill_when, program, refused, succeeds, words};

const SUITE: &str = "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n\
    4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"queen\";\n";
/// Longer than any of this takes.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Commands that write a file of results, without the flag and the file.
fn writers(suite: &str, model: &str) -> [Vec<String>; 12] {
    let play = "--nodes 60 --games 2 --hash 1 --quiet";
    [
        words!("solve {suite} --nodes 300 --quiet --json"),
        words!("ablate {suite} --nodes 100 --quiet --json"),
        words!(
            "mine --seed 11 --games 12 --play-nodes 60 --shallow-nodes 60 --nodes 3000 --verify-nodes 6000 --quiet -o"
        ),
        words!("window search --depth 2 --quiet -o"),
        words!("window model {model} --format json -o"),
        words!("match --player default --player classic {play} --json"),
        words!("match --player default --player classic {play} --pgn"),
        words!("selfplay {play} --pgn"),
        words!("bench 2 --json"),
        words!("perft 2 --json"),
        words!("params null_move --json"),
        words!("eval --json"),
    ]
}

/// `--json -` is the standard output; for files of other kinds `-` would be a strange name.
#[test]
fn a_dash_is_no_file_of_results() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let (_b, model) = file("model.json", include_bytes!("../../../../data/models/example-1.json"));
    for words in writers(&suite, &model) {
        if words.last().is_some_and(|last| last != "--json") {
            refused(&[words, vec!["-".to_owned()]].concat(), "`-`");
        }
    }
}

#[test]
fn results_are_replaced_only_with_overwrite() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let (_b, model) = file("model.json", include_bytes!("../../../../data/models/example-1.json"));
    let (folder, at) = folder();
    for (number, mut words) in writers(&suite, &model).into_iter().enumerate() {
        let path = at(&format!("{number}.txt"));
        std::fs::write(&path, "precious").expect("written");
        words.push(path.clone());
        refused(&words, "--overwrite");
        assert_eq!(contents(&path), "precious", "{words:?}");
        words.push("--overwrite".to_owned());
        succeeds(&words);
        assert!(!contents(&path).is_empty() && contents(&path) != "precious", "{words:?}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn input_files_are_never_replaced() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let (_b, profile) = file("mine.toml", b"[null_move]\non = false\n");
    let (_c, book) = file("book.epd", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n");
    let (_d, counts) = file("counts.epd", b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n");
    let (_e, engine) = file("engine", b"#!/bin/sh\n");
    let game = "match --player classic --nodes 60 --games 2 --overwrite --player";
    for (path, arguments) in [
        (&suite, words!("solve {suite} --nodes 100 --overwrite --json {suite}")),
        (&suite, words!("ablate {suite} --nodes 100 --overwrite --json {suite}")),
        (&profile, words!("solve {suite} --profile {profile} --overwrite --json {profile}")),
        (&profile, words!("{game} {profile} --pgn {profile}")),
        (&engine, words!("{game} cmd:{engine} --page {engine}")),
        (&book, words!("{game} default --openings {book} --json {book}")),
        (&counts, words!("perft 1 --suite {counts} --overwrite --json {counts}")),
    ] {
        let before = contents(path);
        let message = if arguments[0] == "match" { "the match reads this file" } else { "the same command reads it" };
        refused(&arguments, message);
        assert_eq!(contents(path), before, "{arguments:?}");
    }
}

#[test]
fn two_kinds_of_results_need_two_files() {
    let (_folder, at) = folder();
    let (path, detour) = (at("both"), at("./both"));
    for arguments in [
        vec!["match", "--player", "default", "--player", "classic", "--nodes", "60", "--json", &path, "--pgn", &detour],
        vec!["mine", "--games", "1", "-o", &path, "--holdout", &detour],
        vec!["window", "search", "--depth", "2", "--format", "text", "-o", &path, "--json", &detour],
        vec!["window", "tutorial", "-o", &path, "--json", &detour],
        vec!["stats", "--depth", "1", "--page", &path, "--json", &detour],
        vec!["learn", "eval", "nowhere", "-o", &path, "--page", &detour],
        vec!["datagen", "pack", "nowhere", "-o", &path, "--json", &detour],
        vec!["datagen", "convert", "nowhere", "--to", "viriformat", "-o", &path, "--json", &detour],
    ] {
        refused(&arguments, "cannot write two results to");
        assert!(!Path::new(&path).exists(), "{arguments:?}");
    }
}

/// `stats --page FILE | head` ended with exit code 0 and without a page.
#[test]
fn files_are_complete_also_if_the_reader_of_stdout_is_gone() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let (_b, game) = file("game.pgn", b"1. f3 e5 2. g4 Qh4# *\n");
    let (_folder, at) = folder();
    let path = at("out");
    for arguments in [
        vec!["stats", "--suite", &suite, "--nodes", "300", "--page", &path],
        vec!["window", "review", &game, "--nodes", "100", "-o", &path],
        vec!["window", "diff", "--set-second", "null_move.on=false", "--depth", "3", "-o", &path],
        vec!["solve", &suite, "--nodes", "300", "--json", &path],
        vec!["bench", "2", "--json", &path],
        vec!["window", "search", "--depth", "2", "--json", &path],
    ] {
        std::fs::write(&path, "old").expect("written");
        let mut command = Command::new(program());
        command.args(&arguments).arg("--overwrite").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        assert!(child.wait().expect("a child").success(), "{arguments:?}");
        let text = contents(&path);
        let is_whole = ["<html", "\"summary\":true", "\"ply\":0"].iter().any(|mark| text.contains(mark));
        assert!(is_whole, "{arguments:?}: {text}");
    }
}

#[test]
fn a_killed_second_run_leaves_the_results_of_the_first() {
    let (folder, at) = folder();
    let (suite, path) = (at("small.epd"), at("out.jsonl"));
    std::fs::write(&suite, SUITE.repeat(40)).expect("written");
    succeeds(&["solve", &suite, "--nodes", "300", "--quiet", "--json", &path]);
    let before = contents(&path);
    let begun = Instant::now();
    let is_growing = || {
        let mut entries = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        entries.any(|e| e.file_name().to_string_lossy().ends_with(".part") && e.metadata().is_ok_and(|m| m.len() > 0))
    };
    let again = ["solve", &suite, "--nodes", "1000000", "--overwrite", "--json", &path];
    kill_when(&again, || is_growing() || begun.elapsed() > TIMEOUT / 10);
    assert_eq!(contents(&path), before);
}

/// What an interrupted `window bets` had found replaced complete results.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_replaces_no_older_file() {
    use rustix::process::{Pid, Signal, kill_process};
    let (folder, at) = folder();
    let path = at("out.jsonl");
    std::fs::write(&path, "old").expect("written");
    let mut command = Command::new(program());
    command.args(["window", "bets", "--nodes", "1G", "--json", &path, "--overwrite"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    // The temporary file is opened after Ctrl-C is handled.
    wait(|| std::fs::read_dir(folder.path()).expect("a folder").nth(1));
    kill_process(Pid::from_raw(child.id() as i32).expect("a process"), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("a child").code(), Some(130));
    assert_eq!(contents(&path), "old");
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_device_is_not_read_and_a_full_one_is_reported() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let game = "match --player default --player classic --nodes 60 --games 2 --hash 1";
    for arguments in [
        words!("{game} --json /dev/full"),
        words!("{game} --pgn /dev/full"),
        words!("solve {suite} --nodes 100 --json /dev/full"),
        words!("bench 2 --json /dev/full"),
    ] {
        // Without a limit of memory a program that reads the device would take all there is.
        let limited = "ulimit -v 4000000; exec \"$0\" \"$@\"";
        let output = assert_cmd::Command::new("sh")
            .args(["-c", limited, &program()])
            .args(&arguments)
            .timeout(TIMEOUT)
            .output()
            .expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}\n{err}");
        assert!(has_text(&err, "cannot write `/dev/full`"), "{arguments:?}\n{err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let full = || std::fs::File::options().write(true).open("/dev/full").expect("a device");
    for arguments in [vec!["--help"], vec!["--version"], vec!["params"], vec!["eval"]] {
        let output = Command::new(program()).args(&arguments).stdout(full()).output().expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        assert!(arguments[0] != "params" || has_text(&err, "cannot write the output: No space left"), "{err}");
    }
}

/// Runs the program with files of at most this many blocks of 512 bytes, as on a full disk.
#[cfg(unix)]
fn on_a_full_disk(blocks: u32, line: &[String]) -> std::process::Output {
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    Command::new("sh").args(["-c", &limited, &program()]).args(line).output().expect("a shell")
}

/// The last line was cut off in the middle, without a word.
#[cfg(unix)]
#[test]
fn results_on_a_full_disk_end_with_a_whole_line() {
    let (_keep, at) = folder();
    let output = on_a_full_disk(4, &words!("solve {SUITE_24} --nodes 20 --quiet --json {}", at("s.jsonl")));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    let lines = json_lines(&contents(at("s.jsonl"))).len();
    assert!(lines > 1 && has_text(&err, &format!("s.jsonl has only the first {lines} lines")), "{lines}: {err}");
    assert!(has_text(&err, "cannot write") && !err.contains(".part"), "{err}");
}

/// The exit code was 2, that of wrong arguments, and each attempt added the half line to `m.jsonl.cut`.
#[cfg(unix)]
#[test]
fn a_match_is_resumed_on_a_full_disk_as_often_as_need_be() {
    let (keep, at) = folder();
    let line = words!(
        "match --player default --player classic --nodes 60 --games 4 --hash 1 --quiet --resume --json {}",
        at("m.jsonl")
    );
    for _ in 0..2 {
        // Room for the settings, but not for the first pair of games.
        let output = on_a_full_disk(16, &line);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(json_lines(&contents(at("m.jsonl"))).len(), 1, "the settings");
    }
    succeeds(&line);
    assert_eq!(std::fs::read_dir(keep.path()).expect("a folder").count(), 1, "no copies of half lines");
}

/// The exit code was 2, that of wrong arguments.
#[cfg(unix)]
#[test]
fn a_run_that_cannot_begin_on_a_full_disk_is_a_failure() {
    let (_a, suite) = file("small.epd", SUITE.as_bytes());
    let (_b, at) = folder();
    let how = "--params null_move.base --nodes 20 --hash 1 --steps 1 --population 2 --match-pairs 0 --quiet";
    let output = on_a_full_disk(4, &words!("tune random --suite {suite} {how} --out {}", at("t")));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && has_text(&err, "cannot start a run in"), "{}\n{err}", output.status);
}

/// Games in a pipe were called "not a file of games" or waited for without end; a trace got "Illegal seek".
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_where_a_file_is_read_more_than_once() {
    for line in ["datagen stats /dev/null", "train /dev/null --out nowhere", "window show /dev/null"] {
        refused(&words!("{line}"), "it is a pipe or a device");
    }
}
