//! The readers in `examples/python` understand what the program writes, and the contest in `tools/contest` runs from end to end.

use std::path::Path;
use std::process::{Command, Output};

use crate::documentation::{ROOT, fenced, read};
use crate::support::{file, program, quarterply};

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/read_results.py");
const TURNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/where_games_turn.py");
const SLOPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/along_the_slope.py");
const JUDGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/judged_moves.py");
const FORESEE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/foresee_results.py");
const SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/strength_scale.py");
const SIDES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/side_by_side.py");
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/paper/summary.json");
const CONTEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/contest/run.py");
const MUTATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/mutations/run.py");
const SUITE: &[u8] = b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n";

/// Is there no interpreter? Then it says what goes untested: `what` ends with its verb, "the contest is".
fn lacks_python(what: &str) -> bool {
    let lacks = Command::new("python3").arg("--version").output().is_err();
    if lacks {
        eprintln!("no python3 here: {what} NOT tested");
    }
    lacks
}

/// How a script ended, and what it wrote to stdout and to stderr.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The examples of docs/files.md read the journal of a shipped run, each in a program of its own.
#[test]
fn the_examples_of_the_docs_read_the_journal_of_a_tuning_run() {
    let shipped = Path::new(ROOT).join("data/runs/extensions");
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(shipped.join("summary.json")).expect("a summary")).expect("JSON");
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
        let (code, out, err) = told(&run(example).expect("it runs"));
        assert_eq!(code, Some(0), "{name}: {err}");
        assert!(expected.iter().all(|number| out.contains(number)), "{name}: {expected:?} in {out}");
    }
}

#[test]
fn a_contest_of_hardly_any_nodes_names_and_rates_everyone() {
    if lacks_python("the contest is") {
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
fn the_text_of_every_mutation_stands_in_the_engine_once() {
    if lacks_python("the list of mutations is") {
        return;
    }
    let (code, out, err) = told(&Command::new("python3").args([MUTATIONS, "--list"]).output().expect("it runs"));
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
fn the_python_readers_read_what_we_write() {
    if lacks_python("the readers are") {
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
    let (code, turns, err) = where_games_turn(&[&journal, "--nodes"]);
    assert!(code == Some(0) && turns.starts_with("default: 4 games\n"), "{turns}{err}");
    let output = Command::new("python3").arg(READER).args([&solved, &journal, &games, RUN]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("solve: 1 of 1 solved"), "{text}");
    assert!(lines[1].starts_with("match: 4 games, 0 faults: default "), "{text}");
    assert!(lines[2].starts_with("pgn: 4 games, ") && !lines[2].contains(" 0 nodes"), "{text}");
    assert!(lines[3].starts_with("tune: ") && lines[3].contains("50 steps"), "{text}");
}

/// What the script prints for these arguments, and what it complains of.
fn where_games_turn(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new("python3").arg(TURNS).args(arguments).output().expect("it runs");
    told(&output)
}

#[test]
fn what_moves_decide_is_compared_with_what_was_spent_on_them() {
    if lacks_python("the table is") {
        return;
    }
    // White begins with even chances, sees 1.20 a move later, and wins; Black, whose values say nothing here, has a move of the book.
    let pgn = r#"[Result \"1-0\"]\n\n5... a6 {book} 6. d4 {+0.00/9 0.100s 3000n} 6... d5\n{+3.00/9 9.000s 1n} 7. c4\n{+1.20/9 0.300s 1000n} 1-0"#;
    let journal = format!(
        r#"{{"match":1,"players":[{{"name":"a"}},{{"name":"b"}}]}}
{{"pair":1,"games":[{{"white":"a","black":"b","result":"1-0","pgn":"{pgn}"}}]}}
{{"pair":2,"pla"#
    );
    let (_folder, journal) = file("match.jsonl", journal.as_bytes());
    let rows = |arguments: &[&str]| -> Vec<Vec<String>> {
        let (code, out, err) = where_games_turn(&[&[&journal[..], "--moves", "1"], arguments].concat());
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
    let (code, _, err) = where_games_turn(&[&journal, "--player", "c"]);
    assert!(code == Some(1) && err.contains("--player c: nobody of that name plays; there are a, b"), "{err}");
    let (_folder, other) = file("other.jsonl", b"{}\n");
    let (code, _, err) = where_games_turn(&[&other]);
    assert!(code == Some(1) && err.contains("other.jsonl: not a journal of `match --json`"), "{err}");
    let (_folder, text) = file("text.jsonl", b"1. e4 e5\n");
    let (code, _, err) = where_games_turn(&[&text]);
    assert!(code == Some(1) && err.contains("text.jsonl: not a journal of `match --json`"), "{err}");
    let (code, _, err) = where_games_turn(&["nowhere.jsonl"]);
    assert!(code == Some(1) && err.contains("nowhere.jsonl: No such file"), "{err}");
}

/// A folder as `ablate --together --out` leaves it: what --set gave, and what is to be expected of other values.
fn screened(lows: &str, rows: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = format!("{{\"ablation\":1,\"profile\":\"default {lows}\",\"mode\":\"tried\"}}\n{{\"ru");
    let rows: String = rows.iter().map(|(setting, likely)| format!("{setting},{likely}\n")).collect();
    std::fs::write(folder.path().join("journal.jsonl"), journal).expect("written");
    std::fs::write(folder.path().join("table.csv"), format!("rule,elo_likely\nnone,\n{rows}")).expect("written");
    folder
}

#[test]
fn values_move_from_the_middle_as_far_as_games_speak_for_it() {
    if lacks_python("the slope is") {
        return;
    }
    let run = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.arg(SLOPE).arg(folder).args(["--program", &program()]).args(arguments);
        let output = command.output().expect("it runs");
        told(&output)
    };
    // From 10 to 30 in steps of 2: the middle for nothing, the high end for 5 Elo, the low one for -5, and no farther than half as far again.
    let lows = "singular.double_margin=10";
    let value = |likely: &str, arguments: &[&str]| {
        let folder = screened(lows, &[("singular.double_margin=30", likely)]);
        let (code, out, err) = run(folder.path(), &[&["--format", "match"], arguments].concat());
        assert_eq!(code, Some(0), "{err}");
        out.trim().to_owned()
    };
    for (likely, expected) in [("0.0", 20), ("5.0", 30), ("-5.0", 10), ("2.5", 24), ("60.0", 36), ("-60.0", 4)] {
        assert_eq!(value(likely, &[]), format!("set.singular.double_margin={expected}"), "{likely}");
    }
    assert_eq!(value("5.0", &["--elo", "10", "--most", "0.3"]), "set.singular.double_margin=24");
    assert_eq!(value("-60.0", &["--most", "9"]), "set.singular.double_margin=0", "no less than there may be");
    let both = screened(
        &format!("{lows} late_move_pruning.base=40"),
        &[("singular.double_margin=30", "1.0"), ("late_move_pruning.base=60", "-9.0")],
    );
    let (_, table, _) = run(both.path(), &[]);
    let first: Vec<&str> = table.lines().next().expect("a row").split_whitespace().collect();
    assert_eq!(first, ["late_move_pruning.base", "40", "to", "60", "-9.0", "Elo", "36"], "{table}");
    let (_, profile, _) = run(both.path(), &["--format", "toml"]);
    assert_eq!(profile, "[late_move_pruning]\nbase = 36\n\n[singular]\ndouble_margin = 22\n");
    assert_eq!(
        run(both.path(), &["--format", "set"]).1,
        "--set late_move_pruning.base=36 --set singular.double_margin=22\n"
    );
    for (lows, row, says) in [
        ("", "singular.double_margin=30", "there is no --set singular.double_margin=... beside it"),
        ("singular.on=false", "singular.on=true", "singular.on=false: not a whole number; a switch has no middle"),
        ("singular.duble=1", "singular.duble=2", "singular.duble: "),
        ("", "null_move", "`null_move` is not one parameter with another value"),
    ] {
        let (code, _, err) = run(screened(lows, &[(row, "1.0")]).path(), &[]);
        assert!(code == Some(1) && err.contains(says), "{says}: {err}");
    }
    let (code, _, err) = run(both.path(), &["--program", "/no/such/program"]);
    assert!(
        code == Some(1) && err.contains("/no/such/program: No such file") && err.contains("--program names"),
        "{err}"
    );
    let (code, _, err) = run(both.path(), &["--elo", "0"]);
    assert!(code == Some(1) && err.contains("give numbers above 0"), "{err}");
    let (code, _, err) = run(std::path::Path::new("/no/such/folder"), &[]);
    assert!(code == Some(1) && err.contains("/no/such/folder/journal.jsonl: No such file"), "{err}");
    let table = both.path().join("table.csv");
    let old = std::fs::read_to_string(&table).expect("the table").replace("elo_likely", "elo");
    std::fs::write(&table, old).expect("written");
    let (code, _, err) = run(both.path(), &[]);
    assert!(code == Some(1) && err.contains("table.csv: no column elo_likely"), "{err}");
    std::fs::write(both.path().join("journal.jsonl"), "{}\n").expect("written");
    let (code, _, err) = run(both.path(), &[]);
    assert!(code == Some(1) && err.contains("not the journal of `ablate --out`"), "{err}");
}

/// Four positions as `judged_moves.py run` leaves them: the move depends on the value of the first factor alone, and is much better with
/// the high one; in the last position all moves are alike.
fn judged(worth: &str) -> String {
    let plan = "{\"judged_moves\":1,\"factors\":[[\"singular.double_margin\",\"10\",\"30\"],[\"multi_cut.on\",\"false\",\"true\"]]}\n";
    let search = |bits: &str| {
        let held = if bits.starts_with('1') { "a2a4" } else { "a2a3" };
        format!("[\"{bits}\",[\"{held}\",\"{held}\",\"{held}\",\"{held}\"]]")
    };
    let searches = ["11", "00", "10", "01"].map(search).join(",");
    let row = |number: usize, values: &str| {
        format!("{{\"number\":{number},\"position\":\"p\",\"searches\":[{searches}],\"values\":{values}}}\n")
    };
    let values = format!("{{\"a2a4\":{worth},\"a2a3\":0}}");
    format!("{plan}{}{}{}{{\"torn", row(0, &values), row(1, &values), row(2, "{}"))
}

/// Writes a program that a shell reads.
#[cfg(unix)]
fn write_executable(path: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, script).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

/// What a judge says while its window is too narrow is no value.
#[cfg(unix)]
#[test]
fn a_bound_is_no_judgement() {
    if lacks_python("the judge is") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let engine = format!(
        "#!/bin/sh\n[ \"$1\" = params ] && exec '{}' \"$@\"\nmove=a2a3\nwhile read -r line; do case \"$line\" in\n\
         *multi_cut.on*true) move=a2a4 ;;\n*multi_cut.on*false) move=a2a3 ;;\ngo*)\n\
         echo \"info depth 1 score cp 50 nodes 1 pv $move\"\necho \"info depth 2 score cp 123 lowerbound nodes 2 pv $move\"\n\
         echo \"bestmove $move\" ;;\nesac; done\n",
        program()
    );
    write_executable(&path("engine"), &engine);
    std::fs::write(path("factors.txt"), "multi_cut.on false true\n").expect("written");
    std::fs::write(path("book.epd"), "4k3/8/8/8/8/8/P7/4K3 w - -\n").expect("written");
    let mut command = Command::new("python3");
    command.arg(JUDGED).args(["--program", &path("engine"), "run", &path("factors.txt"), &path("book.epd")]);
    let output = command.args(["--searches", "2", "--out", &path("moves.jsonl")]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(path("moves.jsonl")).expect("the file");
    let row: serde_json::Value = serde_json::from_str(text.lines().last().expect("a row")).expect("JSON");
    assert_eq!(row["values"], serde_json::json!({"a2a3": -50, "a2a4": -50}), "{row}");
}

#[test]
fn values_are_judged_by_the_moves_that_searches_choose_with_them() {
    if lacks_python("judged moves are") {
        return;
    }
    let run = |arguments: &[&str]| {
        let output = Command::new("python3")
            .arg(JUDGED)
            .args(["--program", &program()])
            .args(arguments)
            .output()
            .expect("it runs");
        told(&output)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (moves, factors, positions) = (path("moves.jsonl"), path("factors.txt"), path("positions.epd"));
    // 143 hundredths are three quarters of a point by the judge's scale, a quarter more than a draw; a third of the positions is without.
    for (worth, gain, value, switch) in [("143", "+166.8", "34", "false"), ("-143", "-166.8", "6", "false")] {
        std::fs::write(&moves, judged(worth)).expect("written");
        let (code, table, err) = run(&["fit", &moves, "--most", "1.4"]);
        assert_eq!(code, Some(0), "{err}");
        let row = table.lines().find(|line| line.starts_with("singular.double_margin")).expect("a row");
        assert!(row.contains(&format!("  {gain}")) && row.ends_with(&format!("to {value}")), "{table}");
        let (_, point, _) = run(&["fit", &moves, "--most", "1.4", "--format", "match"]);
        assert_eq!(point.trim(), format!("set.singular.double_margin={value} set.multi_cut.on={switch}"));
    }
    // A search that has to choose between a mate and none, and one that has no choice.
    std::fs::write(&factors, "# NAME LOW HIGH\nlate_move_reduction.quiet_base 544 864\nmulti_cut.on false true\n")
        .expect("written");
    let book = "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n7k/8/8/8/8/8/6q1/7K w - -\nr1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -\n";
    std::fs::write(&positions, book).expect("written");
    let go = |count: &str, nodes: &str, searches: &str| {
        run(&[
            "run",
            &factors,
            &positions,
            "--nodes",
            nodes,
            "--judge-nodes",
            "400",
            "--count",
            count,
            "--searches",
            searches,
            "--out",
            &moves,
        ])
    };
    std::fs::remove_file(&moves).expect("it was there");
    assert_eq!(go("2", "300", "4"), (Some(0), String::new(), String::new()));
    let first = std::fs::read_to_string(&moves).expect("the file");
    assert_eq!(first.lines().count(), 3);
    std::fs::write(&moves, format!("{first}{{\"number\": 2, \"posi")).expect("written");
    assert_eq!(go("9", "300", "4").0, Some(0));
    let all = std::fs::read_to_string(&moves).expect("the file");
    assert!(all.starts_with(&first) && all.lines().count() == 4, "the torn line goes, what is there stays: {all}");
    for line in all.lines().skip(1) {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let bits = |at: usize| row["searches"][at][0].as_str().expect("bits").to_owned();
        let turned = |text: String| text.chars().map(|bit| if bit == '1' { '0' } else { '1' }).collect::<String>();
        assert!(bits(1) == turned(bits(0)) && bits(3) == turned(bits(2)), "{line}");
        if row["position"].as_str().is_some_and(|text| text.starts_with("6k1")) {
            assert_eq!(row["searches"][0][1][3], "c1c8", "{line}");
        }
    }
    for (count, nodes, searches, says) in [
        ("9", "301", "4", "a run with other nodes"),
        ("9", "300", "3", "two searches belong together"),
        ("0", "300", "4", "at least 1"),
    ] {
        let (code, _, err) = go(count, nodes, searches);
        assert!(code != Some(0) && err.contains(says), "{says}: {err}");
    }
    assert_eq!(std::fs::read_to_string(&moves).expect("the file"), all, "what is refused changes nothing");
    for (line, says) in [
        ("multi_cut.on false", ":1: `multi_cut.on false` is not NAME LOW HIGH"),
        ("multi_cut.off 1 2", "no parameter is called multi_cut.off"),
        ("multi_cut.on 0 1", "multi_cut.on 0: not a value of it; it is true or false"),
        ("table.slack 0 99999", "table.slack 99999: not a value of it; it is 0 to 2048"),
        ("table.slack 64 64", "both ends are 64"),
        ("", "no line NAME LOW HIGH in it"),
    ] {
        std::fs::write(&factors, format!("{line}\n")).expect("written");
        let (code, _, err) = go("1", "300", "4");
        assert!(code == Some(1) && err.contains(says), "{says}: {err}");
    }
    for (file, says) in
        [(&positions, "not a file of `judged_moves.py run --out`"), (&path("nowhere"), "nowhere: No such file")]
    {
        let (code, _, err) = run(&["fit", file]);
        assert!(code == Some(1) && err.contains(says), "{err}");
    }
    let (code, _, err) = run(&["fit", &moves]);
    assert!(code == Some(1) && err.contains("more than 4 are needed"), "{err}");
}

/// A program whose values foresee nothing, or with `mood` at `good` all results, and with `bad` their opposite. Of its games one half is
/// won by White, and in each of them either side is to move once.
#[cfg(unix)]
const PROPHET: &str = r#"#!/bin/sh
if [ "$1" = datagen ]; then
    for game in 1 2 3 4 5 6; do
        for turn in w b; do
            [ $((game % 2)) = 1 ] && echo "4k3/8/8/8/8/8/P7/4K3 $turn - - bm Kd2; id \"$game.$turn\"; ce 10; c9 \"1-0\"; fmvn 9;"
            [ $((game % 2)) = 0 ] && echo "4k3/p7/8/8/8/8/8/4K3 $turn - - bm Kd2; id \"$game.$turn\"; ce -10; c9 \"0-1\"; fmvn 9;"
        done
    done
    exit 0
fi
mood=none
[ "$1" = --set ] && mood=${2#mood=}
[ $mood = glum ] && echo "mood is good or bad" >&2 && exit 1
while read -r line; do case "$line" in
*"P7/4K3 w"* | *"p7/8"*" b "*) value=+2.00 ;;
position*) value=-2.00 ;;
eval)
    [ $mood = none ] && value=+0.00
    echo "Final         +9.99 for White, $value for the side to move (white)" ;;
esac; done
"#;

#[cfg(unix)]
#[test]
fn evaluations_are_judged_by_the_results_they_foresee() {
    if lacks_python("the judge by results is") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    write_executable(&path("prophet"), PROPHET);
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new("python3").arg(FORESEE).args(["--program", program]).args(arguments).output();
        let output = output.expect("it runs");
        told(&output)
    };
    let prophet = path("prophet");
    let (code, out, err) =
        run(&prophet, &["games", "--try", "seer", "mood=good", "--try", "fool", "mood=bad", "--workers", "3"]);
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["12", "positions", "of", "6", "games"], "{out}");
    assert_eq!(rows[1], ["the", "program", "0.250000"], "who knows nothing is half a point wrong: {out}");
    // What foresees the opposite is as good to know: the fit turns it round.
    for (row, name) in [(2, "seer"), (3, "fool")] {
        let number = |at: usize| rows[row][at].parse::<f64>().expect(&out);
        assert_eq!(rows[row][0], name, "{out}");
        assert!(number(1) < 0.001 && number(2) < -0.249 && number(4) < 0.001, "{out}");
    }
    assert!(out.lines().last().is_some_and(|line| line.starts_with("the score of the search  0.250000")), "{out}");
    for (arguments, says) in [
        (vec!["games", "--try", "seer", "mood=glum"], "--set mood=glum: ended after 0 of 12 positions"),
        (vec!["games", "--try", "seer", "mood"], "--try seer: mood is not OPTION=VALUE"),
        (vec!["games", "--try", "seer"], "--try seer: nothing is not OPTION=VALUE"),
        (vec!["games", "--count", "1"], "too few games"),
        (vec!["games", "--count", "0"], "0: at least 1"),
        (vec!["games", "--workers", "0"], "0: at least 1"),
    ] {
        let (code, _, err) = run(&prophet, &arguments);
        assert!(code != Some(0) && err.contains(says), "{says}: {err}");
    }
    let (code, _, err) = run("/no/such/program", &["games"]);
    assert!(code == Some(1) && err.contains("/no/such/program: No such file") && !err.contains("Traceback"), "{err}");
    let (code, _, err) = run(&program(), &["nowhere"]);
    assert!(code == Some(1) && err.contains("nowhere: not read"), "{err}");
    // The real program and its games.
    let games = path("games");
    let run_games = quarterply(&[
        "datagen", "--games", "6", "--nodes", "60", "--hash", "1", "--seed", "3", "--out", &games, "--quiet",
    ]);
    assert_eq!(run_games.code, Some(0), "{}", run_games.err);
    let (code, out, err) = run(&program(), &[&games, "--try", "twice", "network.size=200", "--count", "80"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.lines().nth(2).is_some_and(|line| line.starts_with("twice ")), "{out}");
    let (code, _, err) = run(&program(), &[&games, "--try", "wrong", "network.siz=200"]);
    assert!(code == Some(1) && err.contains("network.size"), "{err}");
}

/// Ratings follow from points by the Elo model: three quarters of the points are 191 Elo.
#[test]
fn ratings_follow_from_points_and_anchors() {
    if lacks_python("the scale of ratings is") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let pair =
        |number: usize, points: f32| format!("{{\"pair\":{number},\"players\":[\"a\",\"b\"],\"points\":{points}}}\n");
    let journal: String = (0..40).map(|number| pair(number, if number % 2 == 0 { 2.0 } else { 1.0 })).collect();
    std::fs::write(path("games.jsonl"), format!("{{\"match\":1}}\n{journal}")).expect("written");
    std::fs::write(path("notes.txt"), "no journal\n").expect("written");
    let run = |arguments: &[&str]| told(&Command::new("python3").arg(SCALE).args(arguments).output().expect("it runs"));
    let games = path("games.jsonl");
    for (anchor, other, rated) in [("a=2000", "b ", "1809"), ("b=2000", "a ", "2191")] {
        let (code, out, err) = run(&["--anchor", anchor, &games]);
        let row = out.lines().find(|line| line.starts_with(other)).unwrap_or_default();
        assert!(code == Some(0) && row.split_whitespace().nth(1) == Some(rated), "{anchor}: {out}{err}");
        assert!(out.contains("2000 fixed") && out.contains("of 80 games"), "{out}");
    }
    for (anchor, journal, says) in [
        ("a=strong", games.as_str(), "`a=strong` is not NAME=RATING"),
        ("c=2000", &games, "no games of c in these journals"),
        ("a=2000", "/no/such.jsonl", "/no/such.jsonl: No such file"),
        ("a=2000", &path("notes.txt"), "notes.txt:1: not a line of a journal"),
    ] {
        let (code, _, err) = run(&["--anchor", anchor, journal]);
        assert!(code != Some(0) && err.contains(says) && !err.contains("Traceback"), "{says}: {err}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn programs_side_by_side_are_held_against_the_first() {
    if lacks_python("the comparison of speeds is") {
        return;
    }
    let run = |arguments: &[&str]| {
        told(&Command::new("python3").arg(SIDES).args(["--rounds", "2"]).args(arguments).output().expect("it runs"))
    };
    let ours = program();
    let textbook = format!("{ours} --profile classic");
    let (code, out, err) = run(&["--depth", "5", &ours, &ours, &textbook]);
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<Vec<&str>> = out.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 3, "{out}");
    assert_eq!(rows[0][1..4], ["1.000", "±", "0.000"], "{out}");
    let [first, second, other] = [0, 1, 2].map(|row: usize| rows[row][0].parse::<u64>().expect("nodes"));
    assert!(first == second && other != first, "{out}");
    let ratio: f64 = rows[1][1].parse().expect("a ratio");
    assert!((0.5..2.0).contains(&ratio), "the same program: {out}");
    for (arguments, words) in [
        (&["nowhere/engine"][..], "nowhere/engine: cannot be started"),
        (&["false"], "false: `bench` ended with code 1"),
        (&["--rounds", "0", "true"], "0 is not at least 1"),
    ] {
        let (code, _, err) = run(arguments);
        assert!(code != Some(0) && err.contains(words), "{arguments:?}: {err}");
    }
}
