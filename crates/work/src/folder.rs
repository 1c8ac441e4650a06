//! A transport through a folder: tasks are files, and so are their outcomes. For batch systems with a common file system.
//!
//! ```text
//! tasks/DIGEST.json       a task; removed when its outcome is taken
//! outcomes/DIGEST.json    its outcome
//! outcomes/DIGEST.failed  why it failed; without this file the task may be tried again
//! objects/DIGEST          files that tasks need
//! ```

use crate::digest::Digest;
use crate::executor::WorkError;
use crate::remote::{Delivery, Transport};
use crate::store::ObjectFolder;
use crate::task::{EncodedTask, TaskFailure, TaskOutcome};
use crate::workers::refused;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum number of task files at a time: a usual size of a batch system's array job.
const WINDOW: usize = 1000;
/// How long a task should take for which a program is started.
const TARGET_DURATION: Duration = Duration::from_secs(60);
/// Least time between two readings of the folder.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The extension of tasks and outcomes.
const SUFFIX: &str = "json";
/// The extension of failures.
const FAILED: &str = "failed";

/// A folder with tasks and outcomes.
#[derive(Default)]
pub struct FolderTransport {
    path: PathBuf,
    open: BTreeSet<Digest>,
    /// Failures that were reported.
    reported: BTreeSet<Digest>,
    last_read: Option<Instant>,
    found: Vec<Delivery>,
}

impl FolderTransport {
    /// The folder of a run; it is created. A `fresh` run refuses a folder with tasks or outcomes of another run.
    ///
    /// # Errors
    /// It cannot be used, or holds tasks or outcomes.
    pub fn open(path: &Path, fresh: bool) -> Result<FolderTransport, WorkError> {
        let shown = path.display();
        for name in ["tasks", "outcomes", "objects"] {
            let part = path.join(name);
            fs::create_dir_all(&part).map_err(|error| {
                WorkError::Executor(format!("cannot create folder `{shown}`: {error}; give another one to --tasks"))
            })?;
            let used = fs::read_dir(&part).is_ok_and(|mut entries| entries.next().is_some());
            if fresh && used && name != "objects" {
                return Err(WorkError::Executor(format!(
                    "cannot use folder `{shown}`: it holds tasks of another run; resume that one, or give another folder"
                )));
            }
        }
        Ok(FolderTransport { path: path.to_owned(), ..FolderTransport::default() })
    }

    fn task(&self, digest: &Digest) -> PathBuf {
        self.path.join("tasks").join(format!("{digest}.{SUFFIX}"))
    }

    fn outcome(&self, digest: &Digest, suffix: &str) -> PathBuf {
        self.path.join("outcomes").join(format!("{digest}.{suffix}"))
    }

    /// Looks for outcomes of open tasks.
    fn find_outcomes(&mut self) -> Result<(), WorkError> {
        for digest in self.open.clone() {
            if let Some(outcome) = read::<TaskOutcome>(&self.outcome(&digest, SUFFIX))? {
                self.open.remove(&digest);
                // A worker that still holds the task finds its outcome.
                let _ = fs::remove_file(self.task(&digest));
                self.found.push(Delivery::Done(outcome));
            } else if let Some(failure) = read::<TaskFailure>(&self.outcome(&digest, FAILED))? {
                if self.reported.insert(digest) {
                    self.found.push(Delivery::GivenUp(failure));
                }
            } else {
                self.reported.remove(&digest);
            }
        }
        Ok(())
    }
}

/// The content of a file; `None` if it does not exist.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, WorkError> {
    let wrong = |reason: String| WorkError::Executor(format!("cannot read `{}`: {reason}; remove it", path.display()));
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Writes a file atomically; it is on the disk when this returns.
///
/// # Errors
/// It cannot be written; no partial file is left behind.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = path.with_added_extension(format!("{}.new", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = fs::File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().inspect_err(|_| {
        // The partial file is useless; if it cannot be removed either, it does no harm.
        let _ = fs::remove_file(&partial);
    })
}

impl Transport for FolderTransport {
    fn window(&self) -> usize {
        WINDOW
    }

    fn target_duration(&self) -> Duration {
        TARGET_DURATION
    }

    fn submit(&mut self, task: &EncodedTask) -> Result<Digest, WorkError> {
        let bytes = task.encode();
        let digest = Digest::of(&bytes);
        self.open.insert(digest);
        if !self.outcome(&digest, SUFFIX).exists() {
            // A resumed run retries failed tasks.
            let _ = fs::remove_file(self.outcome(&digest, FAILED));
            let path = self.task(&digest);
            write_whole(&path, &bytes).map_err(|error| refused(&path, &error))?;
        }
        Ok(digest)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError> {
        let files = ObjectFolder(self.path.join("objects"));
        files
            .put(bytes)
            .map_err(|error| WorkError::Executor(format!("cannot write to folder `{}`: {error}", files.0.display())))
    }

    fn poll(&mut self, timeout: Duration) -> Result<Option<Delivery>, WorkError> {
        if self.found.is_empty() {
            if self.last_read.is_some_and(|then| then.elapsed() < POLL_INTERVAL) {
                sleep(timeout.min(POLL_INTERVAL));
            }
            self.last_read = Some(Instant::now());
            self.find_outcomes()?;
        }
        Ok(self.found.pop())
    }

    fn close(&mut self, finished: bool) -> Result<(), WorkError> {
        for digest in &self.open {
            // Workers should not start tasks of a stopped run.
            let _ = fs::remove_file(self.task(digest));
        }
        if finished {
            for name in ["tasks", "outcomes"] {
                let part = self.path.join(name);
                let emptied = fs::remove_dir_all(&part).and_then(|()| fs::create_dir(&part));
                emptied.map_err(|error| {
                    WorkError::Executor(format!("cannot empty folder `{}`: {error}", part.display()))
                })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Build, WorkerIdentity};
    use serde_json::json;

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("outcome");
        fs::create_dir(&path).expect("a folder in the way");
        assert!(write_whole(&path, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn outcomes_are_taken_from_files_once_and_found_again_by_a_resumed_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let build = Build { program: "p".to_owned(), signature: "1".to_owned(), engines: Vec::new() };
        let task = EncodedTask { kind: "k".to_owned(), build, objects: Vec::new(), content: json!(1) };
        let mut executor = FolderTransport::open(folder.path(), true).expect("a folder");
        let digest = executor.submit(&task).expect("written");
        assert_eq!(fs::read(executor.task(&digest)).expect("it is there"), task.encode());
        assert_eq!(executor.poll(Duration::ZERO), Ok(None));
        let outcome = TaskOutcome {
            task: digest,
            worker: WorkerIdentity::default(),
            seconds: 1.0,
            checksum: None,
            body: json!(2),
        };
        write_whole(&executor.outcome(&digest, SUFFIX), &serde_json::to_vec(&outcome).expect("JSON")).expect("written");
        assert_eq!(executor.poll(Duration::ZERO), Ok(Some(Delivery::Done(outcome.clone()))));
        assert_eq!(executor.poll(Duration::ZERO), Ok(None));
        executor.close(false).expect("closed");
        assert!(FolderTransport::open(folder.path(), true).is_err(), "it holds outcomes");
        let mut again = FolderTransport::open(folder.path(), false).expect("a folder");
        again.submit(&task).expect("known");
        assert_eq!(again.poll(Duration::ZERO), Ok(Some(Delivery::Done(outcome))));
        again.close(true).expect("closed");
        assert!(FolderTransport::open(folder.path(), true).is_ok(), "nothing is left");
    }
}
