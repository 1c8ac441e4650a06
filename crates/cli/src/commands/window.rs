//! `quarterply window`: search trees.

mod bets;
mod diff;
mod model;
mod module;
mod review;
mod search;
mod serve;
mod site;
mod support;
mod tutorial;
mod what_if;
mod why;

use crate::common::Common;
use crate::failure::CommandResult;

/// Arguments of `window`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: WindowCommand,
}

#[derive(clap::Subcommand, Debug)]
pub enum WindowCommand {
    /// Rank rules by pruned and reduced moves that the same search later found to matter.
    #[command(after_help = "Example: quarterply window bets data/suites/quarterply-24.epd")]
    Bets(bets::Arguments),
    /// Compare two searches of one position: nodes, decisions, causes.
    #[command(after_help = "Example: quarterply window diff --profile default --profile classic")]
    Diff(diff::Arguments),
    /// Search a small model tree and show every decision.
    #[command(after_help = "Example: quarterply window model data/models/zugzwang.json --engine")]
    Model(model::Arguments),
    /// Review a game: the loss of each move, and the reasons for mistakes.
    #[command(after_help = "Example: quarterply window review game.pgn -o review.html")]
    Review(review::Arguments),
    /// Record a search and show every node: what was searched, extended, reduced or skipped, and why.
    #[command(after_help = "Example: quarterply window search --depth 6 -o tree.html")]
    Search(search::Arguments),
    /// Serve a page on this computer that shows traces and searches positions.
    #[command(after_help = "Example: quarterply window serve --open")]
    Serve(serve::Arguments),
    /// Show a recorded search.
    #[command(after_help = "Example: quarterply window show tree.trace --iteration 5")]
    Show(search::ShowArguments),
    /// Write the page as a web site that searches without a server.
    #[command(after_help = "Example: quarterply window site dist/web")]
    Site(site::Arguments),
    /// Print a tutorial on search, or write it as a page with interactive trees.
    #[command(after_help = "Example: quarterply window tutorial --small 4")]
    Tutorial(tutorial::Arguments),
    /// Explain why a move is not the best.
    #[command(after_help = "Example: quarterply window why Nf3 --moves \"e4 e5\" --depth 8")]
    Why(why::Arguments),
}

impl Arguments {
    /// Returns true if two profiles are compared.
    pub fn compares(&self) -> bool {
        matches!(self.command, WindowCommand::Diff(_))
    }
}

/// Runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        WindowCommand::Bets(arguments) => bets::run(common, arguments),
        WindowCommand::Diff(arguments) => diff::run(common, arguments),
        WindowCommand::Model(arguments) => model::run(common, arguments),
        WindowCommand::Review(arguments) => review::run(common, arguments),
        WindowCommand::Search(arguments) => search::run(common, arguments),
        WindowCommand::Serve(arguments) => serve::run(common, arguments),
        WindowCommand::Show(arguments) => search::show(common, arguments),
        WindowCommand::Site(arguments) => site::run(common, arguments),
        WindowCommand::Tutorial(arguments) => tutorial::run(common, arguments),
        WindowCommand::Why(arguments) => why::run(common, arguments),
    }
}
