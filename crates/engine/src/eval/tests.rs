//! Tests of the evaluation as a whole.

use super::groups::*;
use super::*;
use crate::testing;

/// Varied positions: openings, attacks on castled and uncastled kings, endings of every kind, odd material.
const POSITIONS: [&str; 36] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r2q1rk1/pp1bbppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 4 10",
    "r1b2rk1/2q1bppp/p1nppn2/1p6/3NPP2/2N1B3/PPP1B1PP/R3QR1K w - - 0 12",
    "2kr1b1r/pp1q1ppp/2n1bn2/3pp3/8/1P1PPN2/PBPNBPPP/R2Q1RK1 b - - 2 9",
    "r1bq1r1k/ppp1n1pp/3p4/4pP1Q/2B1P3/3P3R/PPP3PP/R5K1 w - - 0 18",
    "r4rk1/1b2bppp/p1q1pn2/1p6/3QP3/1BN2P2/PPP3PP/2KR3R w - - 4 16",
    "r3k2r/ppp2ppp/2n1bn2/2bqp3/8/2NP1NP1/PP2PPBP/R1BQ1RK1 b kq - 1 8",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "r1bbk1nr/pp3p1p/2n5/1N4p1/2Np1B2/8/PPP2PPP/2KR1B1R w kq - 0 13",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 2 11",
    "r1q2rk1/2p1bppp/2Pp4/p6b/Q1PNp3/4B3/PP1R1PPP/2K4R w - - 2 18",
    "4k2r/1pb2ppp/1p2p3/1R1p4/3P4/2r1PN2/P4PPP/1R4K1 b - - 3 22",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
    "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "1r3k2/4q3/2Pp3b/3Bp3/2Q2p2/1p1P2P1/1P2KP2/3N4 w - - 0 1",
    "6k1/4pp1p/3p2p1/P1pPb3/R7/1r2P1PP/3B1P2/6K1 w - - 0 1",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "3Qb1k1/1r2ppb1/pN1n2q1/Pp1Pp1Pr/4P2p/4BP2/4B1R1/1R5K b - - 11 40",
    "4k3/3q1r2/1N2r1b1/3ppN2/2nPP3/1B1R2n1/2R1Q3/3K4 w - - 5 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "8/2p4P/8/kr6/6R1/8/8/1K6 w - - 0 1",
    "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    "7k/p7/8/8/8/8/P5B1/7K w - - 0 1",
    "8/8/4kp2/8/5P2/4K1B1/7b/8 w - - 10 60",
    "2b5/1p4k1/p2p2p1/3P1p2/2P2P2/1P1B2P1/P5K1/8 b - - 0 40",
    "8/5pk1/6p1/7p/R6P/5PPK/r7/8 w - - 0 45",
    "8/8/8/2k5/8/2N1N3/8/2K5 w - - 0 1",
    "1n2kb1r/p1P4p/2qb4/5pP1/4n2Q/8/PP1PPP1P/RNB1KBNR w KQk - 0 10",
    "QQQQQQrk/6pp/8/8/8/8/PP6/KRqqqqqq w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "r2qr1k1/p4p1p/1p1p1bpB/2pPnb2/P1P5/2N1p1QP/1P2B1P1/R4RK1 w - - 0 20",
];

/// The positions above and those of the tables below.
fn positions() -> impl Iterator<Item = &'static str> {
    let endings = KNOWN_ENDINGS.iter().map(|(_, fen, ..)| *fen).chain(SCALE_COUNTS.iter().map(|(_, fen, ..)| *fen));
    POSITIONS.into_iter().chain(TERM_COUNTS.iter().map(|(_, fen, ..)| *fen)).chain(endings)
}

/// Calls `f` with the view of a position.
fn with_view<R>(fen: &str, f: impl FnOnce(&EvalView) -> R) -> R {
    let game = testing::game(fen);
    f(&EvalView::of(game.position(), Sums::of(game.position().board()), &Params::NEUTRAL))
}

fn score(fen: &str) -> Score {
    with_view(fen, |view| evaluate(view, &mut PawnTable::default()))
}

/// The score seen by White.
fn white(fen: &str) -> i32 {
    with_view(fen, |view| breakdown(view).white().0)
}

#[test]
fn colours_are_symmetric() {
    for fen in positions() {
        let mirrored = with_view(fen, |view| {
            let board = view.board.clone().into_mirrored();
            let (turn, castles) = (view.turn.other(), view.castles.flip_vertical());
            let mirror = EvalView { board: &board, turn, sums: Sums::of(&board), castles, ..*view };
            assert_eq!((mirror.sums.psq, mirror.sums.phase), (-view.sums.psq, view.sums.phase), "{fen}");
            evaluate(&mirror, &mut PawnTable::default())
        });
        assert_eq!(score(fen), mirrored, "{fen}");
    }
}

#[test]
fn the_opening_position_is_worth_the_move() {
    const MOVE_MAX: i32 = 60;
    let found = score(POSITIONS[0]).0;
    assert!((1..MOVE_MAX).contains(&found), "{found}");
}

#[test]
fn the_table_of_terms_adds_up() {
    for fen in positions() {
        with_view(fen, |view| {
            let table = breakdown(view);
            assert_eq!(table.score, evaluate(view, &mut PawnTable::default()), "{fen}");
            assert!(table.score.0.abs() <= Score::EVAL_MAX.0 && !table.score.is_decisive(), "{fen}");
            let sum = table.terms.iter().fold(Pair::ZERO, |sum, [black, white]| sum + *white - *black);
            assert_eq!(sum, table.blend.map_or(Pair::ZERO, |blend| blend.total), "{fen}\n{table}");
            assert_eq!(table.blend.is_none(), table.known.is_some(), "{fen}");
            let text = table.to_string();
            assert!(text.contains("Final") && text.lines().all(|line| line.len() < 80), "{text}");
        });
    }
}

#[test]
fn a_used_pawn_table_changes_nothing() {
    let mut table = PawnTable::default();
    for _ in 0..2 {
        for fen in positions() {
            let used = with_view(fen, |view| evaluate(view, &mut table));
            assert_eq!(used, score(fen), "{fen}");
            // The same slot for all pawns: the entries are verified, not trusted.
            let clashing = with_view(fen, |view| evaluate(&EvalView { pawn_key: 0, ..*view }, &mut table));
            assert_eq!(clashing, score(fen), "{fen}");
        }
    }
}

/// Endings with the name of the known one, and whether White wins it.
const KNOWN_ENDINGS: &[(&str, &str, Option<&str>, bool)] = &[
    ("queen", "8/8/8/8/4k3/8/3Q4/3K4 w - - 0 1", Some("bare king"), true),
    ("rook", "8/8/8/8/3k4/8/3R4/3K4 b - - 0 1", Some("bare king"), true),
    ("rook and pawn", "8/8/8/8/3k4/P7/3R4/3K4 b - - 0 1", Some("bare king"), true),
    ("two bishops", "8/8/8/8/3k4/8/3BB3/3K4 w - - 0 1", Some("bare king"), true),
    ("two bishops of one colour", "8/8/8/8/3k4/4B3/8/2BK4 b - - 0 1", Some("no mating material"), false),
    ("two knights", "8/8/8/8/k7/8/3NN3/3K4 w - - 0 1", Some("no mating material"), false),
    ("one bishop", "8/8/8/8/k7/8/3B4/3K4 w - - 0 1", Some("no mating material"), false),
    ("bishop and knight", "8/8/8/8/k7/8/3BN3/3K4 w - - 0 1", Some("bishop and knight"), true),
    ("wrong bishop", "7k/8/8/7P/8/6K1/7P/5B2 w - - 0 1", Some("wrong bishop"), false),
    ("wrong bishop, a file", "8/8/2b1k3/p7/8/8/1K6/8 w - - 0 1", Some("wrong bishop"), false),
    ("won pawn", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Some("won pawn ending"), true),
    ("drawn pawn", "8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", Some("drawn pawn ending"), false),
    ("the right bishop", "7k/8/8/7P/8/6K1/7P/4B3 w - - 0 1", None, false),
    ("a king that is too far away", "8/5k2/8/7P/8/6K1/7P/5B2 w - - 0 1", None, false),
    ("another pawn", "7k/8/8/7P/8/6K1/6P1/5B2 w - - 0 1", None, false),
    ("a pawn of the other side", "7k/8/7p/7P/8/6K1/7P/5B2 w - - 0 1", None, false),
];

#[test]
fn known_endings() {
    for &(name, fen, ending, won) in KNOWN_ENDINGS {
        with_view(fen, |view| {
            let table = breakdown(view);
            assert_eq!(table.known.map(|known| known.name), ending, "{name}");
            let range = if won { KNOWN_WIN..=9000 } else { 0..=0 };
            assert!(ending.is_none() || range.contains(&table.white().0), "{name}: {:?}", table.white());
        });
    }
}

#[test]
fn drawish_endings_are_scaled_down() {
    // A pawn more or less would decide most of them; none is worth a pawn.
    for (name, fen, limit) in [
        ("wrong bishop, with a pawn of the other side", "k7/8/1K3p2/8/P7/8/8/4B3 w - - 0 1", 40),
        ("bishop against knight", "4k3/8/4n3/8/8/4B3/8/4K3 w - - 0 1", 40),
        ("rook against bishop", "4k3/8/4b3/8/8/8/4R3/4K3 w - - 0 1", 100),
        ("two knights against a pawn", "8/8/8/5N2/8/p7/8/2NK3k w - - 0 1", 100),
        ("rook and pawn, king before it", "4k3/8/8/8/4P3/4K3/r7/7R w - - 0 1", 100),
    ] {
        assert!(white(fen).abs() <= limit, "{name}: {}", white(fen));
    }
    let same = white("2b5/1p4k1/p2p4/3P4/2P2PP1/1P1B4/P5K1/8 w - - 0 40");
    let opposite = white("8/1p2b1k1/p2p4/3P4/2P2PP1/1P1B4/P5K1/8 w - - 0 40");
    assert!(opposite < same, "opposite bishops: {opposite} {same}");
    let right = white("k7/8/1K6/8/P7/8/8/3B4 w - - 0 1");
    assert!(right > white("k7/8/1K6/8/P7/8/8/4B3 w - - 0 1") + 200, "right bishop: {right}");
}

#[test]
fn mating_drives_the_king_to_the_right_place() {
    for (name, better, worse) in [
        ("edge", "k7/8/2K5/8/8/8/8/7R w - - 0 1", "8/8/8/3k4/8/3K4/8/7R w - - 0 1"),
        ("kings close", "k7/8/1K6/8/8/8/8/7R w - - 0 1", "k7/8/8/8/8/6K1/8/7R w - - 0 1"),
        ("light corner", "k7/8/2K5/8/8/3B4/4N3/8 w - - 0 1", "7k/8/5K2/8/8/3B4/4N3/8 w - - 0 1"),
        ("dark corner", "7k/8/5K2/8/8/4B3/4N3/8 w - - 0 1", "k7/8/2K5/8/8/4B3/4N3/8 w - - 0 1"),
    ] {
        assert!(white(better) > white(worse), "{name}: {} {}", white(better), white(worse));
    }
}

#[test]
fn the_fifty_move_counter_damps_the_score() {
    let value = Score(600);
    let (fresh, old) = (damp(value, 0), damp(value, 80));
    assert_eq!((fresh, damp(-value, 80)), (value, -old));
    assert!(fresh > old && old > fresh / 2, "{fresh:?} {old:?}");
    let won = Score(KNOWN_WIN);
    assert_eq!((damp(won, 80), damp(-won, 80)), (won, -won), "a known win");
}

/// How often a place is counted.
fn uses(counts: &[WeightCount], place: usize) -> i32 {
    counts.iter().find(|used| usize::from(used.place) == place).map_or(0, |used| used.count.into())
}

/// The counts of a position, also where one king is bare.
fn counted(fen: &str) -> EvaluationCounts {
    with_view(fen, |view| {
        let mut counted = EvaluationCounts::new(view.turn, view.sums.phase);
        sum(view, &mut PawnTable::default(), &mut counted);
        counted
    })
}

/// Positions with a weight and how often White uses it more than Black.
const TERM_COUNTS: &[(&str, &str, usize, i32)] = &[
    ("a pawn more", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", VALUE.at(0), 1),
    ("squares are mirrored", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", PAWN_SQUARE.at(7), 0),
    ("a pawn on d2 is three files from the edge", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", PAWN_SQUARE.at(7), 1),
    ("a black pawn on a7", "4k3/p7/8/8/8/8/8/4K3 w - - 0 1", PAWN_SQUARE.at(4), -1),
    ("bishop pair with two pawns", "4k3/8/8/8/8/8/PP6/2B1KB2 w - - 0 1", BISHOP_PAIR_PAWN.at(0), 2),
    ("second rook", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", SECOND.at(2), 1),
    ("two knights, three pawns", "4k3/8/8/8/8/8/PPP5/1N2K1N1 w - - 0 1", WITH_PAWN.at(0), 6),
    ("a rook against two pawns", "4k3/pp6/8/8/8/8/8/R3K3 w - - 0 1", AGAINST_PAWN.at(2), 2),
    ("a queen against a knight", "1n2k3/8/8/8/8/8/8/Q3K3 w - - 0 1", QUEEN_AGAINST_MINOR.at(0), 1),
    ("knight in the corner", "4k3/8/8/8/8/8/8/N3K2R w - - 0 1", KNIGHT_MOBILITY.at(2), 1),
    ("own pawns and enemy pawns' attacks are no room", "4k3/8/8/8/2p5/8/2P5/N3K2R w - - 0 1", KNIGHT_MOBILITY.at(0), 1),
    ("a pinned rook moves on its file", "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", ROOK_MOBILITY.at(6), 1),
    ("rooks see through each other", "4k3/8/8/8/8/R7/R7/4K3 w - - 0 1", ROOK_MOBILITY.at(14), 2),
    ("outpost", "4k3/p7/8/3N4/4P3/8/8/4K3 w - - 0 1", KNIGHT_OUTPOST.at(0), 1),
    ("no outpost: a pawn can come", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", KNIGHT_OUTPOST.at(0), 0),
    ("a hole", "4k3/p7/8/3N4/8/8/8/4K3 w - - 0 1", KNIGHT_HOLE.at(0), 1),
    ("knight behind a pawn", "4k3/8/8/3p4/3N4/8/8/4K3 w - - 0 1", BEHIND_PAWN.at(0), 1),
    ("pawns on the bishop's colour", "4k3/8/8/8/8/1P1P4/8/2B1K3 w - - 0 1", PAWN_ON_SHADE.at(0), 0),
    ("pawns on the other colour", "4k3/8/8/8/8/P1P5/8/2B1K3 w - - 0 1", PAWN_ON_SHADE.at(0), 2),
    ("a blocked one among them", "4k3/8/8/8/2p5/P1P5/8/2B1K3 w - - 0 1", BLOCKED_PAWN_ON_SHADE.at(0), 1),
    ("open file", "4k3/8/8/8/8/8/1P6/R3K3 w - - 0 1", ROOK_OPEN.at(0), 1),
    ("half open file", "4k3/p7/8/8/8/8/1P6/R3K3 w - - 0 1", ROOK_HALF_OPEN.at(0), 1),
    ("shut file", "4k3/8/p7/P7/8/8/8/R3K3 w - - 0 1", ROOK_CLOSED.at(0), 1),
    ("seventh rank", "4k3/R7/8/8/8/8/8/4K3 w - - 0 1", ROOK_SEVENTH.at(0), 1),
    ("seventh rank, nothing there", "8/R7/4k3/8/8/8/8/4K3 w - - 0 1", ROOK_SEVENTH.at(0), 0),
    ("on the king's file", "4k3/8/8/8/8/8/4R3/3K4 b - - 0 1", ON_KING_FILE.at(0), 1),
    ("queen behind a piece", "4k3/8/8/q7/8/2N5/3Q4/4K3 w - - 0 1", QUEEN_IN_LINE.at(0), 0),
    ("queen in line with a rook", "3rk3/8/8/8/3N4/8/3Q4/4K3 w - - 0 1", QUEEN_IN_LINE.at(0), 1),
    ("moves to the own king", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", FROM_OUR_KING.at(0), 4),
    ("moves to the enemy king", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", FROM_THEIR_KING.at(0), 7),
    ("may castle on both sides", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", MAY_CASTLE_SHORT.at(0), 1),
    ("may castle on one side", "4k3/8/8/8/8/8/8/R3K2R w K - 0 1", MAY_CASTLE_LONG.at(0), 0),
    ("passed pawn blocked", "8/8/4k3/4P3/8/8/8/4K3 w - - 0 1", PASSED_BLOCKED.at(4), 1),
    ("its step attacked", "8/3k4/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_SAFE_STEP.at(4), 0),
    ("its step safe, its way not", "2k5/8/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_SAFE_STEP.at(4), 1),
    ("its way safe", "k7/8/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_SAFE_WAY.at(4), 1),
    ("its way attacked at the end", "3k4/8/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_SAFE_WAY.at(4), 0),
    ("escorted", "k7/8/8/3KP3/8/8/8/8 w - - 0 1", PASSED_ESCORTED.at(4), 1),
    ("own king's moves to the next square", "k7/8/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_OUR_KING.at(4), 5),
    ("enemy king's moves to the next square", "k7/8/8/4P3/8/8/8/4K3 w - - 0 1", PASSED_THEIR_KING.at(4), 4),
    ("rook behind", "k7/8/8/4P3/8/8/8/K3R3 w - - 0 1", ROOK_BEHIND_PASSED.at(0), 1),
    ("enemy rook behind", "k7/8/8/4P3/8/8/8/K3r3 w - - 0 1", ROOK_BEHIND_THEIR_PASSED.at(0), -1),
    ("outrun", "8/8/8/7P/8/8/k7/5K2 w - - 0 1", UNSTOPPABLE.at(4), 1),
    ("in the square", "8/8/8/7P/5k2/8/8/K7 b - - 0 1", UNSTOPPABLE.at(4), 0),
    ("in the square, our move", "8/8/3k4/7P/8/8/8/K7 w - - 0 1", UNSTOPPABLE.at(4), 1),
    ("the same, their move", "8/8/3k4/7P/8/8/8/K7 b - - 0 1", UNSTOPPABLE.at(4), 0),
    ("guarded by the king", "8/4k3/8/6KP/8/8/1p6/8 b - - 0 1", UNSTOPPABLE.at(4), 0),
    ("a piece can stop it", "8/8/8/7P/8/8/k7/2n2K2 w - - 0 1", UNSTOPPABLE.at(4), 0),
    ("squares of both but not of enemy pawns", "4k3/3p4/8/8/3N4/8/8/4K3 w - - 0 1", CONTESTED.at(0), -2),
    ("a rook against a knight", "1n2k3/8/8/8/8/8/8/R3K3 w - - 0 1", ROOK_AGAINST_MINOR.at(0), 1),
    ("a queen against two rooks", "r3k2r/8/8/8/8/8/8/Q3K3 w - - 0 1", QUEEN_AGAINST_ROOK.at(0), 2),
    ("enemy pawns on the bishop's colour", "4k3/8/8/p7/8/8/8/2B1K3 w - - 0 1", THEIR_PAWN_ON_SHADE.at(0), 1),
    ("a bishop on the long diagonal", "4k3/8/8/8/8/8/1B6/4K3 w - - 0 1", BISHOP_ON_CENTRE.at(0), 1),
    ("a knight that can attack the queen", "3qk3/8/8/8/3N4/8/8/4K3 w - - 0 1", KNIGHT_NEAR_QUEEN.at(0), 1),
    ("king moves to the own pawn", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", KING_TO_PAWN.at(0), 4),
    ("the enemy king's moves to it", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", KING_TO_THEIR_PAWN.at(0), -6),
    ("a pawn hits a rook", "4k3/8/8/8/3r4/4P3/8/4K3 w - - 0 1", PAWN_HITS.at(2), 1),
    ("a pawn will hit it", "4k3/8/8/3r4/8/8/4P3/4K3 w - - 0 1", PAWN_WILL_HIT.at(2), 1),
    ("a knight hits a defended rook", "4k3/8/2p5/3r4/8/4N3/8/4K3 w - - 0 1", KNIGHT_HITS.at(3), 1),
    ("a loose rook", "4k3/8/8/3r4/8/4N3/8/4K3 w - - 0 1", UNDEFENDED.at(3), 1),
    ("loose and our move", "4k3/8/8/3r4/8/4N3/8/4K3 w - - 0 1", LOOSE_TO_MOVE.at(0), 1),
    ("loose and their move", "4k3/8/8/3r4/8/4N3/8/4K3 b - - 0 1", LOOSE_TO_MOVE.at(0), 0),
    ("overpowered", "4k3/8/1n6/3r4/8/1B2N3/8/4K3 w - - 0 1", OUTNUMBERED.at(0), 1),
    ("defended twice", "4k3/1b6/1n6/3r4/8/1B2N3/8/4K3 w - - 0 1", OUTNUMBERED.at(0), 0),
];

#[test]
fn terms_count_as_described() {
    for &(name, fen, place, expected) in TERM_COUNTS {
        assert_eq!(uses(&counted(fen).weights, place), expected, "{name}: {fen}");
    }
}

#[test]
fn dangers_count_as_described() {
    for (name, fen, place, expected) in [
        ("a knight at the zone", "6k1/5ppp/8/6N1/8/8/8/K7 w - - 0 1", ATTACKER.at(0), 1),
        ("its hits", "6k1/5ppp/8/6N1/8/8/8/K7 w - - 0 1", HIT.at(0), 2),
        ("a far knight", "6k1/5ppp/8/8/8/8/8/KN6 w - - 0 1", ATTACKER.at(0), 0),
        ("one safe check", "6k1/5ppp/8/8/8/8/8/KR6 w - - 0 1", CHECKER.at(2), 1),
        ("two safe checks", "6k1/5p1p/8/8/8/8/8/KQ6 w - - 0 1", CHECKERS.at(3), 1),
        ("the check is taken", "r5k1/5ppp/8/8/8/8/8/KR6 w - - 0 1", CHECKER.at(2), 0),
        ("unsafe check", "r5k1/5ppp/8/8/8/8/8/KR6 w - - 0 1", UNSAFE_CHECK.at(0), 1),
        ("the king takes a lonely check", "6k1/5p1p/8/8/8/8/5Q2/K7 w - - 0 1", UNSAFE_CHECK.at(0), 0),
        ("weak squares", "7k/8/8/8/8/8/6R1/K7 w - - 0 1", WEAK_SQUARE.at(0), 3),
        ("a pin", "3r2k1/5ppp/8/8/8/1B6/8/K7 w - - 0 1", SHIELDED.at(0), 1),
        ("a guard", "5nk1/5ppp/8/8/8/8/8/KR6 w - - 0 1", GUARD.at(0), 1),
        ("open files", "6k1/5p2/8/8/8/8/8/KR6 w - - 0 1", OPEN_FILE.at(0), 2),
        ("a pawn near the king", "6k1/5ppp/6P1/8/8/8/8/KR6 w - - 0 1", PAWN_NEAR.at(0), 1),
        ("a pawn too far", "6k1/5ppp/8/8/6P1/8/8/KR6 w - - 0 1", PAWN_NEAR.at(0), 0),
        ("a queen", "6k1/5ppp/8/8/8/8/8/KQ6 w - - 0 1", WITH_QUEEN.at(0), 1),
        ("our move", "6k1/5ppp/8/8/8/8/8/KQ6 w - - 0 1", ATTACKER_TO_MOVE.at(0), 1),
        ("their move", "6k1/5ppp/8/8/8/8/8/KQ6 b - - 0 1", ATTACKER_TO_MOVE.at(0), 0),
    ] {
        assert_eq!(uses(&counted(fen).danger[Color::White as usize], place), expected, "{name}: {fen}");
    }
}

/// Positions with a part of White's scale and how often it is counted; `None` if White has no hope to win.
const SCALE_COUNTS: &[(&str, &str, Group, Option<i32>)] = &[
    ("pawns of the better side", "4k3/p7/8/8/8/8/PPP5/4K3 w - - 0 1", SCALE_PAWN, Some(3)),
    ("passed pawns", "4k3/p7/8/8/8/8/P1P5/4K3 w - - 0 1", SCALE_PASSED, Some(1)),
    ("one wing", "4k3/p7/8/8/8/8/PPP5/4K3 w - - 0 1", SCALE_ONE_WING, Some(1)),
    ("both wings", "4k3/p7/8/8/8/8/PP4P1/4K3 w - - 0 1", SCALE_ONE_WING, Some(0)),
    ("pawns only", "4k3/p7/8/8/8/8/PP4P1/4K3 w - - 0 1", SCALE_PAWNS_ONLY, Some(1)),
    ("a rook each", "r3k3/p7/8/8/8/8/PP4P1/R3K3 w - - 0 1", SCALE_ROOKS, Some(1)),
    ("not two", "r3k2r/p7/8/8/8/8/PP4P1/R3K3 w - - 0 1", SCALE_ROOKS, Some(0)),
    ("opposite bishops", "2b1k3/p7/8/8/8/8/PP6/2B1K3 w - - 0 1", SCALE_OPPOSITE, Some(1)),
    ("bishops of one colour", "5bk1/p7/8/8/8/8/PP6/2B1K3 w - - 0 1", SCALE_OPPOSITE, Some(0)),
    ("with other pieces", "2b1k2r/p7/8/8/8/8/PP6/2B1K2R w - - 0 1", SCALE_OPPOSITE_PIECES, Some(1)),
    ("barren", "4k2b/p7/8/8/8/8/8/R3K3 w - - 0 1", SCALE_BARREN, Some(1)),
    ("a knight alone", "4k3/p7/8/8/8/8/8/N3K3 w - - 0 1", SCALE_BASE, None),
    ("two knights", "4k3/p7/8/8/8/8/8/N3K1N1 w - - 0 1", SCALE_BASE, None),
    ("wrong corner", "k7/8/1K3p2/8/P7/8/8/4B3 w - - 0 1", SCALE_BASE, None),
    ("right corner", "k7/8/1K3p2/8/P7/8/8/3B4 w - - 0 1", SCALE_BASE, Some(1)),
];

#[test]
fn scales_count_as_described() {
    for &(name, fen, group, expected) in SCALE_COUNTS {
        let parts = &counted(fen).scale[Color::White as usize];
        let found = parts.as_ref().map(|parts| uses(parts, group.at(0)));
        assert_eq!(found, expected, "{name}: {fen}");
    }
}

/// Each second position is the first with something spoilt for White.
#[test]
fn obvious_advantages_count() {
    for (name, better, worse) in [
        (
            "queen up",
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "castled king",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1 w kq - 0 1",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP1KPPP/RNBQ3R w kq - 0 1",
        ),
        (
            "queen and knight near the king",
            "r1b2rk1/ppp2ppp/2n5/3p2NQ/3P4/2P5/PP3PPP/R4RK1 w - - 0 1",
            "r1b2rk1/ppp2ppp/2n5/3p4/3P4/2P5/PPQN1PPP/R4RK1 w - - 0 1",
        ),
        ("advanced passed pawn", "8/4kP2/8/8/8/8/5KP1/8 w - - 0 1", "8/4k3/8/8/5P2/8/5KP1/8 w - - 0 1"),
        ("rook behind it", "8/5pk1/P2r2p1/7p/7P/5PP1/6K1/R7 w - - 0 1", "8/5pk1/P2r2p1/7p/7P/5PP1/6K1/7R w - - 0 1"),
        (
            "rook on the open file",
            "3r2k1/pp3ppp/8/8/8/8/PP3PPP/3R2K1 w - - 0 1",
            "3r2k1/pp3ppp/8/8/8/8/PP3PPP/1R4K1 w - - 0 1",
        ),
        (
            "outpost",
            "r4rk1/pp3pp1/3p3p/2pNp3/2P1P3/3P4/PP3PPP/R4RK1 w - - 0 1",
            "r4rk1/pp3pp1/3p3p/2p1p3/2P1P3/1N1P4/PP3PPP/R4RK1 w - - 0 1",
        ),
        (
            "hanging knight",
            "r4rk1/ppp2ppp/8/3n4/8/1B6/PPP2PPP/R4RK1 w - - 0 1",
            "r4rk1/ppp2ppp/3n4/8/8/1B6/PPP2PPP/R4RK1 w - - 0 1",
        ),
        ("outrun", "8/8/8/7P/8/8/k7/5K2 w - - 0 1", "8/8/8/7P/5k2/8/8/5K2 b - - 0 1"),
    ] {
        assert!(white(better) > white(worse), "{name}: {} {}", white(better), white(worse));
    }
}
