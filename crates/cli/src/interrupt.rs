//! Ctrl-C: the first stops a command, which still writes its results; the second ends the program. Engines end in both cases (see
//! [`crate::guard`]).

use std::process::ExitCode;

use miette::miette;
use quarterply_engine::search::pool::Control;
use quarterply_uci::process::Stop;

use crate::failure::Failure;

/// The exit code of programs that were interrupted: 128 and the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a command that was interrupted.
pub fn code() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// Handles Ctrl-C. The first sets the returned stop signal and calls `on_interrupt`, the second ends the program.
pub fn listen(on_interrupt: impl Fn() + Send + 'static) -> Result<Stop, Failure> {
    let stop = Stop::default();
    let interrupted = stop.clone();
    let handler = ctrlc::set_handler(move || {
        if interrupted.is_set() {
            std::process::exit(i32::from(INTERRUPTED));
        }
        interrupted.set();
        on_interrupt();
    });
    handler.map_err(|error| Failure::Run(miette!("cannot handle Ctrl-C: {error}")))?;
    Ok(stop)
}

/// The same for a command that searches: the first Ctrl-C also stops its searches and prints `text`.
pub fn control(text: &'static str) -> Result<(Control, Stop), Failure> {
    let control = Control::default();
    let searches = control.clone();
    let stop = listen(move || {
        searches.stop();
        say!("{text}");
    })?;
    Ok((control, stop))
}
