//! Everybody who can take part in a match: profiles of our own engine in this process, and programs that speak UCI or the
//! protocol of xboard.
//!
//! A [`Spec`] is what a user writes to name a player. A [`Seat`] is the player's place in a match: it starts the player when the
//! first game begins, and again after every breakdown.

mod habit;
mod seat;
mod spec;
mod xboard;

pub use habit::Habit;
pub use seat::Seat;
pub use spec::{Kind, Spec, SpecError};
pub use xboard::XboardEngine;

use quarterply_uci::client::Voice;
use quarterply_uci::process::Stop;
use std::time::Duration;

/// How long players may take where no clock says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// To start and introduce itself.
    pub start: Duration,
    /// For an answer that should come at once.
    pub answer: Duration,
    /// For a move in a game without clocks.
    pub search: Duration,
    /// Beyond all that, before a player that owes a move is given up.
    pub grace: Duration,
    /// For a search without a clock to get any further, where nothing is known of the player's speed.
    pub standstill: Duration,
    /// For a search without a clock, where the user says it.
    pub patience: Option<Duration>,
}

impl Default for Waits {
    fn default() -> Waits {
        const START: u64 = 60;
        const ANSWER: u64 = 20;
        const SEARCH: u64 = 3600;
        const GRACE: u64 = 5;
        const STANDSTILL: u64 = 60;
        Waits {
            start: Duration::from_secs(START),
            answer: Duration::from_secs(ANSWER),
            search: Duration::from_secs(SEARCH),
            grace: Duration::from_secs(GRACE),
            standstill: Duration::from_secs(STANDSTILL),
            patience: None,
        }
    }
}

/// What is the same for all players of a match. Options in a [`Spec`] come after it.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Transposition table in MiB.
    pub hash: usize,
    /// Threads.
    pub threads: usize,
    /// Time that players who can should keep in reserve for what happens outside of them.
    pub overhead: Option<Duration>,
    /// Directories of endgame tables.
    pub tables: Option<String>,
    /// How long players may take.
    pub waits: Waits,
    /// Players are waited for only as long as this is not set.
    pub stop: Stop,
    /// Says what the user should know of a player while it plays.
    pub voice: Voice,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            hash: quarterply_engine::search::pool::TABLE_DEFAULT,
            threads: 1,
            overhead: None,
            tables: None,
            waits: Waits::default(),
            stop: Stop::default(),
            voice: Voice::default(),
        }
    }
}
