//! Every line that a search reports can be played to its end, and nothing follows the end of a game.

use std::ops::ControlFlow;

use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::score::Bound;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::{CastlingMode, Position as _};

/// A built-in profile. With debug assertions every value of a network is compared with one from scratch, which takes minutes here and is
/// done by `.ci/deep network`: then the classical evaluation.
fn parameters(name: &str) -> Parameters {
    let mut parameters = profile::builtin(name).expect("built in");
    if cfg!(debug_assertions) {
        parameters.eval_file = EvalFile::Classical;
    }
    parameters
}

/// Where random games begin: bare kings meet many pieces, so that mates, stalemates and draws are near.
const STARTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p2Q/2B1P3/2N5/PPPP1PPP/R1B1K1NR w KQkq - 6 5",
    "6k1/3R1ppp/8/8/2q5/5N2/5PPP/3R2K1 w - - 0 1",
    "3k4/8/3K4/8/8/2Q5/6r1/8 w - - 0 1",
    "r4rk1/ppp2ppp/3p4/4n3/2B1P1bq/2N3N1/PPP2PPP/R2Q1RK1 b - - 0 1",
    "5rk1/1q3p1p/2pR2pB/1p6/1P2Q3/P5P1/5P1P/6K1 w - - 0 30",
    "8/8/1k6/8/2QR4/8/5K2/3q4 b - - 90 80",
];

/// Numbers that are the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn random_game(draw: &mut Draw) -> Game {
    const MOVES_MAX: usize = 12;
    let mut game = Game::from_fen(STARTS[draw.below(STARTS.len())], CastlingMode::Standard).expect("legal");
    for _ in 0..draw.below(MOVES_MAX) {
        let moves = game.position().legal_moves();
        if moves.is_empty() || game.draw().is_some() {
            break;
        }
        game.play(moves[draw.below(moves.len())]);
    }
    game
}

/// Plays a line; says what is wrong with it.
fn replay(game: &Game, report: &SearchReport) -> Result<(), String> {
    let mut game = game.clone();
    for (index, &mv) in report.line.iter().enumerate() {
        if !game.position().legal_moves().contains(&mv) {
            return Err(format!("{mv:?} cannot be played in {}: {report:?}", game.fen()));
        }
        if index > 0 && game.draw().is_some() {
            return Err(format!("the line goes on after a draw in {}: {report:?}", game.fen()));
        }
        game.play(mv);
    }
    if let (Bound::Exact, Some(moves)) = (report.bound, report.score.mate_moves()) {
        // The table may cut a line short, but a mate in three is none in four, and after its last move it has happened.
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        let (plies, played) = (plies as usize, report.line.len());
        if played > plies || (played == plies && !game.position().chess().is_checkmate()) {
            return Err(format!("no mate in {plies} plies: {report:?}"));
        }
    }
    Ok(())
}

/// Searches and replays all that is reported; returns how many lines that were.
fn all_lines(engine: &mut Engine, game: &Game, limits: &Limits) -> Result<usize, String> {
    let mut heard = Vec::new();
    let outcome = engine.search(game, limits, &Control::default(), &mut |event| {
        match event {
            ProgressEvent::Iteration(lines) => heard.extend_from_slice(lines),
            ProgressEvent::Bound(report) => heard.push((*report).clone()),
            ProgressEvent::Best { .. } | ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    });
    heard.extend(outcome.lines);
    heard.iter().try_for_each(|report| replay(game, report)).map(|()| heard.len())
}

#[test]
fn no_line_goes_on_after_a_mate_that_only_a_scout_has_seen() {
    // The window ends at the mate in one: the mating move fails high in its scout search and gets no other.
    let game = Game::from_fen("k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76", CastlingMode::Standard).expect("legal");
    for depth in 4..=6 {
        let mut engine = Engine::new(parameters("default"));
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        if let Err(wrong) = all_lines(&mut engine, &game, &limits) {
            panic!("depth {depth}: {wrong}");
        }
    }
}

#[test]
fn every_line_of_thousands_of_searches_can_be_played_to_its_end() {
    const SEARCHES: usize = 300;
    const NODES: u64 = 1200;
    const NEW_GAME_EVERY: usize = 50;
    for name in ["default", "tactical", "falcon", "evolved", "sex", "sex-two", "sex-layer", "realization"] {
        for lines in [1, 3, 24] {
            let mut engine = Engine::new(parameters(name));
            engine.resize(1).expect("one MiB");
            let mut draw = Draw(lines as u64);
            let mut printed = 0;
            for number in 0..SEARCHES {
                if number % NEW_GAME_EVERY == 0 {
                    engine.new_game();
                }
                let limits = Limits { nodes: Some(NODES), lines, ..Limits::default() };
                match all_lines(&mut engine, &random_game(&mut draw), &limits) {
                    Ok(count) => printed += count,
                    Err(wrong) => panic!("{name}, {lines} lines: {wrong}"),
                }
            }
            assert!(printed > SEARCHES, "{name}, {lines} lines: only {printed} were reported");
        }
    }
}
