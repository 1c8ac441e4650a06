//! A trace as text, as data for other programs, and as a picture.

pub mod dot;
pub mod jsonl;
pub mod log;
pub mod outline;
pub mod svg;
pub mod tree;
pub mod untried;

use crate::trace::{MoveCode, NodeRecord, Purpose, TraceError};
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::SanPlus;
use std::io;
use thiserror::Error;

/// Reason why a trace was not shown.
#[derive(Debug, Error)]
pub enum ShowError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Write(#[from] io::Error),
    /// The trace has moves that its positions do not allow.
    #[error(
        "cannot show node {node}: its move is not legal there, so the trace does not fit its own game; record it again"
    )]
    Illegal {
        /// The node.
        node: u64,
    },
}

/// The position of a child: after its move or null move, or that of its parent where a rule searches the same position again.
///
/// # Errors
/// [`ShowError::Illegal`] if the move cannot be played.
pub fn position_of(child: &NodeRecord, parent: &Position) -> Result<Position, ShowError> {
    let illegal = ShowError::Illegal { node: child.id };
    match (child.mv, child.purpose) {
        (Some(code), _) => code.in_position(parent).map(|mv| parent.play(mv)).ok_or(illegal),
        (None, Some(purpose)) if !purpose.same_position() => parent.play_null().ok_or(illegal),
        (None, _) => Ok(parent.clone()),
    }
}

/// A move in short algebraic notation; squares if it is not legal; `--` for a null move.
pub fn name(position: &Position, code: Option<MoveCode>) -> String {
    let Some(code) = code else { return "--".to_owned() };
    match code.in_position(position) {
        Some(mv) => move_name(position, mv),
        None => format!("{}{}", code.from(), code.to()),
    }
}

/// A legal move in short algebraic notation.
pub fn move_name(position: &Position, mv: Move) -> String {
    SanPlus::from_move(position.chess().clone(), mv).to_string()
}

/// The moves of a line in short algebraic notation.
pub fn line_names(position: &Position, line: &[Move]) -> Vec<String> {
    let mut chess = position.chess().clone();
    line.iter().map(|&mv| SanPlus::from_move_and_play_unchecked(&mut chess, mv).to_string()).collect()
}

/// The name of a separate search of a rule, with its move if it has one.
pub(crate) fn probe_name(position: &Position, mv: Option<MoveCode>, purpose: Purpose) -> String {
    match mv {
        Some(mv) => format!("{} {}", purpose.name(), name(position, Some(mv))),
        None => purpose.name().to_owned(),
    }
}
