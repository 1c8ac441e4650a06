//! Shared by `relabel` and `sample`: both write a new folder from the games of another one and limit their searches by nodes.

use std::path::{Path, PathBuf};

use quarterply_datagen::error::DataError;
use quarterply_datagen::folder::{SHARD_MAX, ShardPlan, Writer, difference, shards_of};
use quarterply_datagen::play::tables_of;
use quarterply_datagen::produce::Production;
use quarterply_datagen::read::Archive;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::Filter;
use quarterply_datagen::run::{Totals, search_again};
use quarterply_datagen::settings::{DataOrigin, DatagenGoal, DatagenSettings};
use quarterply_engine::params::Parameters;
use quarterply_files::bench::DEPTH_DEFAULT;

use super::live::DatagenDisplay;
use super::play::{FolderContents, STOPPING, conclude, program};
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::limits::HASH_MAX;
use crate::numbers::count;

/// The command that continues a run of this kind.
const SAME_COMMAND: &str = "the same command";

/// From which games, to where, how carefully.
#[derive(clap::Args, Debug)]
pub struct RelabellingArguments {
    /// Folder of the run whose games are used.
    #[arg(value_name = "DIR")]
    source: PathBuf,
    /// Folder for the new games; an unfinished run of the same command in it is continued.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Stop a labelling search after N nodes, even within an iteration [default: 8 times --nodes].
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    hard_nodes: Option<u64>,
    /// Size of the transposition table of each worker, in MiB; the table is cleared before each game.
    #[arg(long, value_name = "MB", default_value_t = DatagenSettings::default().hash as u64, value_parser = count::<u64>(1..=HASH_MAX))]
    hash: u64,
    /// Depth in plies of the bench whose node count is stored in the new files.
    #[arg(long, value_name = "D", default_value_t = DEPTH_DEFAULT, value_parser = count::<u32>(1..))]
    bench_depth: u32,
    /// Continue although the program has changed since the start of the run; a new shard records the change.
    #[arg(long)]
    accept_new_program: bool,
}

/// The source games, and the settings of their new searches.
pub struct RelabellingTask {
    pub source: Archive,
    pub origin: DataOrigin,
    pub parameters: Parameters,
    pub hash: usize,
}

impl RelabellingArguments {
    /// Opens the games, and finds out what is to be done with them.
    pub fn task(&self, common: &Common) -> Result<RelabellingTask, Failure> {
        let source = Archive::open(&[&self.source]).map_err(Failure::input)?;
        let parameters = common.parameters()?;
        let origin = DataOrigin::here(&program(), &parameters, self.bench_depth);
        Ok(RelabellingTask { source, origin, parameters, hash: self.hash as usize })
    }

    /// Soft and hard node limit of a search.
    pub fn limits(&self, nodes: u64) -> [u64; 2] {
        [nodes, self.hard_nodes.unwrap_or(nodes.saturating_mul(DatagenSettings::HARD_FACTOR))]
    }

    /// Searches the games of `source` again and prints the result. With `each`, this number of positions of each game is stored, otherwise
    /// new scores of all. `check` may refuse the games of a folder that is continued.
    pub fn run(
        &self,
        common: &Common,
        source: &Archive,
        plan: &ShardPlan,
        each: Option<u64>,
        check: impl FnMut(&GameRecord, &Path) -> Result<(), DataError>,
    ) -> CommandResult {
        let json = JsonLines::open(common, NO_INPUT)?;
        let mut totals = Totals::default();
        let mut writer = self.writer(plan, &mut totals, check)?;
        let mut live = DatagenDisplay::new(common, goal(common, source, each.unwrap_or(1)), totals);
        let stop = live.line.stop_signal(STOPPING)?;
        let workers = common.worker_count();
        let tables = tables_of(&writer.header().settings).map_err(Failure::input)?;
        let mut executor = Production::threads(workers, tables);
        let mut show = |totals: &Totals| live.show(totals);
        let ended = search_again(&mut writer, source, each, totals, &mut executor, &stop, &mut show);
        live.line.end();
        let has_slots = each.is_some() || source.headers().any(|header| header.settings.sampling.is_some());
        let contents = if has_slots { FolderContents::Slots } else { FolderContents::Games };
        conclude(json, (contents, &self.out, SAME_COMMAND), ended, Some(workers))
    }

    /// Begins the folder, or continues it: then the games in it are counted, and `check` may refuse them.
    fn writer(
        &self,
        plan: &ShardPlan,
        totals: &mut Totals,
        mut check: impl FnMut(&GameRecord, &Path) -> Result<(), DataError>,
    ) -> Result<Writer, Failure> {
        if is_same_folder(&self.source, &self.out) {
            refuse!("cannot write to `{}`: its games are the source; give another folder to --out", self.out.display());
        }
        let begun = self.out.is_dir() && !shards_of(&self.out).map_err(Failure::input)?.is_empty();
        if !begun {
            return Writer::create(&self.out, plan, SHARD_MAX).map_err(Failure::from);
        }
        let header = Writer::last_header(&self.out).map_err(Failure::input)?;
        if let Some(change) = difference(&self.out, &header.settings, &plan.settings, false) {
            return Err(Failure::input(change));
        }
        let resumed = Writer::resume(&self.out, &plan.origin, self.accept_new_program, SHARD_MAX, &mut |game, file| {
            check(game, file)?;
            totals.add(game, Filter::DEFAULT.count(game).map_err(|error| error.in_file(file))?);
            Ok(())
        });
        let (writer, dropped) = resumed?;
        dropped.iter().for_each(|text| say!("warning: {text}"));
        Ok(writer)
    }
}

/// The number of new games for the progress display: `each` for each game of the source. A damaged source counts up to
/// the damage. Reading 100 000 games takes some seconds; a hidden display needs no end.
fn goal(common: &Common, source: &Archive, each: u64) -> DatagenGoal {
    let games = (!common.quiet).then(|| source.games().take_while(Result::is_ok).count() as u64 * each);
    DatagenGoal { games, ..DatagenGoal::default() }
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
