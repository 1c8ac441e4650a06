//! Ends of a player's turn without a move.

use super::GameResult;
use quarterply_uci::client::last_lines;
use std::time::Duration;
use thiserror::Error;

/// A player did not move: it failed, sent an invalid answer, or ended the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PlayerError {
    #[error("cannot start {command}: {reason}")]
    Start { command: String, reason: String },
    #[error("ended ({status}) while {waiting} was due{}", last_lines(.words))]
    Crashed { status: String, waiting: String, words: Vec<String> },
    #[error("no {waiting} within {} s", .timeout.as_secs_f32())]
    Hung { waiting: String, timeout: Duration },
    #[error("closed its input or output while {waiting} was due")]
    Disconnected { waiting: String },
    #[error("cannot read the answer `{text}`")]
    InvalidAnswer { text: String },
    /// It was started as an engine of xboard and answers `uci`.
    #[error("cannot use `{program}` as an xboard engine: it speaks UCI; write the player as `cmd:{program}`")]
    NotXboard { program: String },
    #[error("refused: {text}")]
    Refused { text: String },
    #[error("resigned")]
    Resigned,
    /// It claims that the game is over; the referee checks that.
    #[error("claims {claim}: {text}")]
    Claimed { claim: GameResult, text: String },
}

impl PlayerError {
    /// The kind in one or two words.
    pub fn kind(&self) -> &'static str {
        match self {
            PlayerError::Start { .. } => "no start",
            PlayerError::Crashed { .. } => "crash",
            PlayerError::Hung { .. } => "hang",
            PlayerError::Disconnected { .. } => "disconnect",
            PlayerError::InvalidAnswer { .. } => "garbage",
            PlayerError::NotXboard { .. } => "no start",
            PlayerError::Refused { .. } => "refusal",
            PlayerError::Resigned => "resignation",
            PlayerError::Claimed { .. } => "claim",
        }
    }

    /// Returns true if the player cannot continue. False for those that resigned or claimed.
    pub fn is_breakdown(&self) -> bool {
        !matches!(self, PlayerError::Resigned | PlayerError::Claimed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breakdowns_are_described() {
        let waiting = "bestmove".to_owned();
        for (error, kind, text) in [
            (
                PlayerError::Crashed {
                    status: "signal: 11".into(),
                    waiting: waiting.clone(),
                    words: vec!["oh".into(), "no".into()],
                },
                "crash",
                "ended (signal: 11) while bestmove was due; its last lines on stderr: oh / no",
            ),
            (
                PlayerError::Crashed { status: "exit status: 3".into(), waiting: waiting.clone(), words: vec![] },
                "crash",
                "ended (exit status: 3) while bestmove was due",
            ),
            (PlayerError::Hung { waiting, timeout: Duration::from_millis(1500) }, "hang", "no bestmove within 1.5 s"),
            (
                PlayerError::InvalidAnswer { text: "bestmove x".into() },
                "garbage",
                "cannot read the answer `bestmove x`",
            ),
        ] {
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
        }
    }
}
