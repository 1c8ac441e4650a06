//! The readers in `examples/python` read the files that the program writes, the contest in `tools/contest` runs from end to end, and
//! scripts of `examples` and `tools` refuse wrong arguments.

use std::path::Path;
use std::process::{Command, Output};

use crate::documentation::{ROOT, fenced, read};
use crate::support::{contents, file, folder, program, succeeds, words};

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/read_results.py");
const TURNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/where_games_turn.py");
const SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/strength_scale.py");
const CTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/load_ctt.py");
const SIDES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/side_by_side.py");
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/paper/summary.json");
const TUNED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/extensions/journal.jsonl");
const CONTEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/contest/run.py");
#[cfg(unix)]
const SLURM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/distributed/slurm-tasks.sh");
const MUTATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/mutations/run.py");
const SUITE: &[u8] = b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n";

/// Exit code, stdout and stderr.
type ScriptOutput = (Option<i32>, String, String);

/// A runner of a Python script. `None`, after a message, if `python3` is not installed.
fn python(script: &str) -> Option<impl Fn(&[&str]) -> ScriptOutput> {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("no python3 here: {script} is NOT tested");
        return None;
    }
    Some(move |arguments: &[&str]| {
        results(&Command::new("python3").args(["-B", script]).args(arguments).output().expect("it runs"))
    })
}

/// The script must fail with a message, and without a traceback; returns its exit code.
#[track_caller]
fn rejects(script: &dyn Fn(&[&str]) -> ScriptOutput, arguments: &[&str], message: &str) -> Option<i32> {
    let (code, _, err) = script(arguments);
    let has_failed = matches!(code, Some(1 | 2));
    assert!(has_failed && err.contains(message) && !err.contains("Traceback"), "{arguments:?}: {err}");
    code
}

/// Exit code, stdout and stderr of a script.
fn results(output: &Output) -> ScriptOutput {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The examples of docs/files.md read the journal of a shipped run, each as a separate program.
#[test]
fn the_examples_of_the_docs_read_the_journal_of_a_tuning_run() {
    let shipped = Path::new(ROOT).join("data/runs/extensions");
    let summary: serde_json::Value = serde_json::from_str(&contents(shipped.join("summary.json"))).expect("JSON");
    let best = &summary["steps"].as_array().and_then(|steps| steps.last()).expect("a step")["best_cost"];
    let expected = [best["solved"].as_f64(), best["value"].as_f64()].map(|number| number.expect("a cost").to_string());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(shipped.join("journal.jsonl"), folder.path().join("journal.jsonl")).expect("a copy");
    let example = |language: &str| -> String {
        fenced(&read("docs/files.md"), language).into_iter().map(|(_, line)| format!("{line}\n")).collect()
    };
    std::fs::write(folder.path().join("best.jq"), example("jq")).expect("written");
    let sql = format!("import duckdb\nprint(duckdb.sql('''{}''').fetchall())", example("sql"));
    let pandas = example("python");
    let cases: [(&str, &[&str], &[&str]); 3] = [
        ("jq", &["jq", "--version"], &["jq", "-rs", "-f", "best.jq", "journal.jsonl"]),
        ("DuckDB", &["python3", "-c", "import duckdb"], &["python3", "-c", &sql]),
        ("pandas", &["python3", "-c", "import pandas"], &["python3", "-c", &pandas]),
    ];
    for (name, probe, example) in cases {
        let run = |words: &[&str]| Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).output();
        if !run(probe).is_ok_and(|output| output.status.success()) {
            eprintln!("no {name} here: its example in docs/files.md is NOT tested");
            continue;
        }
        let (code, out, err) = results(&run(example).expect("it runs"));
        assert_eq!(code, Some(0), "{name}: {err}");
        assert!(expected.iter().all(|number| out.contains(number)), "{name}: {expected:?} in {out}");
    }
}

#[test]
fn the_results_of_mutations_are_read_without_their_tool() {
    let Some(mutations) = python(MUTATIONS) else { return };
    let (code, out, err) = mutations(&["--table", "--seed", "1"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("| mutation | result |") && out.ends_with("0 of 0 mutations caught (0 %).\n"), "{out}");
}

#[test]
fn the_python_readers_read_what_we_write() {
    let (Some(turns), Some(reader)) = (python(TURNS), python(READER)) else { return };
    let (folder, suite) = file("small.epd", SUITE);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (solved, journal, games) = (path("solve.jsonl"), path("match.jsonl"), path("games.pgn"));
    succeeds(&["solve", &suite, "--nodes", "1000", "--quiet", "--json", &solved]);
    let game = "match --player default --player classic --nodes 100 --games 4 --hash 1 --quiet";
    succeeds(&words!("{game} --json {journal} --pgn {games}"));
    // A journal of a match that was killed ends in the middle of a line.
    let mut torn = contents(&journal);
    torn.push_str("{\"pair\": 3, \"pla");
    std::fs::write(&journal, torn).expect("written");
    let (code, turns, err) = turns(&[&journal, "--nodes"]);
    assert!(code == Some(0) && turns.starts_with("default: 4 games\n"), "{turns}{err}");
    // An editor may have put a byte order mark before it.
    std::fs::write(&solved, format!("\u{feff}{}", contents(&solved))).expect("written");
    let (code, text, err) = reader(&[&solved, &journal, &games, RUN, TUNED]);
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("solve: 1 of 1 solved"), "{text}");
    assert!(lines[1].starts_with("match: 4 games, 0 faults: default "), "{text}");
    assert!(lines[2].starts_with("pgn: 4 games, ") && !lines[2].contains(" 0 nodes"), "{text}");
    assert!(lines[3].starts_with("tune: ") && lines[3].contains("50 steps"), "{text}");
    assert_eq!(lines[4], "journal: 20 candidates, 18164 searches, 100 pairs of games");
}

#[test]
fn the_reader_of_results_refuses_other_files_without_a_traceback() {
    let Some(reader) = python(READER) else { return };
    let (folder, text) = file("text.jsonl", b"1. e4 e5\n");
    let summary = folder.path().join("summary.json").display().to_string();
    std::fs::write(&summary, "{}").expect("written");
    for (arguments, message) in [
        (&["nowhere.jsonl"][..], "cannot read `nowhere.jsonl`: No such file"),
        (&[], "cannot read results: expected a file"),
        (&[text.as_str()], "text.jsonl`: not a result file of Quarterply"),
        (&[summary.as_str()], "summary.json`: not a result file of Quarterply"),
    ] {
        assert_eq!(rejects(&reader, arguments, message), Some(1), "{arguments:?}");
    }
}

/// `read_results.py FILE | head` could not read FILE: `Broken pipe`.
#[test]
#[cfg(unix)]
fn readers_end_quietly_if_their_output_is_closed() {
    use std::process::Stdio;
    if python(READER).is_none() {
        return;
    }
    for (script, arguments) in [(READER, vec![RUN]), (SCALE, vec!["--anchor", "a=1", "games.jsonl"])] {
        let (_folder, games) = file("games.jsonl", b"{\"pair\":0,\"players\":[\"a\",\"b\"],\"points\":1.0}\n");
        let arguments = arguments.into_iter().map(|word| if word == "games.jsonl" { games.as_str() } else { word });
        let mut command = Command::new("python3");
        command.args(["-B", script]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        let (_, _, err) = results(&child.wait_with_output().expect("a child"));
        assert_eq!(err, "", "{script}");
    }
}

/// Without chess-tuning-tools, which is rarely there, the script ended with a traceback.
#[test]
fn a_configuration_that_cannot_be_loaded_is_refused() {
    let Some(load) = python(CTT) else { return };
    rejects(&load, &["nowhere.json"], "cannot ");
}

/// The script did not find the tables after the comments in the file of weights had been shortened.
#[test]
fn the_tables_of_the_evaluation_are_found() {
    const WEIGHTS: usize = 263;
    if python("weights_share.py").is_none() {
        return;
    }
    let count = "import sys; sys.path.insert(0, 'examples/python'); from weights_share import new_tables; \
                 print(sum(map(len, new_tables().values())))";
    let output = Command::new("python3").args(["-B", "-c", count]).current_dir(ROOT).output();
    let (code, out, err) = results(&output.expect("it runs"));
    assert_eq!((code, out.trim()), (Some(0), WEIGHTS.to_string().as_str()), "{err}");
}

#[test]
fn decisions_of_moves_are_compared_with_their_cost() {
    let Some(turns) = python(TURNS) else { return };
    // White begins with even chances, sees 1.20 a move later, and wins; Black, whose values say nothing here, has a move of the book.
    let pgn = r#"[Result \"1-0\"]\n\n5... a6 {book} 6. d4 {+0.00/9 0.100s 3000n} 6... d5\n{+3.00/9 9.000s 1n} 7. c4\n{+1.20/9 0.300s 1000n} 1-0"#;
    let journal = format!(
        r#"{{"match":1,"players":[{{"name":"a"}},{{"name":"b"}}]}}
{{"pair":1,"games":[{{"white":"a","black":"b","result":"1-0","pgn":"{pgn}"}}]}}
{{"pair":2,"pla"#
    );
    let (_folder, journal) = file("match.jsonl", journal.as_bytes());
    let rows = |arguments: &[&str]| -> Vec<Vec<String>> {
        let (code, out, err) = turns(&[&[&journal[..], "--moves", "1"], arguments].concat());
        assert_eq!(code, Some(0), "{err}");
        out.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    // An expected 0.5, 0.731, and the point: 0.231 and 0.269 are decided.
    let by_time = rows(&[]);
    assert_eq!(by_time[0], ["a:", "1", "games"]);
    assert_eq!(by_time[2], ["6-6", "1.00", "46.2%", "25.0%", "1.85"]);
    assert_eq!(by_time[3], ["7-7", "1.00", "53.8%", "75.0%", "0.72"]);
    assert_eq!(rows(&["--nodes"])[2], ["6-6", "1.00", "46.2%", "75.0%", "0.62"]);
    let of_black = rows(&["--player", "b"]);
    assert_eq!((of_black.len(), &of_black[2][2..]), (3, &["100.0%", "100.0%", "1.00"].map(str::to_owned)[..]));
    let (_other, other) = file("other.jsonl", b"{}\n");
    let (_text, text) = file("text.jsonl", b"1. e4 e5\n");
    for (arguments, code, message) in [
        (&[journal.as_str(), "--player", "c"][..], 1, "`c` is not a valid player: expected a or b"),
        (&[&other], 1, "other.jsonl`: not a journal; give a journal of `match --json`"),
        (&[&text], 1, "text.jsonl`: not a journal; give a journal of `match --json`"),
        (&["nowhere.jsonl"], 1, "cannot read `nowhere.jsonl`: No such file"),
        (&[&journal, "--scale", "nan"], 2, "--scale must be above 0"),
    ] {
        assert_eq!(rejects(&turns, arguments, message), Some(code), "{arguments:?}");
    }
}

/// Ratings follow from points by the Elo model: three quarters of the points are 191 Elo.
#[test]
fn ratings_follow_from_points_and_anchors() {
    let Some(scale) = python(SCALE) else { return };
    let (_folder, path) = folder();
    let pair =
        |number: usize, points: f32| format!("{{\"pair\":{number},\"players\":[\"a\",\"b\"],\"points\":{points}}}\n");
    let journal: String = (0..40).map(|number| pair(number, if number % 2 == 0 { 2.0 } else { 1.0 })).collect();
    // A match that was killed ends in the middle of a line.
    std::fs::write(path("games.jsonl"), format!("{{\"match\":1}}\n{journal}{{\"pair\":40,\"pla")).expect("written");
    std::fs::write(path("bytes"), b"\xff\xfe\n").expect("written");
    std::fs::write(path("notes.txt"), "no journal\n").expect("written");
    let games = path("games.jsonl");
    for (anchor, other, rated) in [("a=2000", "b ", "1809"), ("b=2000", "a ", "2191")] {
        let (code, out, err) = scale(&["--anchor", anchor, &games]);
        let row = out.lines().find(|line| line.starts_with(other)).unwrap_or_default();
        assert!(code == Some(0) && row.split_whitespace().nth(1) == Some(rated), "{anchor}: {out}{err}");
        assert!(out.contains("2000 fixed") && out.contains("of 80 games"), "{out}");
    }
    for (anchor, journal, message) in [
        ("a=strong", games.as_str(), "`a=strong` is not a valid anchor: expected NAME=RATING"),
        ("a=nan", &games, "`a=nan` is not a valid anchor"),
        ("=2000", &games, "`=2000` is not a valid anchor"),
        ("c=2000", &games, "cannot fix the rating of c: no games in these journals"),
        ("a=2000", "/no/such.jsonl", "cannot read `/no/such.jsonl`: No such file"),
        ("a=2000", &path("notes.txt"), "notes.txt:1: not a line of a journal"),
        ("a=2000", &path("bytes"), "bytes`: not a text file"),
    ] {
        rejects(&scale, &["--anchor", anchor, journal], message);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn programs_are_compared_with_the_first() {
    let Some(sides) = python(SIDES) else { return };
    let run = |arguments: &[&str]| sides(&[&["--rounds", "2"], arguments].concat());
    let ours = program();
    let tactical = format!("{ours} --profile tactical");
    // Deep enough that each search takes far longer than the start of the program, which is subtracted.
    let (code, out, err) = run(&["--depth", "10", &ours, &ours, &tactical]);
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<Vec<&str>> = out.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 3, "{out}");
    assert_eq!(rows[0][1..4], ["1.000", "±", "0.000"], "{out}");
    let [first, second, other] = [0, 1, 2].map(|row: usize| rows[row][0].parse::<u64>().expect("nodes"));
    assert!(first == second && other != first, "{out}");
    let ratio: f64 = rows[1][1].parse().expect("a ratio");
    assert!((0.5..2.0).contains(&ratio), "the same program: {out}");
    for (arguments, message) in [
        (&["nowhere/engine"][..], "cannot start `nowhere/engine`: "),
        (&["false"], "cannot measure `false`: `bench` ended with code 1"),
        (&["--rounds", "0", "true"], "`0` is not a valid number: expected 1 or more"),
    ] {
        rejects(&run, arguments, message);
    }
}

/// The program of the jobs is a function that prints the name of the task.
#[test]
#[cfg(unix)]
fn arrays_of_slurm_execute_each_task_once_whatever_their_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("tasks")).expect("a folder");
    for number in 1..=5 {
        std::fs::write(folder.path().join(format!("tasks/{number}.json")), "{}").expect("written");
    }
    for (first, step) in [(0, 1), (1, 1), (2, 3)] {
        let mut executed = Vec::new();
        for job in [first, first + step] {
            let mut command = Command::new("bash");
            command.args(["-c", r#"quarterply() { echo "${3##*/}"; }; . "$0""#, SLURM]);
            command.env("RUN", folder.path()).env("SLURM_ARRAY_TASK_COUNT", "2");
            for (name, number) in [("MIN", first), ("STEP", step), ("ID", job)] {
                command.env(format!("SLURM_ARRAY_TASK_{name}"), number.to_string());
            }
            let Ok(output) = command.output() else {
                eprintln!("no bash here: arrays of Slurm are NOT tested");
                return;
            };
            let (code, out, err) = results(&output);
            assert_eq!(code, Some(0), "{err}");
            executed.extend(out.lines().map(str::to_owned));
        }
        executed.sort();
        assert_eq!(executed, ["1.json", "2.json", "3.json", "4.json", "5.json"], "first job {first}, step {step}");
    }
}

#[test]
#[cfg(unix)]
fn scripts_refuse_wrong_arguments_before_they_build() {
    /// The exit code of `env` without the interpreter.
    const NO_INTERPRETER: i32 = 127;
    for (script, message) in [
        (".ci/deep", "`--wrong` is not a valid part"),
        ("tools/release/program", "`--wrong` is not a valid option"),
        ("tools/web/module", "`--wrong` is not a valid option"),
        ("tools/web/npm", "`--wrong` is not a valid option"),
        ("tools/web/wheel", "`--wrong` is not a valid option"),
    ] {
        let run = Command::new(format!("{ROOT}/{script}")).arg("--wrong").output();
        let (code, out, err) = results(&run.expect("a script"));
        if code == Some(NO_INTERPRETER) {
            eprintln!("no interpreter here: {script} is NOT tested");
            continue;
        }
        assert!(code == Some(1) && out.is_empty() && err.contains(message), "{script}: {err}");
    }
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_contest_with_few_nodes_names_and_rates_every_player() {
        let Some(contest) = python(CONTEST) else { return };
        let home = tempfile::tempdir().expect("a folder");
        let run = || {
            let (code, _, err) =
                contest(&["--quick", "--program", &program(), "--home", &home.path().display().to_string()]);
            assert_eq!(code, Some(0), "{err}");
            contents(home.path().join("contest.md"))
        };
        let page = run();
        for name in ["textbook", "sex-1989", "realization"] {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect(name);
            assert!(
                row.matches('[').count() == 2 && !row.contains("not played"),
                "a rating for 50 and 100 nodes: {row}"
            );
        }
        // The tuned values are a complete profile, and its bench is the one that its file states.
        for goal in ["play", "combinations"] {
            let file = home.path().join("tuned").join(goal).join("realization.toml");
            let profile = contents(&file);
            let bench = profile.lines().find_map(|line| line.strip_prefix("bench = { depth = ")).expect("a bench");
            let (depth, nodes) = bench.trim_end_matches(" }").split_once(", nodes = ").expect("depth and nodes");
            let found = succeeds(&["bench", depth, "--profile", &file.display().to_string(), "--quiet"]).out;
            assert!(
                found.contains(&format!("{nodes} nodes")) && profile.contains("from = \"neutral\""),
                "{goal}: {found}"
            );
        }
        // Finished games are not played again, nor is anything tuned again.
        let kept = || {
            ["games-50.jsonl", "games-100.jsonl", "play/realization/journal.jsonl"]
                .map(|name| std::fs::read(home.path().join(name)).expect(name))
        };
        let before = kept();
        assert_eq!(run(), page);
        assert_eq!(kept(), before);
    }
}
