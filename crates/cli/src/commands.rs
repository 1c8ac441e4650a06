//! One file per sub-command.

pub mod ablate;
pub mod bench;
pub mod compare;
pub mod datagen;
pub mod eval;
pub mod learn;
pub mod matches;
pub mod mine;
pub mod params;
pub mod perft;
pub mod selfplay;
pub mod shell;
pub mod solve;
pub mod stats;
pub mod train;
pub mod tune;
pub mod uci;
pub mod uci_check;
pub mod window;
pub mod worker;
pub mod workers;
