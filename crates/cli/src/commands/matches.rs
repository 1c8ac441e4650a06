//! `quarterply match`: games between profiles of this engine and any other engines.

mod live;
mod page;
pub mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use miette::miette;
use quarterply_engine::tablebase::Tablebase;
use quarterply_files::draft::{Draft, is_same};
use quarterply_games::game::adjudicate::{Adjudication, DrawByScore, WinByScore};
use quarterply_games::game::{Pace, TimeControl};
use quarterply_games::matches::summary::MatchSummary;
use quarterply_games::matches::{
    self, End, GamesFileError, MatchError, MatchEvent, MatchFiles, MatchOutcome, MatchPlan, OpeningSupply, Pairs,
    Specs, Stop, TournamentFormat,
};
use quarterply_games::openings::{BUILTIN, BookOrder, OpeningSource, Options};
use quarterply_games::players::{OVERHEAD_MAX, PlayerDefaults, Spec, Timeouts};
use quarterply_stats::Sprt;
use quarterply_work::{EngineIdentity, WorkError};
use serde_json::json;

use crate::common::{Common, command_line};
use crate::dialogue::DialogueArguments;
use crate::execution::{self, Execution, ExecutionArguments};
use crate::export::{JsonLines, NO_INPUT, create, has_page, refuse_dash, refuse_same};
use crate::failure::{CommandResult, Failure};
use crate::limits::HASH_MAX;
use crate::numbers::{count, seconds};
use crate::progress::ProgressLine;
use crate::{interrupt, screen};
use live::MatchDisplay;
pub use page::MatchProgress;

/// Maximum number of random plies.
const BUILTIN_PLIES_MAX: usize = 40;
/// Maximum number of plies of an opening: almost no game is longer.
const OPENING_PLIES_MAX: u64 = 1_000;

/// Players, number of games, time control, openings and stopping rules.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    #[command(flatten)]
    pub players: PlayerArguments,
    #[command(flatten)]
    pub extent: Extent,
    #[command(flatten)]
    pub limit: Limit,
    #[command(flatten)]
    pub start: Start,
    #[command(flatten)]
    pub adjudication: AdjudicationArguments,
    #[command(flatten)]
    pub results: Results,
    #[command(flatten)]
    pub dialogue: DialogueArguments,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

/// The players.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Players")]
pub struct PlayerArguments {
    /// A player; give two or more.
    ///
    /// A profile of this engine (built in, or a TOML file) plays in this process; `cmd:` starts a UCI engine, `xboard:` an engine with
    /// the xboard protocol. Words after the program are its arguments. Settings follow: name=NAME, option.NAME=VALUE (any option of
    /// the engine), dir=DIRECTORY, set.RULE.PARAMETER=VALUE (profiles), and tc=BASE+INCREMENT, movetime=SECONDS, nodes=N or depth=D
    /// for another limit than that of the other players. Put a setting or an argument with spaces in quotation marks of the other
    /// kind: 'cmd:toga2 "option.NullMove Pruning=Never"'.
    #[arg(long = "player", value_name = "PLAYER", required = true)]
    pub players: Vec<Spec>,
    /// Size of the transposition table of each player, in MiB; option.Hash of a player overrides it.
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = count::<u64>(1..=HASH_MAX))]
    pub hash: u64,
    /// Number of search threads of each player.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = count::<u64>(1..=1024))]
    pub threads: u64,
    /// Time reserve of players for each move, in milliseconds (the option Move Overhead, if they have it).
    #[arg(long, hide_short_help = true, value_name = "MS", value_parser = count::<u64>(0..=OVERHEAD_MAX as u64))]
    pub overhead: Option<u64>,
    /// Pass these directories of Syzygy tables to the players.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub syzygy: Option<String>,
}

/// Number of games.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Games")]
pub struct Extent {
    /// Pair the players: gauntlet (the first player against each of the others) or round-robin (everyone against everyone).
    #[arg(long, value_name = "FORMAT", default_value = "gauntlet")]
    pub format: TournamentFormat,
    /// Play N games of each pairing, an even number: every opening is played twice with colours swapped.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = games)]
    pub games: usize,
    /// Play N pairs of games at the same time; results do not depend on it, but games with a clock need a core each.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=1024))]
    pub concurrency: Option<u64>,
    /// Stop a pairing as soon as this sequential test decides it, such as `elo0=0 elo1=5`; with model=normalized
    /// the bounds are normalized Elo.
    #[arg(long, value_name = "TEST")]
    pub sprt: Option<Sprt>,
}

/// The limit of each move.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limit of each move (one of them)")]
pub struct Limit {
    /// Time control: seconds per game and side, and seconds per move.
    #[arg(long, value_name = "BASE+INCREMENT", default_value = "8+0.08", group = "limit")]
    pub tc: TimeControl,
    /// Search N nodes per move instead of using a clock; games between profiles then repeat exactly on any machine.
    #[arg(long, value_name = "N", group = "limit", value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Search each move to depth D, in plies, instead of using a clock.
    #[arg(long, value_name = "D", group = "limit", value_parser = count::<u32>(1..))]
    pub depth: Option<u32>,
    /// Search SECONDS seconds per move instead of using a clock.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", group = "limit", value_parser = seconds)]
    pub movetime: Option<Duration>,
    /// Abort an engine's search after SECONDS if no clock is running; it has 5 s more to answer `stop` [default: 20 times the
    /// time expected from its speed].
    #[arg(long, hide_short_help = true, value_name = "SECONDS", value_parser = count::<u64>(1..=super::solve::TIMEOUT_MAX))]
    pub timeout: Option<u64>,
    /// Tolerance of clocks in milliseconds, for delays of pipes and of a busy machine.
    #[arg(long, hide_short_help = true, value_name = "MS", default_value_t = 50, value_parser = count::<u64>(0..))]
    pub margin: u64,
}

/// The openings.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Openings")]
pub struct Start {
    /// Use the openings `builtin` (random and balanced, by --seed) or a book in EPD or PGN.
    #[arg(long, value_name = "FILE|builtin", default_value = BUILTIN)]
    pub openings: String,
    /// Order of the openings of a book: sequential, or random by --seed.
    #[arg(long, hide_short_help = true, value_name = "ORDER", default_value = "sequential", value_parser = ["sequential", "random"])]
    pub opening_order: String,
    /// Skip the first N openings, to continue where another match ended.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0, value_parser = count::<usize>(0..))]
    pub opening_start: usize,
    /// Plies of the openings: random ones of `builtin` [default: 8], or the first ones of the games of a PGN book
    /// [default: all].
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = count::<usize>(0..=OPENING_PLIES_MAX))]
    pub opening_plies: Option<usize>,
    /// Play Chess960: `builtin` also draws the first rank.
    #[arg(long, hide_short_help = true)]
    pub chess960: bool,
}

/// Adjudication.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Ending games early")]
pub struct AdjudicationArguments {
    /// Adjudicate a win when both players report at least this score (centipawns) for this number of moves, such as
    /// `moves=4 score=600`.
    #[arg(long, hide_short_help = true, value_name = "RULE")]
    pub adjudicate_score: Option<WinByScore>,
    /// Adjudicate a draw when, after this move number, both players report at most this score (centipawns) for this number of
    /// moves, such as `after=40 moves=8 score=10`.
    #[arg(long, hide_short_help = true, value_name = "RULE")]
    pub adjudicate_draw: Option<DrawByScore>,
    /// Adjudicate games by the Syzygy tables in these directories.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub adjudicate_syzygy: Option<String>,
}

/// Files of results.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Results")]
pub struct Results {
    /// Write the games to this file.
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Write the result as an HTML page: tables, Elo and test over time, game endings, workers.
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Continue the match whose journal is the file of --json, or start it if the file does not exist.
    #[arg(long)]
    pub resume: bool,
}

const AFTER: &str = "\
--json FILE is the journal: the settings, then one line for each finished pair, written before the next pair begins. \
A match that is killed loses only the running pairs, and --resume continues it. --json - writes the lines to stdout instead.

The match ends with a table on stdout. Elo is against the opponents of the match, with a 95 % interval from pairs of games. \
Ctrl-C ends the match with the table so far and exit code 130; a second one ends it at once.

Examples:
  quarterply match --player default --player \"default set.singular.on=false\" --nodes 20000 --games 400 --concurrency 2
  quarterply match --player default --player \"cmd:toga2 name=Toga option.Hash=64\" --tc 2+0.02 --json out.jsonl --resume
  quarterply match --player default --player \"xboard:gnuchess --xboard\" --tc 2+0.02
  quarterply match --player new.toml --player default --games 20000 --sprt \"elo0=0 elo1=5\" --json test.jsonl --pgn test.pgn
  quarterply match --player default --player classic --player falcon --format round-robin --depth 6 --games 20";

pub(super) fn games(text: &str) -> Result<usize, String> {
    match count::<usize>(0..)(text) {
        Ok(count) if count > 0 && count.is_multiple_of(2) => Ok(count),
        Ok(count) if count > 0 => Err(format!(
            "expected an even number such as {} or {}: every opening is played twice",
            count - 1,
            count + 1
        )),
        _ => Err("expected an even number such as 400".to_owned()),
    }
}

/// Plays the match; exit code 130 if it was interrupted.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    if common.profile.is_some() || !common.set.is_empty() {
        refuse!(
            "cannot use --profile or --set in a match: players have their own settings; write --player \"PROFILE set.RULE.PARAMETER=VALUE\""
        );
    }
    let stop = interrupt::listen(|| say!("ending: running games are abandoned (press Ctrl-C again to end at once)"))?;
    let specs = specs(common, arguments, &stop)?;
    let seed = common.seed;
    let extent = &arguments.extent;
    let mut plan = MatchPlan::new(specs.entrants().map_err(Failure::input)?, extent.games, pace(&arguments.limit));
    plan.paces = specs.paces(Duration::from_millis(arguments.limit.margin));
    plan.format = extent.format;
    plan.sprt = extent.sprt;
    plan.adjudication = adjudication(&arguments.adjudication)?;
    if arguments.execution.is_given() {
        // Before anything is started or written: what cannot be played should leave nothing behind.
        matches::require_portable(&plan, &specs).map_err(Failure::input)?;
    }
    let concurrency = extent.concurrency.map(|count| count as usize);
    let pairs = common.same_number("--concurrency", concurrency, "pairs played at the same time")?;
    plan.workers = pairs.unwrap_or(1);
    let mut source = source(&arguments.start, seed)?;
    plan.settings = settings(arguments, seed, &source);
    if !arguments.execution.is_given() {
        warn_of_load(common, plan.is_timed(), plan.workers * arguments.players.threads as usize);
    }
    warn_of_openings(common, &source, &plan);
    if !draw_unused(common, &mut source, arguments.start.opening_start, &stop) {
        return Ok(interrupt::code());
    }
    let openings = OpeningSupply::new(source);
    let files = files(common, arguments)?;
    let own = files.journal.iter().chain(&files.pgn).chain(&arguments.results.page);
    let _log = arguments.dialogue.open(common, own)?;
    let unused = specs.try_out(openings.get(0).as_ref()).map_err(|error| interrupt::failure(error, &stop))?;
    unused.iter().for_each(|setting| say!("warning: {setting}"));
    if !common.quiet {
        specs.share_mismatches().iter().for_each(|mismatch| say!("warning: {mismatch}"));
    }
    let results = &arguments.results;
    let draft = results.page.as_ref().map(|path| page_draft(common, results, &files, path)).transpose()?;
    let engines = if arguments.execution.is_given() { specs.engines().map_err(Failure::input)? } else { Vec::new() };
    let mut execution = open_execution(arguments, &plan, &files, engines)?;
    let mut progress = MatchProgress::default();
    let setup = MatchSetup { plan: &plan, specs: &Arc::new(specs), files: &files, stop: &stop };
    let outcome = play(common, &setup, openings, &mut execution, &mut progress);
    execution.close(outcome.as_ref().is_ok_and(|outcome| outcome.end != End::Stopped))?;
    let outcome = outcome?;
    if let Some(draft) = draft {
        let workers = worker_log(arguments, &files).map_or_else(Vec::new, |path| execution::shares(&path));
        let page = page::page(&plan, &outcome, &progress, &workers, &command_line());
        draft.finish(page.map_err(Failure::input)?)?;
    }
    finish(common, &plan, &files, &outcome)
}

/// Begins the page. That of an earlier part of the match is replaced; with a new journal there is none.
fn page_draft(common: &Common, results: &Results, files: &MatchFiles, path: &Path) -> Result<Draft, Failure> {
    let is_begun = |journal: &PathBuf| journal.metadata().is_ok_and(|data| data.len() > 0);
    let is_earlier = results.resume && files.journal.as_ref().is_some_and(is_begun) && has_page(path);
    let replacing = Common { overwrite: common.overwrite || is_earlier, ..common.clone() };
    create(&replacing, path, NO_INPUT)
}

/// The file that records the workers: next to the journal, or else next to the page.
fn worker_log(arguments: &Arguments, files: &MatchFiles) -> Option<PathBuf> {
    let main_file = files.journal.as_ref().or(arguments.results.page.as_ref());
    main_file.map(|path| path.with_added_extension("workers"))
}

/// The place where the games are played.
fn open_execution(
    arguments: &Arguments,
    plan: &MatchPlan,
    files: &MatchFiles,
    engines: Vec<EngineIdentity>,
) -> Result<Execution, Failure> {
    let journal = files.journal.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let there = journal.as_ref().is_some_and(|path| path.metadata().is_ok_and(|data| data.len() > 0));
    let players = plan.names().join(" against ");
    let run = execution::RunIdentity {
        title: format!("match {players}"),
        identity: journal.as_ref().map_or_else(execution::unique, |path| format!("match\n{}", path.display())),
        fresh: !(arguments.results.resume && there),
        log: worker_log(arguments, files),
    };
    arguments.execution.open_for(&run, engines)
}

fn specs(common: &Common, arguments: &Arguments, stop: &Stop) -> Result<Specs, Failure> {
    let players = &arguments.players;
    let terms = PlayerDefaults {
        hash: players.hash as usize,
        threads: players.threads as usize,
        overhead: players.overhead.map(Duration::from_millis),
        tables: players.syzygy.clone(),
        timeouts: Timeouts { search_fixed: arguments.limit.timeout.map(Duration::from_secs), ..Timeouts::default() },
        stop: stop.clone(),
        messages: common.messages(),
        texts: None,
    };
    Specs::new(players.players.clone(), terms, &pace(&arguments.limit)).map_err(Failure::input)
}

/// The limit of each move.
fn pace(limit: &Limit) -> Pace {
    let pace = match (limit.nodes, limit.depth, limit.movetime) {
        (Some(nodes), _, _) => Pace::Nodes(nodes),
        (None, Some(depth), _) => Pace::Depth(depth),
        (None, None, Some(time)) => Pace::Movetime { time, margin: Duration::ZERO },
        (None, None, None) => Pace::Clock(limit.tc),
    };
    pace.with_margin(Duration::from_millis(limit.margin))
}

fn adjudication(arguments: &AdjudicationArguments) -> Result<Adjudication, Failure> {
    let open = |path: &String| Tablebase::open(path).map(Arc::new).map_err(Failure::input);
    let tables = arguments.adjudicate_syzygy.as_ref().map(open).transpose()?;
    Ok(Adjudication { win: arguments.adjudicate_score, draw: arguments.adjudicate_draw, tables })
}

/// Contents of the journal in addition to the plan.
fn settings(arguments: &Arguments, seed: u64, source: &OpeningSource) -> serde_json::Map<String, serde_json::Value> {
    let (players, start) = (&arguments.players, &arguments.start);
    let values = [
        ("openings", json!(format!("{}, fingerprint {:016x}", source.name(), source.fingerprint()))),
        ("opening-order", json!(start.opening_order)),
        ("opening-start", json!(start.opening_start)),
        ("opening-plies", json!(start.opening_plies)),
        ("chess960", json!(start.chess960)),
        ("seed", json!(seed)),
        ("margin", json!(arguments.limit.margin)),
        ("hash", json!(players.hash)),
        ("threads", json!(players.threads)),
        ("overhead", json!(players.overhead)),
        ("syzygy", json!(players.syzygy)),
        ("adjudicate-syzygy", json!(arguments.adjudication.adjudicate_syzygy)),
    ];
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Players that wait for a core lose time and games.
pub(super) fn warn_of_load(common: &Common, timed: bool, threads: usize) {
    let cores = available_parallelism().map_or(usize::MAX, usize::from);
    if timed && threads > cores && !common.quiet {
        say!(
            "warning: {threads} threads search at the same time on {cores} cores: players will lose time; play fewer games at the same time"
        );
    }
}

/// Opens the book, or the generator.
fn source(start: &Start, seed: u64) -> Result<OpeningSource, Failure> {
    let order = if start.opening_order == "random" { BookOrder::Random } else { BookOrder::Sequential };
    let options =
        Options { order, seed, start: start.opening_start, plies: start.opening_plies, chess960: start.chess960 };
    if let (true, Some(plies)) = (start.openings == BUILTIN, start.opening_plies)
        && plies > BUILTIN_PLIES_MAX
    {
        refuse!(
            "cannot draw {plies} random plies: few positions are balanced after that many; give --opening-plies {BUILTIN_PLIES_MAX} or less, \
             or a book in PGN with --openings"
        );
    }
    OpeningSource::open(&start.openings, &options).map_err(Failure::input)
}

/// Warns of openings that cannot be read, and of too few.
fn warn_of_openings(common: &Common, source: &OpeningSource, plan: &MatchPlan) {
    if common.quiet {
        return;
    }
    for bad in source.skipped().iter().chain(source.corrected()) {
        say!("warning: {bad}");
    }
    let Some(shortage) = source.shortage(plan.schedule().rounds()) else { return };
    let repeats = !plan.is_timed() && plan.entrants.iter().all(|entrant| !entrant.details.is_empty());
    let games = if repeats { "; games from the same opening will be the same games" } else { "" };
    say!("warning: {shortage}{games}");
}

/// Draws the openings before `--opening-start`, which takes long for thousands. Returns false if the match was interrupted.
fn draw_unused(common: &Common, source: &mut OpeningSource, start: usize, stop: &Stop) -> bool {
    if start == 0 {
        return true;
    }
    let line = ProgressLine::new(common, start as u64, "openings", "{prefix} {pos}/{len} before --opening-start");
    while let Some(left) = source.draw_unused() {
        if stop.is_set() {
            return false;
        }
        line.bar.set_position((start - left) as u64);
    }
    line.bar.finish_and_clear();
    true
}

fn files(common: &Common, arguments: &Arguments) -> Result<MatchFiles, Failure> {
    let results = &arguments.results;
    let existing = common.existing(results.resume, "a match")?;
    let journal = common.json_file().map(PathBuf::from);
    if results.resume && journal.is_none() {
        refuse!("cannot resume: no journal is given; name it with --json FILE");
    }
    let named: Vec<&PathBuf> = journal.iter().chain(&results.pgn).chain(&results.page).collect();
    named.iter().try_for_each(|path| refuse_dash(path))?;
    refuse_same(&named)?;
    let players = arguments.players.players.iter().filter_map(Spec::file);
    let read: Vec<PathBuf> = players.chain([PathBuf::from(&arguments.start.openings)]).collect();
    if let Some(path) = named.iter().find(|path| read.iter().any(|input| is_same(path, input))) {
        refuse!("cannot write to `{}`: the match reads this file; give another one", path.display());
    }
    Ok(MatchFiles { journal, pgn: results.pgn.clone(), existing })
}

/// A match and everything that it is played with.
pub struct MatchSetup<'a> {
    /// Players, number of games and limits.
    pub plan: &'a MatchPlan,
    /// The players.
    pub specs: &'a Arc<Specs>,
    /// Where results go.
    pub files: &'a MatchFiles,
    /// Ends it.
    pub stop: &'a Stop,
}

/// Plays with a live display, until the end or Ctrl-C; `progress` takes note of the pairs that count.
pub fn play(
    common: &Common,
    setup: &MatchSetup<'_>,
    openings: OpeningSupply,
    execution: &mut Execution,
    progress: &mut MatchProgress,
) -> Result<MatchOutcome, Failure> {
    let MatchSetup { plan, specs, files, stop } = *setup;
    let mut live = MatchDisplay::new(common, plan);
    live.line.show_workers(execution);
    let mut executor = execution.executor(|| Pairs::threads(plan, Arc::<Specs>::clone(specs), stop));
    // `--json -`; a file is the journal and not written here.
    let lines = Common { json: common.json.clone().filter(|_| files.journal.is_none()), ..common.clone() };
    let mut json = JsonLines::open(&lines, NO_INPUT)?;
    let mut failed = None;
    let outcome = matches::run(plan, specs.as_ref(), openings, files, stop, executor.as_mut(), &mut |event| {
        live.show(&event);
        if let MatchEvent::Pair { line, standing } = &event {
            progress.add(standing, line);
            if let Err(error) = json.write(line) {
                failed = Some(error);
                stop.set();
            }
        }
    });
    live.line.end();
    if let Ok(outcome) = &outcome
        && outcome.end != End::Stopped
    {
        json.write(&MatchSummary::new(&outcome.standing))?;
        json.close()?;
    }
    match failed {
        Some(error) => Err(error.into()),
        None => outcome.map_err(explain),
    }
}

/// An existing file is an input error; a full disk is a failure of the run.
pub(super) fn explain(error: MatchError) -> Failure {
    match error {
        MatchError::Journal(error) => error.into(),
        MatchError::Games(GamesFileError::Io(file, reason)) if !is_misnamed(&reason) => {
            Failure::Run(miette!("cannot write `{file}`: {reason}; free space, or give another path to --pgn"))
        }
        MatchError::Work(error @ WorkError::Refused(_)) => Failure::input(error),
        // The finished pairs count, and the run can be resumed.
        error @ MatchError::Work(_) => Failure::run(error),
        error => Failure::input(error),
    }
}

/// Returns true if the path is wrong, and not the disk full.
fn is_misnamed(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), IsADirectory | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
}

/// Returns true if a player lost all its games by faults: such a match does not measure its strength.
fn lost_by_faults(outcome: &MatchOutcome) -> bool {
    let standing = &outcome.standing;
    (0..standing.names.len()).any(|player| {
        let (on_time, other) = standing.faults_of(player);
        let (faults, games) = (on_time + other, standing.of(player).games.games());
        let lost = games > 0 && faults as u64 == games;
        if lost {
            say!("{} lost all its games by faults; check that the engine works", standing.names[player]);
        }
        lost
    })
}

/// Prints the result.
fn finish(common: &Common, plan: &MatchPlan, files: &MatchFiles, outcome: &MatchOutcome) -> CommandResult {
    let text = report::report(plan, outcome);
    if common.is_json_on_stdout() {
        say!("{}", text.trim_end());
    } else {
        use std::io::Write as _;
        let mut out = screen::out();
        out.write_all(text.as_bytes())?;
        out.flush()?;
    }
    if outcome.end != End::Stopped {
        return Ok(if lost_by_faults(outcome) { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    if let Some(journal) = &files.journal {
        say!("interrupted; run the same command with --resume to continue from {}", journal.display());
    }
    Ok(interrupt::code())
}
