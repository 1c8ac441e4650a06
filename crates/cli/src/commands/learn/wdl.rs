//! `quarterply learn wdl DATA...`: fits the curve behind `UCI_ShowWDL`.

use std::process::ExitCode;

use quarterply_engine::words::grouped;
use quarterply_learn::wdl::{self, CountedGames, ScoreBand, WdlFit, numbers};
use quarterply_uci::wdl::WdlCurve;
use serde_json::json;

use crate::commands::datagen::read::{GameFiles, warn};
use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::progress;

/// Advice for a curve that predicts nothing.
const NO_USE: &str = "the scores do not predict held-out results: give more games, and keep the curve in use";
/// Advice for a useful curve.
const USE: &str = "The engine converts scores to these chances for `UCI_ShowWDL`. To use the new curve, write the column `fitted` into \
                   `WdlCurve::USED` in crates/uci/src/wdl.rs and build the program. It is better if its bits on held-out results are \
                   fewer than those of the curve in use; moves do not depend on it.";

/// Which games.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub games: GameFiles,
}

/// Counts, fits, reports.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters(super::NO_SEARCH)?;
    common.pool()?.install(|| learn(common, arguments))
}

fn learn(common: &Common, arguments: &Arguments) -> CommandResult {
    let json = JsonLines::open(common, &arguments.games.paths)?;
    let archive = arguments.games.open()?;
    let bar = progress::counter(common, "games");
    let mut games = archive.games();
    let loaded = wdl::load(&mut games, |count| bar.set_position(count));
    bar.finish_and_clear();
    warn(common, games.tails(), games.skipped());
    let loaded = loaded.map_err(Failure::input)?;
    let fit = wdl::fit(&loaded);
    print(json, &fit, &loaded)?;
    if !common.quiet {
        say!("{}", if fit.fitted >= fit.shares { NO_USE } else { USE });
    }
    Ok(ExitCode::SUCCESS)
}

fn print(mut json: JsonLines, fit: &WdlFit, loaded: &CountedGames) -> CommandResult {
    let mut curve = Listing::new(&["parameter (pawns/100)", "fitted", "standard error", "in use"], 1..4);
    for (((name, number), error), (_, used)) in
        numbers(&fit.curve).into_iter().zip(fit.errors).zip(numbers(&WdlCurve::USED))
    {
        curve.add_row([name.to_owned(), format!("{number:.1}"), format!("{error:.1}"), format!("{used:.1}")]);
        json.write(&json!({"parameter": name, "fitted": number, "error": error, "used": used}))?;
    }
    json.print(&curve)?;
    let mut bands =
        Listing::new(&["score", "positions", "predicted: win", "draw", "loss", "observed: win", "draw", "loss"], 1..8);
    for band in &fit.bands {
        let ScoreBand { from, to, positions, predicted, observed } = band;
        let chances = predicted.iter().chain(observed).map(|chance| format!("{:.1} %", 100.0 * chance));
        bands.add_row([format!("{from} to {}", to - 1), grouped(*positions)].into_iter().chain(chances));
        json.write(
            &json!({"from": from, "to": to, "positions": positions, "predicted": predicted, "observed": observed}),
        )?;
    }
    json.print(&format!("\nHeld-out games, by the size of the score (pawns/100)\n{bands}\n"))?;
    let (positions, held_out) =
        (loaded.parts.iter().map(|part| part.positions()).sum::<u64>(), loaded.held_out.positions());
    json.print(&format!(
        "Bits per held-out result: {:.4} with the same chances for all positions, {:.4} with the curve in use, {:.4} with the fitted \
         curve. {} positions of {} games, {} held out",
        fit.shares,
        fit.used,
        fit.fitted,
        grouped(positions),
        grouped(loaded.games),
        grouped(held_out),
    ))?;
    json.write(&json!({
        "summary": true, "games": loaded.games, "positions": positions, "held_out": held_out,
        "bits_constant": fit.shares, "bits_used": fit.used, "bits_fitted": fit.fitted,
    }))?;
    json.close()
}
