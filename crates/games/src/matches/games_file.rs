//! The PGN of a match: the games in the order of the schedule, whatever the order in which they finished.
//!
//! The file follows from the journal. When a match is resumed, the games of the journal are compared with what the file
//! holds, and only what is missing is written.

use quarterply_files::journal::{Existing, keep_old, put_aside, read_if_there};
use quarterply_files::lock::try_lock;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Reason why games cannot be written.
#[derive(Debug, Error)]
pub enum GamesFileError {
    /// The file cannot be opened, read or written: the file and the error of the operating system.
    #[error("cannot write {0}: {1}; give another path to --pgn")]
    Io(String, io::Error),
    /// The file has games, and neither resuming nor overwriting was requested: the file.
    #[error("cannot write {0}: it contains games; replace them with --overwrite, or give another path to --pgn")]
    Exists(String),
    /// Another process writes games to the file.
    #[error("cannot write {0}: another match writes to it; wait for its end, or give another path to --pgn")]
    InUse(String),
    /// It holds other games than the journal: the file.
    #[error("cannot append to {0}: its games are not those of the journal; give another path to --pgn")]
    Others(String),
}

/// The file that games go to.
#[derive(Debug)]
pub struct GamesFile {
    file: File,
    path: PathBuf,
}

impl GamesFile {
    /// Opens the file at `path`; `so_far` is the text of the games in the journal. The remark is for the user.
    pub fn open(path: &Path, existing: Existing, so_far: &str) -> Result<(GamesFile, Option<String>), GamesFileError> {
        let failed = |reason| GamesFileError::Io(path.display().to_string(), reason);
        let is_device = path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
        let file = OpenOptions::new().append(true).create(!is_device).open(path).map_err(failed)?;
        let mut games = GamesFile { file, path: path.to_owned() };
        // File systems without locks are used without one. On Windows a lock would keep other programs from reading the games.
        if cfg!(unix) && !is_device && matches!(try_lock(&games.file), Err(TryLockError::WouldBlock)) {
            return Err(GamesFileError::InUse(games.name()));
        }
        // A device holds no games, and may have no end.
        let old = if is_device { Vec::new() } else { read_if_there(path).map_err(failed)? };
        match existing {
            Existing::Keep if !old.trim_ascii().is_empty() => Err(GamesFileError::Exists(games.name())),
            Existing::Resume if !old.trim_ascii().is_empty() => {
                let note = games.join(&old, so_far)?;
                Ok((games, note))
            }
            _ => {
                let mut note = None;
                if !old.trim_ascii().is_empty() {
                    let aside = keep_old(path, &old).map_err(failed)?;
                    note = Some(format!("{}: the earlier games are in {}", path.display(), aside.display()));
                }
                if !is_device {
                    games.file.set_len(0).map_err(failed)?;
                }
                games.append(so_far)?;
                Ok((games, note))
            }
        }
    }

    /// Writes what the file lacks; games that the journal does not have are put aside, because they will be played again.
    fn join(&mut self, old: &[u8], so_far: &str) -> Result<Option<String>, GamesFileError> {
        if let Some(missing) = so_far.as_bytes().strip_prefix(old) {
            self.write(missing)?;
            return Ok(None);
        }
        match old.strip_prefix(so_far.as_bytes()) {
            Some(surplus) if !so_far.is_empty() => {
                let aside = put_aside(&self.path, surplus).map_err(|e| self.failed(e))?;
                self.file.set_len(so_far.len() as u64).map_err(|e| self.failed(e))?;
                let (file, aside) = (self.name(), aside.display());
                Ok(Some(format!(
                    "{file}: games that do not count now, or are not in the journal, were moved to {aside}"
                )))
            }
            _ => Err(GamesFileError::Others(self.name())),
        }
    }

    /// Writes games.
    pub fn append(&mut self, text: &str) -> Result<(), GamesFileError> {
        self.write(text.as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), GamesFileError> {
        self.file.write_all(bytes).map_err(|e| self.failed(e))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn failed(&self, reason: io::Error) -> GamesFileError {
        GamesFileError::Io(self.name(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_file_is_cut_to_match_the_journal() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        for (name, old, so_far, expected) in [
            ("nothing yet", "", "", Ok(("", ""))),
            ("the file was lost", "", "one two ", Ok(("one two ", ""))),
            ("the same", "one two ", "one two ", Ok(("one two ", ""))),
            ("one game behind", "one ", "one two ", Ok(("one two ", ""))),
            ("cut in a game", "one t", "one two ", Ok(("one two ", ""))),
            ("one game ahead", "one two ", "one ", Ok(("one ", "two \n"))),
            ("other games", "uno due ", "one two ", Err("not those of the journal")),
            ("games without a journal", "one two ", "", Err("not those of the journal")),
        ] {
            let aside = path.with_extension("pgn.cut");
            let _ = fs::remove_file(&aside);
            fs::write(&path, old).expect("written");
            let opened = GamesFile::open(&path, Existing::Resume, so_far).map(drop).map_err(|e| e.to_string());
            let content = fs::read_to_string(&path).expect("the file");
            match expected {
                Ok((text, cut)) => {
                    assert_eq!((opened, content.as_str()), (Ok(()), text), "{name}");
                    assert_eq!(read_if_there(&aside).expect("readable"), cut.as_bytes(), "{name}");
                }
                Err(needle) => {
                    assert!(opened.is_err_and(|message| message.contains(needle)), "{name}");
                    assert_eq!(content, old, "{name}");
                }
            }
        }
    }

    #[test]
    fn existing_games_are_replaced_only_with_overwrite() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        fs::write(&path, "one ").expect("written");
        let message = GamesFile::open(&path, Existing::Keep, "").map(drop).expect_err("it is used").to_string();
        assert!(message.contains("--overwrite"), "{message}");
        let (mut games, _) = GamesFile::open(&path, Existing::Overwrite, "").expect("asked for");
        if cfg!(unix) {
            let message = GamesFile::open(&path, Existing::Resume, "").map(drop).expect_err("in use").to_string();
            assert!(message.contains("another match writes to it"), "{message}");
        }
        games.append("two ").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "two ");
    }
}
