//! The values that were found, in the formats that engines and other tuners read.

use super::{FORMATS, RunView};
use crate::recorded::usable;
use crate::space::{Dimension, Space};
use quarterply_engine::params::current_name;
use quarterply_files::params::{Export, Number, OPENINGS_FILE, ctt, fishtest, openbench, weather_factory};
use quarterply_games::openings;
use std::fmt::Write;

/// Openings that are written for tuners that need a file of them.
const OPENINGS: usize = 64;

/// Paths within the folder of the run, and their text. The profile with the tuned parameters comes first, if there is one.
pub(super) fn formats(view: &RunView<'_>) -> Vec<(String, String)> {
    let Some(last) = view.summary.steps.last() else { return Vec::new() };
    let mut space = Space { dimensions: view.summary.dimensions.clone() };
    let mut best = last.snapshot.best.clone();
    let mut files = Vec::new();
    if let Some(base) = view.base {
        let tuned = |name: &str| space.dimensions.iter().any(|dimension| current_name(&dimension.name) == name);
        files.push(("tuned.toml", head(view) + &base.with(&space, &best).profile(tuned)));
        // Other tuners start this version, which must have every parameter that they set.
        (space, best) = usable(&space, &best);
    }
    let export = export(view, &space, &best);
    files.push(("openbench.txt", openbench(&export)));
    files.push(("fishtest.txt", fishtest(&export)));
    files.push(("weather-factory.json", weather_factory(&export)));
    files.push(("chess-tuning-tools.json", ctt(&export, OPENINGS_FILE)));
    files.push((OPENINGS_FILE, openings::book(view.summary.seed, OPENINGS)));
    let mut options =
        view.base_name().map_or_else(String::new, |name| format!("setoption name Profile value {name}\n"));
    for (name, value) in space.settings(&best) {
        let _ = writeln!(options, "setoption name {name} value {value}");
    }
    files.push(("uci.txt", options));
    files.into_iter().map(|(name, text)| (format!("{FORMATS}/{name}"), text)).collect()
}

/// The best values in the formats of other tuners, for this engine or another.
fn export(view: &RunView<'_>, space: &Space, best: &[i32]) -> Export {
    let numbers = space.dimensions.iter().zip(best).filter(|(dimension, _)| !dimension.switch);
    let number =
        |(d, value): (&Dimension, &i32)| Number { name: d.name.clone(), value: *value, min: d.min, max: d.max };
    let profile = view.base_name().map(|name| ("Profile".to_owned(), name.to_owned()));
    let mut fixed: Vec<(String, String)> = profile.into_iter().collect();
    // Switches have no gradient, so they stay as the run found them.
    let settings = space.settings(best).into_iter().zip(&space.dimensions);
    fixed.extend(settings.filter(|(_, dimension)| dimension.switch).map(|(setting, _)| setting));
    let command = match view.engine {
        None => "quarterply".to_owned(),
        Some(engine) => {
            fixed.extend(engine.options.iter().cloned());
            engine.command.clone()
        }
    };
    Export { command, numbers: numbers.map(number).collect(), fixed }
}

/// The comment with the profile or the options that the tuned values belong to.
fn head(view: &RunView<'_>) -> String {
    let base = view.base_name().map_or_else(String::new, |name| format!(", which belong on top of --profile {name}"));
    format!("# Only the parameters that were tuned{base}; profile.toml of the run has all.\n\n")
}
