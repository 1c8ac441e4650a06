//! The positions of a stored game, one after the other, and the filter that selects training positions.

use crate::error::DataError;
use crate::record::{Ending, GameOutcome, GameRecord, StoredMove};
use crate::viriformat::decode_move;
use quarterply_engine::position::Position;
use quarterply_engine::score::Score;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};
use std::path::Path;
use thiserror::Error;

/// A stored move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot replay game {game}: move {index} ({raw:#06x}) is illegal in {fen}")]
pub struct ReplayError {
    /// The game.
    pub game: u64,
    /// The number of the move, from 1.
    pub index: usize,
    /// The move as it is stored.
    pub raw: u16,
    /// The position.
    pub fen: String,
}

impl ReplayError {
    /// The error as one about the file that the game came from.
    pub fn in_file(self, file: &Path) -> DataError {
        DataError::Game(file.to_owned(), self)
    }
}

/// A position of a game with its move, score and result.
#[derive(Clone, Debug)]
pub struct GamePosition {
    /// The position.
    pub position: Position,
    /// Number of moves of the game before it, the random opening moves not counted.
    pub index: usize,
    /// Number of moves that follow, this one included: 1 at the last position stored.
    pub left: usize,
    /// The ply of the game of chess, from 0 at its start position, the random plies included.
    pub ply: u32,
    /// The value that the search gave, pawns/100 seen from **White**, if it is known: packed games have scores only where [`Filter::DEFAULT`]
    /// keeps the position.
    pub score: Option<Score>,
    /// The move that the search chose, and that was played.
    pub mv: Move,
    /// True if the side to move is in check.
    pub in_check: bool,
    /// True if the move is a capture or a promotion.
    pub noisy: bool,
    /// The result of the game.
    pub outcome: GameOutcome,
    /// Why it ended.
    pub ending: Ending,
    /// True if a random move follows, so that the result is not a label for the position.
    pub before_random: bool,
}

impl GamePosition {
    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// The value seen by the side to move, if it is known.
    pub fn mover_score(&self) -> Option<Score> {
        self.score.map(|score| if self.turn().is_white() { score } else { -score })
    }

    /// Points of the side to move, 0, 0.5 or 1; `None` if the position belongs to no game, or a random move follows.
    pub fn mover_points(&self) -> Option<f64> {
        let points = if self.turn().is_white() { self.outcome.points() } else { 1.0 - self.outcome.points() };
        (self.ending != Ending::Sampled && !self.before_random).then_some(points)
    }
}

/// Iterates over the positions of a game.
pub struct Replay<'a> {
    game: &'a GameRecord,
    steps: std::iter::Enumerate<std::slice::Iter<'a, StoredMove>>,
    position: Position,
}

impl GameRecord {
    /// The positions before each move, in the order of the game. An illegal move ends it with an error.
    pub fn replay(&self) -> Replay<'_> {
        let position = Position::from_chess(self.start.clone());
        Replay { game: self, steps: self.steps.iter().enumerate(), position }
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<GamePosition, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (index, step) = self.steps.next()?;
        let Some(mv) = decode_move(&self.position, step.raw) else {
            self.steps = [].iter().enumerate();
            let (game, fen) = (self.game.number, self.position.fen());
            return Some(Err(ReplayError { game, index: index + 1, raw: step.raw, fen }));
        };
        let next = self.position.play(mv);
        let position = std::mem::replace(&mut self.position, next);
        Some(Ok(GamePosition {
            index,
            left: self.game.steps.len() - index,
            ply: ply(&position),
            score: step.white_score(),
            mv,
            in_check: position.in_check(),
            noisy: mv.is_capture() || mv.is_promotion(),
            outcome: self.game.outcome,
            ending: self.game.ending,
            before_random: index < usize::from(self.game.random_until),
            position,
        }))
    }
}

/// The ply of a position as its move counter has it: 0 is White's first move.
pub fn ply(position: &Position) -> u32 {
    let moves = position.chess().fullmoves().get() - 1;
    2 * moves + u32::from(position.turn().is_black())
}

/// Which positions are trained on: never those without a score. The random opening plies are not stored, so no filter is needed for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// True if positions in check are kept; their static value means little.
    pub checks: bool,
    /// True if positions whose best move is a capture or a promotion are kept; their static value is about to change.
    pub noisy: bool,
    /// Positions valued beyond this for either side are left out (pawns/100): they are decided.
    pub score_max: i32,
    /// Plies skipped at the start of a game, after the random ones.
    pub first: usize,
    /// Plies skipped at the end of a game that was adjudicated a draw: they only confirmed the draw.
    pub drawn_tail: usize,
}

impl Filter {
    /// The usual filter.
    pub const DEFAULT: Filter = Filter { checks: false, noisy: false, score_max: 2000, first: 0, drawn_tail: 12 };
    /// Keeps everything that has a score.
    pub const ALL: Filter = Filter { checks: true, noisy: true, score_max: i32::MAX, first: 0, drawn_tail: 0 };

    /// Returns true if the filter accepts the position for training.
    pub fn keeps(&self, view: &GamePosition) -> bool {
        (self.checks || !view.in_check)
            && (self.noisy || !view.noisy)
            && view.score.is_some_and(|score| score.0.abs() <= self.score_max)
            && view.index >= self.first
            && !(view.ending == Ending::DrawnByScore && view.left <= self.drawn_tail)
    }

    /// Number of positions of a game that it keeps.
    ///
    /// # Errors
    /// A move of the game is illegal.
    pub fn count(&self, game: &GameRecord) -> Result<u64, ReplayError> {
        game.replay().try_fold(0, |count, view| Ok(count + u64::from(self.keeps(&view?))))
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::DEFAULT
    }
}

#[cfg(test)]
mod tests;
