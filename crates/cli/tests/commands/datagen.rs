//! `quarterply datagen` from the outside.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::nats::wait;
use crate::support::{contents, file, folder, has_text, json_lines, kill_when, quarterply, refused, succeeds, words};
use quarterply_datagen::read::Archive;
use quarterply_datagen::record::{Ending, GameOutcome, GameRecord};
use quarterply_engine::score::Score;
use quarterply_files::epd::read_suite;
use tempfile::TempDir;

/// Games that take a moment only.
const QUICK: &str = "--nodes 80 --hash 1 --bench-depth 1 --seed 11";

/// A folder with a run of `games` games, the path of the run, and other paths in the folder by name.
fn played(games: &str) -> (TempDir, String, impl Fn(&str) -> String + use<>) {
    let (folder, at) = folder();
    let out = at("run");
    succeeds(&words!("datagen --games {games} --out {out} {QUICK}"));
    (folder, out, at)
}

/// All files of a run, by name.
fn shards(folder: &str) -> Vec<(String, Vec<u8>)> {
    let names = quarterply_datagen::folder::shards_of(folder.as_ref()).expect("a folder");
    let name = |path: &Path| path.file_name().expect("a name").display().to_string();
    names.into_iter().map(|path| (name(&path), fs::read(&path).expect("a shard"))).collect()
}

/// Cuts the first file of a run to a share of its bytes.
fn cut(folder: &str, share: [usize; 2]) {
    let (name, bytes) = shards(folder).remove(0);
    fs::write(format!("{folder}/{name}"), &bytes[..bytes.len() * share[0] / share[1]]).expect("cut");
}

fn games(folder: &str) -> Vec<GameRecord> {
    let archive = Archive::open(&[folder]).expect("a run");
    archive.games().collect::<Result<_, _>>().expect("good games")
}

fn size(folder: &str) -> u64 {
    let length = |entry: fs::DirEntry| entry.metadata().map_or(0, |data| data.len());
    fs::read_dir(folder).map_or(0, |entries| entries.flatten().map(length).sum())
}

#[test]
fn a_killed_run_goes_on_to_the_games_of_a_run_left_alone() {
    const GAMES: &str = "100";
    let (_alone, alone, _) = played(GAMES);
    let (_folder, at) = folder();
    let out = at("run");
    let begun = words!("datagen --games {GAMES} --out {out} --workers 2 {QUICK}");
    assert!(kill_when(&begun, || size(&out) >= 20_000), "killed in the middle");
    assert!(games(&out).len() < 100);
    succeeds(&words!("datagen resume {out} --workers 2")).shows(&["100 games", "% of the workers' time in searches"]);
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
    let (_folder, out, at) = played("2");
    let none = at("none");
    fs::create_dir(&none).expect("made");
    let (_other, foreign) = file("games.shard", b"[Event \"?\"]");
    for (arguments, needle) in [
        (words!("--out {none}"), "give --games N, --positions N or --hours H"),
        (words!("--games 3"), "--out"),
        (words!("--games 3 --out {out} --bench-depth 1"), "the folder contains a run"),
        (words!("--games 3 --out {none} --nodes 9 --hard-nodes 8"), "hard limit of 8 nodes"),
        (words!("--games 3 --out {none} --random-plies 9..8"), "random plies 9..8"),
        (words!("--games 3 --out {none} --adjudicate-draw moves=6"), "`after` is missing"),
        (words!("--games 3 --out {none} --syzygy /no/such"), "`/no/such` is not a directory"),
        (words!("--hours 0 --out {none}"), "`0` is not a valid number: expected one above 0"),
        (words!("resume {none}"), "contains no shards"),
        (words!("resume {out} --seed 3"), "cannot change --profile, --set or --seed of a run"),
        (words!("stats /no/such"), "/no/such"),
        (words!("dump {foreign}"), "games.shard`: it is not a file of games of `datagen`"),
        (words!("convert {out} --to bulletformat -o /no/such/x"), "cannot write `/no/such/x`"),
        (words!("dump {out} --skip-first 1.5"), "give a whole number of 0 or more, such as 500, 20k"),
        (words!("dump {out} --range 9k..3k"), "expected a number from 1 on, or a range such as 1..100"),
        (words!("dump {out} --json -"), "cannot use --json: `datagen dump` writes EPD or PGN"),
        (words!("dump {out} --pgn --keep-checks"), "cannot use --keep-checks: games are written whole"),
        (
            words!("convert {out} --to viriformat --score-max 9 -o x"),
            "cannot use --score-max 9: games are written whole",
        ),
        (words!("dump {out} --profile classic"), "cannot use --profile or --set"),
        (words!("convert {out} --to viriformat -o x --set a.b=1"), "cannot use --profile"),
        (words!("stats {out} --set a.b=1"), "cannot use --profile or --set"),
        (words!("pack {out} -o x.games --set a.b=1"), "cannot use --profile or --set"),
        (words!("unpack {out} --out {none} --set a.b=1"), "cannot use --profile or --set"),
        (words!("relabel {out} --nodes 9 --out {none} --seed 2"), "cannot use --seed"),
    ] {
        refused(&[vec!["datagen".to_owned()], arguments].concat(), needle);
    }
}

#[test]
fn games_begin_from_a_book_and_a_bad_one_is_named() {
    const ENDING: &str = "8/5pk1/6p1/7p/7P/6P1/r4PK1/4R3 w - -";
    let (_folder, at) = folder();
    let [book, out, plain, none] = ["book.epd", "run", "plain", "none"].map(at);
    fs::write(&book, format!("{ENDING}\n8/8/8 w - -\n")).expect("written");
    let begin = |book: &str, out: &str| {
        quarterply(&words!("datagen --games 3 --openings {book} --random-plies 0 --out {out} {QUICK}"))
    };
    begin(&book, &out).ends(0).says(&["warning:", "book.epd:2"]);
    let starts: Vec<String> = games(&out).iter().map(|game| format!("{:?}", game.start)).collect();
    assert!(starts.len() == 3 && starts.iter().all(|start| *start == starts[0]), "{starts:?}");
    begin("builtin", &plain).ends(0);
    assert!(games(&plain).iter().all(|game| format!("{:?}", game.start) != starts[0]));

    fs::write(&book, "8/5pk1/6p1/8/8/1P6/1K6/8 b - -\n").expect("written");
    refused(&words!("datagen resume {out} --games 5"), "book.epd`: its contents have changed");
    assert_eq!(games(&out).len(), 3, "nothing is lost");
    begin("/nowhere/book.epd", &none).ends(2).says(&["/nowhere/book.epd"]);
    assert!(!Path::new(&none).exists(), "what cannot be played leaves nothing behind");
}

#[test]
fn damaged_foreign_and_newer_files_are_refused_with_their_place() {
    let (_folder, out, _) = played("3");
    let (name, good) = shards(&out).remove(0);
    let path = format!("{out}/{name}");
    let refused = |edit: &dyn Fn(&mut Vec<u8>), needle: &str| {
        let mut bytes = good.clone();
        edit(&mut bytes);
        fs::write(&path, bytes).expect("written");
        for command in ["stats", "resume"] {
            quarterply(&["datagen", command, &out]).ends(2).says(&[needle, "games-00001.shard"]);
        }
    };
    refused(&|bytes| bytes[8] = 9, "format 9 (byte 8)");
    refused(&|bytes| bytes[0] = b'P', "not a file of games of `datagen`");
    refused(&|bytes| bytes[40] ^= 1, "the header is damaged");
    refused(&|bytes| *bytes.last_mut().expect("bytes") ^= 1, "block 3 (game 3) is damaged");
}

#[test]
fn figures_text_and_other_formats_agree() {
    let (_folder, out, at) = played("8");
    let all = games(&out);
    let moves: usize = all.iter().map(|game| game.steps.len()).sum();
    let figures = succeeds(&words!("datagen stats {out} --no-filter --json -")).value();
    assert_eq!((figures["games"].as_u64(), figures["kept"].as_u64()), (Some(8), Some(moves as u64)));
    let page = contents(format!("{out}/stats.html"));
    assert!(page.contains("<svg ") && page.contains("How games end"));

    let [epd, bullet, viri] = ["all.epd", "bullet", "viri"].map(at);
    succeeds(&words!("datagen dump {out} --no-filter -o {epd}"));
    let suite = read_suite(epd.as_ref()).expect("positions");
    assert_eq!((suite.records.len(), suite.skipped.len()), (moves, 0));
    let pgn = quarterply(&words!("datagen dump {out} --pgn --range 2..0.003k"));
    assert_eq!((pgn.code, pgn.out.matches("[Event ").count()), (Some(0), 2), "{}", pgn.err);

    succeeds(&words!("datagen convert {out} --to bulletformat --no-filter -o {bullet}"));
    assert_eq!(fs::metadata(&bullet).expect("the file").len(), 32 * moves as u64);
    succeeds(&words!("datagen convert {out} --to viriformat -o {viri}"));
    let plain: Vec<u8> = all.iter().flat_map(GameRecord::encode).collect();
    assert!(fs::read(&viri).expect("the file") == plain);
}

#[test]
fn games_that_a_command_reads_are_not_replaced() {
    let (_folder, out, at) = played("2");
    let before = shards(&out);
    for command in ["dump", "convert --to viriformat", "stats"] {
        refused(&words!("datagen {command} {out} -o {out}/games-00001.shard"), "the same command reads it");
    }
    assert!(shards(&out) == before);
    let (json, viri) = (at("figures.jsonl"), at("viri"));
    let convert = format!("convert {out} --to viriformat -o {viri}");
    for command in [format!("stats {out}"), format!("compare {out} {out}"), convert] {
        fs::write(&json, "precious").expect("written");
        refused(&words!("datagen {command} --json {json}"), "--overwrite");
        assert_eq!(contents(&json), "precious", "{command}");
        succeeds(&words!("datagen {command} --json {json} --overwrite"));
        assert!(json_lines(&contents(&json))[0].is_object(), "{command}");
    }
}

/// It was refused after hours of play.
#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_played() {
    let (_folder, out, at) = played("2");
    let (json, new) = (at("report.jsonl"), at("new"));
    fs::write(&json, "precious").expect("written");
    let before = shards(&out);
    for command in [
        format!("--games 2 --nodes 80 --hash 1 --bench-depth 1 --out {new}"),
        format!("relabel {out} --nodes 10 --out {new}"),
        format!("sample {out} --search-nodes 20 --nodes 10 --out {new}"),
        format!("resume {out} --games 4"),
    ] {
        refused(&words!("datagen {command} --json {json}"), "--overwrite");
        assert!(!Path::new(&new).exists() && shards(&out) == before, "{command}");
    }
}

#[test]
fn relabelled_games_have_the_same_moves_and_other_scores() {
    let (_folder, out, at) = played("6");
    let (deeper, again) = (at("deeper"), at("again"));
    let relabel = |workers: &str, to: &str| {
        quarterply(&words!("datagen relabel {out} --out {to} --nodes 400 --bench-depth 1 --workers {workers}"))
    };
    relabel("2", &deeper).ends(0);
    let (old, new) = (games(&out), games(&deeper));
    assert_eq!(old.len(), new.len());
    assert!(old.iter().zip(&new).all(|(old, new)| old.has_the_moves_of(new) && old.outcome == new.outcome));
    assert!(old != new);
    relabel("1", &again).ends(0);
    assert!(shards(&again) == shards(&deeper));
    // Cut off in the middle, the same command goes on.
    cut(&again, [2, 3]);
    let run = relabel("2", &again).ends(0);
    assert!(has_text(&run.err, "dropped") && shards(&again) == shards(&deeper), "{}", run.err);
    refused(&["datagen", "resume", &again], "datagen relabel");
}

/// Numbers of games begin again with each run, so that the new games could not be read.
#[test]
fn games_of_different_runs_are_not_relabelled_together() {
    let (_folder, at) = folder();
    let (both, out) = (at("both"), at("out"));
    fs::create_dir(&both).expect("made");
    let sizes = "--nodes 40 --bench-depth 1";
    for seed in ["21", "22"] {
        let run = at(seed);
        succeeds(&words!("datagen --games 2 {sizes} --hash 1 --seed {seed} --out {run}"));
        succeeds(&words!("datagen pack {run} -o {both}/{seed}.games"));
    }
    for command in ["relabel", "sample"] {
        refused(
            &words!("datagen {command} {both} {sizes} --out {out}"),
            "its games are from different runs (seeds 21 and 22); give one of its files",
        );
        assert!(!Path::new(&out).exists(), "nothing was made");
    }
    succeeds(&words!("datagen sample {both}/22.games {sizes} --out {out}"));
}

#[test]
fn positions_that_searches_visit_are_drawn_from_games() {
    let (_folder, out, at) = played("4");
    let draw = |to: &str, more: &str| {
        let nodes = "--nodes 150 --search-nodes 300 --each 6 --bench-depth 1";
        quarterply(&words!("datagen sample {out} --out {to} {nodes} {more}"))
    };
    let [drawn, again, none, epd] = ["drawn", "again", "none", "drawn.epd"].map(at);
    let run = draw(&drawn, "--workers 2").ends(0);
    assert!(has_text(&run.out, "24 slots, ") && !has_text(&run.out, "games"), "{}", run.out);
    let run = draw(&drawn, "--workers 2 --json -");
    let figures = run.value();
    let figure = |part: &str, key: &str| figures[part].get(key).and_then(serde_json::Value::as_u64);
    assert!(figure("all", "slots") == Some(24) && figure("added", "slots") == Some(0), "{}", run.out);
    assert!(figure("all", "draws").is_none() && figure("all", "games").is_none(), "{}", run.out);
    let records = games(&drawn);
    assert_eq!(records.iter().map(|record| record.number).collect::<Vec<_>>(), (1..=24).collect::<Vec<_>>());
    assert!(records.iter().all(|record| record.ending == Ending::Sampled && record.steps.len() <= 1));
    assert!(records.iter().filter(|record| !record.steps.is_empty()).count() > 12);
    // Any number of workers, and cut off within the positions of a game: the same.
    draw(&again, "--workers 1").ends(0);
    assert!(shards(&again) == shards(&drawn));
    cut(&again, [3, 5]);
    let run = draw(&again, "--workers 2").ends(0);
    assert!(has_text(&run.err, "dropped") && shards(&again) == shards(&drawn), "{}", run.err);
    // Others are not mixed with them, and they are no run that can be played on.
    draw(&again, "--workers 1 --seed 9").ends(2).says(&["`visited`"]);
    refused(&["datagen", "resume", &again], "datagen sample");
    draw(&none, "--workers 1 --hard-nodes 10").ends(2).says(&["hard limit of 10 nodes"]);
    refused(&words!("datagen sample {drawn} --nodes 9 --bench-depth 1 --out {none}"), "and no games");
    succeeds(&words!("datagen dump {drawn} --epd -o {epd}"));
    assert!(contents(&epd).lines().all(|line| line.contains("c9 \"*\";")));
    // They are neither games as PGN nor drawn games.
    refused(&["datagen", "dump", &drawn, "--pgn"], "which are not games; use --epd");
    let figures = succeeds(&["datagen", "stats", &drawn, "--json", "-"]).value();
    assert_eq!((&figures["slots"], &figures["games"], &figures["draws"]), (&24.into(), &0.into(), &0.into()));
}

#[test]
fn positions_of_trees_are_drawn_with_their_own_values() {
    let (_folder, out, at) = played("2");
    let draw = |to: &str, more: &str| {
        let counts = "--search-nodes 400 --each 12 --per-search 6 --bench-depth 1";
        quarterply(&words!("datagen sample {out} --out {to} {counts} {more}"))
    };
    let [one, two, none] = ["one", "two", "none"].map(at);
    for (to, workers) in [(&one, "1"), (&two, "2")] {
        draw(to, &format!("--tree-nodes 10 --workers {workers}")).ends(0).shows(&["24 slots, "]);
    }
    assert!(shards(&one) == shards(&two), "any number of workers");
    let records = games(&one);
    assert!(records.iter().all(|record| record.ending == Ending::Sampled && record.steps.len() <= 1));
    assert!(records.iter().filter(|record| record.steps.len() == 1).count() > 12);
    // `--tree-nodes` excludes search limits, and one of the two is required.
    for (more, named) in [
        ("--tree-nodes 10 --nodes 100", "--nodes <N>"),
        ("--tree-nodes 10 --hard-nodes 100", "--hard-nodes <N>"),
        ("--tree-nodes 0", "--tree-nodes <N>"),
        ("", "--nodes <N>"),
    ] {
        draw(&none, more).ends(2).says(&[named]);
    }
    // Other trees are not mixed in.
    draw(&one, "--tree-nodes 20").ends(2).says(&["`visited`"]);
}

#[test]
fn scores_are_compared_with_those_of_a_deeper_search() {
    let (_folder, out, at) = played("6");
    let [close, far, other] = ["close", "far", "other"].map(at);
    for (to, nodes) in [(&far, "5"), (&close, "4000")] {
        succeeds(&words!("datagen relabel {out} --out {to} --nodes {nodes} --bench-depth 1"));
    }
    let run = succeeds(&words!("datagen compare {close} {out} {far} {close} --json -"));
    let rows = run.json();
    let loss = |row: usize| rows[row]["loss"].as_f64().expect("a number");
    assert_eq!((rows.len(), rows[2]["nodes"].as_u64(), loss(3)), (4, Some(5), 0.0), "{}", run.out);
    assert!(0.0 < loss(1) && loss(1) < loss(2) && loss(0) > 0.0, "eighty nodes see more than five: {}", run.out);
    succeeds(&words!("datagen --games 2 --nodes 80 --hash 1 --bench-depth 1 --seed 12 --out {other}"));
    refused(&["datagen", "compare", &close, &other], "is not that of the source");
    refused(&["datagen", "compare", &close, &far, "--scale", "0"], "--scale <CP>");
}

/// Packed, shown, trained from and unpacked: all commands take packed files, and a network learned from them is that of the unpacked games.
#[test]
fn games_are_packed_read_and_unpacked() {
    let (_folder, run, at) = played("40");
    let [packed, again, a, b, page] = ["run.games", "again", "a", "b", "stats.html"].map(at);
    let pack = ["datagen", "pack", &run, "-o", &packed];
    let done = succeeds(&pack);
    assert!(done.out.contains("40 games") && done.out.contains("bytes per position"), "{}", done.out);
    refused(&pack, "--overwrite");
    succeeds(&["datagen", "unpack", &packed, "--out", &again]);
    let moves = |games: Vec<GameRecord>| games.into_iter().map(|game| (game.number, game.outcome, game.steps.len()));
    assert!(moves(games(&packed)).eq(moves(games(&run))));
    assert_eq!(games(&packed), games(&again));
    let figures = |path: &str| {
        let mut value = succeeds(&words!("datagen stats {path} -o {page} --json - --overwrite")).value();
        value["bytes"].take();
        value
    };
    assert_eq!(figures(&packed), figures(&again));
    for command in ["stats", "dump", "convert --to bulletformat"] {
        refused(&words!("datagen {command} {packed} -o {page}"), "--overwrite");
    }
    let network = |from: &str, out: &str| {
        let small = "--hidden 32 --batch 256 --passes 1 --holdout-share 20%";
        succeeds(&words!("train {from} --out {out} {small}"));
        fs::read(format!("{out}/network.nnue")).expect("a network")
    };
    assert!(network(&packed, &a) == network(&again, &b), "the same positions give the same network");
}

/// A page appeared next to a file that was only counted, also in `data/games`.
#[test]
fn the_page_of_a_file_is_written_only_on_request() {
    let (_folder, run, at) = played("2");
    let (packed, page) = (at("run.games"), at("run.html"));
    succeeds(&["datagen", "pack", &run, "-o", &packed]);
    assert!(!succeeds(&["datagen", "stats", &packed]).out.contains(".html"));
    assert!(!fs::exists(&page).expect("a folder"));
    succeeds(&["datagen", "stats", &packed, "-o", &page]).shows(&[&page]);
    assert!(contents(&page).contains("<svg "));
    refused(&["datagen", "stats", &packed, "-o", &page], "--overwrite");
}

#[test]
fn a_range_without_games_and_a_goal_that_is_reached_are_named() {
    let (_folder, run, _) = played("3");
    let range = |range: &str| quarterply(&["datagen", "dump", &run, "--pgn", "--range", range]);
    range("2").ends(0);
    assert!(range("2").out.contains("[Event") && !range("2").out.contains("{}"));
    range("100..200").ends(2).says(&["the greatest number is 3"]);
    assert!(range("0..2").err.contains("expected a number from 1 on"));
    let resumed = quarterply(&["datagen", "resume", &run]);
    assert!(resumed.err.contains("the goal of the run is reached; give a larger --games"), "{}", resumed.err);
}

#[test]
fn damage_to_packed_games_is_named_and_can_be_skipped() {
    let (_folder, run, at) = played("6");
    let [packed, unpacked, none] = ["run.games", "x", "none.games"].map(at);
    succeeds(&["datagen", "pack", &run, "-o", &packed]);
    let mut bytes = fs::read(&packed).expect("a file");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(&packed, bytes).expect("written");
    for command in ["stats", "dump", &format!("unpack --out {unpacked}")] {
        refused(&words!("datagen {command} {packed}"), "can skip the block with --skip-damaged");
    }
    let skipped = quarterply(&["datagen", "dump", "--skip-damaged", &packed]);
    assert_eq!((skipped.code, skipped.out.as_str()), (Some(0), ""));
    assert!(skipped.err.contains("warning: skipped damage"), "{}", skipped.err);
    assert!(!skipped.err.contains("--skip-damaged"), "{}", skipped.err);
    let empty = succeeds(&words!("datagen pack {packed} --skip-damaged -o {none}"));
    assert!(empty.out.contains("none.games: 0 games") && !empty.out.contains("per position"), "{}", empty.out);
    let empty = quarterply(&words!("datagen unpack {packed} --skip-damaged --out {unpacked}"));
    assert_eq!((empty.code, empty.out.as_str()), (Some(2), ""), "{}", empty.err);
}

/// `--background` takes the lowest priority, also within the process group of its session.
#[cfg(target_os = "linux")]
#[test]
fn work_in_the_background_has_the_lowest_priority() {
    let (_folder, at) = folder();
    let out = at("run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_quarterply"))
        .args(words!("datagen --hours 1 --workers 1 --background --out {out} {QUICK}"))
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

/// After a restart of the machine `games/pid` has the number of another process.
#[cfg(target_os = "linux")]
#[test]
fn packing_self_play_ends_no_other_process() {
    const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/selfplay/pack");
    let (_folder, at) = folder();
    for name in ["tools/selfplay", "games"] {
        fs::create_dir_all(at(name)).expect("a folder");
    }
    fs::copy(SCRIPT, at("tools/selfplay/pack")).expect("a script");
    let mut other = Command::new("sleep").arg("600").spawn().expect("it runs");
    fs::write(at("games/pid"), other.id().to_string()).expect("written");
    let packed = Command::new("sh").arg(at("tools/selfplay/pack")).status().expect("it runs");
    let ended = other.try_wait().expect("a child");
    other.kill().expect("it runs");
    other.wait().expect("it ran");
    assert_eq!(ended, None, "another process was ended");
    assert!(packed.success() && !Path::new(&at("games/pid")).exists());
}
