//! The folder of a run: made once, never overwritten, and in use by one process at a time.

use super::error::TuneError;
use super::journal::{self, Journal, TuningHeader};
use super::plan::{self, TuningPlan};
use super::run::SUMMARY;
use quarterply_files::draft;
use quarterply_files::lock::try_lock;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// An open run folder. The lock goes with the process, however it ends.
pub struct TuningFolder {
    path: PathBuf,
    _lock: Option<File>,
}

impl TuningFolder {
    /// Fails if no new run can have this folder: it holds something, or it cannot be read.
    pub fn require_free(path: &Path) -> Result<(), TuneError> {
        // A process that is killed while it writes the plan leaves a file.
        let is_left = |entry: fs::DirEntry| draft::is_replacement(&entry.file_name(), plan::FILE);
        let is_empty = fs::read_dir(path).map(|entries| entries.flatten().all(is_left));
        match is_empty {
            Ok(false) => Err(TuneError::Exists(path.to_owned())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(TuneError::Place(path.to_owned(), error)),
            _ => Ok(()),
        }
    }

    /// Makes the folder of a new run with its plan and an empty journal.
    pub fn create(path: &Path, plan: &TuningPlan) -> Result<(TuningFolder, Journal), TuneError> {
        let place = |reason| TuneError::Place(path.to_owned(), reason);
        TuningFolder::require_free(path)?;
        let text = plan.to_toml()?;
        write_whole(&path.join(plan::FILE), text.as_bytes()).map_err(|error| match error {
            TuneError::File(_, reason) => place(reason),
            other => other,
        })?;
        let lock = lock(path)?;
        let journal = Journal::open(path, &TuningHeader::of(plan))?;
        Ok((TuningFolder { path: path.to_owned(), _lock: Some(lock) }, journal))
    }

    /// Opens the folder of a run to resume it, or only to read it.
    pub fn open(path: &Path, plan: &TuningPlan, write: bool) -> Result<(TuningFolder, Journal), TuneError> {
        let header = TuningHeader::of(plan);
        let is_missing = Journal::is_missing(path);
        // A process that was killed between the plan and the journal has measured nothing.
        if is_missing && (!write || path.join(SUMMARY).exists()) {
            return Err(TuneError::NoJournal(path.join(journal::FILE)));
        }
        let lock = write.then(|| lock(path)).transpose()?;
        let journal = if write { Journal::open(path, &header) } else { Journal::open_read_only(path, &header) }?;
        Ok((TuningFolder { path: path.to_owned(), _lock: lock }, journal))
    }

    /// Returns true if a process works on the run in this folder.
    pub fn is_in_use(path: &Path) -> bool {
        File::open(path.join(plan::FILE)).is_ok_and(|file| matches!(try_lock(&file), Err(TryLockError::WouldBlock)))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of JSON: afterwards it is there in full, or as it was.
    pub fn write(&self, name: &str, json: serde_json::Result<String>) -> Result<(), TuneError> {
        let path = self.path.join(name);
        let text = json.map_err(|e| TuneError::file(&path, e.into()))? + "\n";
        write_whole(&path, text.as_bytes())
    }
}

/// The plan is locked, not the journal, which is replaced by another file when it is compressed.
fn lock(folder: &Path) -> Result<File, TuneError> {
    let path = folder.join(plan::FILE);
    let file = File::open(&path).map_err(|e| TuneError::file(&path, e))?;
    match try_lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TuneError::Busy(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(TuneError::file(&path, error)),
    }
}

/// Writes a file in one step, and makes its folder if it is missing.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<(), TuneError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| TuneError::file(parent, e))?;
    }
    draft::replace(path, content).map_err(|e| TuneError::file(path, e))
}
