//! The laboratory of Quarterply: test suites and what is made of them.
//!
//! - [`suite`] runs test positions, [`compare`] sets two runs side by side;
//! - [`mine`] finds test positions in games, [`worths`] writes down what rules are worth;
//! - [`perft`] is the signature of the moves.

#![forbid(unsafe_code)]

pub mod compare;
pub mod mine;
pub mod perft;
pub mod suite;
pub mod worths;
