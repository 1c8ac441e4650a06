//! Lists of the parameters in the forms that people and tuners read.

mod document;
mod tuners;

pub use document::{json, markdown};
pub use tuners::{ctt, fishtest, openbench, weather_factory};

use quarterply_engine::params::{Entry, Kind, Parameters};

/// The parameters that a list is about, with their values.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Where the values come from.
    pub parameters: Parameters,
    /// What is listed, in the order of declaration.
    pub entries: Vec<Entry>,
}

impl Selection {
    /// The parameters whose rule or full name is one of `names`; all if there are none. The error is a name that fits nothing.
    pub fn new(parameters: Parameters, names: &[String]) -> Result<Selection, String> {
        let fits = |entry: &Entry, name: &str| entry.group == name || entry.name == name;
        let wanted: Vec<String> = names.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        if let Some(at) = wanted.iter().position(|name| !Parameters::specs().any(|entry| fits(&entry, name))) {
            return Err(names[at].clone());
        }
        let chosen = |entry: &Entry| wanted.is_empty() || wanted.iter().any(|name| fits(entry, name));
        Ok(Selection { parameters, entries: Parameters::specs().filter(chosen).collect() })
    }

    /// The value of a listed parameter.
    pub fn value(&self, entry: &Entry) -> i32 {
        self.parameters.get(&entry.name).unwrap_or(entry.spec.default)
    }

    /// The listed parameters that a tuner can climb on: numbers, not switches.
    fn numbers(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.spec.kind == Kind::Number)
    }
}
