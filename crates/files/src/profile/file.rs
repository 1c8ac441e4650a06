//! Profiles as TOML files.

use super::{Fault, ProfileError, hint, named, nearest, value_text};
use crate::epd::quote;
use quarterply_engine::network::{CLASSICAL, DEFAULT, EvalFile, OPTION};
use quarterply_engine::params::{ParameterEntry, ParameterError, Parameters, model_of};
use quarterply_engine::profile;
use serde_json::Value;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The key that names the profile to start from.
const FROM: &str = profile::FROM;

/// A profile with all parameters and their documents has a twentieth of this.
const BYTES_MAX: u64 = 1 << 20;

/// Reads a profile from a file.
pub fn read_profile(path: &Path) -> Result<Parameters, ProfileError> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    match File::open(path).and_then(|open| open.take(BYTES_MAX + 1).read_to_end(&mut bytes)) {
        Ok(_) if bytes.len() as u64 > BYTES_MAX => {
            let reason = io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {BYTES_MAX} bytes"));
            Err(ProfileError::Io { file, reason })
        }
        Ok(_) => parse_profile(&file, &bytes),
        Err(reason) => Err(ProfileError::Io { file, reason }),
    }
}

/// Reads a profile from the bytes of the file named `file`.
pub fn parse_profile(file: &str, bytes: &[u8]) -> Result<Parameters, ProfileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    match text.and_then(|text| text.bytes().position(|byte| byte == 0).map_or(Ok(text), Err)) {
        Ok(text) => ProfileSource { file, text }.read(),
        Err(at) => {
            let fault = "not a text file; give a profile, which is TOML in UTF-8".into();
            Err(ProfileError::Line { file: file.to_owned(), line: line_of(bytes, at), fault })
        }
    }
}

/// The number of the line at this offset, from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// A file being read.
struct ProfileSource<'a> {
    file: &'a str,
    text: &'a str,
}

impl ProfileSource<'_> {
    fn read(&self) -> Result<Parameters, ProfileError> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            self.no_toml(start, &error.message().replace('\n', ", "))
        })?;
        let document = document.into_inner();
        if document.is_empty() {
            return Err(ProfileError::Empty { file: self.file.to_owned() });
        }
        let from = document.iter().find(|(key, _)| key.get_ref() == FROM);
        let mut parameters = match from {
            None => Parameters::default(),
            Some((_, value)) => self.start(value.get_ref(), value.span())?,
        };
        let describes = |key: &str| key == FROM || profile::HEADER.contains(&key);
        for (key, value) in document.iter().filter(|(key, _)| !describes(key.get_ref())) {
            self.apply(&mut parameters, key.get_ref(), value.get_ref(), key.span().start)?;
        }
        Ok(parameters)
    }

    /// The error for a fault at this offset.
    fn fault(&self, at: usize, fault: impl Into<Fault>) -> ProfileError {
        ProfileError::Line { file: self.file.to_owned(), line: self.line(at), fault: fault.into() }
    }

    fn no_toml(&self, at: usize, reason: &str) -> ProfileError {
        let text = quote(self.line_text(at));
        self.fault(at, format!("`{text}` is not TOML ({reason}); write `[rule]` and `parameter = value`"))
    }

    fn start(&self, value: &DeValue<'_>, span: Range<usize>) -> Result<Parameters, ProfileError> {
        let name = value.as_str().unwrap_or_else(|| &self.text[span.clone()]);
        if name.trim().eq_ignore_ascii_case(profile::NEUTRAL) {
            return Ok(Parameters::NEUTRAL);
        }
        named(name).map_err(|error| {
            let error = match error {
                ProfileError::Unknown { name, nearest } => ProfileError::From { name, nearest },
                other => other,
            };
            self.fault(span.start, error)
        })
    }

    /// Sets one parameter, or every parameter of a table.
    fn apply(
        &self,
        parameters: &mut Parameters,
        name: &str,
        value: &DeValue<'_>,
        at: usize,
    ) -> Result<(), ProfileError> {
        if name.eq_ignore_ascii_case(OPTION) {
            let file = EvalFile::open(&self.path(OPTION, value, at)?);
            parameters.choose(file.map_err(|fault| self.fault(at, fault))?);
            return Ok(());
        }
        if let Some(model) = model_of(name) {
            let file = model.open(&self.path(model.option, value, at)?);
            parameters.choose_coefficients(model, file.map_err(|fault| self.fault(at, fault))?);
            return Ok(());
        }
        if let DeValue::Table(table) = value {
            self.require_group(name, at)?;
            for (key, inner) in table {
                self.apply(parameters, &format!("{name}.{}", key.get_ref()), inner.get_ref(), key.span().start)?;
            }
            return Ok(());
        }
        let set = match value {
            DeValue::Boolean(on) => parameters.parse(name, &on.to_string()),
            DeValue::Integer(number) => parameters.parse(name, &decimal(number.as_str(), number.radix())),
            _ => Err(self.not_a_value(name, at)),
        };
        set.map_err(|fault| self.fault(at, fault))
    }

    /// The path of a file in an option, relative to the profile's folder; a name in angle brackets is kept.
    fn path(&self, option: &str, value: &DeValue<'_>, at: usize) -> Result<String, ProfileError> {
        let wrong = || {
            let line = quote(self.line_text(at));
            self.fault(at, format!("`{line}` is not valid: expected the value of {option} as a text in quotes"))
        };
        let text = value.as_str().ok_or_else(wrong)?;
        if matches!(text, "" | DEFAULT | CLASSICAL) {
            return Ok(text.to_owned());
        }
        Ok(Path::new(self.file).parent().unwrap_or(Path::new("")).join(text).display().to_string())
    }

    /// Reports a misspelt table instead of its first parameter.
    fn require_group(&self, name: &str, at: usize) -> Result<(), ProfileError> {
        let prefix = format!("{}.", name.to_ascii_lowercase());
        if Parameters::specs().any(|entry| entry.name.starts_with(&prefix)) {
            return Ok(());
        }
        let hint = hint(&nearest(name, Parameters::specs().map(|entry| entry.group)));
        Err(self.fault(at, format!("no rule is named `{name}`{hint}")))
    }

    fn not_a_value(&self, name: &str, at: usize) -> ParameterError {
        match Parameters::find(name) {
            Err(unknown) => unknown,
            Ok(entry) => ParameterError::NotAValue {
                text: quote(self.line_text(at).split_once('=').map_or("", |(_, value)| value.trim())),
                name: entry.name,
                kind: entry.spec.kind,
            },
        }
    }

    fn line(&self, at: usize) -> usize {
        line_of(self.text.as_bytes(), at)
    }

    fn line_text(&self, at: usize) -> &str {
        self.text.lines().nth(self.line(at) - 1).unwrap_or_default().trim()
    }
}

/// An integer of any base in base ten; one that is too large stays as it is and is refused later.
fn decimal(digits: &str, radix: u32) -> String {
    i64::from_str_radix(digits, radix).map_or_else(|_| digits.to_owned(), |value| value.to_string())
}

/// The parameters as a TOML file with a remark on each.
pub fn write_profile(parameters: &Parameters, chosen: impl Fn(&ParameterEntry) -> bool) -> String {
    let mut text = String::new();
    let mut group = "";
    if let Some(choice) = parameters.eval_file.kept() {
        // A string in JSON is one in TOML.
        let _ = writeln!(text, "{OPTION} = {}\n", Value::from(choice));
    }
    for entry in Parameters::specs().filter(chosen) {
        if entry.group != group {
            group = entry.group;
            let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
            let _ = writeln!(text, "{gap}# {}\n[{group}]", entry.about);
            let file = parameters.coefficient_files().find(|(model, _)| model.rule == group);
            if let Some(path) = file.and_then(|(_, file)| file.kept()) {
                let _ = writeln!(text, "coefficients = {}", Value::from(path));
            }
        }
        let spec = entry.spec;
        let value = parameters.get(&entry.name).unwrap_or(spec.default);
        let assignment = format!("{} = {}", spec.name, value_text(spec.kind, value));
        let _ = writeln!(text, "{assignment:32} # {}", spec.doc.trim());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarterply_engine::network::{Network, Parts};

    fn message(text: &str) -> String {
        parse_profile("p.toml", text.as_bytes()).expect_err(text).to_string()
    }

    #[test]
    fn a_profile_sets_only_the_parameters_it_names() {
        for text in [
            "[null_move]\non = false\n",
            "\u{feff}[null_move]\r\non = false\r\n",
            "null_move.on = false",
            "\"null_move.on\" = 0",
            "from = \"default\"\n[null_move] # remark\non = 0x0\n",
        ] {
            let mut expected = Parameters::default();
            expected.null_move.on = false;
            assert_eq!(parse_profile("p.toml", text.as_bytes()).expect(text), expected, "{text:?}");
        }
        let neutral = parse_profile("p.toml", b"title = 'Nothing'\nfrom = 'neutral'").expect("a known start");
        assert_eq!(neutral, Parameters::NEUTRAL);
        let classic = parse_profile("p.toml", b"from = \"classic\"").expect("a known start");
        assert_eq!(classic, named("classic").expect("built in"));
    }

    /// A copy of a built-in profile is a profile.
    #[test]
    fn the_files_of_built_in_profiles_are_read_like_any_other() {
        for (name, text) in profile::FILES {
            assert_eq!(parse_profile("p.toml", text.as_bytes()).expect(name), named(name).expect("built in"), "{name}");
        }
    }

    #[test]
    fn written_profiles_are_read_back() {
        for name in quarterply_engine::profile::BUILTIN {
            let parameters = named(name).expect("built in");
            let text = write_profile(&parameters, |_| true);
            assert_eq!(parse_profile("p.toml", text.as_bytes()).expect(name), parameters, "{name}");
        }
    }

    #[test]
    fn a_file_without_end_is_no_profile() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.toml");
        std::fs::write(&path, "#".repeat(2 << 20)).expect("written");
        let error = read_profile(&path).expect_err("too large").to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
    }

    #[test]
    fn a_profile_names_its_evaluation() {
        let classical = Parameters { eval_file: EvalFile::Classical, ..Parameters::default() };
        let text = write_profile(&classical, |entry| entry.group == "null_move");
        assert!(text.starts_with("EvalFile = \"<classical>\"\n\n# "), "{text}");
        assert_eq!(parse_profile("p.toml", text.as_bytes()).expect("what was written"), classical);
        assert_eq!(parse_profile("p.toml", b"evalfile = '<default>'").expect("a name"), Parameters::default());
        let folder = tempfile::tempdir().expect("a folder");
        let parts = Parts { facts: r#"{"plan":{"classical":0.0}}"#.to_owned(), ..Parts::zero(32, 1) };
        std::fs::write(folder.path().join("alone.nnue"), Network::new(&parts).expect("zeros").encode())
            .expect("a file");
        let profile = folder.path().join("p.toml").display().to_string();
        for (rest, share) in
            [("", 0), ("network.classical = 40", 40), ("[network]\ntempo = 5", 0), ("[network]\nclassical = 20", 20)]
        {
            let read =
                parse_profile(&profile, format!("EvalFile = \"alone.nnue\"\n{rest}").as_bytes()).expect("a profile");
            assert_eq!(read.network.classical, share, "{rest}");
            let again = parse_profile(&profile, write_profile(&read, |_| true).as_bytes()).expect("what was written");
            assert_eq!(again.network.classical, share, "{rest}");
        }
        let error = parse_profile("some/p.toml", b"\nEvalFile = \"own.nnue\"").expect_err("there is none").to_string();
        assert!(error.starts_with("cannot read some/p.toml:2: cannot read `some/own.nnue`: "), "{error}");
        assert!(
            message("EvalFile = 3")
                .contains("p.toml:1: `EvalFile = 3` is not valid: expected the value of EvalFile as a text")
        );
    }

    #[test]
    fn a_profile_names_its_coefficients() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = folder.path().join("p.toml").display().to_string();
        let model = model_of("learned_cost.coefficients").expect("an option");
        let mut contents = model.parse(model.built_in).expect("built in");
        contents.values[0] += 1;
        std::fs::write(folder.path().join("own.toml"), model.write(&contents)).expect("written");
        let mut expected = Parameters::default();
        expected.learned_cost.on = true;
        expected.restore("learned_cost.bias", contents.values[0]).expect("in range");
        for text in [
            "[learned_cost]\ncoefficients = \"own.toml\"\non = true\n",
            "learned_cost.on = true\nlearned_cost.Coefficients = 'own.toml'\n",
        ] {
            let read = parse_profile(&profile, text.as_bytes()).expect(text);
            assert_eq!(read, expected, "{text}");
            let written = write_profile(&read, |entry| entry.name == "learned_cost.on");
            assert!(written.contains("[learned_cost]\ncoefficients = \"/"), "{written}");
            assert_eq!(parse_profile("elsewhere/p.toml", written.as_bytes()).expect(&written), expected, "{written}");
            assert!(!write_profile(&read, |entry| entry.group == "null_move").contains("coefficients"));
        }
        let default = parse_profile(&profile, b"[learned_cost]\ncoefficients = '<default>'").expect("a name");
        assert_eq!(default, Parameters::default());
        for (text, needles) in [
            ("[learned_cost]\ncoefficients = 3", ["p.toml:2: `coefficients = 3` is not valid", "as a text in quotes"]),
            ("[learned_cost]\n\ncoefficients = 'no.toml'", ["p.toml:3: cannot read coefficients `", "or <default>"]),
            (
                "[realization]\ncoefficients = 'own.toml'",
                ["p.toml:2: cannot read", "set `learned_cost.coefficients` to it"],
            ),
            (
                "[learned_cost]\nbias = 3",
                ["p.toml:2: `learned_cost.bias` is a learned coefficient", "`learned_cost.coefficients` its path"],
            ),
        ] {
            let error = parse_profile(&profile, text.as_bytes()).expect_err(text).to_string();
            assert!(needles.iter().all(|needle| error.contains(needle)), "{text:?}\n{error}");
        }
    }

    /// Rust's own quotation writes the second as `\u{308}`, which is not TOML.
    #[test]
    fn paths_with_combining_characters_are_read_back() {
        let folder = tempfile::Builder::new().prefix("u\u{308}\u{a0}").tempdir().expect("a folder");
        let file = folder.path().join("own.toml");
        let model = model_of("learned_cost.coefficients").expect("an option");
        std::fs::write(&file, model.write(&model.parse(model.built_in).expect("built in"))).expect("written");
        let mut parameters = Parameters::default();
        parameters.choose_coefficients(model, model.open(&file.display().to_string()).expect("a file"));
        let text = write_profile(&parameters, |entry| entry.group == "learned_cost");
        assert!(text.contains("own.toml"), "{text}");
        assert_eq!(parse_profile("p.toml", text.as_bytes()).expect(&text), parameters);
    }

    #[test]
    fn bad_files_are_reported_with_line_text_and_remedy() {
        for (text, needles) in [
            ("", vec!["`p.toml`: it is empty"]),
            ("# nothing\n", vec!["`p.toml`: it is empty"]),
            ("\n[nul_move]\non = true\n", vec!["p.toml:2: no rule is named `nul_move`", "did you mean `null_move`?"]),
            ("[null_move]\nom = true\n", vec!["p.toml:2:", "`null_move.om`", "did you mean `null_move.on`?"]),
            ("[null_move]\n\non = 2\n", vec!["p.toml:3: `2` is not a valid value of `null_move.on`", "0 to 1"]),
            (
                "[null_move]\nbase = true\n",
                vec!["p.toml:2: `true` is not a valid value of `null_move.base`", "a whole number"],
            ),
            ("[null_move]\nbase = 1.5\n", vec!["p.toml:2: `1.5` is not a valid value of `null_move.base`"]),
            ("[null_move]\nbase = 99999999999999999999\n", vec!["p.toml:2:", "99999999999999999999"]),
            ("from = \"clasic\"\n", vec!["p.toml:1: cannot start from profile `clasic`", "did you mean `classic`?"]),
            ("from = \"own.toml\"\n", vec!["`own.toml`: `from` is neutral or one of the built-in profiles default,"]),
            ("[null_move]\non = tr", vec!["p.toml:2: `on = tr` is not TOML"]),
            ("[null_move\non = true", vec!["p.toml:1: `[null_move` is not TOML"]),
            ("[null_move]\non = true\non = false\n", vec!["p.toml:3: `on = false` is not TOML", "duplicate"]),
        ] {
            let message = message(text);
            assert!(needles.iter().all(|needle| message.contains(needle)), "{text:?}\n{message}");
        }
    }

    #[test]
    fn binary_files_are_named_as_such() {
        for bytes in [&b"[null_move]\n\xff\xfe"[..], b"[null_move]\n\x00"] {
            let message = parse_profile("p.toml", bytes).expect_err("no text").to_string();
            assert!(message.starts_with("cannot read p.toml:2: not a text file"), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_profile("p.toml", &bytes);
        }

        #[test]
        fn no_toml_like_text_makes_the_reader_panic(text in "(\\[?[a-z_.\"]{1,9}\\]? ?=? ?[0-9a-z\"]{0,6}\n){0,6}") {
            let _ = parse_profile("p.toml", text.as_bytes());
        }
    }
}
