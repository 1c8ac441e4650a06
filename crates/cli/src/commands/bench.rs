//! `quarterply bench [DEPTH]`: the signature of the search and its speed.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::value_parser;
use quarterply_lab::{bench, profile};

use crate::args::Common;
use crate::failure::{Done, Failure};

/// How deep.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Depth of each search in plies.
    #[arg(value_name = "DEPTH", default_value_t = bench::DEPTH_DEFAULT, value_parser = value_parser!(u32).range(1..=200))]
    pub depth: u32,
}

/// Searches every position; the last line is `N nodes M nps`.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
    let mut out = io::stdout().lock();
    let mut failed = None;
    let total = bench::run(&parameters, arguments.depth, usize::MAX, &mut |step| {
        if !common.quiet && failed.is_none() {
            let bench::Step { number, count, id, nodes, time } = step;
            failed = writeln!(out, "{number:2}/{count} {nodes:>9} nodes {:>6} ms  {id}", time.as_millis()).err();
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    writeln!(out, "{total}")?;
    Ok(ExitCode::SUCCESS)
}
