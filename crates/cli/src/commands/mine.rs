//! `quarterply mine`: tactical test positions out of games, played here or read from PGN.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::value_parser;
use miette::miette;
use quarterply_lab::external::{Setup, UciEngine};
use quarterply_lab::mine::{self, Find, Plan, Source, Tally};
use quarterply_lab::openings::Openings;
use quarterply_lab::suite::HASH_DEFAULT;
use quarterply_lab::{pgn, profile};
use quarterply_uci::launch::Launch;

use crate::args::Common;
use crate::export::grouped;
use crate::failure::{Done, Failure};
use crate::progress;

/// Seed when none is given.
const SEED: u64 = 1;

/// Which games, how carefully, how many positions.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Games to play; with --pgn, most games to read.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Leave out the first N games: to go on where an earlier run ended, or to share the work.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: usize,
    /// Read games from these files instead of playing.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub pgn: Vec<PathBuf>,
    /// Nodes per move of the games that are played; few, so that chances arise and are missed.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    pub play_nodes: u64,
    /// Nodes of the search that must miss the solution.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    pub shallow_nodes: u64,
    /// Nodes of the search that must find it.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Nodes of each of the two searches that must confirm it.
    #[arg(long, value_name = "N", default_value_t = 3_000_000, value_parser = value_parser!(u64).range(1..))]
    pub verify_nodes: u64,
    /// Keep only positions where this UCI engine chooses the solution, too.
    #[arg(long, value_name = "CMD")]
    pub check: Option<String>,
    /// Nodes of that engine.
    #[arg(long, value_name = "N", default_value_t = 2_000_000, value_parser = value_parser!(u64).range(1..))]
    pub check_nodes: u64,
    /// Keep at most so many positions, spread evenly from easy to hard.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub max: Option<u64>,
    /// The positions are called NAME.01, NAME.02 and so on.
    #[arg(long, value_name = "NAME", default_value = "Quarterply")]
    pub name: String,
    /// Write the positions to this file instead of stdout.
    #[arg(long, short, value_name = "FILE.epd")]
    pub output: Option<PathBuf>,
}

/// Games played when no number is given.
const GAMES: u64 = 100;

/// Mines; exit code 1 if a game was left out or nothing was found.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let plan = plan(common, arguments)?;
    if let Some(path) = &arguments.output {
        // Hours of work should not be lost to a path that cannot be written; an old file stays until the end.
        OpenOptions::new().append(true).create(true).open(path).map_err(|e| unwritable(path, &e))?;
    }
    let (sources, skipped) = sources(common, arguments, &plan)?;
    let bar = progress::bar(common, sources.len(), "games");
    let count = AtomicUsize::new(0);
    let mined = mine::run(&plan, &sources, &|finds| {
        let found = count.fetch_add(finds, Ordering::Relaxed) + finds;
        bar.set_message(format!("{found} found"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let (finds, tally) = mined.map_err(|e| Failure::Run(miette!("{e}")))?;
    let finds = mine::select(finds, arguments.max.map_or(usize::MAX, |most| most as usize));
    if finds.is_empty() {
        return Err(Failure::Run(miette!("nothing found ({}); take more games", describe(&tally, 0))));
    }
    write(arguments, &finds)?;
    if !common.quiet {
        eprintln!("{}", describe(&tally, finds.len()));
    }
    Ok(if skipped > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn plan(common: &Common, arguments: &Arguments) -> Result<Plan, Failure> {
    let referee = match &arguments.check {
        None => None,
        Some(command) => {
            let mut setup = Setup::new(Launch::parse(command).map_err(Failure::input)?);
            let preferences = [("Hash", HASH_DEFAULT), ("Threads", 1)];
            setup.preferences = preferences.map(|(name, value)| (name.to_owned(), value.to_string())).to_vec();
            // An engine that cannot be started should not cost a game first.
            drop(UciEngine::start(&setup).map_err(Failure::input)?);
            Some((setup, arguments.check_nodes))
        }
    };
    Ok(Plan {
        parameters: profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?,
        play_nodes: arguments.play_nodes,
        shallow_nodes: arguments.shallow_nodes,
        deep_nodes: arguments.nodes,
        verify_nodes: arguments.verify_nodes,
        referee,
        workers: common.workers.unwrap_or(1),
    })
}

/// The games, and how many had to be left out.
fn sources(common: &Common, arguments: &Arguments, plan: &Plan) -> Result<(Vec<Source>, usize), Failure> {
    if arguments.pgn.is_empty() {
        let openings = Openings::new(plan.parameters.clone(), common.seed.unwrap_or(SEED));
        let games = arguments.games.unwrap_or(GAMES) as usize;
        return Ok((openings.skip(arguments.skip).take(games).map(Source::Play).collect(), 0));
    }
    let mut sources = Vec::new();
    let mut skipped = 0;
    for path in &arguments.pgn {
        let found = pgn::read_games(path).map_err(Failure::input)?;
        found.skipped.iter().for_each(|error| eprintln!("warning: {error}"));
        skipped += found.skipped.len();
        sources.extend(found.games.into_iter().map(Source::Played));
    }
    if sources.is_empty() {
        return Err(Failure::Input(miette!(
            "none of the {skipped} games can be replayed, so there is nothing to mine"
        )));
    }
    let most = arguments.games.map_or(usize::MAX, |most| most as usize);
    Ok((sources.into_iter().skip(arguments.skip).take(most).collect(), skipped))
}

fn write(arguments: &Arguments, finds: &[Find]) -> Result<(), Failure> {
    let mut text = String::new();
    for record in mine::records(finds, &arguments.name) {
        text += &format!("{record}\n");
    }
    match &arguments.output {
        None => io::stdout().lock().write_all(text.as_bytes())?,
        Some(path) => {
            let written = File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|e| unwritable(path, &e))?;
        }
    }
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(miette!("{}: cannot be written ({error}); give another path to --output", path.display()))
}

fn describe(tally: &Tally, kept: usize) -> String {
    let Tally { games, positions, candidates, verified, refused, repeated } = tally;
    let positions = grouped(*positions);
    format!(
        "{games} games, {positions} positions: {candidates} candidates, {verified} confirmed, of these {refused} refused by \
         the other engine and {repeated} found before; {kept} kept"
    )
}
