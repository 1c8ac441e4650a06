//! `quarterply train average NETWORK... -o FILE`: the mean of networks that began alike.

use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_learn::train::average::average;

use super::{failure, read};
use crate::common::Common;
use crate::export;
use crate::failure::{Done, Failure};

/// Which networks, and where their mean goes.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Networks of `train`, all with the same --from.
    #[arg(required = true, value_name = "NETWORK")]
    networks: Vec<PathBuf>,
    /// Write the averaged network to this file.
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
}

/// Reads, averages, writes.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let Some(output) = &arguments.output else {
        refuse!("cannot average: no output file is given; name it with -o");
    };
    let draft = export::create(common, output, &arguments.networks)?;
    let networks = arguments
        .networks
        .iter()
        .map(|file| Ok((file.display().to_string(), read(file)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mean = average(&networks).map_err(failure)?;
    draft.finish(mean.encode())?;
    if !common.quiet {
        say!("{}: {}, the mean of {} networks", output.display(), mean.name(), networks.len());
    }
    Ok(ExitCode::SUCCESS)
}
