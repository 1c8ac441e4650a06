//! Quarterply: a chess engine and a laboratory for search.
//!
//! Without arguments it speaks UCI; sub-commands do the rest.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let Cli { common, command } = Cli::parse();
    let done = match command {
        Command::UciCheck(arguments) => commands::uci_check::run(&common, &arguments),
    };
    failure::exit_code(done)
}
