//! `quarterply solve SUITE...`: how many positions are solved, and after how many nodes.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::value_parser;
use miette::miette;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::words::grouped;
use quarterply_lab::epd::{self, Record, Suite};
use quarterply_lab::external::{Setup, UciEngine};
use quarterply_lab::suite::{
    Conditions, EngineSolver, HASH_DEFAULT, NODES_DEFAULT, Row, RunError, Solver, SolverError, Stop, Summary,
};
use quarterply_lab::{profile, suite};
use quarterply_uci::launch::Launch;
use quarterply_uci::settings::threads_max;

use crate::args::Common;
use crate::export::JsonLines;
use crate::failure::{Done, Failure};
use crate::listing::Listing;
use crate::progress;

/// Which suites, which limits, which engine.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// EPD files with bm, am, dm or c0 points.
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<PathBuf>,
    /// Nodes per position; 200000 if no limit is given.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time per position in milliseconds.
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    pub movetime: Option<u64>,
    /// Depth per position in plies.
    #[arg(long, value_name = "D", value_parser = value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Any UCI engine instead of this one: its command line.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["profile", "set"])]
    pub engine: Option<String>,
    /// An option of that engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", requires = "engine")]
    pub option: Vec<String>,
    /// Transposition table of each worker in MiB.
    #[arg(long, value_name = "MB", default_value_t = HASH_DEFAULT)]
    pub hash: usize,
    /// Search threads of each worker; results repeat exactly only with one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub threads: usize,
    /// Count a position as solved, and go on to the next, once a solution was best for K iterations in a row.
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..))]
    pub hold: Option<u32>,
    /// Go on to the next position as soon as a solution is best in the second iteration or later.
    #[arg(long, conflicts_with = "hold")]
    pub stop_when_found: bool,
}

fn threads(text: &str) -> Result<usize, String> {
    let most = threads_max();
    match text.parse::<i64>() {
        Ok(count) if (1..=most).contains(&count) => Ok(count as usize),
        _ => Err(format!("give a whole number from 1 to {most}")),
    }
}

/// What searches.
enum Engine {
    Own(Box<Parameters>),
    External(Setup),
}

/// Runs every suite; exit code 1 if a line was skipped or the engine failed, 2 if a file is of no use.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let engine = choose_engine(common, arguments)?;
    let conditions = conditions(arguments);
    let suites = arguments.suites.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    let mut json = JsonLines::open(common)?;
    if !common.quiet {
        eprintln!("{}", describe(&conditions, arguments, &engine));
    }
    let mut skipped = 0;
    for suite in &suites {
        let summary = match &engine {
            Engine::Own(parameters) => {
                let make = || EngineSolver::new(parameters.as_ref().clone(), arguments.hash, arguments.threads);
                run_suite(common, suite, &conditions, &make, &mut json)?
            }
            Engine::External(setup) => {
                let make = || UciEngine::start(setup).map_err(|e| SolverError(e.to_string()));
                run_suite(common, suite, &conditions, &make, &mut json)?
            }
        };
        skipped += summary.skipped;
    }
    Ok(if skipped > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn choose_engine(common: &Common, arguments: &Arguments) -> Result<Engine, Failure> {
    let Some(command) = &arguments.engine else {
        let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
        return Ok(Engine::Own(Box::new(parameters)));
    };
    let launch = Launch::parse(command).map_err(Failure::input)?;
    let mut setup = Setup::new(launch);
    setup.preferences =
        vec![("Hash".to_owned(), arguments.hash.to_string()), ("Threads".to_owned(), arguments.threads.to_string())];
    for text in &arguments.option {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::Input(miette!("`{text}` sets nothing; write --option NAME=VALUE")));
        };
        setup.options.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    // An engine that cannot be started should cost neither time nor an old result file.
    drop(UciEngine::start(&setup).map_err(Failure::input)?);
    Ok(Engine::External(setup))
}

fn conditions(arguments: &Arguments) -> Conditions {
    let none = arguments.nodes.is_none() && arguments.movetime.is_none() && arguments.depth.is_none();
    let limits = Limits {
        nodes: if none { Some(NODES_DEFAULT) } else { arguments.nodes },
        movetime: arguments.movetime.map(Duration::from_millis),
        depth: arguments.depth,
        ..Limits::default()
    };
    let stop = match arguments.hold {
        Some(count) => Stop::Held(count),
        None if arguments.stop_when_found => Stop::WhenFound,
        None => Stop::AtLimit,
    };
    Conditions { limits, stop }
}

/// One line that says under which conditions the figures were made.
fn describe(conditions: &Conditions, arguments: &Arguments, engine: &Engine) -> String {
    let limits = &conditions.limits;
    let mut parts = Vec::new();
    parts.extend(limits.nodes.map(|nodes| format!("{} nodes", grouped(nodes))));
    parts.extend(limits.movetime.map(|time| format!("{} ms", time.as_millis())));
    parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
    let mut text = format!("limit per position: {}", parts.join(", "));
    text += &format!("; table {} MiB, threads {}", arguments.hash, arguments.threads);
    match conditions.stop {
        Stop::AtLimit => {}
        Stop::Held(count) => text += &format!("; stops once held for {count} iterations"),
        Stop::WhenFound => text += "; stops when found",
    }
    if let Engine::External(setup) = engine {
        text += &format!("; engine {}", setup.launch.program.display());
    }
    text
}

/// Reads a suite and says on stderr what is left out; a suite with nothing to solve is an error.
pub(super) fn load(path: &std::path::Path) -> Result<Suite, Failure> {
    let suite = epd::read_suite(path).map_err(Failure::input)?;
    for error in &suite.skipped {
        eprintln!("warning: {error}");
    }
    let file = path.display();
    for record in suite.records.iter().filter(|record| !record.has_task()) {
        eprintln!(
            "warning: {file}:{}: nothing to solve in `{}`; add bm, am, dm or c0 points",
            record.line,
            record.fen()
        );
    }
    if !suite.records.iter().any(Record::has_task) {
        return Err(Failure::Input(miette!(
            "{file}: no position with bm, am, dm or c0 points, so there is nothing to solve"
        )));
    }
    Ok(suite)
}

fn run_suite<S: Solver>(
    common: &Common,
    suite: &Suite,
    conditions: &Conditions,
    make: &(dyn Fn() -> Result<S, SolverError> + Sync),
    json: &mut JsonLines,
) -> Result<Summary, Failure> {
    let with_points = suite.records.iter().any(|record| !record.points.is_empty());
    let mut listing = listing(with_points);
    let bar = progress::bar(common, suite.records.iter().filter(|record| record.has_task()).count(), &suite.name);
    let mut failed: Option<io::Error> = None;
    let mut solved = 0;
    let workers = common.workers.unwrap_or(1);
    let outcome = suite::run(suite, conditions, workers, make, &mut |record, row| {
        solved += u64::from(row.solved);
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
        Err(error @ RunError::Start(_)) => return Err(Failure::input(error)),
        Err(error) => {
            json.print(&listing)?;
            return Err(Failure::Run(miette!("{}: {error}; the table above holds what was done before", suite.name)));
        }
    };
    json.write(&summary)?;
    json.print(&listing)?;
    json.print(&verdict(&summary))?;
    Ok(summary)
}

fn listing(with_points: bool) -> Listing {
    let mut header = vec!["position", "wanted", "found", "", "first", "stable", "nodes", "depth", "ms"];
    if with_points {
        header.push("points");
    }
    Listing::new(&header, 4..header.len())
}

fn list(listing: &mut Listing, record: &Record, row: &Row, with_points: bool) {
    let found = row.best.as_deref().and_then(|text| epd::parse_move(&record.position, "found", text).ok());
    let mut cells = vec![
        row.id.clone(),
        wanted(record),
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
fn wanted(record: &Record) -> String {
    let moves = |moves: &[_]| moves.iter().map(|mv| record.san(*mv)).collect::<Vec<_>>().join(" ");
    let mut parts = Vec::new();
    if !record.best.is_empty() {
        parts.push(moves(&record.best));
    }
    if !record.avoid.is_empty() {
        parts.push(format!("not {}", moves(&record.avoid)));
    }
    parts.extend(record.mate.map(|mate| format!("mate in {mate}")));
    if parts.is_empty() {
        parts.push(format!("{} points", record.points_max()));
    }
    parts.join(", ")
}

fn verdict(summary: &Summary) -> String {
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
        text += &format!("; {} lines skipped", summary.skipped);
    }
    text
}
