//! Ablation: what each rule is worth, measured by doing without it.
//!
//! - [`AblationPlan`] lists the settings to compare with the profile as it is: each switch turned over, each rule that is on left out, each
//!   rule alone on the textbook search, or parameters with other values;
//! - [`SettingWorth`] says what a setting came to on a suite at fixed nodes, at fixed depth, and in games, always against the profile as it is;
//! - [`journal`] keeps what was measured, so that a long run goes on after a break; [`games`] plays;
//! - [`staged`]: each setting in separate games, in one stage or in two;
//! - [`together`]: all settings in the same games, each on one of the two sides by lot;
//! - [`page`] and [`written`] tell it: as a page, as a table of commas, in the table of the engine and in the documents.

pub mod games;
pub mod journal;
pub mod page;
mod plan;
pub mod staged;
pub mod together;
mod worth;
pub mod written;

pub use plan::{AblationPlan, Mode, PlanError, Setting};
pub use worth::{AtDepth, AtNodes, InGames, NONE, SettingWorth, WorthChange};
