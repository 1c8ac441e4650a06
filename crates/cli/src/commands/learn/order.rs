//! `quarterply learn order KIND DATA... -o FILE.bin`: trains a network that orders quiet moves.

use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_engine::words::grouped;
use quarterply_learn::order::NetworkInput;
use quarterply_learn::order::data::{self, OrderDataset, OrderSelection};
use quarterply_learn::order::fit::{self, OrderFit, OrderPlan, Quality};
use serde::Serialize;

use crate::commands::datagen::read::{GameFiles, warn};
use crate::common::Common;
use crate::export::{self, JsonLines};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::count;
use crate::progress;

/// One of this number of games is held out.
const HOLD_OUT: u64 = 20;
/// Enough for networks of this size; more of them take more memory.
const POSITIONS: usize = 300_000;

/// Which network, which games, how long, where to.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Kind of network.
    #[arg(value_enum)]
    pub kind: NetworkKind,
    #[command(flatten)]
    pub games: GameFiles,
    /// Write the network to this file; use crates/engine/src/ordering/networks/ to build with it.
    #[arg(short, long, value_name = "FILE.bin")]
    pub output: Option<PathBuf>,
    /// Train on at most N positions.
    #[arg(long, value_name = "N", default_value_t = POSITIONS, value_parser = count::<usize>(1..))]
    pub positions: usize,
    /// Number of passes over the positions.
    #[arg(long, value_name = "N", default_value_t = OrderPlan::with_hidden(1).passes as u64, value_parser = count::<u64>(1..))]
    pub passes: u64,
    /// Initial learning rate.
    #[arg(long, value_name = "STEP", default_value_t = OrderPlan::with_hidden(1).rate, value_parser = step)]
    pub rate: f32,
    /// Hold out one of N games.
    #[arg(long, value_name = "N", default_value_t = HOLD_OUT, value_parser = count::<u64>(2..))]
    pub holdout_every: u64,
}

/// The networks.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkKind {
    /// Inputs: control of squares. Outputs: sectors that moves influence.
    Chessmaps,
    /// Inputs: pieces on squares. Outputs: pairs of squares that moves connect.
    MoveMap,
    /// Inputs: the number of pieces. Outputs: piece-square tables.
    PieceSquare,
}

fn step(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|value| *value > 0.0 && *value <= 1.0);
    value.ok_or_else(|| format!("`{text}` is not a valid step: expected a number above 0 and at most 1, such as 0.05"))
}

/// A line of `--json`.
#[derive(Serialize)]
struct QualityLine {
    order: String,
    bits: f64,
    top_1: f64,
    top_3: f64,
}

/// Loads, trains, reports.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters(super::NO_SEARCH)?;
    common.pool()?.install(|| learn(common, arguments))
}

fn learn(common: &Common, arguments: &Arguments) -> CommandResult {
    let sight = match arguments.kind {
        NetworkKind::Chessmaps => NetworkInput::CHESSMAPS,
        NetworkKind::MoveMap => NetworkInput::MOVE_MAP,
        NetworkKind::PieceSquare => NetworkInput::PIECE_SQUARE,
    };
    let default = OrderPlan::with_hidden(sight.hidden);
    let plan = OrderPlan { passes: arguments.passes as usize, rate: arguments.rate, seed: common.seed, ..default };
    let begin = |path: &PathBuf| export::create(common, path, &arguments.games.paths);
    let output = arguments.output.as_ref().map(begin).transpose()?;
    let json = JsonLines::open(common, &arguments.games.paths)?;
    let selection = OrderSelection {
        sight,
        positions_max: arguments.positions,
        holdout_every: arguments.holdout_every,
        seed: plan.seed,
    };
    let archive = arguments.games.open()?;
    let bar = progress::bar(common, arguments.positions, "positions");
    let mut games = archive.games();
    let loaded = data::load(&mut games, &selection, |positions| bar.set_position(positions as u64));
    bar.finish_and_clear();
    warn(common, games.tails(), games.skipped());
    let loaded = loaded.map_err(Failure::input)?;
    let bar = progress::bar(common, plan.passes, "passes");
    let sizes = (sight.inputs, sight.outputs);
    let fit = fit::fit(sizes, &loaded.train, &loaded.held_out, &plan, |pass, reached| {
        bar.set_position(pass as u64);
        bar.set_message(format!("held out: {:.3} bits", reached.bits));
    });
    bar.finish_and_clear();
    if let Some(draft) = output {
        draft.finish(fit.network.bytes())?;
    }
    print(json, &fit, &loaded)?;
    let better = fit.rounded.bits < fit.uniform.bits;
    if !better {
        say!("the network does not predict moves better than chance: give more games or more passes");
    }
    Ok(if better { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(mut json: JsonLines, fit: &OrderFit, loaded: &OrderDataset) -> CommandResult {
    let mut listing = Listing::new(&["order of the quiet moves", "cross-entropy (bits)", "top 1", "top 3"], 1..4);
    let mut add = |order: String, quality: &Quality| {
        let Quality { bits, top_1, top_3 } = *quality;
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        listing.add_row([order.clone(), format!("{bits:.3}"), percent(top_1), percent(top_3)]);
        json.write(&QualityLine { order, bits, top_1, top_3 })
    };
    add("random order".to_owned(), &fit.uniform)?;
    for (number, reached) in fit.quality_by_pass.iter().enumerate() {
        add(format!("after pass {}", number + 1), reached)?;
    }
    add("rounded to integers".to_owned(), &fit.rounded)?;
    json.print(&listing)?;
    json.print(&format!(
        "Held-out games: where a quiet move was played, not in check. {} positions of {} games, {} held out; {} bytes of weights",
        grouped(loaded.train.positions() as u64),
        grouped(loaded.games),
        grouped(loaded.held_out.positions() as u64),
        grouped(fit.network.bytes().len() as u64),
    ))?;
    json.close()
}
