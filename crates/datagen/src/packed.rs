//! Packed games: about 1.4 bytes for each position that the default filter keeps, where a shard needs 6.
//!
//! Moves and results are kept as they are. A score is kept where the default filter keeps the position, as the nearest place on a grid of
//! 512 steps of expected points (so that it is wrong by at most a 1024th of a point); all other positions have none
//! ([`crate::record::NO_SCORE`]).
//!
//! ```text
//! header  mark (8 bytes), format (u32), length of the text (u32), text (JSON), CRC-32 of all that (u32)
//! block   mark (4 bytes), length of the data (u32), games (u32), number of the first game (u64), CRC-32 of the data (u32),
//!         CRC-32 of these 24 bytes (u32), data
//! ```
//!
//! Integers are little-endian. The text holds the headers of the shards that the games come from. The numbers of the games of a block follow each other.
//! Each block is coded by itself: the models of [`games`] begin anew, so that blocks can be read in any order, and a damaged one can be
//! skipped. The data is that of the range coder of [`coder`], and what it holds is defined by the code of [`games`].

pub mod coder;
pub mod file;
pub mod games;
pub mod moves;
pub mod scores;
pub mod start;
pub mod unpack;

#[cfg(test)]
mod tests;
