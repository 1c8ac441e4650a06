//! `quarterply datagen relabel`: new scores for the positions of old games.

use quarterply_datagen::error::DataError;
use quarterply_datagen::play::tables_of;
use quarterply_datagen::produce::Production;
use quarterply_datagen::relabel::plan;
use quarterply_datagen::run::{Totals, search_again};

use super::live::DatagenDisplay;
use super::play::{FolderContents, STOPPING, conclude};
use super::relabelling::{RelabellingArguments, RelabellingTask, SAME_COMMAND};
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
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
    let task = arguments.relabelling.task(common)?;
    let goal = task.goal(common, 1);
    let RelabellingTask { source, origin, parameters, hash } = task;
    let limits = arguments.relabelling.limits(arguments.nodes);
    let plan = plan(&source, origin, limits, &parameters, hash).map_err(Failure::input)?;
    let json = JsonLines::open(common, NO_INPUT)?;
    let has_places = source.headers().any(|header| header.settings.visited.is_some());
    let mut totals = Totals::default();
    let mut games = source.games();
    let mut writer = arguments.relabelling.writer(&plan, &mut totals, |game, file| {
        let same = games.next().transpose()?.is_some_and(|old| old.has_the_moves_of(game));
        if same { Ok(()) } else { Err(DataError::OtherGame(file.to_owned(), game.number)) }
    })?;
    let mut live = DatagenDisplay::new(common, goal, totals);
    let stop = live.line.stop_signal(STOPPING)?;
    let workers = common.worker_count();
    let tables = tables_of(&writer.header().settings).map_err(Failure::input)?;
    let mut executor = Production::threads(workers, tables);
    let mut show = |totals: &Totals| live.show(totals);
    let ended = search_again(&mut writer, &source, None, totals, &mut executor, &stop, &mut show);
    live.line.end();
    let contents = if has_places { FolderContents::Places } else { FolderContents::Games };
    conclude(json, (contents, &arguments.relabelling.out, SAME_COMMAND), ended, Some(workers))
}
