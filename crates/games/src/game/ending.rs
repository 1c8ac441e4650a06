//! How games end.

use super::PlayerError;
use quarterply_engine::position::Draw;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::fmt;

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The loser is mated.
    Checkmate,
    /// The side to move has no move.
    Stalemate,
    /// Drawn by another rule.
    Drawn(Draw),
    /// Both players offered a draw.
    Agreed,
    /// The loser resigned.
    Resigned,
    /// The loser overstepped the time.
    TimeLoss,
    /// The illegal move.
    IllegalMove(String),
    /// The loser claimed a result that the game does not have.
    WrongClaim(String),
    /// The loser failed.
    Failure(PlayerError),
    /// An adjudicator ended it.
    Adjudicated(&'static str),
    /// No result within [`super::MOVES_MAX`] moves.
    TooLong,
}

impl fmt::Display for Ending {
    /// A few words; [`Ending::detail`] has the rest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Checkmate => f.write_str("checkmate"),
            Ending::Stalemate => f.write_str("stalemate"),
            Ending::Drawn(Draw::Threefold) => f.write_str("threefold repetition"),
            Ending::Drawn(Draw::FiftyMoves) => f.write_str("fifty moves"),
            Ending::Drawn(Draw::InsufficientMaterial) => f.write_str("insufficient material"),
            Ending::Agreed => f.write_str("draw agreed"),
            Ending::Resigned => f.write_str("resignation"),
            Ending::TimeLoss => f.write_str("time loss"),
            Ending::IllegalMove(text) => write!(f, "illegal move {text}"),
            Ending::WrongClaim(text) => write!(f, "wrong claim {text}"),
            Ending::Failure(error) => f.write_str(error.kind()),
            Ending::Adjudicated(reason) => f.write_str(reason),
            Ending::TooLong => f.write_str("too long"),
        }
    }
}

impl Ending {
    /// Returns true if a player committed a fault, which a correct engine never does.
    pub fn is_fault(&self) -> bool {
        matches!(self, Ending::TimeLoss | Ending::IllegalMove(_) | Ending::WrongClaim(_) | Ending::Failure(_))
    }

    /// One word for tables and files; it never changes.
    pub fn code(&self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Drawn(Draw::Threefold) => "threefold",
            Ending::Drawn(Draw::FiftyMoves) => "fifty-moves",
            Ending::Drawn(Draw::InsufficientMaterial) => "insufficient-material",
            Ending::Agreed => "agreed",
            Ending::Resigned => "resignation",
            Ending::TimeLoss => "time-loss",
            Ending::IllegalMove(_) => "illegal-move",
            Ending::WrongClaim(_) => "wrong-claim",
            Ending::Failure(PlayerError::Start { .. }) => "no-start",
            Ending::Failure(error) => error.kind(),
            Ending::Adjudicated(_) => "adjudication",
            Ending::TooLong => "too-long",
        }
    }

    /// Details beyond the short description: how a process ended and its last output.
    pub fn detail(&self) -> Option<String> {
        match self {
            Ending::Failure(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// The result of a game, as it is written in PGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString)]
pub enum GameResult {
    /// White won.
    #[serde(rename = "1-0")]
    #[strum(serialize = "1-0")]
    White,
    /// Black won.
    #[serde(rename = "0-1")]
    #[strum(serialize = "0-1")]
    Black,
    /// Drawn.
    #[serde(rename = "1/2-1/2")]
    #[strum(serialize = "1/2-1/2")]
    Draw,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameVerdict {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub ending: Ending,
}

impl GameVerdict {
    /// `color` has lost.
    pub fn lost(color: Color, ending: Ending) -> GameVerdict {
        GameVerdict { winner: Some(!color), ending }
    }

    /// The game was drawn.
    pub fn drawn(ending: Ending) -> GameVerdict {
        GameVerdict { winner: None, ending }
    }

    /// The result.
    pub fn result(&self) -> GameResult {
        match self.winner {
            Some(Color::White) => GameResult::White,
            Some(Color::Black) => GameResult::Black,
            None => GameResult::Draw,
        }
    }
}
