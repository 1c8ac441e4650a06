//! Quarterply: a chess engine and a laboratory for search.
//!
//! Without arguments it is a UCI engine; sub-commands provide all other functions.

#![forbid(unsafe_code)]

#[macro_use]
mod failure;
#[macro_use]
mod screen;

mod args;
mod background;
mod commands;
mod common;
mod dialogue;
#[cfg(test)]
mod documentation;
mod execution;
mod export;
mod guard;
mod interrupt;
mod limits;
mod listing;
mod numbers;
mod positions;
mod processor;
mod progress;

use std::process::ExitCode;

use args::{Cli, Command};
use failure::CommandResult;
use quarterply_engine::network::vector::Level;

fn main() -> ExitCode {
    if let Some(code) = processor::refuse() {
        return code;
    }
    run()
}

/// Everything else, in a separate function: none of its instructions is executed before the processor is checked.
#[inline(never)]
fn run() -> ExitCode {
    interrupt::keep_hangup_ignored();
    if let Some(code) = guard::run() {
        return code;
    }
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    guard::enable();
    if let Some(fault) = Level::complaint().filter(|_| !cli.common.quiet) {
        say!("{fault}");
    }
    failure::exit_code(carry_out(cli).and_then(|code| Ok(screen::flush().map(|()| code)?)))
}

/// Runs the command.
fn carry_out(cli: Cli) -> CommandResult {
    let Cli { common, show_parameters, command } = cli;
    match command {
        None => commands::uci::listen(&common, show_parameters),
        // Other engines start this way; scripts that need only the answer to `uci` add `quit`.
        Some(Command::Lines(words)) if words == ["uci"] => commands::uci::listen(&common, show_parameters),
        Some(Command::Lines(words)) => commands::uci::run_lines(&common, &words, show_parameters, &args::command()),
        Some(Command::Bench(arguments)) => commands::bench::run(&common, &arguments),
        Some(Command::Compare(arguments)) => commands::compare::run(&common, &arguments),
        Some(Command::Datagen(arguments)) => commands::datagen::run(&common, &arguments),
        Some(Command::Ablate(arguments)) => commands::ablate::run(&common, &arguments),
        Some(Command::Completions(arguments)) => commands::shell::completions(&common, &arguments, args::command()),
        Some(Command::Man(arguments)) => commands::shell::man(&common, &arguments, args::command()),
        Some(Command::Eval(arguments)) => commands::eval::run(&common, &arguments),
        Some(Command::Learn(arguments)) => commands::learn::run(&common, &arguments),
        Some(Command::Match(arguments)) => commands::matches::run(&common, &arguments),
        Some(Command::Mine(arguments)) => commands::mine::run(&common, &arguments),
        Some(Command::Params(arguments)) => commands::params::run(&common, &arguments),
        Some(Command::Perft(arguments)) => commands::perft::run(&common, &arguments),
        Some(Command::Selfplay(arguments)) => commands::selfplay::run(&common, &arguments),
        Some(Command::Solve(arguments)) => commands::solve::run(&common, &arguments),
        Some(Command::Stats(arguments)) => commands::stats::run(&common, &arguments),
        Some(Command::Train(arguments)) => commands::train::run(&common, &arguments),
        Some(Command::Tune(arguments)) => commands::tune::run(&common, &arguments),
        Some(Command::UciCheck(arguments)) => commands::uci_check::run(&common, &arguments),
        Some(Command::Window(arguments)) => commands::window::run(&common, &arguments),
        Some(Command::Worker(arguments)) => commands::worker::run(&common, &arguments),
        Some(Command::Workers(arguments)) => commands::workers::run(&common, &arguments),
    }
}
