//! Lists of the parameters for readers and for tuners.

mod document;
mod tuners;

pub use document::{json, markdown};
pub use tuners::{Export, Number, OPENINGS_FILE, ctt, fishtest, openbench, weather_factory};

use quarterply_engine::params::{ParameterEntry, ParameterKind, Parameters};

/// The parameters that a list is about, with their values.
#[derive(Clone, Debug)]
pub struct ParameterList {
    /// The values.
    pub parameters: Parameters,
    /// The listed parameters, in the order of declaration.
    pub entries: Vec<ParameterEntry>,
}

impl ParameterList {
    /// The parameters whose rule or full name is one of `names`; all if the list is empty. The error is a name that matches nothing.
    pub fn new(parameters: Parameters, names: &[String]) -> Result<ParameterList, String> {
        let fits = |entry: &ParameterEntry, name: &str| entry.group == name || entry.name == name;
        let requested: Vec<String> = names.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        if let Some(at) = requested.iter().position(|name| !Parameters::specs().any(|entry| fits(&entry, name))) {
            return Err(names[at].clone());
        }
        let chosen = |entry: &ParameterEntry| requested.is_empty() || requested.iter().any(|name| fits(entry, name));
        Ok(ParameterList { parameters, entries: Parameters::specs().filter(chosen).collect() })
    }

    /// The value of a listed parameter.
    pub fn value(&self, entry: &ParameterEntry) -> i32 {
        self.parameters.get(&entry.name).unwrap_or(entry.spec.default)
    }

    /// The listed parameters that a tuner can change by steps: numbers, not switches.
    fn numbers(&self) -> impl Iterator<Item = &ParameterEntry> {
        self.entries.iter().filter(|entry| entry.spec.kind == ParameterKind::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Spec;
    use quarterply_engine::rules::worth::Worths;

    const ON: Spec = Spec {
        name: "on",
        doc: " use it",
        default: 1,
        neutral: 0,
        min: 0,
        max: 1,
        step: 1,
        kind: ParameterKind::Switch,
    };
    const BASE: Spec = Spec {
        name: "base",
        doc: " flat | part (plies/1024)",
        default: 3072,
        neutral: 2048,
        min: 1024,
        max: 8192,
        step: 128,
        kind: ParameterKind::Number,
    };
    const SMALL: Spec = Spec {
        name: "small",
        doc: " few (moves)",
        default: 2,
        neutral: 2,
        min: 0,
        max: 4,
        step: 1,
        kind: ParameterKind::Number,
    };

    /// A list that does not change when the engine is tuned: no parameter has these names, so the defaults are shown.
    fn fixed() -> ParameterList {
        let entry = |spec: &'static Spec| ParameterEntry {
            group: "example_rule",
            about: "An example.",
            spec,
            name: format!("example_rule.{}", spec.name),
        };
        ParameterList { parameters: Parameters::default(), entries: vec![entry(&ON), entry(&BASE), entry(&SMALL)] }
    }

    #[test]
    fn every_format_is_written_like_its_snapshot() {
        let list = fixed();
        let export = Export::from(&list);
        for (name, written, expected) in [
            ("openbench", openbench(&export), include_str!("params/snapshots/openbench.txt")),
            ("fishtest", fishtest(&export), include_str!("params/snapshots/fishtest.txt")),
            ("weather-factory", weather_factory(&export), include_str!("params/snapshots/weather-factory.json")),
            ("ctt", ctt(&export, OPENINGS_FILE), include_str!("params/snapshots/ctt.json")),
            ("json", json(&list), include_str!("params/snapshots/parameters.json")),
            ("markdown", markdown(&list, Worths::builtin()), include_str!("params/snapshots/rules.md")),
        ] {
            assert_eq!(written, expected, "{name}");
        }
    }
}
