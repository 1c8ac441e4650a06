//! The program as an engine: lines as arguments, a conversation over pipes, exit codes, and the checklist asked of ourselves.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::nats::wait;
use support::{has_text, program, quarterply, refused, succeeds};

/// The lines of a successful run on stdout.
fn output_lines(arguments: &[&str]) -> Vec<String> {
    succeeds(arguments).out.lines().map(str::to_owned).collect()
}

#[test]
fn a_gui_s_conversation() {
    let script = "uci\nisready\nposition startpos moves e2e4\ngo depth 10\nquit\n";
    for arguments in [&[][..], &["uci"]] {
        let mut command = assert_cmd::Command::new(program());
        let output = command.args(arguments).write_stdin(script).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).expect("text");
        let words: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
        let place =
            |word: &str| words.iter().position(|other| *other == word).unwrap_or_else(|| panic!("no {word}: {text}"));
        assert!(text.starts_with("id name Quarterply "), "{arguments:?}: {text}");
        let order = ["uciok", "readyok", "info", "bestmove"].map(place);
        assert!(order.is_sorted(), "{arguments:?}: {text}");
        assert_eq!(words.iter().filter(|word| **word == "uciok").count(), 1, "{arguments:?}: {text}");
        assert_eq!(words.last(), Some(&"bestmove"), "{arguments:?}");
        assert!(output.stderr.is_empty());
    }
    assert!(succeeds(&["uci", "quit"]).out.ends_with("\nuciok\n"), "a line among others is answered");
}

#[test]
fn lines_as_arguments_run_to_their_end() {
    for arguments in [
        &["setoption name Hash value 32", "go depth 6"][..],
        &["go", "depth", "6"],
        &["setoption", "name", "Hash", "value", "32", "go", "depth", "6"],
        &["--profile", "classic", "go depth 6"],
        &["--set", "null_move.on=false", "position startpos", "go depth 6"],
    ] {
        let lines = output_lines(arguments);
        assert!(lines.iter().any(|line| line.starts_with("info depth 6 ")), "{arguments:?}: {lines:?}");
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{arguments:?}: {lines:?}");
    }
    assert!(succeeds(&["position startpos", "go perft 2"]).out.ends_with("\nNodes searched: 400\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    for (arguments, input) in [(&["go depth 3"][..], ""), (&[][..], "uci\nquit\n")] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let mut command = Command::new(program());
        command.args(arguments).stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // It may have ended before it reads everything.
        let _ = child.stdin.take().expect("an input").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && message.contains("cannot write the answer"), "{input}: {message}");
    }
}

#[test]
fn bad_input_is_named_and_gives_exit_code_2() {
    for (arguments, named) in [
        (&["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go depth 2"][..], "8/8/8/8/8/8/8/8 w - - 0 1"),
        (&["position startpos moves e2e5"], "e2e5"),
        (&["setoption name Nonesuch value 1"], "Nonesuch"),
        (&["setoption name Hash value lots"], "lots"),
        (&["go infinite"], "go infinite"),
        (&["isready", "xyzzy now"], "xyzzy now"),
        (&["slove", "suite.epd"], "slove"),
        (&["uci", "--profile", "tactical"], "cannot use `--profile` after UCI lines"),
        (&["position startpos", "--set", "null_move.on=false", "go depth 2"], "cannot use `--set` after UCI lines"),
        (&["bench 0"], "bench 0"),
        (&["--set", "nul_move.on=true", "isready"], "nul_move.on"),
        (&["--profile", "nobody", "isready"], "nobody"),
        (&["--set", "EvalFile=no/such.nnue", "isready"], "cannot read `no/such.nnue`: "),
        (&["--set", "learned_cost.coefficients=no/such.toml", "isready"], "cannot read coefficients `no/such.toml`"),
        (&["--set", "learned_cost.bias=5", "isready"], "`learned_cost.bias` is a learned coefficient"),
        (&["setoption name realization.coefficients value no.toml"], "no.toml"),
        (&["--profile", "nobody"], "nobody"),
        (&["eval", "--fen", "x/y"], "x/y"),
        (&["uci-check", "/no/such/engine"], "/no/such/engine"),
        (&["uci-check", "'"], "quotation mark"),
        (&["uci-check", "--case", "300"], "give a whole number from 1 to "),
        (&["uci-check", "--profile", "nosuch"], "nosuch"),
        (&["uci-check", "true", "--profile", "classic"], "cannot use --profile or --set: CMD is another engine"),
        (&["go perft abc"], "cannot run `go perft abc`: expected a depth in plies"),
        (&["bench abc"], "cannot run `bench abc`: expected a depth in plies"),
        (&["go ponder depth 3"], "it would never end; leave out `ponder`"),
        (&["go mate 1"], "it would never end; give it a depth, nodes or a time"),
        (&["--json", "x.jsonl", "go depth 1"], "cannot use --json with UCI"),
        (&["--json", "-"], "cannot use --json with UCI"),
        (&["--workers", "2"], "cannot use --workers or --seed with UCI: set its options Threads and Strength Seed"),
        (&["--seed", "2", "go depth 1"], "cannot use --workers or --seed with UCI"),
    ] {
        refused(arguments, named);
    }
}

#[test]
fn the_evaluation_is_shown() {
    let start = output_lines(&["eval"]);
    assert!(start.len() > 5, "{start:?}");
    let ending = output_lines(&["eval", "--fen", "4k3/8/8/8/8/8/4P3/4K3 w - -"]);
    assert_ne!(start, ending);
}

#[test]
fn the_end_of_the_input_stops_a_search_and_ends_the_program() {
    for script in ["", "uci\n", "go infinite\n", "go ponder wtime 1000 btime 1000\n"] {
        let mut command = assert_cmd::Command::new(program());
        command.timeout(Duration::from_secs(20)).write_stdin(script).assert().success();
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in [&["go depth 12"][..], &["uci", "isready", "d"], &["eval"], &[]] {
        let mut child = Command::new(program())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut input = child.stdin.take().expect("an input");
        let output = child.stdout.take().expect("an output");
        if arguments.is_empty() {
            input.write_all(b"isready\n").expect("it reads");
            BufReader::new(output).read_line(&mut String::new()).expect("readyok");
            // The reader is gone now; this makes the program talk.
            let _ = input.write_all(b"go infinite\n");
        } else {
            drop(output);
        }
        let ended = wait(|| child.try_wait().expect("it can be watched"));
        let _ = child.kill();
        let status = ended.unwrap_or_else(|| panic!("{arguments:?} is still running"));
        let message = std::io::read_to_string(child.stderr.take().expect("stderr")).expect("text");
        assert!(status.success() && message.is_empty(), "{arguments:?}: {status}: {message}");
    }
}

/// This program behind a shell that changes what it writes.
fn behind_shell(folder: &tempfile::TempDir, script: &str) -> String {
    let path = folder.path().join("engine.sh");
    std::fs::write(&path, script.replace("ENGINE", &program())).expect("written");
    format!("sh {}", path.display())
}

#[cfg(unix)]
#[test]
fn faults_have_severities_and_the_exit_code_follows_the_worst() {
    let number = "n=100000; ENGINE | while IFS= read -r line; do n=$((n+1)); case $line in
        *' nodes '*) rest=${line#* nodes }; echo \"${line%% nodes *} nodes $n ${rest#* }\";; *) echo \"$line\";; esac; done";
    // No lines after `go infinite`, which the checker stops at once.
    let silent = "flag=${0%/*}/flag; while IFS= read -r l; do case $l in 'go infinite') : > $flag;; go*) rm -f $flag;; esac; echo \"$l\";
        done | ENGINE | while IFS= read -r l; do case $l in info*) [ -e $flag ] && continue;; esac; echo \"$l\"; done";
    let none = "no info with a score and a line came before bestmove";
    for (case, script, code, word, needle) in [
        ("18", silent, 0, "unusual", none),
        ("18", "ENGINE | sed -u '/^info /d'", 3, "tool", none),
        ("15", "echo 'Toy 1.0 by me'; exec ENGINE", 0, "unusual", "unusual: a line before `uci`: `Toy 1.0 by me`"),
        ("15", "echo 'Toy 1.0'; ENGINE | sed -u 's/^readyok/readyok /'", 3, "tool", "blanks around: `readyok `"),
        ("25", "ENGINE | sed -u '/^id author/d'", 3, "tool", "breaks a GUI or tool: no `id author`"),
        ("18", "ENGINE | sed -u 's/^bestmove.*/bestmove e2e5/'", 1, "game", "breaks games: "),
        ("15", "ENGINE; sleep 20", 3, "tool", "still running after 5 s"),
        ("14", "ENGINE; kill -SEGV $$", 3, "tool", "it crashed at the end of input"),
        ("14", "ENGINE; exit 139", 3, "tool", "it crashed at the end of input"),
        ("14", "ENGINE; sleep 20", 3, "tool", "still running after 5 s"),
        ("23", number, 3, "tool", "the same search after ucinewgame differs; its nodes: 100 "),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = behind_shell(&folder, script);
        let run = quarterply(&["uci-check", "--case", case, "--json", "-", &engine]);
        let (line, table) = (run.out, run.err);
        assert_eq!(run.code, Some(code), "{script}: {table}");
        let finding: serde_json::Value = serde_json::from_str(line.trim()).expect("JSON");
        assert_eq!((&finding["severity"], &finding["verdict"]), (&word.into(), &"fail".into()), "{script}: {line}");
        assert!(has_text(&table, needle) || line.contains(needle), "{script}: {table}");
        assert!(!table.contains("Some(") && !line.contains("Some("), "{script}: {line}");
    }
}

/// The fast cases wait at the same time; on an idle machine they take a second.
#[test]
fn fast_cases_are_fast() {
    const FAST: Duration = Duration::from_secs(2);
    const TRIES: usize = 5;
    let fast = (0..TRIES).any(|_| {
        let begun = Instant::now();
        let table = succeeds(&["uci-check", "--fast"]).out;
        let time = begun.elapsed();
        assert!(table.contains("23 passed, 0 break games"), "{table}");
        assert!(table.contains("4 slow ones left out"), "{table}");
        time < FAST
    });
    assert!(fast, "--fast took longer than {FAST:?} in each of {TRIES} runs");
}

/// A program that does not speak UCI is reported once, before the cases, with exit code 1.
fn is_refused_as_no_engine(program: &str, reason: &str) {
    let run = quarterply(&["uci-check", "--json", "-", program]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{}", run.err);
    run.says(&[&format!("cannot check `{program}`:"), reason]);
}

/// Each case reported it again.
#[test]
fn the_checker_refuses_a_program_that_is_no_engine() {
    is_refused_as_no_engine("true", "give the command of an engine that speaks UCI");
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    /// Each case waited ten seconds for `uciok`: four minutes in all.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_program_without_uciok_is_awaited_once() {
        let begun = Instant::now();
        is_refused_as_no_engine("cat", "no `uciok` within 10 s");
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn the_checklist_is_passed_in_full() {
        let table = succeeds(&["uci-check"]).out;
        let summary = "27 passed, 0 break games, 0 break a GUI or tool, 0 unusual, 0 not applicable";
        assert!(table.contains(summary), "{table}");
    }
}
