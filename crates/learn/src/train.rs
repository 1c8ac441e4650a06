//! Training of the evaluation network on self-play games, on the CPU.
//!
//! - [`packed`] is a position in 32 bytes, [`data`] reads games and holds some out;
//! - [`shape`] is the layout of the weights, [`kernel`] the forward and backward pass, [`trainer`] the optimiser, [`aligned`] its memory;
//! - [`start`] takes the first weights from a network; [`teacher`] makes additional positions with classical values;
//! - [`quantise`] rounds weights to the integers of the network that plays;
//! - [`settings`], [`folder`], [`run`]: a run from its plan to its network; [`page`] is its report, with [`known`] positions;
//! - [`comparison`] compares a network with the classical evaluation and with counting pieces.
//!
//! Nothing here prints. The same games and the same seed give the same network to the bit, with any number of threads, with any
//! instruction set, and however often the run was interrupted.

pub mod aligned;
pub mod comparison;
pub mod data;
pub mod error;
pub mod folder;
pub mod kernel;
pub mod known;
pub mod packed;
pub mod page;
pub mod quantise;
pub mod run;
pub mod settings;
pub mod shape;
pub mod start;
pub mod teacher;
pub mod trainer;

#[cfg(test)]
pub(crate) mod testing;
