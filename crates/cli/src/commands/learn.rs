//! `quarterply learn`: fits parameters to self-play games.

mod cost;
mod eval;
mod order;
mod realization;
mod wdl;

use crate::common::Common;
use crate::failure::CommandResult;

/// Arguments of `learn`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    action: LearnAction,
}

#[derive(clap::Subcommand, Debug)]
enum LearnAction {
    /// Fit the probability that a late move matters, for learned reductions.
    #[command(after_help = "Example: quarterply learn cost games/first -o learned.toml --page l.html")]
    Cost(cost::Arguments),
    /// Fit the weights of the classical evaluation to results and scores of games.
    #[command(after_help = "Example: quarterply learn eval games/first -o weights.rs --page fit.html")]
    Eval(eval::Arguments),
    /// Train a network or tables for the order of quiet moves.
    #[command(after_help = "Example: quarterply learn order move-map games/first -o move_map.bin")]
    Order(order::Arguments),
    /// Fit move probabilities for search by realization probability.
    #[command(after_help = "Example: quarterply learn realization games/first -o mine.toml")]
    Realization(realization::Arguments),
    /// Fit the win-draw-loss model of `UCI_ShowWDL`.
    #[command(after_help = "Example: quarterply learn wdl games/first")]
    Wdl(wdl::Arguments),
}

/// Why learning from games needs neither --profile nor --set.
const NO_SEARCH: &str = "nothing is searched, and the games hold the scores";

/// Runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    match &arguments.action {
        LearnAction::Cost(arguments) => cost::run(common, arguments),
        LearnAction::Eval(arguments) => eval::run(common, arguments),
        LearnAction::Order(arguments) => order::run(common, arguments),
        LearnAction::Realization(arguments) => realization::run(common, arguments),
        LearnAction::Wdl(arguments) => wdl::run(common, arguments),
    }
}
