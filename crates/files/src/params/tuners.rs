//! Parameters for other tuners. All of them tune numbers, so switches are left out.
//!
//! Their input: OpenBench (github.com/AndyGrant/OpenBench, `SPSA Inputs`) and fishtest (`TUNE()` lists) take lines,
//! weather-factory (github.com/dsekercioglu/weather-factory) a `config.json` whose step is the perturbation at the end, and
//! chess-tuning-tools (0.9.3) a configuration that names a file of openings which exists.

use super::ParameterList;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// SPSA moves each parameter at the end of a run by this part of its range.
const PERTURBATION_PARTS: f64 = 20.0;
/// Whole numbers cannot be moved by less.
const PERTURBATION_MIN: f64 = 0.5;
/// The learning rate at the end of a run, as is usual with SPSA on chess engines.
const RATE_END: f64 = 0.002;
/// Transposition table of tuning games, in MiB.
const GAME_HASH: u32 = 16;
/// Time per game and side, and increment, in the file for chess-tuning-tools.
const GAME_TIME: &str = "3+0.03";
/// Rounds per point in the file for chess-tuning-tools.
const GAME_ROUNDS: u32 = 10;
/// The file of openings for chess-tuning-tools, in the folder of its configuration.
pub const OPENINGS_FILE: &str = "openings.epd";
/// Our own program.
const OWN: &str = "quarterply";

/// A number that is tuned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// The name of the option.
    pub name: String,
    /// Its value.
    pub value: i32,
    /// The least value.
    pub min: i32,
    /// The greatest value.
    pub max: i32,
}

impl Number {
    /// The perturbation of SPSA at the end of a run.
    fn perturbation(&self) -> f64 {
        ((f64::from(self.max) - f64::from(self.min)) / PERTURBATION_PARTS).max(PERTURBATION_MIN)
    }
}

/// The input of another tuner: an engine, the tuned numbers, and fixed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The engine's command line.
    pub command: String,
    /// The numbers.
    pub numbers: Vec<Number>,
    /// Options that are the same in all games.
    pub fixed: Vec<(String, String)>,
}

impl From<&ParameterList> for Export {
    fn from(list: &ParameterList) -> Export {
        let number = |entry: &quarterply_engine::params::ParameterEntry| Number {
            name: entry.name.clone(),
            value: list.value(entry),
            min: entry.spec.min,
            max: entry.spec.max,
        };
        Export { command: OWN.to_owned(), numbers: list.numbers().map(number).collect(), fixed: Vec::new() }
    }
}

/// OpenBench: `name, int, start, min, max, C_end, R_end`, one a line.
pub fn openbench(export: &Export) -> String {
    let mut text = String::new();
    for number in &export.numbers {
        let Number { name, value, min, max } = number;
        let _ = writeln!(text, "{name}, int, {value}, {min}, {max}, {}, {RATE_END}", number.perturbation());
    }
    text
}

/// fishtest: `name,value,min,max,c_end,r_end`, one a line.
pub fn fishtest(export: &Export) -> String {
    let mut text = String::new();
    for number in &export.numbers {
        let Number { name, value, min, max } = number;
        let _ = writeln!(text, "{name},{value},{min},{max},{},{RATE_END:.4}", number.perturbation());
    }
    text
}

/// weather-factory: its `config.json`. Its step is a perturbation in whole numbers, not the distance of two values.
pub fn weather_factory(export: &Export) -> String {
    let mut config = Map::new();
    for number in &export.numbers {
        let step = number.perturbation().round().max(1.0) as i64;
        let Number { name, value, min, max } = number;
        config.insert(name.clone(), json!({"value": value, "min_value": min, "max_value": max, "step": step}));
    }
    format!("{:#}\n", Value::Object(config))
}

/// chess-tuning-tools: a configuration in which the first engine is tuned against the second, which keeps the present values.
pub fn ctt(export: &Export, openings: &str) -> String {
    let mut fixed = Map::new();
    fixed.insert("Threads".to_owned(), json!(1));
    fixed.insert("Hash".to_owned(), json!(GAME_HASH));
    fixed.extend(export.fixed.iter().map(|(name, value)| (name.clone(), json!(value))));
    let mut opponent = fixed.clone();
    let mut ranges = Map::new();
    for Number { name, value, min, max } in &export.numbers {
        ranges.insert(name.clone(), Value::from(format!("Integer({min}, {max})")));
        opponent.insert(name.clone(), json!(value));
    }
    let engine = |fixed: Map<String, Value>| json!({"command": export.command, "fixed_parameters": fixed});
    let config = json!({
        "engines": [engine(fixed), engine(opponent)],
        "parameter_ranges": ranges,
        "engine1_tc": GAME_TIME,
        "engine2_tc": GAME_TIME,
        "rounds": GAME_ROUNDS,
        "opening_file": openings,
    });
    format!("{config:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::{ParameterKind, Parameters};

    fn all() -> Export {
        Export::from(&ParameterList::new(Parameters::default(), &[]).expect("everything"))
    }

    fn numbers() -> usize {
        Parameters::specs().filter(|entry| entry.spec.kind == ParameterKind::Number).count()
    }

    #[test]
    fn configurations_are_json_with_one_entry_per_number() {
        let factory: Value = serde_json::from_str(&weather_factory(&all())).expect("valid JSON");
        let factory = factory.as_object().expect("an object");
        assert_eq!(factory.len(), numbers());
        for (name, one) in factory {
            let figure = |key: &str| one[key].as_i64().unwrap_or_else(|| panic!("{name}: {key}"));
            let width = figure("max_value") - figure("min_value");
            // A perturbation: a twentieth of the range, and never nothing.
            assert!(figure("step") >= 1 && (figure("step") * 20 - width).abs() <= 20, "{name}: {one}");
            assert!((figure("min_value")..=figure("max_value")).contains(&figure("value")), "{name}: {one}");
        }
        let ctt: Value = serde_json::from_str(&ctt(&all(), OPENINGS_FILE)).expect("valid JSON");
        assert_eq!(ctt["parameter_ranges"].as_object().map(Map::len), Some(numbers()));
        assert_eq!(ctt["opening_file"], OPENINGS_FILE);
        let range = ctt["parameter_ranges"]["null_move.base"].as_str().expect("a range");
        assert!(range.starts_with("Integer(") && range.ends_with(')'), "{range}");
        assert!(ctt["engines"][1]["fixed_parameters"]["null_move.base"].is_i64());
    }

    #[test]
    fn a_line_has_the_documented_format() {
        let mut parameters = Parameters::default();
        let name = "null_move.base".to_owned();
        let spec = Parameters::find(&name).expect("declared").spec;
        parameters.set(&name, spec.max).expect("in range");
        let export = Export::from(&ParameterList::new(parameters, &[name]).expect("it exists"));
        let (min, max, c) = (spec.min, spec.max, export.numbers[0].perturbation());
        assert_eq!(openbench(&export), format!("null_move.base, int, {max}, {min}, {max}, {c}, 0.002\n"));
        assert_eq!(fishtest(&export), format!("null_move.base,{max},{min},{max},{c},0.0020\n"));
    }
}
