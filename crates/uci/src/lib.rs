//! The Universal Chess Interface, spoken in both directions.
//!
//! - [`command`] reads what a GUI says;
//! - [`launch`] starts another engine;
//! - [`check`] asks any engine the questions that engines get wrong.

#![forbid(unsafe_code)]

pub mod check;
pub mod command;
pub mod launch;
