//! Lowest priority for background work.

use std::io;

/// Gives this process, and every thread that it starts from now on, the lowest priority.
///
/// On Linux, `nice` only ranks processes within one autogroup (`man 7 sched`). So the process starts a new session, which gets a new autogroup, and
/// gives that the lowest priority too.
///
/// # Errors
/// The system refuses, or has no such priority.
#[cfg(unix)]
pub fn lower_priority() -> io::Result<()> {
    use rustix::process::{getpid, getsid, setpriority_process, setsid};
    const LOWEST: i32 = 19;
    setpriority_process(None, LOWEST)?;
    let group = std::path::Path::new("/proc/self/autogroup");
    if !group.exists() {
        return Ok(());
    }
    // A process that leads a group of a shell cannot begin a session; one that leads a session has one already.
    if setsid().is_err() && getsid(None)? != getpid() {
        let text = "this process belongs to the session of a terminal; start the program with `setsid`";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    std::fs::write(group, LOWEST.to_string())
}

/// See the version for Unix.
#[cfg(not(unix))]
pub fn lower_priority() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
