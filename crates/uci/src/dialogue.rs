//! A record of all lines to and from external programs.
//!
//! A thread writes it: lines wait in a queue, so that a slow disk delays no program and no clock. Lines for which the queue has no
//! room are counted, and the record says how many are missing. If the binary has set a log with [`set_log`], every program that
//! this crate starts is recorded.
//!
//! ```text
//! # dialogue with engines: time (UTC), engine#start, > to it, < from it, ! its stderr, - what happened
//! 2026-11-28 22:41:07.123456 Toga#2 > go wtime 8000 btime 7950
//! 2026-11-28 22:41:07.391812 Toga#2 < bestmove e2e4
//! ```

use crate::date::{SECONDS_PER_DAY, date};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The first line of every record.
const HEADER: &str =
    "# dialogue with engines: time (UTC), engine#start, > to it, < from it, ! its stderr, - what happened";
/// Lines that wait to be written at most.
const QUEUE: usize = 1 << 13;
/// Longest line that is recorded (bytes); of a longer one the beginning is.
const LINE_MAX: usize = 1 << 13;
/// How long a line may stay in memory.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

static LOG: OnceLock<DialogueLog> = OnceLock::new();

/// Records every program that is started from now on. Only the first call counts.
pub fn set_log(log: DialogueLog) {
    // The first log stays.
    let _ = LOG.set(log);
}

/// Ends the log of [`set_log`].
///
/// # Errors
/// The reason why it is not complete.
pub fn close_log() -> io::Result<()> {
    LOG.get().map_or(Ok(()), DialogueLog::close)
}

/// The recorder of a program that is started now.
pub(crate) fn recorder(label: &str) -> Recorder {
    LOG.get().map_or_else(Recorder::default, |log| log.recorder(label))
}

/// A file that grows with every line.
pub struct DialogueLog {
    queue: SyncSender<Entry>,
    missing: Arc<AtomicU64>,
    starts: AtomicU64,
    writer: Mutex<Option<JoinHandle<io::Result<()>>>>,
}

enum Entry {
    Line { at: SystemTime, label: Arc<str>, mark: char, text: String },
    End,
}

impl DialogueLog {
    /// Opens a log. An older one goes on, unless it is to be replaced. A file of another kind is never replaced: it may be an input.
    ///
    /// # Errors
    /// The file cannot be written, or it exists with other contents ([`io::ErrorKind::AlreadyExists`]).
    pub fn open(path: &Path, replace: bool) -> io::Result<DialogueLog> {
        let mut file = File::options().read(true).append(true).create(true).open(path)?;
        let is_used = file.metadata()?.is_file() && file.seek(io::SeekFrom::End(0))? > 0;
        if is_used {
            file.seek(io::SeekFrom::Start(0))?;
            let mut first = Vec::new();
            BufReader::new(&file).read_until(b'\n', &mut first)?;
            if !first.starts_with(HEADER.as_bytes()) {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it holds something else than a log of engines",
                ));
            }
            if replace {
                file.set_len(0)?;
            }
        }
        if replace || !is_used {
            writeln!(file, "{HEADER}")?;
        }
        let (queue, lines) = sync_channel(QUEUE);
        let missing = Arc::new(AtomicU64::new(0));
        let lost = Arc::clone(&missing);
        let writer = thread::spawn(move || write_lines(BufWriter::new(file), &lines, &lost));
        Ok(DialogueLog { queue, missing, starts: AtomicU64::new(0), writer: Mutex::new(Some(writer)) })
    }

    /// The recorder of one program, which the log calls `label` and the number of its start.
    pub fn recorder(&self, label: &str) -> Recorder {
        let start = self.starts.fetch_add(1, Ordering::Relaxed) + 1;
        let label = format!("{}#{start}", label.split_whitespace().collect::<Vec<_>>().join("_"));
        Recorder(Some(RecorderQueue {
            queue: self.queue.clone(),
            missing: Arc::clone(&self.missing),
            label: label.into(),
        }))
    }

    /// Writes what waits and ends the file; later lines are discarded.
    ///
    /// # Errors
    /// The reason why the file is not complete.
    pub fn close(&self) -> io::Result<()> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return Ok(()) };
        // A writer that failed has ended, and its error follows.
        let _ = self.queue.send(Entry::End);
        writer.join().unwrap_or_else(|_| Err(io::Error::other("its thread ended early")))
    }
}

/// Records one program. Without a log it does nothing.
#[derive(Clone, Default)]
pub struct Recorder(Option<RecorderQueue>);

#[derive(Clone)]
struct RecorderQueue {
    queue: SyncSender<Entry>,
    missing: Arc<AtomicU64>,
    label: Arc<str>,
}

impl Recorder {
    /// A line to the program.
    pub fn sent(&self, line: &str) {
        self.record('>', line);
    }

    /// A line of the program.
    pub fn received(&self, line: &str) {
        self.record('<', line);
    }

    /// A line of its stderr.
    pub fn complained(&self, line: &str) {
        self.record('!', line);
    }

    /// Something that happened to it.
    pub fn happened(&self, what: &str) {
        self.record('-', what);
    }

    /// Never waits: if the queue is full, the line is only counted.
    fn record(&self, mark: char, line: &str) {
        let Some(RecorderQueue { queue, missing, label }) = &self.0 else { return };
        let end = line.floor_char_boundary(LINE_MAX);
        let text = line[..end].to_owned();
        let entry = Entry::Line { at: SystemTime::now(), label: Arc::clone(label), mark, text };
        if let Err(TrySendError::Full(_)) = queue.try_send(entry) {
            missing.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes lines until [`Entry::End`].
fn write_lines(mut out: impl Write, lines: &Receiver<Entry>, missing: &AtomicU64) -> io::Result<()> {
    let mut flushed = SystemTime::now();
    loop {
        match lines.recv_timeout(FLUSH_AFTER) {
            Ok(Entry::Line { at, label, mark, text }) => {
                writeln!(out, "{} {label} {mark} {text}", time_stamp(at))?;
                let lost = missing.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    writeln!(out, "{} log#0 - {lost} lines are missing: the disk is too slow", time_stamp(at))?;
                }
            }
            Ok(Entry::End) | Err(RecvTimeoutError::Disconnected) => return out.flush(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if flushed.elapsed().is_ok_and(|time| time < FLUSH_AFTER) {
            continue;
        }
        out.flush()?;
        flushed = SystemTime::now();
    }
}

/// `2026-11-28 22:41:07.123456`, UTC.
fn time_stamp(at: SystemTime) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    let elapsed = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = elapsed.as_secs();
    let (hour, minute, second) = (seconds % SECONDS_PER_DAY / HOUR, seconds % HOUR / MINUTE, seconds % MINUTE);
    format!("{} {hour:02}:{minute:02}:{second:02}.{:06}", date(at, '-'), elapsed.subsec_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recorded_with_time_engine_and_direction() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engines.log");
        for part in 0..2 {
            let log = DialogueLog::open(&path, false).expect("a log");
            let (first, second) = (log.recorder("My Engine"), log.recorder("B"));
            first.happened("started");
            first.sent("go depth 1");
            second.sent("isready");
            first.received("bestmove e2e4");
            second.complained(&"x".repeat(2 * LINE_MAX));
            log.close().expect("written");
            first.sent("after the end");
            let text = std::fs::read_to_string(&path).expect("the log");
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!((lines[0], lines.len()), (HEADER, 1 + 5 * (part + 1)), "an older log goes on: {text}");
            let words: Vec<&str> =
                lines.iter().skip(1).map(|line| &line["2026-11-28 22:41:07.123456 ".len()..]).collect();
            assert_eq!(
                words[..4],
                ["My_Engine#1 - started", "My_Engine#1 > go depth 1", "B#2 > isready", "My_Engine#1 < bestmove e2e4"]
            );
            assert_eq!(words[4].len(), "B#2 ! ".len() + LINE_MAX);
        }
        DialogueLog::open(&path, true).and_then(|log| log.close()).expect("a new log");
        assert_eq!(std::fs::read_to_string(&path).expect("the log").lines().count(), 1);
    }

    #[test]
    fn other_files_are_not_written_into() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, "[Event \"x\"]\n").expect("a file");
        // A book of openings was lost with `--openings book.pgn --log book.pgn --overwrite`.
        for replace in [false, true] {
            let error = DialogueLog::open(&path, replace).err().expect("refused");
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read_to_string(&path).expect("the file"), "[Event \"x\"]\n");
        }
    }

    /// A writer that hangs, as a disk may: recording goes on at once, and the missing lines are counted.
    #[test]
    fn a_slow_disk_delays_no_caller() {
        let (queue, lines) = sync_channel(QUEUE);
        let missing = Arc::new(AtomicU64::new(0));
        let recorder = Recorder(Some(RecorderQueue { queue, missing: Arc::clone(&missing), label: "A#1".into() }));
        let extra = 100;
        let sending = recorder.clone();
        let sender = thread::spawn(move || (0..QUEUE + extra).for_each(|number| sending.sent(&number.to_string())));
        sender.join().expect("never blocked");
        assert_eq!(missing.load(Ordering::Relaxed), extra as u64);
        drop(recorder);
        let mut out = Vec::new();
        write_lines(&mut out, &lines, &missing).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains(&format!("log#0 - {extra} lines are missing")), "{}", text.lines().nth(1).unwrap_or(""));
        assert_eq!(text.lines().count(), QUEUE + 1);
    }

    #[test]
    fn times_are_written_to_the_microsecond() {
        let at = UNIX_EPOCH + Duration::from_micros(1_795_905_667_000_042);
        assert_eq!(time_stamp(at), "2026-11-28 22:41:07.000042");
    }
}
