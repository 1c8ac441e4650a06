//! Positions of games with the features of every legal move, and the move that was played.

use crate::eval::data::{LoadError, check_counts};
use crate::{is_held_out, of_game};
use quarterply_datagen::read::ArchiveGames;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::{GamePosition, ReplayError};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::realization::{Feature, features};
use quarterply_engine::rules::sex::Category;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::chances::PositionFeatures;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::table::Table;
use rand::RngExt;
use rayon::prelude::*;
use std::sync::Arc;

/// Below this many positions a fit is refused.
pub const POSITIONS_MIN: usize = 500;
/// A search starts this number of plies before the training position.
const BEFORE: usize = 2;
/// Table of those searches (MiB).
const TABLE: usize = 1;
/// A value of the features that is one.
const ONE: f64 = features::ONE as f64;

/// Which positions are loaded.
#[derive(Clone, Debug)]
pub struct RealizationSelection {
    /// Approximate maximum number of positions, spread over all games.
    pub positions_max: usize,
    /// Nodes of the search two plies before each position, which fills the histories.
    pub nodes: u64,
    /// Plies skipped at the start of a game, after the random ones.
    pub first: usize,
    /// Positions valued beyond this for either side are left out (pawns/100).
    pub score_max: i32,
    /// One of this number of games is held out.
    pub holdout_every: u64,
    /// Decides which games are held out, and which positions are taken.
    pub seed: u64,
    /// Parameters of the searches.
    pub parameters: Parameters,
}

/// Positions, each with its legal moves, packed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealizationData {
    positions: Vec<Position>,
    moves: Vec<Candidate>,
    uses: Vec<(Feature, i16)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Position {
    first: usize,
    moves: usize,
    played: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    first: usize,
    features: usize,
    kind: Category,
}

/// A position to learn from.
#[derive(Clone, Copy)]
pub struct RealizationExample<'a> {
    data: &'a RealizationData,
    position: Position,
}

impl<'a> RealizationExample<'a> {
    /// Its legal moves; at least two.
    pub fn moves(&self) -> usize {
        self.position.moves
    }

    /// The index of the move that was played.
    pub fn played(&self) -> usize {
        self.position.played
    }

    fn candidate(&self, index: usize) -> &'a Candidate {
        &self.data.moves[self.position.first + index]
    }

    /// The kind of a move.
    pub fn kind(&self, index: usize) -> Category {
        self.candidate(index).kind
    }

    /// A move's features with their values; 1 is one that is there.
    pub fn features(&self, index: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let &Candidate { first, features, .. } = self.candidate(index);
        self.data.uses[first..first + features]
            .iter()
            .map(|&(feature, value)| (feature as usize, f64::from(value) / ONE))
    }
}

impl RealizationData {
    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Legal moves of all positions.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// A position.
    pub fn example(&self, index: usize) -> RealizationExample<'_> {
        RealizationExample { data: self, position: self.positions[index] }
    }

    /// Adds a position; it is left out if the move played is not among its moves.
    pub fn push(&mut self, sight: &PositionFeatures, played: Move) {
        let Some(played) = sight.moves.iter().position(|seen| seen.mv == played) else { return };
        self.positions.push(Position { first: self.moves.len(), moves: sight.moves.len(), played });
        for (seen, &kind) in sight.moves.iter().zip(&sight.kinds) {
            let features = seen.features.as_slice();
            self.moves.push(Candidate { first: self.uses.len(), features: features.len(), kind });
            self.uses.extend_from_slice(features);
        }
    }

    fn append(&mut self, other: &mut RealizationData) {
        let (moves, uses) = (self.moves.len(), self.uses.len());
        self.positions.extend(other.positions.drain(..).map(|p| Position { first: p.first + moves, ..p }));
        self.moves.extend(other.moves.drain(..).map(|m| Candidate { first: m.first + uses, ..m }));
        self.uses.append(&mut other.uses);
    }
}

/// Positions to learn from, positions of other games to check with, and what they came from.
#[derive(Clone, Debug, Default)]
pub struct RealizationDataset {
    /// To learn from.
    pub train: RealizationData,
    /// Held out.
    pub held_out: RealizationData,
    /// Games read.
    pub games: u64,
    /// Games of them held out.
    pub held_out_games: u64,
    /// Program, evaluation and bench of the players, each once.
    pub origins: Vec<String>,
    /// True if it was interrupted.
    pub stopped: bool,
}

/// Reads games and their positions on all threads. `seen` receives the number of new positions and returns whether to continue.
///
/// # Errors
/// Files that cannot be read, illegal moves, or too few positions.
pub fn load(
    reader: &mut ArchiveGames<'_>,
    selection: &RealizationSelection,
    seen: &(dyn Fn(usize) -> bool + Sync),
) -> Result<RealizationDataset, LoadError> {
    let mut loaded = RealizationDataset::default();
    let mut games: Vec<GameRecord> = reader.collect::<Result<_, _>>()?;
    // A sampled position has no moves before it.
    games.retain(|game| !game.is_sampled());
    let all: usize = games.iter().map(|game| game.steps.len().saturating_sub(selection.first.max(BEFORE))).sum();
    let stride = all.div_ceil(selection.positions_max).max(1);
    let scanned: Vec<Option<RealizationData>> = games
        .par_iter()
        .map_init(|| searcher(selection), |s, game| scan_game(s, game, selection, stride, seen))
        .collect::<Result<_, _>>()?;
    for (game, data) in games.iter().zip(scanned) {
        let Some(mut data) = data else {
            loaded.stopped = true;
            continue;
        };
        loaded.games += 1;
        let part = if is_held_out(selection.seed, selection.holdout_every, game.number) {
            loaded.held_out_games += 1;
            &mut loaded.held_out
        } else {
            &mut loaded.train
        };
        part.append(&mut data);
    }
    if !loaded.stopped {
        let counts = (loaded.train.positions(), loaded.held_out.positions());
        check_counts(counts, POSITIONS_MIN, selection.holdout_every, stride > 1)?;
    }
    Ok(loaded)
}

fn searcher(selection: &RealizationSelection) -> Searcher<()> {
    let table = Table::new(TABLE).unwrap_or_else(|error| unreachable!("a table of {TABLE} MiB: {error}"));
    Searcher::new(selection.parameters.clone(), Arc::new(table))
}

/// Reads every `stride`-th position of a game; `None` if it was stopped.
fn scan_game(
    s: &mut Searcher<()>,
    game: &GameRecord,
    selection: &RealizationSelection,
    stride: usize,
    seen: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Option<RealizationData>, ReplayError> {
    let mut data = RealizationData::default();
    if !seen(0) {
        return Ok(None);
    }
    s.forget();
    let views: Vec<GamePosition> = game.replay().collect::<Result<_, _>>()?;
    let start = selection.first.max(BEFORE) + of_game(selection.seed, !game.number).random_range(0..stride);
    // The searches play through the game, so that repetitions are known.
    let mut line = Game::from_chess(game.start.clone(), game.mode);
    for index in (start..views.len()).step_by(stride) {
        let view = &views[index];
        while line.moves().len() + BEFORE < index {
            line.play(views[line.moves().len()].mv);
        }
        // Each move up to the last random one may be random.
        if view.before_random || view.score.is_none_or(|score| score.0.abs() > selection.score_max) {
            continue;
        }
        let two = [views[index - BEFORE].mv, views[index - 1].mv];
        if let Some(sight) = s.look_ahead(&line, two, selection.nodes) {
            data.push(&sight, view.mv);
        }
    }
    Ok(seen(data.positions()).then_some(data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::testing::play;
    use quarterply_datagen::read::Archive;

    fn selection(positions_max: usize) -> RealizationSelection {
        RealizationSelection {
            positions_max,
            nodes: 5,
            first: 0,
            score_max: i32::MAX,
            holdout_every: 2,
            seed: 1,
            parameters: Parameters::default(),
        }
    }

    #[test]
    fn too_few_positions_are_due_to_the_limit_or_to_the_games() {
        let folder = tempfile::tempdir().expect("a folder");
        play(folder.path(), 2);
        let archive = Archive::open(&[folder.path()]).expect("games");
        let refused = |most| load(&mut archive.games(), &selection(most), &|_| true).expect_err("few").to_string();
        assert!(refused(10).ends_with("; give a larger --positions"), "{}", refused(10));
        assert!(refused(usize::MAX).contains("make more games"), "{}", refused(usize::MAX));
    }

    #[test]
    fn random_moves_are_not_learned() {
        let folder = tempfile::tempdir().expect("a folder");
        play(folder.path(), 1);
        let archive = Archive::open(&[folder.path()]).expect("games");
        let game = archive.games().next().expect("one game").expect("a game");
        let selection = selection(usize::MAX);
        let learned = |random_until| {
            let game = GameRecord { random_until, ..game.clone() };
            let data = scan_game(&mut searcher(&selection), &game, &selection, 1, &|_| true);
            data.expect("legal moves").expect("not stopped").positions()
        };
        assert!(learned(0) > learned(20) && learned(20) > 0 && learned(20) <= game.steps.len() - 20);
        assert_eq!(learned(u16::MAX), 0);
    }
}
