//! Self-play games as training data: generation, file formats, and everything that reads them.
//!
//! - [`viriformat`] is the form of positions and moves, [`record`] that of a game: both are the public format of that name;
//! - [`shard`] wraps games into checked blocks behind a header, [`folder`] is a run: its shards, written and resumed;
//! - [`packed`] holds games in a quarter of the bytes, for keeping;
//! - [`read`] walks over the games of folders and files, [`replay`] over the positions of a game, with a filter;
//! - [`settings`] holds the settings of games, [`opening`] draws start positions, [`play`] plays a game, [`run`] plays all games.
//! - [`produce`] makes games by tasks, in this process or on other machines;
//! - [`stats`], [`dump`], [`convert`] and [`relabel`] count games, print them, export them to other trainers, and give them new
//!   scores;
//! - [`sample`] samples positions that searches of the games visit, [`tree`] those with a value in the search tree;
//! - [`compare`] measures the difference of scores to those of a deeper search;
//! - [`genfens`] makes openings for OpenBench.
//!
//! Nothing here prints. The same seed gives the same games with any number of workers, also after kills and resumptions.

#![forbid(unsafe_code)]

pub mod compare;
pub mod convert;
pub mod dump;
pub mod error;
pub mod folder;
pub mod genfens;
pub mod opening;
pub mod packed;
pub mod play;
pub mod produce;
pub mod read;
pub mod record;
pub mod relabel;
pub mod replay;
pub mod run;
pub mod sample;
pub mod settings;
pub mod shard;
pub mod stats;
pub mod tree;
pub mod viriformat;

#[cfg(test)]
mod testing;
