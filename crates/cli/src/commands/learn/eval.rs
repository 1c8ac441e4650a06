//! `quarterply learn eval DATA... -o weights.rs`: fits the weights of the classical evaluation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_datagen::replay::Filter;
use quarterply_engine::words::grouped;
use quarterply_learn::eval::data::{self, EvalDataset, EvalSelection};
use quarterply_learn::eval::fit::{self, EvalFit, EvalPlan, Pass};
use quarterply_learn::eval::page::{self, WeightGroup};
use quarterply_learn::eval::{certainty, model, write};
use serde::Serialize;

use crate::commands::datagen::read::{GameFiles, warn};
use crate::common::Common;
use crate::export::{self, JsonLines, refuse_same};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::{count, positive, share};
use crate::progress;

/// One of this number of games is held out.
const HOLD_OUT: u64 = 20;
/// Enough for any fit of a thousand weights, and it fits into a few GiB.
const POSITIONS: usize = 4_000_000;

/// Which games, how long, where to.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub games: GameFiles,
    /// Write the weights as source code; use crates/engine/src/eval/weights.rs to build with them.
    #[arg(short, long, value_name = "FILE.rs")]
    pub output: Option<PathBuf>,
    /// Write the report as a self-contained HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Train on at most N positions.
    #[arg(long, value_name = "N", default_value_t = POSITIONS, value_parser = count::<usize>(1..))]
    pub positions: usize,
    /// Number of passes over the positions.
    #[arg(long, value_name = "N", default_value_t = EvalPlan::default().passes as u64, value_parser = count::<u64>(1..))]
    pub passes: u64,
    /// Weight of the game result in the label, 0 to 1; the rest is the search score.
    #[arg(long, value_name = "SHARE", default_value_t = EvalPlan::default().result, value_parser = share)]
    pub result: f64,
    /// Initial step of a weight in pawns/100; it decreases to one hundredth.
    #[arg(long, value_name = "STEP", default_value_t = EvalPlan::default().rate, value_parser = positive)]
    pub rate: f64,
    /// Start with piece values only instead of the weights of this program.
    #[arg(long)]
    pub scratch: bool,
    /// Hold out one of N games.
    #[arg(long, value_name = "N", default_value_t = HOLD_OUT, value_parser = count::<u64>(2..))]
    pub holdout_every: u64,
    /// Skip positions with a search score above CP centipawns for either side.
    #[arg(long, value_name = "CP", default_value_t = Filter::DEFAULT.score_max, value_parser = count::<i32>(0..))]
    pub score_max: i32,
}

/// The file of weights in the source of the program.
const WEIGHTS: &str = "crates/engine/src/eval/weights.rs";

/// A group of weights in `--json`.
#[derive(Serialize)]
struct WeightsLine<'a> {
    group: &'a str,
    about: &'a str,
    before: Vec<f64>,
    after: Vec<f64>,
    error: Vec<f64>,
}

/// Loads, fits, reports.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters(super::NO_SEARCH)?;
    common.pool()?.install(|| learn(common, arguments))
}

fn learn(common: &Common, arguments: &Arguments) -> CommandResult {
    let plan = EvalPlan {
        passes: arguments.passes as usize,
        rate: arguments.rate,
        result: arguments.result,
        seed: common.seed,
    };
    refuse_same(arguments.output.iter().chain(&arguments.page))?;
    let begin = |path: &PathBuf| export::create(common, path, &arguments.games.paths);
    let source = arguments.output.as_ref().map(begin).transpose()?;
    let report = arguments.page.as_ref().map(begin).transpose()?;
    let json = JsonLines::open(common, &arguments.games.paths)?;
    let loaded = load(common, arguments, plan.seed)?;
    let start = if arguments.scratch { model::scratch() } else { model::compiled() };
    let bar = progress::bar(common, plan.passes, "passes");
    let fit = fit::fit(&start, &loaded.train, &loaded.held_out, &plan, |pass| {
        bar.set_position(pass.number as u64);
        bar.set_message(format!("loss {:.6}, held out {:.6}", pass.train, pass.held_out));
    });
    bar.finish_and_clear();
    let errors = certainty::errors(&fit.after, &loaded.train, &fit.link);
    let origin = origin(arguments, &plan, &loaded, &fit);
    if let Some(draft) = source {
        draft.finish(write::source(&fit.after, &origin))?;
    }
    if let Some(draft) = report {
        let text = page::page(&fit, &errors, &loaded, &origin).map_err(Failure::input)?;
        draft.finish(&text)?;
    }
    print(json, &fit, &errors, &loaded)?;
    let best = fit.rounded < fit.fitted_passes[0].held_out;
    if best && !common.quiet {
        say!("{}", usage(arguments.output.as_deref()));
    }
    if !best {
        say!("the held-out loss did not fall: keep the old weights, and give more games or more passes");
    }
    Ok(if best { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where the weights are used, and how.
fn usage(output: Option<&Path>) -> String {
    let begin = match output {
        Some(path) if path.ends_with(WEIGHTS) => format!("`{}` is written", path.display()),
        Some(path) => format!("`{}` is written; copy it to {WEIGHTS}", path.display()),
        None => format!("nothing is written; repeat the command with `-o {WEIGHTS}`"),
    };
    format!(
        "The weights are those of the classical evaluation, alone with EvalFile=<classical> and blended with a network otherwise. To use \
         them: {begin}, build the program, and play a match against the old build (a lower loss is not playing strength)."
    )
}

fn load(common: &Common, arguments: &Arguments, seed: u64) -> Result<EvalDataset, Failure> {
    let selection = EvalSelection {
        filter: Filter { score_max: arguments.score_max, ..Filter::DEFAULT },
        positions_max: arguments.positions,
        holdout_every: arguments.holdout_every,
        seed,
    };
    let archive = arguments.games.open()?;
    let bar = progress::bar(common, arguments.positions, "positions");
    let mut games = archive.games();
    let loaded = data::load(&mut games, &selection, |positions| bar.set_position(positions as u64));
    bar.finish_and_clear();
    warn(common, games.tails(), games.skipped());
    Ok(EvalDataset { origins: archive.origins(), ..loaded.map_err(Failure::input)? })
}

/// How the weights were made, for the head of their file.
fn origin(arguments: &Arguments, plan: &EvalPlan, loaded: &EvalDataset, fit: &EvalFit) -> Vec<String> {
    let first = fit.fitted_passes[0];
    vec![
        format!(
            "Fitted to {} positions of {} games that this program played against itself.",
            grouped(loaded.train.positions() as u64),
            grouped(loaded.games)
        ),
        format!("Players: {}.", loaded.origins.join("; ")),
        format!(
            "Passes {}, rate {}, result {}, scores up to {}, seed {}; odds are e to 1 at a score of {:.0} and at a value of {:.0}.",
            plan.passes, plan.rate, plan.result, arguments.score_max, plan.seed, fit.link.score_scale, fit.link.scale
        ),
        format!("Loss on held-out games: {:.6} before, {:.6} after.", first.held_out, fit.rounded),
    ]
}

fn print(mut json: JsonLines, fit: &EvalFit, errors: &[f64], loaded: &EvalDataset) -> CommandResult {
    let mut listing = Listing::new(&["group", "weights", "before", "after", "error"], 1..5);
    for WeightGroup { name: group, about, before, after, error, .. } in page::rows(fit, errors) {
        let [old, new, margin] = [&before, &after, &error].map(|values| format!("{:.1}", mean_size(values)));
        listing.add_row([group, &after.len().to_string(), &old, &new, &margin]);
        json.write(&WeightsLine { group, about, before, after, error })?;
    }
    json.print(&listing)?;
    json.print(&format!(
        "Mean absolute values by group; --page writes each weight.\n{} positions of {} games, {} held out; 0.73 points are expected at a \
         search score of {:.0} and at an evaluation of {:.0}\n\
         loss {:.6} -> {:.6}, held out {:.6} -> {:.6} (rounded)",
        grouped(loaded.train.positions() as u64),
        grouped(loaded.games),
        grouped(loaded.held_out.positions() as u64),
        fit.link.score_scale,
        fit.link.scale,
        fit.fitted_passes[0].train,
        fit.fitted_passes.last().map_or(f64::NAN, |pass: &Pass| pass.train),
        fit.fitted_passes[0].held_out,
        fit.rounded,
    ))?;
    json.close()
}

fn mean_size(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum::<f64>() / values.len().max(1) as f64
}
