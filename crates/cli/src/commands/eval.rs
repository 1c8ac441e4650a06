//! `quarterply eval [--fen F]`: what the static evaluation thinks, term by term.

use std::process::ExitCode;

use quarterply_engine::evaluator;
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_files::profile;
use serde_json::json;

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{Done, Failure};

/// Which position.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The position; the initial one when left out.
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
}

/// Prints the table of terms.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
    let game = match &arguments.fen {
        Some(fen) => Game::from_fen(fen, CastlingMode::Chess960).map_err(Failure::input)?,
        None => Game::new(),
    };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let breakdown = evaluator::breakdown_in(game.position(), &parameters.evaluation);
    let table = breakdown.to_string();
    json.write(&json!({
        "fen": game.fen(), "score": breakdown.score().0, "white": breakdown.white().0, "known": breakdown.known(),
        "table": table.lines().collect::<Vec<_>>(),
    }))?;
    json.print(&table)?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}
