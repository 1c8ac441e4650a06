//! What people and programs hand each other as files: test positions, sets of parameters, results.
//!
//! - [`epd`] reads and writes test positions; [`mod@bench`] are those whose node count is the signature of the search;
//! - [`profile`] and [`params`] read and write sets of parameters;
//! - [`engines`]: the engines that a worker offers;
//! - [`journal`]: what long commands have finished, line by line;
//! - [`lock`] keeps two processes from working with one file, [`draft`] writes files of results, [`count`] reads numbers as people write them, [`fingerprint`] tells one from another.

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
pub mod params;
pub mod profile;
