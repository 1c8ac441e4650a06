//! Faults of games, and their remedies.

use crate::epd::quote;
use quarterply_engine::notation::MoveTextError;
use quarterply_engine::position::DroppedRights;
use std::fmt;
use std::io;
use thiserror::Error;

/// A game that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// The file.
    pub file: String,
    /// The line of the fault, counted from 1.
    pub line: usize,
    /// The line with the beginning of the game.
    pub begin: usize,
    /// The fault.
    pub fault: GameFault,
    /// Half moves of the game before the fault.
    pub plies: usize,
    /// Moves of the game after the fault; they were not checked for legality.
    pub unread: usize,
}

/// A fault of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum GameFault {
    /// Its start cannot be set up.
    Fen { text: String, reason: String },
    /// It follows other rules, those of this value of the tag.
    Variant(String),
    /// Where a move should stand is something else, or a move that cannot be played.
    Move { text: String, reason: MoveTextError },
    /// A comment without its closing brace.
    OpenComment,
    /// A variation without its closing parenthesis.
    OpenVariation,
}

impl GameError {
    /// The fault and its remedy, without file and line.
    pub fn reason(&self) -> String {
        let GameError { begin, plies, .. } = self;
        let game = format!("the game that begins at line {begin}");
        match &self.fault {
            GameFault::Fen { text, reason } => {
                format!("cannot set up the FEN `{}`: {reason}; correct it or delete the game", quote(text))
            }
            GameFault::Variant(name) => format!(
                "cannot read a game with the tag `Variant \"{}\"`: its rules are neither those of chess nor of Chess960; \
                 delete the game",
                quote(name)
            ),
            GameFault::Move { text, reason } => format!(
                "cannot play `{}` after {plies} half moves of {game}: {reason}; correct it or delete the game",
                quote(text)
            ),
            GameFault::OpenComment => {
                format!("cannot read the comment that begins here in {game}: it is not closed; add the missing `}}`")
            }
            GameFault::OpenVariation => {
                format!("cannot read the variation that begins here in {game}: it is not closed; add the missing `)`")
            }
        }
    }
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.reason())
    }
}

/// A game that is read without castling rights that its start cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {dropped}")]
pub struct Correction {
    /// The file.
    pub file: String,
    /// The line of the FEN, counted from 1.
    pub line: usize,
    /// The rights.
    pub dropped: DroppedRights,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It cannot be opened or read: the file and the error of the operating system.
    #[error("cannot read {0}: {1}; check the path and the permissions")]
    Io(String, io::Error),
    /// Not text, or text in another encoding: the file.
    #[error("cannot read {0}: not a text file; give games in PGN as plain text, neither packed nor UTF-16")]
    Binary(String),
    /// A file without moves.
    #[error("cannot use {0}: it contains no game with moves; give a file of games in PGN")]
    Empty(String),
}
