//! Profiles: sets of parameter values, built in or as TOML files.
//!
//! A file holds one table per rule: `[null_move]`, then `on = true` and `base = 3072`. Other parameters keep the value of the
//! built-in profile named by the top-level key `from`, or of `default`; after `from = "neutral"`, the neutral value. The
//! top-level key `EvalFile` names the evaluation: `<classical>`, or a network file, relative to the profile's folder. A file of
//! learned coefficients is named by the key `coefficients` of its rule, relative to the same folder. The keys `title`, `source`,
//! `date` and `bench` describe the profile and set nothing.

mod file;

pub use file::{parse_profile, read_profile, write_profile};

use quarterply_engine::network::{self, EvalFile};
use quarterply_engine::params::{ParameterKind, Parameters, model_of};
use quarterply_engine::profile;
pub use quarterply_engine::profile::DEFAULT as DEFAULT_NAME;
pub use quarterply_engine::words::hint;
use std::error::Error;
use std::io;
use std::path::Path;

/// Profile names at least this much like a wrong one are suggested.
const LIKENESS_MIN: f64 = 0.7;

/// Why a profile cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ProfileError {
    #[error(
        "cannot find profile `{name}`: the built-in profiles are {}; any other value is the path of a TOML file{}",
        profile::BUILTIN.join(", "),
        hint(.nearest)
    )]
    Unknown { name: String, nearest: Option<String> },
    #[error(
        "cannot start from profile `{name}`: `from` is {} or one of the built-in profiles {}{}",
        profile::NEUTRAL,
        profile::BUILTIN.join(", "),
        hint(.nearest)
    )]
    From { name: String, nearest: Option<String> },
    #[error("cannot read `{file}`: {reason}; check the path and the permissions")]
    Io { file: String, reason: io::Error },
    #[error(
        "cannot read `{file}`: it is empty; write `[rule]` and `parameter = value`, or create one with `quarterply params --format toml`"
    )]
    Empty { file: String },
    #[error("cannot read {file}:{line}: {fault}")]
    Line { file: String, line: usize, fault: Fault },
    #[error("cannot set `{text}`: {fault}")]
    Setting { text: String, fault: Fault },
}

/// The fault of a line or a setting.
type Fault = Box<dyn Error + Send + Sync>;

/// The parameters of `--profile` and `--set`: a built-in name or a TOML file, then the settings in order.
pub fn resolve(choice: Option<&str>, settings: &[String]) -> Result<Parameters, ProfileError> {
    let mut parameters = match choice {
        None => named(DEFAULT_NAME)?,
        Some(text) => match named(text) {
            Ok(parameters) => parameters,
            Err(unknown) if !looks_like_file(text) => return Err(unknown),
            Err(_) => read_profile(Path::new(text))?,
        },
    };
    for setting in settings {
        apply_setting(&mut parameters, setting)?;
    }
    Ok(parameters)
}

/// The built-in profile called `name`; case does not matter.
pub fn named(name: &str) -> Result<Parameters, ProfileError> {
    let lower = name.trim().to_ascii_lowercase();
    profile::builtin(&lower).ok_or_else(|| ProfileError::Unknown {
        name: name.to_owned(),
        nearest: nearest(&lower, profile::BUILTIN.iter().copied()),
    })
}

/// Applies `rule.parameter=value`, `EvalFile=path` or `rule.coefficients=path`.
pub fn apply_setting(parameters: &mut Parameters, text: &str) -> Result<(), ProfileError> {
    let mut apply = || -> Result<(), Fault> {
        let missing = "it has no `=`; write `rule.parameter=value`, such as `null_move.on=false`";
        let (name, value) = text.split_once('=').ok_or(missing)?;
        if name.trim().eq_ignore_ascii_case(network::OPTION) {
            parameters.choose(EvalFile::open(value)?);
        } else if let Some(model) = model_of(name) {
            parameters.choose_coefficients(model, model.open(value)?);
        } else {
            parameters.parse(name.trim(), value.trim())?;
        }
        Ok(())
    };
    apply().map_err(|fault| ProfileError::Setting { text: text.to_owned(), fault })
}

/// Returns true if this is the name of a file rather than of a built-in profile.
pub fn looks_like_file(text: &str) -> bool {
    text.contains(['/', '\\', '.']) || Path::new(text).exists()
}

/// A value in the form that profiles and settings have.
pub fn value_text(kind: ParameterKind, value: i32) -> String {
    match kind {
        ParameterKind::Switch => (value != 0).to_string(),
        ParameterKind::Number => value.to_string(),
    }
}

/// The name that is most similar to a wrong one, if any is similar enough.
pub fn nearest<'a>(unknown: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|name| (strsim::jaro_winkler(unknown, name), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_profiles_are_found_by_name() {
        for name in profile::BUILTIN {
            assert!(named(&name.to_uppercase()).is_ok(), "{name}");
        }
        assert_eq!(resolve(None, &[]).expect("the default"), named(DEFAULT_NAME).expect("the default"));
    }

    #[test]
    fn settings_come_after_the_profile_in_order() {
        let settings = ["null_move.on=false", "Null_Move.On = true", "null_move.on=0"].map(String::from);
        let parameters = resolve(Some("default"), &settings).expect("good settings");
        assert_eq!(parameters.get("null_move.on"), Ok(0));
    }

    #[test]
    fn wrong_choices_name_text_and_remedy() {
        for (choice, setting, needles) in [
            (Some("defualt"), None, vec!["`defualt`", "did you mean `default`?"]),
            (Some("qqqq"), None, vec!["`qqqq`", "the built-in profiles are default"]),
            (Some("no/such.toml"), None, vec!["cannot read `no/such.toml`: "]),
            (None, Some("null_move.on"), vec!["cannot set `null_move.on`: it has no `=`"]),
            (None, Some("nul_move.on=1"), vec!["`nul_move.on=1`", "did you mean `null_move.on`?"]),
            (None, Some("null_move.on=7"), vec!["`null_move.on=7`", "0 to 1"]),
            (None, Some("EvalFile=no/such.nnue"), vec!["`EvalFile=no/such.nnue`: cannot read `no/such.nnue`: "]),
            (
                None,
                Some("learned_cost.coefficients=no/such.toml"),
                vec!["`learned_cost.coefficients=no/such.toml`: cannot read coefficients `no/such.toml`", "<default>"],
            ),
            (
                None,
                Some("learned_cost.bias=5"),
                vec!["`learned_cost.bias=5`", "give `learned_cost.coefficients` its path"],
            ),
            (None, Some("null_move.on=maybe"), vec!["`maybe`", "true or false"]),
        ] {
            let settings: Vec<String> = setting.into_iter().map(String::from).collect();
            let message = resolve(choice, &settings).expect_err("a wrong choice").to_string();
            assert!(needles.iter().all(|needle| message.contains(needle)), "{message}");
        }
    }
}
