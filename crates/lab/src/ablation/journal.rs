//! The journal of an ablation: the conditions, then one line for each setting and limit, with the result of every position.
//!
//! Games have separate journals ([`super::games`]).

use super::Setting;
use crate::suite::SuiteRow;
use quarterply_files::fingerprint::of_parameters;
use quarterply_files::journal::{self, JournalHeader, JournalTerms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

pub use journal::{Existing, JournalError};

/// The version of the format.
pub const VERSION: u64 = 1;
/// Settings that do not affect the results, or that [`AblationHeader::change`] compares.
const MAY_DIFFER: [&str; 3] = ["date", "engine", "together"];
/// Settings that are not flags, and their names in messages.
const NAMES: [(&str, &str); 5] = [
    ("bench", "nodes of the bench"),
    ("parameters", "fingerprint of the parameters"),
    ("mode", "kind of settings"),
    ("suite", "suite"),
    ("hash", "table in MiB"),
];

/// The conditions of an ablation: the first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AblationHeader {
    /// [`VERSION`].
    #[serde(rename = "ablation")]
    pub version: u64,
    /// The program.
    pub engine: String,
    /// The day it began (UTC).
    pub date: String,
    /// Nodes of the bench of the profile as it is: they identify program and profile.
    pub bench: u64,
    /// The profile by name, with its settings.
    pub profile: String,
    /// Fingerprints of the parameters of the profile and of [`super::AblationPlan::baseline`]; `None` in journals of older programs, which
    /// did not notice a profile file that was changed.
    #[serde(default)]
    pub parameters: Option<String>,
    /// The mode of the settings ([`super::Mode`]).
    pub mode: String,
    /// The suite, with its fingerprint.
    pub suite: Option<String>,
    /// Table in MiB.
    pub hash: usize,
    /// Games of a block, if settings are measured together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    /// Share of the blocks that use a setting, if they are measured together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
    /// The settings in order, if they are measured together; `None` in journals of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Vec<String>>,
}

impl JournalHeader for AblationHeader {
    const TERMS: &'static JournalTerms = &JournalTerms {
        whole: "ablation",
        line: "result of a setting",
        again: "the setting is measured again",
        existing: "continue with --resume, replace them with --overwrite",
        writer: "ablate --out",
        elsewhere: "name another folder",
    };
    const PREFIX: &'static [u8] = b"{\"ablation\":";

    fn known(&self) -> Result<(), String> {
        if self.version == VERSION { Ok(()) } else { Err(format!("version {} of the format", self.version)) }
    }

    fn binding(&self) -> Map<String, Value> {
        let Ok(Value::Object(mut map)) = serde_json::to_value(self) else { return Map::new() };
        map.retain(|name, _| !MAY_DIFFER.contains(&name.as_str()));
        map
    }

    fn flag(name: &str) -> String {
        let known = NAMES.iter().find(|(setting, _)| *setting == name);
        known.map_or_else(|| format!("--{name}"), |(_, words)| (*words).to_owned())
    }

    fn change(&self, requested: &AblationHeader) -> Option<String> {
        let (then, now) = self.together.as_ref().zip(requested.together.as_ref()).filter(|(then, now)| then != now)?;
        let without = |all: &[String], others: &[String]| -> Vec<String> {
            all.iter().filter(|name| !others.contains(name)).map(|name| format!("`{name}`")).collect()
        };
        let changes = [("left out: ", without(then, now)), ("added: ", without(now, then))];
        let changes = changes.into_iter().filter(|(_, names)| !names.is_empty());
        let changes: Vec<String> = changes.map(|(what, names)| format!("{what}{}", names.join(", "))).collect();
        let changes = if changes.is_empty() { "another order".to_owned() } else { changes.join("; ") };
        Some(format!("the settings that are measured together have changed ({changes}); give the same settings"))
    }
}

/// The limit of the searches of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Nodes per position.
    Nodes(u64),
    /// Plies.
    Depth(u32),
}

/// A setting on the suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AblationLine {
    /// The rule; `none` for the profile as it is.
    pub rule: String,
    /// Its switch.
    pub on: bool,
    /// The limit.
    pub limit: Limit,
    /// Fingerprint of the parameters and coefficients of the setting; `None` in journals of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The positions, in the order of the suite.
    pub rows: Vec<SuiteRow>,
}

/// The results so far, on the disk if there is a folder for them.
pub struct SavedLines {
    journal: Option<journal::Journal>,
    lines: Vec<AblationLine>,
    /// Messages for the user.
    pub notes: Vec<String>,
}

impl SavedLines {
    /// Nothing yet, and nothing on the disk.
    pub fn in_memory() -> SavedLines {
        SavedLines { journal: None, lines: Vec::new(), notes: Vec::new() }
    }

    /// The journal at this path.
    ///
    /// # Errors
    /// It is not a journal, belongs to other work, or cannot be used.
    pub fn open(path: &Path, existing: Existing, header: &AblationHeader) -> Result<SavedLines, JournalError> {
        let opened = journal::Journal::open(path, existing, header)?;
        Ok(SavedLines { journal: Some(opened.journal), lines: opened.lines, notes: opened.notes })
    }

    /// The results of a setting at a limit. If it was measured more than once, because a file that it names was changed: the last.
    pub fn find(&self, rule: &str, on: bool, limit: Limit) -> Option<&[SuiteRow]> {
        self.last(rule, on, limit).map(|line| line.rows.as_slice())
    }

    /// Returns true if a setting with these parameters is measured at a limit.
    pub fn has(&self, setting: &Setting, limit: Limit) -> bool {
        let wanted = of_parameters(&setting.parameters);
        let known = self.last(&setting.rule, setting.on, limit);
        known.is_some_and(|line| line.parameters.as_ref().is_none_or(|parameters| *parameters == wanted))
    }

    fn last(&self, rule: &str, on: bool, limit: Limit) -> Option<&AblationLine> {
        self.lines.iter().rfind(|line| line.rule == rule && line.on == on && line.limit == limit)
    }

    /// Adds the results of a setting.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn add(&mut self, line: AblationLine) -> Result<(), JournalError> {
        if let Some(journal) = &mut self.journal {
            journal.append(&line)?;
        }
        self.lines.push(line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::worth::tests::row;
    use super::*;

    fn header() -> AblationHeader {
        AblationHeader {
            version: VERSION,
            engine: "quarterply".to_owned(),
            date: "2026.11.22".to_owned(),
            bench: 7,
            profile: "default".to_owned(),
            parameters: Some("12".to_owned()),
            mode: "turned over".to_owned(),
            suite: Some("s, fingerprint 1".to_owned()),
            hash: 64,
            block: None,
            share: None,
            together: None,
        }
    }

    fn line(rule: &str) -> AblationLine {
        let rows = vec![row("a", true, 100, 200), row("b", false, 300, 300)];
        AblationLine { rule: rule.to_owned(), on: true, limit: Limit::Nodes(300), parameters: None, rows }
    }

    #[test]
    fn results_are_there_after_an_interruption() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let mut kept = SavedLines::open(&path, Existing::Keep, &header()).expect("new");
        kept.add(line("razoring")).expect("written");
        drop(kept);
        let later = AblationHeader { date: "2027.01.01".to_owned(), ..header() };
        let kept = SavedLines::open(&path, Existing::Resume, &later).expect("the same work");
        assert_eq!(kept.find("razoring", true, Limit::Nodes(300)), Some(line("razoring").rows.as_slice()));
        for (rule, on, limit) in [
            ("razoring", false, Limit::Nodes(300)),
            ("razoring", true, Limit::Depth(300)),
            ("probcut", true, Limit::Nodes(300)),
        ] {
            assert_eq!(kept.find(rule, on, limit), None, "{rule} {on} {limit:?}");
        }
    }

    #[test]
    fn another_program_or_profile_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        drop(SavedLines::open(&path, Existing::Keep, &header()).expect("new"));
        let other = AblationHeader { bench: 8, ..header() };
        let error = SavedLines::open(&path, Existing::Resume, &other).err().expect("another bench").to_string();
        assert!(error.contains("(nodes of the bench: 7 then, 8 now)"), "{error}");
        // A profile file whose values were changed, and a journal of a program that did not notice that.
        for parameters in [Some("34".to_owned()), None] {
            let other = AblationHeader { parameters, ..header() };
            let error = SavedLines::open(&path, Existing::Resume, &other).err().expect("other values").to_string();
            assert!(error.contains("fingerprint of the parameters: `12` then, "), "{error}");
        }
        let error = SavedLines::open(&path, Existing::Keep, &header()).err().expect("it is used").to_string();
        assert!(error.contains("--resume") && error.contains("--overwrite"), "{error}");
    }

    /// The journal of the first block was refused, with other values of `--player`, which `ablate` does not have.
    #[test]
    fn other_settings_in_the_same_games_are_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let with = |names: &[&str]| {
            let together = Some(names.iter().map(|name| (*name).to_owned()).collect());
            AblationHeader { together, ..header() }
        };
        let path = folder.path().join("journal.jsonl");
        drop(SavedLines::open(&path, Existing::Keep, &with(&["a", "b"])).expect("new"));
        for (names, needle) in [
            (&["a"][..], "(left out: `b`); give the same settings, or name another folder"),
            (&["c", "a", "b"], "(added: `c`)"),
            (&["a", "c"], "(left out: `b`; added: `c`)"),
            (&["b", "a"], "(another order)"),
        ] {
            let error = SavedLines::open(&path, Existing::Resume, &with(names)).err().expect("others").to_string();
            assert!(error.contains(needle), "{error}");
        }
        SavedLines::open(&path, Existing::Resume, &with(&["a", "b"])).expect("the same settings");
        // A journal of an older program does not hold them.
        let path = folder.path().join("older.jsonl");
        drop(SavedLines::open(&path, Existing::Keep, &header()).expect("new"));
        SavedLines::open(&path, Existing::Resume, &with(&["a"])).expect("not compared");
    }
}
