//! Positions of games with their quiet moves, as inputs of a network.

use super::NetworkInput;
use crate::eval::data::{LoadError, POSITIONS_MIN, check_counts};
use crate::is_held_out;
use quarterply_datagen::read::ArchiveGames;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::ReplayError;
use quarterply_engine::position::{Position, is_quiet};
use rayon::prelude::*;
use shakmaty::Move;
use std::ops::Range;

/// Games that are replayed at a time.
const BATCH: usize = 512;

/// Which positions are loaded.
#[derive(Clone, Copy, Debug)]
pub struct OrderSelection {
    /// The inputs of the network.
    pub sight: NetworkInput,
    /// Maximum number of training positions.
    pub positions_max: usize,
    /// One of this number of games is held out.
    pub holdout_every: u64,
    /// Decides which games are held out.
    pub seed: u64,
}

#[derive(Clone, Debug)]
struct OrderRow {
    inputs: Range<usize>,
    /// Numbers of moves in `OrderData::moves`.
    moves: Range<usize>,
    played: u16,
}

/// Positions in which a quiet move was played.
#[derive(Clone, Debug, Default)]
pub struct OrderData {
    rows: Vec<OrderRow>,
    /// The units of each move, as a range of `pairs`.
    moves: Vec<Range<usize>>,
    /// Numbers of inputs or units with their factors.
    pairs: Vec<(u16, i8)>,
}

/// A position to train on.
pub struct OrderExample<'a> {
    data: &'a OrderData,
    row: &'a OrderRow,
}

impl<'a> OrderExample<'a> {
    /// Inputs with their factors.
    pub fn inputs(&self) -> &'a [(u16, i8)] {
        &self.data.pairs[self.row.inputs.clone()]
    }

    /// The units of each quiet move.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = &'a [(u16, i8)]> + use<'a> {
        let data = self.data;
        data.moves[self.row.moves.clone()].iter().map(|range| &data.pairs[range.clone()])
    }

    /// The index of the move that was played.
    pub fn played(&self) -> usize {
        self.row.played.into()
    }
}

impl OrderData {
    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.rows.len()
    }

    /// A position.
    pub fn example(&self, index: usize) -> OrderExample<'_> {
        OrderExample { data: self, row: &self.rows[index] }
    }

    /// Adds a position in which `played` was chosen among the quiet moves; ignores it if there is no choice.
    pub fn push(&mut self, sight: NetworkInput, position: &Position, played: Move) {
        let quiets: Vec<Move> = position.legal_moves().into_iter().filter(|&mv| is_quiet(mv)).collect();
        let Some(place) = quiets.iter().position(|&mv| mv == played).filter(|_| quiets.len() > 1) else { return };
        let mut enter = |sparse: &[(u16, i8)]| {
            let first = self.pairs.len();
            self.pairs.extend_from_slice(sparse);
            first..self.pairs.len()
        };
        let inputs = enter(&(sight.active_inputs)(position));
        let first = self.moves.len();
        self.moves.extend(quiets.iter().map(|&mv| enter(&(sight.units)(position, mv))));
        self.rows.push(OrderRow { inputs, moves: first..self.moves.len(), played: place as u16 });
    }

    fn append(&mut self, other: OrderData) {
        let (pairs, moves) = (self.pairs.len(), self.moves.len());
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        self.rows.extend(other.rows.into_iter().map(|row| OrderRow {
            inputs: shift(row.inputs, pairs),
            moves: shift(row.moves, moves),
            ..row
        }));
        self.moves.extend(other.moves.into_iter().map(|range| shift(range, pairs)));
        self.pairs.extend(other.pairs);
    }
}

/// Positions to learn from, positions of other games to check with, and what they came from.
#[derive(Clone, Debug, Default)]
pub struct OrderDataset {
    /// To learn from.
    pub train: OrderData,
    /// Held out.
    pub held_out: OrderData,
    /// Games used, without positions that searches visited, which are not trained on.
    pub games: u64,
}

/// Reads games. `progress` receives the number of positions.
///
/// # Errors
/// Files that cannot be read, illegal moves, or too few positions.
pub fn load(
    games: &mut ArchiveGames<'_>,
    selection: &OrderSelection,
    mut progress: impl FnMut(usize),
) -> Result<OrderDataset, LoadError> {
    let mut loaded = OrderDataset::default();
    while loaded.train.positions() < selection.positions_max {
        let batch: Vec<GameRecord> = games.by_ref().take(BATCH).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        let parts: Vec<OrderData> =
            batch.par_iter().map(|game| positions(game, selection.sight)).collect::<Result<_, _>>()?;
        for (game, part) in batch.iter().zip(parts).filter(|(game, _)| !game.is_sampled()) {
            let held_out = is_held_out(selection.seed, selection.holdout_every, game.number);
            // Games beyond the maximum are not used.
            let used = held_out || loaded.train.positions() < selection.positions_max;
            loaded.games += u64::from(used);
            if held_out { &mut loaded.held_out } else { &mut loaded.train }.append(part);
        }
        progress(loaded.train.positions());
    }
    loaded.train.rows.truncate(selection.positions_max);
    let least = POSITIONS_MIN.min(selection.positions_max);
    check_counts((loaded.train.positions(), loaded.held_out.positions()), least, selection.holdout_every, false)?;
    Ok(loaded)
}

/// The positions of a game in which a quiet move was chosen. Moves up to the last random one are left out, because any of them may be random.
fn positions(game: &GameRecord, sight: NetworkInput) -> Result<OrderData, ReplayError> {
    let mut data = OrderData::default();
    for view in game.replay() {
        let view = view?;
        if !view.before_random && !view.in_check && is_quiet(view.mv) {
            data.push(sight, &view.position, view.mv);
        }
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::testing::{play, rewrite};
    use quarterply_datagen::read::Archive;
    use quarterply_datagen::record::Ending;
    use std::path::Path;

    /// Enough positions for a fit, and games that are held out.
    const GAMES: u64 = 40;

    fn loaded(folder: &Path, positions_max: usize, holdout_every: u64) -> Result<OrderDataset, LoadError> {
        let selection = OrderSelection { sight: NetworkInput::PIECE_SQUARE, positions_max, holdout_every, seed: 1 };
        let archive = Archive::open(&[folder]).expect("games");
        load(&mut archive.games(), &selection, |_| ())
    }

    #[test]
    fn games_without_a_held_out_game_are_refused_with_that_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        play(folder.path(), GAMES);
        let refused = loaded(folder.path(), usize::MAX, 1 << 40);
        assert!(matches!(refused, Err(LoadError::NothingHeldOut(_))), "{refused:?}");
    }

    #[test]
    fn random_moves_and_sampled_positions_are_not_learned() {
        let folder = tempfile::tempdir().expect("a folder");
        let [games, strayed, random, drawn] =
            ["games", "strayed", "random", "drawn"].map(|name| folder.path().join(name));
        play(&games, GAMES);
        rewrite(&games, &strayed, |game| game.random_until = 20);
        rewrite(&games, &random, |game| game.random_until = u16::MAX);
        rewrite(&games, &drawn, |game| game.ending = Ending::Sampled);
        let all = loaded(&games, usize::MAX, 4).expect("games");
        let rest = loaded(&strayed, usize::MAX, 4).expect("games");
        assert_eq!((all.games, rest.games), (GAMES, GAMES));
        assert!(rest.train.positions() < all.train.positions() && rest.held_out.positions() < all.held_out.positions());
        for folder in [&random, &drawn] {
            assert!(matches!(loaded(folder, usize::MAX, 4), Err(LoadError::Few(0, _))));
        }
    }

    #[test]
    fn games_beyond_the_last_position_are_not_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        play(folder.path(), GAMES);
        let few = loaded(folder.path(), 1, 4).expect("a position");
        let held_out = (1..=GAMES).filter(|game| is_held_out(1, 4, *game)).count() as u64;
        assert_eq!((few.train.positions(), few.games), (1, held_out + 1));
    }
}
