//! `quarterply datagen` from the outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::nats::wait;
use crate::support::{contents, file, has_text, kill_when, quarterply, refused, succeeds};
use quarterply_datagen::read::Archive;
use quarterply_datagen::record::{Ending, GameOutcome, GameRecord};
use quarterply_engine::score::Score;
use quarterply_files::epd::read_suite;
use tempfile::TempDir;

/// Games that take a moment only.
const QUICK: [&str; 8] = ["--nodes", "80", "--hash", "1", "--bench-depth", "1", "--seed", "11"];

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A folder with a run of `games` games.
fn played(games: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    succeeds(&[&["datagen", "--games", games, "--out", text(&out)], &QUICK[..]].concat());
    (folder, out)
}

/// All files of a run, by name.
fn shards(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let names = quarterply_datagen::folder::shards_of(folder).expect("a folder");
    let read = |path: PathBuf| (path.file_name().expect("a name").into(), fs::read(&path).expect("a shard"));
    names.into_iter().map(read).collect()
}

fn games(folder: &Path) -> Vec<GameRecord> {
    let archive = Archive::open(&[folder]).expect("a run");
    archive.games().collect::<Result<_, _>>().expect("good games")
}

fn size(folder: &Path) -> u64 {
    let length = |entry: fs::DirEntry| entry.metadata().map_or(0, |data| data.len());
    fs::read_dir(folder).map_or(0, |entries| entries.flatten().map(length).sum())
}

#[test]
fn a_killed_run_goes_on_to_the_games_of_a_run_left_alone() {
    const GAMES: &str = "100";
    let (_alone, alone) = played(GAMES);
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let begun = [&["datagen", "--games", GAMES, "--out", text(&out), "--workers", "2"], &QUICK[..]].concat();
    assert!(kill_when(&begun, || size(&out) >= 20_000), "killed in the middle");
    assert!(games(&out).len() < 100);
    succeeds(&["datagen", "resume", text(&out), "--workers", "2"])
        .shows(&["100 games", "% of the workers' time in searches"]);
    assert!(shards(&out) == shards(&alone));
    let games = games(&out);
    assert_eq!(games.len(), 100);
    assert!(games.iter().enumerate().all(|(index, game)| game.number == index as u64 + 1));
    assert!(games.iter().all(|game| game.replay().all(|view| view.is_ok())), "a stored move is illegal");
    // The winner thinks so in the end, as White sees it.
    for game in &games {
        let last = game.steps.last().expect("a move").white_score();
        match game.outcome {
            GameOutcome::White => assert!(last > Some(Score::ZERO), "game {}: {last:?}", game.number),
            GameOutcome::Black => assert!(last < Some(Score::ZERO), "game {}: {last:?}", game.number),
            GameOutcome::Draw => {}
        }
    }
}

#[test]
fn wrong_requests_are_refused_with_the_remedy() {
    let (_folder, out) = played("2");
    let out = text(&out);
    let none = tempfile::tempdir().expect("a folder");
    let none = text(none.path());
    let (_other, foreign) = file("games.shard", b"[Event \"?\"]");
    for (arguments, needle) in [
        (vec!["datagen", "--out", none], "give --games N, --positions N or --hours H"),
        (vec!["datagen", "--games", "3"], "--out"),
        (vec!["datagen", "--games", "3", "--out", out, "--bench-depth", "1"], "the folder contains a run"),
        (vec!["datagen", "--games", "3", "--out", none, "--nodes", "9", "--hard-nodes", "8"], "hard limit of 8 nodes"),
        (vec!["datagen", "--games", "3", "--out", none, "--random-plies", "9..8"], "random plies 9..8"),
        (vec!["datagen", "--games", "3", "--out", none, "--adjudicate-draw", "moves=6"], "`after` is missing"),
        (vec!["datagen", "--games", "3", "--out", none, "--syzygy", "/no/such"], "`/no/such` is not a directory"),
        (vec!["datagen", "--hours", "0", "--out", none], "`0` is not a valid number: expected one above 0"),
        (vec!["datagen", "resume", none], "contains no shards"),
        (vec!["datagen", "resume", out, "--seed", "3"], "cannot change --profile, --set or --seed of a run"),
        (vec!["datagen", "stats", "/no/such"], "/no/such"),
        (vec!["datagen", "dump", &foreign], "games.shard: it is not a file of games of `datagen`"),
        (vec!["datagen", "convert", out, "--to", "bulletformat", "-o", "/no/such/x"], "cannot write `/no/such/x`"),
        (vec!["datagen", "dump", out, "--skip-first", "1.5"], "give a whole number of 0 or more, such as 500, 20k"),
        (vec!["datagen", "dump", out, "--range", "9k..3k"], "expected a number from 1 on, or a range such as 1..100"),
        (vec!["datagen", "dump", out, "--json", "-"], "cannot use --json: `datagen dump` writes EPD or PGN"),
        (vec!["datagen", "dump", out, "--pgn", "--keep-checks"], "cannot use --keep-checks: games are written whole"),
        (
            vec!["datagen", "convert", out, "--to", "viriformat", "--score-max", "9", "-o", "x"],
            "cannot use --score-max 9: games are written whole",
        ),
        (vec!["datagen", "dump", out, "--profile", "classic"], "cannot use --profile or --set"),
        (vec!["datagen", "convert", out, "--to", "viriformat", "-o", "x", "--set", "a.b=1"], "cannot use --profile"),
        (vec!["datagen", "stats", out, "--set", "a.b=1"], "cannot use --profile or --set"),
        (vec!["datagen", "pack", out, "-o", "x.games", "--set", "a.b=1"], "cannot use --profile or --set"),
        (vec!["datagen", "unpack", out, "--out", none, "--set", "a.b=1"], "cannot use --profile or --set"),
        (vec!["datagen", "relabel", out, "--nodes", "9", "--out", none, "--seed", "2"], "cannot use --seed"),
    ] {
        refused(&arguments, needle);
    }
}

#[test]
fn games_begin_from_a_book_and_a_bad_one_is_named() {
    const ENDING: &str = "8/5pk1/6p1/7p/7P/6P1/r4PK1/4R3 w - -";
    let (folder, book) = file("book.epd", format!("{ENDING}\n8/8/8 w - -\n").as_bytes());
    let out = folder.path().join("run");
    let begin = |book: &str, out: &Path| {
        let words = ["datagen", "--games", "3", "--openings", book, "--random-plies", "0", "--out", text(out)];
        quarterply(&[&words, &QUICK[..]].concat())
    };
    begin(&book, &out).ends(0).says(&["warning:", "book.epd:2"]);
    let starts: Vec<String> = games(&out).iter().map(|game| format!("{:?}", game.start)).collect();
    assert!(starts.len() == 3 && starts.iter().all(|start| *start == starts[0]), "{starts:?}");
    let plain = folder.path().join("plain");
    begin("builtin", &plain).ends(0);
    assert!(games(&plain).iter().all(|game| format!("{:?}", game.start) != starts[0]));

    fs::write(&book, "8/5pk1/6p1/8/8/1P6/1K6/8 b - -\n").expect("written");
    refused(&["datagen", "resume", text(&out), "--games", "5"], "book.epd: its contents have changed");
    assert_eq!(games(&out).len(), 3, "nothing is lost");
    let none = folder.path().join("none");
    begin("/nowhere/book.epd", &none).ends(2).says(&["/nowhere/book.epd"]);
    assert!(!none.exists(), "what cannot be played leaves nothing behind");
}

#[test]
fn damaged_foreign_and_newer_files_are_refused_with_their_place() {
    let (_folder, out) = played("3");
    let (name, good) = shards(&out).remove(0);
    let path = out.join(name);
    let refused = |edit: &dyn Fn(&mut Vec<u8>), needle: &str| {
        let mut bytes = good.clone();
        edit(&mut bytes);
        fs::write(&path, bytes).expect("written");
        for command in [vec!["datagen", "stats", text(&out)], vec!["datagen", "resume", text(&out)]] {
            quarterply(&command).ends(2).says(&[needle, "games-00001.shard"]);
        }
    };
    refused(&|bytes| bytes[8] = 9, "format 9 (byte 8)");
    refused(&|bytes| bytes[0] = b'P', "not a file of games of `datagen`");
    refused(&|bytes| bytes[40] ^= 1, "the header is damaged");
    refused(&|bytes| *bytes.last_mut().expect("bytes") ^= 1, "block 3 (game 3) is damaged");
}

#[test]
fn figures_text_and_other_formats_agree() {
    let (folder, out) = played("8");
    let all = games(&out);
    let moves: usize = all.iter().map(|game| game.steps.len()).sum();
    let json = succeeds(&["datagen", "stats", text(&out), "--no-filter", "--json", "-"]);
    let figures: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((figures["games"].as_u64(), figures["kept"].as_u64()), (Some(8), Some(moves as u64)));
    let page = contents(out.join("stats.html"));
    assert!(page.contains("<svg ") && page.contains("How games end"));

    let epd = folder.path().join("all.epd");
    succeeds(&["datagen", "dump", text(&out), "--no-filter", "-o", text(&epd)]);
    let suite = read_suite(&epd).expect("positions");
    assert_eq!((suite.records.len(), suite.skipped.len()), (moves, 0));
    let pgn = quarterply(&["datagen", "dump", text(&out), "--pgn", "--range", "2..0.003k"]);
    assert_eq!((pgn.code, pgn.out.matches("[Event ").count()), (Some(0), 2), "{}", pgn.err);

    let bullet = folder.path().join("bullet");
    succeeds(&["datagen", "convert", text(&out), "--to", "bulletformat", "--no-filter", "-o", text(&bullet)]);
    assert_eq!(fs::metadata(&bullet).expect("the file").len(), 32 * moves as u64);
    let viri = folder.path().join("viri");
    succeeds(&["datagen", "convert", text(&out), "--to", "viriformat", "-o", text(&viri)]);
    let plain: Vec<u8> = all.iter().flat_map(GameRecord::encode).collect();
    assert!(fs::read(&viri).expect("the file") == plain);
}

#[test]
fn games_that_a_command_reads_are_not_replaced() {
    let (folder, out) = played("2");
    let before = shards(&out);
    let shard = out.join("games-00001.shard");
    for command in [&["dump"][..], &["convert", "--to", "viriformat"], &["stats"]] {
        refused(&[&["datagen"], command, &[text(&out), "-o", text(&shard)]].concat(), "the same command reads it");
    }
    assert!(shards(&out) == before);
    let json = folder.path().join("figures.jsonl");
    let viri = folder.path().join("viri");
    let convert = ["convert", text(&out), "--to", "viriformat", "-o", text(&viri)];
    for command in [&["stats", text(&out)][..], &["compare", text(&out), text(&out)], &convert] {
        fs::write(&json, "precious").expect("written");
        let command = [&["datagen"], command, &["--json", text(&json)]].concat();
        refused(&command, "--overwrite");
        assert_eq!(contents(&json), "precious", "{command:?}");
        succeeds(&[&command[..], &["--overwrite"]].concat());
        let line = contents(&json);
        let figures: serde_json::Value = serde_json::from_str(line.lines().next().expect("a line")).expect("JSON");
        assert!(figures.is_object(), "{command:?}: {line}");
    }
}

/// It was refused after hours of play.
#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_played() {
    let (folder, out) = played("2");
    let (json, new) = (folder.path().join("report.jsonl"), folder.path().join("new"));
    fs::write(&json, "precious").expect("written");
    let quick = |command: &[&'static str]| [&["datagen"], command, &QUICK[..6]].concat();
    let begin = [&quick(&["--games", "2"])[..], &["--out", text(&new)]].concat();
    let relabel = vec!["datagen", "relabel", text(&out), "--nodes", "10", "--out", text(&new)];
    let visited = vec!["datagen", "sample", text(&out), "--search-nodes", "20", "--nodes", "10", "--out", text(&new)];
    let resume = vec!["datagen", "resume", text(&out), "--games", "4"];
    let before = shards(&out);
    for command in [begin, relabel, visited, resume] {
        refused(&[&command[..], &["--json", text(&json)]].concat(), "--overwrite");
        assert!(!new.exists() && shards(&out) == before, "{command:?}");
    }
}

#[test]
fn relabelled_games_have_the_same_moves_and_other_scores() {
    let (folder, out) = played("6");
    let deeper = folder.path().join("deeper");
    let relabel = |workers: &str, to: &Path| {
        let nodes = ["--nodes", "400", "--bench-depth", "1", "--workers", workers];
        quarterply(&[&["datagen", "relabel", text(&out), "--out", text(to)], &nodes[..]].concat())
    };
    relabel("2", &deeper).ends(0);
    let (old, new) = (games(&out), games(&deeper));
    assert_eq!(old.len(), new.len());
    assert!(old.iter().zip(&new).all(|(old, new)| old.has_the_moves_of(new) && old.outcome == new.outcome));
    assert!(old != new);
    let again = folder.path().join("again");
    relabel("1", &again).ends(0);
    assert!(shards(&again) == shards(&deeper));
    // Cut off in the middle, the same command goes on.
    let (name, bytes) = shards(&again).remove(0);
    fs::write(again.join(name), &bytes[..bytes.len() * 2 / 3]).expect("cut");
    let run = relabel("2", &again).ends(0);
    assert!(has_text(&run.err, "dropped") && shards(&again) == shards(&deeper), "{}", run.err);
    refused(&["datagen", "resume", text(&again)], "datagen relabel");
}

/// Numbers of games begin again with each run, so that the new games could not be read.
#[test]
fn games_of_different_runs_are_not_relabelled_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let [both, out] = ["both", "out"].map(|name| folder.path().join(name));
    fs::create_dir(&both).expect("made");
    for seed in ["21", "22"] {
        let run = folder.path().join(seed);
        let play = ["datagen", "--games", "2", "--nodes", "40", "--hash", "1", "--bench-depth", "1", "--seed", seed];
        succeeds(&[&play[..], &["--out", text(&run)]].concat());
        succeeds(&["datagen", "pack", text(&run), "-o", text(&both.join(format!("{seed}.games")))]);
    }
    for command in ["relabel", "sample"] {
        let run = ["datagen", command, text(&both), "--nodes", "40", "--bench-depth", "1", "--out", text(&out)];
        refused(&run, "its games are from different runs (seeds 21 and 22); give one of its files");
        assert!(!out.exists(), "nothing was made");
    }
    let one = both.join("22.games");
    succeeds(&["datagen", "sample", text(&one), "--nodes", "40", "--bench-depth", "1", "--out", text(&out)]);
}

#[test]
fn positions_that_searches_visit_are_drawn_from_games() {
    let (folder, out) = played("4");
    let draw = |workers: &str, to: &Path, more: &[&str]| {
        let nodes =
            ["--nodes", "150", "--search-nodes", "300", "--each", "6", "--bench-depth", "1", "--workers", workers];
        quarterply(&[&["datagen", "sample", text(&out), "--out", text(to)], &nodes[..], more].concat())
    };
    let drawn = folder.path().join("drawn");
    let run = draw("2", &drawn, &[]).ends(0);
    assert!(has_text(&run.out, "24 places, ") && !has_text(&run.out, "games"), "{}", run.out);
    let run = draw("2", &drawn, &["--json", "-"]);
    let figures: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let figure = |part: &str, key: &str| figures[part].get(key).and_then(serde_json::Value::as_u64);
    assert!(figure("all", "places") == Some(24) && figure("added", "places") == Some(0), "{}", run.out);
    assert!(figure("all", "draws").is_none() && figure("all", "games").is_none(), "{}", run.out);
    let records = games(&drawn);
    assert_eq!(records.iter().map(|record| record.number).collect::<Vec<_>>(), (1..=24).collect::<Vec<_>>());
    assert!(records.iter().all(|record| record.ending == Ending::Visited && record.steps.len() <= 1));
    assert!(records.iter().filter(|record| !record.steps.is_empty()).count() > 12);
    // Any number of workers, and cut off within the positions of a game: the same.
    let again = folder.path().join("again");
    draw("1", &again, &[]).ends(0);
    assert!(shards(&again) == shards(&drawn));
    let (name, bytes) = shards(&again).remove(0);
    fs::write(again.join(name), &bytes[..bytes.len() * 3 / 5]).expect("cut");
    let run = draw("2", &again, &[]).ends(0);
    assert!(has_text(&run.err, "dropped") && shards(&again) == shards(&drawn), "{}", run.err);
    // Others are not mixed with them, and they are no run that can be played on.
    draw("1", &again, &["--seed", "9"]).ends(2).says(&["`visited`"]);
    refused(&["datagen", "resume", text(&again)], "datagen sample");
    draw("1", &folder.path().join("none"), &["--hard-nodes", "10"]).ends(2).says(&["hard limit of 10 nodes"]);
    let none = folder.path().join("none");
    let run = ["datagen", "sample", text(&drawn), "--nodes", "9", "--bench-depth", "1", "--out", text(&none)];
    refused(&run, "and no games");
    let epd = folder.path().join("drawn.epd");
    succeeds(&["datagen", "dump", text(&drawn), "--epd", "-o", text(&epd)]);
    assert!(contents(&epd).lines().all(|line| line.contains("c9 \"*\";")));
    // They are neither games as PGN nor drawn games.
    refused(&["datagen", "dump", text(&drawn), "--pgn"], "which are not games; use --epd");
    let run = succeeds(&["datagen", "stats", text(&drawn), "--json", "-"]);
    let figures: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&figures["places"], &figures["games"], &figures["draws"]), (&24.into(), &0.into(), &0.into()));
}

#[test]
fn positions_of_trees_are_drawn_with_their_own_values() {
    let (folder, out) = played("2");
    let draw = |to: &str, more: &[&str]| {
        let to = folder.path().join(to);
        let counts = ["--search-nodes", "400", "--each", "12", "--per-search", "6", "--bench-depth", "1"];
        quarterply(&[&["datagen", "sample", text(&out), "--out", text(&to)], &counts[..], more].concat())
    };
    let [one, two] = [("one", "1"), ("two", "2")].map(|(name, workers)| {
        draw(name, &["--tree-nodes", "10", "--workers", workers]).ends(0).shows(&["24 places, "]);
        folder.path().join(name)
    });
    assert!(shards(&one) == shards(&two), "any number of workers");
    let records = games(&one);
    assert!(records.iter().all(|record| record.ending == Ending::Visited && record.steps.len() <= 1));
    assert!(records.iter().filter(|record| record.steps.len() == 1).count() > 12);
    // `--tree-nodes` excludes search limits, and one of the two is required.
    for (more, named) in [
        (&["--tree-nodes", "10", "--nodes", "100"][..], "--nodes <N>"),
        (&["--tree-nodes", "10", "--hard-nodes", "100"], "--hard-nodes <N>"),
        (&["--tree-nodes", "0"], "--tree-nodes <N>"),
        (&[], "--nodes <N>"),
    ] {
        draw("none", more).ends(2).says(&[named]);
    }
    // Other trees are not mixed in.
    draw("one", &["--tree-nodes", "20"]).ends(2).says(&["`visited`"]);
}

#[test]
fn scores_are_compared_with_those_of_a_deeper_search() {
    let (folder, out) = played("6");
    let [close, far] = ["close", "far"].map(|name| folder.path().join(name));
    for (to, nodes) in [(&far, "5"), (&close, "4000")] {
        let nodes = ["--nodes", nodes, "--bench-depth", "1"];
        succeeds(&[&["datagen", "relabel", text(&out), "--out", text(to)], &nodes[..]].concat());
    }
    let run = succeeds(&["datagen", "compare", text(&close), text(&out), text(&far), text(&close), "--json", "-"]);
    let rows = run.json();
    let loss = |row: usize| rows[row]["loss"].as_f64().expect("a number");
    assert_eq!((rows.len(), rows[2]["nodes"].as_u64(), loss(3)), (4, Some(5), 0.0), "{}", run.out);
    assert!(0.0 < loss(1) && loss(1) < loss(2) && loss(0) > 0.0, "eighty nodes see more than five: {}", run.out);
    let other = folder.path().join("other");
    let begin = ["datagen", "--games", "2", "--nodes", "80", "--hash", "1", "--bench-depth", "1", "--seed", "12"];
    succeeds(&[&begin[..], &["--out", text(&other)]].concat());
    refused(&["datagen", "compare", text(&close), text(&other)], "is not that of the source");
    refused(&["datagen", "compare", text(&close), text(&far), "--scale", "0"], "--scale <CP>");
}

/// Packed, shown, trained from and unpacked: all commands take packed files, and a network learned from them is that of the unpacked games.
#[test]
fn games_are_packed_read_and_unpacked() {
    let (folder, run) = played("40");
    let [packed, again, a, b] = ["run.games", "again", "a", "b"].map(|name| folder.path().join(name));
    let pack = ["datagen", "pack", text(&run), "-o", text(&packed)];
    let done = succeeds(&pack);
    assert!(done.out.contains("40 games") && done.out.contains("bytes per position"), "{}", done.out);
    refused(&pack, "--overwrite");
    succeeds(&["datagen", "unpack", text(&packed), "--out", text(&again)]);
    let moves = |games: Vec<GameRecord>| games.into_iter().map(|game| (game.number, game.outcome, game.steps.len()));
    assert!(moves(games(&packed)).eq(moves(games(&run))));
    assert_eq!(games(&packed), games(&again));
    let page = text(&folder.path().join("stats.html")).to_owned();
    let stats = |path: &Path| succeeds(&["datagen", "stats", text(path), "-o", &page, "--json", "-", "--overwrite"]);
    let figures = |out: String| {
        let mut value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        value["bytes"].take();
        value
    };
    assert_eq!(figures(stats(&packed).out), figures(stats(&again).out));
    for command in [&["stats"][..], &["dump"], &["convert", "--to", "bulletformat"]] {
        refused(&[&["datagen"], command, &[text(&packed), "-o", &page]].concat(), "--overwrite");
    }
    let network = |from: &Path, out: &Path| {
        let small = ["--hidden", "32", "--batch", "256", "--passes", "1", "--holdout-share", "20%"];
        succeeds(&[&["train", text(from), "--out", text(out)], &small[..]].concat());
        fs::read(out.join("network.nnue")).expect("a network")
    };
    assert!(network(&packed, &a) == network(&again, &b), "the same positions give the same network");
}

/// The page next to packed games is made again; another page of this name stays.
#[test]
fn the_page_of_a_packed_file_replaces_only_pages_of_the_command() {
    let (folder, run) = played("2");
    let (packed, page) = (folder.path().join("run.games"), folder.path().join("run.html"));
    succeeds(&["datagen", "pack", text(&run), "-o", text(&packed)]);
    for _ in 0..2 {
        succeeds(&["datagen", "stats", text(&packed)]);
    }
    fs::write(&page, "<p>precious").expect("written");
    refused(&["datagen", "stats", text(&packed)], "it holds results");
    assert_eq!(contents(&page), "<p>precious");
}

#[test]
fn a_range_without_games_and_a_goal_that_is_reached_are_named() {
    let (_folder, run) = played("3");
    let range = |range: &str| quarterply(&["datagen", "dump", text(&run), "--pgn", "--range", range]);
    range("2").ends(0);
    assert!(range("2").out.contains("[Event") && !range("2").out.contains("{}"));
    range("100..200").ends(2).says(&["the greatest number is 3"]);
    assert!(range("0..2").err.contains("expected a number from 1 on"));
    let resumed = quarterply(&["datagen", "resume", text(&run)]);
    assert!(resumed.err.contains("the goal of the run is reached; give a larger --games"), "{}", resumed.err);
}

#[test]
fn damage_to_packed_games_is_named_and_can_be_skipped() {
    let (folder, run) = played("6");
    let packed = folder.path().join("run.games");
    succeeds(&["datagen", "pack", text(&run), "-o", text(&packed)]);
    let mut bytes = fs::read(&packed).expect("a file");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(&packed, bytes).expect("written");
    for command in [&["stats"][..], &["dump"], &["unpack", "--out", text(&folder.path().join("x"))]] {
        refused(&[&["datagen"], command, &[text(&packed)]].concat(), "can skip the block with --skip-damaged");
    }
    let skipped = quarterply(&["datagen", "dump", "--skip-damaged", text(&packed)]);
    assert_eq!((skipped.code, skipped.out.as_str()), (Some(0), ""));
    assert!(skipped.err.contains("warning: skipped damage"), "{}", skipped.err);
    assert!(!skipped.err.contains("--skip-damaged"), "{}", skipped.err);
}

/// `--background` takes the lowest priority, also within the process group of its session.
#[cfg(target_os = "linux")]
#[test]
fn work_in_the_background_has_the_lowest_priority() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let arguments = ["datagen", "--hours", "1", "--workers", "1", "--background", "--out", text(&out)];
    let mut child = Command::new(env!("CARGO_BIN_EXE_quarterply"))
        .args(arguments)
        .args(QUICK)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    wait(|| (size(&out) >= 2000).then_some(()));
    let process = format!("/proc/{}", child.id());
    let stat = contents(format!("{process}/stat"));
    let group = fs::read_to_string(format!("{process}/autogroup"));
    child.kill().expect("it runs");
    child.wait().expect("it ran");
    // The 19th field, counted on from the closing bracket after the name.
    let nice = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(16));
    assert_eq!(nice, Some("19"), "{stat}");
    assert!(group.as_ref().map_or(true, |group| group.trim_end().ends_with("nice 19")), "{group:?}");
}
