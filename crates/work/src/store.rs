//! Files of tasks, addressed by their digests.

use crate::digest::Digest;
use crate::folder::write_whole;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Finds files by their digests.
pub trait Objects: Send + Sync {
    /// The path of the file on this machine.
    ///
    /// # Errors
    /// A message: the file is not available.
    fn path(&self, digest: &Digest) -> Result<PathBuf, String>;
}

/// A folder of files named by their digests.
#[derive(Clone, Debug)]
pub struct ObjectFolder(pub PathBuf);

impl ObjectFolder {
    /// The path of a file, whether it exists or not.
    pub fn path_of(&self, digest: &Digest) -> PathBuf {
        self.0.join(digest.to_string())
    }

    /// Writes a file atomically, unless an intact copy exists.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = Digest::of(bytes);
        let place = self.path_of(&digest);
        if fs::read(&place).is_ok_and(|found| Digest::of(&found) == digest) {
            return Ok(digest);
        }
        fs::create_dir_all(&self.0)?;
        write_whole(&place, bytes)?;
        Ok(digest)
    }
}

impl Objects for ObjectFolder {
    fn path(&self, digest: &Digest) -> Result<PathBuf, String> {
        let place = self.path_of(digest);
        let bytes = fs::read(&place).map_err(|error| format!("cannot read `{}`: {error}", place.display()))?;
        if Digest::of(&bytes) == *digest {
            Ok(place)
        } else {
            Err(format!("cannot use `{}`: its content does not match its name; remove it", place.display()))
        }
    }
}

/// Files of this machine, used in place.
#[derive(Debug, Default)]
pub struct LocalFiles(Mutex<HashMap<Digest, PathBuf>>);

impl LocalFiles {
    /// Registers a file.
    pub fn add(&self, path: &Path) -> io::Result<Digest> {
        let digest = Digest::of(&fs::read(path)?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, path.to_owned());
        Ok(digest)
    }
}

impl Objects for LocalFiles {
    fn path(&self, digest: &Digest) -> Result<PathBuf, String> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned();
        found.ok_or_else(|| format!("cannot find file {}: it was not stored", digest.short()))
    }
}
