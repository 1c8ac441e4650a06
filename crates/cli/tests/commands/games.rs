//! Games that a user gives to a command: what cannot be read is reported with its line, and the rest is used. And how many games a
//! match plays from how many openings.

use crate::support::{file, has_text, quarterply, refused, succeeds, words};

const PLAY: &str = "match --player default --player classic";

/// A German move, a good game, a comment without end, another variant, and a good game in long algebraic notation.
const GAMES: &str = "[Event \"1\"]\n\n1. e4 e5 2. Sf3 Sc6 3. d4 exd4 *\n\n\
    [Event \"2\"]\n[White \"Second\"]\n\n1. d4 d5 2. c4 e6 *\n\n\
    [Event \"3\"]\n\n1. e4 {open e5\n2. Nf3 *\n\n\
    [Event \"4\"]\n[Variant \"Atomic\"]\n\n1. Nf3 *\n\n\
    [Event \"5\"]\n[White \"Fifth\"]\n\n1. e2-e4 c7-c5 2. ♘f3 d6!? 3. d2d4 c5:d4 *\n";

/// What is said of the three that cannot be read.
const WARNINGS: [&str; 3] = [
    "games.pgn:3: cannot play `Sf3` after 2 half moves of the game that begins at line 1: it is not a move",
    "games.pgn:12: cannot read the comment that begins here in the game that begins at line 10",
    "games.pgn:16: cannot read a game with the tag `Variant \"Atomic\"`",
];

#[test]
fn games_that_cannot_be_read_are_reported_and_the_others_are_mined() {
    let (_folder, path) = file("games.pgn", GAMES.as_bytes());
    quarterply(&words!("mine --pgn {path} --nodes 500 --verify-nodes 500 --shallow-nodes 60"))
        .ends(1)
        .says(&WARNINGS)
        .says(&["2 games, "]);
}

#[test]
fn openings_that_cannot_be_read_are_reported_and_the_others_are_played() {
    let (_folder, path) = file("games.pgn", GAMES.as_bytes());
    let run = succeeds(&words!("{PLAY} --nodes 50 --games 4 --openings {path} --json -"));
    run.says(&WARNINGS);
    let long = "rnbqkbnr/pp2pppp/3p4/8/3pP3/5N2/PPP2PPP/RNBQKB1R w KQkq - 0 4";
    assert!(run.out.contains(long), "{}", run.out);
}

/// A hundred games from the first position were shown as independent ones, with a narrow interval.
#[test]
fn a_match_warns_of_openings_that_repeat_because_of_few_plies() {
    let play = |plies: &str| succeeds(&words!("{PLAY} --nodes 20 --hash 1 --games 4 --opening-plies {plies}")).err;
    let (few, enough) = (play("0"), play("1"));
    assert!(has_text(&few, "warning: builtin has 1 opening, but the match needs 2"), "{few}");
    assert!(has_text(&few, "give more --opening-plies; games from the same opening will be the same games"), "{few}");
    assert!(!has_text(&enough, "but the match needs"), "{enough}");
}

/// `--workers` was ignored without a word.
#[test]
fn a_match_refuses_two_numbers_of_pairs_at_the_same_time() {
    let with = |workers: &str| words!("{PLAY} --nodes 20 --games 2 --concurrency 1 --workers {workers}");
    refused(
        &with("2"),
        "cannot use --concurrency 1 with --workers 2: both are the number of pairs played at the same time",
    );
    succeeds(&with("1"));
}

#[test]
fn a_game_is_reviewed_by_its_place_in_the_file() {
    let (_folder, path) = file("games.pgn", GAMES.as_bytes());
    let review = |game: &str| quarterply(&words!("window review {path} --depth 1 --least 100 --game {game}"));
    let fifth = review("5");
    assert!(fifth.code == Some(0) && fifth.out.starts_with("Fifth"), "{}{}", fifth.out, fifth.err);
    fifth.says(&WARNINGS);
    assert!(review("2").out.starts_with("Second"));
    review("3").ends(2).says(&[WARNINGS[1]]);
}

/// Editors of some systems put a mark before the text of a file.
#[test]
fn a_byte_order_mark_before_a_file_does_not_matter() {
    let model =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/models/example-1.json")).expect("a model");
    let results = r#"{"suite":"s","id":"a","fen":"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1","solved":true,"move":"e2e4","nodes_first":1,"nodes_stable":1,"nodes":9,"depth":3,"ms":1}"#;
    for (name, text, command) in [
        ("s.epd", &b"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3;\n"[..], "solve FILE --nodes 100 --json -"),
        ("b.epd", b"4k3/8/8/8/8/8/4P3/4K3 w - - ;D1 6\n", "perft --suite FILE"),
        ("g.pgn", b"1. e4 e5 *\n", "window review FILE --depth 1"),
        ("p.toml", b"from = \"classic\"\n", "bench 1 --profile FILE"),
        ("m.json", &model, "window model FILE"),
        ("r.jsonl", results.as_bytes(), "compare FILE FILE"),
        ("i.json", br#"{"null_move.base": 3}"#, "tune import FILE"),
        ("i.txt", b"null_move.base, 3\n", "tune import FILE"),
    ] {
        let outputs = [&b""[..], b"\xef\xbb\xbf"].map(|mark| {
            let (_folder, path) = file(name, &[mark, text].concat());
            let run = quarterply(&words!("{}", command.replace("FILE", &path)));
            let stable = |text: &str| {
                text.replace(&path, "")
                    .lines()
                    .filter(|line| !line.contains("ms") && !line.contains("nps") && !line.contains(" s"))
                    .count()
            };
            (run.code, stable(&run.out), run.err.lines().count())
        });
        assert_eq!(outputs[0], outputs[1], "{name}");
    }
}
