//! Learned coefficients of rules, in versioned text files.
//!
//! A rule that learns declares its coefficients as a [`CoefficientModel`]. Their values are a file in TOML: `title`, `source`, `date` (YYYY-MM-DD),
//! `rule`, `version`, and one table for each [`Group`] with a whole number for each coefficient. Every coefficient is named, and no other.
//! The program has one such file for each model (`crates/engine/coefficients`); the option [`CoefficientModel::option`] selects another by its path.

use crate::words::{hint, nearest_of};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use thiserror::Error;
use toml::{Table, Value};

/// The version of the format and of the meaning of the features; another one is not read.
pub const VERSION: i64 = 1;
/// The name of the file that is part of the program.
pub const DEFAULT: &str = "<default>";
/// The value of the option for coefficients that were recorded without a file.
const RECORDED: &str = "<recorded>";
/// More bytes than any file of coefficients has.
const FILE_MAX: u64 = 1 << 20;
/// Keys of a file that are not groups.
const HEAD: [&str; 5] = ["title", "source", "date", "rule", "version"];
/// Former names of coefficients, and the present ones. Files may use either.
const RENAMED: [(&str, &str); 4] = [
    ("refuter", "killer_or_counter"),
    ("p_parry", "p_mate_threat_reply"),
    ("p_withdrawal", "p_escape"),
    ("p_refuter", "p_killer_or_counter"),
];

/// The present name of a coefficient, given a present or a former one.
fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(former, _)| *former == name).map_or(name, |&(_, current)| current)
}

/// The declaration of a coefficient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coefficient {
    /// Its key in files, unique within its model.
    pub name: &'static str,
    /// A description with its unit.
    pub doc: &'static str,
}

/// Coefficients with the same range: a table of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The name of the table.
    pub name: &'static str,
    /// Least allowed value.
    pub min: i32,
    /// Greatest allowed value.
    pub max: i32,
    /// Its contents.
    pub coefficients: &'static [Coefficient],
}

/// The coefficients of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoefficientModel {
    /// The file of the rule.
    pub rule: &'static str,
    /// The name of the option that selects a file.
    pub option: &'static str,
    /// The tables of a file, in order.
    pub groups: &'static [Group],
    /// The text of the file that is part of the program.
    pub built_in: &'static str,
}

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// A description, in a line.
    pub title: String,
    /// The training data of the coefficients, and the program that produced them.
    pub source: String,
    /// The day on which they were learned, as YYYY-MM-DD.
    pub date: String,
    /// All values, in the order of their declaration.
    pub values: Vec<i32>,
}

/// Which file of coefficients is used: the value of [`CoefficientModel::option`].
#[derive(Clone, Default, Debug)]
pub enum CoefficientFile {
    /// The one that is part of the program.
    #[default]
    Default,
    /// Another one.
    File {
        /// Its path.
        path: Arc<str>,
        /// Its contents.
        contents: Arc<Contents>,
    },
}

/// Equal are those with equal values, whatever the name of the file.
impl PartialEq for CoefficientFile {
    fn eq(&self, other: &CoefficientFile) -> bool {
        self.values() == other.values()
    }
}

impl Eq for CoefficientFile {}

/// The option's value that means it.
impl fmt::Display for CoefficientFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CoefficientFile::Default => DEFAULT,
            CoefficientFile::File { path, .. } => path,
        })
    }
}

/// Why a file gave no coefficients.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("cannot read coefficients `{path}`: {reason}")]
pub struct CoefficientError {
    /// The file.
    pub path: String,
    /// The fault and its remedy.
    pub reason: String,
}

impl CoefficientFile {
    /// Coefficients with these values, in the order of their declaration, that come from no file of this machine.
    pub fn recorded(values: Vec<i32>) -> CoefficientFile {
        let contents = Contents { title: RECORDED.into(), source: String::new(), date: String::new(), values };
        CoefficientFile::File { path: RECORDED.into(), contents: Arc::new(contents) }
    }

    /// The values, in the order of their declaration; `None` for the built-in ones.
    pub fn values(&self) -> Option<&[i32]> {
        match self {
            CoefficientFile::Default => None,
            CoefficientFile::File { contents, .. } => Some(&contents.values),
        }
    }

    /// The option's value as an absolute path, for files that are read from other directories; `None` for the default.
    pub fn kept(&self) -> Option<String> {
        match self {
            CoefficientFile::Default => None,
            CoefficientFile::File { path, .. } => {
                Some(std::path::absolute(&**path).map_or_else(|_| path.to_string(), |path| path.display().to_string()))
            }
        }
    }
}

impl CoefficientModel {
    /// All coefficients with their groups, in order.
    pub fn declared(&self) -> impl Iterator<Item = (&'static Group, &'static Coefficient)> + use<> {
        self.groups.iter().flat_map(|group| group.coefficients.iter().map(move |coefficient| (group, coefficient)))
    }

    /// The place of a coefficient, by its present or a former name, among the values.
    pub fn position(&self, name: &str) -> Option<usize> {
        let name = current_name(name);
        self.declared().position(|(_, coefficient)| coefficient.name == name)
    }

    /// The file for a value of the option: [`DEFAULT`] or nothing, or the path of a file, which is read.
    ///
    /// # Errors
    /// The file cannot be read, or it holds other than the coefficients of this model.
    pub fn open(&self, text: &str) -> Result<CoefficientFile, CoefficientError> {
        let path = text.trim();
        if matches!(path, "" | DEFAULT) {
            return Ok(CoefficientFile::Default);
        }
        let failed = |reason| CoefficientError { path: path.to_owned(), reason };
        let unreadable = |reason: io::Error| {
            failed(format!("{reason}; give {} the path of a file of coefficients, or {DEFAULT}", self.option))
        };
        let mut text = String::new();
        File::open(path).and_then(|file| file.take(FILE_MAX + 1).read_to_string(&mut text)).map_err(unreadable)?;
        if text.len() as u64 > FILE_MAX {
            return Err(failed(format!(
                "more than {FILE_MAX} bytes; `quarterply params {}` prints a file",
                self.option
            )));
        }
        let contents = Arc::new(self.parse(&text).map_err(failed)?);
        Ok(CoefficientFile::File { path: path.into(), contents })
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The fault and its remedy.
    pub fn parse(&self, text: &str) -> Result<Contents, String> {
        let document: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = 1 + text[..error.span().map_or(0, |span| span.start)].matches('\n').count();
            let reason = error.message().replace('\n', ", ");
            format!("line {line} is not valid TOML ({reason}); write `[group]` and `coefficient = value`")
        })?;
        self.check_head(&document)?;
        let [title, source, date] = ["title", "source", "date"].map(|key| {
            let text = document.get(key).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("`{key}` is missing; add it as a text in quotes"))
        });
        let groups = || self.groups.iter().map(|group| group.name);
        let known = |key: &str| HEAD.contains(&key) || groups().any(|group| group == key);
        if let Some(key) = document.keys().find(|key| !known(key)) {
            let nearest = nearest_of(key, groups().chain(HEAD).map(str::to_owned));
            return Err(format!("`{key}` is neither a group of {} nor a key{}", self.rule, or_remove(&nearest)));
        }
        let values = self.groups.iter().map(|group| group.read(&document)).collect::<Result<Vec<_>, _>>()?.concat();
        Ok(Contents { title: title?, source: source?, date: date?, values })
    }

    fn check_head(&self, document: &Table) -> Result<(), String> {
        let rule =
            document.get("rule").and_then(Value::as_str).ok_or("`rule` is missing; is this a file of coefficients?")?;
        if rule != self.rule {
            return Err(format!(
                "it holds coefficients of `{rule}`, not of `{}`; set `{rule}.coefficients` to it",
                self.rule
            ));
        }
        match document.get("version").and_then(Value::as_integer) {
            Some(VERSION) => Ok(()),
            Some(other) => {
                Err(format!("its version is {other}, and this program reads version {VERSION}; learn them again"))
            }
            None => Err(format!("`version` is missing; this program reads version {VERSION}")),
        }
    }

    /// The text of a file.
    pub fn write(&self, contents: &Contents) -> String {
        let Contents { title, source, date, values } = contents;
        let quoted = |text: &str| Value::from(text.replace(['\n', '\r'], " ")).to_string();
        let mut text = format!(
            "title = {}\nsource = {}\ndate = {}\nrule = {}\nversion = {VERSION}\n",
            quoted(title),
            quoted(source),
            quoted(date),
            quoted(self.rule),
        );
        let mut values = values.iter();
        for group in self.groups {
            text += &format!("\n[{}]\n", group.name);
            for (coefficient, value) in group.coefficients.iter().zip(&mut values) {
                let assignment = format!("{} = {value}", coefficient.name);
                text += &format!("{assignment:32} # {}\n", coefficient.doc.trim());
            }
        }
        text
    }
}

impl Group {
    /// Its values in a file, in order.
    fn read(&self, document: &Table) -> Result<Vec<i32>, String> {
        let Group { name, min, max, coefficients } = *self;
        let table = document
            .get(name)
            .and_then(Value::as_table)
            .ok_or_else(|| format!("the table `[{name}]` is missing; add it"))?;
        let known = |key: &str| coefficients.iter().any(|coefficient| coefficient.name == current_name(key));
        if let Some(key) = table.keys().find(|key| !known(key)) {
            let nearest = nearest_of(key, coefficients.iter().map(|coefficient| coefficient.name.to_owned()));
            return Err(format!("`[{name}]` has no coefficient `{key}`{}", or_remove(&nearest)));
        }
        let value = |coefficient: &Coefficient| {
            let key = coefficient.name;
            let given = table.iter().find(|(given, _)| current_name(given) == key);
            let found = given
                .map(|(_, value)| value)
                .ok_or_else(|| format!("`{key}` is missing in `[{name}]`; add it (0 for no influence)"))?;
            let number = found.as_integer().and_then(|number| i32::try_from(number).ok());
            let number = number.filter(|number| (min..=max).contains(number));
            number.ok_or_else(|| {
                format!("`{key} = {found}` is not valid: expected a whole number from {min} to {max}; correct it")
            })
        };
        coefficients.iter().map(value).collect()
    }
}

fn or_remove(nearest: &Option<String>) -> String {
    if nearest.is_some() { hint(nearest) } else { "; remove it".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: CoefficientModel = CoefficientModel {
        rule: "some_rule",
        option: "some_rule.coefficients",
        groups: &[
            Group {
                name: "chances",
                min: 1,
                max: 10,
                coefficients: &[Coefficient { name: "often", doc: " one (1/10)" }],
            },
            Group {
                name: "weights",
                min: -5,
                max: 5,
                coefficients: &[
                    Coefficient { name: "first", doc: " one (bits)" },
                    Coefficient { name: "second", doc: " another (bits)" },
                ],
            },
        ],
        built_in: "",
    };
    const GOOD: &str = "title = \"T\"\nsource = \"S\"\ndate = \"2026-01-02\"\nrule = \"some_rule\"\nversion = 1\n\n\
        [chances]\noften = 10\n\n[weights]\nfirst = -5\nsecond = 5\n";

    #[test]
    fn a_file_is_read_in_the_order_of_declaration_and_written_back() {
        let contents = MODEL.parse(GOOD).expect("a file");
        let expected =
            Contents { title: "T".into(), source: "S".into(), date: "2026-01-02".into(), values: vec![10, -5, 5] };
        assert_eq!(contents, expected);
        let turned = GOOD.replace("first = -5\nsecond = 5", "second = 5\nfirst = -5");
        assert_eq!(MODEL.parse(&turned).expect("another order"), expected);
        let text = MODEL.write(&contents);
        assert_eq!(MODEL.parse(&text).expect("what was written"), expected);
        let is_second = |line: &str| line.starts_with("second = 5 ") && line.ends_with("# another (bits)");
        assert!(text.lines().any(is_second), "{text}");
        let odd = Contents { title: "a \"b\"\nc \\".into(), ..expected };
        assert_eq!(MODEL.parse(&MODEL.write(&odd)).expect("quoted").title, "a \"b\" c \\");
        assert_eq!([MODEL.position("first"), MODEL.position("third")], [Some(1), None]);
    }

    #[test]
    fn faults_are_named_with_their_remedy() {
        for (from, to, needles) in [
            ("version = 1", "version = 2", ["version is 2", "reads version 1"]),
            ("version = 1\n", "", ["`version` is missing", "version 1"]),
            ("rule = \"some_rule\"", "rule = \"other\"", ["of `other`, not of `some_rule`", "`other.coefficients`"]),
            ("rule = \"some_rule\"\n", "", ["`rule` is missing", "is this a file of coefficients?"]),
            ("title = \"T\"", "title = 3", ["`title` is missing", "in quotes"]),
            ("date = \"2026-01-02\"\n", "", ["`date` is missing", "in quotes"]),
            ("first = -5\n", "", ["`first` is missing in `[weights]`", "add it"]),
            ("first = -5", "first = -5\nfirts = 1", ["no coefficient `firts`", "did you mean `first`?"]),
            ("first = -5", "first = -5\nqqq = 1", ["no coefficient `qqq`", "remove it"]),
            ("first = -5", "first = -6", ["`first = -6` is not valid", "a whole number from -5 to 5; correct it"]),
            ("second = 5", "second = 6", ["`second = 6` is not valid", "a whole number from -5 to 5; correct it"]),
            ("often = 10", "often = 0", ["`often = 0` is not valid", "a whole number from 1 to 10; correct it"]),
            ("second = 5", "second = 99999999999", ["`second = 99999999999`", "from -5 to 5"]),
            ("second = 5", "second = 0.5", ["`second = 0.5` is not valid: expected a whole number", "from -5 to 5"]),
            ("[chances]\noften = 10\n", "", ["table `[chances]` is missing", "add it"]),
            ("[chances]", "[chanses]", ["`chanses` is neither a group", "did you mean `chances`?"]),
            ("[chances]", "[chances", ["line 7 is not valid TOML", "coefficient = value"]),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = MODEL.parse(&GOOD.replace(from, to)).expect_err(to);
            assert!(needles.iter().all(|needle| error.contains(needle)), "{to}: {error}");
        }
    }

    #[test]
    fn names_and_files_are_distinguished() {
        for text in ["", DEFAULT, " <default> "] {
            assert!(matches!(MODEL.open(text), Ok(CoefficientFile::Default)), "{text:?}");
        }
        let error = MODEL.open("no/such.toml").expect_err("there is none").to_string();
        assert!(error.starts_with("cannot read coefficients `no/such.toml`: "), "{error}");
        assert!(error.contains("give some_rule.coefficients the path of a file of coefficients, or <default>"));
        let error = MODEL.open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect_err("another").to_string();
        assert!(error.contains("Cargo.toml`: `rule` is missing"), "{error}");
        let error = MODEL.open(concat!(env!("CARGO_MANIFEST_DIR"), "/src/network/built-in.nnue")).expect_err("no text");
        assert!(error.reason.contains("UTF-8"), "{error}");
        let path = std::env::temp_dir().join(format!("quarterply-coefficients-{}.toml", std::process::id()));
        std::fs::write(&path, format!("{GOOD}# {}", "x".repeat(FILE_MAX as usize))).expect("written");
        let error = MODEL.open(&path.display().to_string()).expect_err("its end would be lost");
        std::fs::remove_file(path).expect("removed");
        assert!(error.reason.starts_with("more than 1048576 bytes"), "{error}");
    }

    #[test]
    fn files_are_equal_if_their_contents_are() {
        let of = CoefficientFile::recorded;
        assert_eq!(of(vec![1, 2]), of(vec![1, 2]));
        assert_ne!(of(vec![1, 2]), of(vec![2, 1]));
        assert_ne!(of(vec![1, 2]), CoefficientFile::Default);
        assert_eq!((CoefficientFile::Default.kept(), CoefficientFile::Default.to_string()), (None, DEFAULT.to_owned()));
    }
}
