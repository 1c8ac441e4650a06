//! Learns the chances of moves from games: how often each kind of move is played, and the weights of a softmax over features (`tsuruoka2002`,
//! `tsuruoka2012`).
//!
//! - [`data`] looks at positions of games as a search would that came there, through the engine's own eyes;
//! - [`kinds`] counts kinds of moves, [`fit`] finds the weights;
//! - [`measure`] says how good chances are on games that were held out, [`page`] shows it.

pub mod data;
pub mod fit;
pub mod kinds;
pub mod measure;
pub mod page;
