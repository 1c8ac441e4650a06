//! Cases about the process: how it starts and how it ends.

use std::process::ExitStatus;
use std::time::Duration;

use super::answers::TestPosition;
use super::connection::RawConnection;
use super::{CaseError, CaseResult, demand};
use crate::launch::Launch;

/// Time for an engine to notice that its output is closed.
const NOTICE: Duration = Duration::from_secs(5);
/// The exit code of a Rust program that panicked.
const PANICKED: i32 = 101;
/// The exit codes of a program in place of a signal that means a crash: 128 and SIGILL, SIGABRT, SIGBUS, SIGFPE or SIGSEGV.
const CRASHED: [i32; 5] = [128 + 4, 128 + 6, 128 + 7, 128 + 8, 128 + 11];

pub(super) fn closed_pipes(launch: &Launch) -> Result<(), CaseError> {
    for go in [None, Some("go infinite"), Some("go ponder wtime 1000 btime 1000")] {
        let mut engine = RawConnection::ready(launch)?;
        engine.send("position startpos")?;
        if let Some(go) = go {
            engine.send(go)?;
        }
        engine.close_input();
        let status = engine.ended_within(NOTICE).after(&format!("{}, end of input", go.unwrap_or("idle")))?;
        graceful(status, "the end of input")?;
    }
    let mut engine = RawConnection::ready(launch)?;
    engine.send("position startpos")?;
    engine.send("go infinite")?;
    engine.stop_listening();
    for line in ["isready", "isready", "stop", "isready", "go depth 3", "quit"] {
        std::thread::sleep(Duration::from_millis(50));
        // It may be gone already, which is what it should be.
        if engine.send(line).is_err() {
            break;
        }
    }
    engine.close_input();
    graceful(engine.ended_within(NOTICE)?, "a closed output")
}

/// Ending by an error code or by the signal for closed pipes is fine; crashing is not.
fn graceful(status: ExitStatus, cause: &str) -> Result<(), CaseError> {
    demand(!crashed(status), || format!("it crashed at {cause} ({status})"))
}

#[cfg(unix)]
fn crashed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const BROKEN_PIPE: i32 = 13;
    let by_code = status.code().is_some_and(|code| code == PANICKED || CRASHED.contains(&code));
    by_code || status.signal().is_some_and(|signal| signal != BROKEN_PIPE)
}

#[cfg(not(unix))]
fn crashed(status: ExitStatus) -> bool {
    status.code() == Some(PANICKED)
}

/// An emulator of an old processor, if there is one here; otherwise the processor we have.
pub(super) fn old_processors(launch: &Launch) -> Result<(), CaseError> {
    const EMULATOR: &str = "qemu-x86_64";
    let mut engine = RawConnection::ready(launch)?;
    engine.play(&TestPosition::start(&[])?, "go depth 5")?;
    if !cfg!(target_arch = "x86_64") || RawConnection::open(&Launch::program(EMULATOR)).is_err() {
        return Ok(());
    }
    let mut old = Launch::program(EMULATOR);
    old.arguments = vec!["-cpu".into(), "qemu64".into(), launch.program.display().to_string()];
    old.arguments.extend(launch.arguments.iter().cloned());
    let mut engine = RawConnection::open(&old)?;
    // An engine that explains itself and ends cleanly has done its duty.
    let answer = engine.send("uci").and_then(|()| engine.until("uciok"));
    if answer.is_err() {
        let status = engine.ended_within(NOTICE).after("uci on an old processor")?;
        graceful(status, "an old processor")?;
    }
    Ok(())
}
