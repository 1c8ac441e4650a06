//! `quarterply tune import`: results of other tuners as a profile.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use miette::miette;
use quarterply_files::profile;
use quarterply_tune::import::import;
use serde_json::json;

use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};

/// Arguments of `tune import`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File with the digest, values or inputs of an OpenBench SPSA run, a list of fishtest, a configuration of weather-factory or chess-tuning-tools, or setoption lines.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Writes the values that the file gives as a profile to stdout, and what they change to stderr.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let base = common.parameters()?;
    let file = arguments.file.display().to_string();
    let bytes = std::fs::read(&arguments.file)
        .map_err(|e| Failure::Input(miette!("cannot read `{file}`: {e}; check the path and the permissions")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Input(miette!("cannot read `{file}`: not a text file; give a file in UTF-8")))?;
    let import = import(&file, &text, &base).map_err(Failure::input)?;
    // On top of another profile than the reader's, all values count.
    let read = |name: &str| import.on_profile || import.changes.iter().any(|change| change.name == name);
    let profile = profile::write_profile(&import.parameters, |entry| read(&entry.name));
    let mut json = JsonLines::open(common, [&arguments.file])?;
    for change in &import.changes {
        json.write(&json!({"name": change.name, "from": change.from, "to": change.to}))?;
    }
    let mut out = json.out();
    out.write_all(profile.as_bytes())?;
    out.flush()?;
    json.close()?;
    if !common.quiet {
        for change in import.changes.iter().filter(|change| change.from != change.to) {
            say!("{}: {} -> {}", change.name, change.from, change.to);
        }
    }
    Ok(ExitCode::SUCCESS)
}
