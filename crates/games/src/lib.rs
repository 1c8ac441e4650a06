//! Games of chess engines, and their players.
//!
//! - [`game`] is one game, [`mod@matches`] are many; [`openings`] has their start positions, [`pgn`] reads and writes them;
//! - [`player`] is our engine in this process, [`external`] any UCI engine, [`players`] all that can take part in a match;
//! - [`portable`]: engines and openings as data, for other machines;
//! - [`timeouts`]: their time limits where no clock runs;
//! - [`solver`]: the same engines as solvers of single positions.

#![forbid(unsafe_code)]

pub mod external;
pub mod game;
pub mod matches;
pub mod offered;
pub mod openings;
pub mod pgn;
pub mod player;
pub mod players;
pub mod portable;
pub mod solver;
pub mod timeouts;
