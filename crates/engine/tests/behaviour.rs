//! Behaviour that every chess engine must have, whatever its rules and parameters.

use std::ops::ControlFlow;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::perft::perft;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::profile;
use quarterply_engine::report::{ProgressEvent, SearchOutcome};
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::fen::Fen;
use quarterply_engine::shakmaty::uci::UciMove;
use quarterply_engine::shakmaty::{CastlingMode, EnPassantMode, Move, Position as _};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Middlegames, endings and a crowded board, used where any position will do.
const VARIED: &[&str] = &[
    START,
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
    "r2q1rk1/1b2bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 2 13",
    "8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45",
    "8/8/4kpp1/3p4/3P1PP1/4K3/8/8 w - - 3 40",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "6k1/5ppp/8/2pP4/8/2n5/5PPP/3B2K1 w - c6 0 30",
    "3qk1q1/4q2q/8/8/8/8/Q2Q4/1Q1KQ3 w - - 0 1",
];

fn game(fen: &str) -> Game {
    Game::standard(fen).expect("legal position")
}

fn after(fen: &str, moves: &str) -> Game {
    let mut game = game(fen);
    game.play_line(moves.split_whitespace()).expect("legal moves");
    game
}

/// Searches with a fresh engine.
fn search(parameters: Parameters, game: &Game, limits: &Limits) -> SearchOutcome {
    Engine::new(parameters).search_within(game, limits)
}

fn think(game: &Game, limits: &Limits) -> SearchOutcome {
    search(Parameters::default(), game, limits)
}

fn uci(mv: Option<Move>) -> String {
    mv.map_or_else(|| "none".to_owned(), |mv| UciMove::from_standard(mv).to_string())
}

/// A selective search may see a longer mate first; with this much more depth it has to find the shortest one.
const SLACK: u32 = 6;

#[test]
fn mates_are_found_and_counted() {
    for (fen, expected) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        ("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -1),
    ] {
        let outcome = think(&game(fen), &Limits::depth(SLACK + 2 * i32::unsigned_abs(expected)));
        assert_eq!(outcome.report.score.mate_moves(), Some(expected), "{fen}: {:?}", outcome.report);
        let plies = if expected > 0 { expected * 2 - 1 } else { -expected * 2 };
        assert_eq!(outcome.report.line.len(), plies as usize, "{fen}: the line ends with the mate");
    }
}

#[test]
fn a_soft_limit_ends_after_a_whole_iteration() {
    const SOFT: u64 = 2000;
    for fen in VARIED {
        let game = game(fen);
        let soft = think(&game, &Limits { soft_nodes: Some(SOFT), ..Limits::default() });
        assert!(soft.nodes >= SOFT, "{fen}: {} nodes", soft.nodes);
        // The same as a search to the depth that was reached; the iteration before it ended below the limit.
        let whole = think(&game, &Limits::depth(soft.report.depth));
        assert_eq!((soft.best, soft.report.score, soft.nodes), (whole.best, whole.report.score, whole.nodes), "{fen}");
        let before = think(&game, &Limits::depth(soft.report.depth - 1));
        assert!(before.nodes < SOFT, "{fen}: {} nodes at depth {}", before.nodes, soft.report.depth - 1);
        // The hard limit stops within the iteration.
        let hard = think(&game, &Limits { soft_nodes: Some(SOFT), nodes: Some(SOFT), ..Limits::default() });
        assert!(hard.nodes <= SOFT, "{fen}: {} nodes", hard.nodes);
    }
}

#[test]
fn a_finished_game_has_no_move_and_a_value() {
    for (fen, expected) in
        [("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", -Score::MATE), ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", Score::DRAW)]
    {
        let outcome = think(&game(fen), &Limits::depth(4));
        assert_eq!((outcome.best, outcome.report.score), (None, expected), "{fen}");
    }
}

#[test]
fn stalemate_is_avoided_when_winning_and_sought_when_losing() {
    let avoid = think(&game("7k/7R/8/8/8/1q6/8/K7 b - - 0 1"), &Limits::depth(8));
    assert_eq!(uci(avoid.best), "h8g8", "taking the rook leaves white no move");
    assert!(avoid.report.score > Score(200), "{:?}", avoid.report.score);
    let seek = think(&game("R5bk/7p/8/8/8/8/2q5/K7 w - - 0 1"), &Limits::depth(8));
    assert_eq!((uci(seek.best).as_str(), seek.report.score), ("a8g8", Score::DRAW), "the king must take and stalemate");
}

#[test]
fn repetition_is_avoided_when_winning_and_sought_when_losing() {
    let winning = after("7k/8/8/8/8/8/2R5/K7 w - - 0 1", "c2b2 h8g8 b2a2 g8h8 a2b2 h8g8 b2a2 g8h8");
    let outcome = think(&winning, &Limits::depth(6));
    assert_ne!(uci(outcome.best), "a2b2", "the third time");
    assert!(outcome.report.score > Score(200), "{:?}", outcome.report.score);
    let losing = after("8/7k/8/8/8/8/R7/K7 b - - 0 1", "h7g8 a2b2 g8h8 b2a2 h8g8 a2b2 g8h8 b2a2");
    let outcome = think(&losing, &Limits::depth(6));
    assert_eq!((uci(outcome.best).as_str(), outcome.report.score), ("h8g8", Score::DRAW));
}

/// With a single root move this position was 0.00, because a line that returned to the root counted as drawn.
#[test]
fn coming_back_to_the_root_once_is_no_draw() {
    let game = game("5r1k/6n1/B1b4N/8/8/8/P4P2/1K5R w - - 0 1");
    let only = game.parse_uci("h6f7").expect("legal");
    let outcome = think(&game, &Limits { search_moves: vec![only], ..Limits::depth(16) });
    assert!(outcome.report.score > Score(150), "{:?}", outcome.report);
}

#[test]
fn the_fifty_move_rule_comes_after_mate_and_before_everything_else() {
    let mate = think(&game("7k/8/6K1/8/8/8/8/R7 w - - 99 90"), &Limits::depth(4));
    assert_eq!((uci(mate.best).as_str(), mate.report.score.mate_moves()), ("a1a8", Some(1)));
    let late = think(&game("8/8/8/3k4/8/8/8/KQ6 w - - 99 90"), &Limits::depth(6));
    assert_eq!(late.report.score, Score::DRAW, "no mate, no capture, no pawn move");
    let pawn = think(&game("8/8/8/3k4/8/8/P7/KQ6 w - - 99 90"), &Limits::depth(6));
    assert!(["a2a3", "a2a4"].contains(&uci(pawn.best).as_str()), "{:?}", pawn.best);
    assert!(pawn.report.score > Score(500), "{:?}", pawn.report.score);
}

#[test]
fn a_knight_is_promoted_where_it_wins_more_than_a_queen() {
    let outcome = think(&game("8/3q1P1k/8/8/8/8/P7/6K1 w - - 0 1"), &Limits::depth(10));
    assert_eq!(uci(outcome.best), "f7f8n");
}

#[test]
fn bare_pieces_are_a_draw() {
    for fen in ["8/8/4k3/8/8/3BK3/8/8 w - - 0 1", "8/8/4k3/8/8/3NK3/8/8 b - - 0 1", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"] {
        assert_eq!(think(&game(fen), &Limits::depth(6)).report.score, Score::DRAW, "{fen}");
    }
}

#[test]
fn en_passant_counts_only_where_the_capture_is_legal() {
    let key = |fen: &str| game(fen).position().key();
    for (name, with, without, same) in [
        (
            "nobody can take",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            true,
        ),
        ("the pawns are pinned together", "7k/8/8/KPp4r/8/8/8/8 w - c6 0 1", "7k/8/8/KPp4r/8/8/8/8 w - - 0 1", true),
        ("the capture is legal", "7k/8/8/1Pp5/8/8/8/K7 w - c6 0 1", "7k/8/8/1Pp5/8/8/8/K7 w - - 0 1", false),
    ] {
        assert_eq!(key(with) == key(without), same, "{name}");
    }
    let played = after(START, "g1f3 g8f6 e2e4");
    let quiet = after(START, "e2e3 g8f6 e3e4 f6g8 g1f3 g8f6");
    assert_eq!(played.position().key() ^ quiet.position().key(), turn_key(), "only the side to move differs");
}

/// The part of a key for the side to move.
fn turn_key() -> u64 {
    game("4k3/8/8/8/8/8/8/4K2R w - - 0 1").position().key() ^ game("4k3/8/8/8/8/8/8/4K2R b - - 0 1").position().key()
}

#[test]
fn any_castling_of_chess960_is_played_in_both_notations() {
    for (name, fen, text, reached) in [
        ("king stays", "4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("they change places", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("long way", "4k3/8/8/8/8/8/8/R5K1 w A - 0 1", "g1a1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        (
            "ordinary squares, king takes rook",
            "4k3/8/8/8/8/8/8/4K2R w H - 0 1",
            "e1h1",
            "4k3/8/8/8/8/8/8/5RK1 b - - 1 1",
        ),
        ("ordinary squares, king's move", "4k3/8/8/8/8/8/8/4K2R w H - 0 1", "e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ] {
        let mut game = Game::from_fen(fen, CastlingMode::Chess960).expect(name);
        game.play_uci(text).expect(name);
        assert_eq!(game.fen(), reached, "{name}");
        assert_eq!(game.position().key(), Position::from_chess(game.position().chess().clone()).key(), "{name}");
    }
}

#[test]
fn move_counts_of_chess960_positions_are_as_published() {
    for (fen, counts) in [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", [21, 528, 12_189]),
        ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", [29, 502, 14_569]),
    ] {
        let game = Game::from_fen(fen, CastlingMode::Chess960).expect(fen);
        for (depth, expected) in (1..).zip(counts) {
            assert_eq!(perft(game.position(), depth, &|| false), expected, "{fen} at depth {depth}");
        }
    }
}

#[test]
fn the_other_colour_searches_the_same() {
    let classic = profile::builtin("classic").expect("built in");
    for fen in VARIED.iter().filter(|fen| !fen.starts_with("3qk1q1")) {
        let plain = game(fen);
        let mut setup = plain.position().chess().to_setup(EnPassantMode::Legal);
        setup.mirror();
        let mirrored = game(&Fen::try_from_setup(setup).expect("a mirrored position").to_string());
        assert_ne!(plain.position().turn(), mirrored.position().turn());
        let scores = [plain, mirrored].map(|game| search(classic.clone(), &game, &Limits::depth(3)).report.score);
        assert_eq!(scores[0], scores[1], "{fen}");
    }
}

#[test]
fn a_new_game_repeats_the_search_exactly() {
    let mut engine = Engine::new(Parameters::default());
    let mut run = |fen: &str| {
        engine.new_game();
        let mut best = Vec::new();
        let outcome = engine.search(&game(fen), &Limits::nodes(30_000), &Control::default(), &mut |event| {
            if let ProgressEvent::Best { mv, nodes, .. } = event {
                best.push((*mv, *nodes));
            }
            ControlFlow::Continue(())
        });
        (outcome.best, outcome.report.score, outcome.report.line, outcome.nodes, best)
    };
    for fen in VARIED {
        let first = run(fen);
        run(START);
        assert_eq!(run(fen), first, "{fen}");
    }
}

/// Exchanges among many queens neither explode nor keep the search from obeying its limits.
#[test]
fn many_queens_do_not_explode() {
    for (most, fen) in [
        (3_000_000, "3qk1q1/4q2q/8/8/8/8/Q2Q4/1Q1KQ3 w - - 0 1"),
        (2_000_000, "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1"),
        (2_000_000, "3qk3/1q1q1q2/q5q1/8/8/Q5Q1/1Q1Q1Q2/3QK3 w - - 0 1"),
        (2_000_000, "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1"),
    ] {
        let mut engine = Engine::new(Parameters::default());
        let deep = engine.search_within(&game(fen), &Limits { depth: Some(6), ..Limits::nodes(2 * most) });
        assert!(deep.nodes < most, "{fen}: {} nodes", deep.nodes);
        let short = engine.search_within(&game(fen), &Limits::nodes(50));
        assert!(short.nodes <= 50 && short.best.is_some(), "{fen}: {} nodes", short.nodes);
    }
}

/// Chains of cheap moves end: many queens, mutual threats of mate, and stalemates in a corner.
#[test]
fn search_by_interestingness_stays_bounded() {
    const NODES_MAX: u64 = 4_000_000;
    for name in ["sex", "sex-two", "sex-layer", "sex-scaled", "realization"] {
        for fen in [
            "3qk3/1q1q1q2/q5q1/8/8/Q5Q1/1Q1Q1Q2/3QK3 w - - 0 1",
            "6rk/5Qpp/8/8/8/8/PPq5/KR6 w - - 0 1",
            "7k/5Q2/8/8/8/8/2q5/K7 w - - 0 1",
            "k7/2Q5/8/8/8/8/5q2/7K b - - 0 1",
        ] {
            let parameters = profile::builtin(name).expect(name);
            let found = search(parameters, &game(fen), &Limits { depth: Some(4), ..Limits::nodes(NODES_MAX) });
            assert!(found.nodes < NODES_MAX && found.best.is_some(), "{name}: {fen}: {} nodes", found.nodes);
        }
    }
}

/// All extensions at once cost no more than fifty times the nodes of a search without any (B11 of the literature
/// on limits: many queens in mutual check).
/// If only the extensions find a mate, only the nodes until then count: searching for a shorter mate is not an explosion.
#[test]
fn all_extensions_together_do_not_explode() {
    use quarterply_engine::rules::{Family, Rule};
    const DEPTH: u32 = 6;
    const FACTOR: u64 = 50;
    const MATE: u32 = 10;
    let parameters = |on: i32| {
        let mut parameters = Parameters::default();
        for rule in Rule::ALL.iter().filter(|rule| rule.family() == Family::Extension) {
            parameters.set(&format!("{}.on", rule.module()), on).expect("a switch");
        }
        parameters
    };
    for fen in [
        "3qk3/1q1q1q2/q5q1/8/8/Q5Q1/1Q1Q1Q2/3QK3 w - - 0 1",
        "3qk1q1/4q2q/8/8/8/8/Q2Q4/1Q1KQ3 w - - 0 1",
        "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ] {
        let search = |on, mate| {
            let limits = Limits { depth: Some(DEPTH), mate, ..Limits::nodes(10_000_000) };
            search(parameters(on), &game(fen), &limits)
        };
        let mates = |found: &SearchOutcome| found.report.score.mate_moves().is_some();
        let (without, all) = (search(0, None), search(1, None));
        let with = if mates(&all) && !mates(&without) { search(1, Some(MATE)) } else { all };
        let (with, without) = (with.nodes, without.nodes);
        assert!(with < FACTOR * without, "{fen}: {with} nodes with all extensions, {without} without");
    }
}

/// Once lost by fifty moves: values from earlier moves, less damped by the counter, looked better than progress.
#[test]
fn bare_kings_are_mated_within_fifty_moves() {
    const PLIES_MAX: usize = 99;
    for (name, fen) in [
        ("rook", "8/8/8/2k3K1/8/8/r7/8 b - - 0 1"),
        ("two bishops", "8/8/8/3k4/8/2K5/6bb/8 b - - 0 1"),
        ("bishop and knight", "8/8/8/4k3/8/8/1K6/5nb1 b - - 0 1"),
    ] {
        let mut game = game(fen);
        let mut engine = Engine::new(Parameters::default());
        while game.moves().len() < PLIES_MAX && !game.position().legal_moves().is_empty() {
            let outcome = engine.search_within(&game, &Limits::nodes(10_000));
            game.play(outcome.best.expect("a legal move"));
        }
        assert!(game.position().chess().is_checkmate(), "{name}: {}", game.fen());
    }
}
