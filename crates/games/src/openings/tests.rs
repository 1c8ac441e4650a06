use super::*;

const EPD: &str = "# a book\n\
    rn1q1rk1/pb2ppbp/1pp2np1/3p4/2PP4/2NBPN1P/PP3PP1/R1BQ1RK1 w - -\n\
    r1bqk2r/p1pnbppp/4pn2/3p4/P2P4/2N2NP1/1P2PPBP/R1BQ1RK1 w kq - 0 9\r\n\
    \n\
    rnbqkb1r/pp1ppppp/5n2/2p5/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq - hmvc 2; id \"English\"; c0 \"4 fields; operations\";\n\
    8/8/8/8/8/8/8/K6k w - - 0 1\n\
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1\n\
    r1bqkbnr/pppp1Qpp/2n5/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4\n\
    rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2";

const PGN: &str = "[Event \"one\"]\n\n1. e4 {book} e5 2. Nf3 Nc6 3. Bb5 *\n\n\
    [Event \"two\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 *\n\n\
    [Event \"bad\"]\n\n1. d4 d5 2. Kd3 *\n\n\
    [Event \"over\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [Event \"other start\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 *\n";

fn parse(file: &str, text: &str, options: Options) -> OpeningSource {
    OpeningSource::parse(file, text.as_bytes().to_vec(), &options).expect("a book")
}

fn fens(source: OpeningSource) -> Vec<String> {
    source.map(|game| game.fen()).collect()
}

#[test]
fn positions_are_read_with_and_without_operations_and_counters() {
    let source = parse("b.epd", EPD, Options::default());
    assert_eq!((source.size(), source.name()), (Some(4), "b.epd"));
    let skipped: Vec<String> = source.skipped().iter().map(BadOpening::to_string).collect();
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    for (message, needles) in skipped.iter().zip([
        ["b.epd:6: the game is over here (insufficient material)", "delete"],
        ["b.epd:7: ", "RNBQKBN"],
        ["b.epd:8: the game is over here (checkmate)", "delete"],
    ]) {
        assert!(needles.iter().all(|needle| message.contains(needle)), "{message}");
    }
    let fens = fens(source);
    assert!(fens[0].ends_with("w - - 0 1") && fens[1].ends_with("w kq - 0 9"), "{fens:?}");
    assert!(fens[2].ends_with("w KQkq - 2 1") && fens[3].contains("2p5/4P3"), "{fens:?}");
}

#[test]
fn impossible_castling_rights_of_a_book_are_dropped_with_a_warning() {
    let lines = "4k3/8/8/8/8/8/P7/4K2R w KQ - 0 1\nr3k3/8/8/8/8/8/P7/4K3 b q - 0 1\n";
    for chess960 in [false, true] {
        let source = parse("b.epd", lines, Options { chess960, ..Options::default() });
        let corrected: Vec<String> = source.corrected().iter().map(BadOpening::to_string).collect();
        assert!(corrected.len() == 1 && corrected[0].starts_with("b.epd:1: castling rights `Q` of"), "{corrected:?}");
        assert_eq!(source.skipped(), []);
        assert_eq!(fens(source), ["4k3/8/8/8/8/8/P7/4K2R w K - 0 1", "r3k3/8/8/8/8/8/P7/4K3 b q - 0 1"]);
    }
}

#[test]
fn games_are_cut_after_the_requested_plies() {
    let source = parse("b.pgn", PGN, Options { plies: Some(3), ..Options::default() });
    let skipped: Vec<String> = source.skipped().iter().map(BadOpening::to_string).collect();
    assert!(
        skipped.len() == 1 && skipped[0].starts_with("b.pgn:11: cannot play `Kd3` after 2 half moves"),
        "{skipped:?}"
    );
    let plies: Vec<usize> = source.map(|game| game.moves().len()).collect();
    assert_eq!(plies, [3, 3, 3, 2]);
    let whole = parse("b.pgn", PGN, Options::default());
    assert!(whole.skipped()[1].to_string().starts_with("b.pgn:13: the game is over here (checkmate)"));
    let games: Vec<Game> = whole.collect();
    assert_eq!(games.iter().map(|game| game.moves().len()).collect::<Vec<_>>(), [5, 6, 2]);
    assert!(games[2].start_fen().starts_with("4k3/"));
}

/// The number was ignored, and the match played other openings than requested.
#[test]
fn positions_with_a_number_of_plies_are_refused() {
    let options = Options { plies: Some(3), ..Options::default() };
    let error = OpeningSource::parse("b.epd", EPD.into(), &options).err().expect("no moves").to_string();
    assert!(error.starts_with("cannot use --opening-plies 3 with b.epd: its openings are positions"), "{error}");
}

#[test]
fn games_are_recognized_by_their_first_character() {
    assert_eq!(parse("book.txt", PGN, Options::default()).size(), Some(3));
    assert_eq!(parse("book.txt", EPD, Options::default()).size(), Some(4));
    assert_eq!(parse("BOOK.PGN", "1. e4 e5 *\n\n1. d4 *\n", Options::default()).size(), Some(2));
}

#[test]
fn order_and_start_choose() {
    let in_order = |options| fens(parse("b.epd", EPD, options));
    let plain = in_order(Options::default());
    let later = in_order(Options { start: 2, ..Options::default() });
    assert_eq!([&later[..2], &later[2..]], [&plain[2..], &plain[..2]], "after the last comes the first");
    for start in [4, 6] {
        let options = Options { start, ..Options::default() };
        let skipped = OpeningSource::parse("b.epd", EPD.into(), &options).err().expect("nothing is left").to_string();
        assert!(skipped.starts_with(&format!("cannot skip {start} openings of b.epd: it has 4; ")), "{skipped}");
    }
    for (start, left) in [(0, 4), (2, 2)] {
        let source = parse("b.epd", EPD, Options { start, ..Options::default() });
        assert_eq!(source.shortage(left), None);
        let warning = source.shortage(left + 1).expect("one is missing");
        let expected = format!("b.epd has {left} openings, but the match needs {}", left + 1);
        assert!(warning.starts_with(&expected), "{warning}");
    }
    let shuffled = |seed| in_order(Options { order: BookOrder::Random, seed, ..Options::default() });
    assert_eq!(shuffled(1), shuffled(1));
    assert!((2..9).any(|seed| shuffled(seed) != shuffled(1)));
    let mut sorted = shuffled(1);
    sorted.sort();
    let mut all = plain;
    all.sort();
    assert_eq!(sorted, all);
}

#[test]
fn openings_before_the_first_one_can_be_drawn_singly() {
    let builtin = |start| OpeningSource::builtin(&Options { start, seed: 3, ..Options::default() });
    let third = builtin(0).nth(2).expect("endless").fen();
    assert_eq!(builtin(2).next().expect("endless").fen(), third);
    let mut source = builtin(2);
    assert_eq!([source.draw_unused(), source.draw_unused(), source.draw_unused()], [Some(1), Some(0), None]);
    assert_eq!(source.next().expect("endless").fen(), third);
    assert_eq!(
        parse("b.epd", EPD, Options { start: 2, ..Options::default() }).draw_unused(),
        None,
        "a book is rotated"
    );
    let source = OpeningSource::open("builtin", &Options::default()).expect("no file");
    assert_eq!((source.size(), source.shortage(1_000_000)), (None, None));
}

#[test]
fn the_fingerprint_is_that_of_the_contents() {
    let of = |text: &str| parse("b.epd", text, Options::default()).fingerprint();
    assert_eq!(of(EPD), parse("other.epd", EPD, Options { seed: 5, start: 1, ..Options::default() }).fingerprint());
    assert_ne!(of(EPD), of(&EPD.replace("English", "english")));
    let builtin =
        |seed, chess960| OpeningSource::builtin(&Options { seed, chess960, ..Options::default() }).fingerprint();
    assert_eq!(builtin(1, false), builtin(1, false));
    assert!(builtin(1, false) != builtin(2, false) && builtin(1, false) != builtin(1, true));
}

/// A hundred games from one opening were shown as independent, with a narrow interval.
#[test]
fn few_openings_of_few_plies_are_reported() {
    let source = |plies, chess960| {
        OpeningSource::builtin(&Options { plies: Some(plies), chess960, seed: 3, ..Options::default() })
    };
    assert_eq!(source(0, false).shortage(1), None);
    let warning = source(0, false).shortage(50).expect("only the first position");
    assert!(warning.starts_with("builtin has 1 opening, but the match needs 50: "), "{warning}");
    assert!(warning.ends_with("give more --opening-plies"), "{warning}");
    let warning = source(1, false).shortage(50).expect("at most 20 moves");
    assert!(warning.contains(" openings, but the match needs 50: "), "{warning}");
    assert_eq!((source(0, true).shortage(50), source(3, false).shortage(1_000_000)), (None, None));
    let mut source = source(1, false);
    assert!(source.shortage(5).is_none() && source.next().is_some(), "looking ahead takes nothing");
}

#[test]
fn chess960_is_known_by_its_castling_or_forced() {
    let text = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    let modes = |chess960| {
        let source = parse("b.epd", text, Options { chess960, ..Options::default() });
        source.map(|game| game.castling_mode() == shakmaty::CastlingMode::Chess960).collect::<Vec<_>>()
    };
    assert_eq!((modes(false), modes(true)), (vec![true, false], vec![true, true]));
}

#[test]
fn useless_books_are_named() {
    for (file, text, needles) in [
        ("b.epd", "", vec!["b.epd: it contains no opening"]),
        ("b.epd", "# nothing\n\n", vec!["b.epd: it contains no opening"]),
        ("b.pgn", "[Event \"x\"]\n\n*\n", vec!["b.pgn: it contains no opening"]),
        ("b.epd", "\nhello\nworld\n", vec!["b.epd:2: ", "hello", "cannot use any of the 2 openings"]),
        ("b.pgn", "1. e5 *\n", vec!["b.pgn:1: cannot play `e5`", "cannot use any of the 1 openings"]),
    ] {
        let error = OpeningSource::parse(file, text.as_bytes().to_vec(), &Options::default());
        let message = error.err().expect(text).to_string();
        assert!(needles.iter().all(|needle| message.contains(needle)), "{message}");
    }
    let message = OpeningSource::open("/no/such.epd", &Options::default()).err().expect("no file").to_string();
    assert!(message.starts_with("cannot read /no/such.epd: "), "{message}");
}
