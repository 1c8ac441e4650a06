//! Games from public reports about other readers of PGN.

use super::reading::both;

/// A report, its text, the games that must be read, and what must be said of the others.
type Report = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const REPORTS: [Report; 15] = [
    (
        "niklasf/python-chess#243: a game without moves, and blank lines before the next",
        "[Event \"a\"]\n[Result \"*\"]\n[PlyCount \"0\"]\n\n\n\n[Event \"b\"]\n[Result \"1-0\"]\n\n1.e4 e5 2.Nf3 Nf6 1-0\n",
        &["e2e4 e7e5 g1f3 g8f6"],
        &[],
    ),
    (
        "niklasf/python-chess#794: two blank lines between tags and moves",
        "[Site \"x\"]\n[Event \"y\"]\n\n\n1. c4 {[%clk 0:15:20]}  e5 {[%clk 0:15:20]} 2. Nc3 {[%clk 0:14:38]}",
        &["c2c4 e7e5 b1c3"],
        &[],
    ),
    (
        "niklasf/python-chess#773: no blank lines at all",
        "[Event \"W\"]\n[Result \"*\"]\n1. d4 { [%eval +0.16] } 1... d5 *\n[Event \"W\"]\n[Result \"*\"]\n1. d4 1... c5 { (x) } *\n",
        &["d2d4 d7d5", "d2d4 c7c5"],
        &[],
    ),
    (
        "niklasf/python-chess#365: moves behind an illegal one are not appended",
        "1. e4 e5 2. Nf3 Nc6 3. Ke3 Nf6 4. d4 1-0\n\n[Event \"2\"]\n\n1. d4 *",
        &["d2d4"],
        &["cannot play `Ke3` after 4 half moves"],
    ),
    (
        "niklasf/python-chess#1204: a parenthesis behind an illegal move",
        "1. e4 Nf3 ) e5 *\n1. d4 *",
        &["d2d4"],
        &["cannot play `Nf3` after 1 half moves"],
    ),
    (
        "Disservin/fastchess#636: an opening with an illegal move",
        "[Result \"*\"]\n\n1. Nf3 f5 2. c4 Nf6 3. g3 e6 4. Ka1 d5 5. O-O c6 *\n",
        &[],
        &["cannot play `Ka1` after 6 half moves"],
    ),
    (
        "Disservin/chess-library#145: an ambiguous move",
        "[FEN \"8/8/6K1/4k3/4N3/p4r2/N3N3/8 w - - 3 82\"]\n\n82. Nec3 Rf8 1/2-1/2",
        &[],
        &["cannot play `Nec3` after 0 half moves of the game that begins at line 1: it is ambiguous"],
    ),
    (
        "Geras1mleo/Chess#21: more disambiguation than needed",
        "[FEN \"rnbqkb1r/1ppp1pp1/p3pn1p/8/3N4/3P4/PPPNPPPP/R1BQKB1R w KQkq - 0 5\"]\n\n5. Nd2f3 d5 6. N4b3 *",
        &["d2f3 d7d5 d4b3"],
        &[],
    ),
    (
        "lichess-org/scalachess#217: glyphs without numbers",
        "1. e4 e5 2. Nf3 d5 3. exd5 e4 4. Nd4 Qxd5 5. c3 Bc5 6. Nb3 Nf6 7. d4 exd3 8.\nBxd3?? \u{2213} {BLUNDER} ({(+0.33) best} 8. Nxc5) 8... Qxg2 1-0",
        &["e2e4 e7e5 g1f3 d7d5 e4d5 e5e4 f3d4 d8d5 c2c3 f8c5 d4b3 g8f6 d2d4 e4d3 f1d3 d5g2"],
        &[],
    ),
    (
        "lichess-org/lila#356: escaped lines",
        "% a line for programs, Sf3\n[Event \"x\"]\n% another\n\n1. e4\n% e5\nc5 *\n",
        &["e2e4 c7c5"],
        &[],
    ),
    (
        "mliebelt/pgn-parser#90: a blank between number and dots",
        "1. d4 {[%depth20 +0.35]} 1. ... Nf6 {[%depth20 +0.24]} 2. \nNf3 {} 2. ... c5 3. e3",
        &["d2d4 g8f6 g1f3 c7c5 e2e3"],
        &[],
    ),
    (
        "ajax333221/isepic-chess#9: a semicolon in a comment",
        "1. e4 {a; b} e5 ; c { d\n2. Nf3 *",
        &["e2e4 e7e5 g1f3"],
        &[],
    ),
    (
        "DHTMLGoodies/chessParser#2, mliebelt/pgn-parser#436: moves that are passed",
        "1. e4 e5 2. -- Nf6 *\n1. d4 d5 2. Z0 *\n1. c4 *",
        &["c2c4"],
        &["cannot play `--` after 2 half moves", "cannot play `Z0` after 2 half moves"],
    ),
    (
        "Destaq/chess-graph#61: moves without a blank between them",
        "1. c4 e5 2. Nc3 Nc6 3. Nf3 Nf6 4. d4 exd4 5. Nxd4Bb4 *\n1. d4 *",
        &["d2d4"],
        &["cannot play `Nxd4Bb4` after 8 half moves"],
    ),
    (
        "official-stockfish/books#54: a semicolon in the FEN",
        "[FEN \"nrbknbrq/pppppppp/8/8/8/8/PPPPPPPP/NRBKNBRQ w GBgb - 0 1;\"]\n[Result \"1/2-1/2\"]\n\n1. Nb3 1/2-1/2",
        &["a1b3"],
        &[],
    ),
];

#[test]
fn games_of_public_reports_are_read_or_reported() {
    for (report, text, games, messages) in REPORTS {
        let (found, reported) = both(text.as_bytes());
        assert_eq!(found, games, "{report}\n{reported:?}");
        assert_eq!(reported.len(), messages.len(), "{report}\n{reported:?}");
        for (reported, expected) in reported.iter().zip(messages) {
            assert!(reported.contains(expected), "{report}\n{reported}");
        }
    }
}
