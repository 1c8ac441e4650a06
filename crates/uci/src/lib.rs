//! The Universal Chess Interface: server and client.
//!
//! - [`command`] reads the lines of a GUI, [`server`] answers them, [`settings`] keeps the options;
//! - [`info`] writes and reads the output of engines;
//! - [`client`] drives another engine, [`launch`] has its command line, [`process`] runs any program, [`dialogue`] records its lines;
//! - [`check`] tests any engine with cases that engines often fail.

#![forbid(unsafe_code)]

pub mod check;
pub mod child;
pub mod client;
pub mod command;
pub mod date;
pub mod dialogue;
pub mod info;
pub mod launch;
pub mod limits;
pub mod process;
pub mod server;
pub mod settings;
pub mod strength;
pub mod wdl;

pub mod memory;
mod output;
mod perft;
mod reporter;
#[cfg(test)]
mod testing;
mod worker;
