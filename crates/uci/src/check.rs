//! What engines get wrong, as questions that any engine can be asked.
//!
//! Each case starts the engine afresh, so that one wrong answer does not spoil the next.

mod answers;
mod chess;
mod connection;
mod input;
mod options;
mod output;
mod process;
mod search;

use crate::launch::Launch;
use thiserror::Error;

pub use connection::RawConnection;

/// One question.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its number in the list.
    pub number: u8,
    /// A short name.
    pub name: &'static str,
    /// What is asked.
    pub about: &'static str,
    run: fn(&Launch) -> Result<(), CaseError>,
}

/// A row of the tables of cases.
const fn case(number: u8, name: &'static str, about: &'static str, run: fn(&Launch) -> Result<(), CaseError>) -> Case {
    Case { number, name, about, run }
}

/// Why a case did not pass.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// The engine is wrong; what was seen.
    #[error("FAIL: {0}")]
    Fault(String),
    /// The question cannot be put to this engine; why.
    #[error("n/a: {0}")]
    Skip(String),
}

impl CaseError {
    /// A fault.
    pub fn fault(seen: impl Into<String>) -> CaseError {
        CaseError::Fault(seen.into())
    }

    /// A question that cannot be put.
    pub fn skip(why: impl Into<String>) -> CaseError {
        CaseError::Skip(why.into())
    }
}

/// Adds what led to a fault.
trait After {
    fn after(self, what: &str) -> Self;
}

impl<T> After for Result<T, CaseError> {
    fn after(self, what: &str) -> Self {
        self.map_err(|error| match error {
            CaseError::Fault(seen) => CaseError::Fault(format!("after `{what}`: {seen}")),
            CaseError::Skip(why) => CaseError::Skip(why),
        })
    }
}

/// A fault unless something holds.
fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), CaseError> {
    if holds { Ok(()) } else { Err(CaseError::Fault(otherwise())) }
}

impl Case {
    /// Asks the engine.
    ///
    /// # Errors
    /// [`CaseError`] unless the engine is right.
    pub fn ask(&self, launch: &Launch) -> Result<(), CaseError> {
        (self.run)(launch)
    }
}

/// All cases, in order.
pub fn cases() -> Vec<Case> {
    let parts = [input::CASES, options::CASES, output::CASES, search::CASES, chess::CASES, process::CASES];
    let mut cases: Vec<Case> = parts.concat();
    cases.sort_by_key(|case| case.number);
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_are_numbered_without_gaps() {
        let numbers: Vec<u8> = cases().iter().map(|case| case.number).collect();
        assert_eq!(numbers, (1..=27).collect::<Vec<u8>>());
    }

    #[test]
    fn a_program_that_is_no_engine_fails_and_one_that_is_missing_too() {
        for program in ["/no/such/program", "true"] {
            let verdict = cases()[0].ask(&Launch::program(program));
            assert!(matches!(&verdict, Err(CaseError::Fault(seen)) if !seen.is_empty()), "{program}: {verdict:?}");
        }
    }
}
