//! Ablation: the worth of each rule, measured by switching it off.
//!
//! - [`AblationPlan`] lists the settings to compare with the profile as it is: each switch inverted, each rule that is on left out, each
//!   rule alone on the textbook search, or parameters with other values;
//! - [`SettingWorth`]: the results of a setting on a suite at fixed nodes, at fixed depth, and in games;
//! - [`journal`] stores the results, so that a run can be resumed; [`games`] plays;
//! - [`staged`]: each setting in separate games, in one stage or in two;
//! - [`block_design`]: all settings in the same games, each on a random side;
//! - [`page`] and [`worth_table`]: the results as a page, as CSV, in the table of the engine and in the documents.

pub mod block_design;
pub mod games;
pub mod journal;
pub mod page;
mod plan;
pub mod staged;
mod worth;
pub mod worth_table;

pub use plan::{AblationPlan, Mode, PlanError, Setting};
pub use worth::{AtDepth, AtNodes, InGames, NO_RULE, SettingWorth, WorthChange};
