//! Files: test positions, games, sets of parameters, results, reports.
//!
//! - [`epd`] reads and writes test positions, [`pgn`] reads games; [`mod@bench`] holds those whose node count is the signature of the search;
//! - [`profile`] and [`params`] read and write sets of parameters;
//! - [`engines`]: the engines that a worker offers;
//! - [`journal`]: the finished work of long commands, line by line;
//! - [`lock`] lets one process at a time work with a file, [`draft`] writes files of results;
//! - [`pages`]: reports as pages and plots;
//! - [`count`] reads numbers such as `100k`, [`fingerprint`] identifies parameters.

#![forbid(unsafe_code)]

pub mod bench;
pub mod count;
#[cfg(not(target_arch = "wasm32"))]
pub mod draft;
#[cfg(not(target_arch = "wasm32"))]
pub mod engines;
pub mod epd;
pub mod fingerprint;
#[cfg(not(target_arch = "wasm32"))]
pub mod journal;
#[cfg(not(target_arch = "wasm32"))]
pub mod lock;
pub mod pages;
pub mod params;
pub mod pgn;
pub mod profile;
