//! Several threads over one table: what the thread sanitizer and the checks for overflow are run on.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Engine;

const POSITIONS: &[&str] = &[
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 99999999999 45",
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
];

#[test]
fn a_search_with_one_thread_is_the_same_whatever_the_engine_has() {
    let searched = |threads, single_thread| {
        let mut engine = Engine::new(Parameters::default());
        engine.resize(1).expect("one MiB");
        engine.set_threads(threads);
        let limits = Limits { nodes: Some(20_000), single_thread, ..Limits::default() };
        POSITIONS
            .iter()
            .map(|fen| {
                let game = Game::standard(fen).expect("legal");
                let outcome = engine.search_within(&game, &limits);
                (outcome.nodes, outcome.report.depth, outcome.report.score, outcome.report.line)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(searched(4, true), searched(1, false));
}

#[test]
fn two_threads_search_and_clear_one_table() {
    const NODES: u64 = 60_000;
    let mut engine = Engine::new(Parameters::default());
    engine.resize(1).expect("one MiB");
    engine.set_threads(2);
    for (lines, consults) in [(1, false), (3, false), (1, true)] {
        let mut parameters = Parameters::default();
        (parameters.consultation.on, parameters.consultation.after) = (consults, 0);
        engine.set_parameters(parameters);
        for fen in POSITIONS {
            let game = Game::standard(fen).expect("legal");
            let limits = Limits { nodes: Some(NODES), lines, ..Limits::default() };
            let outcome = engine.search_within(&game, &limits);
            let best = outcome.best.expect("there is a move");
            assert!(game.position().legal_moves().contains(&best), "{fen}");
        }
        engine.new_game();
    }
}
