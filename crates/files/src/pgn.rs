//! Reading games from PGN.

mod comment;
mod fault;
mod lexer;
mod read;

pub use comment::MoveComment;
pub use fault::{Correction, GameError, GameFault, ReadError};
pub use read::{AnnotatedGames, ReadGame, parse_annotated, read_annotated};
