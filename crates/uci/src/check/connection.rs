//! A connection to an engine that changes no line, so that errors of format are found.

use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{CaseError, CaseResult, Severity};
use crate::child::{ChildProcess, Streams};
use crate::dialogue::{self, Recorder};
use crate::launch::Launch;
use crate::process::{ReadLimiter, read_line};

/// How long an engine may take for an answer that should come at once.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for lines that must not be sent.
pub const QUIET: Duration = Duration::from_millis(400);
/// Lines that wait for us at most; an engine that writes more has to wait.
const QUEUE: usize = 1 << 14;

/// A running engine, a line at a time.
pub struct RawConnection {
    kept: ChildProcess,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    recorder: Recorder,
    /// Every line received so far, without its line feed.
    pub seen: Vec<String>,
}

impl RawConnection {
    /// Starts the engine without sending a line.
    pub fn open(launch: &Launch) -> Result<RawConnection, CaseError> {
        let (kept, Streams { input, output, .. }) = ChildProcess::start(launch, false)
            .map_err(|error| CaseError::fault(format!("cannot start {}: {error}", launch.program.display())))
            .rated(Severity::Game)?;
        let recorder = dialogue::recorder(&launch.label());
        recorder.happened(&format!("started {}", launch.program.display()));
        let (sender, lines) = sync_channel(QUEUE);
        if let Some(output) = output {
            let recorder = recorder.clone();
            thread::spawn(move || forward(output, &sender, &recorder));
        }
        Ok(RawConnection { kept, input, lines, recorder, seen: Vec::new() })
    }

    /// Starts the engine and waits for `uciok` and `readyok`.
    pub fn ready(launch: &Launch) -> Result<RawConnection, CaseError> {
        let mut engine = RawConnection::open(launch)?;
        let ready = engine.send("uci").and_then(|()| engine.until("uciok")).and_then(|_| engine.sync());
        ready.rated(Severity::Game)?;
        Ok(engine)
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), CaseError> {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), CaseError> {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        let Some(input) = &mut self.input else {
            return Err(CaseError::fault(format!("the input is closed before `{text}`")));
        };
        self.recorder.sent(&text);
        let sent = input.write_all(bytes).and_then(|()| input.flush());
        sent.map_err(|_| CaseError::fault(format!("{} before it could read `{text}`", self.ending())))
    }

    /// The lines up to the first that begins with the word `word`, that line included.
    pub fn until(&mut self, word: &str) -> Result<Vec<String>, CaseError> {
        self.until_within(word, TIMEOUT)
    }

    /// Like [`RawConnection::until`], with another time limit.
    pub fn until_within(&mut self, word: &str, timeout: Duration) -> Result<Vec<String>, CaseError> {
        let mut lines = Vec::new();
        let deadline = Instant::now() + timeout;
        while lines.last().is_none_or(|line: &String| first_word(line) != word) {
            lines.push(self.receive(deadline).map_err(|reason| match reason {
                RecvTimeoutError::Timeout => {
                    CaseError::fault(format!("no `{word}` within {} s", timeout.as_secs_f32()))
                }
                RecvTimeoutError::Disconnected => CaseError::fault(format!("{} where `{word}` was due", self.ending())),
            })?);
        }
        Ok(lines)
    }

    /// The next line that comes before a deadline.
    fn receive(&mut self, deadline: Instant) -> Result<String, RecvTimeoutError> {
        let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))?;
        self.seen.push(line.clone());
        Ok(line)
    }

    /// The lines of the next `QUIET` time, which must not contain the word `word` at a beginning.
    pub fn never(&mut self, word: &str) -> Result<Vec<String>, CaseError> {
        let lines = self.lines_within(QUIET)?;
        match lines.iter().find(|line| first_word(line) == word) {
            Some(line) => Err(CaseError::fault(format!("unexpected line `{line}`"))),
            None => Ok(lines),
        }
    }

    /// The lines of some time; an engine that ends meanwhile is at fault.
    pub fn lines_within(&mut self, time: Duration) -> Result<Vec<String>, CaseError> {
        let mut lines = Vec::new();
        let deadline = Instant::now() + time;
        loop {
            match self.receive(deadline) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return Ok(lines),
                Err(RecvTimeoutError::Disconnected) => return Err(CaseError::fault(self.ending())),
            }
        }
    }

    /// `isready`, and the lines up to `readyok`.
    pub fn sync(&mut self) -> Result<Vec<String>, CaseError> {
        self.send("isready")?;
        self.until("readyok")
    }

    /// Sends a `go` and returns the lines up to `bestmove`.
    pub fn go(&mut self, line: &str) -> Result<Vec<String>, CaseError> {
        self.send(line)?;
        self.until("bestmove").after(line)
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.kept.id()
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Stops reading the engine's output and closes the pipe once its next line has been read.
    pub fn stop_listening(&mut self) {
        let (_, closed) = sync_channel(0);
        self.lines = closed;
    }

    /// Waits for the process to end by itself.
    pub fn ended_within(&mut self, timeout: Duration) -> Result<ExitStatus, CaseError> {
        let late = || CaseError::fault(format!("still running after {} s", timeout.as_secs_f32()));
        self.kept.wait(timeout).ok_or_else(late)
    }

    /// Lines that arrived and were not read yet.
    pub fn rest(&mut self) -> Vec<String> {
        let lines: Vec<String> = self.lines.iter().collect();
        self.seen.extend(lines.iter().cloned());
        lines
    }

    fn ending(&mut self) -> String {
        match self.ended_within(QUIET) {
            Ok(status) => format!("the engine ended ({status})"),
            Err(_) => "the engine closed its output".into(),
        }
    }
}

/// The first word of a line, without leading blanks: those are a finding of another case.
pub fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or("")
}

/// Forwards lines until the stream ends or the receiver is dropped.
fn forward(output: impl Read, sender: &SyncSender<String>, recorder: &Recorder) {
    let mut reader = BufReader::new(output);
    let mut limiter = ReadLimiter::new();
    while let Some((line, bytes)) = read_line(&mut reader) {
        limiter.take(bytes);
        recorder.received(&line);
        if sender.send(line).is_err() {
            return;
        }
    }
}
