//! Learning from games of our own.
//!
//! [`eval`] fits the weights of the classical evaluation, [`cost`] those of the learned cost of late moves, [`order`] trains the networks
//! that order moves, [`realization`] fits the chances of moves. Nothing here prints; the same data and seed give the same result with any
//! number of threads.

#![forbid(unsafe_code)]

pub mod cost;
pub mod eval;
pub mod order;
pub mod realization;
