//! `quarterply datagen relabel`: new scores for the positions of old games.

use std::path::PathBuf;

use clap::value_parser;
use quarterply_datagen::error::DataError;
use quarterply_datagen::folder::{SHARD_MAX, Writer, difference, shards_of};
use quarterply_datagen::read::Archive;
use quarterply_datagen::relabel::plan;
use quarterply_datagen::replay::Filter;
use quarterply_datagen::run::{Totals, relabel};
use quarterply_datagen::settings::{Origin, Settings};
use quarterply_files::bench::DEPTH_DEFAULT;
use quarterply_files::profile;

use super::play::{HASH_MAX, conclude, program, stop_signal, workers_of};
use super::{FolderArgument, live::Live};
use crate::common::Common;
use crate::failure::{Done, Failure};
use crate::numbers::count;
use quarterply_datagen::settings::Goal;

/// Which games, how carefully.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    source: FolderArgument,
    /// Folder for the games with new scores; one that was begun by the same command is gone on with.
    ///
    /// Example: --out data/deeper
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A search begins no other iteration after so many nodes.
    ///
    /// Example: --nodes 5000
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    nodes: u64,
    /// A search stops at so many nodes; eight times --nodes if nothing is said.
    ///
    /// Example: --hard-nodes 40000
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    hard_nodes: Option<u64>,
    /// Transposition table of each worker in MiB; it is emptied before each game.
    ///
    /// Example: --hash 16
    #[arg(long, value_name = "MB", default_value_t = Settings::default().hash as u64, value_parser = count::<u64>(1..=HASH_MAX))]
    hash: u64,
    /// Depth in plies of the bench that stands in the new files.
    ///
    /// Example: --bench-depth 5
    #[arg(long, value_name = "D", default_value_t = DEPTH_DEFAULT, value_parser = value_parser!(u32).range(1..))]
    bench_depth: u32,
    /// Go on although the program is not the one that began; a new shard says so.
    ///
    /// Example: --accept-new-program
    #[arg(long)]
    accept_new_program: bool,
}

/// Searches every position anew.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let source = Archive::open(&[&arguments.source.folder]).map_err(Failure::input)?;
    let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
    let origin = Origin::here(&program(), &parameters, arguments.bench_depth);
    let hard = arguments.hard_nodes.unwrap_or(arguments.nodes.saturating_mul(Settings::HARD_FACTOR));
    let limits = [arguments.nodes, hard];
    let plan = plan(&source, origin, limits, &parameters, arguments.hash as usize).map_err(Failure::input)?;
    let mut totals = Totals::default();
    let begun = arguments.out.is_dir() && !shards_of(&arguments.out).map_err(Failure::input)?.is_empty();
    let mut writer = if begun {
        let header = Writer::last_header(&arguments.out).map_err(Failure::input)?;
        if let Some(change) = difference(&arguments.out, &header.settings, &plan.settings, false) {
            return Err(Failure::input(change));
        }
        let mut games = source.games();
        let resumed =
            Writer::resume(&arguments.out, &plan.origin, arguments.accept_new_program, SHARD_MAX, &mut |game, file| {
                let same = games.next().transpose()?.is_some_and(|old| old.has_the_moves_of(game));
                if !same {
                    return Err(DataError::OtherGame { file: file.to_owned(), game: game.number });
                }
                totals.add(game, Filter::DEFAULT.count(game).map_err(|error| error.in_file(file))?);
                Ok(())
            });
        let (writer, dropped) = resumed.map_err(Failure::input)?;
        dropped.iter().for_each(|text| eprintln!("warning: {text}"));
        writer
    } else {
        Writer::create(&arguments.out, &plan, SHARD_MAX).map_err(Failure::input)?
    };
    let mut live = Live::new(common, Goal::default(), totals);
    let stop = stop_signal(&live)?;
    let workers = workers_of(common);
    let ended = relabel(&mut writer, &source, totals, workers, &stop, &mut |totals| live.show(totals));
    live.end();
    conclude(common, &arguments.out, ended, Some(workers))
}
