//! `quarterply tune`: look for better parameters, go on after an interruption, show a run.

mod import;
mod methods;
mod plan;
mod show;
mod watch;

use quarterply_engine::words::grouped;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Subcommand;
use clap::builder::ArgPredicate;
use miette::miette;
use quarterply_files::draft::is_full;
use quarterply_games::game::{Pace, TimeControl};
use quarterply_games::offered::identity;
use quarterply_tune::error::TuneError;
use quarterply_tune::fault::FAULTS;
use quarterply_tune::folder::TuningFolder;
use quarterply_tune::objective::Objective;
use quarterply_tune::plan::{MARGIN, MoveLimit, OPENINGS, SuitePart, TuningPlan};
use quarterply_tune::run::{ExecutionOptions, TuningRun};
use quarterply_uci::launch::Launch;
use quarterply_work::EngineIdentity;

use super::matches::warn_of_load;
use crate::common::Common;
use crate::dialogue::{DialogueArguments, OpenDialogue};
use crate::execution::{self, Execution, ExecutionArguments, WORKERS};
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::HASH_MAX;
use crate::numbers::{count, seconds};
use methods::{OptimiserArguments, RunOrder};
use show::Member;

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    action: TuneAction,
}

#[derive(Subcommand, Debug)]
enum TuneAction {
    /// Tune with a genetic algorithm; --preset paper repeats the paper.
    #[command(after_help = "Example: quarterply tune ga --preset paper --out runs/paper")]
    Ga(Box<RunOrder<methods::Ga>>),
    /// Tune by gradient descent with finite differences.
    #[command(after_help = "Example: quarterply tune gradient --params \"futility.*\" --out runs/g")]
    Gradient(Box<RunOrder<methods::Descent>>),
    /// Tune by simultaneous perturbation: games between two neighbours, or positions searched by both.
    #[command(after_help = "Example: quarterply tune spsa --params \"null_move.*\" --out runs/s")]
    Spsa(Box<RunOrder<methods::Perturbation>>),
    /// Tune by covariance matrix adaptation.
    #[command(after_help = "Example: quarterply tune cmaes --params \"null_move.*\" --out runs/c")]
    Cmaes(Box<RunOrder<methods::Evolution>>),
    /// Tune by random search, as a baseline.
    #[command(after_help = "Example: quarterply tune random --quick --out runs/baseline")]
    Random(Box<RunOrder<methods::Draws>>),
    /// Continue an interrupted run; the result is the same as without the interruption.
    #[command(after_help = "Example: quarterply tune resume runs/first")]
    Resume(ResumeArguments),
    /// Show a run, also while another process works on it, and write its report again; show several runs side by side.
    #[command(after_help = "Example: quarterply tune show runs/a runs/b --out runs/compare")]
    Show(ShowArguments),
    /// Convert the result of another tuner (OpenBench, fishtest) to a profile on stdout.
    #[command(after_help = "Example: quarterply tune import spsa.csv > tuned.toml")]
    Import(import::Arguments),
}

/// Runs that exist.
#[derive(clap::Args, Debug)]
struct ShowArguments {
    /// Folders of runs; those whose names differ only in a number at the end are seeds of one experiment.
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Write the page and the plot of several runs into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print only one candidate, as a profile: 1.3 is the third one of the first step.
    #[arg(long, value_name = "STEP.PLACE", conflicts_with = "out")]
    member: Option<Member>,
}

/// Arguments of `tune resume`.
#[derive(clap::Args, Debug)]
struct ResumeArguments {
    /// Folder of the run, as given to --out.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// New path of the suite, if it was moved.
    #[arg(long, value_name = "FILE.epd")]
    suite: Option<PathBuf>,
    /// New path of the hold-out suite, if it was moved [default: --suite, if both are parts of one file].
    #[arg(long, value_name = "FILE.epd")]
    holdout: Option<PathBuf>,
    /// Stop when N games of the whole run were lost by faults [default: as the run was started].
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    faults: Option<u32>,
    #[command(flatten)]
    dialogue: DialogueArguments,
    #[command(flatten)]
    execution: ExecutionArguments,
}

/// The options that all methods have.
#[derive(clap::Args, Debug)]
struct RunArguments {
    /// Folder of the run; it must not exist, or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Tune these parameters: names or patterns; `name=min..max` narrows a range, `-name` excludes one.
    #[arg(long, value_name = "PATTERNS", allow_hyphen_values = true)]
    params: Option<String>,
    /// Use the parameters, limits and profile of a paper.
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,
    /// Tune on this suite [default: the built-in one].
    #[arg(long, value_name = "FILE.epd")]
    suite: Option<PathBuf>,
    /// Tune on N positions of the suite, drawn at random; the other positions of --suite are held out unless --holdout is given.
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    positions: Option<u32>,
    /// Seed of the draw of positions, separate from --seed so that several runs can share the positions.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = SuitePart::SEED, value_parser = count::<u64>(0..))]
    positions_seed: u64,
    /// Suite for the final comparison only [default: the positions of --suite that --positions leaves, or the built-in hold-out].
    #[arg(long, value_name = "FILE.epd")]
    holdout: Option<PathBuf>,
    /// Minimise this objective: first, stable, solved, games, or a blend such as stable=1,games=0.5.
    ///
    /// first counts the nodes until the solution is found, stable those until it remains the best move; solved is the
    /// share of positions that are not solved, games the share of points lost against the start values. The default is
    /// first; for spsa without --suite it is games.
    #[arg(long, value_name = "OBJECTIVE")]
    objective: Option<Objective>,
    /// Nodes per position; 500000 with --preset, 20000 with --quick.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = count::<u64>(1..),
        default_value_ifs([("quick", ArgPredicate::Equals("true".into()), "20000"), ("preset", ArgPredicate::IsPresent, "500000")]))]
    nodes: u64,
    /// End after N nodes in total.
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = count::<u64>(1..))]
    budget_nodes: Option<u64>,
    /// Tune the options of another UCI engine: its command line. --params names options.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["profile", "set", "preset"])]
    engine: Option<String>,
    /// Set an option of that engine to a constant; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", requires = "engine")]
    option: Vec<String>,
    /// Compare candidates on a growing random part of the suite and drop bad ones early.
    #[arg(long)]
    race: bool,
    /// Measure every candidate on the whole suite, as in the papers, without racing (the default).
    #[arg(long, hide_short_help = true, conflicts_with = "race")]
    faithful: bool,
    /// Run a short example, with `ga` of two to three minutes on two cores: 500 built-in positions, the paper's parameters, few nodes.
    #[arg(long)]
    quick: bool,
    /// Size of the transposition table of each worker, in MiB; 4 with --quick.
    #[arg(long, hide_short_help = true, value_name = "MB", default_value = "16", default_value_if("quick", "true", "4"),
        value_parser = count::<usize>(1..=HASH_MAX))]
    hash: usize,
    /// Pairs of games that measure a candidate, for objectives with games; 10 with --quick.
    #[arg(long, hide_short_help = true, value_name = "N", default_value = "50", default_value_if("quick", "true", "10"),
        value_parser = count::<u32>(1..))]
    pairs: u32,
    /// Number of openings, for objectives with games.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = OPENINGS, value_parser = count::<u32>(1..))]
    openings: u32,
    /// Number of game pairs of the final match.
    #[arg(long, hide_short_help = true, value_name = "N", default_value = "100", value_parser = count::<u32>(0..))]
    match_pairs: u32,
    #[command(flatten)]
    moves: GameLimit,
    /// Stop when N games were lost by faults (crashes, illegal moves, time losses); each counts as a loss of the player at fault.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = FAULTS, value_parser = count::<u32>(1..))]
    faults: u32,
    #[command(flatten)]
    dialogue: DialogueArguments,
    #[command(flatten)]
    execution: ExecutionArguments,
}

/// The limit of each move in games.
#[derive(clap::Args, Debug)]
struct GameLimit {
    /// Search N nodes per move in games; 4000 with --quick.
    #[arg(long, hide_short_help = true, value_name = "N", group = "game-limit", default_value = "10000",
        default_value_if("quick", "true", "4000"), value_parser = count::<u64>(1..))]
    move_nodes: u64,
    /// Play games with this time control instead of --move-nodes: seconds per game and side, and seconds per move.
    #[arg(long, value_name = "BASE+INCREMENT", group = "game-limit")]
    tc: Option<TimeControl>,
    /// Search each move in games to depth D, in plies.
    #[arg(long, hide_short_help = true, value_name = "D", group = "game-limit", value_parser = count::<u32>(1..))]
    depth: Option<u32>,
    /// Search SECONDS seconds per move in games.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", group = "game-limit", value_parser = seconds)]
    movetime: Option<Duration>,
}

impl GameLimit {
    /// The limit, if it is not nodes.
    fn other(&self) -> Option<MoveLimit> {
        let by_time = self.movetime.map(|time| Pace::Movetime { time, margin: Duration::ZERO });
        let pace = self.tc.map(Pace::Clock).or(self.depth.map(Pace::Depth)).or(by_time)?;
        Some(MoveLimit(pace.with_margin(MARGIN)))
    }
}

/// Complete settings.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Preset {
    /// The 18 parameters and limits of "Optimizing Selective Search in Chess", 2010, on profile falcon.
    Paper,
    /// The four extensions of "Learning Control of Search Extensions", 2002, on profile falcon.
    Extensions,
}

/// Runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    match arguments.action {
        TuneAction::Resume(_) => common.refuse_other_settings()?,
        TuneAction::Show(_) => common.refuse_parameters("a run stores its parameters in its folder")?,
        _ => {}
    }
    let _log = open_log(common, &arguments.action)?;
    let begun = match &arguments.action {
        TuneAction::Ga(order) => begin(common, order)?,
        TuneAction::Gradient(order) => begin(common, order)?,
        TuneAction::Spsa(order) => begin(common, order)?,
        TuneAction::Cmaes(order) => begin(common, order)?,
        TuneAction::Random(order) => begin(common, order)?,
        TuneAction::Resume(ResumeArguments { folder, suite, holdout, faults, execution, .. }) => {
            let options = ExecutionOptions { faults: *faults, ..execution_options(common)? };
            let plan = TuningPlan::read(folder).map_err(Failure::input)?;
            if !execution.is_given() {
                warn_of_load(common, plan.pace().is_timed(), options.workers);
            }
            let engine = plan.engine.as_ref().map(|engine| engine.command.as_str());
            let execution = open_execution(execution, folder, false, engines(execution, engine)?)?;
            let run = TuningRun::resume(folder, suite.as_deref(), holdout.as_deref(), &options).map_err(refused)?;
            OpenRun { run, folder, workers: options.workers, execution }
        }
        TuneAction::Show(ShowArguments { folders, out, member }) => match (&folders[..], member) {
            ([folder], Some(member)) => return show::member(common, folder, *member),
            (_, Some(_)) => {
                refuse!("cannot print a candidate of several runs; give one folder with --member");
            }
            ([folder], None) if out.is_none() => look(common, folder)?,
            (several, None) => return show::compare(common, several, out.as_deref()),
        },
        TuneAction::Import(arguments) => return import::run(common, arguments),
    };
    drive(common, begun)
}

/// The log of an engine that is tuned.
fn open_log(common: &Common, action: &TuneAction) -> Result<OpenDialogue, Failure> {
    let RunArguments { dialogue, engine, suite, .. } = match action {
        TuneAction::Ga(order) => &order.run,
        TuneAction::Gradient(order) => &order.run,
        TuneAction::Spsa(order) => &order.run,
        TuneAction::Cmaes(order) => &order.run,
        TuneAction::Random(order) => &order.run,
        TuneAction::Resume(resume) => return resume.dialogue.open(common, &resume.suite),
        TuneAction::Show(_) | TuneAction::Import(_) => return Ok(OpenDialogue),
    };
    dialogue.require_engine(engine.as_ref(), "--engine CMD")?;
    dialogue.open(common, suite)
}

/// An open run and its folder.
struct OpenRun<'a> {
    run: TuningRun<'static>,
    folder: &'a Path,
    workers: usize,
    execution: Execution,
}

/// Begins a run in a new folder.
fn begin<'a>(common: &Common, order: &'a RunOrder<impl OptimiserArguments>) -> Result<OpenRun<'a>, Failure> {
    let RunArguments { out: folder, execution, engine, .. } = &order.run;
    TuningFolder::require_free(folder).map_err(Failure::input)?;
    let plan = plan::make(common, order)?;
    // A file in the folder of the run is checked when the folder exists.
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if common.json_file().is_some_and(|path| whole(path).parent() != Some(&whole(folder))) {
        drop(JsonLines::open(common, show::files(folder, &plan))?);
    }
    let options = execution_options(common)?;
    if !execution.is_given() {
        warn_of_load(common, plan.pace().is_timed(), options.workers);
    }
    // A server that cannot be reached must not leave a folder behind.
    let execution = open_execution(execution, folder, true, engines(execution, engine.as_deref())?)?;
    let run = TuningRun::begin(folder, plan, &options).map_err(refused)?;
    Ok(OpenRun { run, folder, workers: options.workers, execution })
}

/// Why a run cannot be opened: wrong input, or a full disk.
fn refused(error: TuneError) -> Failure {
    let is_full = matches!(&error, TuneError::Place(_, reason) | TuneError::File(_, reason) if is_full(reason));
    match error {
        TuneError::Journal(error) => error.into(),
        error if is_full => Failure::run(error),
        error => Failure::input(error),
    }
}

/// The other engine that is tuned, for workers elsewhere.
fn engines(execution: &ExecutionArguments, command: Option<&str>) -> Result<Vec<EngineIdentity>, Failure> {
    let Some(command) = command.filter(|_| execution.is_given()) else { return Ok(Vec::new()) };
    let launch = Launch::parse(command).map_err(Failure::input)?;
    let wrong = |reason: String| Failure::Input(miette!("cannot tune `{command}` with workers: {reason}"));
    Ok(vec![identity(&launch).map_err(wrong)?])
}

/// The place where the measurements are made.
fn open_execution(
    arguments: &ExecutionArguments,
    folder: &Path,
    fresh: bool,
    engines: Vec<EngineIdentity>,
) -> Result<Execution, Failure> {
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let run = execution::RunIdentity {
        title: format!("tune {}", folder.display()),
        identity: format!("tune\n{}", path.display()),
        fresh,
        log: None,
    };
    arguments.open_for(&run, engines)
}

/// Opens a run to show it.
fn look<'a>(common: &Common, folder: &'a Path) -> Result<OpenRun<'a>, Failure> {
    let run = TuningRun::open_read_only(folder).map_err(Failure::input)?;
    if !common.quiet {
        say!("{} measurements in the journal", grouped(run.measured() as u64));
    }
    Ok(OpenRun { run, folder, workers: 0, execution: Execution::here() })
}

/// Continues a run to its end and prints the results.
fn drive(common: &Common, OpenRun { run, folder, workers, mut execution }: OpenRun<'_>) -> CommandResult {
    let plan = run.plan().clone();
    let json = JsonLines::open(common, show::files(folder, &plan))?;
    let mut watch = watch::TuneDisplay::new(common, &plan, workers);
    execution.set_log(&folder.join(WORKERS))?;
    watch.line.show_workers(&execution);
    let mut run: TuningRun<'_> = run;
    if let Some(executor) = execution.remote() {
        run.set_executor(executor).map_err(Failure::input)?;
    }
    let ended = run.drive(&mut |event| watch.see(&event));
    watch.line.end();
    execution.close(ended.is_ok())?;
    match ended {
        Ok(summary) => show::run(common, folder, &plan, &summary, watch.progress(), json),
        Err(TuneError::Stopped) => {
            say!("stopped; continue with `quarterply tune resume {}`", folder.display());
            Ok(interrupt::code())
        }
        Err(error) => Err(Failure::run(error)),
    }
}

/// The number of workers and a stop signal. Ctrl-C sets the signal, a second one ends the program.
fn execution_options(common: &Common) -> Result<ExecutionOptions, Failure> {
    let stop = interrupt::listen(|| {
        say!(
            "stopping: running measurements are abandoned and repeated by `tune resume` (press Ctrl-C again to end at once)"
        );
    })?;
    Ok(ExecutionOptions { workers: common.worker_count(), stop, faults: None })
}
