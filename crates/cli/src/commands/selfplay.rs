//! `quarterply selfplay`: games between two processes of this engine, or of any two UCI engines.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::value_parser;
use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_lab::external::Setup;
use quarterply_lab::game::{Pace, TimeControl};
use quarterply_lab::openings::Openings;
use quarterply_lab::pgn::{self, Header};
use quarterply_lab::selfplay::{self, Series};
use quarterply_uci::launch::Launch;

use crate::args::Common;
use crate::export::table;
use crate::failure::{Done, Failure};
use crate::progress;

/// Seed when none is given.
const SEED: u64 = 1;

/// How many games, how fast, who plays.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Games; every opening is played twice with colours swapped.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub games: usize,
    /// Seconds per game and side, and seconds per move.
    #[arg(long, value_name = "BASE+INCREMENT", default_value = "1+0.01")]
    pub tc: TimeControl,
    /// Nodes per move instead of a clock.
    #[arg(long, value_name = "N", conflicts_with = "tc", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// The first engine's command line; Quarterply itself if left out.
    #[arg(long, value_name = "CMD")]
    pub first: Option<String>,
    /// The second engine's command line; Quarterply itself if left out.
    #[arg(long, value_name = "CMD")]
    pub second: Option<String>,
    /// Transposition table of each engine in MiB.
    #[arg(long, value_name = "MB", default_value_t = 16)]
    pub hash: usize,
    /// Write the games to this file.
    #[arg(long, value_name = "FILE.pgn")]
    pub pgn: Option<PathBuf>,
}

/// Plays the games; exit code 1 if one ended by an illegal move, a time loss or a crash.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let seed = common.seed.unwrap_or(SEED);
    let openings = Openings::new(Parameters::default(), seed).take(arguments.games.div_ceil(2)).collect();
    let engines = [setup(arguments.first.as_deref(), arguments)?, setup(arguments.second.as_deref(), arguments)?];
    let pace = arguments.nodes.map_or(Pace::Clock(arguments.tc), Pace::Nodes);
    let time_control = arguments.nodes.map_or_else(|| arguments.tc.to_string(), |_| "-".to_owned());
    let series = Series { engines, openings, games: arguments.games, pace, workers: common.workers.unwrap_or(1) };
    let mut file = arguments.pgn.as_ref().map(|path| create(path)).transpose()?;
    let bar = progress::bar(common, series.games, "games");
    let mut failed: Option<io::Error> = None;
    let tally = selfplay::play(&series, &mut |index, record| {
        bar.inc(1);
        if let Some(file) = &mut file {
            let header = Header {
                event: "Quarterply self-play".to_owned(),
                round: index + 1,
                date: "????.??.??".to_owned(),
                time_control: time_control.clone(),
            };
            failed = file.write_all(pgn::write(record, &header).as_bytes()).err();
        }
        failed.is_none()
    });
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let tally = tally.map_err(Failure::input)?;
    let mut out = io::stdout().lock();
    let mut listing = table(&["ending", "games"], 1..2);
    for (ending, count) in &tally.endings {
        listing.add_row([ending, &count.to_string()]);
    }
    writeln!(out, "{listing}")?;
    for (number, loser, fault) in &tally.faults {
        writeln!(out, "game {number}: {loser}: {fault}")?;
    }
    writeln!(out, "{tally} ({pace}, seed {seed})")?;
    Ok(if tally.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn setup(command: Option<&str>, arguments: &Arguments) -> Result<Setup, Failure> {
    let launch = match command {
        Some(text) => Launch::parse(text).map_err(Failure::input)?,
        None => Launch::program(std::env::current_exe()?),
    };
    let mut setup = Setup::new(launch);
    setup.preferences = vec![("Hash".to_owned(), arguments.hash.to_string())];
    Ok(setup)
}

fn create(path: &std::path::Path) -> Result<File, Failure> {
    File::create(path)
        .map_err(|e| Failure::Input(miette!("{}: cannot be written ({e}); give another path to --pgn", path.display())))
}
