mod generated;
mod reading;
mod reports;

use super::*;
use crate::game::{Choice, GameVerdict, Played};
use proptest::prelude::*;
use quarterply_engine::position::Draw;
use quarterply_engine::score::{Ply, Score};
use shakmaty::{ByColor, Color};
use std::time::Duration;

fn header() -> EventTags {
    EventTags {
        event: "a \"test\"".into(),
        round: 3,
        date: "2026.01.02".into(),
        time_control: ByColor { white: "1+0.01".into(), black: "1+0.01".into() },
    }
}

fn record(opening: Game, moves: &[(&str, Score)], verdict: GameVerdict) -> Record {
    let mut game = opening.clone();
    let play = |(text, score): &(&str, Score)| Played {
        mv: game.play_uci(text).expect(text),
        choice: Choice { text: (*text).to_owned(), score: Some(*score), depth: 9, nodes: 5 },
        time: Duration::from_millis(12),
        left: None,
    };
    let played = moves.iter().map(play).collect();
    Record { names: ByColor { white: "A".into(), black: "B".into() }, opening, played, verdict }
}

fn from(fen: &str, mode: CastlingMode) -> Game {
    Game::from_fen(fen, mode).expect("a good FEN")
}

const DRAWN: GameVerdict = GameVerdict { winner: None, ending: Ending::TooLong };

fn read(text: &str) -> ReadGame {
    let mut found = parse_annotated("x.pgn", text.as_bytes()).expect(text);
    assert!(found.games.len() == 1 && found.skipped.is_empty(), "{text}\n{:?}", found.skipped);
    found.games.remove(0)
}

#[test]
fn a_game_is_written_with_its_opening_and_comments() {
    let mut opening = Game::new();
    opening.play_uci("f2f3").expect("legal");
    let moves = [("e7e5", Score(25)), ("g2g4", Score(-130)), ("d8h4", Score::mate_in(Ply(1)))];
    let verdict = GameVerdict { winner: Some(Color::Black), ending: Ending::Checkmate };
    let expected = "[Event \"a \\\"test\\\"\"]\n[Site \"?\"]\n[Date \"2026.01.02\"]\n[Round \"3\"]\n[White \"A\"]\n\
        [Black \"B\"]\n[Result \"0-1\"]\n[PlyCount \"4\"]\n[TimeControl \"1+0.01\"]\n[Termination \"normal\"]\n\n\
        1. f3 {book} 1... e5 {+0.25/9 0.012s 5n} 2. g4 {-1.30/9 0.012s 5n} 2... Qh4#\n\
        {+M1/9 0.012s 5n} {checkmate} 0-1\n\n";
    assert_eq!(write(&record(opening, &moves, verdict), &header()), expected);
}

#[test]
fn other_starts_carry_a_fen() {
    let opening = from("7k/5K2/8/8/8/8/8/6Q1 b - - 4 30", CastlingMode::Standard);
    let text = write(&record(opening, &[("h8h7", Score(0))], DRAWN), &header());
    assert!(text.contains("[SetUp \"1\"]\n[FEN \"7k/5K2/8/8/8/8/8/6Q1 b - - 4 30\"]"), "{text}");
    assert!(text.contains("30... Kh7 {+0.00/9 0.012s 5n} {too long} 1/2-1/2"), "{text}");
    let chess960 = from("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", CastlingMode::Chess960);
    let text = write(&record(chess960, &[("e2e4", Score(0))], DRAWN), &header());
    assert!(text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN "), "{text}");
    assert_eq!(read(&text).game.castling_mode(), CastlingMode::Chess960);
}

#[test]
fn no_line_is_too_long() {
    let mut opening = Game::new();
    opening.play_line(["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(80)).expect("legal");
    let garbage = format!("{}\n{{%}}\t{}", "long".repeat(60), "größer ".repeat(20));
    let verdict = GameVerdict { winner: Some(Color::White), ending: Ending::IllegalMove(garbage) };
    let text = write(&record(opening, &[], verdict), &header());
    let body = text.split_once("\n\n").expect("tags and moves").1;
    assert!(body.lines().all(|line| line.chars().count() <= WIDTH && !line.starts_with('%')), "{text}");
    let read = read(&text);
    assert_eq!(read.game.moves().len(), 80);
    assert!(read.reason().starts_with("B: ") && read.reason().ends_with("größer größer"), "{}", read.reason());
}

#[test]
fn every_ending_is_read_back() {
    use Color::{Black, White};
    for (winner, ending, result, termination, reason) in [
        (Some(White), Ending::Checkmate, "1-0", "normal", "checkmate"),
        (None, Ending::Drawn(Draw::Threefold), "1/2-1/2", "normal", "threefold repetition"),
        (Some(Black), Ending::TimeLoss, "0-1", "time forfeit", "A: time loss"),
        (Some(White), Ending::IllegalMove("e2e5".into()), "1-0", "rules infraction", "B: illegal move e2e5"),
        (None, Ending::TooLong, "1/2-1/2", "adjudication", "too long"),
    ] {
        let record = record(Game::new(), &[("e2e4", Score(1))], GameVerdict { winner, ending });
        let read = read(&write(&record, &header()));
        assert_eq!([read.tag("Result"), read.tag("Termination")], [Some(result), Some(termination)]);
        assert_eq!(read.reason(), reason);
        assert_eq!(read.outcome.map(|outcome| outcome.to_string()).as_deref(), Some(result));
    }
}

#[test]
fn names_and_events_are_read_back_whatever_they_hold() {
    for name in [
        "plain",
        "with \"quotes\"",
        "back\\slash",
        "\\\"",
        "at the end\\",
        "\\x",
        "]}{[;%",
        "Ölbähr ♞",
        "tab\tand\nline",
        "",
    ] {
        let mut record = record(Game::new(), &[("e2e4", Score(1))], DRAWN);
        record.names.white = name.to_owned();
        let read = read(&write(&record, &header()));
        let plain: String = name.chars().filter(|c| !c.is_control()).collect();
        assert_eq!(read.tag("White"), Some(plain.as_str()), "{name}");
        assert_eq!(read.tag("Event"), Some("a \"test\""));
    }
}

#[test]
fn special_moves_are_read_back() {
    for (name, fen, mode, moves) in [
        ("castling", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Standard, vec!["e1g1", "e8c8"]),
        ("promotion", "8/P6k/8/8/8/8/6Kp/8 w - - 0 1", CastlingMode::Standard, vec!["a7a8n", "h2h1b", "g2h1"]),
        ("capture and promotion", "1r5k/P7/8/8/8/8/8/K7 w - - 0 1", CastlingMode::Standard, vec!["a7b8q"]),
        ("en passant", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", CastlingMode::Standard, vec!["d7d5", "e5d6"]),
        ("by file", "6k1/8/8/8/8/8/4K3/R6R w - - 0 1", CastlingMode::Standard, vec!["a1d1"]),
        ("by rank", "8/R6k/8/8/8/8/7K/R7 b - - 0 1", CastlingMode::Standard, vec!["h7g8", "a1a4"]),
        ("by square", "3k4/7Q/8/8/8/K7/8/1Q5Q w - - 0 1", CastlingMode::Standard, vec!["h1e4"]),
        ("Chess960 castling", "1r4kr/8/8/8/8/8/8/1R4KR w HBhb - 0 1", CastlingMode::Chess960, vec!["g1h1", "g8h8"]),
        ("king stays", "4k3/8/8/8/8/8/8/R5KR w H - 0 1", CastlingMode::Chess960, vec!["g1h1"]),
    ] {
        let moves: Vec<(&str, Score)> = moves.into_iter().map(|mv| (mv, Score(7))).collect();
        let record = record(from(fen, mode), &moves, DRAWN);
        let read = read(&write(&record, &header()));
        let played: Vec<_> = record.played.iter().map(|played| played.mv).collect();
        assert_eq!(read.game.moves(), played, "{name}");
        assert_eq!(read.game.start_fen(), record.opening.start_fen(), "{name}");
    }
}

/// Starts of random games: chess, two middlegames with Black to move or en passant, and Chess960.
const STARTS: [(&str, CastlingMode); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", CastlingMode::Standard),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17", CastlingMode::Standard),
    ("8/1P2k3/8/2pPp3/8/7p/p3K1P1/8 w - c6 0 40", CastlingMode::Standard),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", CastlingMode::Chess960),
];

/// A random game: its opening is the first `opening` of the moves that the numbers choose.
fn random_record(start: usize, opening: usize, choices: &[(usize, i32, u32, u64, u64)]) -> Record {
    let (fen, mode) = STARTS[start];
    let mut game = from(fen, mode);
    let mut record = record(game.clone(), &[], DRAWN);
    for (index, &(choice, score, depth, nodes, ms)) in choices.iter().enumerate() {
        let moves = game.position().legal_moves();
        let Some(mv) = moves.get(choice % moves.len().max(1)) else { break };
        game.play(*mv);
        if index < opening {
            record.opening.play(*mv);
            continue;
        }
        // A third of the scores are mates, as PGN can hold them: for the mover after an odd number of plies.
        let mate = Ply(score.unsigned_abs() as u16 % 100);
        let score = match score % 3 {
            0 if mate.0 % 2 == 1 => Some(Score::mate_in(mate)),
            0 => Some(Score::mated_in(mate)),
            1 if score > 900 => None,
            _ => Some(Score(score)),
        };
        let choice = Choice { text: String::new(), score, depth, nodes };
        record.played.push(Played { mv: *mv, choice, time: Duration::from_millis(ms), left: None });
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_games_are_read_back(
        start in 0..STARTS.len(),
        opening in 0usize..12,
        choices in prop::collection::vec((0usize..999, -1000i32..1000, 0u32..99, 0u64..1 << 40, 0u64..100_000), 1..160),
    ) {
        let record = random_record(start, opening, &choices);
        let text = write(&record, &header());
        let body = text.split_once("\n\n").expect("tags and moves").1;
        prop_assert!(body.lines().all(|line| line.len() <= WIDTH));
        let read = read(&text);
        let book = record.opening.moves().iter().map(|mv| (*mv, MoveComment::book()));
        let played = record.played.iter().map(|played| (played.mv, comment_of(played)));
        let (moves, mut remarks): (Vec<_>, Vec<_>) = book.chain(played).unzip();
        prop_assert_eq!(read.game.moves(), moves);
        if let Some(last) = remarks.last_mut() {
            last.text = "too long".to_owned();
        }
        prop_assert_eq!(&read.remarks, &remarks);
        let plies = remarks.len().to_string();
        prop_assert_eq!(read.tag("PlyCount"), Some(plies.as_str()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn no_token_is_dropped_silently(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        generated::check(&choices);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_annotated("x.pgn", &bytes);
    }
}
