//! The engine's options: their declarations, their values, and how they reach the engine.
//!
//! Setting an option only changes [`Settings`]; [`Settings::apply`] carries the changes over when the engine is idle, so that
//! ten options cost one allocation, and an option set during a search waits for its end.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use quarterply_engine::network::vector::Level;
use quarterply_engine::network::{self, EvalFile};
use quarterply_engine::params::{Entry, Kind as ParameterKind, Parameters, nearest_of};
use quarterply_engine::profile;
use quarterply_engine::search::pool::Engine;
use quarterply_engine::tablebase::{Tablebase, TablebaseOptions};
use thiserror::Error;

use crate::info::{Declaration, EMPTY, Kind};
use crate::memory;
use crate::strength;

/// Least and greatest size of the table, and the size at the start (MiB).
const HASH: (i64, i64, i64) = (1, 1 << 25, 16);
/// Most search threads for each processor, and on a machine with few of them.
const THREADS_PER_PROCESSOR: i64 = 4;
const THREADS_ANYWHERE: i64 = 64;
/// Most lines: no position has more legal moves.
const LINES_MAX: i64 = 256;
/// Time lost between engine and clock: at the start and at most (milliseconds).
const OVERHEAD: (i64, i64) = (10, 5000);
/// Depth from which tables are asked (plies): at the start and at most.
const PROBE_DEPTH: (i64, i64) = (1, 100);
/// The name of parameters that are no built-in profile.
const CUSTOM: &str = "Custom";
/// The option that lists the parameters among the options.
pub const SHOW_PARAMETERS: &str = "Show Parameters";
/// Who we are, in a sentence.
const ABOUT: &str =
    concat!("Quarterply ", env!("CARGO_PKG_VERSION"), ", free software under the GPL, version 3 or later");

/// An option of our own making; parameters of the engine are the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standard {
    Hash,
    Threads,
    MultiPv,
    Ponder,
    ClearHash,
    MoveOverhead,
    Chess960,
    ShowWdl,
    LimitStrength,
    Elo,
    SyzygyPath,
    SyzygyProbeDepth,
    Syzygy50MoveRule,
    EvalFile,
    Profile,
    ShowParameters,
    StrengthSeed,
    AnalyseMode,
    Opponent,
    About,
}

/// A value that fits its option's kind.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Switch(bool),
    Number(i64),
    Text(String),
    Press,
}

/// An option that could not be set; the old value stays.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is none of this name.
    #[error("No such option: {name}{}", .nearest.as_ref().map_or_else(String::new, |like| format!("; did you mean {like}?")))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The parameter most like it.
        nearest: Option<String>,
    },
    /// The text is no value for it.
    #[error("{name} must be {expected}, not `{text}`: the old value stays")]
    Value {
        /// The option.
        name: String,
        /// What it takes.
        expected: String,
        /// What was given.
        text: String,
    },
    /// The value has the right form but cannot be had.
    #[error("{name}: {reason}; the old value stays")]
    Refused {
        /// The option.
        name: String,
        /// Why.
        reason: String,
    },
}

/// Reads a profile from a file; the error tells what is wrong with it.
pub type Loader = dyn Fn(&str) -> Result<Parameters, String> + Send + Sync;

/// How profiles are read from files, if they are.
#[derive(Clone, Default)]
struct Files(Option<Arc<Loader>>);

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Files" } else { "no files" })
    }
}

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Size of the table (MiB).
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to report.
    pub lines: usize,
    /// Time lost between engine and clock.
    pub overhead: Duration,
    /// Is castling written as king takes rook?
    pub chess960: bool,
    /// Are chances shown beside scores?
    pub show_wdl: bool,
    /// The strength to play at, if it is limited.
    pub limit_strength: bool,
    /// That strength.
    pub elo: i64,
    /// What the errors of a limited strength are drawn from: another number in each game, unless one was set.
    pub seed: u64,
    fixed_seed: Option<u64>,
    /// The engine's parameters.
    pub parameters: Parameters,
    profile: String,
    start: Parameters,
    /// The parameters as the profile in force has them.
    base: Parameters,
    /// Parameters that were set one by one since.
    by_hand: BTreeSet<String>,
    /// Has the GUI asked for the parameters among the options?
    show_parameters: bool,
    /// Are they listed whether it has or not?
    pub always_listed: bool,
    files: Files,
    syzygy_path: String,
    tablebase: Option<Arc<Tablebase>>,
    tablebase_options: TablebaseOptions,
    changed: Changed,
}

/// What the engine has not been told yet.
#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    hash: bool,
    threads: bool,
    clear: bool,
    game: bool,
    parameters: bool,
    tablebase: bool,
}

impl Changed {
    /// What a new engine has to be told.
    const EVERYTHING: Changed =
        Changed { hash: true, threads: true, clear: false, game: false, parameters: true, tablebase: true };
}

impl Settings {
    /// The values at the start, with these parameters.
    pub fn new(parameters: Parameters) -> Settings {
        let named = |name: &&&str| profile::builtin(name).as_ref() == Some(&parameters);
        let profile = profile::BUILTIN.iter().find(named).map_or_else(|| CUSTOM.to_owned(), |name| capitalised(name));
        Settings {
            hash: HASH.2 as usize,
            threads: 1,
            lines: 1,
            overhead: Duration::from_millis(OVERHEAD.0.unsigned_abs()),
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: strength::ELO_MAX,
            seed: any_seed(),
            fixed_seed: None,
            start: parameters.clone(),
            base: parameters.clone(),
            parameters,
            by_hand: BTreeSet::new(),
            show_parameters: false,
            always_listed: false,
            files: Files::default(),
            profile,
            syzygy_path: String::new(),
            tablebase: None,
            tablebase_options: TablebaseOptions::default(),
            changed: Changed::EVERYTHING,
        }
    }

    /// Profiles are also read from files, in this way.
    pub fn with_files(self, load: Arc<Loader>) -> Settings {
        Settings { files: Files(Some(load)), ..self }
    }

    /// The next engine is a new one: it has to be told everything.
    pub fn renew(&mut self) {
        self.changed = Changed::EVERYTHING;
    }
}

/// A number that is another one each time.
fn any_seed() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A profile's name as GUIs see it. The capital matters: they take the word `default` for the start of a field.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// Most search threads that make sense here. Each has its own histories, megabytes of them: a thousand threads on two
/// processors take several seconds for their first move.
pub fn threads_max() -> i64 {
    let processors = available_parallelism().map_or(1, |count| count.get() as i64);
    THREADS_ANYWHERE.max(THREADS_PER_PROCESSOR * processors)
}

/// The standard options with their kinds, in the order of their declaration.
fn standard(settings: &Settings) -> Vec<(Standard, Declaration)> {
    let check = |default| Kind::Check { default };
    let spin = |min, max, default| Kind::Spin { default, min, max };
    let text = |default: &str| Kind::Text { default: default.to_owned() };
    let mut profiles: Vec<String> = profile::BUILTIN.iter().map(|name| capitalised(name)).collect();
    if settings.profile == CUSTOM {
        profiles.push(CUSTOM.into());
    }
    let elo = spin(strength::ELO_MIN, strength::ELO_MAX, strength::ELO_MAX);
    let named = [
        (Standard::Hash, "Hash", spin(HASH.0, HASH.1, HASH.2)),
        (Standard::Threads, "Threads", spin(1, threads_max(), 1)),
        (Standard::MultiPv, "MultiPV", spin(1, LINES_MAX, 1)),
        (Standard::Ponder, "Ponder", check(false)),
        (Standard::ClearHash, "Clear Hash", Kind::Button),
        (Standard::MoveOverhead, "Move Overhead", spin(0, OVERHEAD.1, OVERHEAD.0)),
        (Standard::Chess960, "UCI_Chess960", check(false)),
        (Standard::ShowWdl, "UCI_ShowWDL", check(false)),
        (Standard::LimitStrength, "UCI_LimitStrength", check(false)),
        (Standard::Elo, "UCI_Elo", elo),
        (Standard::SyzygyPath, "SyzygyPath", text("")),
        (Standard::SyzygyProbeDepth, "SyzygyProbeDepth", spin(1, PROBE_DEPTH.1, PROBE_DEPTH.0)),
        (Standard::Syzygy50MoveRule, "Syzygy50MoveRule", check(true)),
        (Standard::EvalFile, network::OPTION, text(&settings.parameters.eval_file.to_string())),
        (Standard::Profile, "Profile", Kind::Combo { default: settings.profile.clone(), choices: profiles }),
        (Standard::ShowParameters, SHOW_PARAMETERS, check(settings.show_parameters)),
        (Standard::StrengthSeed, "Strength Seed", spin(0, i64::from(i32::MAX), 0)),
        (Standard::AnalyseMode, "UCI_AnalyseMode", check(false)),
        (Standard::Opponent, "UCI_Opponent", text("")),
        (Standard::About, "UCI_EngineAbout", text(ABOUT)),
    ];
    named.into_iter().map(|(id, name, kind)| (id, Declaration { name: name.into(), kind })).collect()
}

/// The engine's parameters as options; `start` gives their defaults.
fn tunable(start: &Parameters) -> impl Iterator<Item = Declaration> {
    Parameters::specs().map(|entry| tunable_by(entry, start))
}

fn tunable_by(entry: Entry, start: &Parameters) -> Declaration {
    let default = start.get(&entry.name).unwrap_or(entry.spec.default);
    let kind = match entry.spec.kind {
        ParameterKind::Switch => Kind::Check { default: default != 0 },
        ParameterKind::Number => {
            Kind::Spin { default: default.into(), min: entry.spec.min.into(), max: entry.spec.max.into() }
        }
    };
    Declaration { name: entry.name, kind }
}

impl Settings {
    /// The options as the answer to `uci` lists them: the standard ones, then, if they are wanted, the parameters by rule: over two
    /// hundred fields flood the dialog of a GUI. The defaults are the values these settings started from.
    pub fn list(&self) -> Vec<Declaration> {
        // A GUI that sends what it was shown must not hide the parameters again before it comes to them.
        let fresh = Settings { show_parameters: self.show_parameters, ..Settings::new(self.start.clone()) };
        let first = standard(&fresh).into_iter().map(|(_, declaration)| declaration);
        first.chain(tunable(&self.start).filter(|_| self.show_parameters || self.always_listed)).collect()
    }

    /// Sets an option by name, whatever the case of its letters. The remarks tell what was taken otherwise than it was said, and that a
    /// network is not used as it was trained.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Vec<String>, OptionError> {
        let before = (self.parameters.eval_file.clone(), self.parameters.share_mismatch());
        let mut remarks = self.set_option(name, value)?;
        let mismatch = self.parameters.share_mismatch();
        if before != (self.parameters.eval_file.clone(), mismatch) {
            remarks.extend(mismatch.map(|mismatch| format!("{}: {mismatch}", network::OPTION)));
        }
        Ok(remarks)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Vec<String>, OptionError> {
        let mut remarks = Vec::new();
        let fresh = Settings::new(self.start.clone());
        let same = |declaration: &Declaration| declaration.name.eq_ignore_ascii_case(name);
        if let Some((id, declaration)) = standard(&fresh).into_iter().find(|(_, declaration)| same(declaration)) {
            if let (Standard::Profile, Some(path)) = (id, value.filter(|text| names_file(text))) {
                self.set_profile(self.read_profile(path)?);
                return Ok(remarks);
            }
            let value = read(&declaration, value, &mut remarks)?;
            self.set_standard(id, value, &mut remarks)?;
        } else if let Ok(entry) = Parameters::find(name) {
            let declaration = tunable_by(entry, &self.start);
            let number = match read(&declaration, value, &mut remarks)? {
                Value::Switch(on) => i32::from(on),
                Value::Number(number) => i32::try_from(number).unwrap_or(i32::MAX),
                Value::Text(_) | Value::Press => 0,
            };
            self.set_parameter(&declaration.name, number)?;
        } else {
            let known = standard(&fresh).into_iter().map(|(_, declaration)| declaration).chain(tunable(&self.start));
            let nearest = nearest_of(name, known.map(|declaration| declaration.name));
            return Err(OptionError::Unknown { name: brief(name), nearest });
        }
        Ok(remarks)
    }

    /// Sets a parameter. GUIs send every option that they were shown, with its default where nobody touched it: such a value leaves the
    /// parameter to the profile. Who was not shown any means what is said.
    fn set_parameter(&mut self, name: &str, number: i32) -> Result<(), OptionError> {
        let untouched = self.show_parameters && self.start.get(name) == Ok(number);
        let mut wanted = self.parameters.clone();
        if untouched {
            self.by_hand.remove(name);
            wanted = self.base.clone();
            for name in &self.by_hand {
                let value = self.parameters.get(name).map_err(|error| refuse(name, &error))?;
                wanted.set(name, value).map_err(|error| refuse(name, &error))?;
            }
            wanted.choose(self.parameters.eval_file.clone());
        } else {
            wanted.set(name, number).map_err(|error| refuse(name, &error))?;
            self.by_hand.insert(name.to_owned());
        }
        self.changed.parameters |= self.parameters != wanted;
        self.parameters = wanted;
        Ok(())
    }

    /// An evaluation that was chosen by hand stays, unless the profile names one itself.
    fn set_profile(&mut self, mut parameters: Parameters) {
        let present = self.parameters.eval_file.clone();
        let named = parameters.eval_file != EvalFile::Default;
        if !named {
            parameters.choose(self.start.eval_file.clone());
        }
        let by_hand = !named && present != self.base.eval_file;
        self.base = parameters.clone();
        self.parameters = parameters;
        if by_hand {
            self.parameters.choose(present);
        }
        self.by_hand.clear();
        self.changed.parameters = true;
    }

    fn read_profile(&self, path: &str) -> Result<Parameters, OptionError> {
        let load = self.files.0.as_ref().ok_or_else(|| refuse("Profile", &"profiles are not read from files here"))?;
        load(path).map_err(|reason| refuse("Profile", &reason))
    }

    fn set_standard(&mut self, id: Standard, value: Value, remarks: &mut Vec<String>) -> Result<(), OptionError> {
        match (id, value) {
            (Standard::Hash, Value::Number(size)) => self.set_hash(size)?,
            (Standard::Threads, Value::Number(count)) => {
                self.threads = count as usize;
                self.changed.threads = true;
            }
            (Standard::MultiPv, Value::Number(count)) => self.lines = count as usize,
            (Standard::ClearHash, _) => self.changed.clear = true,
            (Standard::MoveOverhead, Value::Number(time)) => self.overhead = Duration::from_millis(time.unsigned_abs()),
            (Standard::Chess960, Value::Switch(on)) => self.chess960 = on,
            (Standard::ShowWdl, Value::Switch(on)) => self.show_wdl = on,
            (Standard::LimitStrength, Value::Switch(on)) => self.limit_strength = on,
            (Standard::Elo, Value::Number(elo)) => self.elo = elo,
            (Standard::SyzygyPath, Value::Text(path)) => self.set_syzygy_path(path, remarks)?,
            (Standard::SyzygyProbeDepth, Value::Number(depth)) => {
                let options = TablebaseOptions { probe_depth: depth as i32, ..self.tablebase_options };
                self.set_tablebase_options(options)?;
            }
            (Standard::Syzygy50MoveRule, Value::Switch(on)) => {
                let options = TablebaseOptions { fifty_move_rule: on, ..self.tablebase_options };
                self.set_tablebase_options(options)?;
            }
            (Standard::EvalFile, Value::Text(path)) => self.set_eval_file(&path, remarks)?,
            (Standard::Profile, Value::Text(name)) => {
                self.set_profile(profile::builtin(&name).unwrap_or_else(|| self.start.clone()));
            }
            (Standard::ShowParameters, Value::Switch(on)) => self.show_parameters = on,
            (Standard::StrengthSeed, Value::Number(seed)) => {
                self.fixed_seed = (seed > 0).then_some(seed.unsigned_abs());
                self.seed = self.fixed_seed.unwrap_or_else(any_seed);
            }
            // Thinking on the opponent's time is the GUI's business, we play and analyse alike against everybody, and what we say about
            // ourselves is not to be changed.
            // Values of another kind than their option's do not come here.
            _ => {}
        }
        Ok(())
    }

    fn set_eval_file(&mut self, text: &str, remarks: &mut Vec<String>) -> Result<(), OptionError> {
        let choice = EvalFile::open(text).map_err(|error| refuse(network::OPTION, &error))?;
        if let EvalFile::Network { network, .. } = &choice {
            remarks.push(format!("{}: network {}, {}", network::OPTION, network.name(), Level::used()));
            remarks.extend(Level::complaint().map(str::to_owned));
        }
        let is_file = matches!(choice, EvalFile::Network { .. });
        if self.parameters.eval_file != choice {
            self.parameters.choose(choice);
            self.changed.parameters = true;
        }
        if let Some(remark) = remarks.first_mut().filter(|_| is_file) {
            *remark += &format!(", classical share {} %", self.parameters.network.classical);
        }
        Ok(())
    }

    fn set_hash(&mut self, size: i64) -> Result<(), OptionError> {
        let there = memory::mebibytes();
        if let Some(there) = there.filter(|there| size.unsigned_abs() > *there) {
            return Err(refuse("Hash", &format!("{size} MiB do not fit into the {there} MiB of memory")));
        }
        self.hash = size as usize;
        self.changed.hash = true;
        Ok(())
    }

    fn set_syzygy_path(&mut self, path: String, remarks: &mut Vec<String>) -> Result<(), OptionError> {
        let tables = open_tables(&path, self.tablebase_options)?;
        if let Some(tables) = &tables {
            remarks.push(format!("SyzygyPath: {} files, up to {} pieces", tables.files(), tables.max_pieces()));
        }
        (self.tablebase, self.syzygy_path) = (tables, path);
        self.changed.tablebase = true;
        Ok(())
    }

    fn set_tablebase_options(&mut self, options: TablebaseOptions) -> Result<(), OptionError> {
        self.tablebase = open_tables(&self.syzygy_path, options)?;
        self.tablebase_options = options;
        self.changed.tablebase = true;
        Ok(())
    }

    /// A new game begins: everything learnt in the old one is to be forgotten.
    pub fn forget_game(&mut self) {
        self.seed = self.fixed_seed.unwrap_or_else(any_seed);
        self.changed.game = true;
    }

    /// Tells an idle engine what has changed; remarks tell what could not be had.
    pub fn apply(&mut self, engine: &mut Engine) -> Vec<String> {
        let changed = std::mem::take(&mut self.changed);
        let mut remarks = Vec::new();
        if changed.hash
            && engine.table_size() != self.hash
            && let Err(error) = engine.resize(self.hash)
        {
            remarks.push(format!("Hash: {error}; the old table stays"));
        }
        if changed.threads {
            engine.set_threads(self.threads);
        }
        if changed.parameters {
            engine.set_parameters(self.parameters.clone());
        }
        if changed.tablebase {
            engine.set_tablebase(self.tablebase.clone());
        }
        if changed.game {
            engine.new_game();
        } else if changed.clear {
            engine.clear_table();
        }
        remarks
    }
}

fn open_tables(path: &str, options: TablebaseOptions) -> Result<Option<Arc<Tablebase>>, OptionError> {
    if path.is_empty() {
        return Ok(None);
    }
    let tables = Tablebase::open(path).map_err(|error| refuse("SyzygyPath", &error))?;
    Ok(Some(Arc::new(tables.with_options(options))))
}

/// Is this the path of a profile's file, not the name of one that is built in?
fn names_file(text: &str) -> bool {
    text.contains(['/', '\\']) || text.to_ascii_lowercase().ends_with(".toml")
}

/// The beginning of a text that may be a megabyte long.
fn brief(text: &str) -> String {
    const LENGTH_MAX: usize = 80;
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

fn refuse(name: &str, reason: &dyn std::fmt::Display) -> OptionError {
    OptionError::Refused { name: name.to_owned(), reason: reason.to_string() }
}

/// Reads a value by its option's kind. Numbers out of range are brought inside, with a remark.
fn read(option: &Declaration, value: Option<&str>, remarks: &mut Vec<String>) -> Result<Value, OptionError> {
    let text = value.unwrap_or("");
    let wrong = |expected: &str| OptionError::Value {
        name: option.name.clone(),
        expected: expected.to_owned(),
        text: text.to_owned(),
    };
    Ok(match &option.kind {
        Kind::Button => Value::Press,
        Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Value::Switch(true),
            "false" | "off" | "0" => Value::Switch(false),
            _ => return Err(wrong("true or false")),
        },
        Kind::Spin { min, max, .. } => {
            let number = whole_number(text).ok_or_else(|| wrong("a whole number"))?;
            let inside = number.clamp(*min, *max);
            if inside != number {
                remarks.push(format!("{} takes {min} to {max}: {text} becomes {inside}", option.name));
            }
            Value::Number(inside)
        }
        Kind::Combo { choices, .. } => {
            let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text));
            Value::Text(choice.ok_or_else(|| wrong(&format!("one of {}", choices.join(", "))))?.clone())
        }
        Kind::Text { .. } if text == EMPTY => Value::Text(String::new()),
        Kind::Text { .. } => Value::Text(text.to_owned()),
    })
}

/// A whole number of any size; one too large for 64 bits counts as the largest.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let saturated = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(saturated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::network::{Network, Parts};

    fn fresh() -> Settings {
        Settings::new(Parameters::default())
    }

    #[test]
    fn declarations_are_unique_and_readable() {
        let lines: Vec<String> = fresh().list().iter().map(|option| option.to_string()).collect();
        let mut names = std::collections::HashSet::new();
        for line in &lines {
            let option: Declaration = line.parse().expect(line);
            assert_eq!(option.to_string(), *line);
            assert!(names.insert(option.name.to_ascii_lowercase()), "{line} twice");
        }
        for wanted in ["Hash", "Threads", "MultiPV", "Ponder", "Clear Hash", "Move Overhead", "UCI_Chess960"] {
            assert!(lines.iter().any(|line| line.starts_with(&format!("option name {wanted} type "))), "{wanted}");
        }
        assert!(lines.contains(&"option name SyzygyPath type string default <empty>".to_owned()));
        assert!((15..25).contains(&names.len()), "{names:?}: parameters flood the dialog of a GUI");
        let mut settings = fresh();
        settings.set("show parameters", Some("true")).expect("a switch");
        let all = settings.list();
        assert_eq!(all.len(), names.len() + Parameters::specs().count());
    }

    #[test]
    fn all_options_at_their_listed_defaults_leave_the_profile_alone() {
        for (name, profile) in [("Classic", profile::builtin("classic")), ("Falcon", profile::builtin("falcon"))] {
            let mut settings = fresh();
            settings.set("Show Parameters", Some("true")).expect("a switch");
            settings.set("Profile", Some(name)).expect("built in");
            let listed = settings.list();
            for option in listed.iter().filter(|option| option.name != "Profile") {
                let default = match &option.kind {
                    Kind::Check { default } => default.to_string(),
                    Kind::Spin { default, .. } => default.to_string(),
                    Kind::Combo { default, .. } | Kind::Text { default } => default.clone(),
                    Kind::Button => continue,
                };
                settings.set(&option.name, Some(&default)).expect("its own default");
            }
            assert!(Some(&settings.parameters) == profile.as_ref(), "{name}");
            settings.set("null_move.base", Some("4096")).expect("in range");
            assert_eq!(settings.parameters.null_move.base, 4096);
            settings.set("null_move.base", Some("3072")).expect("in range");
            assert!(Some(&settings.parameters) == profile.as_ref(), "{name}: back to what the profile has");
        }
    }

    #[test]
    fn a_parameter_that_is_not_listed_is_set_to_what_is_said() {
        let mut settings = fresh();
        settings.set("Profile", Some("Classic")).expect("built in");
        settings.set("null_move.on", Some("true")).expect("a switch");
        assert!(settings.parameters.null_move.on);
    }

    #[test]
    fn a_profile_may_be_a_file() {
        let mut own = Parameters::default();
        own.null_move.base = 4096;
        let loaded = own.clone();
        let load = move |path: &str| {
            if path == "/a/my own.toml" { Ok(loaded.clone()) } else { Err(format!("{path}: no such file")) }
        };
        let mut settings = fresh().with_files(Arc::new(load));
        settings.set("Profile", Some("/a/my own.toml")).expect("a file");
        assert_eq!(settings.parameters, own);
        let error = settings.set("Profile", Some("missing.toml")).expect_err("no such file").to_string();
        assert!(error.contains("missing.toml") && error.contains("the old value stays"), "{error}");
        assert_eq!(settings.parameters, own);
        assert!(fresh().set("Profile", Some("x.toml")).is_err());
    }

    #[test]
    fn a_name_of_a_megabyte_is_refused_at_once_and_briefly() {
        let start = std::time::Instant::now();
        let error = fresh().set(&"x".repeat(1 << 20), Some("1")).expect_err("unknown").to_string();
        assert!(error.len() < 200 && error.contains("1048576 bytes"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }

    #[test]
    fn what_gui_tell_about_themselves_is_accepted() {
        for (name, value) in [
            ("UCI_AnalyseMode", "true"),
            ("UCI_Opponent", "GM 2800 human Gary Kasparov"),
            ("UCI_Opponent", "none none computer Shredder"),
        ] {
            assert_eq!(fresh().set(name, Some(value)), Ok(vec![]), "{name} {value}");
        }
    }

    #[test]
    fn each_game_has_another_seed_unless_one_was_set() {
        let mut settings = fresh();
        let first = settings.seed;
        settings.forget_game();
        assert_ne!(settings.seed, first);
        settings.set("Strength Seed", Some("7")).expect("in range");
        assert_eq!(settings.seed, 7);
        settings.forget_game();
        assert_eq!(settings.seed, 7);
    }

    #[test]
    fn names_match_whatever_their_case() {
        let mut settings = fresh();
        for name in ["hash", "HASH", "Hash"] {
            assert_eq!(settings.set(name, Some("7")), Ok(vec![]), "{name}");
        }
        assert_eq!(settings.hash, 7);
        assert_eq!(settings.set("move overhead", Some("50")), Ok(vec![]));
        assert_eq!(settings.overhead, Duration::from_millis(50));
        assert_eq!(settings.set("clear hash", None), Ok(vec![]));
        assert!(settings.changed.clear);
        let message = |name: &str| fresh().set(name, Some("1")).expect_err(name).to_string();
        assert_eq!(message("No Such"), "No such option: No Such");
        assert_eq!(message("nul_move.base"), "No such option: nul_move.base; did you mean null_move.base?");
        assert_eq!(message("Hsh"), "No such option: Hsh; did you mean Hash?");
        assert_eq!(message("multi pv"), "No such option: multi pv; did you mean MultiPV?");
    }

    #[test]
    fn numbers_out_of_range_are_brought_inside_with_a_remark() {
        let mut settings = fresh();
        for (name, text, check) in [
            ("Threads", "0", 1),
            ("Threads", "-3", 1),
            ("Threads", "99999999999999999999999", threads_max()),
            ("MultiPV", "0", 1),
        ] {
            let remarks = settings.set(name, Some(text)).expect(name);
            assert!(remarks.len() == 1 && remarks[0].contains(text), "{name} {text}: {remarks:?}");
            let got = if name == "Threads" { settings.threads } else { settings.lines };
            assert_eq!(got as i64, check, "{name} {text}");
        }
    }

    #[test]
    fn wrong_values_are_named_and_change_nothing() {
        let mut settings = fresh();
        for (name, value) in [
            ("Hash", Some("lots")),
            ("Hash", Some("")),
            ("Hash", None),
            ("Hash", Some("<empty>")),
            ("UCI_Chess960", Some("maybe")),
            ("Profile", Some("nobody")),
            ("EvalFile", Some("/x.nnue")),
            ("SyzygyPath", Some("/no/such/dir")),
            ("Hash", Some("33554432")),
        ] {
            let error = settings.set(name, value).expect_err(name).to_string();
            assert!(error.contains(name) && error.contains("the old value stays"), "{error}");
        }
        assert_eq!((settings.hash, settings.chess960), (16, false));
        assert!(settings.tablebase.is_none());
    }

    #[test]
    fn an_evaluation_chosen_by_hand_outlives_a_change_of_profile() {
        let mut settings = fresh();
        let listed = |settings: &Settings| settings.list().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(listed(&settings).contains(&"option name EvalFile type string default <default>".to_owned()));
        settings.set("EvalFile", Some("<classical>")).expect("a name");
        settings.set("Profile", Some("classic")).expect("built in");
        assert_eq!(settings.parameters.eval_file, EvalFile::Classical);
        settings.set("evalfile", Some("<default>")).expect("a name");
        assert_eq!(settings.parameters.eval_file, EvalFile::Default);
        let own = Parameters { eval_file: EvalFile::Classical, ..Parameters::default() };
        let mut settings = fresh().with_files(Arc::new(move |_| Ok(own.clone())));
        settings.set("Profile", Some("own.toml")).expect("a file");
        assert_eq!(settings.parameters.eval_file, EvalFile::Classical, "the profile's own");
        settings.set("Profile", Some("default")).expect("built in");
        assert_eq!(settings.parameters.eval_file, EvalFile::Default, "it went with the profile");
    }

    /// The file of a small network that was trained with a share of the classical evaluation, or does not tell.
    fn network_file(folder: &tempfile::TempDir, name: &str, facts: &str) -> String {
        let parts = Parts { facts: facts.to_owned(), ..Parts::zero(32, 1) };
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, Network::new(&parts).expect("small numbers").encode()).expect("a file");
        path
    }

    const ALONE: &str = r#"{"plan":{"classical":0.0}}"#;
    const QUARTER: &str = r#"{"plan":{"classical":0.25}}"#;

    /// A network that was trained alone was blended with the classical evaluation, and nothing said so.
    #[test]
    fn a_network_is_used_with_the_share_it_was_trained_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let [alone, quarter] =
            [("a.nnue", ALONE), ("b.nnue", QUARTER)].map(|(name, facts)| network_file(&folder, name, facts));
        let share = |settings: &Settings| settings.parameters.network.classical;
        let mut settings = fresh();
        for (file, expected) in
            [(alone.as_str(), 0), (&quarter, 25), ("<default>", 40), (&alone, 0), ("<classical>", 40)]
        {
            let remarks = settings.set("EvalFile", Some(file)).expect("a network");
            assert_eq!(share(&settings), expected, "{file}");
            assert!(
                remarks.iter().all(|remark| remark.ends_with(&format!("classical share {expected} %"))),
                "{remarks:?}"
            );
        }
        settings.set("EvalFile", Some(&alone)).expect("a network");
        settings.set("Profile", Some("default")).expect("built in");
        assert_eq!(share(&settings), 0, "the network stays, and its share with it");
    }

    #[test]
    fn a_share_that_is_set_stays_and_differs_with_a_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = network_file(&folder, "a.nnue", ALONE);
        let is_warning = |remarks: &[String]| {
            remarks.iter().any(|remark| remark.contains("classical share of 0 %, but network.classical is 40"))
        };
        let mut settings = fresh();
        settings.set("EvalFile", Some(&alone)).expect("a network");
        assert!(is_warning(&settings.set("network.classical", Some("40")).expect("in range")));
        assert_eq!(settings.parameters.network.classical, 40);
        let mut settings = fresh();
        settings.set("network.classical", Some("40")).expect("in range");
        assert!(is_warning(&settings.set("EvalFile", Some(&alone)).expect("a network")), "in the other order");
        assert_eq!(settings.parameters.network.classical, 40, "the default counts as set, too");
        assert_eq!(settings.set("network.classical", Some("0")).expect("in range"), Vec::<String>::new());
        let mut settings = fresh();
        settings.set("Profile", Some("tactical")).expect("built in");
        let remarks = settings.set("EvalFile", Some(&alone)).expect("a network");
        assert!(remarks[1].contains("network.classical is 45"), "a profile sets it: {remarks:?}");
        let silent = network_file(&folder, "c.nnue", "");
        let remarks = fresh().set("EvalFile", Some(&silent)).expect("a network");
        assert!(remarks[1].contains("does not tell the classical share"), "{remarks:?}");
    }

    /// GUIs send every option that they were shown at its default: that leaves the share to the network.
    #[test]
    fn a_default_that_a_gui_sends_leaves_the_share_to_the_network() {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = network_file(&folder, "a.nnue", ALONE);
        for first in [true, false] {
            let mut settings = fresh();
            settings.set("Show Parameters", Some("true")).expect("a switch");
            let own = |settings: &mut Settings| settings.set("EvalFile", Some(&alone)).map(drop).expect("a network");
            if first {
                own(&mut settings);
            }
            settings.set("network.tempo", Some("15")).expect("in range");
            settings.set("network.classical", Some("40")).expect("in range");
            if !first {
                own(&mut settings);
            }
            let network = settings.parameters.network;
            assert_eq!((network.classical, network.tempo), (0, 15), "network first: {first}");
        }
    }

    #[test]
    fn empty_texts_are_fine() {
        let mut settings = fresh();
        for value in [Some("<empty>"), Some(""), None] {
            assert_eq!(settings.set("SyzygyPath", value), Ok(vec![]));
            assert_eq!(settings.set("EvalFile", value), Ok(vec![]));
        }
    }

    #[test]
    fn a_profile_replaces_the_parameters_and_single_ones_can_follow() {
        let mut settings = fresh();
        let classic = profile::builtin("classic").expect("built in");
        assert_eq!(settings.set("profile", Some("CLASSIC")), Ok(vec![]));
        assert_eq!(settings.parameters, classic);
        let entry = Parameters::specs().find(|entry| entry.spec.kind == ParameterKind::Switch).expect("a switch");
        let flipped = 1 - classic.get(&entry.name).expect("exists");
        settings.set(&entry.name.to_uppercase(), Some(if flipped == 1 { "true" } else { "false" })).expect("a switch");
        assert_eq!(settings.parameters.get(&entry.name), Ok(flipped));
        settings.set("Profile", Some("default")).expect("built in");
        assert_eq!(settings.parameters, Parameters::default());
    }

    #[test]
    fn own_parameters_are_the_default_and_can_be_restored() {
        let mut own = Parameters::default();
        let entry = Parameters::specs().find(|entry| entry.spec.kind == ParameterKind::Number).expect("a number");
        let changed = if entry.spec.default == entry.spec.max { entry.spec.min } else { entry.spec.max };
        own.set(&entry.name, changed).expect("in range");
        let mut settings = Settings::new(own.clone());
        settings.always_listed = true;
        let options: Vec<Declaration> = settings.list();
        let shown = options.iter().find(|option| option.name == entry.name).expect("listed");
        assert!(matches!(shown.kind, Kind::Spin { default, .. } if default == i64::from(changed)));
        settings.set("Profile", Some("default")).expect("built in");
        assert_eq!(settings.set("Profile", Some("custom")), Ok(vec![]));
        assert_eq!(settings.parameters, own);
        assert!(fresh().set("Profile", Some("custom")).is_err());
    }
}
