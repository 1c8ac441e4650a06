//! `quarterply learn cost DATA... -o FILE.toml`: the chance that a late move matters, and reductions that follow from it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_engine::coefficients::Contents;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::learned_cost::MODEL;
use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_engine::words::grouped;
use quarterply_files::profile;
use quarterply_learn::cost::fit::{self, CostFit};
use quarterply_learn::cost::page;
use quarterply_learn::cost::sample::{self, Examples, Root, Sampling};
use quarterply_uci::date::today;
use serde_json::json;

use crate::commands::datagen::read::{Damage, warn};
use crate::common::Common;
use crate::export::{self, JsonLines, refuse_same};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::HASH_MAX;
use crate::listing::Listing;
use crate::numbers::{count, positive_share};
use crate::positions::read_suite;
use crate::progress;

/// Default number of positions.
const POSITIONS: usize = 2000;
/// Default number of nodes of each search.
const NODES: u64 = 20_000;
/// Default share of late moves searched in full.
const AUDIT_SHARE: f64 = 0.01;
/// One of this number of games is held out.
const HOLD_OUT: u64 = 5;

/// Which positions, how many examples, where to.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("source").args(["data", "suite"]).required(true))]
pub struct Arguments {
    /// Folders of `datagen` or of packed files, single shards or packed files.
    #[arg(value_name = "DATA")]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub damage: Damage,
    /// Use all positions of these EPD files instead of games.
    #[arg(long, value_name = "FILE.epd", conflicts_with_all = ["data", "positions", "skip_damaged"])]
    pub suite: Vec<PathBuf>,
    /// Write the learned coefficients to this file.
    #[arg(short, long, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Write a profile that uses this file: `default` with learned reductions, with the same mean as those of the formula.
    #[arg(long, value_name = "FILE.toml", requires = "output")]
    pub write_profile: Option<PathBuf>,
    /// Write the report as a self-contained HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Search N positions of the games, drawn at random.
    #[arg(long, value_name = "N", default_value_t = POSITIONS, value_parser = count::<usize>(1..))]
    pub positions: usize,
    /// Search each position for N nodes.
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = count::<u64>(1..))]
    pub nodes: u64,
    /// Search this share of the late moves to full depth: 0.01 or 1%.
    #[arg(long, value_name = "SHARE", default_value_t = AUDIT_SHARE, value_parser = positive_share)]
    pub audit: f64,
    /// Hold out one of N games for validation.
    #[arg(long, value_name = "N", default_value_t = HOLD_OUT, value_parser = count::<u64>(2..))]
    pub holdout_every: u64,
    /// Size of the transposition table of each search, in MiB.
    #[arg(long, value_name = "MB", default_value_t = TABLE_DEFAULT, value_parser = count::<usize>(0..=HASH_MAX))]
    pub hash: usize,
}

/// Searches, fits, reports; exit code 1 if nothing was learned that the formula does not know.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.pool()?.install(|| learn(common, arguments))
}

fn learn(common: &Common, arguments: &Arguments) -> CommandResult {
    let parameters = common.parameters()?;
    let inputs = || arguments.data.iter().chain(&arguments.suite);
    refuse_same(arguments.output.iter().chain(&arguments.write_profile).chain(&arguments.page))?;
    let begin = |path: &PathBuf| export::create(common, path, inputs());
    let target = arguments.output.as_ref().map(begin).transpose()?;
    let profile = arguments.write_profile.as_ref().map(begin).transpose()?;
    let report = arguments.page.as_ref().map(begin).transpose()?;
    let json = JsonLines::open(common, inputs())?;
    let sampling = Sampling {
        nodes: arguments.nodes,
        rate: arguments.audit,
        hash: arguments.hash,
        holdout_every: arguments.holdout_every,
        seed: common.seed,
    };
    let roots = roots(common, arguments, sampling.seed)?;
    let (control, stop) = interrupt::control("stopping (press Ctrl-C again to end at once)")?;
    let bar = progress::bar(common, roots.len(), "positions");
    let examples = sample::collect(&roots, &parameters, &sampling, &control, |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    let examples = examples.map_err(Failure::input)?;
    let fit = fit::fit(&examples);
    let origin = origin(common, arguments, &sampling, &examples, &fit);
    if let (Some(draft), Some(path)) = (target, &arguments.output) {
        draft.finish(MODEL.write(&contents(&fit, &origin)))?;
        if let Some(draft) = profile {
            draft.finish(&profile_with(&fit, path)?)?;
        }
    }
    if let Some(draft) = report {
        let text = page::page(&fit, &examples, &origin).map_err(Failure::run)?;
        draft.finish(&text)?;
    }
    print(json, &fit, &examples)?;
    if fit.learned < fit.formula {
        return Ok(ExitCode::SUCCESS);
    }
    say!(
        "on held-out moves the model does not predict better than the formula: give more positions, more --nodes or a higher --audit"
    );
    Ok(ExitCode::FAILURE)
}

fn roots(common: &Common, arguments: &Arguments, seed: u64) -> Result<Vec<Root>, Failure> {
    if arguments.suite.is_empty() {
        let archive = arguments.damage.open(&arguments.data)?;
        let mut batches = archive.batches();
        let roots = sample::roots(&mut batches, arguments.positions, seed);
        warn(common, &[], batches.skipped());
        return roots.map_err(Failure::input);
    }
    let mut roots = Vec::new();
    for path in &arguments.suite {
        let suite = read_suite(path)?;
        for record in suite.records {
            let group = roots.len() as u64;
            roots.push(Root { game: Game::from_chess(record.position, record.mode), group });
        }
    }
    Ok(roots)
}

/// How the weights were made, for the head of their file.
fn origin(
    common: &Common,
    arguments: &Arguments,
    sampling: &Sampling,
    examples: &Examples,
    fit: &CostFit,
) -> Vec<String> {
    let names = arguments.data.iter().chain(&arguments.suite).map(|path| path.display().to_string());
    vec![
        format!(
            "The chance that a late move matters: quarterply learn cost {} (commit {}).",
            names.collect::<Vec<_>>().join(" "),
            env!("QUARTERPLY_COMMIT")
        ),
        format!(
            "{} positions of {} nodes, profile {}, one late move in {:.0} searched in full, seed {}.",
            grouped(examples.positions),
            grouped(sampling.nodes),
            common.settings(),
            1.0 / sampling.rate.max(f64::MIN_POSITIVE),
            sampling.seed
        ),
        format!(
            "Held-out loss in bits: {:.4} with a constant probability, {:.4} from the reduction of late_move_reduction, {:.4} learned.",
            fit.constant, fit.formula, fit.learned
        ),
    ]
}

/// The fitted coefficients.
fn contents(fit: &CostFit, origin: &[String]) -> Contents {
    Contents {
        title: "The chance that a late move matters".to_owned(),
        source: origin.join(" "),
        date: today('-'),
        values: fit.coefficients.to_vec(),
    }
}

/// A profile that uses the coefficients in this file.
fn profile_with(fit: &CostFit, coefficients: &Path) -> Result<String, Failure> {
    let mut parameters = Parameters { learned_cost: fit.params, ..Parameters::default() };
    let file = MODEL.open(&coefficients.display().to_string()).map_err(Failure::input)?;
    parameters.choose_coefficients(&MODEL, file);
    Ok(profile::write_profile(&parameters, |entry| entry.group == MODEL.rule))
}

fn print(mut json: JsonLines, fit: &CostFit, examples: &Examples) -> CommandResult {
    let mut weights = Listing::new(&["feature", "weight (bits)", "error"], 1..3);
    for (((name, about), weight), error) in fit::names().zip(&fit.weights).zip(&fit.errors) {
        json.write(&json!({"feature": name, "about": about, "weight": weight, "error": error}))?;
        weights.add_row([name.to_owned(), format!("{weight:+.3}"), format!("{error:.3}")]);
    }
    json.print(&weights)?;
    let header = ["examples", "predicted", "observed", "95 %", "formula", "learned"];
    let mut bins = Listing::new(&header, 0..header.len());
    page::bin_rows(&fit.bins).into_iter().for_each(|row| bins.add_row(row));
    json.print(&format!(
        "\nHeld-out moves by their predicted chance to matter, with mean reductions (plies)\n{bins}\n"
    ))?;
    let facts = page::facts(fit, examples);
    json.print(&Listing::of(&["quantity", "value"], facts.iter().map(|(name, value)| [*name, value])))?;
    let bins: Vec<_> = fit
        .bins
        .iter()
        .map(|bin| json!({"count": bin.count, "mattered": bin.mattered, "predicted": bin.predicted}))
        .collect();
    json.write(&json!({
        "summary": true, "positions": examples.positions, "nodes": examples.nodes, "audit_nodes": examples.audit_nodes,
        "examples": examples.train.len(), "held_out": examples.held_out.len(), "constant": fit.constant, "formula": fit.formula,
        "learned": fit.learned, "train": fit.train, "bins": bins, "base": fit.params.base, "per_bit": fit.params.per_bit,
        "per_bit_deeper": fit.params.per_bit_deeper,
    }))?;
    json.close()
}
