//! `quarterply mine` from the outside.

use std::collections::HashSet;
use std::path::Path;

use crate::support::{contents, file, folder, kill_when, quarterply, refused, succeeds, words};
use quarterply_files::epd::read_suite;

/// A mate in two that white misses, as a game.
const GAME: &str = "[FEN \"7k/8/8/8/8/1R6/R7/K7 w - - 0 1\"]\n\n1. Kb1 *\n";

/// Options of a mining run of a moment, with the classical evaluation, so that the results do not change with the network.
const QUICK: &str = "--shallow-nodes 60 --nodes 3000 --verify-nodes 6000 --set EvalFile=<classical>";
/// A mining run of games that are played.
const MINE: &str =
    "mine --seed 3 --play-nodes 60 --shallow-nodes 60 --nodes 3000 --verify-nodes 6000 --set EvalFile=<classical>";

#[test]
fn positions_are_mined_from_games_and_can_be_solved() {
    let (_folder, at) = folder();
    let path = at("mined.epd");
    let mine = |more: &str| quarterply(&words!("{MINE} {more}"));
    mine(&format!("--games 12 --name Mine -o {path}")).ends(0).says(&["12 games", "kept"]);
    let text = contents(&path);
    let suite = read_suite(Path::new(&path)).expect("a suite");
    assert!(suite.skipped.is_empty() && suite.records[0].id.as_deref() == Some("Mine.01"), "{text}");
    // The game that a position names is played again by itself.
    let named = text.lines().next().expect("a position");
    let game: u64 =
        named.split("c8 \"game ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect(named);
    assert!(named.contains(&format!("c8 \"game {game} of seed 3, move ")), "{named}");
    let alone = mine(&format!("--skip {} --games 1", game - 1));
    let position = named.split(" bm ").next().expect("a position");
    assert!(alone.out.contains(position), "{named}\n{}", alone.out);
    let again = mine("--games 12 --name Mine --workers 2");
    assert_eq!(again.out, text);
    let one = mine("--games 12 --max 1 --quiet");
    assert_eq!((one.out.lines().count(), one.err.as_str()), (1, ""), "{}", one.out);
}

#[test]
fn mining_can_be_divided() {
    let positions = |games: &str, skip: &str| {
        let run = quarterply(&words!("{MINE} --games {games} --skip {skip}"));
        let of = |line: &str| line.split(" bm ").next().map(str::to_owned);
        run.out.lines().filter_map(of).collect::<HashSet<_>>()
    };
    let (first, second) = (positions("6", "0"), positions("6", "6"));
    assert_eq!(positions("12", "0"), &first | &second);
}

#[test]
fn input_that_cannot_be_mined_is_refused() {
    let (_a, dull) = file("dull.pgn", GAME.as_bytes());
    let (_b, broken) = file("broken.pgn", b"[Event \"x\"]\n\n1. e4 e5 2. Ke3 *\n");
    let (_c, empty) = file("empty.pgn", b"");
    for (arguments, code, needle) in [
        (vec!["mine", "--pgn", &dull], 1, "no positions found"),
        (
            vec!["mine", "--pgn", &broken],
            2,
            "broken.pgn:3: cannot play `Ke3` after 2 half moves of the game that begins at line 1",
        ),
        (vec!["mine", "--pgn", &empty], 2, "contains no game with moves"),
        (vec!["mine", "--pgn", "/no/such.pgn"], 2, "cannot read /no/such.pgn: "),
        (vec!["mine", "--games", "0"], 2, "--games"),
        (vec!["mine", "--check", "/no/such/engine"], 2, "/no/such/engine"),
        (vec!["mine", "-o", "/no/such/folder/x.epd"], 2, "cannot write `/no/such/folder/x.epd`"),
        (vec!["mine", "--holdout", "/no/such/folder/x.epd"], 2, "cannot write `/no/such/folder/x.epd`"),
        (vec!["mine", "--journal", "/no/such/folder/x.jsonl"], 2, "cannot open `/no/such/folder/x.jsonl`"),
        (vec!["mine", "--journal", &dull], 2, "is not the header of a mining run"),
        (vec!["mine", "--check-nodes", "3"], 2, "--check <CMD>"),
        (vec!["mine", "--pgn", &dull, "--play-nodes", "60"], 2, "cannot be used with"),
        (vec!["mine", "--holdout-max", "3"], 2, "--holdout <FILE.epd>"),
        (vec!["mine", "--holdout-every", "1", "--holdout", &dull], 2, "--holdout-every"),
        (
            vec!["mine", "--nodes", "500"],
            2,
            "--shallow-nodes 1000, --nodes 500 and --verify-nodes 1000000: they must increase",
        ),
        (vec!["mine", "--nodes", "2000000"], 2, "must increase in this order"),
        (vec!["mine", "--set", "null_move.bass=3"], 2, "did you mean `null_move.base`?"),
    ] {
        quarterply(&arguments).ends(code).says(&[needle]);
    }
}

/// The positions of a suite, without anything else.
fn positions(path: &Path) -> HashSet<String> {
    let suite = read_suite(path).unwrap_or_else(|e| panic!("{e}"));
    suite.records.iter().map(|record| record.to_string().split(" bm ").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_suite_and_a_hold_out_come_from_different_games() {
    let (_folder, at) = folder();
    let [all, suite, holdout, few] = &["all", "suite", "holdout", "few"].map(at);
    let mine = |more: &str| drop(succeeds(&words!("{MINE} --games 12 --name Mine {more}")));
    mine(&format!("-o {all}"));
    mine(&format!("-o {suite} --holdout {holdout} --holdout-every 2"));
    let [whole, kept, held] = [all, suite, holdout].map(|path| positions(Path::new(path)));
    assert!(!kept.is_empty() && !held.is_empty() && kept.is_disjoint(&held));
    assert_eq!(&kept | &held, whole);
    assert!(contents(holdout).contains("id \"Mine-holdout.01\""));
    mine(&format!("-o {suite} --overwrite --holdout {few} --holdout-every 2 --holdout-max 1"));
    assert_eq!(positions(Path::new(few)).len(), 1);
}

/// The moves of a game with a queen lost in the fifth move, written as `match` writes them.
const COMMENTED: &str = "[Event \"match\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1\"]\n[White \"a\"]\n\
    [Black \"b\"]\n[Result \"*\"]\n\n1. e4 {book} e5 {book} 2. Nf3 {+0.35/12 0.123s 45678n} Nc6 {-0.31/11 0.120s 39999n} \
    3. Bc4 {+0.30/12\n0.123s 45678n} Nd4 {+M12/3 0.001s 9n} 4. c3 {x} Qg5 $4 5. O-O {?} Nxf3+ 6. Kh1 {late move} {castled} *\n\n";

#[test]
fn games_of_many_files_with_comments_are_mined() {
    let (_a, first) = file("a.pgn", COMMENTED.as_bytes());
    let (_b, second) = file("b.pgn", COMMENTED.replace("Round \"1\"", "Round \"2\"").repeat(2).as_bytes());
    quarterply(&words!("mine --pgn {first} {second} {QUICK}")).says(&["3 games"]);
    quarterply(&words!("mine --pgn {first} {second} --skip 1 --games 1 {QUICK}")).says(&["1 game, "]);
}

#[test]
fn positions_of_read_games_name_file_line_and_players() {
    let (_folder, at) = folder();
    let (pgn, json) = (at("games.pgn"), at("found.jsonl"));
    let players = "--player 'default name=Ann' --player 'classic name=Bob'";
    succeeds(&words!("match {players} --nodes 60 --hash 1 --games 12 --quiet --pgn {pgn}"));
    let run = succeeds(&words!("mine --pgn {pgn} --json {json} {QUICK}"));
    let games = contents(&pgn);
    let origin = run.out.split("c8 \"games.pgn:").nth(1).expect(&run.out);
    let line: usize = origin.split(',').next().and_then(|number| number.parse().ok()).expect(origin);
    let tags: Vec<&str> = games.lines().skip(line - 1).take(6).collect();
    let tag = |name: &str| tags.iter().find_map(|tag| tag.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"));
    let (white, black) = (tag("White").expect("White"), tag("Black").expect("Black"));
    assert!(origin.starts_with(&format!("{line}, {white} - {black}, ")), "{origin}\n{tags:?}");
    let found = contents(&json);
    assert!(found.contains(&format!("\"game\":\"games.pgn:{line}, {white} - {black}")), "{found}");
}

#[test]
fn killed_mining_resumes_where_it_ended() {
    let (_folder, at) = folder();
    let path = at("dig.jsonl");
    let mine = |more: &str| words!("{MINE} --games 12 --quiet {more}");
    let lines = || std::fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    kill_when(&mine(&format!("--workers 2 --journal {path}")), || lines() >= 4);
    assert!(lines() >= 4, "nothing was noted");
    let resumed = quarterply(&mine(&format!("--journal {path}")));
    let whole = quarterply(&mine(""));
    assert_eq!((resumed.code, resumed.out), (whole.code, whole.out), "{}", resumed.err);
    refused(&["mine", "--seed", "4", "--games", "1", "--journal", &path], "games: `played, seed 3` then");
}
