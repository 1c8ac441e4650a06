//! The engine of Quarterply: a silent library.
//!
//! [`search::pool::Engine`] plays chess: give it a [`position::Game`] and [`clock::Limits`], listen to
//! [`report::ProgressEvent`]s, take the [`report::SearchOutcome`]. Every selective rule is a file under [`rules`], every number that steers
//! it a parameter in [`params::Parameters`]. Nothing here prints, and nothing but [`clock`] reads a clock.

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
