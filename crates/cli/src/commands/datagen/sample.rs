//! `quarterply datagen sample`: positions from the search trees of old games, labelled by separate searches or by the trees themselves.

use quarterply_datagen::sample::plan;
use quarterply_datagen::settings::SamplingSettings;

use super::relabelling::{RelabellingArguments, RelabellingTask};
use crate::common::Common;
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;

/// Which games, how many positions, how carefully.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    relabelling: RelabellingArguments,
    /// Start no new iteration of a labelling search after N nodes; required without --tree-nodes.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), required_unless_present = "tree_nodes")]
    nodes: Option<u64>,
    /// Label with the search tree instead of separate searches: draw nodes with subtrees of at least N nodes and use their scores.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), conflicts_with_all = ["nodes", "hard_nodes"])]
    tree_nodes: Option<u64>,
    /// Limit of each search from which positions are drawn: start no new iteration after N nodes.
    #[arg(long, value_name = "N", default_value = "600", value_parser = count::<u64>(1..))]
    search_nodes: u64,
    /// Store at most N positions for each game.
    #[arg(long, value_name = "N", default_value = "24", value_parser = count::<u64>(1..=EACH_MAX))]
    each: u64,
    /// Draw N positions from each of these searches; a larger N costs less per position but gives more similar positions.
    #[arg(long, value_name = "N", default_value_t = SamplingSettings::PER_SEARCH, value_parser = count::<u64>(1..=EACH_MAX))]
    per_search: u64,
}

/// More positions of one game would be much the same.
const EACH_MAX: u64 = 10_000;

/// Draws positions, and values them.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let RelabellingTask { source, origin, parameters, hash } = arguments.relabelling.task(common)?;
    let seed = common.seed;
    let &Arguments { nodes, tree_nodes: tree, search_nodes: search, each, per_search, .. } = arguments;
    // With --tree-nodes the labels come from the visiting search, so its limits count.
    let limits = arguments.relabelling.limits(nodes.unwrap_or(search));
    let sampling = SamplingSettings { search, each, per_search, tree, seed };
    let plan = plan(&source, origin, (sampling, limits), &parameters, hash).map_err(Failure::input)?;
    arguments.relabelling.run(common, &source, &plan, Some(each), |_, _| Ok(()))
}
