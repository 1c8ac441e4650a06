//! Built-in profiles: named values of all parameters.
//!
//! `default` has the values that the rules declare. Every other profile is one complete file, `profiles/NAME.toml`, with title, source,
//! date, bench, and the values that differ from the neutral ones. A parameter that it does not name has its neutral value. A new parameter
//! or another default therefore changes only `default`; a test compares the bench of each profile with that of its file.

use crate::params::Parameters;
use std::sync::LazyLock;
use toml::{Table, Value};

/// The name of the profile with the default values, which is the strongest in play.
pub const DEFAULT: &str = "default";

/// The key of a profile file that names the profile whose values it changes.
pub const FROM: &str = "from";

/// The value of [`FROM`] in the files of built-in profiles.
pub const NEUTRAL: &str = "neutral";

/// The other keys of a profile file that are not parameters.
pub const HEADER: [&str; 4] = ["title", "source", "date", "bench"];

macro_rules! files {
    ($($name:literal)*) => {
        /// Names of the built-in profiles.
        pub const BUILTIN: &[&str] = &[DEFAULT, $($name),*];

        /// Names and texts of the files.
        pub const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../profiles/", $name, ".toml")))),*];
    };
}

files! {
    "tactical" "falcon" "evolved" "learned" "sex-1989" "sex-mark-v" "sex" "sex-two" "sex-layer" "sex-scaled" "realization" "classic"
}

/// A built-in profile with a file.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// A description, in a line.
    pub title: String,
    /// Its source: a key of `docs/papers.md`, or the run or page that found it.
    pub source: String,
    /// The day on which its values were set, as YYYY-MM-DD.
    pub date: String,
    /// The depth of its bench (plies).
    pub bench_depth: u32,
    /// The nodes of its bench.
    pub bench_nodes: u64,
    /// All parameters.
    pub parameters: Parameters,
}

/// The built-in profiles with a file.
pub fn files() -> &'static [Profile] {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        let read = |(name, text): &(&'static str, &str)| {
            Profile::read(name, text).unwrap_or_else(|reason| unreachable!("profiles/{name}.toml: {reason}"))
        };
        FILES.iter().map(read).collect()
    });
    &PROFILES
}

/// The built-in profile called `name`, whatever its case.
pub fn builtin(name: &str) -> Option<Parameters> {
    if name.eq_ignore_ascii_case(DEFAULT) {
        return Some(Parameters::DEFAULT);
    }
    files().iter().find(|profile| profile.name.eq_ignore_ascii_case(name)).map(|profile| profile.parameters.clone())
}

impl Profile {
    fn read(name: &'static str, text: &str) -> Result<Profile, String> {
        let mut document: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let mut header = |key: &str| document.remove(key).ok_or_else(|| format!("`{key}` is missing"));
        let [title, source, date, bench] = HEADER.map(&mut header);
        if header(FROM)?.as_str() != Some(NEUTRAL) {
            return Err(format!("`{FROM}` is not `{NEUTRAL}`"));
        }
        let text =
            |value: Result<Value, String>| value?.as_str().map(str::to_owned).ok_or_else(|| "no text".to_owned());
        let bench = bench?;
        let count = |key: &str| {
            let count = bench.get(key).and_then(Value::as_integer).and_then(|count| u64::try_from(count).ok());
            count.ok_or_else(|| format!("`bench` has no {key}"))
        };
        Ok(Profile {
            name,
            title: text(title)?,
            source: text(source)?,
            date: text(date)?,
            bench_depth: u32::try_from(count("depth")?).map_err(|error| error.to_string())?,
            bench_nodes: count("nodes")?,
            parameters: values(&document)?,
        })
    }
}

/// The neutral parameters with the values of these tables.
fn values(document: &Table) -> Result<Parameters, String> {
    let mut parameters = Parameters::NEUTRAL;
    for (group, table) in document {
        let table = table.as_table().ok_or_else(|| format!("`{group}` is not a table"))?;
        for (name, value) in table {
            parameters.parse(&format!("{group}.{name}"), &value.to_string()).map_err(|error| error.to_string())?;
        }
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::sources::OrderingSource;
    use crate::params::ParameterKind;

    #[test]
    fn every_name_is_a_profile() {
        for name in BUILTIN {
            assert!(builtin(name).is_some() && builtin(&name.to_uppercase()).is_some(), "{name}");
        }
        assert_eq!(builtin("default"), Some(Parameters::default()));
        assert!(builtin("none such").is_none());
    }

    #[test]
    fn a_file_holds_only_values_that_are_not_neutral_and_names_its_source() {
        for ((name, text), profile) in FILES.iter().zip(files()) {
            let named = text.lines().filter(|line| line.contains(" = ") && !line.starts_with('#')).count();
            let named = named - HEADER.len() - 1;
            let differ = |name: &str| profile.parameters.get(name) != Parameters::NEUTRAL.get(name);
            let differing = Parameters::specs().filter(|entry| differ(&entry.name)).count();
            assert_eq!(named, differing, "{name}: a value is neutral or named twice");
            assert!(!profile.title.is_empty() && !profile.source.is_empty(), "{name}");
            let date: Vec<usize> = profile.date.split('-').map(str::len).collect();
            assert_eq!(date, [4, 2, 2], "{name}: {}", profile.date);
        }
    }

    #[test]
    fn files_with_faults_are_refused() {
        let header =
            "title = 'T'\nsource = 'S'\ndate = '2026-01-01'\nbench = { depth = 1, nodes = 2 }\nfrom = 'neutral'\n";
        let good = Profile::read("x", &format!("{header}[null_move]\non = true\n")).expect("a profile");
        let expected = {
            let mut parameters = Parameters::NEUTRAL;
            parameters.null_move.on = true;
            parameters
        };
        assert_eq!((good.bench_depth, good.bench_nodes, good.parameters), (1, 2, expected));
        for (text, needle) in [
            (header.replace("title", "tittle"), "`title` is missing"),
            (header.replace("neutral", "default"), "`from` is not `neutral`"),
            (header.replace("nodes = 2", "nodes = -2"), "`bench` has no nodes"),
            (format!("{header}[null_move]\nom = true"), "null_move.om"),
            (format!("{header}[null_move]\nbase = 1000000"), "expected 1024 to 8192"),
        ] {
            let reason = Profile::read("x", &text).expect_err(needle);
            assert!(reason.contains(needle), "{reason}");
        }
    }

    /// A rule is off before it exists, and so is every source of move order.
    #[test]
    fn nothing_is_on_in_the_neutral_values() {
        for entry in
            Parameters::specs().filter(|entry| entry.spec.kind == ParameterKind::Switch && entry.spec.name == "on")
        {
            assert_eq!(Parameters::NEUTRAL.get(&entry.name), Ok(0), "{}", entry.name);
        }
    }

    #[test]
    fn the_textbook_is_neutral_but_for_the_usual_order_of_moves() {
        let (classic, default) = (builtin("classic").expect("built in"), Parameters::DEFAULT);
        let ordering = |group: &str| OrderingSource::ALL.iter().any(|source| source.module() == group);
        for entry in Parameters::specs().filter(|entry| entry.name != "network.classical") {
            let expected = match (ordering(entry.group), entry.spec.name) {
                (true, "on") => default.get(&entry.name),
                (true, _) => continue,
                (false, _) => Parameters::NEUTRAL.get(&entry.name),
            };
            assert_eq!(classic.get(&entry.name), expected, "{}", entry.name);
        }
    }
}
