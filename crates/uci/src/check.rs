//! Tests of UCI engines with cases that engines often fail.
//!
//! Each case starts the engine afresh, so that one wrong answer does not spoil the next. A fault has a [`Severity`]: that of its
//! case, or another where the finding is worse or more harmless.

mod answers;
mod chess;
mod connection;
mod input;
mod options;
mod output;
mod process;
mod search;

use crate::launch::Launch;
use std::fmt;
use thiserror::Error;

pub use connection::RawConnection;

/// How severe a fault is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Other engines do not behave so; harmless for most programs.
    Unusual,
    /// A GUI or another tool can fail or show something wrong.
    Tool,
    /// Games can be lost, or never end.
    Game,
}

impl Severity {
    /// All of them, the worst first.
    pub const ALL: [Severity; 3] = [Severity::Game, Severity::Tool, Severity::Unusual];

    /// A word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Game => "game",
            Severity::Tool => "tool",
            Severity::Unusual => "unusual",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Game => "breaks games",
            Severity::Tool => "breaks a GUI or tool",
            Severity::Unusual => "unusual",
        })
    }
}

/// One question.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its number in the list.
    pub number: u8,
    /// A short name.
    pub name: &'static str,
    /// The expected behaviour.
    pub about: &'static str,
    /// The severity of a fault, unless the finding has a different one.
    pub severity: Severity,
    /// True if it takes little time.
    pub is_fast: bool,
    run: fn(&Launch) -> Result<(), CaseError>,
}

/// A row of the tables of cases.
const fn case(
    number: u8,
    name: &'static str,
    about: &'static str,
    severity: Severity,
    run: fn(&Launch) -> Result<(), CaseError>,
) -> Case {
    Case { number, name, about, severity, is_fast: true, run }
}

/// The same for a case that takes longer.
const fn slow(case: Case) -> Case {
    Case { is_fast: false, ..case }
}

/// Why a case did not pass.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// The engine is wrong.
    #[error("{}: {seen}", .severity.map_or_else(|| "wrong".to_owned(), |severity| severity.to_string()))]
    Fault {
        /// The observation.
        seen: String,
        /// Its severity; `None` for that of the case.
        severity: Option<Severity>,
    },
    /// The question cannot be put to this engine; why.
    #[error("n/a: {0}")]
    Skip(String),
}

impl CaseError {
    /// A fault.
    pub fn fault(seen: impl Into<String>) -> CaseError {
        CaseError::Fault { seen: seen.into(), severity: None }
    }

    /// A question that cannot be put.
    pub fn skip(why: impl Into<String>) -> CaseError {
        CaseError::Skip(why.into())
    }

    /// Its severity.
    pub fn severity(&self) -> Option<Severity> {
        match self {
            CaseError::Fault { severity, .. } => *severity,
            CaseError::Skip(_) => None,
        }
    }
}

/// Says more about a fault.
trait CaseResult {
    /// Gives it this severity, unless it has one.
    fn rated(self, severity: Severity) -> Self;

    /// Adds what led to it.
    fn after(self, what: &str) -> Self;
}

impl<T> CaseResult for Result<T, CaseError> {
    fn rated(self, rated: Severity) -> Self {
        self.map_err(|error| match error {
            CaseError::Fault { seen, severity } => CaseError::Fault { seen, severity: severity.or(Some(rated)) },
            skip => skip,
        })
    }

    fn after(self, what: &str) -> Self {
        self.map_err(|error| match error {
            CaseError::Fault { seen, severity } => {
                CaseError::Fault { seen: format!("after `{what}`: {seen}"), severity }
            }
            skip => skip,
        })
    }
}

/// A fault unless something holds.
fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), CaseError> {
    if holds { Ok(()) } else { Err(CaseError::fault(otherwise())) }
}

impl Case {
    /// Asks the engine.
    ///
    /// # Errors
    /// [`CaseError`] unless the engine is right; every fault has a severity.
    pub fn ask(&self, launch: &Launch) -> Result<(), CaseError> {
        (self.run)(launch).rated(self.severity)
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
            let severity = verdict.as_ref().err().and_then(CaseError::severity);
            assert_eq!(severity, Some(Severity::Game), "{program}: {verdict:?}");
        }
    }
}
