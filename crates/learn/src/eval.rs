//! Fits the weights of the classical evaluation to results and scores of games (`osterlund2014`).
//!
//! - [`data`] holds the counts of the evaluation in each position, with the target;
//! - [`model`] is the evaluation's arithmetic in real numbers, with its gradient: blend by phase, curve of danger and scale included;
//! - [`prior`] makes weights small, and smooth along ranks and mobility;
//! - [`fit`] is the gradient descent, [`certainty`] computes the standard errors of the weights;
//! - [`mod@write`] makes `weights.rs`, [`page`] the report.

pub mod certainty;
pub mod data;
pub mod fit;
pub mod model;
pub mod page;
pub mod prior;
pub mod write;
