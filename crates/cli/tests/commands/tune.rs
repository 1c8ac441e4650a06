//! `quarterply tune` from the outside: killed at random points, shown while it works, refused where it must be.

use quarterply_tune::plan::TuningPlan;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::{
    SUITE, contents, file, folder, has_text, json_value, kill_when, program, quarterply, refused, succeeds, words,
};
use tempfile::TempDir;

/// Files that say what came of a run.
const RESULTS: [&str; 2] = ["summary.json", "profile.toml"];

/// A run of a second or two.
fn small(out: &str, more: &str) -> Vec<String> {
    let sizes = "--positions 12 --nodes 1500 --population 6 --generations 5 --hash 1 --match-pairs 1 --move-nodes 50";
    words!("tune ga --preset paper --suite {SUITE} {sizes} --out {out} {more}")
}

fn run_folder() -> (TempDir, String) {
    let (home, path) = folder();
    (home, path("run"))
}

fn results(folder: &str) -> Vec<String> {
    RESULTS.iter().map(|name| contents(Path::new(folder).join(name))).collect()
}

/// Starts the binary and kills it after a while, however far it is.
fn kill_after(command: &[String], milliseconds: u64) {
    let begun = Instant::now();
    kill_when(command, || begun.elapsed() >= Duration::from_millis(milliseconds));
}

#[test]
fn a_run_is_shown_without_being_changed() {
    let (_home, folder) = run_folder();
    let report = succeeds(&small(&folder, "--json -")).value();
    assert_eq!(report["steps"].as_array().map(Vec::len), Some(5));
    let before = results(&folder);
    fs::remove_file(Path::new(&folder).join("profile.toml")).expect("a profile");
    succeeds(&["tune", "show", &folder]).shows(&[
        "null_move.reduction",
        "tuning suite, solved",
        "12 positions",
        "hold-out, solved",
        "finished after 5 generations",
    ]);
    assert_eq!(before, results(&folder));
    let profile = Path::new(&folder).join("profile.toml");
    succeeds(&["params", "--profile", profile.to_str().expect("a path in UTF-8")]);
}

/// `--json` must not replace the files of which the same command reads one, and must not fail after hours of work.
#[test]
fn the_file_of_json_is_checked_before_the_first_search_and_is_no_file_of_the_run() {
    let (home, folder) = run_folder();
    let file = home.path().join("precious.txt");
    fs::write(&file, "precious").expect("written");
    let precious = file.to_str().expect("a path in UTF-8");
    refused(&small(&folder, &format!("--json {precious}")), "it holds results");
    assert!(!Path::new(&folder).exists(), "nothing was measured");
    let suite = home.path().join("suite.epd");
    fs::copy(SUITE, &suite).expect("a copy");
    let suite = suite.to_str().expect("a path in UTF-8");
    let sizes = "--nodes 50 --steps 1 --population 2 --match-pairs 0 --hash 1";
    let own = format!("tune random --params null_move.base --suite {suite} {sizes} --out {folder}");
    refused(&words!("{own} --json {suite} --overwrite"), "suite.epd");
    succeeds(&words!("{own}"));
    for name in ["journal.jsonl", "run.toml", "summary.json"] {
        let path = Path::new(&folder).join(name);
        let before = fs::read(&path).expect(name);
        let path = path.to_str().expect("a path in UTF-8");
        refused(&["tune", "show", &folder, "--json", path, "--overwrite"], name);
        assert_eq!(fs::read(path).expect(name), before);
    }
}

/// A run of which a number cannot be stored could never be resumed, and `run.toml` may be edited.
#[test]
fn numbers_that_a_run_cannot_have_are_refused_when_it_begins_and_when_it_is_read() {
    let (_home, folder) = run_folder();
    for (more, needle) in [
        ("--seed 9223372036854775808", "`seed` is 9223372036854775808: expected at most 9223372036854775807"),
        ("--budget-nodes 9999999999999999999", "`budget` is 9999999999999999999"),
        ("--match-pairs 4000000000", "`match_pairs` is 4000000000: expected 0 to 1000000"),
        ("--generations 100000000", "`generations` is 100000000: expected 1 to 1000000"),
    ] {
        let run = format!("tune ga --params null_move.base --suite {SUITE} --nodes 100 --out {folder}");
        refused(&words!("{run} {more}"), needle);
        assert!(!Path::new(&folder).exists(), "{needle}");
    }
    succeeds(&small(&folder, ""));
    let file = Path::new(&folder).join("run.toml");
    let plan = contents(&file);
    for (name, value, needle) in [
        ("crossover", "-5.0", "`crossover` is -5: expected 0 to 1"),
        ("mutation", "7.0", "`mutation` is 7: expected 0 to 1"),
        ("population", "0", "`population` is 0: expected 2 to 1000000"),
    ] {
        let changed = |line: &str| match line.starts_with(&format!("{name} = ")) {
            true => format!("{name} = {value}"),
            false => line.to_owned(),
        };
        let text: Vec<String> = plan.lines().map(changed).collect();
        fs::write(&file, text.join("\n")).expect("written");
        refused(&["tune", "show", &folder], needle);
    }
    fs::write(&file, "").expect("written");
    refused(&["tune", "show", &folder], "it has no number `format`");
}

/// Four games were "worse, -338 Elo, keep the start values", without an interval.
#[test]
fn a_run_with_four_games_has_no_conclusion() {
    let (_home, folder) = run_folder();
    let games = "--objective games --iterations 4 --pairs 3 --match-pairs 2 --move-nodes 100 --r-end 0.5 --hash 1";
    // With this seed the hold-out decides nothing, either.
    let ends = "--nodes 1000 --workers 1 --seed 2";
    let run = succeeds(&words!("tune spsa --params network.tempo {games} --holdout {SUITE} {ends} --out {folder}"));
    let summary = json_value(&contents(Path::new(&folder).join(RESULTS[0])));
    let games = &summary["conclusion"]["games"];
    run.shows(&["verdict: unclear. No clear difference"]);
    assert_eq!((&summary["conclusion"]["verdict"], &games["finding"]), (&"unclear".into(), &"unclear".into()));
    let page = contents(Path::new(&folder).join("report.html"));
    for (key, open) in [("elo_low", "-inf"), ("elo_high", "+inf")] {
        let end = games[key].as_f64().map_or(open.to_owned(), |elo| format!("{elo:+.1}"));
        assert!(page.contains(&end) && run.out.contains(&end), "{end}: {}", run.out);
    }
    assert!(page.contains("Unclear whether better") && !page.contains("eep the start values"), "{page}");
}

#[test]
fn a_candidate_of_a_run_becomes_a_profile() {
    let (_home, folder) = run_folder();
    let report = succeeds(&small(&folder, "--json -")).value();
    let values = &report["steps"][0]["population"][1]["candidate"];
    let shown = succeeds(&["tune", "show", &folder, "--member", "1.2"]);
    let (_keep, profile) = file("member.toml", shown.out.as_bytes());
    let table = succeeds(&["params", "null_move.reduction", "--profile", &profile, "--format", "json"]);
    let place =
        report["dimensions"].as_array().and_then(|all| all.iter().position(|one| one["name"] == "null_move.reduction"));
    let value = &values[place.expect("a dimension of the preset")];
    assert!(table.out.contains(&format!("\"value\": {value}\n")), "{value}: {}", table.out);
    for (member, needle) in
        [("9.1", "5 finished steps, not 9"), ("1.99", "candidates in that step, not 99"), ("x", "such as 1.3")]
    {
        assert_eq!(refused(&["tune", "show", &folder, "--member", member], needle).out, "");
    }
}

#[test]
fn wrong_orders_are_refused_with_text_and_remedy() {
    let (_keep, no_task) = file("idle.epd", b"4k3/8/8/8/8/8/4P3/4K3 w - - id \"nothing to do\";\n");
    let taken = tempfile::tempdir().expect("a folder");
    fs::write(taken.path().join("precious"), "data").expect("a file");
    let taken_path = taken.path().to_str().expect("a path in UTF-8");
    let (_home, new) = run_folder();
    let (suite, paper) = (format!("--suite {SUITE}"), format!("ga --preset paper --out {new}"));
    for (order, needles) in [
        (
            format!("ga --params nul_move.on --out {new} {suite}"),
            &["`nul_move.on`", "did you mean `null_move.on`?"][..],
        ),
        (format!("ga --params -null_move.* --out {new} {suite}"), &["no parameter remains"]),
        (format!("{paper} {suite} --holdout {SUITE}"), &["cannot hold out", "used for tuning", "--positions"]),
        (format!("{paper} --hash 33554432 {suite}"), &["33554432 MiB", "smaller"]),
        (format!("ga --preset paper --out /dev/null/x {suite}"), &["/dev/null/x", "another folder"]),
        (format!("ga --params , --out {new} {suite}"), &["no parameter remains", "null_move.*"]),
        (format!("ga --out {new} {suite}"), &["no parameters are given", "--params"]),
        (format!("{paper} --suite {no_task}"), &["idle.epd", "no position has a solution"]),
        (format!("{paper} --suite no/such.epd"), &["no/such.epd"]),
        (format!("ga --preset paper --out {taken_path} {suite}"), &["the folder exists", "tune resume"]),
        (format!("gradient --preset extensions --race --out {new} {suite}"), &["--race", "gradient descent"]),
        (format!("ga --engine no-such --params x --out {new} {suite}"), &["no program `no-such`", "install it"]),
        (format!("resume {taken_path}"), &["cannot read the tuning run", "--out"]),
        ("show no/such/folder".to_owned(), &["no/such/folder", "cannot read the tuning run"]),
        (format!("resume {taken_path} --profile classic"), &["cannot change --profile, --set or --seed of a run"]),
        (format!("show {taken_path} --set x=1"), &["cannot use --profile or --set", "stores its parameters"]),
    ] {
        quarterply(&words!("tune {order}")).ends(2).says(needles);
        assert!(!Path::new(&new).exists(), "{order}");
    }
    assert_eq!(fs::read_dir(taken.path()).expect("a folder").count(), 1);
}

/// A race without races, the same generation again and again, positions of no suite; two pairs of games that were counted as ten.
#[test]
fn options_without_the_intended_effect_are_refused() {
    let (_home, new) = run_folder();
    let suite = format!("--suite {SUITE} --positions 4");
    for (order, needle) in [
        (
            "cmaes --race --sample 9",
            "cannot use --race with --sample 9: a race draws its own positions or pairs of games; remove one of them",
        ),
        ("ga --elite 10", "cannot use --elite 10 with --population 10: no organism would ever be new; give at most 9"),
        ("spsa --positions 3", "cannot use --positions 3: objective games uses no suite; remove --positions"),
        (
            "spsa --batch 10 --openings 2 --pairs 1",
            "cannot use --batch 10: there are only 2 openings; give at most 2, or raise --openings",
        ),
        (
            &format!("spsa --batch 5 {suite}"),
            "cannot use --batch 5: there are only 4 positions in the suite; give at most 4",
        ),
        (
            &format!("cmaes --sample 5 {suite}"),
            "cannot use --sample 5: there are only 4 positions in the suite; give at most 4",
        ),
        // The usual batch of SPSA is as small as it must be: only the table is refused.
        (&format!("spsa {suite} --hash 33554432"), "33554432"),
    ] {
        refused(&words!("tune {order} --params check.quarters --out {new}"), needle);
    }
    assert!(!Path::new(&new).exists());
}

#[test]
fn a_start_value_outside_its_range_is_named() {
    let (_home, new) = run_folder();
    let order = "tune random --params null_move.base=1024..2048 --set null_move.base=3072 --quiet";
    // It ends before the first measurement.
    refused(
        &words!("{order} --suite {SUITE} --positions 4 --hash 33554432 --out {new}"),
        "the start value 3072 of null_move.base is outside its range 1024..2048; widen the range",
    );
}

#[test]
fn another_engine_is_tuned_through_its_options() {
    let (_home, folder) = run_folder();
    let engine = env!("CARGO_BIN_EXE_quarterply");
    let order = format!("tune random --engine {engine} --suite {SUITE}");
    let sizes = "--positions 3 --nodes 300 --steps 2 --population 2 --match-pairs 0";
    let run = succeeds(&words!("{order} --params check.quarters,null_move.on {sizes} --out {folder}"));
    assert!(run.out.contains("check.quarters") && run.out.contains("verdict: "), "{}", run.out);
    let profile = contents(Path::new(&folder).join("profile.toml"));
    assert!(profile.contains("\"check.quarters\" = "), "{profile}");
    succeeds(&["tune", "resume", &folder]);
    refused(&words!("{order} --params nosuch --out x"), "no option matches `nosuch`");
}

/// Tuned on three positions, and compared on the rest of the file.
#[test]
fn a_suite_that_was_moved_is_named_once() {
    let (home, folder) = run_folder();
    let [one, two] = ["one.epd", "two.epd"].map(|name| home.path().join(name).display().to_string());
    fs::copy(SUITE, &one).expect("a suite");
    let sizes = "--positions 3 --nodes 300 --steps 1 --population 2 --match-pairs 0";
    succeeds(&words!("tune random --params check.quarters --suite {one} {sizes} --out {folder}"));
    fs::rename(&one, &two).expect("another name");
    refused(&["tune", "resume", &folder], "if the suite was moved, name its new path with --suite");
    succeeds(&words!("tune resume {folder} --suite {two}"));
}

/// The second process receives eight lines and then end of file, so it ends in the middle of its work.
#[cfg(unix)]
#[test]
fn an_option_that_the_engine_refuses_is_named_before_the_run() {
    let ((_home, out), engine) = (run_folder(), program());
    for (option, reason) in [("NoSuch=1", "NoSuch"), ("null_move.base=3", "1024")] {
        let order = format!("tune random --engine {engine} --params null_move.slope --suite {SUITE}");
        refused(&words!("{order} --option {option} --out {out}"), "cannot use --option").says(&[reason]);
        assert!(!Path::new(&out).exists(), "{option}");
    }
}

#[test]
fn an_engine_that_crashes_is_named_and_restarted_once() {
    use std::os::unix::fs::PermissionsExt;
    let (home, folder) = run_folder();
    let (engine, here) = (env!("CARGO_BIN_EXE_quarterply"), home.path().display());
    let script = format!(
        "#!/bin/sh\nif mkdir {here}/one 2>/dev/null || ! mkdir {here}/two 2>/dev/null; then exec {engine}; fi\n\
         for i in 1 2 3 4 5 6 7 8; do read -r line && echo \"$line\"; done | {engine}\n"
    );
    let path = home.path().join("engine.sh");
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = path.to_str().expect("a path in UTF-8");
    let sizes = "--positions 3 --nodes 300 --steps 1 --population 1 --match-pairs 0 --workers 1";
    let order = format!("tune random --engine {path} --params check.quarters --suite {SUITE} {sizes}");
    succeeds(&words!("{order} --quiet --out {folder}"))
        .says(&["engine.sh` with check.quarters = ", "started once more"]);
}

#[test]
fn the_presets_have_the_numbers_of_their_papers() {
    // Mates in one: found at once, so that half a million nodes are never searched.
    const SUITE: &str =
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8; id \"one\";\n1r4k1/8/8/8/8/8/5PPP/6K1 b - - bm Rb1; id \"two\";\n";
    let (_keep, suite) = file("mates.epd", SUITE.as_bytes());
    for (method, preset, more, lines, names) in [
        (
            "ga",
            "paper",
            "--budget-nodes 1",
            "population = 10, generations = 50, selection = \"roulette\", crossover = 0.75, mutation = 0.05, mutates = \"bit\", \
             elite = 1, from_start = false",
            vec![
                "null_move.on",
                "null_move.reduction",
                "futility.threshold_3",
                "multi_cut.cuts",
                "mate_threat.quarters",
            ],
        ),
        (
            "gradient",
            "extensions",
            "--iterations 1",
            "delta = 0.25, eta = 0.25, decay = 0.9",
            vec!["check.quarters", "one_reply.quarters", "recapture.quarters", "passed_pawn.quarters"],
        ),
    ] {
        let (_home, out) = run_folder();
        let order = format!("tune {method} --preset {preset} --suite {suite} --positions 1 --match-pairs 0");
        succeeds(&words!("{order} {more} --quiet --out {out}"));
        let plan = contents(Path::new(&out).join("run.toml"));
        for line in lines.split(", ").chain(["objective = \"first\"", "nodes = 500000"]) {
            assert!(plan.lines().any(|other| other == line), "{preset}: {line}: {plan}");
        }
        let dimensions = plan.matches("[[space.dimensions]]").count();
        assert_eq!(dimensions, if preset == "paper" { 18 } else { names.len() }, "{preset}");
        assert!(names.iter().all(|name| plan.contains(&format!("name = \"{name}\""))), "{preset}: {plan}");
    }
}

/// The shipped runs: folder names in `data/runs`, and where they are.
fn shipped() -> Vec<(String, PathBuf)> {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/runs");
    let entries = fs::read_dir(runs).expect("runs").map(|entry| entry.expect("a folder").path());
    let runs = entries.filter(|path| path.join("run.toml").exists());
    runs.map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path)).collect()
}

/// A copy of a run's folder, and its path.
fn copy(run: &Path) -> (TempDir, String) {
    let (home, path) = run_folder();
    fs::create_dir(&path).expect("a folder");
    for entry in fs::read_dir(run).expect("files") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), Path::new(&path).join(entry.file_name())).expect("a copy");
    }
    (home, path)
}

/// `tune show` failed on two of them: "no parameter is named `evaluation.lazy_margin`".
#[test]
fn every_shipped_run_is_shown_whatever_version_recorded_it() {
    let runs = shipped();
    assert!(runs.len() >= 4, "{runs:?}");
    for (name, run) in &runs {
        let (_home, path) = copy(run);
        let shown = succeeds(&["tune", "show", &path]);
        // A run on games counts games, one on a suite counts nodes.
        let ends = |end: &str| shown.out.lines().any(|line| line.trim_end().ends_with(end));
        let (games, suite) = (ends(" pairs of games played"), ends(" nodes searched"));
        let states: &[(bool, bool)] = match name.as_str() {
            "games" => &[(true, false)],
            "tactical" => &[(false, true)],
            _ => &[(false, true), (false, false)],
        };
        assert!(states.contains(&(games, suite)), "{name}: {}", shown.out);
        assert!(Path::new(&path).join("report.html").exists(), "{name}");
        let report = succeeds(&["tune", "show", &path, "--json", "-"]).value();
        assert!(report["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{name}");
        if let Ok(summary) = fs::read_to_string(run.join("summary.json")) {
            let summary = json_value(&summary);
            assert_eq!(
                (&report["steps"], &report["conclusion"]),
                (&summary["steps"], &summary["conclusion"]),
                "{name}"
            );
        }
        let member = succeeds(&["tune", "show", &path, "--member", "1.1"]);
        let (_keep, profile) = file("member.toml", member.out.as_bytes());
        succeeds(&["params", "--profile", &profile]);
        for profile in ["formats/tuned.toml", "profile.toml"] {
            succeeds(&["params", "--profile", &format!("{path}/{profile}")]);
        }
    }
}

/// A copy of a shipped run that recorded two parameters which this version does not have, as runs of older versions may.
fn run_with_removed_parameters() -> (TempDir, String) {
    let extensions = shipped().into_iter().find(|(name, _)| name == "extensions").expect("a run").1;
    let (home, path) = copy(&extensions);
    let [plan, journal] = ["run.toml", "journal.jsonl"].map(|name| Path::new(&path).join(name));
    let identity = || TuningPlan::read(Path::new(&path)).expect("a plan").identity();
    let before = identity();
    let text = contents(&plan);
    let group = "[base.evaluation]\n";
    assert!(text.contains(group), "{text}");
    fs::write(&plan, text.replace(group, &format!("{group}lazy_margin = 1520\nlazy_slope = 30\n"))).expect("a plan");
    let lines = contents(&journal);
    fs::write(&journal, lines.replace(&before, &identity())).expect("a journal");
    (home, path)
}

#[test]
fn removed_parameters_are_shown_as_recorded() {
    let (_home, path) = run_with_removed_parameters();
    let shown = succeeds(&["tune", "show", &path]);
    let report = succeeds(&["tune", "show", &path, "--json", "-"]).value();
    let page = contents(Path::new(&path).join("report.html"));
    let member = succeeds(&["tune", "show", &path, "--member", "1.1"]);
    for (name, value) in [("evaluation.lazy_margin", "1520"), ("evaluation.lazy_slope", "30")] {
        let reason = "this version has no such parameter";
        shown.shows(&[&format!("{name} {value} {reason}")]);
        let expected = serde_json::json!({"name": name, "recorded": value, "reason": reason});
        assert!(report["mismatches"].as_array().expect("a list").contains(&expected), "{report}");
        assert!(page.contains(reason), "{name}");
        assert!(member.out.contains(&format!("# {name} = {value} ({reason})\n")), "{name}: {}", member.out);
    }
}

#[test]
fn a_run_of_removed_parameters_is_not_continued() {
    let (_home, path) = run_with_removed_parameters();
    let journal = || fs::read(Path::new(&path).join("journal.jsonl")).expect("a journal");
    let before = journal();
    let refused = quarterply(&["tune", "resume", &path]);
    assert_eq!(journal(), before);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    refused.says(&[
        "cannot continue the run",
        "it recorded `evaluation.lazy_margin = 1520`, but this version has no such parameter",
        "(1 more recorded value cannot be used)",
        "use the build that started it (version 0.2.0, search signature ",
    ]);
}

/// The signature of the search decides, not the version.
#[test]
fn a_run_that_another_version_began_is_continued() {
    let (_home, whole) = run_folder();
    succeeds(&small(&whole, ""));
    let (_other, killed) = run_folder();
    kill_after(&small(&killed, "--workers 1"), 700);
    let plan = Path::new(&killed).join("run.toml");
    if !plan.exists() {
        return; // a slow machine: it was killed before it had begun
    }
    let text = contents(&plan);
    let older = text.replace(&format!("version = {:?}", env!("CARGO_PKG_VERSION")), "version = \"0.1.0\"");
    assert_ne!(older, text);
    fs::write(&plan, older).expect("a plan");
    let resumed = succeeds(&["tune", "resume", &killed]);
    assert!(resumed.out.contains("verdict: "), "{}", resumed.out);
    for (name, (expected, found)) in RESULTS.iter().zip(results(&whole).iter().zip(results(&killed))) {
        let expected = expected.replace(env!("CARGO_PKG_VERSION"), "0.1.0");
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn results_of_other_tuners_become_a_profile() {
    let digest = b"Name,Curr,Start,Min,Max\nnull_move.base,2870.6,3072,1024,8192\n";
    let (_home, path) = file("digest.csv", digest);
    let run = succeeds(&["tune", "import", &path]);
    assert!(run.out.contains("[null_move]") && run.out.contains("base = 2871"), "{}", run.out);
    run.says(&["null_move.base:", "-> 2871"]);
    for (text, needle) in [("nul_move.base,5", "did you mean `null_move.base`?"), ("", "cannot find a value")] {
        let (_home, path) = file("digest.csv", text.as_bytes());
        assert_eq!(refused(&["tune", "import", &path], needle).out, "");
    }
}

/// Positions of a hold-out that were tuned on were in its interval and in the verdict.
#[test]
fn positions_that_are_tuned_on_are_left_out_of_the_hold_out() {
    const ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8; id \"one\";\n";
    const TWO: &str = "1r4k1/8/8/8/8/8/5PPP/6K1 b - - bm Rb1; id \"two\";\n";
    const THREE: &str = "4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"three\";\n";
    let (_first, tuned) = file("tuned.epd", format!("{ONE}{TWO}").as_bytes());
    let (_second, held) = file("held.epd", format!("{ONE}{THREE}{TWO}").as_bytes());
    let (_home, out) = run_folder();
    let sizes = "--nodes 300 --steps 1 --population 1 --match-pairs 0 --hash 1";
    let suites = format!("--suite {tuned} --holdout {held}");
    let run = succeeds(&words!("tune random --params check.quarters {suites} {sizes} --out {out}"));
    run.says(&["2 of 3 positions of the hold-out (held.epd) are also used for tuning; the comparison leaves them out"]);
    let summary = contents(Path::new(&out).join(RESULTS[0]));
    let report = json_value(&summary);
    assert_eq!(report["conclusion"]["holdout"]["positions"], 1, "{summary}");
    assert_eq!(report["holdout"], "held.epd (without 2 positions that are tuned on)");
    succeeds(&["tune", "resume", &out]);
    assert_eq!(contents(Path::new(&out).join(RESULTS[0])), summary);
}

/// Games on top of a suite: "The start values cost 14 000.0 %".
#[test]
fn a_suite_that_games_do_not_use_is_named_and_not_searched() {
    let (_home, out) = run_folder();
    let order = format!("tune spsa --params network.tempo --objective games --suite {SUITE}");
    let sizes = "--iterations 1 --batch 1 --checks 1 --pairs 1 --openings 2 --match-pairs 0 --move-nodes 30";
    let run = succeeds(&words!("{order} {sizes} --nodes 100 --hash 1 --out {out}"));
    run.says(&["quarterply-24.epd`: objective games uses no suite"]);
    assert!(!run.out.contains("start values cost") && !has_text(&run.out, "tuning suite,"), "{}", run.out);
    let plan = contents(Path::new(&out).join("run.toml"));
    assert!(plan.lines().any(|line| line == "noisy = true") && !plan.contains("[suite]"), "{plan}");
}

#[test]
fn a_resumed_run_without_a_report_is_a_failure() {
    let (_home, out) = run_folder();
    succeeds(&small(&out, "--quiet"));
    let page = Path::new(&out).join("report.html");
    fs::remove_file(&page).expect("a report");
    fs::create_dir(&page).expect("a folder in its place");
    let remedy = format!("then write it again with `quarterply tune show {out}`");
    let run = quarterply(&["tune", "resume", &out]).ends(1);
    run.says(&["cannot write the report: cannot access `", &remedy]);
    assert!(!has_text(&run.err, "continue with `quarterply tune resume`"), "the run is finished: {}", run.err);
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_repeatedly_killed_run_ends_like_an_uninterrupted_one() {
        for more in ["--workers 2", "--workers 2 --race"] {
            let (_home, whole) = run_folder();
            let run = succeeds(&small(&whole, more));
            assert!(run.out.contains("verdict: "), "{}", run.out);
            let (_other, killed) = run_folder();
            kill_after(&small(&killed, more), 700);
            for pause in [350, 800, 500, 1100] {
                if Path::new(&killed).join("run.toml").exists() {
                    kill_after(&words!("tune resume {killed} --workers 1"), pause);
                }
            }
            if Path::new(&killed).join("journal.jsonl").exists() {
                succeeds(&["tune", "show", &killed]);
                succeeds(&["tune", "resume", &killed]);
            } else {
                // A slow machine: it was killed before it had begun.
                fs::remove_dir_all(&killed).ok();
                succeeds(&small(&killed, more));
            }
            assert_eq!(results(&whole), results(&killed), "{more:?}");
        }
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn runs_are_shown_side_by_side() {
        let (_home, path) = folder();
        let folders = [path("ga-1"), path("ga-2"), path("other")];
        for (folder, seed) in folders.iter().zip(["1", "2", "3"]) {
            let objective = if folder.ends_with("other") { "stable" } else { "first" };
            succeeds(&small(folder, &format!("--seed {seed} --objective {objective} --quiet")));
            assert!(
                Path::new(folder).join("report.html").exists() && Path::new(folder).join("plots/course.svg").exists()
            );
        }
        let out = path("compare");
        succeeds(&["tune", "show", &folders[0], &folders[1], "--out", &out]).shows(&["ga genetic algorithm 2"]);
        let page = contents(Path::new(&out).join("compare.html"));
        assert!(page.contains("<svg") && page.contains("genetic algorithm"));
        refused(&["tune", "show", &folders[0], &folders[2]], "has objective first");
    }
}
