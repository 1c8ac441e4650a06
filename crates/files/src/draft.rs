//! Files of results: written under another name, and renamed when they are complete.
//!
//! An older file of the name stays as it was until then, even if the program is killed. It is replaced only on request, and a file that
//! the same command reads is never replaced.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

/// The suffix of an incomplete file.
const UNFINISHED: &str = ".part";
/// Bytes of a file name from which the name of its incomplete file has only the beginning: file systems allow 255 bytes in all.
const NAME_MAX: usize = 200;
/// Characters of that beginning, each of at most four bytes.
const BEGINNING: usize = 50;
/// The last extension of a file that is to replace another one.
const REPLACEMENT: &str = "new";

/// How to treat existing files.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// True if they may be replaced.
    pub overwrite: bool,
    /// Files that are read and must stay as they are.
    pub inputs: Vec<PathBuf>,
}

impl Rules {
    /// The same rules, and these files must stay as they are.
    #[must_use]
    pub fn reading<P: AsRef<Path>>(mut self, inputs: impl IntoIterator<Item = P>) -> Rules {
        self.inputs.extend(inputs.into_iter().map(|path| path.as_ref().to_owned()));
        self
    }
}

/// Why a file cannot be written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DraftError {
    #[error("cannot write `{file}`: {reason}; give another path")]
    Refused { file: String, reason: io::Error },
    #[error("cannot write `{file}`: it holds results; replace them with --overwrite, or give another file")]
    Exists { file: String },
    #[error("cannot write `{file}`: the same command reads it; give another file for the results")]
    Input { file: String },
    #[error("cannot write `{file}`: {reason}; free space, or give another file")]
    Write { file: String, reason: io::Error },
    #[error("cannot replace `{file}`: another program has written it meanwhile; the results are in {aside}")]
    Late { file: String, aside: String },
}

impl DraftError {
    /// Returns true if the user's input is wrong, and not the disk.
    pub fn is_input(&self) -> bool {
        match self {
            DraftError::Refused { reason, .. } => !is_full(reason),
            DraftError::Exists { .. } | DraftError::Input { .. } => true,
            DraftError::Write { .. } | DraftError::Late { .. } => false,
        }
    }
}

/// Returns true if an error means that there is no space for a file.
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// A file being written. Dropping it leaves everything as it was.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: Target,
    overwrite: bool,
}

#[derive(Debug)]
enum Target {
    /// A temporary file in the folder of the file it will replace.
    Temporary(NamedTempFile),
    /// A device or a pipe, which is written as it is.
    Direct(File),
}

impl Draft {
    /// Begins a file, and checks that there can be one of this name.
    ///
    /// # Errors
    /// [`DraftError`]; nothing was changed then.
    pub fn create(path: &Path, rules: &Rules) -> Result<Draft, DraftError> {
        let file = || path.display().to_string();
        let refused = |reason| DraftError::Refused { file: file(), reason };
        if rules.inputs.iter().any(|input| is_same(path, input)) {
            return Err(DraftError::Input { file: file() });
        }
        // Checked before opening: opening a pipe without a reader would block.
        let known = path.metadata();
        let target = match &known {
            Ok(data) if data.is_dir() => return Err(refused(io::Error::from(io::ErrorKind::IsADirectory))),
            Ok(data) if !data.is_file() => Target::Direct(OpenOptions::new().append(true).open(path).map_err(refused)?),
            Ok(data) if data.len() > 0 && !rules.overwrite => return Err(DraftError::Exists { file: file() }),
            Ok(_) => {
                OpenOptions::new().append(true).open(path).map_err(refused)?;
                Target::Temporary(temporary(path).map_err(refused)?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.is_symlink() {
                    return Err(refused(io::Error::other("it is a link to a file that does not exist")));
                }
                Target::Temporary(temporary(path).map_err(refused)?)
            }
            Err(error) => return Err(refused(io::Error::from(error.kind()))),
        };
        // An empty file holds nothing that could be lost.
        let overwrite = known.is_ok();
        Ok(Draft { path: path.to_owned(), file: target, overwrite })
    }

    /// Gives the file its name. It is on the disk when this returns.
    ///
    /// # Errors
    /// [`DraftError::Write`] or [`DraftError::Late`].
    pub fn keep(self) -> Result<(), DraftError> {
        let Draft { path, file, overwrite } = self;
        let name = path.display().to_string();
        let failed = |reason| DraftError::Write { file: name.clone(), reason };
        let temporary = match file {
            Target::Direct(mut file) => return file.flush().map_err(failed),
            Target::Temporary(temporary) => temporary,
        };
        temporary.as_file().sync_all().map_err(failed)?;
        if overwrite {
            // Through a link, the file behind it is replaced.
            let path = path.canonicalize().unwrap_or(path);
            return temporary.persist(path).map(drop).map_err(|error| failed(error.error));
        }
        match temporary.persist_noclobber(&path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                let (_, aside) = error.file.keep().map_err(|error| failed(error.error))?;
                Err(DraftError::Late { file: name, aside: aside.display().to_string() })
            }
            Err(error) => Err(failed(error.error)),
        }
    }

    /// Keeps the part of a file that will not be complete: under its name if that is free, otherwise next to the older file. Returns its
    /// path.
    pub fn keep_part(self) -> Result<PathBuf, DraftError> {
        if !self.overwrite {
            let path = self.path.clone();
            return match self.keep() {
                Err(DraftError::Late { aside, .. }) => Ok(aside.into()),
                other => other.map(|()| path),
            };
        }
        let file = self.path.display().to_string();
        match self.file {
            Target::Direct(_) => Ok(self.path),
            Target::Temporary(temporary) => match temporary.keep() {
                Ok((_, aside)) => Ok(aside),
                Err(error) => Err(DraftError::Write { file, reason: error.error }),
            },
        }
    }

    /// Writes a part of the content.
    pub fn append(&mut self, content: impl AsRef<[u8]>) -> Result<(), DraftError> {
        let file = self.path.display().to_string();
        self.target().write_all(content.as_ref()).map_err(|reason| DraftError::Write { file, reason })
    }

    /// Writes the whole content, and gives the file its name.
    ///
    /// # Errors
    /// [`DraftError::Write`] or [`DraftError::Late`].
    pub fn finish(mut self, content: impl AsRef<[u8]>) -> Result<(), DraftError> {
        self.append(content)?;
        self.keep()
    }

    /// Writes a part of the content, or nothing of it if that fails: a file that is kept nevertheless ends with a whole part.
    pub fn append_whole(&mut self, content: &[u8]) -> io::Result<()> {
        let length = match &self.file {
            Target::Temporary(file) => file.as_file().metadata().ok().map(|data| data.len()),
            Target::Direct(_) => None,
        };
        let written = self.write_all(content);
        if written.is_err()
            && let Some(length) = length
        {
            // If that fails too, the file ends with an incomplete part.
            let _ = self.target().set_len(length);
        }
        written
    }

    fn target(&mut self) -> &mut File {
        match &mut self.file {
            // The errors of the file itself do not have the temporary name, which no user knows.
            Target::Temporary(file) => file.as_file_mut(),
            Target::Direct(file) => file,
        }
    }

    /// An error with the name of the file.
    fn named(&self, reason: io::Error) -> io::Error {
        let file = self.path.display().to_string();
        io::Error::new(reason.kind(), DraftError::Write { file, reason })
    }
}

/// Errors have the name of the file.
impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target().write(bytes).map_err(|reason| self.named(reason))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target().flush().map_err(|reason| self.named(reason))
    }
}

/// Replaces a file of a run atomically: the new content is written to `NAME.PROCESS.new` first; on failure the old file stays.
///
/// Two processes that replace the file at the same time, such as a run and `tune show`, do not write into one temporary file.
///
/// # Errors
/// The error of the operating system; no partial file is left behind.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = path.with_added_extension(format!("{}.{REPLACEMENT}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = File::create(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        // The partial file is useless; if it cannot be removed either, it does no harm.
        let _ = std::fs::remove_file(&temporary);
    })
}

/// Returns true for the name that a process which is killed in [`replace`] leaves next to the file `name`. Earlier versions had no number
/// of a process in it.
pub fn is_replacement(found: &OsStr, name: &str) -> bool {
    let middle = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_suffix(REPLACEMENT));
    middle.is_some_and(|middle| middle.trim_matches(|letter: char| letter.is_ascii_digit() || letter == '.').is_empty())
}

/// Returns true if two paths denote one file, whether it exists or not.
pub fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) {
        use std::os::unix::fs::MetadataExt as _;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    resolved(one) == resolved(other)
}

/// A path without links and `..`, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = path.canonicalize().ok();
    let in_folder = || Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?));
    whole.or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file in the same folder, with the permissions of any new file.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(io::Error::other(format!("the folder {} does not exist", folder.display())));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    if name.len() > NAME_MAX {
        name = name.to_string_lossy().chars().take(BEGINNING).collect::<String>().into();
    }
    name.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const ALL_BUT_THE_MASK: u32 = 0o666;
        builder.permissions(std::fs::Permissions::from_mode(ALL_BUT_THE_MASK));
    }
    builder.tempfile_in(folder).map_err(without_path)
}

/// An error without the name of the temporary file, which no user knows.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn free() -> Rules {
        Rules { overwrite: true, ..Rules::default() }
    }

    #[test]
    fn an_older_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tree.svg");
        let read = || fs::read_to_string(&path).expect("readable");
        fs::write(&path, "old").expect("writable");
        assert!(matches!(Draft::create(&path, &Rules::default()), Err(DraftError::Exists { .. })));
        let mut draft = Draft::create(&path, &free()).expect("a draft");
        draft.write_all(b"new").expect("writable");
        assert_eq!(read(), "old");
        drop(draft);
        assert_eq!(read(), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no temporary file is left");
        let mut draft = Draft::create(&path, &free()).expect("a draft");
        draft.write_all(b"part").expect("writable");
        let aside = draft.keep_part().expect("kept");
        assert_eq!((read().as_str(), fs::read_to_string(&aside).expect("readable").as_str()), ("old", "part"));
        Draft::create(&path, &free()).expect("a draft").finish("new").expect("a name");
        assert_eq!(read(), "new");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named_once() {
        let mut draft = Draft::create(Path::new("/dev/full"), &Rules::default()).expect("a device");
        let message = draft.append(b"x").expect_err("full").to_string();
        assert!(message.starts_with("cannot write `/dev/full`: No space"), "{message}");
        assert_eq!(message.matches("cannot write").count(), 1, "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_message_does_not_name_the_temporary_file() {
        let refused = Draft::create(Path::new("/proc/tree.svg"), &Rules::default());
        let message = refused.expect_err("no files there").to_string();
        assert!(message.starts_with("cannot write `/proc/tree.svg`: ") && !message.contains(UNFINISHED), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_may_have_as_many_bytes_as_the_file_system_allows() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["n".repeat(255), "ä".repeat(127)] {
            let path = folder.path().join(name);
            Draft::create(&path, &Rules::default()).and_then(|draft| draft.finish("x")).expect("a name");
            assert_eq!(fs::read_to_string(&path).expect("readable"), "x");
        }
    }

    #[test]
    fn a_full_disk_is_not_wrong_input() {
        for (kind, input) in [(io::ErrorKind::PermissionDenied, true), (io::ErrorKind::StorageFull, false)] {
            let error = DraftError::Refused { file: "tree.svg".to_owned(), reason: kind.into() };
            assert_eq!(error.is_input(), input, "{error}");
        }
    }

    #[test]
    fn an_empty_file_and_a_free_name_need_no_permission() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["empty", "free"] {
            let path = folder.path().join(name);
            if name == "empty" {
                fs::write(&path, "").expect("writable");
            }
            Draft::create(&path, &Rules::default()).and_then(|draft| draft.finish("x")).expect(name);
            assert_eq!(fs::read_to_string(&path).expect(name), "x");
        }
        let path = folder.path().join("raced");
        let draft = Draft::create(&path, &Rules::default()).expect("a draft");
        fs::write(&path, "of another program").expect("writable");
        let Err(DraftError::Late { aside, .. }) = draft.keep() else { panic!("the other file was replaced") };
        assert!(Path::new(&aside).is_file());
        assert_eq!(fs::read_to_string(&path).expect("readable"), "of another program");
    }

    #[test]
    fn an_input_is_never_replaced_whatever_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("suite.epd");
        fs::write(&input, "precious").expect("writable");
        let mut names = vec![input.clone(), folder.path().join(".").join("suite.epd")];
        #[cfg(unix)]
        {
            let (soft, hard) = (folder.path().join("soft"), folder.path().join("hard"));
            std::os::unix::fs::symlink(&input, &soft).expect("a link");
            fs::hard_link(&input, &hard).expect("a link");
            names.extend([soft, hard]);
        }
        let rules = free().reading([&input]);
        for name in names {
            let refused = Draft::create(&name, &rules);
            assert!(matches!(refused, Err(DraftError::Input { .. })), "{}", name.display());
        }
        assert!(is_same(&folder.path().join("new"), &folder.path().join(".").join("new")));
        assert!(!is_same(&folder.path().join("new"), &folder.path().join("other")));
    }

    #[test]
    fn names_that_cannot_be_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = folder.path().join("none").join("tree.svg");
        #[cfg_attr(not(unix), expect(unused_mut, reason = "links are of Unix"))]
        let mut paths = vec![folder.path().to_owned(), none];
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("nowhere", &link).expect("a link");
            paths.push(link);
        }
        for path in paths {
            let error = Draft::create(&path, &free()).map(drop).expect_err("no file can be there");
            assert!(error.is_input() && error.to_string().contains(&path.display().to_string()), "{error}");
        }
    }

    #[test]
    fn a_file_of_a_run_is_replaced_atomically() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plan.toml");
        replace(&path, b"old").and_then(|()| replace(&path, b"new")).expect("room");
        assert_eq!(std::fs::read(&path).expect("it is there"), b"new");
        // A file that another process is about to replace the plan with.
        let other = folder.path().join("plan.toml.new");
        fs::write(&other, "half of a pl").expect("writable");
        replace(&path, b"newer").expect("room");
        assert_eq!(fs::read(&path).expect("it is there"), b"newer");
        assert_eq!(fs::read(&other).expect("it stays"), b"half of a pl");
        // A folder in the way of the new content.
        let own = format!("plan.toml.{}.new", std::process::id());
        fs::create_dir(folder.path().join(&own)).expect("room");
        assert!(replace(&path, b"newest").is_err());
        assert_eq!(fs::read(&path).expect("it is there"), b"newer");
        for (name, is) in
            [("plan.toml.new", true), (own.as_str(), true), ("plan.toml", false), ("plan.toml.a.new", false)]
        {
            assert_eq!(is_replacement(OsStr::new(name), "plan.toml"), is, "{name}");
        }
    }
}
