//! A search of a few hundred nodes from any legal position with any parameters: no panic, and a legal line.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::CastlingMode;

/// Nodes of each search.
const NODES: u64 = 500;
/// Most moves played from the start position.
const MOVES_MAX: usize = 60;

fuzz_target!(|input: (Vec<u8>, Vec<(u16, i32)>, Option<String>)| {
    let (choices, settings, fen) = input;
    let Some(game) = reach(fen.as_deref(), &choices) else { return };
    let mut engine = Engine::new(parameters(&settings));
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let outcome = engine.search(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
    let mut line = game.clone();
    for &mv in &outcome.report.line {
        assert!(line.position().legal_moves().contains(&mv), "illegal move in the line from {}", game.fen());
        line.play(mv);
    }
    match outcome.best {
        Some(best) => assert!(game.position().legal_moves().contains(&best)),
        None => assert!(game.position().legal_moves().is_empty()),
    }
});

/// The position of a FEN, or the start, after moves chosen by number.
fn reach(fen: Option<&str>, choices: &[u8]) -> Option<Game> {
    let mut game = match fen {
        Some(fen) => Game::from_fen(fen, CastlingMode::Chess960).ok()?,
        None => Game::new(),
    };
    for &choice in choices.iter().take(MOVES_MAX) {
        let moves = game.position().legal_moves();
        let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
        game.play(mv);
    }
    Some(game)
}

/// The defaults with some parameters set anywhere in their ranges.
fn parameters(settings: &[(u16, i32)]) -> Parameters {
    let mut parameters = Parameters::default();
    let entries: Vec<_> = Parameters::specs().collect();
    for &(which, value) in settings {
        let entry = &entries[usize::from(which) % entries.len()];
        let width = entry.spec.max.saturating_sub(entry.spec.min).saturating_add(1).max(1);
        let value = entry.spec.min + value.rem_euclid(width);
        parameters.set(&entry.name, value).expect("a value in range is accepted");
    }
    parameters
}
