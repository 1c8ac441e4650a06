//! From errors to messages and exit codes.

use std::io;
use std::process::ExitCode;

use miette::Report;

use crate::screen;

/// Exit code of input errors: a bad argument, position or file.
const BAD_INPUT: u8 = 2;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// An input error: exit code 2.
    Input(Report),
    /// The command failed while it ran, or a check did not pass: exit code 1.
    Run(Report),
    /// The reader of the output is gone, which is not an error.
    Closed,
}

impl Failure {
    /// An input error.
    pub fn input(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
        Failure::Input(miette::IntoDiagnostic::into_diagnostic(Err::<(), _>(error)).unwrap_err())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Run(miette::IntoDiagnostic::into_diagnostic(Err::<(), _>(error)).unwrap_err()),
        }
    }
}

/// What a command hands back to `main`.
pub type Done = Result<ExitCode, Failure>;

/// Reports a failure on stderr and chooses the exit code.
pub fn exit_code(done: Done) -> ExitCode {
    match done {
        Ok(code) => code,
        Err(Failure::Closed) => ExitCode::SUCCESS,
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
