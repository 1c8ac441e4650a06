//! Another program, spoken to a line at a time, whatever it does: fall silent, flood us, close its streams, end.
//!
//! Every line is stamped with its time of arrival by the thread that reads it, so that clocks do not pay for the time until
//! somebody listens. The program is the head of a process group of its own: what it started ends with it, and an interrupt from
//! the keyboard reaches only us.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::launch::Launch;

/// Longest line that is kept (bytes); the rest of a longer one is thrown away.
const LINE_MAX: usize = 1 << 16;
/// Lines that wait for us at most; a program that writes more has to wait.
const QUEUE: usize = 1024;
/// Lines of stderr that are remembered.
const WORDS: usize = 8;
/// Longest of them (characters).
const WORDS_WIDTH: usize = 200;
/// Text a pipe surely takes without anybody reading it (bytes).
const PIPE: usize = 48 << 10;
/// How long a program that closed its output may take to end.
const DYING: Duration = Duration::from_millis(500);
/// How often to look whether it has.
const POLL: Duration = Duration::from_millis(2);

/// A line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its text without blanks at the ends; what is not UTF-8 is replaced.
    pub text: String,
    /// When it arrived.
    pub at: Instant,
}

/// Why there is no line, or why none can be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// The time is up.
    Timeout,
    /// One of the streams is closed.
    Closed,
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It did not: it closed its streams, and we ended it.
    HungUp,
}

/// A running program. Dropping it kills it and everything it started.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// A line that came after the deadline of one who waited for it.
    held: Option<Line>,
    words: Arc<Mutex<VecDeque<String>>>,
    remembering: Option<JoinHandle<()>>,
    unread: usize,
    end: Option<End>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// What the system says, or that there is no such program.
    pub fn start(launch: &Launch) -> io::Result<Process> {
        let mut command = launch.command()?;
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (sender, lines) = sync_channel(QUEUE);
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || listen(output, &sender));
        }
        let words = Arc::default();
        let remembering = child.stderr.take().map(|errors| {
            let words = Arc::clone(&words);
            thread::spawn(move || remember(errors, &words))
        });
        let input = child.stdin.take();
        Ok(Process { child, input, lines, held: None, words, remembering, unread: 0, end: None })
    }

    /// The number of its process and process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says a line.
    ///
    /// # Errors
    /// [`Silence::Closed`] when nobody can hear it; [`Silence::Timeout`] when so much remains unheard that saying more might block.
    pub fn say(&mut self, line: &str) -> Result<(), Silence> {
        let Some(input) = &mut self.input else { return Err(Silence::Closed) };
        self.unread += line.len() + 1;
        if self.unread > PIPE {
            return Err(Silence::Timeout);
        }
        let sent = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        sent.map_err(|_| Silence::Closed)
    }

    /// An answer proved that everything said so far was heard.
    pub fn heard(&mut self) {
        self.unread = 0;
    }

    /// The next line.
    ///
    /// # Errors
    /// [`Silence`]. A program that never stops talking cannot put the deadline off.
    pub fn next(&mut self, deadline: Instant) -> Result<Line, Silence> {
        let line = match self.held.take() {
            Some(line) => line,
            None => match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Closed),
            },
        };
        if line.at <= deadline {
            return Ok(line);
        }
        self.held = Some(line);
        Err(Silence::Timeout)
    }

    /// A line that has arrived already.
    pub fn arrived(&mut self) -> Option<Line> {
        self.held.take().or_else(|| self.lines.try_recv().ok())
    }

    /// The last lines of stderr.
    pub fn last_words(&self) -> Vec<String> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// How it ended, once a stream is closed; it is ended if it does not do so by itself.
    pub fn end(&mut self) -> End {
        self.finish(DYING)
    }

    /// Says `farewell`, closes the input and waits for the end.
    pub fn leave(mut self, farewell: &str, patience: Duration) {
        // A program that is gone already needs no farewell.
        let _ = self.say(farewell);
        self.input = None;
        self.finish(patience);
    }

    /// Waits for the end, then kills what is left and collects it.
    fn finish(&mut self, patience: Duration) -> End {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let deadline = Instant::now() + patience;
        let mut exited = has_exited(&mut self.child);
        while !exited && Instant::now() < deadline {
            thread::sleep(POLL);
            exited = has_exited(&mut self.child);
        }
        self.input = None;
        // The group goes before its head is collected: until then nobody else can have its number.
        kill_group(&mut self.child);
        let end = match self.child.wait() {
            Ok(status) if exited => End::Exited(status),
            _ => End::HungUp,
        };
        // What it wrote last may still be on its way.
        let deadline = Instant::now() + DYING;
        while self.remembering.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        self.end = Some(end.clone());
        end
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish(Duration::ZERO);
    }
}

/// Has the program ended? It remains to be collected.
#[cfg(unix)]
fn has_exited(child: &mut Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let Some(pid) = pid(child) else { return true };
    // An error means that there is no such process to wait for.
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
        // Failing here means that nobody is left.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    // Failing here means that the process is gone already.
    let _ = child.kill();
}

#[cfg(unix)]
fn pid(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

/// Hands lines on until the stream ends or nobody wants them.
fn listen(output: impl Read, sender: &SyncSender<Line>) {
    let mut reader = BufReader::new(output);
    while let Some(text) = read_line(&mut reader) {
        if sender.send(Line { text, at: Instant::now() }).is_err() {
            return;
        }
    }
}

/// Keeps the last lines.
fn remember(errors: impl Read, words: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(errors);
    while let Some(text) = read_line(&mut reader) {
        if text.is_empty() {
            continue;
        }
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() == WORDS {
            words.pop_front();
        }
        words.push_back(text.chars().take(WORDS_WIDTH).collect());
    }
}

/// A line, or what there is of one before the end of the stream; `None` at the end.
fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let mut begun = false;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if chunk.is_empty() && !begun {
            return None;
        }
        begun = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(chunk.len());
        bytes.extend_from_slice(&chunk[..taken.min(LINE_MAX - bytes.len())]);
        let last = chunk.is_empty() || end.is_some();
        let used = taken + usize::from(end.is_some());
        reader.consume(used);
        if last {
            return Some(String::from_utf8_lossy(&bytes).trim().to_owned());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn sh(script: &str) -> Process {
        let launch = Launch { arguments: vec!["-c".into(), script.into()], ..Launch::program("sh") };
        Process::start(&launch).expect("a shell")
    }

    fn soon() -> Instant {
        Instant::now() + PATIENCE
    }

    #[test]
    fn lines_of_any_kind_are_read() {
        let mut reader = &b"one\r\n\n  t\xffwo  \nend"[..];
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut reader) {
            lines.push(line);
        }
        assert_eq!(lines, ["one", "", "t\u{fffd}wo", "end"]);
        let mut long = vec![b'x'; 3 * LINE_MAX];
        long.extend_from_slice(b"\nnext\n");
        let mut reader = BufReader::new(&long[..]);
        assert_eq!(read_line(&mut reader).map(|line| line.len()), Some(LINE_MAX));
        assert_eq!(read_line(&mut reader).as_deref(), Some("next"));
    }

    #[test]
    fn the_end_of_a_program_is_told_apart() {
        let mut dead = sh("echo last words >&2; exit 3");
        assert_eq!(dead.next(soon()), Err(Silence::Closed));
        assert!(matches!(dead.end(), End::Exited(status) if status.code() == Some(3)));
        assert_eq!(dead.last_words(), ["last words"]);
        let mut mute = sh("exec >&-; sleep 100");
        assert_eq!(mute.next(soon()), Err(Silence::Closed));
        assert_eq!((mute.end(), mute.end()), (End::HungUp, End::HungUp));
        let mut killed = sh("kill -SEGV $$");
        assert_eq!(killed.next(soon()), Err(Silence::Closed));
        assert!(matches!(killed.end(), End::Exited(status) if status.to_string().contains("signal: 11")));
    }

    #[test]
    fn a_flood_does_not_put_the_deadline_off() {
        let mut flood = sh("yes");
        let deadline = Instant::now() + Duration::from_millis(100);
        let silence = loop {
            if let Err(silence) = flood.next(deadline) {
                break silence;
            }
        };
        assert_eq!(silence, Silence::Timeout);
    }

    #[test]
    fn one_who_does_not_listen_does_not_block_us() {
        let mut deaf = sh("sleep 100");
        let line = "x".repeat(1000);
        let mut said = 0;
        while deaf.say(&line).is_ok() {
            said += 1;
        }
        assert!((40..100).contains(&said), "{said}");
        let mut closed = sh("exec <&-; echo ready; sleep 100");
        closed.next(soon()).expect("ready");
        assert_eq!(closed.say("hello"), Err(Silence::Closed));
    }

    #[test]
    fn children_of_a_program_end_with_it() {
        // The shell waits for its child; killing the shell alone would leave the child with our pipe.
        let mut parent = sh("sleep 100 & echo $!; wait");
        let child: i32 = parent.next(soon()).expect("a number").text.parse().expect("a number");
        let child = rustix::process::Pid::from_raw(child).expect("a process");
        let alive = || rustix::process::test_kill_process(child).is_ok() && !is_zombie(child.as_raw_nonzero().get());
        assert!(alive());
        drop(parent);
        let deadline = soon();
        while alive() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        assert!(!alive());
    }

    /// A child without a parent waits to be collected by the first process, which containers may not have.
    fn is_zombie(pid: i32) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z"))
    }
}
