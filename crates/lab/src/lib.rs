//! The laboratory of Quarterply: test suites and what is made of them.
//!
//! - [`suite`] runs test positions, [`compare`] sets two runs side by side;
//! - [`mine`] finds test positions in games, [`ablation`] measures what rules are worth;
//! - [`census`] counts what a search does: cutoffs, rules, re-searches, leaves, and what pruning missed;
//! - [`perft`] is the signature of the moves.

#![forbid(unsafe_code)]

pub mod ablation;
pub mod census;
pub mod compare;
pub mod mine;
pub mod perft;
pub mod suite;
