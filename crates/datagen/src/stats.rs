//! Statistics of a collection of games: numbers, lengths, endings, scores and duplicates.

mod page;

pub use page::{facts, page};

use crate::error::DataError;
use crate::read::{Archive, TruncatedBlock};
use crate::record::{Ending, GameRecord};
use crate::replay::{Filter, GamePosition};
use crate::run::Totals;
use crate::settings::{DataOrigin, DatagenSettings};
use quarterply_engine::evaluator::phase;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The plies at which openings are compared.
pub const OPENING_PLIES: [u32; 3] = [8, 12, 16];
/// Moves of a game in one column.
pub const LENGTH_WIDTH: usize = 20;
/// Columns of lengths.
const LENGTHS: usize = 42;
/// Pawns/100 in one column of scores.
pub const SCORE_WIDTH: i32 = 100;
/// Columns of scores on either side of zero.
pub const SCORES_SIDE: i32 = 25;
/// Game phases: 24 with all pieces, more after promotions.
const PHASES: usize = 25;

/// Numbers of all things of a kind, and of different ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistinctCounts {
    /// All.
    pub all: u64,
    /// Different ones.
    pub different: u64,
}

impl DistinctCounts {
    /// The share that is different from all before.
    pub fn share(&self) -> f64 {
        self.different as f64 / self.all.max(1) as f64
    }

    fn of(mut keys: Vec<u64>) -> DistinctCounts {
        let all = keys.len() as u64;
        keys.sort_unstable();
        keys.dedup();
        DistinctCounts { all, different: keys.len() as u64 }
    }
}

/// Everything that is counted.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// The filter that chose the positions.
    pub filter: Filter,
    /// The engines that played, in order; more than one if the program changed during the run.
    pub origins: Vec<DataOrigin>,
    /// The settings of the first shard.
    pub settings: Option<DatagenSettings>,
    /// Shards.
    pub files: usize,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Games and their results; positions of games and of searches.
    pub totals: Totals,
    /// Slots for sampled positions: they are not games and have no results.
    pub slots: u64,
    /// Those of them that hold a position.
    pub filled_slots: u64,
    /// Games by ending.
    pub endings: BTreeMap<Ending, u64>,
    /// Games by the number of their moves, [`LENGTH_WIDTH`] to a column.
    pub lengths: Vec<u64>,
    /// Kept positions by White's score, [`SCORE_WIDTH`] to a column, from -[`SCORES_SIDE`] columns on; the outer ones hold all beyond.
    pub scores: Vec<u64>,
    /// Kept positions by phase, from pawns only to all pieces.
    pub phases: Vec<u64>,
    /// The sum of the kept positions' scores without sign (pawns/100).
    pub score_sum: u64,
    /// Positions at the plies of [`OPENING_PLIES`]; a game has none at a ply before its start.
    pub openings: [DistinctCounts; OPENING_PLIES.len()],
    /// Kept positions.
    pub positions: DistinctCounts,
    /// Whole games.
    pub games: DistinctCounts,
    /// Truncated blocks, and blocks that are being written.
    pub tails: Vec<TruncatedBlock>,
    /// Messages about skipped damage.
    pub skipped: Vec<String>,
}

/// Data collected while reading: keys of 8 bytes for each position.
#[derive(Default)]
struct PositionKeys {
    openings: [Vec<u64>; OPENING_PLIES.len()],
    positions: Vec<u64>,
    games: Vec<u64>,
}

impl Stats {
    fn new(archive: &Archive, filter: Filter) -> Stats {
        let headers = || archive.headers();
        let mut origins: Vec<DataOrigin> = headers().map(|header| header.origin.clone()).collect();
        origins.dedup();
        let size = |file: &Path| fs::metadata(file).map_or(0, |data| data.len());
        Stats {
            filter,
            origins,
            settings: headers().next().map(|header| header.settings.clone()),
            files: archive.files().count(),
            bytes: archive.files().map(size).sum(),
            lengths: vec![0; LENGTHS],
            scores: vec![0; 2 * SCORES_SIDE as usize],
            phases: vec![0; PHASES],
            ..Stats::default()
        }
    }

    /// Reads all games, and counts.
    ///
    /// # Errors
    /// A shard is damaged, or holds an illegal move.
    pub fn collect(archive: &Archive, filter: Filter) -> Result<Stats, DataError> {
        let mut stats = Stats::new(archive, filter);
        let mut keys = PositionKeys::default();
        let mut games = archive.games();
        while let Some(game) = games.next() {
            let game = game?;
            let views: Result<Vec<GamePosition>, _> = game.replay().collect();
            stats.count(&game, &views.map_err(|error| error.in_file(games.path()))?, &mut keys);
        }
        stats.tails = games.tails().to_vec();
        stats.skipped = games.skipped().to_vec();
        stats.openings = keys.openings.map(DistinctCounts::of);
        stats.positions = DistinctCounts::of(keys.positions);
        stats.games = DistinctCounts::of(keys.games);
        Ok(stats)
    }

    fn count(&mut self, game: &GameRecord, views: &[GamePosition], keys: &mut PositionKeys) {
        let mut kept = 0;
        for view in views {
            if let Some(index) = OPENING_PLIES.iter().position(|ply| *ply == view.ply && !game.is_sampled()) {
                keys.openings[index].push(view.position.key());
            }
            if let Some(score) = view.score.filter(|_| self.filter.keeps(view)) {
                kept += 1;
                keys.positions.push(view.position.key());
                let column = score.0.div_euclid(SCORE_WIDTH).clamp(-SCORES_SIDE, SCORES_SIDE - 1);
                self.scores[(column + SCORES_SIDE) as usize] += 1;
                self.phases[(phase(view.position.board()).max(0) as usize).min(PHASES - 1)] += 1;
                self.score_sum += u64::from(score.0.unsigned_abs());
            }
        }
        if game.is_sampled() {
            self.slots += 1;
            self.filled_slots += u64::from(!views.is_empty());
            self.totals.moves += views.len() as u64;
            self.totals.kept += kept;
            return;
        }
        self.totals.add(game, kept);
        *self.endings.entry(game.ending).or_default() += 1;
        self.lengths[(game.steps.len() / LENGTH_WIDTH).min(LENGTHS - 1)] += 1;
        keys.games.push(hash_of(game));
    }
}

/// A hash of start position and moves.
fn hash_of(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    crate::viriformat::encode_position(&game.start).hash(&mut hasher);
    game.steps.iter().for_each(|step| step.raw.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests;
