//! `ablate`: rules on a suite and in games, in one stage and in two, together, interrupted and resumed, and written into the sources.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use quarterply_lab::ablation::worth_table::WorthTable;
use serde_json::Value;

use crate::documentation::read;
use crate::support::{
    SUITE, contents, file, folder, has_text, json_lines, json_value, program, quarterply, refused, succeeds, words,
};

#[test]
fn ablation_turns_every_rule_over_once() {
    // One position: a table of this size is cleared between two.
    let (_keep, suite) = file("one.epd", b"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"a\";\n");
    let run = succeeds(&["ablate", &suite, "--nodes", "400", "--quiet", "--json", "-"]);
    let rules: Vec<String> = run.json().iter().map(|row| row["rule"].to_string()).collect();
    let listed = quarterply(&["params", "--format", "json"]).out;
    let in_quiescence = ["quiescence.see", "quiescence.narrow", "quiescence.delta", "quiescence.evasions_limited"];
    for name in in_quiescence {
        assert!(listed.contains(&format!("\"{name}\"")) && rules.contains(&format!("\"{name}\"")), "{name}");
    }
    assert_eq!(rules.len(), listed.matches(".on\"").count() + in_quiescence.len() + 1, "{rules:?}");
    assert_eq!(rules.iter().collect::<std::collections::HashSet<_>>().len(), rules.len());
}

/// As in a match; it was exit code 2, that of wrong arguments.
#[cfg(unix)]
#[test]
fn a_full_disk_is_a_failure_of_the_run() {
    let (_folder, at) = folder();
    // A file may have four blocks of 512 bytes; the header of a journal of games fits, 200 games do not.
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let line = words!("ablate --try razoring.base=111 --games 200 --game-nodes 10 --quiet --out {}", at("out"));
    let run = Command::new("sh").args(["-c", limited, &program()]).args(&line).output().expect("a shell");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.code() == Some(1) && has_text(&said, "cannot write"), "{}\n{said}", run.status);
}

/// A suite of two mates in one.
const MATES: &[u8] =
    b"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"a\";\n4k3/8/4K3/8/8/8/8/7R w - - bm Rh8#; id \"b\";\n";

#[test]
fn rules_are_left_out_or_measured_alone() {
    let (_keep, suite) = file("two.epd", MATES);
    let rules = |rules: &str| {
        let rows = succeeds(&words!("ablate {suite} --nodes 300 --quiet --json - {rules}")).json();
        rows.iter().map(|row| format!("{} {}", row["rule"], row["on"])).collect::<Vec<_>>()
    };
    let two = ["\"none\" true", "\"null_move\" false", "\"probcut\" false"];
    assert_eq!(rules("--without=null_move,probcut"), two);
    assert_eq!(rules("--only=null_move"), ["\"none\" true", "\"null_move\" true"]);
    for (argument, message) in [
        ("--without=nul_move", "did you mean `null_move`?"),
        ("--without=multi_cut", "is off in this profile"),
        ("--only=razor", "has no switch"),
    ] {
        refused(&["ablate", &suite, "--quiet", argument], message);
    }
}

/// Quiescence rules have separate switches; the list of rules shows the worth of the main search's rule.
#[test]
fn worths_are_written_where_they_belong() {
    let (folder, at) = folder();
    copy_worths(folder.path());
    let suite = contents(SUITE);
    let few: Vec<&str> = suite.lines().filter(|line| !line.starts_with('#')).take(5).collect();
    let (_keep, suite) = file("few.epd", few.join("\n").as_bytes());
    let root = folder.path().display().to_string();
    refused(&["ablate", &suite, "--depth", "3", "--write", &root], "with --depth alone");
    succeeds(&["ablate", &suite, "--nodes", "400", "--write", &root]);
    let (list, table) = (contents(at("docs/rules.md")), json_value(&contents(at("crates/engine/worths.json"))));
    assert_eq!(table["conditions"]["nodes"], 400);
    assert!(table["notes"]["draw"].is_string(), "notes stay");
    for name in ["see_pruning", "explosion", "razoring"] {
        let section = list.split_once(&format!("## `{name}`")).expect(name).1;
        let measured =
            section.split_once("- *Measured*: ").and_then(|(_, rest)| rest.split_once('\n')).expect("a line").0;
        let row = table["worths"].as_array().and_then(|rows| rows.iter().find(|row| row["rule"] == name)).expect(name);
        let solved =
            format!(", 400 nodes, {}: {} solved ", if row["on"] == true { "on" } else { "off" }, row["solved"]);
        assert!(measured.contains(&solved), "{name}: {measured}");
    }
    assert!(table["worths"].as_array().is_some_and(|rows| rows.iter().any(|row| row["rule"] == "quiescence.delta")));
}

/// Copies the files that worths are written into.
fn copy_worths(home: &Path) {
    for name in ["docs/rules.md", "docs/results/rules.md", "crates/engine/worths.json"] {
        let to = home.join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::write(to, read(name)).expect("written");
    }
}

#[test]
fn an_ablation_resumes_where_it_ended() {
    let (_keep, suite) = file("two.epd", MATES);
    let (_folder, at) = folder();
    let out = at("ablation");
    let begin = format!("ablate {suite} --nodes 300 --depth 3 --games 2 --game-nodes 60 --out {out} --quiet");
    let with = |more: &str| quarterply(&words!("{begin} {more}"));
    let first = with("--without=probcut").ends(0);
    let read = |name: &str| contents(Path::new(&out).join(name));
    let (journal, games) = (read("journal.jsonl"), read("games/probcut-off-nodes=60.jsonl"));
    assert!(read("table.csv").lines().count() == 3 && read("page.html").contains("probcut off"));
    with("--without=probcut").ends(2).says(&["--resume", "--overwrite"]);
    let resumed = with("--without=probcut --resume");
    assert_eq!((resumed.code, &resumed.out), (Some(0), &first.out), "{}", resumed.err);
    assert_eq!(
        (read("journal.jsonl"), read("games/probcut-off-nodes=60.jsonl")),
        (journal, games),
        "nothing was measured again"
    );
    with("--without=probcut,null_move --resume").ends(0);
    assert!(read("table.csv").contains("null_move,0,") && read("journal.jsonl").lines().count() == 7);
    with("--only=probcut --resume").ends(2).says(&["begun with other settings"]);
}

#[test]
fn overwriting_deletes_nothing_and_changes_nothing_that_another_run_uses() {
    let (_keep, at) = folder();
    let out = at("a");
    let line = ["ablate", "--games", "2", "--game-nodes", "20", "--without=probcut", "--quiet", "--out", &out];
    let overwrite = [&line[..], &["--overwrite"]].concat();
    let exists = |name: &str| Path::new(&out).join(name).exists();
    succeeds(&line);
    fs::write(at("a/games/mine.pgn"), "1. e4 *").expect("written");
    let journal = fs::File::open(at("a/journal.jsonl")).expect("a journal");
    journal.lock().expect("free");
    refused(&overwrite, "another ablation uses it");
    assert!(exists("games/mine.pgn") && exists("table.csv") && !exists("games.old"));
    drop(journal);
    succeeds(&overwrite);
    for name in ["mine.pgn", "probcut-off-nodes=20.jsonl"] {
        assert!(exists(&format!("games.old/{name}")), "{name}");
    }
    for name in ["journal.jsonl", "table.csv", "scores.csv", "page.html"] {
        assert!(exists(&format!("{name}.old")) && exists(name), "{name}");
    }
    assert!(!exists("games/mine.pgn") && exists("games/probcut-off-nodes=20.jsonl"));
    let first = fs::read(at("a/journal.jsonl.old")).expect("the first journal");
    succeeds(&overwrite);
    assert!(exists("games.old/mine.pgn") && exists("games.2.old/probcut-off-nodes=20.jsonl"));
    assert!(exists("journal.jsonl.2.old") && fs::read(at("a/journal.jsonl.old")).expect("it stays") == first);
}

#[test]
fn existing_tables_and_pages_are_replaced_only_with_overwrite() {
    for name in ["table.csv", "scores.csv", "page.html", "workers.jsonl", "games/a.pgn"] {
        let (keep, at) = folder();
        fs::create_dir(at("games")).expect("a folder");
        fs::write(at(name), "precious").expect("written");
        let out = keep.path().display().to_string();
        refused(&words!("ablate --games 2 --game-nodes 20 --without=probcut --out {out}"), "it holds results");
        assert_eq!(contents(at(name)), "precious", "{name}");
    }
}

/// The bench cannot tell: it is played without a clock.
#[test]
fn a_run_with_a_changed_profile_file_is_not_resumed() {
    let (_keep, at) = folder();
    let (suite, profile, out) = (at("two.epd"), at("p.toml"), at("a"));
    fs::write(&suite, MATES).expect("written");
    fs::write(&profile, "[clock]\nmoves_to_go = 40\n").expect("written");
    let line = format!("ablate {suite} --nodes 300 --without=probcut --profile {profile} --out {out} --quiet");
    succeeds(&words!("{line}"));
    fs::write(&profile, "[clock]\nmoves_to_go = 41\n").expect("written");
    refused(&words!("{line} --resume"), "fingerprint of the parameters: `");
}

#[test]
fn a_setting_of_any_length_has_a_journal() {
    let (_keep, at) = folder();
    let setting = "razoring.base=111,razoring.slope=111,null_move.base=2000,null_move.slope=300,null_move.lead_divisor=150,\
                   probcut.margin=150,futility.slope=111,reverse_futility.slope=71,late_move_reduction.quiet_base=500,\
                   late_move_reduction.noisy_base=100,late_move_reduction.quiet_divisor=2000";
    succeeds(&["ablate", "--games", "2", "--game-nodes", "20", "--try", setting, "--out", &at("a"), "--quiet"]);
    let journals: Vec<_> = fs::read_dir(at("a/games")).expect("games").flatten().map(|file| file.file_name()).collect();
    let [journal] = &journals[..] else { panic!("{journals:?}") };
    assert!(journal.to_string_lossy().starts_with("razoring.base=111,razoring.slope=111,"), "{journal:?}");
}

#[test]
fn games_need_no_suite() {
    let run = succeeds(&["ablate", "--games", "2", "--game-nodes", "60", "--only=null_move", "--quiet", "--json", "-"]);
    let row = run.json().pop().expect("a row");
    assert_eq!((&row["rule"], &row["games"][0]["games"]), (&"null_move".into(), &2.into()), "{row}");
    assert!(row["solved"].is_null());
    refused(&["ablate", "--quiet"], "SUITE");
}

#[test]
fn settings_play_by_a_clock_that_counts_nodes_and_play_the_same_again() {
    let games = "ablate --set clock.nodes_per_ms=4 --games 2 --try clock.moves_to_go=60";
    let play = || quarterply(&words!("{games} --game-tc 0.5+0.01 --quiet --json -"));
    let (first, again) = (play(), play());
    assert_eq!((first.code, &first.out), (Some(0), &again.out), "{}", first.err);
    let row = first.json().pop().expect("a row");
    assert_eq!((&row["games"][0]["games"], &row["games"][0]["nodes"]), (&2.into(), &0.into()), "{row}");
    for (more, text) in [
        ("--game-tc fast", "`fast` is not a valid time control: expected seconds per game"),
        ("--game-tc 1+0.01 --game-nodes 20", "cannot be used with"),
    ] {
        refused(&words!("{games} {more}"), text);
    }
}

#[test]
fn a_resumed_screen_keeps_its_blocks_however_few_games_are_requested() {
    let (_home, path) = folder();
    let out = path("screen");
    let run = |more: &str| {
        let order = "ablate --together --block 2 --game-nodes 20 --try razoring.base=111 --quiet";
        succeeds(&words!("{order} --out {out} --json {} {more}", path("screen.json")));
        contents(Path::new(&out).join("table.csv"))
    };
    let before = run("--games 8");
    assert_eq!(run("--games 4 --resume"), before);
    let order = "ablate --together --block 2 --game-nodes 20 --games 8 --try razoring.base=112";
    let message = "have changed (left out: `razoring.base=111`; added: `razoring.base=112`); give the same settings";
    refused(&words!("{order} --out {out} --resume"), message);
}

#[test]
fn settings_that_cannot_be_measured_together_are_refused_with_the_remedy() {
    for (more, text) in [
        ("--try razoring.bas=1", "no parameter is named `razoring.bas`; did you mean `razoring.base`?"),
        ("--try probcut.on=true", "the profile has this value; give another one"),
        ("--try razoring.base=1 --without", "cannot be used with"),
        ("--together --try razoring.base=111 --try razoring.base=112", "both change `razoring.base`"),
        ("--together --share 0 --try razoring.base=111", "no setting would be used"),
        ("--together --block 3 --try razoring.base=111", "3"),
        (
            "--together --block 2 --try razoring.base=111 --try multi_cut.on=true",
            "cannot measure: 1 block cannot tell 2 settings apart; give more --games or a smaller --block",
        ),
    ] {
        refused(&words!("ablate --games 2 --game-nodes 20 --quiet {more}"), text);
    }
}

#[test]
fn ablation_of_nothing_is_an_error() {
    let (_keep, suite) = file("bare.epd", b"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - id \"a\";\n");
    let run = quarterply(&["ablate", &suite, "--quiet"]).ends(2);
    assert!(has_text(&run.err, "nothing to solve") && run.out.is_empty(), "{}", run.err);
}

/// A measurement in two stages at two limits.
const STAGED: &str = "ablate --staged --games 40 --game-nodes 60,30 --without=null_move,see_pruning";
/// Elo.
const WIDTH: &str = "--width 110";

/// The words of [`STAGED`] and others.
fn staged(out: &str, more: &str) -> Vec<String> {
    words!("{STAGED} {WIDTH} --out {out} {more}")
}

fn tables(out: &str) -> [String; 2] {
    ["table.csv", "scores.csv"].map(|name| contents(Path::new(out).join(name)))
}

/// The games in the second last columns of a line of `table.csv`, without the profile as it is.
fn games_of(table: &str) -> Vec<usize> {
    table
        .lines()
        .skip(2)
        .map(|line| line.split(',').nth(15).and_then(|games| games.parse().ok()).expect(line))
        .collect()
}

#[test]
fn a_budget_is_kept_and_goes_to_the_widest_rows() {
    let (_keep, at) = folder();
    let out = at("a");
    succeeds(&staged(&out, "--quiet --budget 200"));
    let games = games_of(&tables(&out)[0]);
    assert_eq!(games.iter().sum::<usize>(), 200, "{games:?}");
    assert!(games[0] < games[3], "{games:?}");
}

#[test]
fn stages_that_make_no_sense_are_refused() {
    for (more, text) in [
        ("--staged --together", "cannot be used with"),
        ("--staged --width 0", "`0` is not a valid number: expected one above 0"),
        ("--staged --width -3", "`-3` is not a valid number"),
        (
            "--staged --game-nodes 20,40 --width 16,32,64",
            "cannot use 3 numbers of --width with 2 of --game-nodes: give one width for all, or one for each",
        ),
        ("--width 20 --games 40", "--staged"),
        ("--budget 200 --games 40", "--staged"),
        ("--staged --games 20", "fewer than 40 games do not determine the variance; give --games 40 or more"),
        (
            "--staged --budget 700",
            "cannot play in stages with --budget 700: the first stage of 2 rows has 800 games; give --budget 800 or more, or fewer --games",
        ),
        ("--games 2 --game-nodes 20,20", "cannot play at --game-nodes 20 twice: name each number once"),
        ("--games 2 --game-nodes 20,0", "of 1 or more"),
        ("--games 2 --game-nodes 20,40 --together", "cannot use --together with several --game-nodes"),
        ("--game-nodes 20", "--staged"),
        ("--games 2 --nodes 20", "<SUITE>"),
    ] {
        refused(&words!("ablate --without=probcut,null_move --quiet {more}"), text);
    }
}

/// `--resume` continues a run; it neither replaces other files nor the journals of the run.
#[test]
fn json_lines_of_a_resumed_run_replace_no_other_file() {
    let (_home, path) = folder();
    let (out, precious) = (path("run"), path("precious.txt"));
    fs::write(&precious, "precious").expect("written");
    let run = |json: &str| {
        let games = "ablate --games 4 --game-nodes 20 --without=null_move";
        quarterply(&words!("{games} --out {out} --resume --json {json}"))
    };
    run(&precious).ends(2).says(&["it holds results"]);
    let lines = path("lines.jsonl");
    for _ in 0..2 {
        run(&lines).ends(0);
    }
    run(&precious).ends(2).says(&["it holds results"]);
    for own in ["journal.jsonl", "games/null_move-off-nodes=20.jsonl"] {
        run(&format!("{out}/{own}")).ends(2).says(&[own]);
    }
}

/// The coefficients that a file holds are part of a setting.
#[test]
fn a_setting_whose_file_was_changed_is_measured_again() {
    let (_home, path) = folder();
    let (out, file) = (path("run"), path("coefficients.txt"));
    let text = succeeds(&["params", "learned_cost.coefficients"]).out;
    let tried = format!("--set learned_cost.on=true --try learned_cost.coefficients={file}");
    let arguments = words!("ablate {SUITE} --nodes 300 {tried} --out {out} --resume --quiet");
    let journal = || contents(format!("{out}/journal.jsonl")).lines().count();
    fs::write(&file, &text).expect("written");
    succeeds(&arguments);
    let before = journal();
    succeeds(&arguments);
    assert_eq!(journal(), before, "known");
    assert!(text.contains("raised = "));
    fs::write(&file, text.replace("raised = ", "raised = 1")).expect("written");
    succeeds(&arguments);
    assert_eq!(journal(), before + 1, "measured again");
}

/// Nobody types figures: the page of results is what the table of the engine says.
#[test]
fn the_page_of_worths_shows_the_table_of_the_engine() {
    let page = read("docs/results/rules.md");
    let table: WorthTable = serde_json::from_str(&read("crates/engine/worths.json")).expect("JSON");
    let new = table.in_page(&page).expect("a generated part");
    let differs = page.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(page == new, "run `quarterply ablate --write .`, or undo the change of the page: {differs:?}");
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    /// Games without a suite are written, too: every place has the same figures.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn worths_in_games_are_written_where_they_belong() {
        let (keep, at) = folder();
        copy_worths(keep.path());
        let root = keep.path().display().to_string();
        let games = format!("ablate --games 2 --game-nodes 4,2 --write {root}");
        refused(&words!("{games} --without=probcut"), "a row for every switch");
        // Games by the clock belong to a table of the same program.
        let clock = |more: &str| words!("ablate --games 2 --game-tc 0.1+0.001 --quiet --write {root} {more}");
        let table = contents(at("crates/engine/worths.json"));
        let bench = serde_json::from_str::<WorthTable>(&table).expect("JSON").conditions.bench.to_string();
        let aged = table.replacen(&bench, "1", 1);
        fs::write(at("crates/engine/worths.json"), &aged).expect("written");
        refused(&clock("--without=probcut"), "measure all rows first, without --game-tc");
        refused(&clock("--profile sex"), "profile `sex`");
        assert_eq!(contents(at("crates/engine/worths.json")), aged, "nothing was lost");
        succeeds(&words!("{games} --quiet"));
        let table: WorthTable = serde_json::from_str(&contents(at("crates/engine/worths.json"))).expect("JSON");
        let WorthTable { conditions, worths, .. } = &table;
        assert_eq!(conditions.command, "quarterply ablate --games 2 --game-nodes 4,2 --write .");
        assert_eq!((&conditions.suite, conditions.nodes), (&None, None));
        let worth = worths.iter().find(|worth| worth.rule == "razoring").expect("a rule");
        assert_eq!(worth.games.iter().map(|games| (games.nodes, games.games)).collect::<Vec<_>>(), [(2, 2), (4, 2)]);
        let page = contents(at("docs/results/rules.md"));
        assert!(page.contains("| games at 2 nodes a move | Elo | 95 % | games at 4 nodes a move |"), "{page}");
        assert_eq!(table.in_page(&page), Some(page));
        let list = contents(at("docs/rules.md"));
        let section = list.split_once("## `razoring`").expect("a section").1;
        let measured =
            section.split_once("- *Measured*: ").and_then(|(_, rest)| rest.split_once('\n')).expect("a line").0;
        assert!(
            measured.starts_with("games with it on: ") && measured.contains(" in 2 at 2 nodes a move, "),
            "{measured}"
        );
        succeeds(&clock("--without=probcut,see_pruning"));
        let text = contents(at("crates/engine/worths.json"));
        let new: WorthTable = serde_json::from_str(&text).expect("JSON");
        let limits = |rule: &str| {
            let row = new.worths.iter().find(|worth| worth.rule == rule).expect("a rule");
            row.games.iter().map(|games| games.nodes).collect::<Vec<_>>()
        };
        assert_eq!(
            (limits("probcut"), limits("razoring"), new.worths.len()),
            (vec![2, 4, 0], vec![2, 4], worths.len())
        );
        let page = contents(at("docs/results/rules.md"));
        assert!(
            page.contains(
                "--game-tc 0.1+0.001 --without=probcut,see_pruning --write .\n```\n\nBy the clock, 0.1+0.001 (seconds): "
            ),
            "{page}"
        );
        assert_eq!(new.in_page(&page), Some(page));
        assert!(contents(at("docs/rules.md")).contains(" in 2 at 0.1+0.001; default profile"));
    }

    /// Journals that end anywhere, as after a kill: the tables are those of an undisturbed run, and nothing is played twice.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_killed_measurement_in_two_stages_resumes_to_the_same_table() {
        let (_keep, at) = folder();
        let (whole, cut) = (at("whole"), at("cut"));
        succeeds(&staged(&whole, "--quiet"));
        let expected = tables(&whole);
        for percent in [10, 80] {
            let _ = fs::remove_dir_all(&cut);
            fs::create_dir_all(format!("{cut}/games")).expect("a folder");
            fs::copy(format!("{whole}/journal.jsonl"), format!("{cut}/journal.jsonl")).expect("copied");
            let journals = fs::read_dir(format!("{whole}/games")).expect("journals").flatten();
            for (number, journal) in journals.enumerate() {
                // Rows are played one after the other: the later ones have less or nothing.
                let share = usize::saturating_sub(percent, 8 * number);
                let text = fs::read(journal.path()).expect("a journal");
                let to = format!("{cut}/games/{}", journal.file_name().display());
                fs::write(to, &text[..text.len() * share / 100]).expect("cut");
            }
            succeeds(&staged(&cut, "--quiet --resume --workers 2"));
            assert_eq!(tables(&cut), expected, "{percent} %");
        }
        // A real kill, in the second stage.
        let killed = at("killed");
        let mut child = Command::new(program());
        let log = fs::File::create(at("log")).expect("a log");
        let mut child = child.args(staged(&killed, "")).stdout(Stdio::null()).stderr(log).spawn().expect("it runs");
        while !has_text(&contents(at("log")), "first stage done") {
            assert!(child.try_wait().expect("a child").is_none(), "it ended early");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(!Path::new(&killed).join("table.csv").exists(), "it was killed too late");
        succeeds(&staged(&killed, "--quiet --resume"));
        assert_eq!(tables(&killed), expected);
        // A narrower width and a larger budget only add games.
        let games = games_of(&expected[0]);
        succeeds(&words!("{STAGED} --width 95 --budget 1000 --out {whole} --quiet --resume"));
        let more = games_of(&tables(&whole)[0]);
        assert!(more.iter().zip(&games).all(|(more, games)| more >= games) && more[3] > games[3], "{more:?} {games:?}");
    }

    /// One step of each number, in the same games; a second run of the same command adds nothing.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn numbers_go_a_step_up_against_a_step_down() {
        let (_keep, at) = folder();
        let out = at("steps");
        let steps = |more: &str| {
            let base = "ablate --together --games 40 --block 2 --game-nodes 40 --quiet --json -";
            quarterply(&words!("{base} --out {out} {more}"))
        };
        let run = steps("--steps=razoring,probcut --set razoring.on=true").ends(0);
        let rows = run.json();
        let names: Vec<&str> = rows.iter().filter_map(|row| row["rule"].as_str()).collect();
        assert!(
            names.len() == 1 + 9 && names[0] == "none" && names.iter().any(|name| name.starts_with("razoring.base ")),
            "{names:?}"
        );
        assert!(rows[1..].iter().all(|row| row["games"][0]["games"] == 40), "every game counts for every number");
        let again = steps("--steps=razoring,probcut --set razoring.on=true --resume").ends(0);
        assert_eq!(again.out, run.out);
        assert!(contents(at("steps/page.html")).contains("each number up against down"));
        steps("--steps=razoring --resume").ends(2).says(&["razoring"]);
        for (more, message) in [
            ("--steps=nul_move", "did you mean `null_move`?"),
            ("--steps=upcoming_repetition", "no rule or part with numbers"),
            ("--steps --try razoring.base=111", "cannot be used with"),
        ] {
            refused(&words!("ablate --together --games 40 --quiet {more}"), message);
        }
        refused(&["ablate", "--games", "40", "--steps"], "--together");
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn settings_play_together_and_resume_with_more_games() {
        let (_folder, at) = folder();
        let out = at("screen");
        let tried = "--try multi_cut.on=true --try razoring.base=111,razoring.slope=222 --quiet --json -";
        let run = |more: &str| {
            let base = "ablate --together --block 2 --game-nodes 40 --seed 4";
            succeeds(&words!("{base} --out {out} {tried} {more}")).json()
        };
        let rows = run("--games 8");
        let names: Vec<&str> = rows.iter().filter_map(|row| row["rule"].as_str()).collect();
        assert_eq!(names, ["none", "multi_cut.on=true", "razoring.base=111,razoring.slope=222"]);
        for row in &rows[1..] {
            assert_eq!(row["games"][0]["games"], 8, "every game is one of each setting: {row}");
        }
        let journal = |number: usize| Path::new(&out).join(format!("games/block-{number:04}.jsonl"));
        let before: Vec<Vec<u8>> = (1..=4).map(|number| fs::read(journal(number)).expect("a block")).collect();
        let rows = run("--games 12 --resume");
        assert!(rows[1..].iter().all(|row| row["games"][0]["games"] == 12), "{rows:?}");
        for (number, before) in (1..).zip(before) {
            assert_eq!(fs::read(journal(number)).expect("a block"), before, "block {number} was not played again");
        }
        assert!(journal(6).exists() && !journal(7).exists());
        let page = contents(at("screen/page.html"));
        assert!(page.contains("razoring.base=111,razoring.slope=222") && page.contains("of all settings together"));
        let table = contents(at("screen/table.csv"));
        assert!(table.contains("\n\"razoring.base=111,razoring.slope=222\",1,"), "{table}");
        // Half of the blocks have a setting on neither side.
        let out = at("share");
        let some = "ablate --together --share 50% --block 2 --games 40 --game-nodes 20";
        let run = quarterply(&words!("{some} {tried} --out {out}"));
        let games = run.json()[1]["games"][0]["games"].as_u64().expect("games");
        assert!((6..=34).contains(&games), "{games} of 40");
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn rows_in_two_stages_get_games_by_their_width_and_share_openings() {
        let (_keep, at) = folder();
        let out = at("a");
        let run = succeeds(&staged(&out, &format!("--workers 2 --json {}", at("a.jsonl"))));
        let [table, scores] = tables(&out);
        let games = games_of(&table);
        assert_eq!(games.len(), 4);
        assert!(games.iter().all(|least| *least >= 40 && *least <= games[3]) && games[0] < games[3], "{games:?}");
        let total: usize = games.iter().sum();
        let (least, most) = (games.iter().min().expect("rows"), games[3]);
        let expected = format!("first stage done: {total} games expected, {least} to {most} for each of 4 rows");
        run.says(&[&expected]);
        assert!(scores.lines().nth(1).is_some_and(|line| line.starts_with("null_move,0,nodes=30,")), "{scores}");
        let lines = contents(at("a.jsonl"));
        let rows = json_lines(&lines);
        for row in &rows[1..] {
            let games = row["games"].as_array().expect("two limits");
            assert_eq!([&games[0]["nodes"], &games[1]["nodes"]], [30, 60], "{row}");
            for games in games {
                let width = games["elo_high"].as_f64().expect("an end") - games["elo_low"].as_f64().expect("an end");
                assert!(width < 135.0 && games["significant"].is_boolean(), "{row}");
            }
            assert!(row["change"]["elo"].is_number(), "{row}");
        }
        let page = contents(Path::new(&out).join("page.html"));
        for part in
            ["Stein's two-stage procedure: 40 games of each row", "Which rules gain with nodes", "minus the row above"]
        {
            assert!(page.contains(part), "{part}");
        }
        let openings = |rule: &str| -> Vec<String> {
            let text = contents(Path::new(&out).join(format!("games/{rule}-off-nodes=60.jsonl")));
            let mut pairs: Vec<Value> =
                text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect();
            pairs.retain(|line| line["opening"].is_string());
            pairs.sort_by_key(|line| line["pair"].as_u64());
            pairs.iter().take(20).map(|line| line["opening"].to_string()).collect()
        };
        assert_eq!(openings("null_move"), openings("see_pruning"));
        // The same without a folder, and with one stage.
        let again = succeeds(&words!("{STAGED} {WIDTH} --quiet --json -"));
        assert_eq!(again.out, lines);
        let out = at("b");
        let rules = "--without=null_move,see_pruning";
        succeeds(&words!("ablate --games 40 --game-nodes 30,60 {rules} --quiet --out {out}"));
        let [one_stage, _] = tables(&out);
        assert_eq!(games_of(&one_stage), [40; 4]);
    }
}
