//! The Universal Chess Interface, spoken in both directions.
//!
//! - [`command`] reads what a GUI says, [`server`] answers it, [`settings`] keeps the options;
//! - [`info`] writes and reads what engines say;
//! - [`client`] drives another engine, [`launch`] says how it starts, [`process`] talks to any program, [`dialogue`] records it;
//! - [`check`] asks any engine the questions that engines get wrong.

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
