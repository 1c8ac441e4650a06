//! The guard: a small process between us and an engine, which ends the engine and all its descendants as soon as
//! the other end of its input is closed. See [`quarterply_uci::child`].
//!
//! The engine has the guard's streams, so its lines do not pass through the guard. The guard ends with the exit status of the engine.

use std::process::ExitCode;
use std::time::Duration;

/// How long an engine whose input was closed may take to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_millis(700);
/// The same during `uci-check`, whose cases wait for 5 s and report an engine that is slower.
const EXIT_TIMEOUT_OF_CHECKS: Duration = Duration::from_millis(5500);

/// The argument that makes this program a guard; not for users.
pub const WORD: &str = "__guard";

/// Starts engines through guards from now on. Where the program cannot find itself, they are started without.
pub fn enable() {
    #[cfg(target_os = "linux")]
    let program = Some(std::path::PathBuf::from("/proc/self/exe")).filter(|path| path.exists());
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().ok();
    if let Some(program) = program {
        let checks = std::env::args_os().any(|argument| argument == "uci-check");
        let exit_timeout = if checks { EXIT_TIMEOUT_OF_CHECKS } else { EXIT_TIMEOUT };
        quarterply_uci::child::set_guard(program, vec![WORD.to_owned(), exit_timeout.as_millis().to_string()]);
    }
}

/// Runs as the guard of the program in the arguments after [`WORD`]; `None` if the first argument is not [`WORD`].
pub fn run() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|word| word != WORD) {
        return None;
    }
    let exit_timeout = arguments.next().and_then(|millis| millis.to_str()?.parse().ok()).map(Duration::from_millis);
    let (Some(exit_timeout), Some(program)) = (exit_timeout, arguments.next()) else { return Some(ExitCode::FAILURE) };
    #[cfg(unix)]
    return Some(watch::guard(exit_timeout, &program, arguments));
    #[cfg(not(unix))]
    return Some(ExitCode::FAILURE);
}

#[cfg(unix)]
mod watch {
    use std::ffi::{OsStr, OsString};
    use std::io::{self, Write};
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, ExitCode, ExitStatus, exit};
    use std::sync::{Mutex, PoisonError};
    use std::thread;
    use std::time::{Duration, Instant};

    use quarterply_uci::child::{POLL, processes};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, kill_process, setrlimit};

    /// Exit code of shells for a program that cannot be started.
    const NOT_STARTED: u8 = 126;
    /// Shells add this to the number of a signal in the exit code.
    const BY_SIGNAL: i32 = 128;
    /// How long to look for descendants that are left.
    const CLEANUP_TIMEOUT: Duration = Duration::from_secs(2);

    /// Held while the engine is started.
    static STARTING: Mutex<()> = Mutex::new(());

    /// Runs the program, ends the processes that it leaves, and returns its exit status.
    ///
    /// An engine whose input was closed may take the time `exit_timeout` to end by itself.
    pub fn guard(exit_timeout: Duration, program: &OsStr, arguments: impl Iterator<Item = OsString>) -> ExitCode {
        // On a signal, the guard ends after the engine. If no handler can be installed, the process that started the group still ends it.
        let _ = ctrlc::set_handler(|| {
            // Held until the process exits, so that the engine is not started after `end_descendants`.
            let _held = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
            end_descendants();
            exit(BY_SIGNAL + Signal::TERM.as_raw());
        });
        become_subreaper();
        let starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let spawned = Command::new(program).args(arguments).spawn();
        drop(starting);
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                // The message appears among the engine's last lines on stderr.
                let _ = writeln!(io::stderr(), "cannot start {}: {error}", program.display());
                return ExitCode::from(NOT_STARTED);
            }
        };
        close_outputs();
        thread::spawn(move || {
            wait_for_closed_input();
            thread::sleep(exit_timeout);
            end_descendants();
        });
        let ended = child.wait();
        end_descendants();
        match ended {
            Ok(status) => exit_like(status),
            Err(_) => ExitCode::FAILURE,
        }
    }

    /// Closes our copies of the engine's output streams, so that readers notice when the engine closes them. The input stays open.
    fn close_outputs() {
        let Ok(null) = std::fs::File::options().read(true).write(true).open("/dev/null") else { return };
        // Failing here, a closed stream is noticed later.
        let _ = rustix::stdio::dup2_stdout(&null).and_then(|()| rustix::stdio::dup2_stderr(&null));
    }

    /// Makes this process the parent of orphaned descendants of the engine, in any process group.
    fn become_subreaper() {
        #[cfg(target_os = "linux")]
        // If the system refuses, only the process group of the engine is ended.
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
    }

    /// Waits until the input of the engine is closed.
    fn wait_for_closed_input() {
        let input = io::stdin();
        loop {
            let mut fds = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) if !fds[0].revents().is_empty() => return,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Ends all descendants, in rounds until none is left: new ones may be started meanwhile.
    fn end_descendants() {
        let deadline = Instant::now() + CLEANUP_TIMEOUT;
        loop {
            let left = descendants();
            if left.is_empty() || Instant::now() >= deadline {
                return;
            }
            for process in left {
                // One that is gone already needs no killing.
                let _ = kill_process(process, Signal::KILL);
            }
            thread::sleep(POLL);
        }
    }

    /// Everything that descends from us and lives.
    fn descendants() -> Vec<Pid> {
        let all = processes();
        let mut family = vec![getpid().as_raw_nonzero().get() as u32];
        let mut next = 0;
        while let Some(parent) = family.get(next).copied() {
            family.extend(all.iter().filter(|process| process.parent == parent).map(|process| process.id));
            next += 1;
        }
        let lives = |id: &u32| all.iter().any(|process| process.id == *id && !process.is_dead);
        family.into_iter().skip(1).filter(lives).filter_map(|id| Pid::from_raw(id as i32)).collect()
    }

    /// Ends with the status of the engine, so that the waiting process receives it.
    fn exit_like(status: ExitStatus) -> ExitCode {
        if let Some(signal) = status.signal() {
            // One dump of memory is enough.
            let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
            if let Some(signal) = Signal::from_named_raw(signal) {
                // The first ends only the handler of the standard library.
                let _ = kill_process(getpid(), signal);
                let _ = kill_process(getpid(), signal);
            }
            return ExitCode::from(u8::try_from(BY_SIGNAL + signal).unwrap_or(u8::MAX));
        }
        status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
    }
}
