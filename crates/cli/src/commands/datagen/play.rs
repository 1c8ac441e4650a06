//! Playing: a new run, or the rest of an old one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use miette::miette;
use quarterply_datagen::folder::{SHARD_MAX, ShardPlan, Writer};
use quarterply_datagen::genfens::{BOOK_PLIES, range};
use quarterply_datagen::play::tables_of;
use quarterply_datagen::produce::Production;
use quarterply_datagen::replay::Filter;
use quarterply_datagen::run::{DatagenSummary, RunError, Totals, run};
use quarterply_datagen::settings::{DataOrigin, DatagenGoal, DatagenSettings, Openings};
use quarterply_engine::words::grouped;
use quarterply_files::bench::DEPTH_DEFAULT;
use quarterply_games::game::adjudicate::{DrawByScore, WinByScore};
use quarterply_games::openings::BUILTIN;
use quarterply_window::words::several;
use quarterply_work::WorkError;
use serde_json::json;

use super::live::DatagenDisplay;
use crate::background::lower_priority;
use crate::common::Common;
use crate::execution::{self, ExecutionArguments, WORKERS};
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::HASH_MAX;
use crate::numbers::{count, positive, share};

/// Bytes in the unit of --shard-size and --file-size.
pub const MEBIBYTE: u64 = 1 << 20;
/// Most MiB of a shard.
pub const SHARD_SIZE_MAX: u64 = 1 << 20;

/// A new run.
#[derive(clap::Args, Debug)]
pub struct Begin {
    /// Folder for the games; it must not hold a run.
    #[arg(long, hide_short_help = true, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
    // Before the groups of options, whose headings hold for all arguments after them.
    /// Run at the lowest priority, so that other programs are hardly slowed down.
    #[arg(long)]
    background: bool,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    how: PlayArguments,
    #[command(flatten)]
    files: ShardArguments,
    #[command(flatten)]
    execution: ExecutionArguments,
}

/// Lowers the priority with --background; prints a warning if that is not possible.
fn lower_priority_if(background: bool) {
    if background && let Err(error) = lower_priority() {
        say!("warning: cannot lower the priority: {error}");
    }
}

/// How much is played: at least one of these.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "How much (the first that is reached ends the run)")]
struct Extent {
    /// Stop when the folder holds N games.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    games: Option<u64>,
    /// Stop when the folder holds N positions that pass the default filter.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    positions: Option<u64>,
    /// Stop H hours from now.
    #[arg(long, value_name = "H", value_parser = positive)]
    hours: Option<f64>,
}

impl Extent {
    fn goal(&self) -> DatagenGoal {
        DatagenGoal { games: self.games, positions: self.positions, hours: self.hours }
    }

    fn is_given(&self) -> bool {
        self.goal() != DatagenGoal::default()
    }

    /// The same as arguments.
    fn arguments(&self) -> String {
        let counts = [("games", self.games), ("positions", self.positions)];
        let counts = counts.into_iter().filter_map(|(name, count)| Some(format!(" --{name} {}", count?)));
        counts.chain(self.hours.map(|hours| format!(" --hours {hours}"))).collect()
    }
}

/// How games are played.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "How games are played")]
struct PlayArguments {
    /// Start no new iteration of a search after N nodes.
    #[arg(long, value_name = "N", default_value_t = DatagenSettings::default().soft_nodes, value_parser = count::<u64>(1..))]
    nodes: u64,
    /// Stop a search after N nodes, even within an iteration [default: 8 times --nodes].
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = count::<u64>(1..))]
    hard_nodes: Option<u64>,
    /// Draw start positions from this EPD or PGN book, with equal probability [default: `builtin`, the initial position].
    #[arg(long, value_name = "FILE")]
    openings: Option<String>,
    /// Start with random plies, their number drawn from this range [default: 8..9, after a book position 4..5].
    #[arg(long, hide_short_help = true, value_name = "N|MIN..MAX", value_parser = parse_plies)]
    random_plies: Option<(u32, u32)>,
    /// Draw another opening if the first search scores it above CP centipawns for either side.
    #[arg(long, hide_short_help = true, value_name = "CP", default_value_t = DatagenSettings::default().opening_score, value_parser = count::<i32>(0..))]
    opening_score: i32,
    /// Play this share of the moves after the opening at random if the best move is quiet; the score of the best
    /// move is stored.
    #[arg(long, hide_short_help = true, value_name = "SHARE", default_value = "0", value_parser = share)]
    random_moves: f64,
    /// Adjudicate a win when both sides report at least this score (centipawns) for this number of moves each, or `none`.
    #[arg(long, hide_short_help = true, value_name = "RULE", default_value = "moves=2 score=1750")]
    adjudicate_score: OrNone<WinByScore>,
    /// Adjudicate a draw when, after this move number, both sides report at most this score (centipawns) for this number of moves each, or `none`.
    #[arg(long, hide_short_help = true, value_name = "RULE", default_value = "after=35 moves=6 score=4")]
    adjudicate_draw: OrNone<DrawByScore>,
    /// Use the Syzygy tables in these directories, in the search and for adjudication.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    syzygy: Option<String>,
    /// Size of the transposition table of each worker, in MiB; the table is cleared before each game.
    #[arg(long, hide_short_help = true, value_name = "MB", default_value_t = DatagenSettings::default().hash as u64, value_parser = count::<u64>(1..=HASH_MAX))]
    hash: u64,
    /// Depth in plies of the bench whose node count is stored in the files as the signature of the search.
    #[arg(long, hide_short_help = true, value_name = "D", default_value_t = DEPTH_DEFAULT, value_parser = count::<u32>(1..))]
    bench_depth: u32,
}

/// How files are written.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Files")]
struct ShardArguments {
    /// Close a shard before it exceeds MB MiB.
    #[arg(long, hide_short_help = true, value_name = "MB", default_value_t = SHARD_MAX / MEBIBYTE, value_parser = count::<u64>(1..=SHARD_SIZE_MAX))]
    shard_size: u64,
}

impl ShardArguments {
    /// Most bytes of a shard.
    fn bytes(&self) -> u64 {
        self.shard_size * MEBIBYTE
    }

    /// The same as an argument; empty for the default.
    fn arguments(&self) -> String {
        if self.bytes() == SHARD_MAX { String::new() } else { format!(" --shard-size {}", self.shard_size) }
    }
}

/// The command that continues a run, in backquotes.
fn resume_command(folder: &Path, extent: Option<&Extent>, files: &ShardArguments) -> String {
    let extent = extent.map_or_else(String::new, Extent::arguments);
    format!("`quarterply datagen resume {}{extent}{}`", folder.display(), files.arguments())
}

/// The rest of a run.
#[derive(clap::Args, Debug)]
pub struct Resume {
    /// Folder of the run, as given to --out.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Continue although the program, its search or its evaluation has changed since the start; a new shard records the change.
    #[arg(long)]
    accept_new_program: bool,
    /// Run at the lowest priority, so that other programs are hardly slowed down.
    #[arg(long)]
    background: bool,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    files: ShardArguments,
    #[command(flatten)]
    execution: ExecutionArguments,
}

/// A rule, or `none`.
#[derive(Clone, Copy, Debug)]
struct OrNone<T>(Option<T>);

impl<T: FromStr> FromStr for OrNone<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<OrNone<T>, T::Err> {
        Ok(OrNone(if text == "none" { None } else { Some(text.parse()?) }))
    }
}

fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    range(text).ok_or_else(|| "give a number of plies, or a range such as 8..9".to_owned())
}

/// Name, version and commit of this program.
pub fn program() -> String {
    format!("{} {} ({})", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"), env!("QUARTERPLY_COMMIT"))
}

fn settings(common: &Common, how: &PlayArguments) -> Result<DatagenSettings, Failure> {
    let parameters = common.parameters()?;
    let usual = DatagenSettings::default();
    let book = how.openings.as_deref().filter(|name| *name != BUILTIN);
    let openings = book.map(Openings::of).transpose().map_err(Failure::input)?;
    let openings = openings.map(|(openings, skipped)| {
        for bad in skipped.iter().filter(|_| !common.quiet) {
            say!("warning: {bad}");
        }
        openings
    });
    let plies = if openings.is_some() { BOOK_PLIES } else { (usual.random_min, usual.random_max) };
    let (random_min, random_max) = how.random_plies.unwrap_or(plies);
    let settings = DatagenSettings {
        seed: common.seed,
        random_min,
        random_max,
        openings,
        opening_score: how.opening_score,
        random_moves: how.random_moves,
        soft_nodes: how.nodes,
        nodes: how.hard_nodes.unwrap_or(how.nodes.saturating_mul(DatagenSettings::HARD_FACTOR)),
        win: how.adjudicate_score.0,
        draw: how.adjudicate_draw.0,
        syzygy: how.syzygy.clone(),
        hash: how.hash as usize,
        ..usual
    };
    let settings = settings.with_parameters(&parameters);
    settings.check().map_err(Failure::input)?;
    Ok(settings)
}

/// Begins a run.
pub fn begin(common: &Common, arguments: &Begin) -> CommandResult {
    let Some(folder) = &arguments.out else {
        refuse!("cannot start: no folder for the games is given; name it with --out");
    };
    if !arguments.extent.is_given() {
        refuse!("cannot start: no goal is given; give --games N, --positions N or --hours H");
    }
    let settings = settings(common, &arguments.how)?;
    lower_priority_if(arguments.background);
    let parameters = settings.parameters().map_err(Failure::input)?;
    // Before the folder is made: what cannot be played should leave nothing behind.
    tables_of(&settings).map_err(Failure::input)?;
    let origin = DataOrigin::here(&program(), &parameters, arguments.how.bench_depth);
    let plan = ShardPlan { origin, settings, goal: arguments.extent.goal() };
    let json = JsonLines::open(common, NO_INPUT)?;
    let writer = Writer::create(folder, &plan, arguments.files.bytes())?;
    // The goal is in the headers of the run.
    let again = resume_command(folder, None, &arguments.files);
    let state = RunState { goal: plan.goal, so_far: Totals::default(), fresh: true, again, json };
    drive(common, folder, writer, state, &arguments.execution)
}

/// Continues a run.
pub fn resume(common: &Common, arguments: &Resume) -> CommandResult {
    let folder = &arguments.folder;
    common.refuse_other_settings()?;
    let header = Writer::last_header(folder).map_err(Failure::input)?;
    if header.settings.relabelled.is_some() {
        // Sampled positions that were labelled again have the settings of both commands.
        let command = if header.settings.sampling.is_some() {
            "the command that started it, `datagen sample` or `datagen relabel`"
        } else {
            "`datagen relabel`"
        };
        refuse!("cannot resume `{}`: its games come from another run; continue it with {command}", folder.display());
    }
    lower_priority_if(arguments.background);
    let parameters = header.settings.parameters().map_err(Failure::input)?;
    let origin = DataOrigin::here(&program(), &parameters, header.origin.bench_depth);
    let goal = if arguments.extent.is_given() { arguments.extent.goal() } else { header.goal };
    let json = JsonLines::open(common, NO_INPUT)?;
    let mut totals = Totals::default();
    let (writer, dropped) =
        Writer::resume(folder, &origin, arguments.accept_new_program, arguments.files.bytes(), &mut |game, file| {
            let kept = Filter::DEFAULT.count(game).map_err(|error| error.in_file(file))?;
            totals.add(game, kept);
            Ok(())
        })?;
    if let Some(dropped) = dropped {
        // Also with --quiet: it is a warning.
        say!("warning: {dropped}");
    }
    if !common.quiet {
        say!("continuing after {}", several(totals.games, "game"));
    }
    let is_reached = |goal: Option<u64>, so_far: u64| goal.is_some_and(|goal| so_far >= goal);
    if is_reached(goal.games, totals.games) || is_reached(goal.positions, totals.kept) {
        say!("the goal of the run is reached; give a larger --games or --positions to continue it");
    }
    let again = resume_command(folder, Some(&arguments.extent), &arguments.files);
    drive(common, folder, writer, RunState { goal, so_far: totals, fresh: false, again, json }, &arguments.execution)
}

/// The state of a run.
struct RunState {
    goal: DatagenGoal,
    so_far: Totals,
    /// True if the run begins now.
    fresh: bool,
    /// The command that continues it.
    again: String,
    /// The target of --json.
    json: JsonLines,
}

/// Plays until the goal is reached or the user stops the run.
fn drive(
    common: &Common,
    folder: &Path,
    mut writer: Writer,
    state: RunState,
    at: &ExecutionArguments,
) -> CommandResult {
    let RunState { goal, so_far, fresh, again, json } = state;
    let settings = serde_json::to_string(&writer.header().settings).unwrap_or_default();
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut execution = at.open(&execution::RunIdentity {
        title: format!("datagen {}", path.display()),
        identity: format!("datagen\n{}\n{settings}", path.display()),
        fresh,
        log: Some(folder.join(WORKERS)),
    })?;
    let mut live = DatagenDisplay::new(common, goal, so_far);
    live.line.show_workers(&execution);
    let stop = live.line.stop_signal(STOPPING)?;
    let (workers, say, tables) =
        (common.worker_count(), live.line.message_printer(), tables_of(&writer.header().settings));
    let tables = tables.map_err(Failure::input)?;
    let mut executor = execution.executor(|| Production::threads(workers, tables));
    let see = &mut |totals: &Totals| live.show(totals);
    let ended = run(&mut writer, goal, so_far, executor.as_mut(), &stop, &say, see);
    drop(executor);
    live.line.end();
    let here = execution.is_here().then_some(workers);
    execution.close(ended.as_ref().is_ok_and(|summary| reached(&goal, &summary.all)))?;
    conclude(json, (FolderContents::Games, folder, &again), ended, here)
}

/// Returns true if nothing is left to play.
fn reached(goal: &DatagenGoal, all: &Totals) -> bool {
    goal.games.is_some_and(|games| all.games >= games) || goal.positions.is_some_and(|count| all.kept >= count)
}

/// The contents of a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderContents {
    /// Games.
    Games,
    /// Slots of positions from search trees, which have no results.
    Slots,
}

impl FolderContents {
    fn describe(self, totals: &Totals) -> String {
        let [white, drawn, black] = [totals.white, totals.draws, totals.black].map(grouped);
        match self {
            FolderContents::Games => {
                format!("{} ({white} white, {drawn} drawn, {black} black)", several(totals.games, "game"))
            }
            FolderContents::Slots => several(totals.games, "slot"),
        }
    }

    fn for_programs(self, totals: &Totals) -> serde_json::Value {
        let count = totals.games;
        let mut value = match self {
            FolderContents::Games => {
                json!({ "games": count, "white": totals.white, "draws": totals.draws, "black": totals.black })
            }
            FolderContents::Slots => json!({ "slots": count }),
        };
        value["positions"] = totals.moves.into();
        value["kept"] = totals.kept.into();
        value
    }

    fn name(self) -> &'static str {
        match self {
            FolderContents::Games => "game",
            FolderContents::Slots => "slot",
        }
    }
}

/// Prints the results of a run, and the `command` that continues it if it was stopped. Only the workers of this process are counted: the
/// number of the others changes.
pub fn conclude(
    mut json: JsonLines,
    (contents, folder, command): (FolderContents, &Path, &str),
    ended: Result<DatagenSummary, RunError>,
    workers: Option<usize>,
) -> CommandResult {
    let summary = ended.map_err(|error| match error {
        RunError::Play(error) => Failure::input(error),
        RunError::Work(error @ WorkError::Refused(_)) => Failure::input(error),
        RunError::Data(error) => Failure::Run(miette!("{error}; all games written before are kept")),
        error => Failure::run(error),
    })?;
    json.print(&describe((contents, folder, command), &summary, workers))?;
    json.write(&for_programs(contents, &summary, workers))?;
    json.close()?;
    Ok(if summary.stopped { interrupt::code() } else { ExitCode::SUCCESS })
}

/// The answer to Ctrl-C.
pub const STOPPING: &str = "stopping; the workers finish their games";

/// Per cent.
const PERCENT: f64 = 100.0;

fn describe(
    (contents, folder, command): (FolderContents, &Path, &str),
    summary: &DatagenSummary,
    workers: Option<usize>,
) -> String {
    let DatagenSummary { all, added, time, .. } = summary;
    let remedy = if summary.stopped { format!("; {command} continues it") } else { String::new() };
    let workers = match workers {
        None => "remote thread".to_owned(),
        Some(count) => format!("worker ({})", several(count as u64, "worker")),
    };
    format!(
        "{}: {}, {}, {} after the default filter\n\
         added {}, {} positions after the filter, in {:.1} s: {:.0} positions per second, {:.0} per second and {workers}\n\
         {:.1} % of the workers' time in searches{remedy}",
        folder.display(),
        contents.describe(all),
        several(all.moves, "position"),
        grouped(all.kept),
        several(added.games, contents.name()),
        grouped(added.kept),
        time.as_secs_f64(),
        added.kept as f64 / time.as_secs_f64().max(f64::EPSILON),
        summary.kept_rate(),
        PERCENT * summary.search_share(),
    )
}

fn for_programs(contents: FolderContents, summary: &DatagenSummary, workers: Option<usize>) -> serde_json::Value {
    json!({
        "all": contents.for_programs(&summary.all),
        "added": contents.for_programs(&summary.added),
        "workers": workers,
        "seconds": summary.time.as_secs_f64(),
        "worker_seconds": summary.working.as_secs_f64(),
        "search_share": summary.search_share(),
        "kept_per_worker_second": summary.kept_rate(),
        "stopped": summary.stopped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct ResumeCommand {
        #[command(flatten)]
        resume: Resume,
    }

    /// The headers of the run hold the first goal and not the size of shards.
    #[test]
    fn the_resume_command_repeats_extent_and_shard_size() {
        for options in [
            "",
            " --games 1000",
            " --positions 5000000 --shard-size 8",
            " --games 5 --positions 70 --hours 1.5 --shard-size 2",
        ] {
            let words = format!("resume data/first{options}");
            let line = ResumeCommand::try_parse_from(words.split(' ')).expect(options);
            let Resume { folder, extent, files, .. } = &line.resume;
            let again = resume_command(folder, Some(extent), files);
            assert_eq!(again, format!("`quarterply datagen resume data/first{options}`"));
        }
    }
}
