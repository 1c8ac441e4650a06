//! The values that were found, in the formats that engines and other tuners read.

use super::{FORMATS, ReportError, RunView};
use crate::params::{Selection, ctt, fishtest, openbench, weather_factory};
use crate::profile::write_profile;
use crate::tune::space::Space;
use quarterply_engine::params::Parameters;
use std::fmt::Write;

/// Paths within the folder of the run, and their text. The profile with the tuned parameters comes first, if there is one.
pub(super) fn formats(view: &RunView<'_>) -> Result<Vec<(String, String)>, ReportError> {
    let Some(last) = view.story.steps.last() else { return Ok(Vec::new()) };
    let space = Space { dimensions: view.story.dimensions.clone() };
    let mut files = Vec::new();
    if let Some(base) = view.base {
        let best = space.apply(base, &last.snapshot.best)?;
        let tuned = |name: &str| space.dimensions.iter().any(|dimension| dimension.name == name);
        files.push(("tuned.toml", head(view) + &write_profile(&best, |entry| tuned(&entry.name))));
        let entries = Parameters::specs().filter(|entry| tuned(&entry.name)).collect();
        let selection = Selection { parameters: best, entries };
        files.push(("openbench.txt", openbench(&selection)));
        files.push(("fishtest.txt", fishtest(&selection)));
        files.push(("weather-factory.json", weather_factory(&selection)));
        files.push(("chess-tuning-tools.json", ctt(&selection)));
    }
    let mut options =
        view.base_name().map_or_else(String::new, |name| format!("setoption name Profile value {name}\n"));
    for (name, value) in space.settings(&last.snapshot.best) {
        let _ = writeln!(options, "setoption name {name} value {value}");
    }
    files.push(("uci.txt", options));
    Ok(files.into_iter().map(|(name, text)| (format!("{FORMATS}/{name}"), text)).collect())
}

/// What the tuned values belong to.
fn head(view: &RunView<'_>) -> String {
    let base = view.base_name().map_or_else(String::new, |name| format!(", which belong on top of --profile {name}"));
    format!("# Only the parameters that were tuned{base}; profile.toml of the run has all.\n\n")
}
