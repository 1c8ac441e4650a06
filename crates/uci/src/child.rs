//! A child program that is ended together with this process, even after a crash of either.
//!
//! Every program leads a separate process group: its children end with it, and an interrupt from the keyboard reaches only this
//! process. A process group cannot end the program when this process is killed, nor end children that left the group by `setsid`.
//! If the binary has set a guard with [`set_guard`], programs are therefore started through it: a small process that passes its
//! streams on, waits, adopts orphaned descendants, and ends them all as soon as the other end of the program's input is closed.
//! The program survives only if the guard itself is killed with SIGKILL.

use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::launch::Launch;

/// Interval of the checks whether a program has ended.
pub const POLL: Duration = Duration::from_millis(2);
/// Time for a guard to end after a signal: it has to find and end all descendants of the program.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(3);

static GUARD: OnceLock<(PathBuf, Vec<String>)> = OnceLock::new();

/// Starts every program from now on through this one: its arguments are followed by the program and the arguments of that.
/// Only the first call counts.
pub fn set_guard(program: PathBuf, arguments: Vec<String>) {
    // The first guard stays.
    let _ = GUARD.set((program, arguments));
}

/// A running program. Dropping it ends it and everything it started.
pub struct ChildProcess {
    child: Child,
    guarded: bool,
    status: Option<ExitStatus>,
}

/// Our ends of the streams of a program.
pub struct Streams {
    /// Its standard input.
    pub input: Option<ChildStdin>,
    /// Its standard output.
    pub output: Option<ChildStdout>,
    /// Its standard error.
    pub errors: Option<ChildStderr>,
}

impl ChildProcess {
    /// Starts a program. Its standard error is discarded unless `keep_errors` is set.
    ///
    /// # Errors
    /// The error of the system, or [`crate::launch::LaunchError::NoProgram`].
    pub fn start(launch: &Launch, keep_errors: bool) -> io::Result<(ChildProcess, Streams)> {
        let mut command = launch.command()?;
        let guarded = match GUARD.get() {
            Some((program, arguments)) if cfg!(unix) => {
                command = behind(program, arguments, &command);
                true
            }
            _ => false,
        };
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let errors = if keep_errors { Stdio::piped() } else { Stdio::null() };
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn()?;
        let streams = Streams { input: child.stdin.take(), output: child.stdout.take(), errors: child.stderr.take() };
        Ok((ChildProcess { child, guarded, status: None }, streams))
    }

    /// The number of the program's process, or of its guard's where that is not known.
    pub fn id(&self) -> u32 {
        let own = self.child.id();
        if self.guarded { child_of(own).unwrap_or(own) } else { own }
    }

    /// Returns true if the program has ended. Its status must still be collected.
    pub fn has_exited(&mut self) -> bool {
        self.status.is_some() || has_exited(&mut self.child)
    }

    /// Waits until it has ended, or the time is up: its status if it has.
    pub fn wait(&mut self, timeout: Duration) -> Option<ExitStatus> {
        self.exits_within(timeout).then(|| self.end())
    }

    fn exits_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        while !self.has_exited() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(POLL);
        }
        true
    }

    /// Ends it and all that it started; the status of a program that had ended before is its own.
    pub fn end(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        if self.guarded && !self.has_exited() {
            request_end(&mut self.child);
            self.exits_within(CLEANUP_TIMEOUT);
        }
        // Kill the group before its leader is collected: until then its number cannot be reused.
        kill_group(&mut self.child);
        // Waiting fails only if another part of the process has already collected the child.
        let status = self.child.wait().unwrap_or_default();
        *self.status.insert(status)
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The command that starts another one behind a guard.
fn behind(guard: &std::path::Path, arguments: &[String], command: &Command) -> Command {
    let mut guarded = Command::new(guard);
    guarded.args(arguments).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        guarded.current_dir(directory);
    }
    guarded
}

/// The first child of a process, if the system lists processes.
fn child_of(parent: u32) -> Option<u32> {
    processes().into_iter().find(|process| process.parent == parent).map(|process| process.id)
}

/// A process as the system lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessEntry {
    /// Its number.
    pub id: u32,
    /// The number of its parent.
    pub parent: u32,
    /// True if it has ended and its status was not collected.
    pub is_dead: bool,
}

/// All processes, where the system lists them (Linux); none elsewhere.
pub fn processes() -> Vec<ProcessEntry> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter_map(|id| listed(id, &std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)).collect()
}

/// Reads `/proc/N/stat`. The name of the program is in parentheses and may contain any character, also parentheses.
fn listed(id: u32, stat: &str) -> Option<ProcessEntry> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    let state = words.next()?;
    Some(ProcessEntry { id, parent: words.next()?.parse().ok()?, is_dead: matches!(state, "Z" | "X") })
}

#[cfg(unix)]
fn has_exited(child: &mut Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let Some(pid) = pid(child) else { return true };
    // An error means that the process does not exist or has been collected.
    waitid(WaitId::Pid(pid), options).map_or(true, |status| status.is_some())
}

#[cfg(not(unix))]
fn has_exited(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Signal, kill_process_group};
    if let Some(pid) = pid(child) {
        // This fails only if no process is left.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    // Failing here means that the process is gone already.
    let _ = child.kill();
}

/// Signals a guard to end everything.
#[cfg(unix)]
fn request_end(child: &mut Child) {
    use rustix::process::{Signal, kill_process};
    if let Some(pid) = pid(child) {
        // Failing here means that it is gone already.
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn request_end(_: &mut Child) {}

#[cfg(unix)]
fn pid(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_processes_is_read_whatever_a_program_is_called() {
        let found = listed(7, "7 (a) b) (c) S 3 7 7 0 -1");
        assert_eq!(found, Some(ProcessEntry { id: 7, parent: 3, is_dead: false }));
        assert!(listed(8, "8 (x) Z 1 8").is_some_and(|process| process.is_dead));
        for text in ["", "7", "7 (x)", "7 (x) S", "7 (x) S y"] {
            assert_eq!(listed(7, text), None, "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn we_are_among_the_processes() {
        let own = std::process::id();
        assert!(processes().iter().any(|process| process.id == own && !process.is_dead));
    }
}
