//! Matches from outside.

#[cfg(feature = "nats")]
#[path = "matches/elsewhere.rs"]
mod elsewhere;
#[cfg(feature = "nats")]
#[path = "matches/guarded.rs"]
mod guarded;
#[cfg(feature = "nats")]
#[path = "matches/storm.rs"]
mod storm;
mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
#[cfg(feature = "nats")]
use support::nats::Server;
use support::nats::wait;
use support::{
    SUITE, assert_texts, contents, file, folder, has_text, json_lines, quarterply, refused, succeeds, words,
};

/// A match between two profiles.
const PLAYERS: &str = "match --player default --player classic";
/// A quick one.
const QUICK: &str = "match --player default --player classic --nodes 200 --hash 1";

fn play(more: &str) -> support::CommandOutput {
    quarterply(&words!("{QUICK} {more}"))
}

/// The games without their times, which differ from run to run.
fn timeless(path: &str) -> String {
    let text = contents(path);
    let is_time = |word: &&str| word.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    text.split_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_match_ends_with_a_table_a_journal_and_games() {
    let (_folder, at) = folder();
    let (json, pgn) = (at("out.jsonl"), at("out.pgn"));
    play(&format!("--games 6 --json {json} --pgn {pgn} --concurrency 2")).ends(0).shows(&[
        "default",
        "classic",
        "pairs with 0, ½, 1, 1½, 2 points",
        "complete: 6 games",
        "games per hour",
    ]);
    let lines = json_lines(&contents(&json));
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0]["players"][1]["spec"], &lines[0]["hash"]), (&Value::from("classic"), &Value::from(1)));
    assert_eq!((&lines[4]["summary"], &lines[4]["games"]), (&Value::from(true), &Value::from(6)));
    let games = contents(&pgn);
    let numbers: Vec<&str> = games.lines().filter(|line| line.starts_with("[Round ")).collect();
    assert_eq!(numbers.len(), 6);
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn json_can_go_to_stdout() {
    let run = play("--games 2 --json - --quiet").ends(0);
    let lines = run.json();
    assert_eq!((lines.len(), &lines[0]["pair"], &lines[1]["summary"]), (2, &Value::from(1), &Value::from(true)));
    run.says(&["complete: 2 games"]);
}

#[test]
fn the_player_with_the_least_time_left_is_named() {
    let players = "--player 'default name=Ann' --player 'classic name=Bob'";
    let run = quarterply(&words!("match {players} --tc 0.2+0.01 --games 2"));
    let (_, rest) = run.out.split_once("; at least ").unwrap_or_else(|| panic!("{}{}", run.out, run.err));
    let (_, player) = rest.split_once(" ms left on the clock (").unwrap_or_else(|| panic!("{}", run.out));
    let is_named = ["Ann in game ", "Bob in game "].iter().any(|name| player.starts_with(name));
    assert!(is_named && !run.out.contains("inf"), "{}", run.out);
}

#[test]
fn a_match_resumes_where_it_was_cut() {
    let (_folder, at) = folder();
    let (whole, whole_pgn) = (at("whole.jsonl"), at("whole.pgn"));
    play(&format!("--games 8 --json {whole} --pgn {whole_pgn}")).ends(0);
    let journal = std::fs::read(&whole).expect("the journal");
    let games = std::fs::read(&whole_pgn).expect("the games");
    let (json, pgn) = (at("cut.jsonl"), at("cut.pgn"));
    let resume = format!("--games 8 --json {json} --pgn {pgn} --resume");
    // In the middle of the third line, which is the second pair; the games are a little behind or ahead.
    let second = journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).expect("two lines").0;
    for games_share in [4, 2] {
        std::fs::write(&json, &journal[..second + 300]).expect("cut");
        std::fs::write(&pgn, &games[..games.len() / games_share]).expect("cut");
        play(&format!("{resume} --concurrency 2"))
            .ends(0)
            .says(&["the last line was cut off in the middle", "continuing: 1 of 4 pairs"]);
        assert_eq!(timeless(&pgn), timeless(&whole_pgn));
    }
    play(&resume).says(&["continuing: 4 of 4 pairs"]).shows(&["complete: 8 games"]);
}

#[test]
fn results_are_never_lost_by_accident() {
    let (_folder, at) = folder();
    let (json, pgn) = (at("out.jsonl"), at("out.pgn"));
    let with = |more: &str| play(&format!("--games 2 --json {json} --pgn {pgn} {more}"));
    with("").ends(0);
    let before = std::fs::read(&json).expect("the journal");
    for (more, needles) in [
        ("", &["it holds results; continue with --resume, replace them with --overwrite"][..]),
        ("--resume --threads 2", &["--threads: 1 then, 2 now"]),
        ("--resume --seed 9", &["--openings: `builtin", "--seed: 1 then, 9 now"]),
        ("--resume --player falcon", &["--player", "falcon"]),
        ("--resume --format round-robin", &["--format: `gauntlet` then, `round-robin` now"]),
    ] {
        with(more).ends(2).says(needles);
        assert_eq!(std::fs::read(&json).expect("the journal"), before, "{more}");
    }
    with("--overwrite").ends(0);
}

#[test]
fn a_match_can_have_a_page() {
    let (_folder, at) = folder();
    let [json, html] = ["out.jsonl", "out.html"].map(&at);
    let page = || contents(&html);
    play(&format!("--games 2 --json {json} --page {html}")).ends(0);
    assert_texts(&page(), &["Match default - classic", "2 games. All games were played."]);
    // An older page is not lost by accident; the same match may continue with it, and its first pairs are on the curve.
    play(&format!("--games 2 --page {html}")).ends(2).says(&["out.html`: it holds results"]);
    play(&format!("--games 12 --json {json} --page {html} --resume")).ends(0);
    assert!(page().contains("12 games.") && page().contains("Elo over the pairs of games"), "{}", page());
    assert!(!page().contains("Workers"), "{}", page());
    play(&format!("--games 2 --pgn {html} --page {html}")).ends(2).says(&["cannot write two results to"]);
    // With --resume every file was replaced.
    let (notes, new) = (at("notes.txt"), at("new.jsonl"));
    std::fs::write(&notes, "precious\n").expect("a file");
    let before = page();
    for (journal, file) in [(&json, &notes), (&new, &notes), (&new, &html)] {
        play(&format!("--games 12 --json {journal} --page {file} --resume")).ends(2).says(&["it holds results"]);
    }
    assert_eq!((contents(&notes).as_str(), page()), ("precious\n", before));
}

#[test]
fn more_games_can_be_added() {
    let (_folder, at) = folder();
    let json = at("out.jsonl");
    play(&format!("--games 2 --json {json}")).ends(0);
    play(&format!("--games 4 --json {json} --resume"))
        .says(&["begun with --games 2, continues to 4"])
        .shows(&["complete: 4 games"]);
}

#[test]
fn a_test_ends_a_match() {
    let run = play("--games 400 --sprt 'elo0=-400 elo1=0 alpha=0.2 beta=0.2' --concurrency 2").ends(0);
    let verdict = "H1 accepted (0 Elo): gain above -400 shown for default over classic";
    run.shows(&["decided after", verdict]);
}

#[test]
fn books_are_used_in_order_and_begin_again() {
    let fens = ["4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - -", "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -"];
    let (_keep, book) = file("book.epd", fens.map(|fen| format!("{fen} id \"x\";\n")).concat().as_bytes());
    let (_folder, at) = folder();
    let json = at("out.jsonl");
    play(&format!("--games 6 --openings {book} --json {json}"))
        .ends(0)
        .says(&["has 2 openings, but the match needs 3", "will be the same games"]);
    let openings: Vec<Value> =
        json_lines(&contents(&json)).iter().filter_map(|line| line.get("opening").cloned()).collect();
    assert_eq!(openings.len(), 3);
    assert!(openings[0].as_str().is_some_and(|fen| fen.starts_with(fens[0])), "{openings:?}");
    assert!(openings[0] != openings[1] && openings[0] == openings[2], "{openings:?}");
}

/// Engines answer the same with a log: it holds every line with time, player and direction, and an older log goes on.
#[test]
fn the_dialogue_with_engines_is_recorded() {
    let (_folder, at) = folder();
    let (log, with, without) = (at("engines.log"), at("with.pgn"), at("without.pgn"));
    let players = format!("--player default --player 'cmd:{} name=Ann'", support::program());
    let game = format!("match {players} --nodes 60 --hash 1 --games 2");
    succeeds(&words!("{game} --pgn {without}"));
    succeeds(&words!("{game} --pgn {with} --log {log}"));
    assert_eq!(timeless(&with), timeless(&without));
    let text = contents(&log);
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.splitn(5, ' ').collect()).collect();
    let (today, now) = ("2026-11-28".len(), "22:41:07.123456".len());
    for line in &lines {
        let [date, time, name, mark, _] = line[..] else { panic!("{line:?}") };
        assert!(date.len() == today && time.len() == now && name.starts_with("Ann#"), "{line:?}");
        assert!(["<", ">", "-", "!"].contains(&mark), "{line:?}");
    }
    assert!(lines.len() > 20, "{text}");
    let count =
        |mark: &str, start: &str| lines.iter().filter(|line| line[3] == mark && line[4].starts_with(start)).count();
    assert!(count(">", "go nodes 60") > 4 && count(">", "go nodes 60") == count("<", "bestmove "), "{text}");
    assert!(count(">", "uci") >= 1 && count("<", "uciok") >= 1 && count("-", "started ") >= 1, "{text}");
    succeeds(&words!("{game} --log {log}"));
    let more = contents(&log);
    assert!(more.starts_with(&text) && more.len() > text.len());
}

#[test]
fn a_log_that_cannot_be_written_ends_the_command_at_the_start() {
    let (_folder, at) = folder();
    let (pgn, other) = (at("out.pgn"), at("other.txt"));
    std::fs::write(&other, "precious\n").expect("a file");
    let engine = support::program();
    let refusal = "cannot write log `/no/such/x.log`: ";
    for (command, needle) in [
        (words!("{PLAYERS} --log /no/such/x.log"), refusal),
        (words!("selfplay --games 2 --log /no/such/x.log"), refusal),
        (words!("solve {SUITE} --engine {engine} --log /no/such/x.log"), refusal),
        (words!("mine --check {engine} --log /no/such/x.log"), refusal),
        (words!("tune ga --out /no/run --engine {engine} --params x --log /no/such/x.log"), refusal),
        (words!("uci-check --log /no/such/x.log"), refusal),
        (words!("{PLAYERS} --pgn {pgn} --log {pgn}"), "another option names this file"),
        (
            words!("{PLAYERS} --log {other}"),
            "it holds something else than a log of engines; give another path to --log",
        ),
        (words!("{PLAYERS} --log {other} --overwrite"), "it holds something else than a log of engines"),
        // Without an engine there is nothing to record.
        (words!("solve {SUITE} --log {pgn}"), "cannot use --log without --engine CMD"),
        (words!("mine --log {pgn}"), "cannot use --log without --check CMD"),
        (words!("tune ga --preset paper --out /no/run --log {pgn}"), "cannot use --log without --engine"),
    ] {
        refused(&command, needle);
    }
    assert_eq!(contents(&other), "precious\n");
    assert!(!Path::new(&pgn).exists());
}

#[test]
fn options_with_spaces_and_wrong_names_of_options_are_explained() {
    let engine = support::program();
    let play = |settings: &str| {
        let player = format!("cmd:{engine} {settings}");
        quarterply(&["match", "--player", "default", "--player", &player, "--nodes", "9", "--games", "2"])
    };
    play("\"option.Move Overhead=5\"").ends(0);
    for (settings, needle) in [
        ("option.Hahs=2", "has no option `Hahs`; did you mean `Hash`?"),
        (
            "option.MoveOverhead=5",
            "did you mean `Move Overhead`? Put a setting with spaces in quotation marks: \"option.Move Overhead=VALUE\"",
        ),
        ("option.Move=5", "did you mean `Move Overhead`?"),
        (
            "option.Move Overhead=5",
            "`option.Move` has no value; a setting with spaces needs quotation marks: write \"option.Move Overhead=5\"",
        ),
    ] {
        play(settings).ends(2).says(&[needle]);
    }
    let help = succeeds(&["match", "--help"]).out;
    assert!(has_text(&help, "'cmd:toga2 \"option.NullMove Pruning=Never\"'"), "{help}");
}

#[test]
fn many_players_get_two_tables() {
    let (_folder, at) = folder();
    let json = at("out.jsonl");
    let run = play(&format!("--player classic --format round-robin --games 2 --json {json}")).ends(0);
    assert!(!run.out.contains("inf"), "{}", run.out);
    run.shows(&["classic 2", "default - classic 2", "classic - classic 2", "complete: 6 games", "rating"]);
}

#[test]
fn useless_input_is_refused_with_code_2() {
    for (more, needle) in [
        ("--player defalt", "did you mean `default`?"),
        ("--player cmd:/no/such/engine", "no program `/no/such/engine`"),
        ("--games 5", "4 or 6"),
        ("--tc fast", "`fast` is not a valid time control"),
        ("--tc 1e10", "both at most 1000000000, such as 1+0.01"),
        ("--movetime 1e10", "`1e10` is not a valid time: expected seconds above 0 and at most 1000000000"),
        ("--nodes 9 --depth 2", "cannot be used with"),
        ("--format swiss", "`swiss` is not a valid format"),
        ("--opening-plies 99999999", "from 0 to 1000"),
        ("--sprt 'elo0=5 elo1=0'", "elo0"),
        ("--resume", "no journal is given"),
        ("--set null_move.on=false", "--player"),
        ("--openings /no/such.epd", "/no/such.epd"),
        ("--nodes 9 --json /no/such/x.jsonl", "cannot open `/no/such/x.jsonl`"),
    ] {
        refused(&words!("{PLAYERS} {more}"), needle);
    }
    for (line, needle) in [
        ("match", "--player"),
        ("match --player default", "it needs two or more players, and there are 1"),
        ("workers measure --seconds nan", "`nan` is not a valid time: expected seconds from 0 to 3600"),
        ("workers measure --seconds 3601", "`3601` is not a valid time"),
        ("worker --task nowhere --name ' '", "the name is empty"),
        ("worker --task x --hours 1", "cannot be used with"),
        ("worker --task x --json -", "cannot use --json: a worker sends results"),
    ] {
        refused(&words!("{line}"), needle);
    }
}

/// After any kill, the games equal those of a single machine, without duplicates.
#[cfg(feature = "nats")]
#[test]
fn games_of_workers_are_the_same_whatever_is_killed() {
    let (folder, at) = folder();
    let Some(mut server) = Server::start(folder.path()) else { return };
    let (local, far) = (at("local"), at("far"));
    let datagen = "datagen --games 40 --nodes 120 --hash 1 --seed 3 --bench-depth 3";
    succeeds(&words!("{datagen} --out {local}"));
    let shard = |folder: &str| std::fs::read(format!("{folder}/games-00001.shard")).unwrap_or_default();
    let grown = |by: usize| wait(|| (shard(&far).len() > shard(&local).len() * by / 10).then_some(())).expect("games");

    let (first, second) = (server.worker("first"), server.worker("second"));
    for name in ["first.log", "second.log"] {
        wait(|| server.log(name).contains("serves").then_some(())).expect("a worker");
    }
    let coordinator = server.run(&words!("{datagen} --out {far}"), "begun.log");
    let workers = || std::fs::read_to_string(format!("{far}/workers.jsonl")).unwrap_or_default();
    wait(|| workers().contains("\"first\"").then_some(())).expect("it plays");
    grown(2);
    first.kill();
    grown(4);
    coordinator.kill();
    server.down();
    server.up();
    let mut coordinator = server.run(&["datagen", "resume", &far], "resumed.log");
    grown(6);
    server.down();
    server.up();
    let log = coordinator.ends(0);
    assert!(shard(&local) == shard(&far), "other games:\n{log}");
    // How many threads of this machine there would have been does not count.
    assert!(has_text(&log, "per second and remote thread") && !has_text(&log, "workers)"), "{log}");
    assert!(workers().contains("\"second\""), "{}", workers());
    succeeds(&["datagen", "stats", &far]);
    let page = contents(format!("{far}/stats.html"));
    assert!(page.contains(">first<") && page.contains(">second<"), "{page}");

    let [pgn, far_pgn, json, html] = ["local.pgn", "far.pgn", "far.jsonl", "far.html"].map(&at);
    let quick = format!("{QUICK} --games 10 --sprt 'elo0=0 elo1=300'");
    succeeds(&words!("{quick} --pgn {pgn}"));
    server.run(&words!("{quick} --pgn {far_pgn} --json {json} --page {html}"), "match.log").ends(0);
    assert_eq!(timeless(&pgn), timeless(&far_pgn));
    let page = contents(&html);
    assert!(page.contains("Workers") && page.contains(">second<") && !page.contains(">first<"), "{page}");
    assert!(contents(&json).contains("\"worker\":\"second\""));
    drop(second);
}

/// A task without an outcome in the folder of a run, once there is one.
fn open_task(run: &str) -> PathBuf {
    let found = wait(|| {
        let mut tasks = std::fs::read_dir(format!("{run}/tasks")).ok()?.flatten().map(|entry| entry.path());
        tasks.find(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.ends_with(".json") && !Path::new(&format!("{run}/outcomes/{name}")).exists()
        })
    });
    found.expect("a task")
}

/// Without a server: tasks are files, and workers write outcome files.
#[test]
fn a_batch_system_can_do_the_tasks() {
    let (_folder, at) = folder();
    let (json, run) = (at("out.jsonl"), at("run"));
    let match_ended = std::thread::scope(|scope| {
        let played = scope.spawn(|| play(&format!("--games 4 --json {json} --tasks {run}")));
        for _ in 0..2 {
            succeeds(&["worker", "--task", &open_task(&run).display().to_string()]);
        }
        played.join().expect("no panic")
    });
    match_ended.ends(0).shows(&["complete: 4 games"]);
}

#[test]
fn arguments_that_workers_cannot_use_are_refused_by_name() {
    let password = if cfg!(feature = "nats") { "NATS_PASSWORD_FILE" } else { "--features nats" };
    let unreachable = if cfg!(feature = "nats") { "cannot connect to NATS" } else { "--features nats" };
    for (more, needle) in [
        ("--nats nats://me:secret@127.0.0.1:1", password),
        ("--nats nats://127.0.0.1:1", unreachable),
        ("--player 'cmd:true name=Mute' --tasks RUN", "cannot use player `Mute`"),
    ] {
        let (_folder, at) = folder();
        let refused = play(&more.replace("RUN", &at("run")));
        assert!(refused.code.is_some_and(|code| code > 0), "{more}");
        refused.says(&[needle]);
    }
}
