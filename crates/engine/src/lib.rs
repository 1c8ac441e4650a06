//! The chess engine of Quarterply, as a library.
//!
//! [`search::pool::Engine`] searches a [`position::Game`] within [`clock::Limits`]. It reports
//! [`report::ProgressEvent`]s and returns a [`report::SearchOutcome`]. Every selective rule is a file under [`rules`],
//! with its numbers as parameters in [`params::Parameters`]. The crate does not print, and only [`clock`] reads a
//! clock.

pub use shakmaty;

pub mod budget;
pub mod chance;
pub mod clock;
pub mod coefficients;
pub mod correction;
pub mod eval;
pub mod evaluator;
mod geometry;
mod hint;
pub mod history;
mod mate_at_a_glance;
#[cfg(test)]
mod meaning;
mod movegen;
pub mod network;
pub mod node;
pub mod notation;
pub mod ordering;
pub mod params;
pub mod perft;
pub mod position;
mod prefetch;
pub mod profile;
pub mod quiet_scores;
pub mod report;
pub mod rules;
pub mod score;
pub mod search;
pub mod see;
mod side;
pub mod source;
pub mod spec;
pub mod table;
pub mod tablebase;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod variant;
mod whole;
pub mod words;
