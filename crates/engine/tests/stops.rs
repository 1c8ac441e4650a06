//! What a search answers wherever it is stopped: as many lines as were asked for, each with another move.

use std::collections::HashSet;
use std::ops::ControlFlow;

use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::report::{Event, Outcome, Report};
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::CastlingMode;

/// Numbers that are the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Numbers from 1 to `most`, small ones as likely as large ones.
    fn upto(&mut self, most: usize) -> usize {
        let bits = self.below(most.ilog2() as usize + 1);
        (1 + self.below(2 << bits)).min(most)
    }
}

/// Where random games begin: an opening, open and quiet middlegames, and bare kings that meet many pieces, so that mates are near.
const STARTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2Q4/r1p3pp/1pk4n/p2p1Q2/P2p3P/R4K2/2nb4/2BN2qR b - - 7 34",
    "1r1Bn3/rp6/2pp3b/8/pR1N4/2p4n/2K3p1/kB6 b - - 0 1",
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p2Q/2B1P3/2N5/PPPP1PPP/R1B1K1NR w KQkq - 6 5",
    "r4rk1/ppp2ppp/3p4/4n3/2B1P1bq/2N3N1/PPP2PPP/R2Q1RK1 b - - 0 1",
    "8/8/1k6/8/2QR4/8/5K2/3q4 b - - 90 80",
    "8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45",
];

fn random_game(draw: &mut Draw) -> Game {
    const MOVES_MAX: usize = 16;
    let mut game = Game::from_fen(STARTS[draw.below(STARTS.len())], CastlingMode::Standard).expect("legal");
    for _ in 0..draw.below(MOVES_MAX) {
        let moves = game.position().legal_moves();
        let mv = moves[draw.below(moves.len())];
        let over = game.position().play(mv).legal_moves().is_empty();
        if over {
            break;
        }
        game.play(mv);
    }
    game
}

/// A built-in profile; with debug assertions with the classical evaluation, as in `lines.rs`.
fn parameters(name: &str) -> Parameters {
    let mut parameters = profile::builtin(name).expect("built in");
    if cfg!(debug_assertions) {
        parameters.eval_file = EvalFile::Classical;
    }
    parameters
}

/// Are these lines for each rank, each with another legal move?
fn check_ranks(game: &Game, lines: &[Report], wanted: usize) -> Result<(), String> {
    let legal = game.position().legal_moves();
    let numbers: Vec<usize> = lines.iter().map(|report| report.number).collect();
    let moves: HashSet<_> = lines.iter().filter_map(|report| report.line.first()).collect();
    let complete = numbers == (1..=wanted.min(legal.len())).collect::<Vec<_>>();
    let distinct = moves.len() == lines.len() && moves.into_iter().all(|mv| legal.contains(mv));
    if complete && distinct { Ok(()) } else { Err(format!("{}, {wanted} lines: {lines:?}", game.fen())) }
}

/// Is each line of the end one of the last finished iteration, or a result of the iteration after it, or was its move never searched?
fn check_origin(outcome: &Outcome, last: &[Report]) -> Result<(), String> {
    let content = |report: &Report| (report.depth, report.score, report.bound, report.line.clone());
    let finished = last.first().map_or(0, |report| report.depth);
    let explained = |report: &&Report| {
        report.depth > finished || report.depth == 0 || last.iter().any(|other| content(other) == content(report))
    };
    let stray = outcome.lines.iter().find(|report| !explained(report));
    stray.map_or(Ok(()), |report| Err(format!("{report:?} after {last:?}")))
}

/// Searches, and checks the lines of every iteration and those of the end.
fn checked(engine: &mut Engine, game: &Game, limits: &Limits) -> Result<Outcome, String> {
    let (mut wrong, mut last) = (None, Vec::new());
    let outcome = engine.search(game, limits, &Control::default(), &mut |event| {
        if let Event::Iteration(lines) = event {
            wrong = wrong.take().or(check_ranks(game, lines, limits.lines).err());
            last = lines.to_vec();
        }
        ControlFlow::Continue(())
    });
    wrong.map_or(Ok(()), Err)?;
    check_ranks(game, &outcome.lines, limits.lines)?;
    if engine.threads() == 1 {
        check_origin(&outcome, &last)?;
    }
    assert_eq!(outcome.report, outcome.lines[0], "the first line is that of the best move");
    Ok(outcome)
}

/// `go nodes 450` with two lines from the start position ended with d2d4 as first and as second.
#[test]
fn lines_are_distinct_and_cover_all_ranks_wherever_the_search_stops() {
    let game = Game::new();
    for nodes in 1..=600 {
        let mut engine = Engine::new(parameters("default"));
        let limits = Limits { nodes: Some(nodes), lines: 2, ..Limits::default() };
        checked(&mut engine, &game, &limits).unwrap_or_else(|wrong| panic!("{nodes} nodes: {wrong}"));
    }
}

/// A bound from a window of the last finished iteration came before the result of that iteration.
#[test]
fn a_stop_that_finds_nothing_keeps_the_order_of_the_last_iteration() {
    const SEARCHES: usize = 500;
    const NODES: usize = 8000;
    let mut engine = Engine::new(parameters("default"));
    let mut draw = Draw(1);
    for _ in 0..SEARCHES {
        engine.new_game();
        let game = random_game(&mut draw);
        let limits =
            Limits { nodes: Some(1 + draw.below(NODES) as u64), lines: 1 + draw.below(3), ..Limits::default() };
        if let Err(wrong) = checked(&mut engine, &game, &limits) {
            panic!("{:?} nodes: {wrong}", limits.nodes);
        }
    }
}

#[test]
fn lines_are_distinct_and_cover_all_ranks_with_any_limits() {
    const SEARCHES: usize = 120;
    const NODES_MAX: usize = 4000;
    const LINES_MAX: usize = 256;
    for name in profile::BUILTIN {
        for threads in [1, 2] {
            let mut engine = Engine::new(parameters(name));
            engine.resize(1).expect("one MiB");
            engine.set_threads(threads);
            let mut draw = Draw(threads as u64);
            for _ in 0..SEARCHES {
                let game = random_game(&mut draw);
                let (lines, nodes) = (draw.upto(LINES_MAX), draw.upto(NODES_MAX) as u64);
                let limits = Limits { nodes: Some(nodes), lines, ..Limits::default() };
                if let Err(wrong) = checked(&mut engine, &game, &limits) {
                    panic!("{name}, {threads} threads, {nodes} nodes: {wrong}");
                }
            }
        }
    }
}
