//! Learns the chances of moves from games: how often each kind of move is played, and the weights of a softmax over features (`tsuruoka2002`,
//! `tsuruoka2012`).
//!
//! - [`data`] computes the features of positions of games with the code and the histories of a search;
//! - [`kinds`] counts kinds of moves, [`fit`] finds the weights;
//! - [`measure`] measures chances on held-out games, [`page`] is the report.

pub mod data;
pub mod fit;
pub mod kinds;
pub mod measure;
pub mod page;
