//! `quarterply eval [--fen F]`: what the static evaluation thinks, term by term, or what each piece contributes to a network's value.

use quarterply_engine::evaluator::{Explanation, explain};
use quarterply_engine::position::Game;
use serde_json::{Value, json};

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::CommandResult;
use crate::positions::read_fen;

/// Which position.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Evaluate this position [default: the initial position].
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
}

/// Prints the table of terms or pieces.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let parameters = common.parameters()?;
    let game = match &arguments.fen {
        Some(fen) => read_fen(fen)?,
        None => Game::new(),
    };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let explanation = explain(game.position(), &parameters.evaluation_choice());
    let table = explanation.to_string();
    json.write(&object(&game.fen(), &explanation, &table))?;
    json.print(&table)?;
    json.close()
}

fn object(fen: &str, explanation: &Explanation, table: &str) -> Value {
    let table: Vec<&str> = table.lines().collect();
    match explanation {
        Explanation::Terms(terms) => json!({
            "fen": fen, "score": terms.score.0, "white": terms.white().0,
            "known": terms.known.map(|known| known.name), "table": table,
        }),
        Explanation::Pieces(network) => {
            let pieces = network.pieces.iter();
            let pieces: Vec<Value> = pieces
                .map(|(square, piece, worth)| json!({ "square": square.to_string(), "piece": piece.char(), "white": worth.0 }))
                .collect();
            let buckets: Vec<i32> = network.buckets.iter().map(|score| score.0).collect();
            json!({
                "fen": fen, "score": network.score.0, "white": network.white().0, "network": network.name,
                "known": network.known.map(|known| known.name), "bucket": network.bucket, "buckets": buckets, "pieces": pieces,
                "classical": network.classical.map(|(score, _)| score.0),
                "classical_share": network.share, "trained_share": network.trained_share,
                "table": table,
            })
        }
    }
}
