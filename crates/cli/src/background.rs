//! Work that must not slow down anything else on this machine.

use std::io;

/// Gives this process, and every thread that it starts from now on, the lowest priority.
///
/// On Linux, `nice` ranks processes within a group only (`man 7 sched`, autogroup): a session of its own makes a group of its own, which is then
/// ranked lowest, too.
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
        let text = "it belongs to the session of a terminal; start it with `setsid`";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    std::fs::write(group, LOWEST.to_string())
}

/// See the version for Unix.
#[cfg(not(unix))]
pub fn lower_priority() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
