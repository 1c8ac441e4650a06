//! Journals of long commands: JSON lines, appended only.
//!
//! Each line is written before the work continues, so that a killed process loses no finished work. Lines are flushed to the disk at
//! most once a second, and when the journal is closed; a line that follows another within a second is flushed with the next one, or
//! earlier by the operating system. Only a power failure can lose such lines.
//!
//! The first line holds the [`JournalHeader`], every further one a finished unit of work in the order of finishing; a summary may follow.
//! A process that is killed leaves at most one partial line at the end. The journal moves such a tail into a separate file before it
//! continues.
//!
//! A large journal that is not being written can be compressed ([`Journal::pack`]): `NAME.zst` replaces `NAME`. If both files exist,
//! `NAME` is the newer one.

use crate::draft;
use crate::epd;
use crate::lock::try_lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Size from which [`Journal::pack`] compresses a journal (bytes).
const LARGE: usize = 1 << 20;
/// Compression level: about a second for the journal of a day.
const LEVEL: i32 = 9;

/// Least time between two flushes to the disk. Waiting for the disk at each line slows runs of short tasks by several percent.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The names of a journal and its parts in messages.
#[derive(Clone, Copy, Debug)]
pub struct JournalTerms {
    /// The whole: `match`.
    pub whole: &'static str,
    /// A line: `finished pair`.
    pub line: &'static str,
    /// The consequence of a lost line: `the pair is played again`.
    pub again: &'static str,
    /// The remedy if there are results already: `continue with --resume`.
    pub existing: &'static str,
    /// The command that writes such files: `match --json`.
    pub writer: &'static str,
    /// The remedy if the file is something else: `name another file`.
    pub elsewhere: &'static str,
}

/// The first line of a journal: everything its lines depend on.
pub trait JournalHeader: Clone + Serialize + DeserializeOwned {
    /// The words of messages.
    const TERMS: &'static JournalTerms;
    /// The beginning of the first line, which identifies one that was cut off.
    const PREFIX: &'static [u8];

    /// Checks that this line is of the kind and version that this program writes.
    ///
    /// # Errors
    /// The difference.
    fn known(&self) -> Result<(), String> {
        Ok(())
    }

    /// The settings that must be equal when work is resumed, by name.
    fn binding(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    /// The setting of this name as users write it.
    fn flag(name: &str) -> String {
        format!("--{name}")
    }

    /// Why work with these settings cannot be continued with `requested` although all binding settings are equal, and the remedy; `None` if
    /// it can. This is for values that older journals lack: they are compared only if both have them.
    fn change(&self, _requested: &Self) -> Option<String> {
        None
    }
}

/// How to treat existing results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave them and report an error.
    #[default]
    Keep,
    /// Go on where they end.
    Resume,
    /// Replace them.
    Overwrite,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum JournalError {
    #[error("cannot {action} `{file}`: {reason}; check the path, the permissions and the space on the disk")]
    Io { file: String, action: &'static str, reason: io::Error },
    #[error("cannot resume from `{file}`: it is not a regular file; give another path, or - for stdout")]
    NoFile { file: String },
    #[error("cannot write `{file}`: it holds results; {}, or {}", .terms.existing, .terms.elsewhere)]
    Exists { file: String, terms: &'static JournalTerms },
    #[error("cannot write `{file}`: another {} uses it; wait for its end, or {}", .terms.whole, .terms.elsewhere)]
    InUse { file: String, terms: &'static JournalTerms },
    #[error(
        "cannot read {file}:1: `{text}` is not the header of a {} ({reason}); give a file written by `{}`, or {}",
        .terms.whole, .terms.writer, .terms.elsewhere
    )]
    NoHeader { file: String, text: String, reason: String, terms: &'static JournalTerms },
    #[error(
        "cannot resume `{file}`: this {} was begun with other settings ({differences}); give the same values, or {}",
        .terms.whole, .terms.elsewhere
    )]
    Settings { file: String, differences: String, terms: &'static JournalTerms },
    /// Its settings are equal, but their meaning has changed ([`JournalHeader::change`]).
    #[error("cannot resume `{file}`: {change}, or {}", .terms.elsewhere)]
    Changed { file: String, change: String, terms: &'static JournalTerms },
    #[error("cannot read {file}:{line}: `{text}` is not a {} ({reason}); restore this line or remove it: {}", .terms.line, .terms.again)]
    Line { file: String, line: usize, text: String, reason: String, terms: &'static JournalTerms },
}

impl JournalError {
    /// Returns true if the user's input is wrong, and not the disk.
    pub fn is_input(&self) -> bool {
        match self {
            JournalError::Io { action, reason, .. } => *action != "write" && !draft::is_full(reason),
            _ => true,
        }
    }
}

/// An open journal, locked against other processes.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// True if it is a device or a pipe, which is written and never read.
    is_device: bool,
    /// When the file was last forced to the disk; `None` before the first line.
    synced: Option<Instant>,
}

/// Receives the lines of a journal one by one; the error is the fault of a line.
pub type Each<'a, L> = dyn FnMut(L) -> Result<(), String> + 'a;

/// The contents of a journal.
#[derive(Debug)]
pub struct Opened<S, L> {
    /// The journal, ready for the next line.
    pub journal: Journal,
    /// Its settings: those of the first run if it was resumed.
    pub settings: S,
    /// The work that was finished before.
    pub lines: Vec<L>,
    /// The summary that it ends with, as it was written; `None` if its last line is another one.
    pub summary: Option<String>,
    /// Messages for the user.
    pub notes: Vec<String>,
}

impl Journal {
    /// Opens the journal at `path` for work with these settings.
    ///
    /// # Errors
    /// [`JournalError`] if the file is not a journal, belongs to other work, is in use, or cannot be used; it is unchanged then.
    pub fn open<S: JournalHeader, L: DeserializeOwned>(
        path: &Path,
        existing: Existing,
        settings: &S,
    ) -> Result<Opened<S, L>, JournalError> {
        let mut lines = Vec::new();
        let mut each = |line| {
            lines.push(line);
            Ok(())
        };
        let opened = Journal::open_each(path, existing, settings, &mut each)?;
        Ok(Opened { lines, ..opened })
    }

    /// Like [`Journal::open`], but passes each line to `each` instead of collecting them. An error of `each` is reported with the line.
    pub fn open_each<S: JournalHeader, L: DeserializeOwned>(
        path: &Path,
        existing: Existing,
        settings: &S,
        each: &mut Each<'_, L>,
    ) -> Result<Opened<S, L>, JournalError> {
        let mut journal = Journal::lock(path, S::TERMS)?;
        let mut bytes = Vec::new();
        if journal.is_device {
            // A device holds no results, and may have no end.
            if existing == Existing::Resume {
                return Err(JournalError::NoFile { file: journal.name() });
            }
        } else {
            journal.file.read_to_end(&mut bytes).map_err(|e| journal.failed("read", e))?;
        }
        let (lines, notes) = (Vec::new(), Vec::new());
        let mut opened = Opened { journal, settings: settings.clone(), lines, summary: None, notes };
        let used = !bytes.trim_ascii().is_empty();
        match existing {
            Existing::Keep if used => {
                return Err(JournalError::Exists { file: opened.journal.name(), terms: S::TERMS });
            }
            Existing::Resume if used => opened.read(&bytes, settings, each)?,
            _ => {
                if used {
                    let old = keep_old(path, &bytes).map_err(|e| opened.journal.failed("replace", e))?;
                    opened.notes.push(format!("{}: the earlier results are in {}", path.display(), old.display()));
                }
                opened.journal.cut(0)?;
                opened.journal.append(settings)?;
                opened.journal.enter();
            }
        }
        Ok(opened)
    }

    fn lock(path: &Path, terms: &'static JournalTerms) -> Result<Journal, JournalError> {
        let failed = |action, reason| JournalError::Io { file: path.display().to_string(), action, reason };
        let is_device = path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
        let file = OpenOptions::new().read(!is_device).append(true).create(!is_device).open(path);
        let file = file.map_err(|e| failed("open", e))?;
        Journal { file, path: path.to_owned(), is_device, synced: None }.locked(terms)
    }

    fn locked(self, terms: &'static JournalTerms) -> Result<Journal, JournalError> {
        // File systems without locks are used without one.
        let is_held = matches!(try_lock(&self.file), Err(TryLockError::WouldBlock));
        // Its last user may have compressed and removed the open file meanwhile: lines written to it would be lost.
        let is_gone = !self.is_device && !self.path.exists();
        if is_held || is_gone { Err(JournalError::InUse { file: self.name(), terms }) } else { Ok(self) }
    }

    /// Writes a line, and flushes the file to the disk unless it was flushed within [`SYNC_INTERVAL`].
    ///
    /// # Errors
    /// [`JournalError::Io`]; a part of the line is removed then, because its repair would need space on a disk that may be full.
    pub fn append<T: Serialize>(&mut self, line: &T) -> Result<(), JournalError> {
        let mut text = serde_json::to_string(line).map_err(|e| self.failed("write", e.into()))?;
        text.push('\n');
        let written = if self.is_device {
            (&self.file).write_all(text.as_bytes())
        } else {
            append_or_cut(&self.file, text.as_bytes())
        };
        written.map_err(|e| self.failed("write", e))?;
        if self.synced.is_none_or(|last| last.elapsed() >= SYNC_INTERVAL) { self.sync() } else { Ok(()) }
    }

    /// Waits until all lines are on the disk.
    fn sync(&mut self) -> Result<(), JournalError> {
        let synced = if self.is_device { Ok(()) } else { self.file.sync_data() };
        synced.map_err(|e| self.failed("write", e))?;
        self.synced = Some(Instant::now());
        Ok(())
    }

    /// Ends the journal, and compresses it if it is large.
    ///
    /// # Errors
    /// [`JournalError::Io`]; the journal is as it was then.
    pub fn pack(self) -> Result<(), JournalError> {
        let attempt = || -> io::Result<()> {
            let bytes = fs::read(&self.path)?;
            if bytes.len() < LARGE {
                return Ok(());
            }
            let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
            encoder.include_checksum(true)?;
            encoder.write_all(&bytes)?;
            draft::replace(&packed_path(&self.path), &encoder.finish()?)?;
            fs::remove_file(&self.path)
        };
        if self.is_device { Ok(()) } else { attempt().map_err(|e| self.failed("compress", e)) }
    }

    /// Flushes the folder, which lists the new file. Some systems cannot do that; the lines are nearly always safe without it.
    fn enter(&self) {
        let _ = File::open(draft::folder_of(&self.path)).and_then(|folder| folder.sync_all());
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn failed(&self, action: &'static str, reason: io::Error) -> JournalError {
        JournalError::Io { file: self.name(), action, reason }
    }

    fn cut(&mut self, length: usize) -> Result<(), JournalError> {
        if self.is_device {
            return Ok(());
        }
        let cut = self.file.set_len(length as u64).and_then(|()| self.file.seek(io::SeekFrom::End(0)));
        cut.map(drop).map_err(|e| self.failed("write", e))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // An error cannot be returned from here, and the lines are in the file unless the disk fails.
        let _ = self.sync();
    }
}

impl<S: JournalHeader, L: DeserializeOwned> Opened<S, L> {
    /// Reads the content of the journal. Nothing is changed before all of it was found to be valid.
    fn read(&mut self, bytes: &[u8], requested: &S, each: &mut Each<'_, L>) -> Result<(), JournalError> {
        let (whole, tail) = split_tail(bytes);
        match read_lines(&self.journal.path, whole, requested, each)? {
            Some((settings, summary)) => {
                (self.settings, self.summary) = (settings, summary);
                self.repair_tail(whole.len(), tail)
            }
            None => {
                if !is_partial_header::<S>(tail) {
                    settings_in::<S>(&self.journal.path, tail)?;
                }
                self.repair_tail(whole.len(), tail)?;
                self.journal.append(requested)
            }
        }
    }

    /// Moves a partial line at the end into a separate file, and keeps the first `end` bytes.
    fn repair_tail(&mut self, end: usize, tail: &[u8]) -> Result<(), JournalError> {
        if tail.is_empty() {
            return Ok(());
        }
        let aside = put_aside(&self.journal.path, tail).map_err(|e| self.journal.failed("repair", e))?;
        self.journal.cut(end)?;
        self.notes.push(format!(
            "{}: the last line was cut off in the middle; its {} bytes were moved to {}, and {}",
            self.journal.name(),
            tail.len(),
            aside.display(),
            S::TERMS.again
        ));
        Ok(())
    }
}

/// Reads a journal without changing it, also while another process writes it. A torn line at the end is left out.
///
/// # Errors
/// [`JournalError`] if it cannot be read, is damaged, or was begun with other settings.
pub fn read_only<S: JournalHeader, L: DeserializeOwned>(
    path: &Path,
    requested: &S,
    each: &mut Each<'_, L>,
) -> Result<(), JournalError> {
    let bytes = read_packed(path)?;
    let (whole, tail) = split_tail(&bytes);
    match read_lines(path, whole, requested, each)? {
        None if !is_partial_header::<S>(tail) => settings_in::<S>(path, tail).map(drop),
        _ => Ok(()),
    }
}

/// Returns true for the first bytes of a header, from which nothing can be lost.
fn is_partial_header<S: JournalHeader>(tail: &[u8]) -> bool {
    tail.starts_with(S::PREFIX) || S::PREFIX.starts_with(tail)
}

/// The complete lines of a journal, and the rest.
fn split_tail(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1))
}

/// Reads whole lines. Returns the settings, and the last line if it is a summary; `None` if there are no lines.
fn read_lines<S: JournalHeader, L: DeserializeOwned>(
    path: &Path,
    whole: &[u8],
    requested: &S,
    each: &mut Each<'_, L>,
) -> Result<Option<(S, Option<String>)>, JournalError> {
    let mut lines = (1..).zip(whole.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    let Some((_, first)) = lines.next() else { return Ok(None) };
    let settings = settings_in(path, first)?;
    compare(&path.display().to_string(), &settings, requested)?;
    let mut summary = None;
    for (line, text) in lines {
        summary = is_summary(text).then(|| String::from_utf8_lossy(text).into_owned());
        if summary.is_some() {
            continue;
        }
        let taken = serde_json::from_slice(text).map_err(|error| error.to_string()).and_then(&mut *each);
        taken.map_err(|reason| JournalError::Line {
            file: path.display().to_string(),
            line,
            text: quote(text),
            reason,
            terms: S::TERMS,
        })?;
    }
    Ok(Some((settings, summary)))
}

fn settings_in<S: JournalHeader>(path: &Path, text: &[u8]) -> Result<S, JournalError> {
    // Some editors write a byte-order mark, which is invisible in a message.
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let found = serde_json::from_slice::<S>(text).map_err(|error| error.to_string());
    found.and_then(|settings| settings.known().map(|()| settings)).map_err(|reason| JournalError::NoHeader {
        file: path.display().to_string(),
        text: quote(text),
        reason,
        terms: S::TERMS,
    })
}

/// Where the compressed form of a journal is.
pub fn packed_path(path: &Path) -> PathBuf {
    path.with_added_extension("zst")
}

/// The bytes of a journal, compressed or not.
fn read_packed(path: &Path) -> Result<Vec<u8>, JournalError> {
    let failed = |path: &Path, reason| JournalError::Io { file: path.display().to_string(), action: "read", reason };
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let packed = packed_path(path);
    match fs::read(path) {
        Err(error) if missing(&error) => {}
        other => return other.map_err(|error| failed(path, error)),
    }
    match fs::read(&packed) {
        Ok(bytes) => zstd::decode_all(&bytes[..]).map_err(|error| failed(&packed, error)),
        // Another process may have replaced one by the other in between; if not, the name that a user knows is reported.
        Err(error) if missing(&error) => fs::read(path).map_err(|error| failed(path, error)),
        Err(error) => Err(failed(&packed, error)),
    }
}

/// Decompresses a journal, so that it can be written again. Does nothing if it is not compressed.
///
/// # Errors
/// [`JournalError::Io`]; the journal is as it was then.
pub fn unpack(path: &Path) -> Result<(), JournalError> {
    let packed = packed_path(path);
    if !packed.exists() {
        return Ok(());
    }
    let failed = |reason| JournalError::Io { file: packed.display().to_string(), action: "decompress", reason };
    if !path.exists() {
        draft::replace(path, &read_packed(path)?).map_err(failed)?;
    }
    fs::remove_file(&packed).map_err(failed)
}

/// Saves results that are about to be replaced, under the first free name of [`old_names`]: a killed run must not lose the results of an
/// earlier one.
pub fn keep_old(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let create = |old: PathBuf| match File::create_new(&old) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
        created => Some(created.map(|file| (file, old))),
    };
    let (mut file, old) = old_names(path).find_map(create).ok_or(io::ErrorKind::AlreadyExists)??;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // The results are still in the file that is not replaced now.
        let _ = fs::remove_file(&old);
        return Err(error);
    }
    Ok(old)
}

/// Names for earlier results of a file or folder, next to it: `NAME.old`, `NAME.2.old` and so on.
pub fn old_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    let numbered = (2..=u32::MAX).map(|number| path.with_added_extension(format!("{number}.old")));
    std::iter::once(path.with_added_extension("old")).chain(numbered)
}

/// Appends the bytes that are cut off the end of the file at `path` to `NAME.cut`.
pub fn put_aside(path: &Path, tail: &[u8]) -> io::Result<PathBuf> {
    let aside = path.with_added_extension("cut");
    let file = OpenOptions::new().append(true).create(true).open(&aside)?;
    append_or_cut(&file, &[tail, b"\n"].concat())?;
    file.sync_all()?;
    Ok(aside)
}

/// Appends to a file that is open for appending. If not everything can be written, the file gets its former length again.
fn append_or_cut(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    let length = file.metadata()?.len();
    file.write_all(bytes).inspect_err(|_| {
        // If that fails too, a part of the bytes stays.
        let _ = file.set_len(length);
    })
}

fn is_summary(text: &[u8]) -> bool {
    /// The mark of a summary; all other fields are skipped.
    #[derive(serde::Deserialize)]
    struct SummaryMark {
        summary: bool,
    }
    serde_json::from_slice::<SummaryMark>(text).is_ok_and(|mark| mark.summary)
}

fn quote(text: &[u8]) -> String {
    epd::quote(&String::from_utf8_lossy(text))
}

/// Settings in which two pieces of work differ are an error.
fn compare<S: JournalHeader>(file: &str, found: &S, requested: &S) -> Result<(), JournalError> {
    let (then, now) = (found.binding(), requested.binding());
    let names = then.keys().chain(now.keys().filter(|name| !then.contains_key(*name)));
    let mut differences = Vec::new();
    for name in names {
        let (then, now) = (then.get(name), now.get(name));
        if then != now {
            let (then, now) = narrow(then, now);
            differences.push(format!("{}: {then} then, {now} now", S::flag(name)));
        }
    }
    let (file, differences) = (file.to_owned(), differences.join("; "));
    if !differences.is_empty() {
        return Err(JournalError::Settings { file, differences, terms: S::TERMS });
    }
    match found.change(requested) {
        Some(change) => Err(JournalError::Changed { file, change, terms: S::TERMS }),
        None => Ok(()),
    }
}

/// Two different settings in words: of objects the first field that differs, of lists of the same length the first elements that differ, of
/// other lists the first element that the other does not have.
fn narrow(found: Option<&Value>, requested: Option<&Value>) -> (String, String) {
    let show = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(value) => value.to_string(),
    };
    match (found, requested) {
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            let different = a.iter().zip(b).find(|(a, b)| a != b);
            different.map_or_else(|| (show(found), show(requested)), |(a, b)| narrow(Some(a), Some(b)))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            let only = |list: &[Value], other: &[Value]| list.iter().find(|value| !other.contains(value)).cloned();
            (show(only(a, b).as_ref()), show(only(b, a).as_ref()))
        }
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let names = a.keys().chain(b.keys());
            let different = names.map(|name| (name, a.get(name), b.get(name))).find(|(_, a, b)| a != b);
            different.map_or_else(
                || (show(found), show(requested)),
                |(name, a, b)| {
                    let (then, now) = narrow(a, b);
                    (format!("{name} {then}"), format!("{name} {now}"))
                },
            )
        }
        _ => (show(found), show(requested)),
    }
}

/// The text of a file, or nothing if it is not there.
///
/// # Errors
/// It is there and cannot be read.
pub fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: JournalTerms = JournalTerms {
        whole: "count",
        line: "number",
        again: "it is counted again",
        existing: "go on",
        writer: "count",
        elsewhere: "name another file",
    };

    #[derive(Clone, Serialize, serde::Deserialize)]
    struct Count {
        count: u32,
    }

    impl JournalHeader for Count {
        const TERMS: &'static JournalTerms = &TERMS;
        const PREFIX: &'static [u8] = b"{\"count\":";
    }

    const COUNT: Count = Count { count: 1 };
    /// Lines of a journal that is large.
    const MANY: usize = 5 << 18;

    /// A journal of `lines` lines in a temporary folder.
    fn journal(lines: usize) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("count.jsonl");
        fs::write(&path, "{\"count\":1}\n".to_owned() + &"7\n".repeat(lines)).expect("written");
        (folder, path)
    }

    #[test]
    fn of_two_settings_only_what_differs_is_shown() {
        for (then, now, expected) in [
            ("1", "2", ("1", "2")),
            ("null", "\"a\"", ("not given", "`a`")),
            ("[1, 2, 3]", "[1, 5, 6]", ("2", "5")),
            ("[1, 2, 3]", "[1, 3]", ("2", "not given")),
            (
                r#"{"name": "a", "list": ["x=1", "y=2"]}"#,
                r#"{"name": "a", "list": ["x=1", "y=3"]}"#,
                ("list `y=2`", "list `y=3`"),
            ),
            (r#"[{"a": 1}, {"b": {"c": 1}}]"#, r#"[{"a": 1}, {"b": {"c": null}}]"#, ("b c 1", "b c not given")),
        ] {
            let [a, b] = [then, now].map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
            let (then, now) = narrow(Some(&a), Some(&b));
            assert_eq!((then.as_str(), now.as_str()), expected);
        }
    }

    fn open(path: &Path) -> Result<Opened<Count, u32>, JournalError> {
        Journal::open(path, Existing::Resume, &COUNT)
    }

    fn seen(path: &Path) -> Result<Vec<u32>, JournalError> {
        let mut lines = Vec::new();
        read_only(path, &COUNT, &mut |line| {
            lines.push(line);
            Ok(())
        })
        .map(|()| lines)
    }

    #[test]
    fn a_large_journal_is_compressed_and_extended() {
        for (lines, is_large) in [(MANY, true), (9, false)] {
            let (_folder, path) = journal(lines);
            let plain = fs::read(&path).expect("a journal");
            open(&path).expect("a journal").journal.pack().expect("compressed");
            assert_eq!((packed_path(&path).exists(), path.exists()), (is_large, !is_large));
            assert_eq!(seen(&path).expect("a journal").len(), lines);
            unpack(&path).expect("a journal");
            assert!(!packed_path(&path).exists());
            assert_eq!(fs::read(&path).expect("a journal"), plain);
            let mut opened = open(&path).expect("a journal");
            opened.journal.append(&8).expect("written");
            assert_eq!(seen(&path).expect("a journal")[lines..], [8]);
        }
    }

    #[test]
    fn a_header_without_its_end_of_line_is_written_again() {
        let (_folder, path) = journal(0);
        for only_line in ["{\"count\":1", "{\"count\":1}", "{ \"count\": 1 }"] {
            fs::write(&path, only_line).expect("written");
            open(&path).expect(only_line).journal.append(&9).expect("written");
            assert_eq!(seen(&path).expect("a journal"), [9], "{only_line}");
        }
    }

    #[test]
    fn a_journal_that_was_compressed_while_another_process_waited_for_it_is_in_use() {
        let (_folder, path) = journal(1);
        let file = OpenOptions::new().read(true).append(true).open(&path).expect("a journal");
        fs::remove_file(&path).expect("removed");
        let waiting = Journal { file, path, is_device: false, synced: None };
        assert!(matches!(waiting.locked(&TERMS), Err(JournalError::InUse { .. })));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_header() {
        let (_folder, path) = journal(2);
        let marked = "\u{feff}".to_owned() + &fs::read_to_string(&path).expect("a journal");
        fs::write(&path, marked).expect("written");
        let lines = seen(&path).expect("a journal");
        assert_eq!((lines.len(), open(&path).expect("a journal").lines), (2, lines));
    }

    #[test]
    fn results_that_are_overwritten_twice_are_all_kept() {
        let (folder, path) = journal(1);
        let first = fs::read_to_string(&path).expect("a journal");
        let overwrite = || Journal::open::<_, u32>(&path, Existing::Overwrite, &COUNT).expect("asked for");
        let mut opened = overwrite();
        opened.journal.append(&8).expect("written");
        drop(opened);
        let notes = overwrite().notes;
        assert!(notes.len() == 1 && notes[0].ends_with("count.jsonl.2.old"), "{notes:?}");
        let kept = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
        assert_eq!([kept("count.jsonl.old"), kept("count.jsonl.2.old")], [first, "{\"count\":1}\n8\n".to_owned()]);
    }

    #[test]
    fn a_summary_is_reported_only_if_it_is_the_last_line() {
        let (_folder, path) = journal(1);
        let summary = "{\"summary\":true,\"sum\":7}";
        for (more, found) in [("", None), (summary, Some(summary)), ("8", None)] {
            let text = fs::read_to_string(&path).expect("a journal") + more + "\n";
            fs::write(&path, text).expect("written");
            assert_eq!(open(&path).expect("a journal").summary.as_deref(), found, "{more}");
        }
    }

    #[test]
    fn a_kill_between_the_two_files_of_a_journal_loses_nothing() {
        let (_folder, path) = journal(MANY);
        open(&path).expect("a journal").journal.pack().expect("compressed");
        let packed = fs::read(packed_path(&path)).expect("a compressed journal");
        unpack(&path).expect("a journal");
        open(&path).expect("a journal").journal.append(&8).expect("written");
        fs::write(packed_path(&path), packed).expect("the older file");
        assert_eq!(seen(&path).expect("a journal").len(), MANY + 1);
        unpack(&path).expect("a journal");
        assert_eq!(seen(&path).expect("a journal").len(), MANY + 1);
    }

    #[test]
    fn a_damaged_compressed_journal_is_named_and_stays() {
        let (_folder, path) = journal(MANY);
        open(&path).expect("a journal").journal.pack().expect("compressed");
        let mut packed = fs::read(packed_path(&path)).expect("a compressed journal");
        let middle = packed.len() / 2;
        packed[middle] ^= 1;
        fs::write(packed_path(&path), &packed).expect("written");
        for error in [seen(&path).map(drop), unpack(&path)] {
            assert!(error.expect_err("damaged").to_string().contains("count.jsonl.zst`: "));
        }
        assert!(!path.exists() && fs::read(packed_path(&path)).expect("it stays") == packed);
    }

    #[test]
    fn read_only_access_names_a_damaged_line_and_omits_a_torn_one() {
        let (_folder, path) = journal(3);
        let torn = fs::read_to_string(&path).expect("a journal") + "12";
        fs::write(&path, &torn).expect("written");
        assert_eq!(seen(&path).expect("a journal"), [7, 7, 7]);
        assert_eq!(fs::read_to_string(&path).expect("a journal"), torn);
        fs::write(&path, torn.replacen("7\n7", "7\nx", 1)).expect("written");
        let message = seen(&path).expect_err("damaged").to_string();
        assert!(message.contains("count.jsonl:3: `x` is not a number"), "{message}");
        for (only_line, is_header) in [("", true), ("{\"cou", true), ("{\"count\":1", true), ("{\"xount\":1}", false)] {
            fs::write(&path, only_line).expect("written");
            assert_eq!(seen(&path).is_ok(), is_header, "`{only_line}`");
        }
    }
}
