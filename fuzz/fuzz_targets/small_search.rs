//! A search of a few hundred nodes from any legal position with any parameters and any number of lines: no panic, a line for each rank with
//! another move, and every line that is reported can be played to its end, which is nobody's move after a mate or a draw and no later than the
//! mate it promises.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::score::Bound;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::{CastlingMode, Position as _};

/// Nodes of each search.
const NODES: u64 = 500;
/// Numbers of lines asked for: below this, and none counts as one.
const LINES_MAX: usize = 32;
/// Most moves played from the start position.
const MOVES_MAX: usize = 60;

fuzz_target!(|input: (Vec<u8>, Vec<(u16, i32)>, Option<String>, u8)| {
    let (choices, settings, fen, lines) = input;
    let Some(game) = reach(fen.as_deref(), &choices) else { return };
    let mut engine = Engine::new(parameters(&settings));
    let limits = Limits { nodes: Some(NODES), lines: usize::from(lines) % LINES_MAX, ..Limits::default() };
    let outcome = engine.search(&game, &limits, &Control::default(), &mut |event| {
        match event {
            ProgressEvent::Iteration(lines) => check_ranks(&game, lines, limits.lines),
            ProgressEvent::Bound(report) => replay(&game, report),
            ProgressEvent::Best { .. } | ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    });
    check_ranks(&game, &outcome.lines, limits.lines);
    match outcome.best {
        Some(best) => assert!(game.position().legal_moves().contains(&best)),
        None => assert!(game.position().legal_moves().is_empty()),
    }
});

/// There is a line for each rank that was asked for, each with another move, and each can be played to its end.
fn check_ranks(game: &Game, lines: &[SearchReport], wanted: usize) {
    let legal = game.position().legal_moves().len();
    assert_eq!(lines.len(), wanted.clamp(1, legal.max(1)), "{lines:?} from {}", game.fen());
    for (index, report) in lines.iter().enumerate() {
        assert_eq!(report.number, index + 1, "{lines:?} from {}", game.fen());
        let earlier = lines[..index].iter().any(|other| other.line.first() == report.line.first());
        assert!(!earlier, "a move twice: {lines:?} from {}", game.fen());
        replay(game, report);
    }
}

/// Plays a line to its end.
fn replay(game: &Game, report: &SearchReport) {
    let mut after = game.clone();
    for (index, &mv) in report.line.iter().enumerate() {
        assert!(index == 0 || after.draw().is_none(), "goes on after a draw: {report:?} from {}", game.fen());
        assert!(after.position().legal_moves().contains(&mv), "{mv:?} in {report:?} from {}", game.fen());
        after.play(mv);
    }
    if let (Bound::Exact, Some(moves)) = (report.bound, report.score.mate_moves()) {
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves } as usize;
        let played = report.line.len();
        assert!(played <= plies, "longer than its mate: {report:?} from {}", game.fen());
        assert!(
            played < plies || after.position().chess().is_checkmate(),
            "no mate at the end of {report:?} from {}",
            game.fen()
        );
    }
}

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
