//! The workers of a command: their state while they work, and the file that records what each of them did.

use crate::executor::{WorkError, many};
use crate::task::{TaskOutcome, WorkerIdentity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two lines of a worker in the file: a killed command loses at most the tasks of this time from it.
const WRITE_INTERVAL: Duration = Duration::from_secs(30);

/// The active workers, by their status messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workers {
    /// Workers.
    pub workers: usize,
    /// Tasks that they execute at a time, all together.
    pub threads: usize,
    /// Tasks that the command waits for.
    pub open: usize,
    /// The worker with the longest time in one task, and that time (seconds).
    pub longest: Option<(String, f64)>,
    /// Tasks that failed, as these workers report.
    pub failed: u64,
}

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.workers == 0 {
            return write!(f, "no workers; {} to do: start `quarterply worker`", many(self.open, "task"));
        }
        let (workers, threads) = (many(self.workers, "worker"), many(self.threads, "thread"));
        write!(f, "{workers} with {threads}, {} under way", many(self.open, "task"))?;
        if let Some((name, seconds)) = &self.longest {
            write!(f, ", the longest for {seconds:.0} s by {name}")?;
        }
        if self.failed > 0 {
            write!(f, ", {} failed", self.failed)?;
        }
        Ok(())
    }
}

/// A line of the file: the identity of a worker, when it is first seen, or its work since the previous line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum LogLine {
    Identity { worker: WorkerIdentity },
    Work { name: String, tasks: u64, seconds: f64 },
}

/// Records what each worker did, at the end of a file that earlier parts of the run may have begun.
pub struct WorkerLog {
    file: File,
    path: PathBuf,
    known: BTreeMap<String, (u64, f64)>,
    written: Instant,
}

impl WorkerLog {
    /// Opens the file, or creates it.
    pub fn open(path: &Path) -> Result<WorkerLog, WorkError> {
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
            let mut last = *b"\n";
            if file.seek(SeekFrom::End(0))? > 0 {
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
            }
            // A killed process leaves a partial line, which must not take the next one with it.
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| refused(path, &error))?;
        Ok(WorkerLog { file, path: path.to_owned(), known: BTreeMap::new(), written: Instant::now() })
    }

    /// Counts an outcome.
    pub fn count(&mut self, outcome: &TaskOutcome) -> Result<(), WorkError> {
        let identity = &outcome.worker;
        if !self.known.contains_key(&identity.name) {
            self.known.insert(identity.name.clone(), (0, 0.0));
            self.write(&LogLine::Identity { worker: identity.clone() })?;
        }
        let (tasks, seconds) = self.known.entry(identity.name.clone()).or_default();
        *tasks += 1;
        *seconds += outcome.seconds;
        if self.written.elapsed() >= WRITE_INTERVAL { self.flush() } else { Ok(()) }
    }

    /// Writes all counts that are not in the file yet.
    pub fn flush(&mut self) -> Result<(), WorkError> {
        self.written = Instant::now();
        let parts: Vec<LogLine> = self
            .known
            .iter_mut()
            .filter(|(_, (tasks, _))| *tasks > 0)
            .map(|(name, done)| {
                let (tasks, seconds) = std::mem::take(done);
                LogLine::Work { name: name.clone(), tasks, seconds }
            })
            .collect();
        parts.iter().try_for_each(|part| self.write(part))
    }

    fn write(&mut self, line: &LogLine) -> Result<(), WorkError> {
        let text = serde_json::to_string(line).map_err(io::Error::from).map(|text| text + "\n");
        let written = text.and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|error| refused(&self.path, &error))
    }
}

/// A file cannot be written.
pub(crate) fn refused(path: &Path, error: &io::Error) -> WorkError {
    WorkError::Executor(format!("cannot write `{}`: {error}; free space, or check the permissions", path.display()))
}

/// The work of a worker in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerShare {
    /// The worker.
    pub identity: WorkerIdentity,
    /// Tasks that it finished.
    pub tasks: u64,
    /// The sum of their times (seconds).
    pub seconds: f64,
}

/// Reads the workers of a run, by name; empty if the file does not exist. Lines that cannot be read, for example after a kill,
/// are skipped.
///
/// # Errors
/// The file exists and cannot be read.
pub fn shares(path: &Path) -> io::Result<Vec<WorkerShare>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let mut found: BTreeMap<String, WorkerShare> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            LogLine::Identity { worker } => {
                let (tasks, seconds) = found.get(&worker.name).map_or((0, 0.0), |share| (share.tasks, share.seconds));
                found.insert(worker.name.clone(), WorkerShare { identity: worker, tasks, seconds });
            }
            LogLine::Work { name, tasks, seconds } => {
                if let Some(share) = found.get_mut(&name) {
                    share.tasks += tasks;
                    share.seconds += seconds;
                }
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Names of the columns of [`rows`].
pub const WORKER_COLUMNS: [&str; 7] =
    ["worker", "threads", "nodes/s of one", "tasks", "seconds", "program", "processor"];

/// Shares as rows of a table.
pub fn rows(shares: &[WorkerShare]) -> Vec<Vec<String>> {
    let row = |share: &WorkerShare| {
        vec![
            share.identity.name.clone(),
            share.identity.workers.to_string(),
            share.identity.speed.to_string(),
            share.tasks.to_string(),
            format!("{:.0}", share.seconds),
            share.identity.program.clone(),
            share.identity.processor.clone(),
        ]
    };
    shares.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    fn outcome(name: &str, seconds: f64) -> TaskOutcome {
        let worker = WorkerIdentity {
            name: name.into(),
            program: "p".into(),
            processor: "a fast one".into(),
            speed: 400_000,
            workers: 2,
        };
        let task = Digest::of(name.as_bytes());
        TaskOutcome { task, worker, seconds, checksum: None, body: serde_json::Value::Null }
    }

    #[test]
    fn shares_add_up_over_all_parts_of_a_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("workers.jsonl");
        assert_eq!(shares(&path).expect("nobody"), []);
        let work = |outcomes: &[(&str, f64)]| {
            let mut notes = WorkerLog::open(&path).expect("writable");
            for (name, seconds) in outcomes {
                notes.count(&outcome(name, *seconds)).expect("written");
            }
            notes.flush().expect("written");
            notes.flush().expect("nothing is written twice");
        };
        work(&[("b", 1.0), ("a", 2.0), ("b", 0.5)]);
        fs::write(&path, fs::read_to_string(&path).expect("text") + "{\"name\": \"b\", \"ta").expect("a kill");
        work(&[("c", 0.25), ("b", 4.0)]);
        let found = shares(&path).expect("readable");
        let found: Vec<_> =
            found.iter().map(|share| (share.identity.name.as_str(), share.tasks, share.seconds)).collect();
        assert_eq!(found, [("a", 1, 2.0), ("b", 3, 5.5), ("c", 1, 0.25)]);
    }

    #[test]
    fn workers_are_shown_in_one_line() {
        let alone = Workers { open: 1, ..Workers::default() };
        assert_eq!(alone.to_string(), "no workers; 1 task to do: start `quarterply worker`");
        let workers = Workers { workers: 2, threads: 5, open: 31, longest: Some(("slow".into(), 12.4)), failed: 3 };
        assert_eq!(
            workers.to_string(),
            "2 workers with 5 threads, 31 tasks under way, the longest for 12 s by slow, 3 failed"
        );
    }
}
