//! Fits the weights of the classical evaluation to results and scores of games (`osterlund2014`).
//!
//! - [`data`] holds what the evaluation counts in each position, with the target;
//! - [`model`] is the evaluation's arithmetic in real numbers, with its gradient: blend by phase, curve of danger and scale included;
//! - [`prior`] says what readable weights are: small, and smooth along ranks and mobility;
//! - [`fit`] is the descent, [`certainty`] how well the data determine each weight;
//! - [`mod@write`] makes `weights.rs`, [`page`] the report.

pub mod certainty;
pub mod data;
pub mod fit;
pub mod model;
pub mod page;
pub mod prior;
pub mod write;
