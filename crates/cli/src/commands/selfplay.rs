//! `quarterply selfplay`: a match between two processes of this engine, or of any two UCI engines, that looks for faults.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use quarterply_games::game::{Pace, TimeControl};
use quarterply_games::matches::{End, MatchFiles, MatchOutcome, MatchPlan, OpeningSupply, Specs};
use quarterply_games::openings::{OpeningSource, Options};
use quarterply_games::players::{PlayerDefaults, PlayerKind, Spec};
use quarterply_uci::launch::Launch;
use quarterply_window::words::several;

use super::matches::{self, MatchProgress, MatchSetup};
use crate::common::Common;
use crate::dialogue::DialogueArguments;
use crate::execution::Execution;
use crate::export::refuse_dash;
use crate::failure::{CommandResult, Failure};
use crate::limits::HASH_MAX;
use crate::listing::Listing;
use crate::numbers::count;
use crate::{interrupt, screen};

/// Arguments of `selfplay`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Play N games; every opening is played twice with colours swapped.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count::<usize>(0..))]
    pub games: usize,
    /// Time control: seconds per game and side, and seconds per move.
    #[arg(long, value_name = "BASE+INCREMENT", default_value = "1+0.01")]
    pub tc: TimeControl,
    /// Search N nodes per move instead of using a clock.
    #[arg(long, value_name = "N", conflicts_with = "tc", value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Command line of the first engine [default: this program].
    #[arg(long, value_name = "CMD")]
    pub first: Option<String>,
    /// Command line of the second engine [default: this program].
    #[arg(long, value_name = "CMD")]
    pub second: Option<String>,
    /// Size of the transposition table of each engine, in MiB.
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = count::<usize>(1..=HASH_MAX))]
    pub hash: usize,
    /// Write the games to this file.
    #[arg(long, value_name = "FILE.pgn")]
    pub pgn: Option<PathBuf>,
    #[command(flatten)]
    pub dialogue: DialogueArguments,
}

/// Plays the games; exit code 1 if one ended by an illegal move, a time loss or a crash.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let seed = common.seed;
    let pace = arguments.nodes.map_or(Pace::Clock(arguments.tc), Pace::Nodes);
    if arguments.first.is_some() && arguments.second.is_some() {
        common.refuse_parameters("--first and --second are other engines")?;
    }
    let own = common.this_program()?;
    let stop = interrupt::listen(|| say!("ending: running games are abandoned (press Ctrl-C again to end at once)"))?;
    let specs = vec![spec(arguments.first.as_deref(), &own)?, spec(arguments.second.as_deref(), &own)?];
    let terms = PlayerDefaults {
        hash: arguments.hash,
        stop: stop.clone(),
        messages: common.messages(),
        ..PlayerDefaults::default()
    };
    let specs = Specs::new(specs, terms, &pace).map_err(Failure::input)?;
    arguments.pgn.as_deref().map_or(Ok(()), refuse_dash)?;
    let _log = arguments.dialogue.open(common, &arguments.pgn)?;
    let unused = specs.try_out(None).map_err(|error| interrupt::failure(error, &stop))?;
    unused.iter().for_each(|setting| say!("warning: {setting}"));
    let mut plan = MatchPlan::new(specs.entrants().map_err(Failure::input)?, arguments.games, pace);
    plan.event = "Quarterply self-play".to_owned();
    plan.workers = common.workers.unwrap_or(1);
    let openings = OpeningSupply::new(OpeningSource::builtin(&Options { seed, ..Options::default() }));
    let existing = common.existing(false, "a match")?;
    let files = MatchFiles { journal: None, pgn: arguments.pgn.clone(), existing };
    let setup = MatchSetup { plan: &plan, specs: &Arc::new(specs), files: &files, stop: &stop };
    let outcome = matches::play(common, &setup, openings, &mut Execution::here(), &mut MatchProgress::default())?;
    print(common, &plan, &outcome, seed)?;
    Ok(match outcome.end {
        End::Stopped => interrupt::code(),
        _ if outcome.standing.fault_losses.is_empty() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn spec(command: Option<&str>, own: &Launch) -> Result<Spec, Failure> {
    let launch = match command {
        Some(text) => Launch::parse(text).map_err(Failure::input)?,
        None => own.clone(),
    };
    Ok(Spec { kind: PlayerKind::Uci(launch), name: None, options: Vec::new(), settings: Vec::new(), pace: None })
}

/// The endings, the faults, and all in one line.
fn print(common: &Common, plan: &MatchPlan, outcome: &MatchOutcome, seed: u64) -> io::Result<()> {
    let standing = &outcome.standing;
    let mut out: Box<dyn Write> =
        if common.is_json_on_stdout() { Box::new(screen::Cleaned::new(io::stderr())) } else { Box::new(screen::out()) };
    let endings = standing.endings.iter().map(|(ending, count)| [ending.clone(), count.to_string()]);
    writeln!(out, "{}", Listing::of(&["ending", "games"], endings))?;
    for mishap in &standing.fault_losses {
        writeln!(out, "game {}: {}: {}", mishap.game, mishap.by, mishap.what)?;
    }
    let games = standing.of(0).games;
    let (wins, draws, losses) = (games.wins, games.draws, games.losses);
    let [all, moves] = [several(standing.games, "game"), several(standing.plies, "move")];
    write!(out, "{all}: {wins} won, {draws} drawn, {losses} lost; {moves}")?;
    if let Some(least) = &standing.least_left {
        write!(out, "; {least}")?;
    }
    writeln!(out, "; {} ({}, seed {seed})", several(standing.fault_losses.len() as u64, "fault"), plan.pace)
}
