//! Line-by-line communication with a child program that may hang, flood its output, close its streams or end.
//!
//! The reading thread stamps every line with its time of arrival, so that a player's clock does not pay for the time until the
//! line is processed. [`crate::child`] starts the program and ends it together with this process.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::child::{ChildProcess, POLL, Streams};
use crate::dialogue::{self, Recorder};
use crate::launch::Launch;

/// Longest line that is kept (bytes); the rest of a longer one is thrown away.
const LINE_MAX: usize = 1 << 16;
/// The most lines that wait in the queue; a program that writes more has to wait.
const QUEUE: usize = 256;
/// The most lines read from a program in one [`READ_INTERVAL`]. No search writes that many, and reading them takes a
/// small part of a core even if the program never stops writing.
const INTERVAL_LINES: usize = 2_000;
/// See [`INTERVAL_LINES`].
const INTERVAL_BYTES: usize = 1 << 22;
/// See [`INTERVAL_LINES`].
const READ_INTERVAL: Duration = Duration::from_millis(100);
/// Interval at which waiting code checks the stop signal.
const LOOK: Duration = Duration::from_millis(50);
/// Lines of stderr that are remembered.
const ERROR_LINES: usize = 8;
/// Longest of them (characters).
const ERROR_WIDTH: usize = 200;
/// Text that a pipe holds without a reader (bytes).
const PIPE: usize = 48 << 10;
/// How long a program that closed its output may take to end.
const EXIT_TIME: Duration = Duration::from_millis(500);

/// A stop signal that any thread can set: it ends long operations and waits for programs early.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if it was set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag that it sets.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl From<Arc<AtomicBool>> for Stop {
    fn from(flag: Arc<AtomicBool>) -> Stop {
        Stop(flag)
    }
}

/// A line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessLine {
    /// Its text without blanks at the ends; what is not UTF-8 is replaced.
    pub text: String,
    /// When it arrived.
    pub at: Instant,
}

/// Reason why no line can be received or sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiveError {
    /// The time is up.
    Timeout,
    /// One of the streams is closed.
    Closed,
    /// The stop signal was set.
    Stopped,
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProcessEnd {
    /// By itself.
    Exited(ExitStatus),
    /// It closed its streams without ending, and was killed.
    HungUp,
}

/// A running program. Dropping it kills it and everything it started.
pub struct Process {
    kept: ChildProcess,
    input: Option<ChildStdin>,
    lines: Receiver<ProcessLine>,
    /// A line that arrived after its deadline.
    held: Option<ProcessLine>,
    words: Arc<Mutex<VecDeque<String>>>,
    remembering: Option<JoinHandle<()>>,
    unread: usize,
    end: Option<ProcessEnd>,
    stop: Stop,
    recorder: Recorder,
}

impl Process {
    /// Starts a program. The log of dialogues, if there is one, calls it `label`.
    ///
    /// # Errors
    /// The error of the system, or [`crate::launch::LaunchError::NoProgram`].
    pub fn start(launch: &Launch, label: &str) -> io::Result<Process> {
        let (kept, Streams { input, output, errors }) = ChildProcess::start(launch, true)?;
        let recorder = dialogue::recorder(label);
        recorder.happened(&format!("started {}", launch.program.display()));
        let (sender, lines) = sync_channel(QUEUE);
        if let Some(output) = output {
            let recorder = recorder.clone();
            thread::spawn(move || forward_lines(output, &sender, &recorder));
        }
        let words = Arc::default();
        let remembering = errors.map(|errors| {
            let (words, recorder) = (Arc::clone(&words), recorder.clone());
            thread::spawn(move || keep_last_lines(errors, &words, &recorder))
        });
        let stop = Stop::default();
        Ok(Process { kept, input, lines, held: None, words, remembering, unread: 0, end: None, stop, recorder })
    }

    /// Sets the stop signal, which ends every wait.
    pub fn set_stop(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// Sends a line.
    ///
    /// # Errors
    /// [`ReceiveError::Closed`] if the program has closed its input; [`ReceiveError::Timeout`] if it has not read its input, so that
    /// writing might block.
    pub fn send(&mut self, line: &str) -> Result<(), ReceiveError> {
        let Some(input) = &mut self.input else { return Err(ReceiveError::Closed) };
        self.unread += line.len() + 1;
        if self.unread > PIPE {
            return Err(ReceiveError::Timeout);
        }
        self.recorder.sent(line);
        let sent = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        sent.map_err(|_| ReceiveError::Closed)
    }

    /// Notes that an answer has shown that all lines sent so far were read.
    pub fn acknowledged(&mut self) {
        self.unread = 0;
    }

    /// The next line.
    ///
    /// # Errors
    /// [`ReceiveError`]. Lines of the program do not extend the deadline.
    pub fn next(&mut self, deadline: Instant) -> Result<ProcessLine, ReceiveError> {
        let line = match self.held.take() {
            Some(line) => line,
            None => self.receive(deadline)?,
        };
        if line.at <= deadline {
            return Ok(line);
        }
        self.held = Some(line);
        Err(ReceiveError::Timeout)
    }

    /// The next line that arrives.
    fn receive(&self, deadline: Instant) -> Result<ProcessLine, ReceiveError> {
        loop {
            if self.stop.is_set() {
                return Err(ReceiveError::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if left > LOOK => {}
                Err(RecvTimeoutError::Timeout) => return Err(ReceiveError::Timeout),
                Err(RecvTimeoutError::Disconnected) => return Err(ReceiveError::Closed),
            }
        }
    }

    /// A line that has arrived already.
    pub fn try_next(&mut self) -> Option<ProcessLine> {
        self.held.take().or_else(|| self.lines.try_recv().ok())
    }

    /// The last lines of stderr.
    pub fn last_errors(&self) -> Vec<String> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Exit status after a stream was closed; kills the program if it does not end by itself.
    pub fn end(&mut self) -> ProcessEnd {
        self.finish(EXIT_TIME)
    }

    /// Sends `last_command`, closes the input and waits for the end.
    pub fn quit(mut self, last_command: &str, timeout: Duration) {
        // A program that is gone already needs no command.
        let _ = self.send(last_command);
        self.input = None;
        self.finish(timeout);
    }

    /// Waits for the end, then kills what is left and collects it.
    fn finish(&mut self, timeout: Duration) -> ProcessEnd {
        if let Some(end) = &self.end {
            return end.clone();
        }
        // After a stop signal, do not wait for the program to quit.
        let timeout = if self.stop.is_set() { Duration::ZERO } else { timeout };
        let exited = self.kept.wait(timeout);
        self.input = None;
        let end = match exited {
            Some(status) => ProcessEnd::Exited(status),
            None => {
                self.kept.end();
                ProcessEnd::HungUp
            }
        };
        // What it wrote last may still be on its way.
        let deadline = Instant::now() + EXIT_TIME;
        while self.remembering.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        self.recorder.happened(&match &end {
            ProcessEnd::Exited(status) => format!("ended: {status}"),
            ProcessEnd::HungUp => "was ended: it did not end by itself".to_owned(),
        });
        self.end = Some(end.clone());
        end
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish(Duration::ZERO);
    }
}

/// Forwards lines until the stream ends or the receiver is dropped.
fn forward_lines(output: impl Read, sender: &SyncSender<ProcessLine>, recorder: &Recorder) {
    let mut reader = BufReader::new(output);
    let mut measure = ReadLimiter::new();
    while let Some((text, bytes)) = read_line(&mut reader) {
        let line = ProcessLine { text: text.trim().to_owned(), at: Instant::now() };
        recorder.received(&line.text);
        if sender.send(line).is_err() {
            return;
        }
        measure.take(bytes);
    }
}

/// Keeps the last lines.
fn keep_last_lines(errors: impl Read, words: &Mutex<VecDeque<String>>, recorder: &Recorder) {
    let mut reader = BufReader::new(errors);
    let mut measure = ReadLimiter::new();
    while let Some((text, bytes)) = read_line(&mut reader) {
        measure.take(bytes);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        recorder.complained(text);
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() == ERROR_LINES {
            words.pop_front();
        }
        words.push_back(text.chars().take(ERROR_WIDTH).collect());
    }
}

/// Limits the rate of reading: after [`INTERVAL_LINES`] or [`INTERVAL_BYTES`] the reader pauses until the interval ends.
pub(crate) struct ReadLimiter {
    begun: Instant,
    lines: usize,
    bytes: usize,
}

impl ReadLimiter {
    pub(crate) fn new() -> ReadLimiter {
        ReadLimiter { begun: Instant::now(), lines: 0, bytes: 0 }
    }

    /// Counts a line of this number of bytes.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes;
        if self.lines < INTERVAL_LINES && self.bytes < INTERVAL_BYTES {
            return;
        }
        thread::sleep(READ_INTERVAL.saturating_sub(self.begun.elapsed()));
        *self = ReadLimiter::new();
    }
}

/// A line without its line feed, or what there is of one before the end of the stream, and how many bytes were read for it; `None` at the end.
pub(crate) fn read_line(reader: &mut impl BufRead) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    let mut begun = false;
    let mut measure = ReadLimiter::new();
    let mut length = 0;
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
        length += used;
        if last {
            return Some((String::from_utf8_lossy(&bytes).into_owned(), length));
        }
        // A line without end is limited as well.
        measure.take(used);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn sh(script: &str) -> Process {
        let launch = Launch { arguments: vec!["-c".into(), script.into()], ..Launch::program("sh") };
        Process::start(&launch, "sh").expect("a shell")
    }

    fn soon() -> Instant {
        Instant::now() + TIMEOUT
    }

    #[test]
    fn lines_of_any_kind_are_read() {
        let mut reader = &b"one\r\n\n  t\xffwo  \nend"[..];
        let mut lines = Vec::new();
        while let Some((line, _)) = read_line(&mut reader) {
            lines.push(line);
        }
        assert_eq!(lines, ["one\r", "", "  t\u{fffd}wo  ", "end"]);
        let mut long = vec![b'x'; 3 * LINE_MAX];
        long.extend_from_slice(b"\nnext\n");
        let mut reader = BufReader::new(&long[..]);
        assert_eq!(read_line(&mut reader).map(|line| line.0.len()), Some(LINE_MAX));
        assert_eq!(read_line(&mut reader).map(|line| line.0).as_deref(), Some("next"));
    }

    #[test]
    fn the_ways_a_program_ends_are_distinguished() {
        let mut dead = sh("echo last words >&2; exit 3");
        assert_eq!(dead.next(soon()), Err(ReceiveError::Closed));
        assert!(matches!(dead.end(), ProcessEnd::Exited(status) if status.code() == Some(3)));
        assert_eq!(dead.last_errors(), ["last words"]);
        let mut mute = sh("exec >&-; sleep 100");
        assert_eq!(mute.next(soon()), Err(ReceiveError::Closed));
        assert_eq!((mute.end(), mute.end()), (ProcessEnd::HungUp, ProcessEnd::HungUp));
        let mut killed = sh("kill -SEGV $$");
        assert_eq!(killed.next(soon()), Err(ReceiveError::Closed));
        assert!(matches!(killed.end(), ProcessEnd::Exited(status) if status.to_string().contains("signal: 11")));
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
        assert_eq!(silence, ReceiveError::Timeout);
    }

    #[test]
    fn a_program_that_does_not_read_does_not_block_us() {
        let mut deaf = sh("sleep 100");
        let line = "x".repeat(1000);
        let mut sent = 0;
        while deaf.send(&line).is_ok() {
            sent += 1;
        }
        assert!((40..100).contains(&sent), "{sent}");
        let mut closed = sh("exec <&-; echo ready; sleep 100");
        closed.next(soon()).expect("ready");
        assert_eq!(closed.send("hello"), Err(ReceiveError::Closed));
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
