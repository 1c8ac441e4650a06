//! The plan of a run: everything that is needed to repeat it. It is stored in `run.toml`.

use super::error::TuneError;
use super::fault::FAULTS;
use super::inputs::{self, RecordedEngine, TuningInputs};
use super::objective::{Objective, ObjectiveConditions};
use super::optimiser::{Method, PlanNumber};
use super::race;
use super::recorded::{RecordedCoefficients, RecordedProfile, Values};
use super::shipped;
use super::signature;
use super::space::Space;
use quarterply_engine::params::Parameters;
use quarterply_engine::profile::{FROM, NEUTRAL};
use quarterply_files::epd::{self, Record};
use quarterply_files::fingerprint::fingerprint;
use quarterply_games::game::{Pace, PaceError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of the folder's format.
pub const FORMAT: u32 = 2;
/// The file in a run's folder.
pub const FILE: &str = "run.toml";
/// Nodes per move in games, by default.
pub const MOVE_NODES: u64 = 10_000;
/// Tolerance of clocks in games.
pub const MARGIN: Duration = Duration::from_millis(50);
/// Openings that games are played from, by default.
pub const OPENINGS: u32 = 256;
/// Nodes that a worker searches between two entries of the journal, about.
const CHUNK_NODES: u64 = 4_000_000;
/// Units that a worker takes at once at most.
const CHUNK_MAX: u64 = 32;

/// A run before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningPlan {
    /// Version of the format of the folder.
    pub format: u32,
    /// Version of the program that began the run.
    pub version: String,
    /// Signature of the search that the results belong to.
    pub signature: String,
    /// The command that began the run.
    pub command: Option<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Nodes after which the run ends, finished or not.
    pub budget: Option<u64>,
    /// The objective.
    pub objective: Objective,
    /// True if costs are noisy, so that SPSA and CMA-ES return their current point, not the cheapest one. Runs of older versions
    /// returned the cheapest one on games, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noisy: bool,
    /// Nodes per position.
    pub nodes: u64,
    /// Table of each worker in MiB.
    pub hash: usize,
    /// Nodes per move in games, if that is their limit.
    pub move_nodes: Option<u64>,
    /// Another limit of moves in games.
    pub move_limit: Option<MoveLimit>,
    /// Games lost by faults after which the run stops.
    #[serde(default = "faults")]
    pub faults: u32,
    /// Pairs of games that measure a candidate, if the objective has games.
    pub pairs: u32,
    /// Pairs of games of the final match.
    pub match_pairs: u32,
    /// Openings that games are played from, if the objective has games.
    #[serde(default = "openings")]
    pub openings: u32,
    /// The file of the base profile's network, or `<classical>`, if it is not the default. The signature depends on
    /// the network.
    pub eval_file: Option<String>,
    /// The files of learned coefficients by the options that select them, if they are not the default.
    #[serde(default, skip_serializing_if = "RecordedCoefficients::is_empty")]
    pub coefficients: RecordedCoefficients,
    /// How candidates are raced against each other; every one is measured in full if they are not.
    pub race: Option<race::RaceSettings>,
    /// The openings of games, if another engine is tuned: this program chooses them, and the signature of that engine does not
    /// depend on this program. Runs of older versions do not have it.
    pub opening_set: Option<OpeningSet>,
    /// The optimiser.
    pub method: Method,
    /// Another engine, if it is not our own that is tuned.
    pub engine: Option<RecordedEngine>,
    /// The suite that is tuned on.
    pub suite: Option<SuitePlan>,
    /// The hold-out suite, used at the end only.
    pub holdout: Option<SuitePlan>,
    /// The parameters that are tuned.
    pub space: Space,
    /// All parameters of the base profile, rule by rule; none for another engine.
    pub base: Values,
}

/// Openings of a plan without their number.
fn openings() -> u32 {
    OPENINGS
}

/// Faults of a plan without their number.
fn faults() -> u32 {
    FAULTS
}

/// A limit of moves in games: a clock, a time, or a depth; in files as the user writes it, such as `8+0.08`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MoveLimit(pub Pace);

impl TryFrom<String> for MoveLimit {
    type Error = PaceError;

    fn try_from(text: String) -> Result<MoveLimit, PaceError> {
        Ok(MoveLimit(text.parse::<Pace>()?.with_margin(MARGIN)))
    }
}

impl From<MoveLimit> for String {
    fn from(limit: MoveLimit) -> String {
        limit.0.to_string()
    }
}

/// The openings that a run began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningSet {
    /// How many there were.
    pub count: u32,
    /// Fingerprint of them.
    pub fingerprint: String,
}

/// A suite or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePlan {
    /// Its file; a suite that comes with the program has its name only.
    pub path: PathBuf,
    /// Fingerprint of its positions and their tasks.
    pub fingerprint: String,
    /// How many positions that makes. A run that has this number can be shown without its suite.
    pub positions: Option<u32>,
    /// Positions of a hold-out that are left out because they are tuned on: their places in the suite or in the part of it, rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<u32>,
    /// Which of the positions.
    pub part: Option<SuitePart>,
}

/// A random part of a suite, or the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePart {
    /// How many positions are drawn.
    pub count: usize,
    /// The seed they are drawn with; it is not the seed of the run, so that runs with other seeds have the same positions.
    pub seed: u64,
    /// False for the positions that are drawn, true for all others.
    pub rest: bool,
}

impl TuningPlan {
    /// The plan as it is written.
    pub fn to_toml(&self) -> Result<String, TuneError> {
        const HEAD: &str =
            "# A run of `quarterply tune`: everything needed to repeat it. `quarterply tune resume` reads it.\n\n";
        let wrong = |e: toml::ser::Error| TuneError::Plan(FILE.into(), e.to_string());
        Ok(HEAD.to_owned() + &toml::to_string(self).map_err(wrong)?)
    }

    /// Reads the plan of a folder.
    pub fn read(folder: &Path) -> Result<TuningPlan, TuneError> {
        let path = folder.join(FILE);
        let text =
            std::fs::read_to_string(&path).map_err(|e| TuneError::NoRun(folder.to_owned(), format!("{FILE}: {e}")))?;
        let wrong = |e: toml::de::Error| TuneError::Plan(path.clone(), e.to_string());
        let table: toml::Table = text.parse().map_err(wrong)?;
        let version = table.get("version").and_then(toml::Value::as_str).unwrap_or("unknown").to_owned();
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format == i64::from(FORMAT) => {
                let plan: TuningPlan = toml::from_str(&text).map_err(wrong)?;
                if plan.move_nodes.is_some() == plan.move_limit.is_some() {
                    let reason = "expected either `move_nodes` or `move_limit`, which limit the moves of games";
                    return Err(TuneError::Plan(path, reason.to_owned()));
                }
                plan.check().map_err(|reason| TuneError::Plan(path, reason))?;
                Ok(plan)
            }
            None => Err(TuneError::Plan(path, "it has no number `format`".to_owned())),
            Some(found) => Err(TuneError::Format(path, u32::try_from(found).unwrap_or(0), version)),
        }
    }

    /// Checks the numbers of the plan.
    ///
    /// # Errors
    /// The first number that a run cannot have, and the valid ones.
    pub fn check(&self) -> Result<(), String> {
        let parts = [&self.suite, &self.holdout].into_iter().flatten().filter_map(|suite| suite.part);
        let stored = [("seed", Some(self.seed)), ("nodes", Some(self.nodes)), ("move_nodes", self.move_nodes)];
        let stored =
            stored.into_iter().chain([("budget", self.budget)]).chain(parts.map(|part| ("seed", Some(part.seed))));
        for (name, number) in stored {
            // TOML has signed numbers.
            if let Some(number) = number.filter(|&number| i64::try_from(number).is_err()) {
                return Err(format!("`{name}` is {number}: expected at most {}", i64::MAX));
            }
        }
        let counts = [("pairs", self.pairs), ("match_pairs", self.match_pairs), ("openings", self.openings)];
        let counts = counts.into_iter().map(|(name, value)| PlanNumber::count(name, value.into(), 0));
        match self.method.numbers().into_iter().chain(counts).find(|number| !number.range.contains(&number.value)) {
            Some(number) => Err(number.to_string()),
            None => Ok(()),
        }
    }

    /// A fingerprint of all that measurements depend on, which the journal has as well. The optimiser is not part of it.
    pub fn identity(&self) -> String {
        let TuningPlan { signature, seed, nodes, hash, .. } = self;
        // Of a run with nodes the number alone, as before there were other limits.
        let moves = self.move_nodes.map_or_else(|| self.pace().to_string(), |nodes| nodes.to_string());
        let mut text = format!("{signature} {seed} {nodes} {hash} {moves} {:?}\n", self.objective.stop());
        for suite in [&self.suite, &self.holdout].into_iter().flatten() {
            text += &format!("{} {:?}\n", suite.fingerprint, suite.part.map(|part| (part.count, part.seed, part.rest)));
            // Only if there are any: the identity of older runs must not change.
            if !suite.left_out.is_empty() {
                text += &format!("without {:?}\n", suite.left_out);
            }
        }
        for dimension in &self.space.dimensions {
            text += &format!("{}\n", dimension.name);
        }
        if let Some(engine) = &self.engine {
            text += &format!("{} {:?}\n", engine.command, engine.options);
        }
        for (group, values) in &self.base {
            for (name, value) in values {
                text += &format!("{group}.{name} {value}\n");
            }
        }
        fingerprint(text.as_bytes())
    }

    /// The base profile as it was recorded; none for another engine.
    pub fn recorded(&self) -> Option<RecordedProfile> {
        self.engine
            .is_none()
            .then(|| RecordedProfile::new(self.base.clone(), self.eval_file.clone(), self.coefficients.clone()))
    }

    /// The base profile, to measure with.
    ///
    /// # Errors
    /// This version cannot use a recorded value or range.
    pub fn base(&self) -> Result<Parameters, TuneError> {
        let build = format!("version {}, search signature {}", self.version, self.signature);
        self.recorded().unwrap_or_default().parameters(&self.space, &build)
    }

    /// A candidate as a profile, or as the options of another engine.
    pub fn profile_of(&self, candidate: &[i32]) -> String {
        if let Some(recorded) = self.recorded() {
            // Parameters newer than the run are neutral in the profile too.
            let from = format!("{FROM} = {NEUTRAL:?}\n\n");
            return from + &recorded.with(&self.space, candidate).profile(|_| true);
        }
        let settings = self.space.settings(candidate);
        settings.iter().map(|(name, value)| format!("{name:?} = {value}\n")).collect()
    }

    /// The signature of the search as it is now.
    pub fn signature_now(&self) -> Result<String, TuneError> {
        match &self.engine {
            None => Ok(signature::of_engine(&self.base()?, &self.space)?),
            Some(engine) => {
                let names: Vec<_> = self.space.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
                Ok(inputs::space_of(engine, &names.join(",")).map_err(TuneError::Engine)?.1)
            }
        }
    }

    /// Records what else the measurements of another engine depend on: its program, and the openings of this program.
    pub(crate) fn record_external(&mut self, inputs: &TuningInputs) {
        let Some(engine) = &mut self.engine else { return };
        engine.program = engine.program_now();
        self.opening_set = inputs.opening_set();
    }

    /// Compares the openings of this program with those that the run began with, if they were recorded.
    pub(crate) fn require_openings(&self, folder: &Path, inputs: &TuningInputs) -> Result<(), TuneError> {
        let Some(expected) = &self.opening_set else { return Ok(()) };
        let found = inputs.fingerprint_of_openings(expected.count);
        if found == expected.fingerprint {
            return Ok(());
        }
        let expected = &expected.fingerprint;
        let openings = format!("its openings had fingerprint {expected}, and those of this program have {found}");
        Err(TuneError::OtherBuild(folder.to_owned(), openings, self.version.clone()))
    }

    /// A message if another engine has a different program than when the run began.
    pub(crate) fn program_note(&self) -> Option<String> {
        let engine = self.engine.as_ref()?;
        let (expected, found) = (engine.program?, engine.program_now()?);
        (found != expected).then(|| {
            format!(
                "the program of `{}` has changed since the run began (SHA-256 {}, not {}); if it searches differently, start a new run",
                engine.command,
                found.short(),
                expected.short()
            )
        })
    }

    /// Sets other paths of the suites, which must have the same contents. A hold-out from the file of the suite moves with it.
    pub fn find_suites(&mut self, suite: Option<&Path>, holdout: Option<&Path>) -> Result<(), TuneError> {
        let path = |suite: &Option<SuitePlan>| suite.as_ref().map(|suite| suite.path.clone());
        let is_one_file = path(&self.suite) == path(&self.holdout);
        let holdout = holdout.or(suite.filter(|_| is_one_file));
        for (plan, path) in [(&mut self.suite, suite), (&mut self.holdout, holdout)] {
            if let (Some(plan), Some(path)) = (plan, path) {
                plan.path = std::path::absolute(path).map_err(|e| TuneError::file(path, e))?;
            }
        }
        Ok(())
    }

    /// The limits of measurements.
    pub fn conditions(&self) -> ObjectiveConditions {
        let TuningPlan { nodes, hash, .. } = *self;
        ObjectiveConditions { nodes, hash, pace: self.pace(), stop: self.objective.stop() }
    }

    /// The limit of moves in games.
    pub fn pace(&self) -> Pace {
        let by_nodes = || Pace::Nodes(self.move_nodes.unwrap_or(MOVE_NODES));
        self.move_limit.map_or_else(by_nodes, |MoveLimit(pace)| pace)
    }

    /// Openings that candidates are measured with; those of the final match come after them.
    pub fn tuning_openings(&self) -> u32 {
        if self.objective.needs_games() { self.openings.max(self.pairs) } else { 0 }
    }

    /// Units that a worker takes at once.
    pub fn chunk(&self) -> usize {
        (CHUNK_NODES / self.nodes.max(1)).clamp(1, CHUNK_MAX) as usize
    }
}

impl fmt::Display for SuitePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        match self.part {
            None => write!(f, "{name}")?,
            Some(SuitePart { count, seed, rest }) => {
                // Runs on other positions must have a different name.
                let seed = if seed == SuitePart::SEED { String::new() } else { format!(" (drawn with seed {seed})") };
                if rest {
                    write!(f, "{name} without {count} positions{seed}")?;
                } else {
                    write!(f, "{count} positions of {name}{seed}")?;
                }
            }
        }
        match self.left_out.len() {
            0 => Ok(()),
            1 => f.write_str(" (without 1 position that is tuned on)"),
            count => write!(f, " (without {count} positions that are tuned on)"),
        }
    }
}

impl SuitePlan {
    /// The plan of a suite in a file, or of a part of it.
    pub fn of_file(path: &Path, part: Option<SuitePart>) -> Result<SuitePlan, TuneError> {
        SuitePlan::of(std::path::absolute(path).map_err(|e| TuneError::file(path, e))?, part)
    }

    /// The plan of a suite, or of a part of it. `path` is recorded as it is; it may be the name of a suite that comes with the program.
    pub fn of(path: PathBuf, part: Option<SuitePart>) -> Result<SuitePlan, TuneError> {
        let all = records(&path)?;
        if let Some(SuitePart { count, .. }) = part
            && count > all.len()
        {
            return Err(TuneError::TooFew(path, all.len(), count));
        }
        let positions = part.map_or(all.len(), |part| if part.rest { all.len() - part.count } else { part.count });
        Ok(SuitePlan {
            path,
            fingerprint: fingerprint_of(&all),
            positions: Some(positions as u32),
            left_out: Vec::new(),
            part,
        })
    }

    /// This suite, of which nothing is left out yet, without the positions of another one.
    ///
    /// # Errors
    /// One of the suites cannot be read.
    pub fn without(self, tuning: &SuitePlan) -> Result<SuitePlan, TuneError> {
        let tuned: HashSet<String> = tuning.load()?.iter().map(Record::fen).collect();
        let all = self.load()?;
        let common = (0..).zip(&all).filter(|(_, record)| tuned.contains(&record.fen()));
        let left_out: Vec<u32> = common.map(|(place, _)| place).collect();
        let positions = Some((all.len() - left_out.len()) as u32);
        Ok(SuitePlan { positions, left_out, ..self })
    }

    /// How many positions there are; the suite is read only if the plan does not have the number.
    pub fn size(&self) -> Result<u32, TuneError> {
        self.positions.map_or_else(|| Ok(self.load()?.len() as u32), Ok)
    }

    /// The positions, if the suite is still what it was.
    pub fn load(&self) -> Result<Vec<Record>, TuneError> {
        let all = records(&self.path)?;
        let demand = |found: String, expected: String| {
            let path = self.path.clone();
            if found == expected { Ok(()) } else { Err(TuneError::SuiteChanged(path, found, expected)) }
        };
        demand(fingerprint_of(&all), self.fingerprint.clone())?;
        let chosen = self.part.map_or_else(|| all.clone(), |part| part.choose(&all));
        let kept = (0..).zip(chosen).filter(|(place, _)| self.left_out.binary_search(place).is_err());
        let chosen: Vec<Record> = kept.map(|(_, record)| record).collect();
        if let Some(positions) = self.positions {
            demand(format!("{} positions", chosen.len()), format!("{positions} positions"))?;
        }
        Ok(chosen)
    }
}

impl SuitePart {
    /// The seed that positions are drawn with by default.
    pub const SEED: u64 = 1;

    /// The positions of this part in the order of the suite.
    fn choose(&self, all: &[Record]) -> Vec<Record> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let drawn = |index: &usize| order[..self.count.min(order.len())].contains(index);
        (0..all.len()).filter(|index| drawn(index) != self.rest).map(|index| all[index].clone()).collect()
    }
}

/// The positions with a task.
fn records(path: &Path) -> Result<Vec<Record>, TuneError> {
    let suite = match path.to_str().and_then(shipped::suite) {
        Some(text) => epd::parse_suite(&path.display().to_string(), text.as_bytes())?,
        None => epd::read_suite(path)?,
    };
    let records: Vec<_> = suite.records.into_iter().filter(Record::has_task).collect();
    if records.is_empty() { Err(TuneError::NoTask(path.to_owned())) } else { Ok(records) }
}

fn fingerprint_of(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {:?} {:?} {:?} {:?}",
            record.fen(),
            record.best,
            record.avoid,
            record.mate,
            record.points
        );
    }
    fingerprint(text.as_bytes())
}
