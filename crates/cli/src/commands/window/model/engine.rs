//! `quarterply window model --engine`: the same tree searched by the real search, with every rule.

use std::io::{self, IsTerminal};
use std::path::Path;

use quarterply_engine::search::pool::Control;
use quarterply_window::real::{How, OPEN, RealError};
use quarterply_window::show::{log, tree};
use quarterply_window::{Model, ModelError, html};

use super::{ModelFormat, head};
use crate::commands::window::support::{self, record_failure, show_failure};
use crate::common::Common;
use crate::failure::Failure;

/// What came of it: what is written, and the closing for data.
pub struct Shown {
    /// In the wanted form.
    pub bytes: Vec<u8>,
    /// Both searches side by side.
    pub closing: serde_json::Value,
}

/// Searches the model and shows it; `depth` in plies is that of the model when left out. To a terminal with colours.
pub fn shown(
    common: &Common,
    (file, model): (&Path, &Model),
    format: ModelFormat,
    depth: Option<u32>,
    to_file: bool,
) -> Result<Shown, Failure> {
    let (profile, parameters) = support::parameters(common)?;
    let how = How { parameters: &parameters, profile: &profile, depth };
    let real_failure = |error| real_failure(file, error);
    let real = model.search(how, &Control::default()).map_err(real_failure)?;
    let closing = real.closing().map_err(real_failure)?;
    let root = real.root().map_err(show_failure)?;
    let position = real.position();
    let mut bytes = Vec::new();
    match format {
        ModelFormat::Text => {
            let colours = !to_file && io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            bytes.extend(head(model).bytes());
            tree::write(&mut bytes, &real.trace, root, position, &tree::Style { fold: OPEN, colours })
                .map_err(show_failure)?;
            bytes.extend(format!("\n{closing}").bytes());
        }
        ModelFormat::Log => log::write(&mut bytes, &real.trace, root, position).map_err(show_failure)?,
        ModelFormat::Verdict => bytes.extend(closing.to_string().bytes()),
        ModelFormat::Json => {
            bytes.extend(serde_json::to_string_pretty(&closing.to_json()).map_err(io::Error::from)?.bytes());
            bytes.push(b'\n');
        }
        ModelFormat::Html => bytes.extend(html::page(&real.view().map_err(real_failure)?).bytes()),
        ModelFormat::Trace if to_file => bytes.clone_from(&real.bytes),
        ModelFormat::Trace => {
            refuse!("cannot write a trace to the terminal: it is a binary file; give a file with -o FILE.trace");
        }
        ModelFormat::Diagram | ModelFormat::Scan | ModelFormat::Pairs | ModelFormat::Sargon | ModelFormat::Boards => {
            refuse!(
                "cannot use this --format with --engine: it shows the textbook search; give text, log, verdict, json, html or trace"
            );
        }
    }
    Ok(Shown { bytes, closing: closing.to_json() })
}

/// The failure of a model that is not a chess position or of a trace that cannot be read: both are input errors.
pub fn real_failure(file: &Path, error: RealError) -> Failure {
    match error {
        RealError::Record(error) => record_failure(error),
        RealError::Trace(error) => Failure::input(error),
        RealError::Show(error) => show_failure(error),
        error @ RealError::Parameters(_) => Failure::input(error),
        RealError::Model(reason) => {
            Failure::input(ModelError::InFile { path: file.to_owned(), reason: Box::new(reason) })
        }
    }
}
