//! The settings of games and the engine that played them: both are part of the header of every shard.

use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Engine;
use quarterply_files::bench;
use quarterply_games::game::adjudicate::{DrawByScore, WinByScore};
use quarterply_games::openings::{BadOpening, OpeningSource, Options};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// Settings of games. Equal settings of the same program give equal games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatagenSettings {
    /// Seed of everything random.
    pub seed: u64,
    /// Fewest random plies at the start.
    pub random_min: u32,
    /// Most random plies at the start.
    pub random_max: u32,
    /// The book whose positions games begin from; the start position if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    /// An opening with a score beyond this for either side is rejected (pawns/100).
    pub opening_score: i32,
    /// Share of the later moves that are drawn at random, where the best one is quiet (0 to 1).
    #[serde(rename = "stray", default, skip_serializing_if = "is_zero")]
    pub random_moves: f64,
    /// A search starts no further iteration after this number of nodes.
    pub soft_nodes: u64,
    /// A search stops at this number of nodes.
    pub nodes: u64,
    /// When a game counts as won.
    #[serde(with = "text")]
    pub win: Option<WinByScore>,
    /// When a game counts as drawn.
    #[serde(with = "text")]
    pub draw: Option<DrawByScore>,
    /// Directories of endgame tables, for the search and for ending games.
    pub syzygy: Option<String>,
    /// Transposition table in MiB.
    pub hash: usize,
    /// Soft and hard limit (nodes) of the searches, if the games are those of another run and only their scores are from this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relabelled: Option<[u64; 2]>,
    /// Settings of the sampling, if the records are positions sampled from searches of the games of that other run.
    #[serde(rename = "visited", default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingSettings>,
    /// Parameters and learned coefficients of the search that are not those of profile `default`, by name.
    pub parameters: BTreeMap<String, i32>,
    /// The network file of the evaluation, or `<classical>`, if it is not the default. [`DataOrigin::evaluation`] identifies the
    /// network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval_file: Option<String>,
}

impl Default for DatagenSettings {
    fn default() -> DatagenSettings {
        DatagenSettings {
            seed: 1,
            random_min: 8,
            random_max: 9,
            openings: None,
            opening_score: 300,
            random_moves: 0.0,
            soft_nodes: 2000,
            nodes: DatagenSettings::HARD_FACTOR * 2000,
            // Four plies, and twelve plies from ply 70 on.
            win: Some(WinByScore { moves: 2, score: 1750 }),
            draw: Some(DrawByScore { after: 35, moves: 6, score: 4 }),
            syzygy: None,
            hash: 8,
            relabelled: None,
            sampling: None,
            parameters: BTreeMap::new(),
            eval_file: None,
        }
    }
}

/// A book of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Openings {
    /// The file, in EPD or PGN.
    pub file: String,
    /// Identifies its contents.
    pub fingerprint: u64,
}

impl Openings {
    /// The book in this file; also returns its openings that are left out or corrected.
    ///
    /// # Errors
    /// It cannot be read, or holds no opening.
    pub fn of(file: &str) -> Result<(Openings, Vec<BadOpening>), SettingsError> {
        let source = Openings::read(file)?;
        let bad = source.skipped().iter().chain(source.corrected()).cloned().collect();
        Ok((Openings { file: file.to_owned(), fingerprint: source.fingerprint() }, bad))
    }

    /// All its positions, without a history.
    ///
    /// # Errors
    /// It cannot be read, or its contents have changed.
    pub fn games(&self) -> Result<Vec<Game>, SettingsError> {
        let source = Openings::read(&self.file)?;
        if source.fingerprint() != self.fingerprint {
            return Err(SettingsError::OtherBook(self.file.clone()));
        }
        Ok(source.map(|game| Game::from_chess(game.position().chess().clone(), game.castling_mode())).collect())
    }

    fn read(file: &str) -> Result<OpeningSource, SettingsError> {
        OpeningSource::book(Path::new(file), &Options::default())
            .map_err(|error| SettingsError::File(error.to_string()))
    }
}

/// Settings of the sampling of positions that searches visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplingSettings {
    /// The searches that visit them start no further iteration after this number of nodes.
    pub search: u64,
    /// Slots for positions, for each game; a few stay empty.
    pub each: u64,
    /// Positions drawn from one search: more cost less each, and are more alike.
    #[serde(default = "default_per_search", skip_serializing_if = "is_default_per_search")]
    pub per_search: u64,
    /// Only nodes whose subtrees have at least this number of nodes are sampled, with the values of these subtrees. If missing,
    /// any evaluated position can be sampled, and a separate search gives its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<u64>,
    /// Decides which are drawn.
    pub seed: u64,
}

/// The default for headers of programs that supported no other number.
fn default_per_search() -> u64 {
    SamplingSettings::PER_SEARCH
}

fn is_default_per_search(count: &u64) -> bool {
    *count == SamplingSettings::PER_SEARCH
}

impl SamplingSettings {
    /// Default number of positions drawn from one search.
    pub const PER_SEARCH: u64 = 4;

    /// The limits of the searches that visit.
    pub fn limits(&self) -> Limits {
        within([self.search, self.search.saturating_mul(DatagenSettings::HARD_FACTOR)])
    }

    /// Its counts with their command-line options.
    fn named(self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = [("--search-nodes", self.search), ("--each", self.each), ("--per-search", self.per_search)];
        counts.into_iter().chain(self.tree.map(|least| ("--tree-nodes", least)))
    }
}

/// Settings that are not valid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SettingsError {
    /// Fewer random plies at most than at least.
    #[error(
        "cannot use random plies {0}..{1}: expected a range from low to high, at most {RANDOM_PLIES_MAX}; change --random-plies"
    )]
    Random(u32, u32),
    /// The hard limit below the soft one: the soft limit and the hard limit.
    #[error(
        "cannot use a hard limit of {1} nodes: it is below the soft limit of {0}; increase --hard-nodes or decrease --nodes"
    )]
    Nodes(u64, u64),
    /// A share outside 0 to 1.
    #[error("cannot use --random-moves {0}: it is a share of moves; give a value from 0 to 1")]
    RandomMoves(f64),
    /// No nodes, or no table.
    #[error("cannot use {0}: it is below 1; give 1 or more")]
    Zero(&'static str),
    /// A parameter that this program does not have, or a value it cannot have.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The network or the book cannot be read.
    #[error("{0}")]
    File(String),
    /// The book is not the one that the run began with.
    #[error(
        "cannot use `{0}`: its contents have changed since the start of the run; restore the file, or start another run"
    )]
    OtherBook(String),
}

/// Maximum number of random plies.
pub(crate) const RANDOM_PLIES_MAX: u32 = 60;

impl DatagenSettings {
    /// The hard limit as a multiple of the soft one, if only that is given.
    pub const HARD_FACTOR: u64 = 8;

    /// Checks what cannot be checked field by field.
    ///
    /// # Errors
    /// [`SettingsError`]: a setting is not valid.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.random_min > self.random_max || self.random_max > RANDOM_PLIES_MAX {
            return Err(SettingsError::Random(self.random_min, self.random_max));
        }
        if !(0.0..=1.0).contains(&self.random_moves) {
            return Err(SettingsError::RandomMoves(self.random_moves));
        }
        let sampling = self.sampling.into_iter().flat_map(SamplingSettings::named);
        let mut counts = [("--nodes", self.soft_nodes), ("--hash", self.hash as u64)].into_iter().chain(sampling);
        if let Some((name, _)) = counts.find(|(_, value)| *value == 0) {
            return Err(SettingsError::Zero(name));
        }
        if self.nodes < self.soft_nodes {
            return Err(SettingsError::Nodes(self.soft_nodes, self.nodes));
        }
        self.parameters().map(drop)
    }

    /// The parameters of the search.
    ///
    /// # Errors
    /// One of them does not exist, or the network cannot be read.
    pub fn parameters(&self) -> Result<Parameters, SettingsError> {
        let mut parameters = Parameters::default();
        for (name, value) in &self.parameters {
            parameters.restore(name, *value)?;
        }
        if let Some(file) = &self.eval_file {
            parameters.choose(EvalFile::open(file).map_err(|error| SettingsError::File(error.to_string()))?);
        }
        Ok(parameters)
    }

    /// The same settings with these parameters.
    #[must_use]
    pub fn with_parameters(mut self, parameters: &Parameters) -> DatagenSettings {
        let numbers = parameters.differing().map(|(entry, value)| (entry.name, value));
        self.parameters = numbers.chain(parameters.differing_coefficients()).collect();
        self.eval_file = parameters.eval_file.kept();
        self
    }

    /// The limits of each search.
    pub fn limits(&self) -> Limits {
        within(self.relabelled.unwrap_or([self.soft_nodes, self.nodes]))
    }
}

/// The limits of a search: soft and hard number of nodes.
fn within([soft, hard]: [u64; 2]) -> Limits {
    Limits { nodes: Some(hard), soft_nodes: Some(soft), ..Limits::default() }
}

/// The program that played the games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataOrigin {
    /// Name, version and commit.
    pub program: String,
    /// Nodes of the bench: the signature of the search.
    pub bench: u64,
    /// Depth of that bench (plies).
    pub bench_depth: u32,
    /// A fingerprint of the static evaluation, see [`evaluation`].
    pub evaluation: String,
}

impl DataOrigin {
    /// This program as the origin of games with these parameters; `program` is its name, version and commit.
    pub fn here(program: &str, parameters: &Parameters, bench_depth: u32) -> DataOrigin {
        DataOrigin {
            program: program.to_owned(),
            bench: bench::signature(parameters, bench_depth, usize::MAX),
            bench_depth,
            evaluation: evaluation(parameters),
        }
    }
}

/// A fingerprint of the static evaluation: its values of the bench's positions and of all that follow from them by one move.
pub fn evaluation(parameters: &Parameters) -> String {
    let mut engine = Engine::new(parameters.clone());
    let mut values: Vec<u8> = Vec::new();
    for record in bench::positions() {
        let game = Game::from_chess(record.position.clone(), record.mode);
        let here = game.position();
        let next = here.legal_moves().into_iter().map(|mv| here.play(mv));
        for position in std::iter::once(here.clone()).chain(next) {
            values.extend(engine.evaluate(&position).0.to_le_bytes());
        }
    }
    quarterply_files::fingerprint::fingerprint(&values)
}

/// The goals of a run: the first that is reached ends it. Without a goal it continues until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatagenGoal {
    /// Total number of games.
    pub games: Option<u64>,
    /// Total number of positions that pass the default filter.
    pub positions: Option<u64>,
    /// Hours, counted from the start of the program.
    pub hours: Option<f64>,
}

/// Returns true for a share of 0, which headers omit: they equal those of programs without random moves.
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// Rules as people write them, or nothing.
mod text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt::Display;
    use std::str::FromStr;

    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(T::to_string).serialize(to)
    }

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        let text: Option<String> = Option::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a run holds the values of coefficients, because their file may be deleted.
    #[test]
    fn settings_come_back_with_their_parameters_and_coefficients() {
        let mut parameters = Parameters::default();
        parameters.set("null_move.on", 0).expect("a switch");
        parameters.restore("realization.takes_pawn", 77).expect("a coefficient");
        let settings = DatagenSettings::default().with_parameters(&parameters);
        assert_eq!(settings.parameters.len(), 2, "{:?}", settings.parameters);
        let text = serde_json::to_string(&settings).expect("plain data");
        let back: DatagenSettings = serde_json::from_str(&text).expect(&text);
        assert_eq!(back.parameters().expect("known values"), parameters);
    }
}
