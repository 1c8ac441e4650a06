//! `quarterply datagen relabel`: new scores for the positions of old games.

use quarterply_datagen::error::DataError;
use quarterply_datagen::relabel::plan;

use super::relabelling::{RelabellingArguments, RelabellingTask};
use crate::common::Common;
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;

/// Which games, how carefully.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    relabelling: RelabellingArguments,
    /// Start no new iteration of a search after N nodes.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    nodes: u64,
}

/// Searches every position again and stores the new scores.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    if common.seed_given {
        refuse!("cannot use --seed: relabelling makes no random choice; remove it");
    }
    let RelabellingTask { source, origin, parameters, hash } = arguments.relabelling.task(common)?;
    let limits = arguments.relabelling.limits(arguments.nodes);
    let plan = plan(&source, origin, limits, &parameters, hash).map_err(Failure::input)?;
    let mut games = source.games();
    arguments.relabelling.run(common, &source, &plan, None, |game, file| {
        let same = games.next().transpose()?.is_some_and(|old| old.has_the_moves_of(game));
        if same { Ok(()) } else { Err(DataError::OtherGame(file.to_owned(), game.number)) }
    })
}
