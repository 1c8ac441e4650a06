//! Games for other trainers: whole games as *viriformat*, chosen positions as *bulletformat*.

use crate::record::GameRecord;
use crate::replay::{Filter, GamePosition, ReplayError};
use bulletformat::{BulletFormat, ChessBoard};
use quarterply_engine::score::Score;
use shakmaty::Role;
use thiserror::Error;

/// A game that cannot be converted.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// A move is illegal.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The crate `bulletformat` refuses a position: the game and the reason.
    #[error("cannot convert game {0}: {1}")]
    Refused(u64, String),
}

/// The output format of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Whole games without headers and checksums. Readers apply their own filters.
    Viriformat,
    /// Positions that pass the filter, 32 bytes each, seen by the side to move.
    Bulletformat,
}

/// Numbers of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// Positions that were written.
    pub positions: u64,
    /// Positions that pass the filter and were left out, because a random move follows and the format has no position without a result.
    pub left_out: u64,
}

/// Adds the bytes of a game.
pub fn convert(
    game: &GameRecord,
    target: Target,
    filter: &Filter,
    bytes: &mut Vec<u8>,
) -> Result<Conversion, ConvertError> {
    if target == Target::Viriformat {
        bytes.extend(game.encode());
        return Ok(Conversion { positions: game.steps.len() as u64, left_out: 0 });
    }
    let mut done = Conversion::default();
    for view in game.replay() {
        let view = view?;
        if !filter.keeps(&view) {
            continue;
        }
        // The format stores a result for every position, and the result after a random move would be a wrong label.
        if view.before_random {
            done.left_out += 1;
            continue;
        }
        let board = bullet(&view).map_err(|reason| ConvertError::Refused(game.number, reason))?;
        bytes.extend(ChessBoard::as_bytes_slice(&[board]));
        done.positions += 1;
    }
    Ok(done)
}

/// A position as the crate stores it. The crate expects White's score and result, and turns them itself.
fn bullet(view: &GamePosition) -> Result<ChessBoard, String> {
    let board = view.position.board();
    let sides = [board.white().0, board.black().0];
    let roles = Role::ALL.map(|role| board.by_role(role).0);
    let mut boards = [0; 8];
    boards[..sides.len()].copy_from_slice(&sides);
    boards[sides.len()..].copy_from_slice(&roles);
    let score = view.score.map_or(0, |score| score.0.clamp(-Score::INFINITE.0, Score::INFINITE.0) as i16);
    ChessBoard::from_raw(boards, usize::from(view.turn().is_black()), score, view.outcome.points() as f32)
}

#[cfg(test)]
mod tests;
