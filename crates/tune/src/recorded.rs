//! The base profile of a run as its plan recorded it, and what this version can use of it.
//!
//! A run can be older than the program that reads it: parameters are removed, ranges change, and the file of a network can be
//! missing. Reading a run never fails for these reasons. A value that cannot be used is a [`Mismatch`], shown as it was recorded.
//! Only resuming a run requires every value ([`RecordedProfile::parameters`]).

use super::error::TuneError;
use super::space::{Candidate, Space};
use quarterply_engine::network::{EvalFile, OPTION};
use quarterply_engine::params::{ParameterError, Parameters, current_name, model_of};
use quarterply_engine::profile::{BUILTIN, builtin};
use quarterply_files::profile::write_profile;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Values of parameters by group and name.
pub type Values = BTreeMap<String, BTreeMap<String, i32>>;

/// Files of learned coefficients by the options that select them.
pub type RecordedCoefficients = BTreeMap<String, String>;

/// Parameters that older versions had, with the values at which they changed nothing: these values are not a mismatch.
const REMOVED: [(&str, i32); 11] = [
    ("null_move.cut_only", 0),
    ("history.joint", 0),
    ("history.fail_low", 0),
    ("correction.three_weight", 0),
    ("correction.four_weight", 0),
    ("correction.five_weight", 0),
    ("correction.six_weight", 0),
    ("correction.seven_weight", 0),
    ("clock.surprise_base", 100),
    ("clock.surprise_step", 0),
    ("clock.surprise_max", 200),
];

/// Text before the mismatches of a profile.
const HEAD: &str = "# Recorded values that this version cannot use:\n";

/// The values of a profile as they were recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedProfile {
    values: Values,
    /// The file of the network, or `<classical>`, if it was not the default.
    eval_file: Option<String>,
    /// The files of learned coefficients that were not the default.
    coefficients: RecordedCoefficients,
}

/// A recorded value that this version cannot use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Error)]
#[error("it recorded `{name} = {recorded}`, but {reason}")]
pub struct Mismatch {
    /// `rule.parameter`, or the option of a file.
    pub name: String,
    /// The recorded value; of a parameter that was tuned beyond the range of this version, the recorded range.
    pub recorded: String,
    /// Why it cannot be used.
    pub reason: UnusableReason,
}

/// Why a recorded value cannot be used. As JSON it is its text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnusableReason {
    /// This version has no such parameter.
    #[error("this version has no such parameter")]
    Removed,
    /// It is a learned coefficient with another value in this version, in the file that this option selects.
    #[error("this version reads another value from the file of {0}")]
    Coefficient(&'static str),
    /// The range of this version is another one: least value of this version and greatest value of this version.
    #[error("this version takes {0} to {1}")]
    Range(i32, i32),
    /// The file of the network or of coefficients cannot be read.
    #[error("{0}")]
    File(String),
}

impl RecordedProfile {
    /// A profile as a plan holds it; former names of parameters become the present ones.
    pub fn new(values: Values, eval_file: Option<String>, coefficients: RecordedCoefficients) -> RecordedProfile {
        let mut recorded = RecordedProfile { values: Values::new(), eval_file, coefficients };
        for (group, values) in values {
            values.into_iter().for_each(|(name, value)| recorded.insert(&format!("{group}.{name}"), value));
        }
        recorded
    }

    /// Records the value of `group.parameter`, a present or a former name.
    fn insert(&mut self, name: &str, value: i32) {
        if let Some((group, name)) = current_name(name).split_once('.') {
            self.values.entry(group.to_owned()).or_default().insert(name.to_owned(), value);
        }
    }

    /// The record of these parameters.
    pub fn of(parameters: &Parameters) -> RecordedProfile {
        let mut values = Values::new();
        for entry in Parameters::specs() {
            let value = parameters.get(&entry.name).unwrap_or(entry.spec.default);
            values.entry(entry.group.to_owned()).or_default().insert(entry.spec.name.to_owned(), value);
        }
        RecordedProfile { values, eval_file: parameters.eval_file.kept(), coefficients: coefficient_files(parameters) }
    }

    /// All values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The record with the values of a candidate.
    pub fn with(&self, space: &Space, candidate: &[i32]) -> RecordedProfile {
        let mut changed = self.clone();
        for (dimension, value) in space.dimensions.iter().zip(candidate) {
            changed.insert(&dimension.name, *value);
        }
        changed
    }

    /// The built-in profile of this version that has exactly these values.
    pub fn name(&self) -> Option<&'static str> {
        BUILTIN.iter().copied().find(|name| builtin(name).is_some_and(|profile| RecordedProfile::of(&profile) == *self))
    }

    /// The values that this version cannot use, in the order of their names.
    pub fn mismatches(&self) -> Vec<Mismatch> {
        self.read().1
    }

    /// The mismatches of the values, and those of the ranges of a space.
    pub fn mismatches_with(&self, space: &Space) -> Vec<Mismatch> {
        let mut found = self.mismatches();
        for dimension in &space.dimensions {
            let range = format!("{}..{}", dimension.min, dimension.max);
            let known = found.iter().any(|one| one.name == dimension.name);
            let reason = [dimension.min, dimension.max].into_iter().find_map(|value| check(&dimension.name, value));
            if let Some(reason) = reason.filter(|_| !known) {
                found.push(Mismatch { name: dimension.name.clone(), recorded: range, reason });
            }
        }
        found
    }

    /// The parameters, for measurements of candidates of a space. Parameters that were not recorded are neutral: the run did not have them.
    ///
    /// # Errors
    /// [`TuneError::Mismatch`] if this version cannot use a recorded value or range; `build` describes the one that recorded them.
    pub fn parameters(&self, space: &Space, build: &str) -> Result<Parameters, TuneError> {
        let mut found = self.mismatches_with(space).into_iter();
        match found.next() {
            Some(first) => Err(TuneError::Mismatch(first, found.len(), build.to_owned())),
            None => Ok(self.read().0),
        }
    }

    /// The recorded values with chosen names, as the text of a profile. Mismatches are comments in its first lines.
    pub fn profile(&self, chosen: impl Fn(&str) -> bool) -> String {
        let (parameters, mismatches) = self.read();
        let unusable: BTreeSet<&str> = mismatches.iter().map(|one| one.name.as_str()).collect();
        let mut text = String::new();
        for one in mismatches.iter().filter(|one| is_file(&one.name) || chosen(&one.name)) {
            let head = if text.is_empty() { HEAD } else { "" };
            text += &format!("{head}# {} = {} ({})\n", one.name, one.recorded, one.reason);
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        let recorded = |group: &str, name: &str| self.values.get(group).is_some_and(|values| values.contains_key(name));
        let usable = write_profile(&parameters, |entry| {
            recorded(entry.group, entry.spec.name) && !unusable.contains(entry.name.as_str()) && chosen(&entry.name)
        });
        text + gap + &usable
    }

    /// The values that this version can use, and the others.
    fn read(&self) -> (Parameters, Vec<Mismatch>) {
        let (mut parameters, mut mismatches) = self.with_files();
        for (group, values) in &self.values {
            for (name, value) in values {
                let name = format!("{group}.{name}");
                if parameters.coefficient(&name) == Some(*value) || REMOVED.contains(&(name.as_str(), *value)) {
                    continue; // a parameter of the version that recorded it; the search is the same without it
                }
                if let Some(reason) = refusal(parameters.set(&name, *value)) {
                    mismatches.push(Mismatch { name, recorded: value.to_string(), reason });
                }
            }
        }
        (parameters, mismatches)
    }

    /// The neutral values with the recorded files, and those that cannot be read.
    fn with_files(&self) -> (Parameters, Vec<Mismatch>) {
        let mut parameters = Parameters::NEUTRAL;
        let mut mismatches = Vec::new();
        let mut note = |name: &str, file: &str, reason| {
            mismatches.push(Mismatch { name: name.to_owned(), recorded: file.to_owned(), reason });
        };
        if let Some(file) = &self.eval_file {
            match EvalFile::open(file) {
                Ok(network) => parameters.choose(network),
                Err(error) => note(OPTION, file, UnusableReason::File(error.to_string())),
            }
        }
        for (option, file) in &self.coefficients {
            match model_of(option).map(|model| (model, model.open(file))) {
                Some((model, Ok(coefficients))) => parameters.choose_coefficients(model, coefficients),
                Some((_, Err(error))) => note(option, file, UnusableReason::File(error.to_string())),
                None => note(option, file, UnusableReason::Removed),
            }
        }
        (parameters, mismatches)
    }
}

/// The files of learned coefficients that these parameters name.
pub fn coefficient_files(parameters: &Parameters) -> RecordedCoefficients {
    parameters.coefficient_files().filter_map(|(model, file)| Some((model.option.to_owned(), file.kept()?))).collect()
}

/// Returns true if this option names a file.
fn is_file(name: &str) -> bool {
    name == OPTION || model_of(name).is_some()
}

/// Why this version cannot use a value of a parameter, if it cannot.
pub(super) fn check(name: &str, value: i32) -> Option<UnusableReason> {
    refusal(Parameters::default().set(name, value))
}

fn refusal(outcome: Result<(), ParameterError>) -> Option<UnusableReason> {
    match outcome.err()? {
        ParameterError::OutOfRange { min, max, .. } => Some(UnusableReason::Range(min, max)),
        ParameterError::Coefficient { option, .. } => Some(UnusableReason::Coefficient(option)),
        ParameterError::Unknown { .. } | ParameterError::NotAValue { .. } => Some(UnusableReason::Removed),
    }
}

/// The dimensions that this version can set to the values of a candidate, and these values.
pub fn usable(space: &Space, candidate: &[i32]) -> (Space, Candidate) {
    let pairs = space.dimensions.iter().zip(candidate);
    let (dimensions, values) = pairs
        .filter(|(dimension, value)| check(&dimension.name, **value).is_none())
        .map(|(dimension, value)| (dimension.clone(), *value))
        .unzip();
    (Space { dimensions }, values)
}

impl Serialize for UnusableReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Dimension;
    use quarterply_files::profile::parse_profile;

    fn dimension(name: &str, min: i32, max: i32) -> Dimension {
        Dimension { name: name.into(), min, max, step: 1, start: min, switch: false }
    }

    /// The record of a profile with another value of a parameter.
    fn with_value(base: &Parameters, name: &str, value: i32) -> RecordedProfile {
        let mut recorded = RecordedProfile::of(base);
        recorded.insert(name, value);
        recorded
    }

    /// Names, recorded texts and reasons.
    fn rows(mismatches: &[Mismatch]) -> Vec<(&str, &str, String)> {
        mismatches.iter().map(|one| (one.name.as_str(), one.recorded.as_str(), one.reason.to_string())).collect()
    }

    #[test]
    fn unusable_values_are_reported_and_the_rest_is_read() {
        let base = builtin("falcon").expect("built in");
        let reduction = Parameters::find("null_move.reduction").expect("a parameter").spec;
        let (least, greatest) = (reduction.min, reduction.max);
        let range = format!("this version takes {least} to {greatest}");
        const GONE: &str = "this version has no such parameter";
        for (value, fits) in [(least - 1, false), (least, true), (greatest, true), (greatest + 1, false)] {
            let space = Space { dimensions: vec![dimension("null_move.reduction", value, value)] };
            let recorded = RecordedProfile::of(&base).with(&space, &[value]);
            let text = value.to_string();
            let expected = if fits { vec![] } else { vec![("null_move.reduction", text.as_str(), range.clone())] };
            assert_eq!(rows(&recorded.mismatches()), expected);
            let (kept, values) = usable(&space, &[value]);
            assert_eq!((kept.dimensions.len(), values.len()), (usize::from(fits), usize::from(fits)), "{value}");
            let profile = recorded.profile(|_| true);
            let read = parse_profile("p.toml", profile.as_bytes()).expect(&profile);
            let kept = if fits { value } else { reduction.default };
            assert_eq!((read.get("null_move.reduction"), read.get("futility.on")), (Ok(kept), Ok(1)), "{value}");
            assert_eq!(profile.contains(&format!("# null_move.reduction = {value} ({range})\n")), !fits, "{profile}");
        }
        let space = Space { dimensions: vec![dimension("no_rule.value", 0, 9)] };
        let recorded = RecordedProfile::of(&base).with(&space, &[3]);
        assert_eq!(rows(&recorded.mismatches_with(&space)), [("no_rule.value", "3", GONE.to_owned())]);
        assert!(recorded.profile(|_| true).contains(&format!("# no_rule.value = 3 ({GONE})\n")));
        assert!(!recorded.profile(|name| name == "null_move.on").contains("no_rule"), "only what is chosen");
    }

    #[test]
    fn former_names_of_parameters_are_those_of_today() {
        let base = builtin("falcon").expect("built in");
        let mut values = RecordedProfile::of(&base).values().clone();
        let check = values.get_mut("check").expect("a rule");
        let value = check.remove("reduction_only").expect("a parameter");
        check.insert("spare".to_owned(), value);
        let recorded = RecordedProfile::new(values, None, RecordedCoefficients::new());
        assert_eq!((recorded.name(), recorded.mismatches()), (Some("falcon"), vec![]));
        let space = Space { dimensions: vec![dimension("check.spare", 0, 1)] };
        let changed = recorded.with(&space, &[1 - value]).parameters(&space, "x").expect("usable");
        assert_eq!(changed.check.reduction_only, value == 0);
    }

    #[test]
    fn a_range_beyond_the_present_one_is_no_basis_for_measurements() {
        let recorded = RecordedProfile::of(&builtin("falcon").expect("built in"));
        let spec = Parameters::find("null_move.reduction").expect("a parameter").spec;
        for (min, max, fits) in
            [(spec.min, spec.max, true), (spec.min - 1, spec.max, false), (spec.min, spec.max + 1, false)]
        {
            let space = Space { dimensions: vec![dimension("null_move.reduction", min, max)] };
            assert!(recorded.mismatches().is_empty());
            assert_eq!(recorded.mismatches_with(&space).is_empty(), fits, "{min}..{max}");
            let read = recorded.parameters(&space, "0.0.9");
            assert_eq!(read.is_ok(), fits);
            if let Err(error) = read {
                let message = error.to_string();
                let parts = [
                    format!("it recorded `null_move.reduction = {min}..{max}`, but this version takes"),
                    "0.0.9".to_owned(),
                ];
                assert!(parts.iter().all(|part| message.contains(part)), "{message}");
            }
        }
    }

    #[test]
    fn a_missing_network_is_reported_with_its_path() {
        let base = builtin("falcon").expect("built in");
        let recorded = RecordedProfile { eval_file: Some("no/such.nnue".to_owned()), ..RecordedProfile::of(&base) };
        let mismatches = recorded.mismatches();
        assert_eq!((mismatches.len(), mismatches[0].name.as_str()), (1, OPTION));
        let profile = recorded.profile(|name| name == "null_move.on");
        assert!(profile.contains("# EvalFile = no/such.nnue (cannot read `no/such.nnue`: "), "{profile}");
        assert!(parse_profile("p.toml", profile.as_bytes()).is_ok(), "{profile}");
        assert!(recorded.parameters(&Space::default(), "x").is_err());
    }

    #[test]
    fn a_profile_has_the_name_of_the_built_in_one_with_its_values() {
        for name in BUILTIN {
            let base = builtin(name).expect("built in");
            assert_eq!(RecordedProfile::of(&base).name(), Some(*name));
            let mut other = base.clone();
            other.set("null_move.reduction", (base.null_move.reduction + 1) % 8).expect("a value");
            assert_ne!(RecordedProfile::of(&other).name(), Some(*name));
        }
        let mut older = RecordedProfile::of(&builtin("falcon").expect("built in"));
        older.values.remove("null_move");
        assert_eq!(older.name(), None, "an older version did not record all values");
    }

    #[test]
    fn recorded_coefficients_are_used_if_they_are_the_same_today() {
        let base = builtin("learned").expect("built in");
        let usual = base.learned().learned_cost[0];
        for (value, fits) in [(usual, true), (usual + 1, false), (usual - 1, false)] {
            let recorded = with_value(&base, "learned_cost.bias", value);
            let expected = "this version reads another value from the file of learned_cost.coefficients".to_owned();
            let text = value.to_string();
            let expected = if fits { vec![] } else { vec![("learned_cost.bias", text.as_str(), expected)] };
            assert_eq!(rows(&recorded.mismatches()), expected);
            assert_eq!(recorded.parameters(&Space::default(), "x").ok(), fits.then(|| base.clone()), "{value}");
            let profile = recorded.profile(|_| true);
            assert_eq!(profile.contains(&format!("# learned_cost.bias = {value} (")), !fits, "{profile}");
            assert!(parse_profile("p.toml", profile.as_bytes()).is_ok(), "{profile}");
        }
    }

    #[test]
    fn removed_parameters_are_reported_unless_they_had_no_effect() {
        let base = builtin("falcon").expect("built in");
        for (name, usual) in REMOVED {
            assert!(Parameters::find(name).is_err(), "{name} is not removed");
            for (value, fits) in [(usual, true), (usual + 1, false), (usual - 1, false)] {
                let recorded = with_value(&base, name, value);
                assert_eq!(recorded.mismatches().is_empty(), fits, "{name} = {value}");
                assert_eq!(recorded.parameters(&Space::default(), "x").is_ok(), fits, "{name} = {value}");
                assert_eq!(recorded.profile(|_| true).contains(name), !fits, "{name} = {value}");
            }
        }
    }

    #[test]
    fn coefficient_files_are_recorded_and_reported_if_missing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own.toml");
        let model = model_of("learned_cost.coefficients").expect("an option");
        let mut contents = model.parse(model.built_in).expect("built in");
        contents.values[0] += 1;
        std::fs::write(&path, model.write(&contents)).expect("written");
        let mut parameters = builtin("learned").expect("built in");
        parameters.choose_coefficients(model, model.open(&path.display().to_string()).expect("a file"));
        let recorded = RecordedProfile::of(&parameters);
        assert_eq!(recorded.name(), None, "its coefficients are its own");
        assert_eq!(recorded.parameters(&Space::default(), "x").expect("all there"), parameters);
        let profile = format!("from = \"neutral\"\n{}", recorded.profile(|_| true));
        assert_eq!(parse_profile("p.toml", profile.as_bytes()).expect(&profile), parameters);
        std::fs::remove_file(&path).expect("removed");
        let mismatches = recorded.mismatches();
        assert_eq!((mismatches.len(), mismatches[0].name.as_str()), (1, model.option));
        assert!(mismatches[0].reason.to_string().contains("cannot read coefficients"), "{}", mismatches[0].reason);
        assert!(recorded.profile(|name| name == "null_move.on").contains("# learned_cost.coefficients = "));
        assert!(recorded.parameters(&Space::default(), "x").is_err());
    }
}
