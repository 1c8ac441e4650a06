//! The players of a match: profiles of this engine in this process, and external programs that use UCI or the xboard protocol.
//!
//! A [`Spec`] is what a user writes to name a player. A [`RestartablePlayer`] is the player's place in a match: it starts the player when the
//! first game begins, and again after every breakdown.

mod restartable;
mod spec;
mod xboard;

pub use crate::timeouts::Timeouts;
pub(crate) use restartable::setup;
pub use restartable::{OVERHEAD_MAX, Profile, RestartablePlayer};
pub use spec::{PlayerKind, Spec, SpecError};
pub use xboard::XboardEngine;

use quarterply_uci::client::MessageSink;
use quarterply_uci::process::Stop;
use std::time::Duration;

/// Settings that all players of a match share. Options in a [`Spec`] override them.
#[derive(Clone, Debug)]
pub struct PlayerDefaults {
    /// Transposition table in MiB.
    pub hash: usize,
    /// Threads.
    pub threads: usize,
    /// Time that players keep in reserve for delays outside of them, if they have an option for it.
    pub overhead: Option<Duration>,
    /// Directories of endgame tables.
    pub tables: Option<String>,
    /// How long players may take.
    pub timeouts: Timeouts,
    /// Players are waited for only as long as this is not set.
    pub stop: Stop,
    /// Receives messages about players during games.
    pub messages: MessageSink,
    /// Names of the options of texts, which can name files, that may be set; all if `None`.
    pub texts: Option<Vec<String>>,
}

impl Default for PlayerDefaults {
    fn default() -> PlayerDefaults {
        PlayerDefaults {
            hash: quarterply_engine::search::pool::TABLE_DEFAULT,
            threads: 1,
            overhead: None,
            tables: None,
            timeouts: Timeouts::default(),
            stop: Stop::default(),
            messages: MessageSink::default(),
            texts: None,
        }
    }
}
