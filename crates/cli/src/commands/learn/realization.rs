//! `quarterply learn realization DATA... -o FILE.toml`: learns the chances of moves from games.

use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_engine::coefficients::Contents;
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::realization::{Feature, MODEL, chance_name};
use quarterply_engine::words::grouped;
use quarterply_learn::realization::data::{self, RealizationDataset, RealizationSelection};
use quarterply_learn::realization::fit::{self, LEN, PENALTY, RealizationFit, STEPS};
use quarterply_learn::realization::kinds::{self, RatedMoveKind};
use quarterply_learn::realization::measure::{self, measure};
use quarterply_learn::realization::page::{self, FittedModel, RealizationReport};
use quarterply_uci::date::today;
use serde::Serialize;

use crate::commands::datagen::read::{GameFiles, warn};
use crate::common::Common;
use crate::export::{self, JsonLines, refuse_same};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::listing::Listing;
use crate::numbers::{count, positive};
use crate::progress;

/// One of this number of games is held out.
const HOLD_OUT: u64 = 10;
/// More change the weights by less than their errors.
const POSITIONS: usize = 24_000;
/// Nodes of the search two plies before.
const NODES: u64 = 5000;
/// Plies at the start of a game that are left out.
const FIRST: usize = 8;
/// Beyond this games are decided, and many moves as good (pawns/100).
const SCORE_MAX: i32 = 1000;
const PERCENT: f64 = 100.0;

/// Which games, how long, where to.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub games: GameFiles,
    /// Write the learned coefficients to this file.
    #[arg(short, long, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Write the report as a self-contained HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Use about N positions, spread over all games.
    #[arg(long, value_name = "N", default_value_t = POSITIONS, value_parser = count::<usize>(1..))]
    pub positions: usize,
    /// Nodes of the search two plies before a position, which fills the histories and the table for the features.
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = count::<u64>(1..))]
    pub nodes: u64,
    /// Skip the first N plies of each game, counted after the random ones.
    #[arg(long, value_name = "N", default_value_t = FIRST, value_parser = count::<usize>(0..))]
    pub skip_first: usize,
    /// Hold out one of N games.
    #[arg(long, value_name = "N", default_value_t = HOLD_OUT, value_parser = count::<u64>(2..))]
    pub holdout_every: u64,
    /// Skip positions with a search score above CP centipawns for either side.
    #[arg(long, value_name = "CP", default_value_t = SCORE_MAX, value_parser = count::<i32>(0..))]
    pub score_max: i32,
    /// Regularization: penalty of a weight of one bit, in bits.
    #[arg(long, value_name = "BITS", default_value_t = PENALTY, value_parser = positive)]
    pub penalty: f64,
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum JsonLine<'a> {
    Model { name: &'a str, positions: u64, cross_entropy: f64, top_1: f64, top_3: f64, miscalibration: f64 },
    Bin { model: &'a str, bits: String, moves: u64, played: u64, predicted: f64, observed: f64 },
    Kind { parameter: &'a str, about: &'a str, seen: u64, played: u64, chance: f64 },
    Weight { parameter: &'a str, about: &'a str, value: i32, bits: f64, error: f64 },
}

/// Everything that was learned.
struct RealizationResults {
    loaded: RealizationDataset,
    kinds: Vec<RatedMoveKind>,
    fit: RealizationFit,
    weights: Vec<i32>,
    models: Vec<FittedModel>,
}

/// Loads, fits, reports.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.pool()?.install(|| learn(common, arguments))
}

fn learn(common: &Common, arguments: &Arguments) -> CommandResult {
    refuse_same(arguments.output.iter().chain(&arguments.page))?;
    let begin = |path: &PathBuf| export::create(common, path, &arguments.games.paths);
    let target = arguments.output.as_ref().map(begin).transpose()?;
    let report = arguments.page.as_ref().map(begin).transpose()?;
    let json = JsonLines::open(common, &arguments.games.paths)?;
    let stop = interrupt::listen(|| say!("stopping: nothing is written"))?;
    let loaded = load(common, arguments, &|| !stop.is_set())?;
    if loaded.stopped {
        return Ok(interrupt::code());
    }
    let learned = fitted(common, loaded, arguments.penalty, &|| !stop.is_set());
    let Some(learned) = learned else { return Ok(interrupt::code()) };
    let origin = origin(arguments, &learned);
    if let Some(draft) = target {
        draft.finish(MODEL.write(&contents(&learned, &origin)))?;
    }
    if let Some(draft) = report {
        let RealizationResults { models, fit, weights, kinds, .. } = &learned;
        let report = RealizationReport { origin: &origin, models, fit, weights, kinds };
        draft.finish(&page::page(&report).map_err(Failure::input)?)?;
    }
    print(json, &learned)?;
    let [_, counted, .., softmax] = learned.models.as_slice() else { return Ok(ExitCode::FAILURE) };
    let better = softmax.held_out.cross_entropy() < counted.held_out.cross_entropy();
    if !better {
        say!(
            "on held-out games the softmax does not predict better than the frequencies of move kinds: give more games"
        );
    }
    Ok(if better { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn load(
    common: &Common,
    arguments: &Arguments,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<RealizationDataset, Failure> {
    let selection = RealizationSelection {
        positions_max: arguments.positions,
        nodes: arguments.nodes,
        first: arguments.skip_first,
        score_max: arguments.score_max,
        holdout_every: arguments.holdout_every,
        seed: common.seed,
        parameters: common.parameters()?,
    };
    let archive = arguments.games.open()?;
    let bar = progress::bar(common, arguments.positions, "positions");
    let mut games = archive.games();
    let loaded = data::load(&mut games, &selection, &|positions| {
        bar.inc(positions as u64);
        go_on()
    });
    bar.finish_and_clear();
    warn(common, games.tails(), games.skipped());
    Ok(RealizationDataset { origins: archive.origins(), ..loaded.map_err(Failure::input)? })
}

/// Counts, fits and measures; `None` if it was interrupted.
fn fitted(
    common: &Common,
    loaded: RealizationDataset,
    penalty: f64,
    go_on: &dyn Fn() -> bool,
) -> Option<RealizationResults> {
    let kinds = kinds::count(&loaded.train);
    let bar = progress::bar(common, STEPS, "steps");
    let fit_of = |features: &[bool; LEN]| {
        fit::fit(&loaded.train, penalty, features, |step, loss| {
            bar.set_position(step as u64);
            bar.set_message(format!("{loss:.4} bits"));
            go_on()
        })
    };
    let position_only = fit_of(&std::array::from_fn(|index| !Feature::ALL[index].is_learnt()));
    let tableless = fit_of(&std::array::from_fn(|index| !Feature::ALL[index].is_of_table_move()));
    let fit = fit_of(&[true; LEN]);
    bar.finish_and_clear();
    if fit.stopped || position_only.stopped || tableless.stopped {
        return None;
    }
    let weights = fit::rounded(&fit.weights);
    let whole = fit::in_bits(&weights);
    let held_out = &loaded.held_out;
    let models = vec![
        FittedModel { name: "all moves alike", held_out: measure(held_out, &measure::uniform) },
        FittedModel { name: "by kind", held_out: measure(held_out, &|example| kinds::chances(&kinds, example)) },
        FittedModel {
            name: "softmax without histories and evaluation",
            held_out: measure(held_out, &|example| fit::chances(&position_only.weights, example)),
        },
        FittedModel {
            name: "softmax without the table's move",
            held_out: measure(held_out, &|example| fit::chances(&tableless.weights, example)),
        },
        FittedModel { name: "softmax", held_out: measure(held_out, &|example| fit::chances(&whole, example)) },
    ];
    Some(RealizationResults { loaded, kinds, fit, weights, models })
}

/// How the chances were learned, for the heads of their files.
fn origin(arguments: &Arguments, learned: &RealizationResults) -> Vec<String> {
    let RealizationDataset { train, held_out, games, held_out_games, origins, .. } = &learned.loaded;
    let entropy = |index: usize| learned.models.get(index).map_or(f64::NAN, |model| model.held_out.cross_entropy());
    vec![
        format!(
            "Learned from {} positions with {} legal moves, of {} games that this program played against itself; {} positions of {} other games are held out.",
            grouped(train.positions() as u64),
            grouped(train.moves() as u64),
            grouped(games - held_out_games),
            grouped(held_out.positions() as u64),
            grouped(*held_out_games),
        ),
        format!("Players: {}.", origins.join("; ")),
        format!(
            "Histories and table from searches of {} nodes two plies before; first {} plies and scores beyond {} left out; penalty {}.",
            arguments.nodes, arguments.skip_first, arguments.score_max, arguments.penalty
        ),
        format!(
            "Cross-entropy on held-out games: {:.3} bits for moves all alike, {:.3} by kind, {:.3} by softmax.",
            entropy(0),
            entropy(1),
            entropy(learned.models.len() - 1)
        ),
    ]
}

/// The fitted coefficients; kinds of moves that did not occur keep the built-in chance.
fn contents(learned: &RealizationResults, origin: &[String]) -> Contents {
    let default = Parameters::DEFAULT.learned().realization.chances;
    let chances = learned.kinds.iter().zip(default).map(|(kind, default)| kind.coefficient(default));
    Contents {
        title: "Chances of moves in games".to_owned(),
        source: origin.join(" "),
        date: today('-'),
        values: chances.chain(learned.weights.iter().copied()).collect(),
    }
}

fn print(mut json: JsonLines, learned: &RealizationResults) -> CommandResult {
    write_lines(&mut json, learned)?;
    let mut weights = Listing::new(&["coefficient", "about", "bits", "error"], 2..4);
    let bits = fit::in_bits(&learned.weights);
    for (index, feature) in Feature::ALL.iter().enumerate() {
        let about = page::about(feature.name()).trim_end_matches(" (1/1024 bit)").to_owned();
        let (bits, error) = (format!("{:+.2}", bits[index]), format!("{:.2}", learned.fit.errors[index]));
        weights.add_row([feature.name().to_owned(), about, bits, error]);
    }
    json.print(&weights)?;
    let mut models = Listing::new(&["on held-out games", "cross-entropy", "top 1", "top 3", "miscalibration"], 1..5);
    for FittedModel { name, held_out } in &learned.models {
        models.add_row([
            (*name).to_owned(),
            format!("{:.3} bits", held_out.cross_entropy()),
            format!("{:.1} %", PERCENT * held_out.top_1()),
            format!("{:.1} %", PERCENT * held_out.top_3()),
            format!("{:.3} bits", held_out.miscalibration()),
        ]);
    }
    json.print(&models)?;
    let RealizationDataset { train, held_out, games, held_out_games, .. } = &learned.loaded;
    json.print(&format!(
        "{} positions of {} games to learn from, {} of {} games held out; {:.4} bits on the former",
        grouped(train.positions() as u64),
        grouped(games - held_out_games),
        grouped(held_out.positions() as u64),
        grouped(*held_out_games),
        learned.fit.losses.last().copied().unwrap_or(f64::NAN),
    ))?;
    json.close()
}

fn write_lines(json: &mut JsonLines, learned: &RealizationResults) -> Result<(), Failure> {
    for FittedModel { name, held_out } in &learned.models {
        json.write(&JsonLine::Model {
            name,
            positions: held_out.positions,
            cross_entropy: held_out.cross_entropy(),
            top_1: held_out.top_1(),
            top_3: held_out.top_3(),
            miscalibration: held_out.miscalibration(),
        })?;
        for (index, bin) in held_out.bins.iter().enumerate().filter(|(_, bin)| bin.moves > 0) {
            let (predicted, observed) = (bin.predicted(), bin.observed());
            let bits = page::bits(index);
            json.write(&JsonLine::Bin {
                model: name,
                bits,
                moves: bin.moves,
                played: bin.played,
                predicted,
                observed,
            })?;
        }
    }
    for kind in &learned.kinds {
        let (parameter, about) = (chance_name(kind.kind), kind.kind.name());
        json.write(&JsonLine::Kind { parameter, about, seen: kind.seen, played: kind.played, chance: kind.chance() })?;
    }
    let bits = fit::in_bits(&learned.weights);
    for (index, feature) in Feature::ALL.iter().enumerate() {
        let (parameter, value) = (feature.name(), learned.weights[index]);
        let (about, error) = (page::about(parameter), learned.fit.errors[index]);
        json.write(&JsonLine::Weight { parameter, about, value, bits: bits[index], error })?;
    }
    Ok(())
}
