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

use std::fmt;

use crate::launch::Launch;
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseError {
    /// The engine is wrong; what was seen.
    Fault(String),
    /// The question cannot be put to this engine; why.
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

    /// The same finding, with what led to it.
    pub fn after(self, what: &str) -> CaseError {
        match self {
            CaseError::Fault(seen) => CaseError::Fault(format!("after `{what}`: {seen}")),
            CaseError::Skip(why) => CaseError::Skip(why),
        }
    }
}

/// A fault unless something holds.
fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), CaseError> {
    if holds { Ok(()) } else { Err(CaseError::Fault(otherwise())) }
}

/// How a case ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseVerdict {
    /// The engine is right.
    Pass,
    /// The engine is wrong; what was seen.
    Fail(String),
    /// The question cannot be put to this engine; why.
    NotApplicable(String),
}

impl fmt::Display for CaseVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseVerdict::Pass => f.write_str("pass"),
            CaseVerdict::Fail(seen) => write!(f, "FAIL: {seen}"),
            CaseVerdict::NotApplicable(why) => write!(f, "n/a: {why}"),
        }
    }
}

impl Case {
    /// Asks the engine.
    pub fn ask(&self, launch: &Launch) -> CaseVerdict {
        match (self.run)(launch) {
            Ok(()) => CaseVerdict::Pass,
            Err(CaseError::Fault(seen)) => CaseVerdict::Fail(seen),
            Err(CaseError::Skip(why)) => CaseVerdict::NotApplicable(why),
        }
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
            assert!(matches!(&verdict, CaseVerdict::Fail(seen) if !seen.is_empty()), "{program}: {verdict}");
        }
    }
}
