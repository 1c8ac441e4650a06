//! The laboratory of Quarterply: test suites, comparisons and measurements of rules.
//!
//! - [`suite`] runs test positions, [`compare`] sets two runs side by side;
//! - [`mine`] finds test positions in games, [`ablation`] measures the worth of rules;
//! - [`census`] counts events of a search: cutoffs, rules, re-searches, leaves, and moves that pruning missed;
//! - [`perft`] checks move generation.

#![forbid(unsafe_code)]

pub mod ablation;
pub mod census;
pub mod compare;
pub mod mine;
pub mod perft;
pub mod suite;
