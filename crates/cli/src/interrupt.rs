//! Ctrl-C: the first stops a command, which still writes its results; the second ends the program. Engines end in both cases (see
//! [`crate::guard`]).

use std::process::ExitCode;

use miette::miette;
use quarterply_engine::search::pool::Control;
use quarterply_uci::process::Stop;

use crate::failure::Failure;

/// The exit code of programs that were interrupted: 128 and the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// Leaves SIGHUP ignored if this program was started so, as `nohup` does. A handler of Ctrl-C would also end a run when its terminal closes.
///
/// Call it before any thread is started. Only Linux lists the ignored signals; elsewhere it does nothing.
pub fn keep_hangup_ignored() {
    #[cfg(target_os = "linux")]
    if std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status)) {
        use nix::sys::signal::{SigSet, Signal};
        // A blocked signal does not reach a handler. If the system refuses, SIGHUP interrupts the run, which can be resumed.
        let _ = SigSet::from(Signal::SIGHUP).thread_block();
    }
}

/// Returns true if the text of `/proc/PID/status` lists SIGHUP, the lowest bit of the mask, among the ignored signals.
#[cfg(target_os = "linux")]
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The exit code of a command that was interrupted.
pub fn code() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// The failure of an engine that was started to try it out: that of the input, unless Ctrl-C ended the wait for the engine.
pub fn failure(error: impl std::error::Error + Send + Sync + 'static, stop: &Stop) -> Failure {
    if stop.is_set() { Failure::Interrupted } else { Failure::input(error) }
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
