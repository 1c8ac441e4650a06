//! Limits of a search on the command line.

use clap::builder::ArgPredicate;
use quarterply_engine::clock::Limits;

use crate::numbers::count;

/// Nodes of a search when nothing else limits it.
const NODES_DEFAULT: &str = "100000";
/// Maximum depth of a search, in plies.
pub const DEPTH_MAX: u64 = 200;
/// Maximum size of a transposition table, in MiB.
pub const HASH_MAX: u64 = 1 << 25;

/// How long each position is searched.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SearchLimits {
    /// Search N nodes; unlimited if only --depth is given.
    #[arg(long, value_name = "N", default_value = NODES_DEFAULT, default_value_if("depth", ArgPredicate::IsPresent, None),
        value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Search to depth D, in plies.
    #[arg(long, value_name = "D", value_parser = count::<u32>(1..=DEPTH_MAX))]
    pub depth: Option<u32>,
}

impl SearchLimits {
    /// When to stop.
    pub fn get(&self) -> Limits {
        Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() }
    }
}
