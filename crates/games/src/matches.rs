//! Matches: many games between two or more players, in pairs, several at a time, with a journal to resume from.
//!
//! A [`MatchPlan`] has the settings, a [`PlayerFactory`] makes the players, [`run()`] plays. Pairs are taken from the [`schedule`] in
//! order and may finish in any order. Each is written to the [`journal`] before its worker begins the next. The
//! [`Standing`], the sequential test and the PGN take them in the order of the schedule again: the result does not depend on how
//! many are played at a time, and short games are not counted before long ones. An executor plays the pairs ([`quarterply_work`]): threads of this
//! process ([`Pairs::threads`]) or other machines.

mod games_file;
pub mod journal;
pub mod line;
mod pair;
pub mod plan;
mod run;
pub mod schedule;
pub mod specs;
pub mod standing;
pub mod summary;
mod supply;
#[cfg(test)]
mod tests;

pub use games_file::GamesFileError;
pub use journal::{Entrant, Existing, JournalError};
pub use pair::{PairTask, Pairs, PlayerData, PlayerTask, players, players_with, require_portable};
pub use plan::{MatchPlan, PlayerFactory};
pub use quarterply_uci::process::Stop;
pub use run::{End, Match, MatchError, MatchEvent, MatchFiles, MatchOutcome, Speed, run};
pub use schedule::TournamentFormat;
pub use specs::Specs;
pub use standing::{LeastTime, Standing};
pub use supply::OpeningSupply;
