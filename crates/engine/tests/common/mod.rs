//! Helpers of the tests of reported lines.

use std::ops::ControlFlow;

use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::search::pool::{Control, Engine};

/// Numbers that are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A game of up to `moves` random moves that is not over; with `drawn` it may go on after a draw.
pub fn random_game(random: &mut Random, starts: &[&str], moves: usize, drawn: bool) -> Game {
    let mut game = Game::standard(starts[random.below(starts.len())]).expect("legal");
    for _ in 0..random.below(moves) {
        let moves = game.position().legal_moves();
        if moves.is_empty() || !drawn && game.draw().is_some() {
            break;
        }
        let mv = moves[random.below(moves.len())];
        if drawn && game.position().play(mv).legal_moves().is_empty() {
            break;
        }
        game.play(mv);
    }
    game
}

/// An engine with a built-in profile and a small table. With debug assertions every value of a network is compared with one from scratch,
/// which takes minutes here and is done by `.ci/deep network`: then with the classical evaluation.
pub fn engine(name: &str) -> Engine {
    let mut parameters = profile::builtin(name).expect("built in");
    if cfg!(debug_assertions) {
        parameters.eval_file = EvalFile::Classical;
    }
    let mut engine = Engine::new(parameters);
    engine.resize(1).expect("one MiB");
    engine
}

/// Searches; returns every line of `info` and the final line.
pub fn reported_lines(engine: &mut Engine, game: &Game, limits: &Limits) -> Vec<SearchReport> {
    let mut reported = Vec::new();
    let outcome = engine.search(game, limits, &Control::default(), &mut |event| {
        match event {
            ProgressEvent::Iteration(lines) => reported.extend_from_slice(lines),
            ProgressEvent::Bound(report) => reported.push((*report).clone()),
            ProgressEvent::Best { .. } | ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    });
    reported.extend(outcome.lines);
    reported
}
