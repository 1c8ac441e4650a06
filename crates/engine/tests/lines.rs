//! Every line that a search reports can be played to its end, and nothing follows the end of a game.

mod common;

use common::{Random, engine, random_game, reported_lines};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::report::SearchReport;
use quarterply_engine::score::Bound;
use quarterply_engine::search::pool::Engine;
use quarterply_engine::shakmaty::Position as _;

/// Where random games begin: bare kings meet many pieces, so that mates, stalemates and draws are near.
const NEAR_THE_END: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p2Q/2B1P3/2N5/PPPP1PPP/R1B1K1NR w KQkq - 6 5",
    "6k1/3R1ppp/8/8/2q5/5N2/5PPP/3R2K1 w - - 0 1",
    "3k4/8/3K4/8/8/2Q5/6r1/8 w - - 0 1",
    "r4rk1/ppp2ppp/3p4/4n3/2B1P1bq/2N3N1/PPP2PPP/R2Q1RK1 b - - 0 1",
    "5rk1/1q3p1p/2pR2pB/1p6/1P2Q3/P5P1/5P1P/6K1 w - - 0 30",
    "8/8/1k6/8/2QR4/8/5K2/3q4 b - - 90 80",
];

/// Plays a line to its end.
fn replay(game: &Game, report: &SearchReport, context: &str) {
    let mut game = game.clone();
    for (index, &mv) in report.line.iter().enumerate() {
        let legal = game.position().legal_moves().contains(&mv);
        assert!(legal, "{context}: {mv:?} cannot be played in {}: {report:?}", game.fen());
        assert!(index == 0 || game.draw().is_none(), "{context}: {mv:?} follows a draw in {}: {report:?}", game.fen());
        game.play(mv);
    }
    if let (Bound::Exact, Some(moves)) = (report.bound, report.score.mate_moves()) {
        // The table may cut a line short, but a mate in three is none in four, and after its last move it has happened.
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        let (plies, played) = (plies as usize, report.line.len());
        let mated = game.position().chess().is_checkmate();
        assert!(played < plies || played == plies && mated, "{context}: no mate in {plies} plies: {report:?}");
    }
}

/// Searches and replays all lines that are reported; returns how many there were.
fn all_lines(engine: &mut Engine, game: &Game, limits: &Limits, context: &str) -> usize {
    let reported = reported_lines(engine, game, limits);
    reported.iter().for_each(|report| replay(game, report, context));
    reported.len()
}

#[test]
fn no_line_continues_after_a_mate_seen_only_by_a_zero_window_search() {
    // The window ends at the mate in one: the mating move fails high in its scout search and gets no other.
    let game = Game::standard("k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76").expect("legal");
    for depth in 4..=6 {
        all_lines(&mut engine("default"), &game, &Limits::depth(depth), &format!("depth {depth}"));
    }
}

#[test]
fn every_line_of_thousands_of_searches_can_be_played_to_its_end() {
    const SEARCHES: usize = 300;
    const NODES: u64 = 1200;
    const NEW_GAME_EVERY: usize = 50;
    const MOVES_MAX: usize = 12;
    for name in ["default", "tactical", "falcon", "evolved", "sex", "sex-two", "sex-layer", "realization"] {
        for lines in [1, 3, 24] {
            let mut engine = engine(name);
            let mut random = Random(lines as u64);
            let mut printed = 0;
            for number in 0..SEARCHES {
                if number % NEW_GAME_EVERY == 0 {
                    engine.new_game();
                }
                let limits = Limits { nodes: Some(NODES), lines, ..Limits::default() };
                let game = random_game(&mut random, NEAR_THE_END, MOVES_MAX, false);
                printed += all_lines(&mut engine, &game, &limits, &format!("{name}, {lines} lines"));
            }
            assert!(printed > SEARCHES, "{name}, {lines} lines: only {printed} were reported");
        }
    }
}
