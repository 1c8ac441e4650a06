//! Positions of games in memory: those to learn from, and those of held-out games.
//!
//! A position takes 32 bytes, and its place in the order of a pass 4 more; while games are read, the keys that detect duplicates take
//! about 16. 25 million positions take 900 MB during training.

use crate::of_game;
use crate::train::error::TrainError;
use crate::train::packed::Packed;
use crate::train::teacher::Teacher;
use quarterply_datagen::error::DataError;
use quarterply_datagen::opening::stream;
use quarterply_datagen::read::{Archive, Batch};
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::{Filter, GamePosition, ReplayError};
use quarterply_files::fingerprint::Fingerprint;
use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most portions of games that are replayed in parallel.
const BATCHES: usize = 16;

/// A folder or shard, and how much of it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSource {
    /// Its folder or file.
    pub path: PathBuf,
    /// Number of games used, from the first on: a run in progress may have more by now.
    pub games: u64,
    /// Number of those that are not games but slots of sampled positions.
    #[serde(rename = "visited", default, skip_serializing_if = "is_zero")]
    pub sampled: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl DataSource {
    /// All that is at `path`.
    pub fn all(path: &Path) -> DataSource {
        DataSource { path: path.to_owned(), games: u64::MAX, sampled: 0 }
    }

    /// Number of games without slots of sampled positions.
    pub fn played(&self) -> u64 {
        self.games - self.sampled
    }
}

/// Which positions are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionSelection {
    /// The positions of a game.
    pub filter: Filter,
    /// Share of the games that is held out.
    pub held_out: f64,
    /// Decides which games are held out.
    pub seed: u64,
    /// True if classical values are computed as well.
    pub classical: bool,
    /// True if damaged blocks are skipped instead of refused.
    pub skip_damaged: bool,
}

/// Positions to learn from and to check with.
#[derive(Clone, Debug, Default)]
pub struct TrainingData {
    /// Training positions.
    pub train: Vec<Packed>,
    /// Positions of held-out games.
    pub held_out: Vec<Packed>,
    /// The games read.
    pub sources: Vec<DataSource>,
    /// Number of held-out games and slots of sampled positions.
    pub held_out_games: u64,
    /// Positions left out because they occurred before.
    pub duplicates: u64,
    /// Messages about skipped damage.
    pub skipped: Vec<String>,
    /// Identifies these positions.
    pub fingerprint: u64,
}

/// Returns true if a game is held out. Only its number and the seed decide, so that a run and its relabelled copy are split
/// alike.
pub fn is_held_out(selection: &PositionSelection, game: u64) -> bool {
    of_game(selection.seed, game).random::<f64>() < selection.held_out
}

/// Reads all games of folders and shards. `progress` receives the number of positions and returns whether to continue.
///
/// # Errors
/// Files that cannot be read, illegal moves, too few positions, or [`TrainError::Stopped`].
pub fn load<P: AsRef<Path>>(
    paths: &[P],
    selection: &PositionSelection,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<TrainingData, TrainError> {
    let all = paths.iter().map(|path| DataSource::all(path.as_ref()));
    reload(&all.collect::<Vec<_>>(), selection, progress)
}

/// Reads the same number of games of folders and shards again.
///
/// # Errors
/// As [`load`]; also if there are fewer games than before.
pub fn reload(
    sources: &[DataSource],
    selection: &PositionSelection,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<TrainingData, TrainError> {
    let mut data = TrainingData::default();
    let mut met = HashSet::new();
    for source in sources {
        let found = read(source, selection, &mut data, &mut met, progress)?;
        if source.games != u64::MAX && found.games < source.games {
            return Err(TrainError::GamesGone(found.path, found.games, source.games));
        }
        data.sources.push(found);
    }
    if data.train.is_empty() {
        return Err(TrainError::NoPositions);
    }
    if data.held_out.is_empty() {
        return Err(TrainError::NothingHeldOut(selection.held_out));
    }
    data.fingerprint = fingerprint(&data);
    Ok(data)
}

fn read(
    source: &DataSource,
    selection: &PositionSelection,
    data: &mut TrainingData,
    met: &mut HashSet<u64>,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<DataSource, TrainError> {
    let mut found = DataSource { path: source.path.clone(), games: 0, sampled: 0 };
    let look = |teacher: &mut Teacher, game: &GameRecord, _| {
        positions(game, &selection.filter, |view| {
            let packed = Packed::of(view);
            let classical = selection.classical.then(|| teacher.value(&view.position));
            (view.position.key(), classical.map_or(packed, |value| packed.with_classical(value)))
        })
    };
    let skipped = each_game(source, selection.skip_damaged, look, &mut |games| {
        for ScannedGame { of_game, sampled, found: positions, .. } in games {
            found.games += 1;
            found.sampled += u64::from(sampled);
            let held_out = is_held_out(selection, of_game);
            data.held_out_games += u64::from(held_out);
            for (key, position) in positions {
                if !met.insert(key) {
                    data.duplicates += 1;
                    continue;
                }
                if held_out { &mut data.held_out } else { &mut data.train }.push(position);
            }
        }
        if progress(data.train.len() + data.held_out.len()) { Ok(true) } else { Err(TrainError::Stopped) }
    })?;
    data.skipped.extend(skipped);
    Ok(found)
}

/// The seed of a run and the number of a game. A relabelled copy or a sample of a run has the games of the run.
pub(crate) type GameId = (u64, u64);

/// A game with the results of a scan.
pub(crate) struct ScannedGame<T> {
    /// The number of the game: for a position that searches of a game visited, that of this game, so that both are held out together.
    pub of_game: u64,
    /// The seed of its run: [`GameId`] is the same in copies of a run.
    pub seed: u64,
    /// True if it is such a position.
    pub sampled: bool,
    /// The value that `process` returned.
    pub found: T,
}

/// Decodes the games of a source and calls `process` for them in parallel, with the game and its [`ScannedGame::of_game`]; then hands the
/// results to `take` in the order of the games, until it returns false. It begins with a single portion, so that a few positions of a large
/// file are found soon. Returns messages about skipped damage.
///
/// # Errors
/// Files cannot be read, or an error of `process` or `take`.
pub(crate) fn each_game<T: Send>(
    source: &DataSource,
    skip_damaged: bool,
    process: impl Fn(&mut Teacher, &GameRecord, u64) -> Result<T, ReplayError> + Sync,
    take: &mut dyn FnMut(Vec<ScannedGame<T>>) -> Result<bool, TrainError>,
) -> Result<Vec<String>, TrainError> {
    let archive = Archive::open(&[&source.path])?.skipping_damaged(skip_damaged);
    let mut batches = archive.batches();
    let mut left = source.games;
    let mut together = 1;
    while left > 0 {
        let some: Vec<Batch<'_>> = batches.by_ref().take(together).collect::<Result<_, _>>()?;
        if some.is_empty() {
            break;
        }
        together = (2 * together).min(BATCHES);
        let scan = |teacher: &mut Teacher, batch: Batch<'_>| -> Result<Vec<ScannedGame<T>>, DataError> {
            let (path, each, seed) = (batch.path(), batch.each(), batch.seed());
            let games = batch.games()?;
            let seen = games.iter().map(|game| {
                let of_game = game.number.div_ceil(each);
                let found = process(teacher, game, of_game).map_err(|error| error.in_file(path))?;
                Ok(ScannedGame { of_game, seed, sampled: game.is_sampled(), found })
            });
            seen.collect()
        };
        let seen: Vec<Vec<ScannedGame<T>>> =
            some.into_par_iter().map_init(Teacher::default, scan).collect::<Result<_, _>>()?;
        let mut seen: Vec<ScannedGame<T>> = seen.into_iter().flatten().collect();
        seen.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        left -= seen.len() as u64;
        if !take(seen)? {
            break;
        }
    }
    Ok(batches.skipped().to_vec())
}

/// The values that `read_position` returns for the positions of a game that pass the filter.
pub fn positions<T>(
    game: &GameRecord,
    filter: &Filter,
    mut read_position: impl FnMut(&GamePosition) -> T,
) -> Result<Vec<T>, ReplayError> {
    let mut found = Vec::new();
    for view in game.replay() {
        let view = view?;
        if filter.keeps(&view) {
            found.push(read_position(&view));
        }
    }
    Ok(found)
}

fn fingerprint(data: &TrainingData) -> u64 {
    let mut sum = Fingerprint::new();
    for part in [&data.train, &data.held_out] {
        sum.add(&(part.len() as u64).to_le_bytes());
        for position in part {
            sum.add(&position.bytes());
            if position.classical != 0 {
                sum.add(&position.classical.to_le_bytes());
            }
        }
    }
    sum.0
}

/// The order of a pass: all positions, shuffled. It depends on the seed and the number of the pass only.
pub fn order(positions: usize, seed: u64, pass: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..positions as u32).collect();
    order.shuffle(&mut stream(seed, pass));
    order
}

#[cfg(test)]
mod tests;
