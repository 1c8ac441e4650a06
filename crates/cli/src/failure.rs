//! From errors to messages and exit codes.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use miette::Report;
use quarterply_datagen::error::DataError;
use quarterply_files::draft::{DraftError, is_full};
use quarterply_files::journal::JournalError;

use crate::{interrupt, screen};

/// Exit code of input errors: a bad argument, position or file.
const BAD_INPUT: u8 = 2;

/// Returns an input error with this text from the function.
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::failure::Failure::Input(miette::miette!($($text)*))) };
}

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// An input error: exit code 2.
    Input(Report),
    /// The command failed while it ran, or a check did not pass: exit code 1.
    Run(Report),
    /// The reader of the output is gone, which is not an error.
    Closed,
    /// Ctrl-C ended the command before it had results; it has said so.
    Interrupted,
}

impl Failure {
    /// An input error.
    pub fn input(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
        Failure::Input(Report::from_err(error))
    }

    /// A failure while the command ran.
    pub fn run(error: impl Display) -> Failure {
        Failure::Run(Report::msg(error.to_string()))
    }
}

impl From<DraftError> for Failure {
    fn from(error: DraftError) -> Failure {
        match error {
            DraftError::Write { reason, .. } if reason.kind() == io::ErrorKind::BrokenPipe => Failure::Closed,
            error if error.is_input() => Failure::input(error),
            error => Failure::run(error),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        if error.is_input() { Failure::input(error) } else { Failure::run(error) }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        let is_full = matches!(&error, DataError::Io(_, reason) if is_full(reason));
        if is_full { Failure::run(error) } else { Failure::input(error) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            // Errors of files name the file; this one is of a stream.
            _ if is_full(&error) && error.get_ref().is_none() => {
                Failure::run(format!("cannot write the output: {error}; free space, or write to another place"))
            }
            _ => Failure::Run(Report::from_err(error)),
        }
    }
}

/// The result of a command.
pub type CommandResult = Result<ExitCode, Failure>;

/// Reports a failure on stderr and chooses the exit code.
pub fn exit_code(done: CommandResult) -> ExitCode {
    match done {
        Ok(code) => code,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Interrupted) => interrupt::code(),
        Err(Failure::Input(report)) => {
            screen::say_coloured(&format!("{report:?}"));
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Run(report)) => {
            screen::say_coloured(&format!("{report:?}"));
            ExitCode::FAILURE
        }
    }
}
