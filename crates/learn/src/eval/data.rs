//! The counts of the evaluation in many positions, packed, with the target of each.

use super::model::middle;
use crate::is_held_out;
use quarterply_datagen::read::ArchiveGames;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::{Filter, ReplayError};
use quarterply_engine::eval::{EvaluationCounts, PawnTable, WeightCount};
use quarterply_engine::evaluator;
use quarterply_engine::score::Score;
use rayon::prelude::*;
use thiserror::Error;

/// Data could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The files.
    #[error(transparent)]
    Data(#[from] quarterply_datagen::error::DataError),
    /// A game.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Too few training positions: their number, and the least number needed.
    #[error(
        "cannot fit: only {0} positions pass the filter, fewer than {1}; make more games with `quarterply datagen`"
    )]
    Few(usize, usize),
    /// Too few training positions because of `--positions`: their number, and the least number needed.
    #[error("cannot fit: --positions leaves only {0} training positions, fewer than {1}; give a larger --positions")]
    Limited(usize, usize),
    /// No held-out position; one of this number of games is held out.
    #[error(
        "cannot fit: no position of the held-out games passes the filter, 1 game of {0} is held out; give more games"
    )]
    NothingHeldOut(u64),
}

/// Checks that there are at least `least` training positions, and a held-out position; one of `holdout_every` games is held out. `limited`: there
/// are more positions than `--positions` allows.
pub(crate) fn check_counts(
    (train, held_out): (usize, usize),
    least: usize,
    holdout_every: u64,
    limited: bool,
) -> Result<(), LoadError> {
    match (train < least, held_out) {
        (true, _) if limited => Err(LoadError::Limited(train, least)),
        (true, _) => Err(LoadError::Few(train, least)),
        (false, 0) => Err(LoadError::NothingHeldOut(holdout_every)),
        (false, _) => Ok(()),
    }
}

/// Below this many positions a fit is refused.
pub const POSITIONS_MIN: usize = 1000;
/// Games that are replayed at a time.
const BATCH: usize = 1024;
/// Instead of a scale: the side cannot win.
const NEVER: u8 = u8::MAX;

/// Which positions are loaded.
#[derive(Clone, Copy, Debug)]
pub struct EvalSelection {
    /// Which positions.
    pub filter: Filter,
    /// Maximum number of positions.
    pub positions_max: usize,
    /// One of this number of games is held out.
    pub holdout_every: u64,
    /// Decides which games are held out.
    pub seed: u64,
}

/// One position.
#[derive(Clone, Debug)]
struct EvalRow {
    /// Ends of this row's parts in `uses`: weights, danger of Black, of White, scale of Black, of White.
    first: usize,
    weights: u8,
    danger: [u8; 2],
    /// Numbers of uses, or [`NEVER`].
    scale: [u8; 2],
    turn: i8,
    phase: u8,
    score: i16,
    points: f32,
}

/// Positions to learn from or to check with.
#[derive(Clone, Debug, Default)]
pub struct EvalData {
    rows: Vec<EvalRow>,
    uses: Vec<WeightCount>,
}

/// Positions to learn from, positions of other games to check with, and what they came from.
#[derive(Clone, Debug, Default)]
pub struct EvalDataset {
    /// To learn from.
    pub train: EvalData,
    /// Held out.
    pub held_out: EvalData,
    /// Games used.
    pub games: u64,
    /// Program, evaluation and bench of the players, each once.
    pub origins: Vec<String>,
}

/// A position as input of the model.
pub struct EvalExample<'a> {
    row: &'a EvalRow,
    uses: &'a [WeightCount],
}

fn pairs(uses: &[WeightCount]) -> impl Iterator<Item = (usize, f64)> + '_ {
    uses.iter().map(|used| (usize::from(used.place), f64::from(used.count)))
}

impl<'a> EvalExample<'a> {
    /// Uses of ordinary weights, White's minus Black's.
    #[inline]
    pub fn weights(&self) -> impl Iterator<Item = (usize, f64)> + 'a {
        pairs(&self.uses[..usize::from(self.row.weights)])
    }

    /// Inputs of the danger that a colour (0 black, 1 white) brings.
    #[inline]
    pub fn danger(&self, color: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let first = usize::from(self.row.weights) + if color == 0 { 0 } else { usize::from(self.row.danger[0]) };
        pairs(&self.uses[first..first + usize::from(self.row.danger[color])])
    }

    /// Parts of the scale if this colour is better; `None`: it cannot win.
    #[inline]
    pub fn scale(&self, color: usize) -> Option<impl Iterator<Item = (usize, f64)> + 'a> {
        let count = |color: usize| match self.row.scale[color] {
            NEVER => 0,
            n => usize::from(n),
        };
        let before = [self.row.weights, self.row.danger[0], self.row.danger[1]].map(usize::from).iter().sum::<usize>();
        let first = before + if color == 0 { 0 } else { count(0) };
        (self.row.scale[color] != NEVER).then(|| pairs(&self.uses[first..first + count(color)]))
    }

    /// Share of the middlegame (0 to 1).
    #[inline]
    pub fn phase(&self) -> f64 {
        middle(self.row.phase.into())
    }

    /// 1 if White is to move, else -1.
    #[inline]
    pub fn turn(&self) -> f64 {
        self.row.turn.into()
    }

    /// The score of the search, for White (pawns/100).
    #[inline]
    pub fn score(&self) -> f64 {
        self.row.score.into()
    }

    /// White's points in the game: 0, 0.5 or 1.
    #[inline]
    pub fn points(&self) -> f64 {
        self.row.points.into()
    }
}

impl EvalData {
    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.rows.len()
    }

    /// A position.
    #[inline]
    pub fn example(&self, index: usize) -> EvalExample<'_> {
        let row = &self.rows[index];
        EvalExample { row, uses: &self.uses[row.first..] }
    }

    /// Adds a position; known endings, whose values do not depend on the weights, are left out.
    pub fn push(&mut self, counted: &EvaluationCounts, score: Score, points: f64) {
        if counted.known.is_some() {
            return;
        }
        let first = self.uses.len();
        let length = |uses: &[WeightCount]| u8::try_from(uses.len()).unwrap_or(NEVER - 1);
        let scale = counted.scale.each_ref().map(|parts| parts.as_ref().map_or(NEVER, |parts| length(parts)));
        self.rows.push(EvalRow {
            first,
            weights: length(&counted.weights),
            danger: counted.danger.each_ref().map(|uses| length(uses)),
            scale,
            turn: if counted.turn.is_white() { 1 } else { -1 },
            phase: counted.phase as u8,
            score: score.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            points: points as f32,
        });
        let parts = counted.scale.iter().flatten();
        for part in [&counted.weights].into_iter().chain(&counted.danger).chain(parts) {
            self.uses.extend_from_slice(&part[..usize::from(length(part))]);
        }
    }

    fn append(&mut self, other: &mut EvalData) {
        let shift = self.uses.len();
        self.rows.extend(other.rows.drain(..).map(|row| EvalRow { first: row.first + shift, ..row }));
        self.uses.append(&mut other.uses);
    }
}

/// Reads games and counts. `progress` receives the number of positions.
///
/// # Errors
/// Files that cannot be read, illegal moves, or too few positions.
pub fn load(
    games: &mut ArchiveGames<'_>,
    selection: &EvalSelection,
    mut progress: impl FnMut(usize),
) -> Result<EvalDataset, LoadError> {
    let mut loaded = EvalDataset::default();
    loop {
        let batch: Vec<GameRecord> = games.by_ref().take(BATCH).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        let counted: Vec<EvalData> = batch
            .par_iter()
            .map_init(PawnTable::default, |pawns, game| count_game(game, &selection.filter, pawns))
            .collect::<Result<_, _>>()?;
        for (game, mut data) in batch.iter().zip(counted) {
            let held_out = is_held_out(selection.seed, selection.holdout_every, game.number);
            // Games beyond the maximum are not used.
            let used = held_out || loaded.train.positions() < selection.positions_max;
            loaded.games += u64::from(used && !game.is_sampled());
            if held_out { &mut loaded.held_out } else { &mut loaded.train }.append(&mut data);
        }
        if loaded.train.positions() >= selection.positions_max {
            break;
        }
        progress(loaded.train.positions());
    }
    loaded.train.rows.truncate(selection.positions_max);
    let counts = (loaded.train.positions(), loaded.held_out.positions());
    check_counts(counts, POSITIONS_MIN, selection.holdout_every, counts.0 == selection.positions_max)?;
    Ok(loaded)
}

fn count_game(game: &GameRecord, filter: &Filter, pawns: &mut PawnTable) -> Result<EvalData, ReplayError> {
    let mut data = EvalData::default();
    for view in game.replay() {
        let view = view?;
        // The scale of scores is fitted to results.
        if let Some(score) = view.score.filter(|_| filter.keeps(&view) && view.mover_points().is_some()) {
            data.push(&evaluator::count(&view.position, pawns), score, view.outcome.points());
        }
    }
    Ok(data)
}
