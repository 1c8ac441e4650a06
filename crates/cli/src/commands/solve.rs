//! `quarterply solve SUITE...`: how many positions are solved, and after how many nodes.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::ArgPredicate;
use miette::miette;
use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::words::grouped;
use quarterply_files::epd::{self, Record, Suite};
use quarterply_games::external::{EngineSetup, UciEngine};
use quarterply_games::players::PlayerDefaults;
use quarterply_games::solver::{Solver, SolverError};
use quarterply_lab::suite::{
    self, HASH_DEFAULT, RunError, Stop, SuiteConditions, SuiteEngine, SuiteRow, SuiteSetup, SuiteSummary, SuiteWorker,
};
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop as Stopping;
use quarterply_uci::settings::threads_max;
use quarterply_window::words::several;
use quarterply_work::{Executor, WorkError};
use shakmaty::Position as _;

use crate::common::{Common, engine_options};
use crate::dialogue::DialogueArguments;
use crate::execution::{Execution, ExecutionArguments, RunIdentity};
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::{DEPTH_MAX, HASH_MAX};
use crate::listing::Listing;
use crate::numbers::count;
use crate::positions::read_suite;
use crate::progress;

/// Nodes per position when nothing else limits the searches.
const NODES_DEFAULT: &str = "200000";

/// Maximum of --timeout: a year, in seconds.
pub(super) const TIMEOUT_MAX: u64 = 365 * 24 * 60 * 60;

/// Arguments of `solve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// EPD files with bm, am, dm or c0 points.
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<PathBuf>,
    /// Search N nodes per position; unlimited if only --movetime or --depth is given.
    #[arg(long, value_name = "N", default_value = NODES_DEFAULT,
        default_value_ifs([("movetime", ArgPredicate::IsPresent, None), ("depth", ArgPredicate::IsPresent, None)]),
        value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Search MS milliseconds per position.
    #[arg(long, value_name = "MS", value_parser = count::<u64>(1..))]
    pub movetime: Option<u64>,
    /// Search each position to depth D, in plies.
    #[arg(long, value_name = "D", value_parser = count::<u32>(1..=DEPTH_MAX))]
    pub depth: Option<u32>,
    /// Use another UCI engine, given by its command line.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["profile", "set"])]
    pub engine: Option<String>,
    /// Set an option of that engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", requires = "engine")]
    pub option: Vec<String>,
    /// Abort a search of that engine after SECONDS; it has 5 s more to answer `stop` [default: 20 times the time expected from its speed].
    #[arg(long, value_name = "SECONDS", requires = "engine", conflicts_with = "movetime", value_parser = count::<u64>(1..=TIMEOUT_MAX))]
    pub timeout: Option<u64>,
    /// Size of the transposition table of each worker, in MiB.
    #[arg(long, value_name = "MB", default_value_t = HASH_DEFAULT, value_parser = count::<usize>(0..=HASH_MAX))]
    pub hash: usize,
    /// Number of search threads of each worker; results repeat exactly only with one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<usize>(1..=threads_max() as u64))]
    pub threads: usize,
    /// Count a position as solved, and end its search, when a solution was best for K iterations in a row.
    #[arg(long, value_name = "K", value_parser = count::<u32>(1..))]
    pub hold: Option<u32>,
    /// End the search of a position as soon as a solution is best in the second iteration or later.
    #[arg(long, conflicts_with = "hold")]
    pub stop_when_found: bool,
    #[command(flatten)]
    pub dialogue: DialogueArguments,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

/// The engine that searches.
enum Engine {
    Own(Box<Parameters>),
    External(Box<EngineSetup>),
}

/// Runs every suite; exit code 1 if a line was skipped or the engine failed, 2 if a file is of no use.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let stop = interrupt::listen(|| say!("stopping: the table so far follows (press Ctrl-C again to end at once)"))?;
    if arguments.execution.is_given() && arguments.engine.is_some() {
        refuse!(
            "cannot use --engine with --nats or --tasks: tasks hold no commands, so another engine searches on this machine only; remove them"
        );
    }
    arguments.dialogue.require_engine(arguments.engine.as_ref(), "--engine CMD")?;
    let conditions = conditions(arguments);
    let suites = arguments.suites.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    let mut json = JsonLines::open(common, &arguments.suites)?;
    let _log = arguments.dialogue.open(common, &arguments.suites)?;
    let engine = choose_engine(common, arguments, &stop)?;
    if !common.quiet {
        say!("{}", describe(&conditions, arguments, &engine));
    }
    let mut execution = open_execution(arguments)?;
    let mut faults = 0;
    let mut ended = Ok(());
    for suite in suites.iter().take_while(|_| !stop.is_set()) {
        let work = SuiteRun { common, suite, conditions: &conditions, stop: &stop };
        let search = SuiteSearch { arguments, engine: &engine, execution: &mut execution };
        match run_suite(&work, search, &mut json) {
            Ok(count) => faults += count,
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        }
    }
    // It cannot be resumed.
    execution.close(true)?;
    ended?;
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    json.close()?;
    Ok(if faults > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The place where positions are searched.
fn open_execution(arguments: &Arguments) -> Result<Execution, Failure> {
    let names: Vec<String> = arguments.suites.iter().map(|path| path.display().to_string()).collect();
    arguments.execution.open(&RunIdentity::once(format!("solve {}", names.join(" "))))
}

fn choose_engine(common: &Common, arguments: &Arguments, stop: &Stopping) -> Result<Engine, Failure> {
    let Some(command) = &arguments.engine else {
        let parameters = common.parameters()?;
        return Ok(Engine::Own(Box::new(parameters)));
    };
    let launch = Launch::parse(command).map_err(Failure::input)?;
    let options = engine_options(&arguments.option)?;
    let &Arguments { hash, threads, .. } = arguments;
    let (stopped, messages) = (stop.clone(), common.messages());
    let defaults = PlayerDefaults { hash, threads, stop: stopped, messages, ..PlayerDefaults::default() };
    let mut setup = EngineSetup { launch, name: None, options, defaults };
    setup.defaults.timeouts.search_fixed = arguments.timeout.map(Duration::from_secs);
    // An engine that cannot be started should cost neither time nor an old result file.
    let engine = UciEngine::start(&setup).map_err(|error| interrupt::failure(error, stop))?;
    let name = setup.launch.label();
    engine.unused_settings.iter().for_each(|setting| say!("warning: {name}: {setting}"));
    drop(engine);
    setup.defaults.timeouts = setup.defaults.timeouts.of_known();
    Ok(Engine::External(Box::new(setup)))
}

fn conditions(arguments: &Arguments) -> SuiteConditions {
    let limits = Limits {
        nodes: arguments.nodes,
        movetime: arguments.movetime.map(Duration::from_millis),
        depth: arguments.depth,
        ..Limits::default()
    };
    let stop = match arguments.hold {
        Some(count) => Stop::Held(count),
        None if arguments.stop_when_found => Stop::WhenFound,
        None => Stop::AtLimit,
    };
    SuiteConditions { limits, stop }
}

/// The conditions of the searches in one line.
fn describe(conditions: &SuiteConditions, arguments: &Arguments, engine: &Engine) -> String {
    let limits = &conditions.limits;
    let mut parts = Vec::new();
    parts.extend(limits.nodes.map(|nodes| format!("{} nodes", grouped(nodes))));
    parts.extend(limits.movetime.map(|time| format!("{} ms", time.as_millis())));
    parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
    let mut text = format!("limit per position: {}", parts.join(", "));
    let [hash, threads] = [("Hash", arguments.hash), ("Threads", arguments.threads)].map(|(name, common)| {
        let Engine::External(setup) = engine else { return common.to_string() };
        let option = setup.options.iter().rfind(|(option, _)| option.eq_ignore_ascii_case(name));
        option.map_or_else(|| common.to_string(), |(_, value)| value.clone())
    });
    text += &format!("; table {hash} MiB, threads {threads}");
    match conditions.stop {
        Stop::AtLimit => {}
        Stop::Held(count) => text += &format!("; stops when a solution was best for {count} iterations in a row"),
        Stop::WhenFound => text += "; stops when found",
    }
    match engine {
        Engine::External(_) => text += &format!("; engine {}", arguments.engine.as_deref().unwrap_or_default()),
        Engine::Own(parameters) if parameters.eval_file != EvalFile::Default => {
            text += &format!("; evaluation {}", parameters.eval_file.identity());
        }
        Engine::Own(_) => {}
    }
    text
}

/// Reads a suite and warns of lines that are left out; a suite with nothing to solve is an error.
pub(super) fn load(path: &std::path::Path) -> Result<Suite, Failure> {
    let suite = read_suite(path)?;
    let file = path.display();
    for record in suite.records.iter().filter(|record| !record.has_task()) {
        say!("warning: {file}:{}: nothing to solve in `{}`; add bm, am, dm or c0 points", record.line, record.fen());
    }
    if !suite.records.iter().any(Record::has_task) {
        refuse!("cannot solve `{file}`: no position has bm, am, dm or c0 points; add them");
    }
    Ok(suite)
}

/// The work on one suite.
struct SuiteRun<'a> {
    common: &'a Common,
    suite: &'a Suite,
    conditions: &'a SuiteConditions,
    stop: &'a Stopping,
}

/// The engine, and the place of its searches.
struct SuiteSearch<'a> {
    arguments: &'a Arguments,
    engine: &'a Engine,
    execution: &'a mut Execution,
}

/// Receives every row in the order of the suite; its `false` ends the run.
type OnRow<'a> = dyn FnMut(&Record, &SuiteRow) -> bool + 'a;

impl SuiteSearch<'_> {
    fn run(self, work: &SuiteRun<'_>, say: &dyn Fn(&str), on_row: &mut OnRow<'_>) -> Result<SuiteSummary, RunError> {
        let SuiteRun { common, suite, conditions, stop } = *work;
        let Arguments { hash, threads, .. } = *self.arguments;
        let workers = common.workers.unwrap_or(1);
        let (mut executor, searcher) = match self.engine {
            Engine::Own(parameters) => {
                let mut executor = self.execution.executor(|| SuiteWorker::threads(workers, stop));
                let searcher = SuiteEngine::engine(parameters, hash, threads, executor.as_mut())?;
                (executor, searcher)
            }
            Engine::External(setup) => {
                let setup = setup.clone();
                let make = move || -> Result<Box<dyn Solver>, SolverError> {
                    let engine = UciEngine::start(&setup).map_err(|error| SolverError(error.to_string()))?;
                    Ok(Box::new(engine))
                };
                let executor: Box<dyn Executor<SuiteWorker>> =
                    Box::new(SuiteWorker::local(workers, stop, Arc::new(make)));
                (executor, SuiteEngine::Local)
            }
        };
        let setup = SuiteSetup { searcher, conditions: conditions.clone() };
        let mut on_row = |_: usize, record: &Record, row: &SuiteRow| on_row(record, row);
        let summaries = suite::run(stop, suite, &[setup], executor.as_mut(), say, &mut on_row)?;
        Ok(summaries.into_iter().next().unwrap_or_default())
    }
}

/// Runs one suite: how many of its lines were skipped or got no move.
fn run_suite(work: &SuiteRun<'_>, search: SuiteSearch<'_>, json: &mut JsonLines) -> Result<u64, Failure> {
    let &SuiteRun { common, suite, stop, .. } = work;
    let with_points = suite.records.iter().any(|record| !record.points.is_empty());
    let mut listing = listing(with_points);
    let bar = progress::bar(common, suite.records.iter().filter(|record| record.has_task()).count(), &suite.name);
    search.execution.show_below(&bar, progress::TEMPLATE);
    let mut failed: Option<io::Error> = None;
    let (mut solved, mut mute) = (0, 0);
    let say = |text: &str| bar.suspend(|| say!("{text}"));
    let outcome = search.run(work, &say, &mut |record, row| {
        solved += u64::from(row.solved);
        if row.best.is_none() && !record.position.legal_moves().is_empty() {
            mute += 1;
            bar.suspend(|| say!("warning: no move found for {} in {}", row.id, row.fen));
        }
        bar.set_message(format!("{solved} solved"));
        bar.inc(1);
        list(&mut listing, record, row, with_points);
        failed = json.write(row).err();
        failed.is_none()
    });
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let summary = match outcome {
        Ok(summary) => summary,
        Err(RunError::Work(error @ WorkError::Refused(_))) => return Err(Failure::input(error)),
        Err(error) => {
            json.print(&listing)?;
            return Err(Failure::Run(miette!(
                "cannot solve {}: {error}; the table above shows the positions before",
                suite.name
            )));
        }
    };
    if !stop.is_set() {
        json.write(&summary)?;
    }
    json.print(&listing)?;
    json.print(&verdict(&summary))?;
    Ok(summary.skipped as u64 + mute)
}

fn listing(with_points: bool) -> Listing {
    let mut header = vec!["position", "wanted", "found", "result", "first", "stable", "nodes", "depth", "ms"];
    if with_points {
        header.push("points");
    }
    Listing::new(&header, 4..header.len())
}

fn list(listing: &mut Listing, record: &Record, row: &SuiteRow, with_points: bool) {
    let found = row.best.as_deref().and_then(|text| epd::parse_move(&record.position, "found", text).ok());
    let mut cells = vec![
        row.id.clone(),
        task_text(record),
        found.map_or_else(|| "-".to_owned(), |mv| record.san(mv)),
        if row.solved { "solved" } else { "" }.to_owned(),
        grouped(row.nodes_first),
        grouped(row.nodes_stable),
        grouped(row.nodes),
        row.depth.to_string(),
        row.ms.to_string(),
    ];
    if with_points {
        cells.push(row.points.map_or_else(String::new, |points| points.to_string()));
    }
    listing.add_row(cells);
}

/// The task of a position in a few words.
fn task_text(record: &Record) -> String {
    let moves = |moves: &[_]| moves.iter().map(|mv| record.san(*mv)).collect::<Vec<_>>().join(" ");
    let mut parts = Vec::new();
    if !record.best.is_empty() {
        parts.push(moves(&record.best));
    }
    if !record.avoid.is_empty() {
        parts.push(format!("not {}", moves(&record.avoid)));
    }
    parts.extend(record.mate.map(|mate| match mate {
        ..0 => format!("mated in {}", mate.unsigned_abs()),
        _ => format!("mate in {mate}"),
    }));
    if parts.is_empty() {
        parts.push(format!("{} points", record.points_max()));
    }
    parts.join(", ")
}

fn verdict(summary: &SuiteSummary) -> String {
    let mut text = format!(
        "{}: {} of {} solved; nodes to the solution: first {}, stable {}; {} nodes in all, {:.1} s of search",
        summary.suite,
        summary.solved,
        summary.positions,
        grouped(summary.nodes_first_total),
        grouped(summary.nodes_stable_total),
        grouped(summary.nodes_total),
        Duration::from_millis(summary.ms).as_secs_f64(),
    );
    if let (Some(points), Some(most)) = (summary.points, summary.points_max) {
        text += &format!("; {points} of {most} points");
    }
    if summary.skipped > 0 {
        text += &format!("; {} skipped", several(summary.skipped, "line"));
    }
    text
}
