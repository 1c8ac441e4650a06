//! The laboratory of Quarterply: test suites, benchmarks, comparisons, profiles, parameter lists and games.
//!
//! - [`epd`] reads and writes test positions, [`suite`] runs them, [`compare`] sets two runs side by side;
//! - [`bench`] and [`perft`] are the signatures of the search and of the moves;
//! - [`profile`] and [`params`] read and write sets of parameters;
//! - [`game`], [`openings`], [`matches`] and [`pgn`] play, write and read games; [`player`] is our engine in this process,
//!   [`external`] any other engine, [`players`] all that can take part in a match;
//! - [`mine`] finds test positions in games, [`worths`] writes down what rules are worth;
//! - [`tune`] looks for better parameters;
//! - [`draft`] writes files of results, [`count`] reads numbers as people write them.

#![forbid(unsafe_code)]

pub mod bench;
pub mod compare;
pub mod count;
pub mod draft;
pub mod epd;
pub mod external;
pub mod game;
pub mod matches;
pub mod mine;
pub mod openings;
pub mod params;
pub mod perft;
pub mod pgn;
pub mod player;
pub mod players;
pub mod profile;
pub mod stats;
pub mod suite;
pub mod tune;
pub mod worths;

pub use rayon;
