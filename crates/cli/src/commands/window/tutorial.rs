//! `quarterply window tutorial`: a chapter on search with live figures.

use std::io;
use std::process::ExitCode;

use quarterply_window::tutorial::{self, Depths, TutorialError};

use crate::failure::{Done, Failure};

/// How deep the counted searches go.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Plies of minimax and alpha-beta in an endgame.
    #[arg(long, value_name = "D", default_value_t = Depths::default().small, value_parser = clap::value_parser!(u16).range(1..=9))]
    pub small: u16,
    /// Plies of minimax and alpha-beta in a middlegame.
    #[arg(long, value_name = "D", default_value_t = Depths::default().large, value_parser = clap::value_parser!(u16).range(1..=5))]
    pub large: u16,
    /// Plies of the engine's searches, rule by rule.
    #[arg(long, value_name = "D", default_value_t = Depths::default().rules, value_parser = clap::value_parser!(u32).range(1..=12))]
    pub rules: u32,
}

/// Prints the chapter.
pub fn run(arguments: &Arguments) -> Done {
    let &Arguments { small, large, rules } = arguments;
    match tutorial::write(&mut io::stdout().lock(), Depths { small, large, rules }) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(TutorialError::Write(error)) => Err(error.into()),
        Err(error) => Err(Failure::input(error)),
    }
}
