//! Quarterply: a chess engine and a laboratory for search.
//!
//! Without arguments it speaks UCI; sub-commands do the rest.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod export;
mod failure;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let Cli { common, command } = Cli::parse();
    let done = match command {
        Command::Bench(arguments) => commands::bench::run(&common, &arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Params(arguments) => commands::params::run(&common, &arguments),
        Command::Perft(arguments) => commands::perft::run(&common, &arguments),
        Command::Selfplay(arguments) => commands::selfplay::run(&common, &arguments),
        Command::Solve(arguments) => commands::solve::run(&common, &arguments),
        Command::UciCheck(arguments) => commands::uci_check::run(&common, &arguments),
    };
    failure::exit_code(done)
}
