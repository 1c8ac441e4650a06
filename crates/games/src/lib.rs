//! Games of chess engines, and who plays them.
//!
//! - [`game`] is one game, [`mod@matches`] are many; [`openings`] says where they begin, [`pgn`] reads and writes them;
//! - [`player`] is our engine in this process, [`external`] any other that speaks UCI, [`players`] all that can take part in a match;
//! - [`portable`]: engines and openings as data, for other machines;
//! - [`timeouts`]: how long they may take;
//! - [`solver`]: the same engines asked for the best move of single positions.

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
