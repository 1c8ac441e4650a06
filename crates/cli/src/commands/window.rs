//! `quarterply window`: see the tree.

mod search;
mod serve;
mod support;

use crate::args::Common;
use crate::failure::Done;

/// Which window.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Record a search and show every node: what was searched, extended, reduced or left out, and why.
    Search(search::Arguments),
    /// Show traces and search positions on a page of this computer.
    Serve(serve::Arguments),
    /// Show a trace recorded before.
    Show(search::ShowArguments),
}

/// Opens the window that was asked for.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    match &arguments.command {
        Command::Search(arguments) => search::run(common, arguments),
        Command::Serve(arguments) => serve::run(common, arguments),
        Command::Show(arguments) => search::show(common, arguments),
    }
}
