//! `quarterply window model --engine`: the same tree searched by the real search, with every rule.

use std::io::{self, IsTerminal};
use std::path::Path;

use quarterply_window::model_search::{ModelSearchError, ModelSearchSettings, OPEN};
use quarterply_window::show::{log, tree};
use quarterply_window::{Model, ModelError, html};

use super::{ModelFormat, head};
use crate::commands::window::support::{self, record_failure, show_failure};
use crate::common::Common;
use crate::failure::Failure;

/// The output, and the comparison for `--json`.
pub struct ModelOutput {
    /// In the wanted form.
    pub bytes: Vec<u8>,
    /// Both searches side by side.
    pub comparison: serde_json::Value,
}

/// Searches the model and shows it; `depth` is in plies; `None` for that of the model. To a terminal with colours.
pub fn search_model(
    common: &Common,
    (file, model): (&Path, &Model),
    format: ModelFormat,
    depth: Option<u32>,
    to_file: bool,
) -> Result<ModelOutput, Failure> {
    let (profile, parameters) = support::parameters(common)?;
    let settings = ModelSearchSettings { parameters: &parameters, profile: &profile, depth };
    let model_failure = |error| model_failure(file, error);
    let search = model.search(settings).map_err(model_failure)?;
    let comparison = search.comparison().map_err(model_failure)?;
    let root = search.root().map_err(show_failure)?;
    let position = search.position();
    let mut bytes = Vec::new();
    match format {
        ModelFormat::Text => {
            let colours = !to_file && io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            bytes.extend(head(model).bytes());
            tree::write(&mut bytes, &search.trace, root, position, &tree::Style { fold: OPEN, colours })
                .map_err(show_failure)?;
            bytes.extend(format!("\n{comparison}").bytes());
        }
        ModelFormat::Log => log::write(&mut bytes, &search.trace, root, position).map_err(show_failure)?,
        ModelFormat::Verdict => bytes.extend(comparison.to_string().bytes()),
        ModelFormat::Json => {
            bytes.extend(serde_json::to_string_pretty(&comparison.to_json()).map_err(io::Error::from)?.bytes());
            bytes.push(b'\n');
        }
        ModelFormat::Html => bytes.extend(html::page(&search.view().map_err(model_failure)?).bytes()),
        ModelFormat::Trace if to_file => bytes = search.trace.bytes().map_err(Failure::input)?,
        ModelFormat::Trace => {
            refuse!("cannot write a trace to the terminal: it is a binary file; give a file with -o FILE.trace");
        }
        ModelFormat::Diagram | ModelFormat::Scan | ModelFormat::Pairs | ModelFormat::Sargon | ModelFormat::Boards => {
            refuse!(
                "cannot use this --format with --engine: it shows the textbook search; give text, log, verdict, json, html or trace"
            );
        }
    }
    Ok(ModelOutput { bytes, comparison: comparison.to_json() })
}

/// The failure of a model that is not a chess position or of a trace that cannot be read: both are input errors.
pub fn model_failure(file: &Path, error: ModelSearchError) -> Failure {
    match error {
        ModelSearchError::Record(error) => record_failure(error),
        ModelSearchError::Trace(error) => Failure::input(error),
        ModelSearchError::Show(error) => show_failure(error),
        error @ ModelSearchError::Parameters(_) => Failure::input(error),
        ModelSearchError::Model(reason) => {
            Failure::input(ModelError::InFile { path: file.to_owned(), reason: Box::new(reason) })
        }
    }
}
