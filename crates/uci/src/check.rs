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

use Severity::{Game, Tool, Unusual};
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

/// A row of [`CASES`].
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

/// All cases, in the order of their numbers.
pub const CASES: &[Case] = &[
    case(1, "idle stop", "stop and ponderhit without a search are ignored", Game, input::idle_stop),
    case(2, "isready", "isready is answered at once during a search, which continues", Tool, input::ready),
    slow(case(3, "interruptions", "unexpected commands during a search do no harm", Unusual, input::interruptions)),
    case(4, "bare go", "go searches until stop; unknown words are skipped; movetime ends", Tool, input::bare_go),
    case(5, "partial clocks", "a search ends with one clock, any order, movestogo 0, increments", Tool, input::clocks),
    case(6, "no time", "a zero or negative clock means the least time", Tool, input::no_time),
    case(7, "searchmoves", "the list ends at the next limit; illegal moves are dropped", Tool, input::search_moves),
    case(8, "setoption", "any case, blanks, missing and wrong values are read or reported", Tool, options::set_option),
    case(9, "option lines", "declarations are complete; options may come before uci", Tool, options::option_lines),
    case(10, "hash size", "Hash can be reduced, and changed several times", Tool, options::hash_size),
    case(11, "position forms", "empty move lists and FEN of four fields are understood", Game, input::position_forms),
    case(
        12,
        "bad positions",
        "after a bad FEN or move, bestmove is empty or of the old position",
        Tool,
        input::bad_positions,
    ),
    case(13, "blanks", "CRLF, tabs, doubled blanks, words before a command are accepted", Tool, input::blanks),
    case(
        14,
        "closed pipes",
        "the engine ends with its input; a closed output does not crash it",
        Tool,
        process::closed_pipes,
    ),
    case(15, "tidy lines", "no blanks around lines, no other text, no output before uci", Tool, output::tidy),
    slow(case(16, "withheld moves", "no bestmove comes before stop or ponderhit", Game, output::withheld)),
    case(17, "game over", "a search at mate or stalemate is answered", Tool, output::game_over),
    case(
        18,
        "info and bestmove",
        "a score and a line come before bestmove, nothing after; they agree",
        Tool,
        output::agree,
    ),
    case(19, "mates", "distances to mate are counted in moves, with sign", Tool, search::mates),
    slow(case(20, "numbers", "numbers are whole and within bounds; lines are not too many", Tool, output::numbers)),
    case(21, "castling", "king takes rook only in Chess960; X-FEN and Shredder-FEN are read", Game, chess::castling),
    slow(case(22, "lines", "lines are legal throughout and do not continue after a draw", Tool, search::lines)),
    case(23, "new game", "ucinewgame clears all state: a search has the same nodes again", Tool, search::new_game),
    case(24, "draw rules", "en passant and repetition are right; mate precedes fifty moves", Game, search::draw_rules),
    case(25, "names", "Move Overhead, Ponder, a version in id name, id author exist", Unusual, options::names),
    case(
        26,
        "old processors",
        "the program runs or ends with a message: no illegal instruction",
        Unusual,
        process::old_processors,
    ),
    case(27, "quotes", "quotation marks are ordinary; shell arguments are whole lines", Unusual, input::quotes),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_engine_fails_and_one_that_is_missing_too() {
        for program in ["/no/such/program", "true"] {
            let verdict = CASES[0].ask(&Launch::program(program));
            let severity = verdict.as_ref().err().and_then(CaseError::severity);
            assert_eq!(severity, Some(Severity::Game), "{program}: {verdict:?}");
        }
    }
}
