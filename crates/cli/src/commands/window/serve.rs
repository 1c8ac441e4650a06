//! `quarterply window serve`: the page on a local server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_window::model_search::ModelSetup;
use quarterply_window::serve::{self, ServeError, ServeOptions};
use quarterply_window::trace::Trace;
use quarterply_window::{Model, View};

use serde_json::json;

use super::model::model_failure;
use super::support::{self};
use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};

/// Arguments of `window serve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Show this trace first, a file of `window search -o FILE.trace`.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Search this model with the engine and every rule of --profile and --set; the page can change its scores and the rules.
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub model: Option<PathBuf>,
    /// Listen on this port of this computer [default: a free one].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Open the page in the browser.
    #[arg(long)]
    pub open: bool,
}

/// The model of a file with what it is to be searched with.
fn played(common: &Common, path: &Path) -> Result<ModelSetup, Failure> {
    let model = Model::read(path).map_err(Failure::input)?;
    if !common.quiet {
        model.warnings.iter().for_each(|warning| say!("{}: {warning}", path.display()));
    }
    let (profile, parameters) = support::parameters(common)?;
    Ok(ModelSetup { model, parameters, profile, depth: None })
}

/// Serves until Ctrl-C.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    if arguments.model.is_none() {
        common.refuse_parameters("without --model, the page sets the parameters")?;
    }
    let played = arguments.model.as_deref().map(|path| played(common, path)).transpose()?;
    let view = match &arguments.trace {
        None => match (&played, &arguments.model) {
            (Some(played), Some(path)) => Some(played.search().map_err(|error| model_failure(path, error))?.0),
            _ => None,
        },
        Some(path) => {
            let trace = Trace::open(path).map_err(Failure::input)?;
            if !common.quiet {
                say!("reading {} nodes", trace.len());
            }
            Some(View::of_recording(trace).map_err(|error| model_failure(path, error))?)
        }
    };
    let quiet = common.quiet;
    let mut json = JsonLines::open(common, arguments.trace.iter().chain(&arguments.model))?;
    let announce = move |url: &str| {
        // Nobody may be reading; the server runs all the same.
        let written = json.write(&json!({"url": url})).and_then(|()| json.print(&url)).map_err(Failure::from);
        if let Err(Failure::Input(report) | Failure::Run(report)) = written.and_then(|()| json.close()) {
            say!("warning: {report}");
        }
        if !quiet {
            say!("press Ctrl-C to stop");
        }
    };
    let options = ServeOptions {
        port: arguments.port,
        open: arguments.open,
        view,
        played,
        announce: Box::new(announce),
        ..ServeOptions::default()
    };
    match serve::run(options) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error @ ServeError::Port { .. }) => Err(Failure::input(error)),
        Err(ServeError::System(error)) => Err(Failure::from(error)),
    }
}
