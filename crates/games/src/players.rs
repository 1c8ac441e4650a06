//! The players of a match: profiles of this engine in this process, and external programs that use UCI or the xboard protocol.
//!
//! A [`Spec`] is what a user writes to name a player. A [`RestartablePlayer`] is the player's place in a match: it starts the player when the
//! first game begins, and again after every breakdown.

mod restartable;
mod spec;
mod xboard;

pub use crate::external::PlayerDefaults;
pub use crate::timeouts::Timeouts;
pub use restartable::{OVERHEAD_MAX, Profile, RestartablePlayer};
pub use spec::{PlayerKind, Spec, SpecError};
pub use xboard::XboardEngine;
