//! What is read from games of other programs and people.

use super::*;
use std::path::Path;

/// Games read (as UCI moves) and messages about the others.
pub fn both(text: &[u8]) -> (Vec<String>, Vec<String>) {
    let found = parse_annotated("x.pgn", text).expect("something");
    let moves = |read: &ReadGame| {
        let mode = read.game.castling_mode();
        let moves = read.game.moves().iter().map(|mv| shakmaty::uci::UciMove::from_move(*mv, mode).to_string());
        moves.collect::<Vec<_>>().join(" ")
    };
    (found.games.iter().map(moves).collect(), found.skipped.iter().map(GameError::to_string).collect())
}

const TEXT: &str = "[Event \"one\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 *\n\n\
    [Event \"two\"]\n\n1. e4 e5 2. Ke3 *\n\n\
    [Event \"three\"]\n[FEN \"4k3/8/8/8/8/8/4P3 w - - 0 1\"]\n\n1. e4 *\n\n\
    [Event \"four\"]\r\n[SetUp \"1\"]\r\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\r\n\r\n1. e4 Kd7 1-0\r\n\n\
    [Event \"no moves\"]\n\n*\n";

#[test]
fn good_games_are_kept_and_bad_ones_are_named_with_their_line() {
    let found = parse_annotated("x.pgn", TEXT.as_bytes()).expect("games");
    let plies = found.games.iter().map(|read| read.game.moves().len()).collect::<Vec<_>>();
    assert_eq!(plies, [3, 2]);
    let fen = found.games[1].game.fen();
    assert!(fen.starts_with("8/3k4/8/8/4P3/"), "{fen}");
    let messages = found.skipped.iter().map(GameError::to_string).collect::<Vec<_>>();
    assert_eq!(
        messages,
        [
            "x.pgn:7: cannot play `Ke3` after 2 half moves of the game that begins at line 5: it is not legal; correct it or delete \
         the game",
            "x.pgn:10: cannot set up the FEN `4k3/8/8/8/8/8/4P3 w - - 0 1`: invalid board part in fen; correct it or delete the game",
        ]
    );
}

#[test]
fn unreadable_moves_end_their_game_and_not_the_next() {
    let text = b"1. e4 e5 2. Sf3 Sc6 3. d4 exd4 1-0\n\n[Event \"2\"]\n1. e4 e5 2. Nf3 Nc6\n3. Td1 1-0\n[Event \"3\"]\n1. d4 *\n";
    let (games, messages) = both(text);
    assert_eq!(games, ["d2d4"]);
    assert!(messages[0].starts_with(
        "x.pgn:1: cannot play `Sf3` after 2 half moves of the game that begins at line 1: it is not a move"
    ));
    assert!(
        messages[1].starts_with("x.pgn:5: cannot play `Td1` after 4 half moves of the game that begins at line 3"),
        "{messages:?}"
    );
    assert_eq!(parse_annotated("x.pgn", text).expect("games").skipped[0].unread, 3);
}

/// All of them are the same game.
#[test]
fn games_are_read_in_every_common_notation() {
    const MOVES: &str = "e2e4 d7d5 e4d5 e7e5 d5e6 d8d2 b1d2 c8e6 g1f3 b8c6 f1c4 e8c8 e1g1";
    for text in [
        "1. e4 d5 2. exd5 e5 3. dxe6 Qxd2+ 4. Nbxd2 Bxe6 5. Ngf3 Nc6 6. Bc4 O-O-O 7. O-O *",
        "1.e4 d5 2.exd5 e5 3.dxe6e.p. Qxd2+! 4.Nbxd2 Bxe6 5.Ngf3?! Nc6!? 6.Bc4 0-0-0 7.0-0 1-0",
        "1 e4 d5 2 ed5 e5 3 de ep Qd2+ 4 Nbd2 Be6 5 Ngf3 Nc6 6 Bc4 o-o-o 7 o-o",
        "e4 d5 ed5 e5 de6 Qd2+ Nbd2 Be6 Ngf3 Nc6 Bc4 OOO OO",
        "1. e2-e4 d7-d5 2. e4xd5 e7-e5 3. d5xe6 e.p. Qd8xd2+ 4. Nb1xd2 Bc8xe6 5. Ng1-f3 Nb8-c6 6. Bf1-c4 O-O-O 7. O-O",
        "1. e2e4 d7d5 2. e4d5 e7e5 3. d5e6 d8d2 4. b1d2 c8e6 5. g1f3 b8c6 6. f1c4 e8c8 7. e1g1 1/2-1/2",
        "1. e4 d5 2. exd5 e5 3. dxe6 ♛xd2+ 4. ♘bxd2 ♝xe6 5. ♘gf3 ♞c6 6. ♗c4 O–O–O 7. 0—0 ½–½",
        "1. e4 $1 d5 $14 2. exd5 {a} e5 (2... Qxd5 {b} (2... Nf6)) 3. dxe6 $3$18 Qxd2+ (3... Sc6 4. Z0) 4. N1xd2 Bxe6 5. Ng1f3 Nc6\n\
         ; to the end of the line }\n6. Bf1c4\n% 6. a4 a5\nO-O-O 7. O-O 1-0",
        "1.\u{a0}e4\u{a0}d5 2. exd5 e5 3. dxe6 Qxd2+ 4. Nbxd2 Bxe6 5. Ngf3 Nc6 6. Bc4 O-O-O 7. O-O",
        "1. e4 +/= d5 = 2. exd5 +- e5 ∞ 3. dxe6 # ! Qxd2 ++ 4. Nbxd2 Bxe6 5. Ngf3 Nc6 6. Bc4 O-O-O 7. O-O",
        "1... e4 d5 ... exd5 e5 …dxe6 Qxd2+ 4.Nbxd2 Bxe6 5.Ngf3 Nc6 6.Bc4 O-O-O 7.O-O*",
        "\u{feff}1.e4 d5 2.exd5 e5 3.dxe6 Qxd2+ 4.Nbxd2 Bxe6 5.Ngf3 Nc6 6.Bc4 O-O-O 7.O-O\u{1a}",
    ] {
        let (games, messages) = both(text.as_bytes());
        assert_eq!((games, messages), (vec![MOVES.to_owned()], vec![]), "{text}");
    }
}

#[test]
fn promotions_are_read_in_every_common_notation() {
    for text in ["a8=Q", "a8Q", "a8(Q)", "a8/Q", "a8=q+", "a7-a8Q", "a7a8q", "a8(Q)+!", "A7A8Q"] {
        let text = format!("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. {text} (1. Kd1) Kd7");
        assert_eq!(both(text.as_bytes()), (vec!["a7a8q e8d7".to_owned()], vec![]), "{text}");
    }
}

#[test]
fn a_comment_that_is_not_closed_costs_its_game_only() {
    let open = "[Event \"1\"]\n\n1. e4 e5 *\n\n[Event \"2\"]\n\n1. d4 {open d5\n2. c4 *\n\n[Event \"3\"]\n\n1. c4 {closed} e5 *\n";
    let (games, messages) = both(open.as_bytes());
    assert_eq!(games, ["e2e4 e7e5", "c2c4 e7e5"]);
    assert_eq!(
        messages,
        [
            "x.pgn:7: cannot read the comment that begins here in the game that begins at line 5: it is not closed; add the missing `}`"
        ]
    );
    let last = open.replace("{closed}", "{open too");
    let (games, messages) = both(last.as_bytes());
    assert_eq!((games, messages.len()), (vec!["e2e4 e7e5".to_owned()], 2));
    assert!(messages[1].starts_with("x.pgn:12: "), "{messages:?}");
    let alone = both(b"1. e4 { never closed");
    assert!(alone.0.is_empty() && alone.1[0].starts_with("x.pgn:1: cannot read the comment"), "{alone:?}");
    let legal = both(b"1. e4 {a comment\n\nwith [%eval 0.3]\n[%clk 0:01:00]\nand a blank line} e5 *");
    assert_eq!(legal, (vec!["e2e4 e7e5".to_owned()], vec![]));
}

#[test]
fn a_variation_that_is_not_closed_costs_its_game_only() {
    let (games, messages) = both(b"1. e4 (1. d4\n1... d5 e5 1-0\n\n[Event \"2\"]\n\n1. c4 *\n");
    assert_eq!(games, ["c2c4"]);
    assert!(messages[0].starts_with("x.pgn:1: cannot read the variation that begins here"), "{messages:?}");
    let (games, messages) = both(b"1. e4 e5 ) 2. Nf3 *\n1. d4 } *\n1. c4 *");
    assert_eq!((games, messages.len()), (vec!["c2c4".to_owned()], 2));
    assert!(
        messages[0].contains("cannot play `)` after 2 half moves") && messages[1].contains("`}` after 1 half"),
        "{messages:?}"
    );
}

#[test]
fn games_of_other_variants_are_refused_with_their_tag() {
    for name in ["Standard", "chess", "normal", "From Position", "", "?"] {
        let (games, messages) = both(format!("[Variant \"{name}\"]\n\n1. e4 *").as_bytes());
        assert_eq!((games.len(), messages.len()), (1, 0), "{name}");
    }
    for name in ["Chess960", "chess 960", "fischerandom", "Fischer Random", "Freestyle Chess"] {
        let fen = "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1";
        let text = format!("[Variant \"{name}\"]\n[FEN \"{fen}\"]\n\n1. O-O-O *");
        assert_eq!(both(text.as_bytes()).0, ["e1b1"], "{name}");
    }
    for name in [
        "Crazyhouse",
        "Atomic",
        "Three-check",
        "Antichess",
        "Horde",
        "Racing Kings",
        "King of the Hill",
        "Crazyhouse960",
        "nocastle",
    ] {
        let text = format!("[Event \"x\"]\n[Variant \"{name}\"]\n\n1. e4 e5 2. N@f3 *\n\n[Event \"y\"]\n\n1. d4 *");
        let (games, messages) = both(text.as_bytes());
        assert_eq!(games, ["d2d4"], "{name}");
        let expected = format!("x.pgn:2: cannot read a game with the tag `Variant \"{name}\"`");
        assert!(messages.len() == 1 && messages[0].starts_with(&expected), "{messages:?}");
    }
}

#[test]
fn impossible_castling_rights_of_a_start_are_dropped_with_a_warning() {
    let text = b"[Event \"x\"]\n[FEN \"4k3/8/8/8/8/8/P7/4K2R w KQ - 0 1\"]\n\n1. O-O *";
    let found = parse_annotated("x.pgn", text).expect("a game");
    assert_eq!(found.games[0].game.start_fen(), "4k3/8/8/8/8/8/P7/4K2R w K - 0 1");
    let warnings: Vec<String> = found.corrected.iter().map(Correction::to_string).collect();
    assert!(warnings.len() == 1 && warnings[0].starts_with("x.pgn:2: castling rights `Q` of `4k3/"), "{warnings:?}");
}

/// A blank line ends no game; a tag, a result or the first move number on a new line does.
#[test]
fn games_are_separated_with_and_without_tags_and_results() {
    for (text, games) in [
        ("1. e4 e5\n\n2. Nf3 Nc6\n", vec!["e2e4 e7e5 g1f3 b8c6"]),
        ("1. e4 e5 2. Nf3\n1. d4 d5\n", vec!["e2e4 e7e5 g1f3", "d2d4 d7d5"]),
        ("1. e4\n\n1. d4\n", vec!["e2e4", "d2d4"]),
        ("1. e4\n1... e5\n2. Nf3", vec!["e2e4 e7e5 g1f3"]),
        ("1. e4 1-0 1. d4 0-1\n\n\n1. c4", vec!["e2e4", "d2d4", "c2c4"]),
        ("[Event \"1\"]\n\n1. e4 e5\n[Event \"2\"]\n\n1. d4", vec!["e2e4 e7e5", "d2d4"]),
        ("[Event \"1\"] [Site \"x\"] 1. e4 e5", vec!["e2e4 e7e5"]),
        (
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[FEN \"4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\"]\n1. d4",
            vec!["", "d2d4"],
        ),
        ("[Event \"1\"]\r\n\r\n1. e4\r\ne5\r\n\r\n[Event \"2\"]\r\n\r\n1. d4\r\n", vec!["e2e4 e7e5", "d2d4"]),
        ("[Event \"1\"]\r\r1. e4;x\re5\r\r[Event \"2\"]\r\r1. d4\r", vec!["e2e4 e7e5", "d2d4"]),
    ] {
        let games: Vec<String> = games.into_iter().map(str::to_owned).collect();
        assert_eq!(both(text.as_bytes()), (games, vec![]), "{text}");
    }
}

#[test]
fn tags_are_read_with_their_faults_and_in_both_encodings() {
    for (text, value) in [
        (&b"[White \"A \\\"B\\\" C\"]"[..], "A \"B\" C"),
        (b"[White \"A \"B\" C\"]", "A \"B\" C"),
        (b"[White \"A", "A"),
        (b"[White \"A]", "A"),
        (b"[ White  \"A\" ] [Black \"B\"]", "A"),
        (b"[White \"M\xfcller\"]", "Müller"),
        ("[White \"Müller ♘\"]".as_bytes(), "Müller ♘"),
        (b"[White \"\"]", ""),
    ] {
        let text = [text, b"\n[Result \"*\"]\n\n1. e4 e5 *\n"].concat();
        let found = parse_annotated("x.pgn", &text).expect("a game");
        assert_eq!(found.games[0].tag("White"), Some(value), "{found:?}");
        assert_eq!((found.games[0].tag("Result"), found.games[0].game.moves().len()), (Some("*"), 2));
    }
}

#[test]
fn files_without_games_are_reported() {
    for (bytes, needle) in [
        (&b""[..], "contains no game with moves"),
        (b"\n\n", "contains no game with moves"),
        (b"[Event \"only tags\"]\n\n*\n", "contains no game with moves"),
        (b"\x7fELF\x00\x01\x02", "not a text file"),
        (b"\xff\xfe1\x00.\x00 \x00e\x004\x00", "not a text file"),
    ] {
        let message = parse_annotated("x.pgn", bytes).expect_err("no games").to_string();
        assert!(message.contains("x.pgn: ") && message.contains(needle), "{message}");
    }
    let message = read_annotated(Path::new("/no/such.pgn")).expect_err("no file").to_string();
    assert!(message.starts_with("cannot read /no/such.pgn: "), "{message}");
}
