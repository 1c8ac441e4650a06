//! `quarterply train`: trains, resumes and verifies evaluation networks.

mod live;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Subcommand;
use miette::{Report, miette};
use quarterply_engine::network::{DEFAULT, EvalFile, EvalFileError};
use quarterply_engine::words::grouped;
use quarterply_learn::train::error::TrainError;
use quarterply_learn::train::known::answers;
use quarterply_learn::train::run::{ExecutionOptions, TrainingOutcome, TrainingRun};
use quarterply_learn::train::settings::Plan;
use serde_json::json;

use super::datagen::filter::FilterArguments;
use super::datagen::play::program;
use super::datagen::read::Damage;
use crate::common::{Common, command_line, pool_of};
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::numbers::{count, share};
use live::TrainDisplay;

/// Seconds between two checkpoints, unless a pass ends before.
const SAVE_SECONDS: u64 = 60;

/// Arguments of `train`; without a sub-command, a run is begun.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<TrainAction>,
    #[command(flatten)]
    begin: Begin,
}

#[derive(Subcommand, Debug)]
enum TrainAction {
    /// Continue a run that was stopped or killed; the network is the same as without the interruption.
    #[command(after_help = "Example: quarterply train resume nets/first")]
    Resume(Resume),
    /// Check a network and compare its loss with that of the classical evaluation and of counting pieces.
    #[command(after_help = "Example: quarterply train verify nets/first/network.nnue")]
    Verify(verify::Arguments),
}

const AFTER: &str = "\
The folder of --out holds settings.toml, journal.jsonl, checkpoint.bin, report.html and, when the run is finished, network.nnue. A \
run is saved after each pass and every minute; `train resume` continues it. The same --seed and games give the same network with any \
number of --threads. Ctrl-C saves and ends; a second one ends at once.

Examples:
  quarterply train data/first --out nets/first
  quarterply train data/first data/second --out nets/b --buckets 8 --samples 1B --result 10% --result-end 40%";

/// A new run.
#[derive(clap::Args, Debug)]
#[command(mut_arg("skip_damaged", |damaged| damaged.hide_short_help(true)))]
struct Begin {
    /// Folders of `datagen` or of packed files, single shards or packed files.
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Folder of the run; it must not exist, or be empty.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    out: Option<PathBuf>,
    // Before the groups of options, whose headings hold for all arguments after them.
    #[command(flatten)]
    damage: Damage,
    #[command(flatten)]
    network: Network,
    #[command(flatten)]
    schedule: ScheduleArguments,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    threads: Threads,
}

/// The network.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "The network")]
struct Network {
    /// Number of hidden units of each perspective, a multiple of 32.
    #[arg(long, value_name = "N", default_value_t = Plan::default().hidden as u64, value_parser = count::<u64>(1..))]
    hidden: u64,
    /// Number of output buckets, chosen by the number of pieces: 1, 2, 4 or 8.
    #[arg(long, value_name = "B", default_value_t = Plan::default().buckets as u64, value_parser = count::<u64>(1..))]
    buckets: u64,
    /// Start with the weights of this network, for example of an earlier generation, instead of random ones.
    #[arg(long, value_name = "FILE")]
    from: Option<String>,
    /// Weight of the game result in the label, 0 to 1; the rest is the search score.
    #[arg(long, value_name = "SHARE", default_value_t = Plan::default().result, value_parser = share)]
    result: f64,
    /// Weight of the game result at the end of the training; it changes linearly from --result [default: --result].
    #[arg(long, hide_short_help = true, value_name = "SHARE", value_parser = share)]
    result_end: Option<f64>,
    /// Weight of the game result for positions with at most 12 men, kings and pawns included, during the whole training
    /// [default: as for the others].
    #[arg(long, hide_short_help = true, value_name = "SHARE", value_parser = share)]
    result_endings: Option<f64>,
    /// Train for a blend in which the classical evaluation has weight SHARE; the share is stored in the network file and used in play
    /// unless `network.classical` is set.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
    classical: f64,
    /// Score (centipawns) with an expected result of 0.73 points (odds of e to 1); fit it to the games, so that results and scores agree. A
    /// network of --from keeps the scale of its values.
    #[arg(long, hide_short_help = true, value_name = "CP", default_value_t = Plan::default().scale as u32, value_parser = count::<u32>(1..))]
    scale: u32,
}

/// Options of the training schedule.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Training")]
struct ScheduleArguments {
    /// Number of passes (epochs) over the positions.
    #[arg(long, value_name = "N", default_value_t = Plan::default().passes, value_parser = count::<u64>(1..))]
    passes: u64,
    /// Train on N positions in all instead, each pass over a position counted, such as 1B: the last pass may be incomplete.
    #[arg(long, value_name = "N", conflicts_with = "passes", value_parser = count::<u64>(1..))]
    samples: Option<u64>,
    /// Replace this share of the positions by the position after a random move, drawn again in each pass, labelled by the classical evaluation.
    #[arg(long, hide_short_help = true, value_name = "SHARE", default_value = "0", value_parser = share)]
    distil_share: f64,
    /// Number of positions of a batch.
    #[arg(long, value_name = "N", default_value_t = Plan::default().batch as u64, value_parser = count::<u64>(1..))]
    batch: u64,
    /// Highest learning rate.
    #[arg(long, value_name = "RATE", default_value_t = Plan::default().rate)]
    rate: f64,
    /// Final learning rate, after cosine decay.
    #[arg(long, hide_short_help = true, value_name = "RATE", default_value_t = Plan::default().rate_end)]
    rate_end: f64,
    /// Number of warm-up batches with a rising learning rate; at most a tenth of all.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Plan::default().warmup, value_parser = count::<u64>(0..))]
    warmup: u64,
    /// Weight decay: each batch multiplies a weight by one minus this times the learning rate.
    #[arg(long, hide_short_help = true, value_name = "DECAY", default_value_t = Plan::default().decay)]
    decay: f64,
    /// Write the exponential moving average of the weights instead of the latest: each batch keeps SHARE of it, such as 0.999; 0 for the
    /// latest.
    #[arg(long, hide_short_help = true, value_name = "SHARE", default_value = "0", value_parser = share)]
    average: f64,
    /// Hold out this share of the games for validation.
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    holdout_share: f64,
    /// Write a line to the journal every N batches, after every pass and at the end.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Plan::default().every, value_parser = count::<u64>(1..))]
    journal_every: u64,
    /// Write a network also after every PASSES passes; 0 for only the last.
    #[arg(long, hide_short_help = true, value_name = "PASSES", default_value_t = Plan::default().keep, value_parser = count::<u64>(0..))]
    keep_every: u64,
}

/// Threads of a training run.
#[derive(clap::Args, Debug)]
struct Threads {
    /// Number of training threads, like --workers [default: all processors].
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..), help_heading = "Training")]
    threads: Option<usize>,
}

impl Threads {
    fn count(&self, common: &Common) -> Result<usize, Failure> {
        let threads = common.same_number("--threads", self.threads, "training threads")?;
        Ok(threads.unwrap_or_else(|| common.worker_count()))
    }
}

/// The rest of a run.
#[derive(clap::Args, Debug)]
struct Resume {
    /// Folder of the run, as given to --out.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

/// Begins a run, or runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("a network is trained without a search")?;
    match &arguments.action {
        None => begin(common, &arguments.begin),
        Some(TrainAction::Resume(arguments)) => resume(common, arguments),
        Some(TrainAction::Verify(arguments)) => verify::run(common, arguments),
    }
}

fn plan(common: &Common, arguments: &Begin) -> Plan {
    let Begin { network, schedule, filter, damage, .. } = arguments;
    Plan {
        seed: common.seed,
        hidden: network.hidden as usize,
        buckets: network.buckets as usize,
        from: None,
        passes: schedule.passes,
        samples: schedule.samples,
        distil_share: schedule.distil_share,
        batch: schedule.batch as usize,
        rate: schedule.rate,
        rate_end: schedule.rate_end,
        warmup: schedule.warmup,
        decay: schedule.decay,
        average: schedule.average,
        result: network.result,
        result_end: network.result_end,
        result_endings: network.result_endings,
        scale: i32::try_from(network.scale).unwrap_or(i32::MAX),
        unit: None,
        classical: network.classical,
        held_out: schedule.holdout_share,
        filter: filter.filter(),
        skip_damaged: damage.skip_damaged,
        every: schedule.journal_every,
        keep: schedule.keep_every,
    }
}

fn begin(common: &Common, arguments: &Begin) -> CommandResult {
    let Some(folder) = &arguments.out else {
        return Err(Failure::Input(missing_folder_error(&arguments.data)));
    };
    let origin = (program(), Some(command_line()));
    let from = from(arguments.network.from.as_deref())?;
    let threads = arguments.threads.count(common)?;
    go(common, folder, threads, |stop, live| {
        TrainingRun::begin(
            folder,
            plan(common, arguments),
            from.as_deref(),
            &arguments.data,
            origin,
            stop,
            &mut |event| live.see(&event),
        )
    })
}

/// The network to begin with.
fn from(name: Option<&str>) -> Result<Option<Arc<quarterply_engine::network::Network>>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let begin = "cannot start from another network";
    let network = EvalFile::open(name)
        .map_err(|error| match error {
            EvalFileError::Io { path, reason } => Failure::Input(miette!(
                "{begin}: cannot read `{path}`: {reason}; give the path of a network, or {DEFAULT}"
            )),
            error => Failure::Input(miette!("{begin}: {error}")),
        })?
        .network();
    if network.is_none() {
        refuse!("cannot start from `{name}`: it is not a network; give --from a file that `quarterply train` wrote");
    }
    Ok(network)
}

fn resume(common: &Common, arguments: &Resume) -> CommandResult {
    common.refuse_other_settings()?;
    let threads = arguments.threads.count(common)?;
    go(common, &arguments.folder, threads, |stop, live| {
        TrainingRun::resume(&arguments.folder, stop, &mut |event| live.see(&event))
    })
}

/// Opens a run, trains to its end, and prints the results.
fn go(
    common: &Common,
    folder: &Path,
    threads: usize,
    open: impl FnOnce(&AtomicBool, &mut TrainDisplay) -> Result<TrainingRun, TrainError> + Send,
) -> CommandResult {
    let json = JsonLines::open(common, NO_INPUT)?;
    let mut live = TrainDisplay::new(common);
    let stop = live.line.stop_signal("stopping; the run is saved after this batch (once more to end at once)")?;
    let pool = pool_of(threads)?;
    let opened = pool.install(|| open(&stop, &mut live));
    let ended = opened.and_then(|run| {
        live.begin(&run, threads);
        run.drive(&ExecutionOptions { threads, stop: &stop, save: Duration::from_secs(SAVE_SECONDS) }, &mut |event| {
            live.see(&event)
        })
    });
    live.line.end();
    match ended {
        Ok(outcome) => conclude(json, folder, &outcome),
        Err(TrainError::Stopped) => Ok(interrupt::code()),
        Err(error) => Err(failure(error)),
    }
}

/// The network of a file, or the built-in one.
fn read(file: &Path) -> Result<Arc<quarterply_engine::network::Network>, Failure> {
    if file == Path::new(DEFAULT) {
        let network = EvalFile::open(DEFAULT).ok().and_then(|file| file.network());
        return network.ok_or_else(|| Failure::Input(miette!("cannot read {DEFAULT}: no network is built in")));
    }
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::Input(miette!(
            "cannot read `{}`: {error}; give a file that `quarterply train` wrote, or {DEFAULT}",
            file.display()
        ))
    })?;
    quarterply_engine::network::Network::read(&bytes)
        .map(Arc::new)
        .map_err(|reason| Failure::input(TrainError::BadNetwork(file.to_owned(), reason)))
}

/// An error as one of the command line.
fn failure(error: TrainError) -> Failure {
    if error.is_input() { Failure::input(error) } else { Failure::run(error) }
}

fn conclude(mut json: JsonLines, folder: &Path, outcome: &TrainingOutcome) -> CommandResult {
    for line in &outcome.lines {
        json.write(line)?;
    }
    let last = outcome.lines.last();
    let answers = answers(&outcome.network);
    json.write(&json!({
        "summary": true,
        "network": outcome.network.name(),
        "file": outcome.file,
        "batches": outcome.steps,
        "stopped": outcome.stopped,
        "held_out": last.map(|line| line.held_out),
        "material": outcome.material,
        "rounding": outcome.rounding,
        "positions": answers.iter().map(|answer| json!({
            "name": answer.name, "fen": answer.fen, "value": answer.value, "passed": answer.passed,
            "symmetric": answer.symmetric,
        })).collect::<Vec<_>>(),
    }))?;
    json.print(&describe(folder, outcome))?;
    json.close()?;
    Ok(if outcome.stopped { interrupt::code() } else { ExitCode::SUCCESS })
}

/// The error for a missing folder of a new run; the user may have meant to resume a run.
fn missing_folder_error(data: &[PathBuf]) -> Report {
    match data.iter().find(|path| !path.exists()) {
        None => miette!("cannot start: no folder for the run is given; name it with --out"),
        Some(path) => miette!(
            "cannot find `{}`: neither a folder or shard of games nor a sub-command; give games and --out, or one of resume and verify",
            path.display()
        ),
    }
}

fn describe(folder: &Path, outcome: &TrainingOutcome) -> String {
    let TrainingOutcome { settings, lines, rounding, material, .. } = outcome;
    let last = lines.last().map_or_else(String::new, |line| {
        format!("loss {:.6}, held out {:.6} (counting pieces: {:.6})\n", line.loss, line.held_out, material.loss)
    });
    let seconds = lines.last().map_or(0.0, |line| line.seconds);
    let learned = lines.last().map_or(0.0, |line| line.batch as f64 * settings.plan.batch as f64);
    let end = match &outcome.file {
        Some(file) => format!("{}: {}", file.display(), outcome.network.name()),
        None => format!("`quarterply train resume {}` continues it", folder.display()),
    };
    format!(
        "{}: {} of {} batches, {} positions, {} held out\n{last}\
         {:.0} positions a second in {seconds:.1} s; rounding changes values by {:.2} hundredths of a pawn on average, by {:.1} at \
         most\n{end}",
        folder.display(),
        grouped(outcome.steps),
        grouped(settings.steps()),
        grouped(settings.positions),
        grouped(settings.held_out_positions),
        learned / f64::max(seconds, f64::EPSILON),
        rounding.mean,
        rounding.largest,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<classical>` is refused as a network to start from.
    #[test]
    fn a_missing_start_network_is_reported_with_the_alternatives() {
        let Err(Failure::Input(report)) = from(Some("/nowhere.nnue")) else {
            panic!("`/nowhere.nnue` was read as a network")
        };
        let message = report.to_string();
        assert!(message.contains("/nowhere.nnue") && message.contains("<default>"), "{message}");
        assert!(!message.contains("<classical>"), "{message}");
    }
}
