//! Packed games: about 1.4 bytes per position that the default filter keeps; shards need 5.7.
//!
//! Moves and results are lossless. Scores are stored only for positions that the default filter keeps, rounded to a grid of 512 steps of
//! expected points (error at most 1/1024 point). All other positions have no score ([`crate::record::NO_SCORE`]).
//!
//! ```text
//! header  mark (8 bytes), format (u32), length of the text (u32), text (JSON), CRC-32 of all that (u32)
//! block   mark (4 bytes), length of the data (u32), games (u32), number of the first game (u64), CRC-32 of the data (u32),
//!         CRC-32 of these 24 bytes (u32), data
//! ```
//!
//! Integers are little-endian. The text holds the headers of the packed shards. Games of a block have consecutive numbers. Blocks are
//! independent: the models of [`games`] start from scratch in each, so blocks can be decoded in parallel and a damaged one can be skipped.
//! The data is the output of the range coder in [`coder`]; the code of [`games`] defines its contents.

mod coder;
pub mod file;
pub mod games;
mod moves;
pub mod scores;
mod start;
pub mod unpack;

#[cfg(test)]
mod tests;
