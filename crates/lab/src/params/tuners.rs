//! Parameters for the tuners that other people have written. All of them climb on numbers, so switches are left out.

use super::Selection;
use quarterply_engine::params::Spec;
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

/// OpenBench: `name, int, start, min, max, C_end, R_end`, one a line.
pub fn openbench(selection: &Selection) -> String {
    let mut text = String::new();
    for entry in selection.numbers() {
        let Spec { min, max, .. } = *entry.spec;
        let (value, c_end) = (selection.value(entry), perturbation(entry.spec));
        let _ = writeln!(text, "{}, int, {value}, {min}, {max}, {c_end}, {RATE_END}", entry.name);
    }
    text
}

/// fishtest: `name,value,min,max,c_end,r_end`, one a line.
pub fn fishtest(selection: &Selection) -> String {
    let mut text = String::new();
    for entry in selection.numbers() {
        let Spec { min, max, .. } = *entry.spec;
        let (value, c_end) = (selection.value(entry), perturbation(entry.spec));
        let _ = writeln!(text, "{},{value},{min},{max},{c_end},{RATE_END:.4}", entry.name);
    }
    text
}

/// weather-factory: its `config.json`.
pub fn weather_factory(selection: &Selection) -> String {
    let mut config = Map::new();
    for entry in selection.numbers() {
        let Spec { min, max, step, .. } = *entry.spec;
        let value = selection.value(entry);
        config.insert(entry.name.clone(), json!({"value": value, "min_value": min, "max_value": max, "step": step}));
    }
    format!("{:#}\n", Value::Object(config))
}

/// chess-tuning-tools: a configuration in which the first engine is tuned against the second.
pub fn ctt(selection: &Selection) -> String {
    let engine = json!({"command": "quarterply", "fixed_parameters": {"Threads": 1, "Hash": GAME_HASH}});
    let mut ranges = Map::new();
    for entry in selection.numbers() {
        ranges.insert(entry.name.clone(), Value::from(format!("Integer({}, {})", entry.spec.min, entry.spec.max)));
    }
    let config = json!({
        "engines": [engine.clone(), engine],
        "parameter_ranges": ranges,
        "engine1_tc": GAME_TIME,
        "engine2_tc": GAME_TIME,
        "rounds": GAME_ROUNDS,
    });
    format!("{config:#}\n")
}

fn perturbation(spec: &Spec) -> f64 {
    (f64::from(spec.max - spec.min) / PERTURBATION_PARTS).max(PERTURBATION_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::{Kind, Parameters};

    fn all() -> Selection {
        Selection::new(Parameters::default(), &[]).expect("everything")
    }

    fn numbers() -> usize {
        Parameters::specs().filter(|entry| entry.spec.kind == Kind::Number).count()
    }

    #[test]
    fn lines_meet_what_the_spsa_servers_demand() {
        for (text, fields, first) in [(openbench(&all()), 7, 2), (fishtest(&all()), 6, 1)] {
            assert_eq!(text.lines().count(), numbers());
            for line in text.lines() {
                let parts: Vec<&str> = line.split(',').map(str::trim).collect();
                assert_eq!(parts.len(), fields, "{line}");
                let n: Vec<f64> = parts[first..].iter().map(|part| part.parse().expect(line)).collect();
                assert!(n[1] <= n[0] && n[0] <= n[2] && n[3] >= PERTURBATION_MIN && n[4] > 0.0, "{line}");
            }
        }
    }

    #[test]
    fn configurations_are_json_with_one_entry_per_number() {
        let factory: Value = serde_json::from_str(&weather_factory(&all())).expect("valid JSON");
        assert_eq!(factory.as_object().map(Map::len), Some(numbers()));
        assert!(factory["null_move.base"]["step"].is_i64());
        let ctt: Value = serde_json::from_str(&ctt(&all())).expect("valid JSON");
        assert_eq!(ctt["parameter_ranges"].as_object().map(Map::len), Some(numbers()));
        let range = ctt["parameter_ranges"]["null_move.base"].as_str().expect("a range");
        assert!(range.starts_with("Integer(") && range.ends_with(')'), "{range}");
    }

    #[test]
    fn one_line_looks_like_this() {
        let mut parameters = Parameters::default();
        let name = "null_move.base".to_owned();
        let spec = Parameters::find(&name).expect("declared").spec;
        parameters.set(&name, spec.max).expect("in range");
        let selection = Selection::new(parameters, &[name]).expect("it exists");
        let (min, max, c) = (spec.min, spec.max, perturbation(spec));
        assert_eq!(openbench(&selection), format!("null_move.base, int, {max}, {min}, {max}, {c}, 0.002\n"));
        assert_eq!(fishtest(&selection), format!("null_move.base,{max},{min},{max},{c},0.0020\n"));
    }
}
