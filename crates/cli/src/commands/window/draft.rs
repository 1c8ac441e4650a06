//! Files that appear under their name only when they are whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use miette::miette;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file being written. Until [`Draft::keep`] an older file of the name stays as it was.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: Target,
}

#[derive(Debug)]
enum Target {
    /// Beside the file it will replace.
    Beside(NamedTempFile),
    /// A device or a pipe, which is written as it is.
    Itself(File),
}

impl Draft {
    /// Begins a file, and finds out whether there can be one of this name.
    pub fn create(path: &Path) -> Result<Draft, Failure> {
        let refused = |error: io::Error| {
            Failure::Input(miette!("{}: cannot be written ({error}); give another path to -o", path.display()))
        };
        let file = match OpenOptions::new().append(true).open(path) {
            Ok(file) if !file.metadata().map_err(refused)?.is_file() => Target::Itself(file),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
            _ => Target::Beside(beside(path).map_err(refused)?),
        };
        Ok(Draft { path: path.to_owned(), file })
    }

    /// Gives the file its name.
    pub fn keep(self) -> Result<(), Failure> {
        let kept = match self.file {
            Target::Itself(mut file) => file.flush(),
            Target::Beside(file) => {
                // Through a link, the file behind it is replaced.
                let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
                file.persist(path).map(|_| ()).map_err(|error| error.error)
            }
        };
        kept.map_err(|error| broken(&self.path, &error))
    }

    /// A failure while writing the file, with its name.
    pub fn failure(path: &Path, error: io::Error) -> Failure {
        match Failure::from(error) {
            Failure::Run(error) => broken(path, &error),
            other => other,
        }
    }
}

fn broken(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Run(miette!(
        "{}: cannot be written ({error}); make room there, or give another path to -o",
        path.display()
    ))
}

/// A file in the same folder, with the permissions of any new file.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(io::Error::other(format!("there is no folder {}", folder.display())));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".quarterply-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const ALL_BUT_THE_MASK: u32 = 0o666;
        builder.permissions(std::fs::Permissions::from_mode(ALL_BUT_THE_MASK));
    }
    builder.tempfile_in(folder)
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Target::Beside(file) => file.write(bytes),
            Target::Itself(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Target::Beside(file) => file.flush(),
            Target::Itself(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_older_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tree.svg");
        fs::write(&path, "old").expect("writable");
        let mut draft = Draft::create(&path).expect("a draft");
        draft.write_all(b"new").expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("readable"), "old");
        drop(draft);
        assert_eq!(fs::read_to_string(&path).expect("readable"), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left lying about");
        let mut draft = Draft::create(&path).expect("a draft");
        draft.write_all(b"new").expect("writable");
        draft.keep().expect("a name");
        assert_eq!(fs::read_to_string(&path).expect("readable"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn names_that_cannot_be_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in [folder.path().to_owned(), folder.path().join("none").join("tree.svg")] {
            let error = Draft::create(&path).map(drop).expect_err("no file can be there");
            let Failure::Input(report) = error else { panic!("{error:?}") };
            assert!(report.to_string().contains(&path.display().to_string()), "{report}");
        }
    }
}
