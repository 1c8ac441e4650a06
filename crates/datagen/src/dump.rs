//! Games as text: PGN for people, EPD for programs that read positions.

use crate::record::{Ending, GameOutcome, GameRecord};
use crate::replay::{GamePosition, ReplayError};
use quarterply_engine::position::{Draw, Game};
use quarterply_files::epd::{Operand, Operation, Record};
use quarterply_games::game::{Choice, Ending as End, GameVerdict, Played, Record as Match};
use quarterply_games::pgn::{self, EventTags};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// A position as an EPD line: its move (`bm`), the value for the side to move in centipawns (`ce`), the result of the game (`c9`)
/// and game and ply (`id`).
pub fn epd(game: &GameRecord, view: &GamePosition) -> String {
    let operation = |name: &str, text: String, quoted| Operation {
        name: name.to_owned(),
        operands: vec![Operand { text, quoted }],
    };
    let score = view.mover_score().map(|score| operation("ce", score.0.to_string(), false));
    let others = score.into_iter().chain([operation("c9", result(view).to_owned(), true)]).collect();
    let record = Record {
        id: Some(format!("{}.{}", game.number, view.ply)),
        best: vec![view.mv],
        others,
        ..Record::new(view.position.chess().clone(), game.mode)
    };
    record.to_string()
}

/// The result as in PGN; `*` if there is none.
fn result(view: &GamePosition) -> &'static str {
    view.mover_points().map_or("*", |_| view.outcome.text())
}

/// A game as PGN; every move is followed by its score for the side that moved, in pawns.
pub fn pgn(game: &GameRecord) -> Result<String, ReplayError> {
    let mut played = Vec::new();
    for view in game.replay() {
        let view = view?;
        let choice = Choice { text: String::new(), score: view.mover_score(), depth: 0, nodes: 0 };
        played.push(Played { mv: view.mv, choice, time: Duration::ZERO, left: None });
    }
    let winner = match game.outcome {
        GameOutcome::White => Some(Color::White),
        GameOutcome::Black => Some(Color::Black),
        GameOutcome::Draw => None,
    };
    let record = Match {
        names: ByColor::new_with(|_| "Quarterply".to_owned()),
        opening: Game::from_chess(game.start.clone(), game.mode),
        played,
        verdict: GameVerdict { winner, ending: ending(game.ending) },
    };
    let header = EventTags {
        event: "Quarterply datagen".to_owned(),
        round: game.number as usize,
        date: "????.??.??".to_owned(),
        time_control: ByColor::new_with(|_| "-".to_owned()),
    };
    Ok(pgn::write(&record, &header))
}

/// The ending as [`pgn::write`] expects it.
fn ending(ending: Ending) -> End {
    match ending {
        Ending::Checkmate => End::Checkmate,
        Ending::Stalemate => End::Stalemate,
        Ending::Threefold => End::Drawn(Draw::Threefold),
        Ending::FiftyMoves => End::Drawn(Draw::FiftyMoves),
        Ending::InsufficientMaterial => End::Drawn(Draw::InsufficientMaterial),
        Ending::Tables => End::Adjudicated("adjudicated by endgame tables"),
        Ending::WonByScore => End::Adjudicated("adjudicated by score"),
        Ending::DrawnByScore => End::Adjudicated("adjudicated draw by score"),
        Ending::TooLong => End::TooLong,
        Ending::Unknown => End::Adjudicated("unknown"),
        Ending::Sampled => End::Adjudicated("no game, a position that a search visited"),
    }
}

#[cfg(test)]
mod tests;
