//! The engine's options: their declarations, their values, and how they reach the engine.
//!
//! Setting an option only changes [`UciSettings`]; [`UciSettings::apply`] carries the changes over when the engine is idle, so that
//! ten options cost one allocation, and an option set during a search waits for its end.

mod standard;

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use quarterply_engine::coefficients::{CoefficientFile, CoefficientModel};
use quarterply_engine::network::vector::Level;
use quarterply_engine::network::{self, EvalFile};
use quarterply_engine::params::{ParameterEntry, ParameterError, ParameterKind, Parameters, model_of};
use quarterply_engine::profile;
use quarterply_engine::search::pool::Engine;
use quarterply_engine::tablebase::{Tablebase, TablebaseOptions};
use quarterply_engine::words::nearest_of;
pub use standard::threads_max;
use standard::{PROFILE, STANDARD};
use thiserror::Error;

use crate::command::whole_number;
use crate::info::{Declaration, EMPTY, OptionKind};
use crate::memory;
use crate::strength;

/// The name of parameters that are not a built-in profile.
const CUSTOM: &str = "Custom";
/// The option that lists the parameters among the options.
pub const SHOW_PARAMETERS: &str = "Show Parameters";
/// A value that fits its option's kind.
#[derive(Clone, PartialEq, Eq, Debug)]
enum OptionValue {
    Switch(bool),
    Number(i64),
    Text(String),
    Press,
}

impl OptionValue {
    fn is_on(&self) -> bool {
        *self == OptionValue::Switch(true)
    }

    fn number(&self) -> i64 {
        if let OptionValue::Number(number) = *self { number } else { 0 }
    }

    fn text(self) -> String {
        if let OptionValue::Text(text) = self { text } else { String::new() }
    }
}

/// An option that could not be set; the old value stays.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum OptionError {
    #[error("No such option: {name}; {}", advice(.nearest.as_deref()))]
    Unknown { name: String, nearest: Option<String> },
    #[error("cannot set {name} to `{text}`: expected {expected}; the old value stays")]
    OptionValue { name: String, expected: String, text: String },
    #[error("{name}: {reason}; the old value stays")]
    Refused { name: String, reason: String },
}

/// The remedy for a name that does not exist.
fn advice(nearest: Option<&str>) -> String {
    nearest.map_or_else(|| "`uci` lists the options".to_owned(), |name| format!("did you mean {name}?"))
}

impl OptionError {
    /// The same error about a value as it was written, before it was brought inside its range.
    fn quoting(self, written: Option<&str>) -> OptionError {
        match (self, written) {
            (OptionError::OptionValue { name, expected, .. }, Some(text)) => {
                OptionError::OptionValue { name, expected, text: text.to_owned() }
            }
            (error, _) => error,
        }
    }
}

/// Reads a profile from a file; returns an error message if the file is not valid.
pub type Loader = dyn Fn(&str) -> Result<Parameters, String> + Send + Sync;

/// The values of all options.
#[derive(Clone)]
pub struct UciSettings {
    /// Size of the table (MiB).
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to report.
    pub lines: usize,
    /// Time lost between engine and clock.
    pub overhead: Duration,
    /// True if castling is written as king takes rook.
    pub chess960: bool,
    /// True if win-draw-loss probabilities are shown with scores.
    pub show_wdl: bool,
    /// The strength to play at, if it is limited.
    pub limit_strength: bool,
    /// That strength (Elo).
    pub elo: i64,
    /// Seed of the score errors of limited strength: different in each game unless it was set.
    pub seed: u64,
    fixed_seed: Option<u64>,
    /// The engine's parameters.
    pub parameters: Parameters,
    profile: String,
    start: Parameters,
    /// The parameters of the selected profile.
    base: Parameters,
    /// Parameters that were set one by one after that.
    by_hand: BTreeSet<String>,
    /// True if the GUI requests the parameters among the options.
    show_parameters: bool,
    /// True if they are listed in any case.
    pub always_listed: bool,
    /// Reads profiles from files, if that is possible.
    files: Option<Arc<Loader>>,
    syzygy_path: String,
    tablebase: Option<Arc<Tablebase>>,
    tablebase_options: TablebaseOptions,
    changed: PendingChanges,
}

/// Changes that are not applied to the engine yet.
#[derive(Clone, Copy, Default)]
struct PendingChanges {
    hash: bool,
    threads: bool,
    clear: bool,
    game: bool,
    parameters: bool,
    tablebase: bool,
}

impl PendingChanges {
    /// Changes to apply to a new engine.
    const EVERYTHING: PendingChanges =
        PendingChanges { hash: true, threads: true, clear: false, game: false, parameters: true, tablebase: true };
}

impl UciSettings {
    /// The values at the start, with these parameters.
    pub fn new(parameters: Parameters) -> UciSettings {
        let named = |name: &&&str| profile::builtin(name).as_ref() == Some(&parameters);
        let profile = profile::BUILTIN.iter().find(named).map_or_else(|| CUSTOM.to_owned(), |name| capitalised(name));
        UciSettings {
            hash: standard::HASH.2 as usize,
            threads: 1,
            lines: 1,
            overhead: Duration::from_millis(standard::OVERHEAD.0.unsigned_abs()),
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
            files: None,
            profile,
            syzygy_path: String::new(),
            tablebase: None,
            tablebase_options: TablebaseOptions::default(),
            changed: PendingChanges::EVERYTHING,
        }
    }

    /// Sets the function that reads profiles from files.
    pub fn with_files(self, load: Arc<Loader>) -> UciSettings {
        UciSettings { files: Some(load), ..self }
    }

    /// Marks all options as changed: the next engine is a new one.
    pub fn renew(&mut self) {
        self.changed = PendingChanges::EVERYTHING;
    }
}

/// A random number.
fn any_seed() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A profile's name in GUIs. It has a capital letter because GUIs read the word `default` as the start of a field.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The engine's parameters as options; `start` gives their defaults.
fn tunable(start: &Parameters) -> impl Iterator<Item = Declaration> + use<'_> {
    let files = start.coefficient_files();
    let files = files.map(|(model, file)| Declaration { name: model.option.to_owned(), kind: coefficients(file) });
    Parameters::specs().map(|entry| tunable_by(entry, start)).chain(files)
}

fn coefficients(file: &CoefficientFile) -> OptionKind {
    OptionKind::Text { default: file.to_string() }
}

/// The remark that a listed default was received, which does not change what the profile has.
fn left_to_profile(name: &str, in_force: &str, listed: &str) -> String {
    format!(
        "{name} stays {in_force}: {listed} is the listed default, which keeps the value of the profile; set {SHOW_PARAMETERS} to false \
         to force {listed}"
    )
}

fn tunable_by(entry: ParameterEntry, start: &Parameters) -> Declaration {
    let default = start.get(&entry.name).unwrap_or(entry.spec.default);
    let kind = match entry.spec.kind {
        ParameterKind::Switch => OptionKind::Check { default: default != 0 },
        ParameterKind::Number => {
            OptionKind::Spin { default: default.into(), min: entry.spec.min.into(), max: entry.spec.max.into() }
        }
    };
    Declaration { name: entry.name, kind }
}

impl UciSettings {
    /// The options as the answer to `uci` lists them: the standard ones, then, if they are wanted, the parameters by rule: over two
    /// hundred fields are too many for the dialog of a GUI. The defaults are the values these settings started from.
    pub fn list(&self) -> Vec<Declaration> {
        // A GUI that sends all listed values in order must not hide the parameters before it sends them.
        let fresh = UciSettings { show_parameters: self.show_parameters, ..UciSettings::new(self.start.clone()) };
        let first = STANDARD.iter().map(|option| option.declared(&fresh));
        first.chain(tunable(&self.start).filter(|_| self.show_parameters || self.always_listed)).collect()
    }

    /// Sets an option by name, ignoring case. The returned remarks name values that were changed, and networks that are not used as they
    /// were trained.
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
        let fresh = UciSettings::new(self.start.clone());
        if let Some(option) = STANDARD.iter().find(|option| option.name.eq_ignore_ascii_case(name)) {
            if let Some(path) = value.filter(|text| option.name == PROFILE && names_file(text)) {
                self.set_profile(self.read_profile(path)?);
                return Ok(remarks);
            }
            let read_value = read(&option.declared(&fresh), value, &mut remarks)?;
            (option.set)(self, read_value, &mut remarks).map_err(|error| error.quoting(value))?;
        } else if let Some(model) = model_of(name) {
            self.set_coefficients(model, value.unwrap_or(""), &mut remarks)?;
        } else if let Ok(entry) = Parameters::find(name) {
            let declaration = tunable_by(entry, &self.start);
            let number = match read(&declaration, value, &mut remarks)? {
                OptionValue::Switch(on) => i32::from(on),
                OptionValue::Number(number) => i32::try_from(number).unwrap_or(i32::MAX),
                OptionValue::Text(_) | OptionValue::Press => 0,
            };
            remarks.extend(self.set_parameter(&declaration, number)?);
        } else if let Err(error @ ParameterError::Coefficient { .. }) = Parameters::find(name) {
            return Err(refuse(name, &error));
        } else {
            let known = STANDARD.iter().map(|option| option.declared(&fresh)).chain(tunable(&self.start));
            let nearest = nearest_of(name, known.map(|declaration| declaration.name));
            return Err(OptionError::Unknown { name: brief(name), nearest });
        }
        Ok(remarks)
    }

    /// Sets a parameter. GUIs send every option of the list, also untouched ones with their default: such a value leaves the parameter to
    /// the profile, and the remark says so if that has another one. If no parameters were listed, every value is set.
    fn set_parameter(&mut self, option: &Declaration, number: i32) -> Result<Option<String>, OptionError> {
        let name = &option.name;
        let untouched = self.show_parameters && self.start.get(name) == Ok(number);
        let mut requested = self.parameters.clone();
        if untouched {
            self.by_hand.remove(name);
            requested = self.base.clone();
            for name in &self.by_hand {
                let value = self.parameters.get(name).map_err(|error| refuse(name, &error))?;
                requested.set(name, value).map_err(|error| refuse(name, &error))?;
            }
            requested.choose(self.parameters.eval_file.clone());
            requested.coefficients = self.parameters.coefficients.clone();
        } else {
            requested.set(name, number).map_err(|error| refuse(name, &error))?;
            self.by_hand.insert(name.to_owned());
        }
        let in_force = requested.get(name).unwrap_or(number);
        self.changed.parameters |= self.parameters != requested;
        self.parameters = requested;
        let is_switch = matches!(option.kind, OptionKind::Check { .. });
        let text = |number: i32| if is_switch { (number != 0).to_string() } else { number.to_string() };
        Ok((in_force != number).then(|| left_to_profile(name, &text(in_force), &text(number))))
    }

    /// Chooses a file of learned coefficients. As for numbers, the value that was listed leaves them to the profile.
    fn set_coefficients(
        &mut self,
        model: &CoefficientModel,
        text: &str,
        remarks: &mut Vec<String>,
    ) -> Result<(), OptionError> {
        let of = |parameters: &Parameters| {
            parameters.coefficient_files().find(|(one, _)| one.rule == model.rule).map(|(_, file)| file.clone())
        };
        let text = if text == EMPTY { "" } else { text };
        let untouched = self.show_parameters && of(&self.start).is_some_and(|file| file.to_string() == text);
        let file = if untouched {
            let file = of(&self.base).unwrap_or_default();
            if file.to_string() != text {
                remarks.push(left_to_profile(model.option, &file.to_string(), text));
            }
            file
        } else {
            model.open(text).map_err(|error| refuse(model.option, &error))?
        };
        if let CoefficientFile::File { contents, .. } = &file {
            remarks.push(format!("{}: {}, {}", model.option, contents.title, contents.date));
        }
        let before = self.parameters.coefficients.clone();
        self.parameters.choose_coefficients(model, file);
        self.changed.parameters |= self.parameters.coefficients != before;
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
        let load = self.files.as_ref().ok_or_else(|| refuse(PROFILE, &"profiles are not read from files here"))?;
        load(path).map_err(|reason| refuse(PROFILE, &reason))
    }

    fn set_eval_file(&mut self, text: &str, remarks: &mut Vec<String>) -> Result<(), OptionError> {
        let choice = EvalFile::open(text).map_err(|error| refuse(network::OPTION, &error))?;
        if let EvalFile::Network { network, .. } = &choice {
            remarks.push(format!("{}: network {}, {}", network::OPTION, network.name(), Level::used()));
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
            let expected = format!("at most {there} MiB, the memory of this machine");
            return Err(OptionError::OptionValue { name: "Hash".to_owned(), expected, text: size.to_string() });
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

    /// Applies the changes to an idle engine; the remarks name those that were not possible.
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

/// Returns true for the path of a profile's file, false for the name of a built-in profile.
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
fn read(option: &Declaration, value: Option<&str>, remarks: &mut Vec<String>) -> Result<OptionValue, OptionError> {
    let text = value.unwrap_or("");
    let wrong = |expected: &str| OptionError::OptionValue {
        name: option.name.clone(),
        expected: expected.to_owned(),
        text: text.to_owned(),
    };
    Ok(match &option.kind {
        OptionKind::Button => OptionValue::Press,
        OptionKind::Check { .. } => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => OptionValue::Switch(true),
            "false" | "off" | "0" => OptionValue::Switch(false),
            _ => return Err(wrong("true or false")),
        },
        OptionKind::Spin { min, max, .. } => {
            let number = whole_number(text).ok_or_else(|| wrong("a whole number"))?;
            let inside = number.clamp(*min, *max);
            if inside != number {
                remarks.push(format!("{} takes {min} to {max}: {text} becomes {inside}", option.name));
            }
            OptionValue::Number(inside)
        }
        OptionKind::Combo { choices, .. } => {
            let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text));
            let files = if option.name == PROFILE { ", or the path of a TOML file" } else { "" };
            OptionValue::Text(choice.ok_or_else(|| wrong(&format!("one of {}{files}", choices.join(", "))))?.clone())
        }
        OptionKind::Text { .. } if text == EMPTY => OptionValue::Text(String::new()),
        OptionKind::Text { .. } => OptionValue::Text(text.to_owned()),
    })
}

#[cfg(test)]
mod tests;
