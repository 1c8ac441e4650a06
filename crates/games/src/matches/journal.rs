//! The journal of a match: JSON lines, appended only, each on the disk before the work goes on.
//!
//! The first line holds the settings, every further one a finished pair, in the order in which they finished; once a match is
//! over, a summary follows. A process that dies can at worst leave half a line at the end. Such a tail is put aside into a
//! file of its own before the journal goes on.

use super::line::PairLine;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The version of the format.
pub const VERSION: u64 = 1;
/// What every journal begins with.
const BEGINNING: &[u8] = b"{\"match\":";
/// Settings that only say how long a match goes on: a match may be resumed with others.
const MAY_DIFFER: [&str; 3] = ["games", "sprt", "date"];
/// The flags behind settings whose names differ from theirs.
const FLAGS: [(&str, &str); 4] =
    [("players", "player"), ("pace", "tc, --nodes or --depth"), ("engine", ""), ("match", "")];

/// The settings of a match: the first line of its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    #[serde(rename = "match")]
    pub version: u64,
    /// The program.
    pub engine: String,
    /// The day it began (UTC, `yyyy.mm.dd`).
    pub date: String,
    /// What identifies each player.
    pub players: Vec<Entrant>,
    /// Who plays whom.
    pub format: super::schedule::Format,
    /// Games for each pairing.
    pub games: usize,
    /// All other settings by name.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// A player in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// What it is called in the results, different from all others.
    pub name: String,
    /// What it was asked for by.
    pub spec: String,
    /// What else decides its play.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// What to do with results that are there already.
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
pub enum JournalError {
    /// It cannot be opened, read or written.
    #[error("{file}: {what} ({reason}); check the path, the permissions and the space on the disk")]
    Io {
        /// The file.
        file: String,
        /// What failed.
        what: &'static str,
        /// What the operating system says.
        reason: io::Error,
    },
    /// It is no file.
    #[error("{file}: is no file that results can be read from again; give another path, or - for stdout")]
    NoFile {
        /// What was named.
        file: String,
    },
    /// There are results in it.
    #[error("{file}: holds results already; go on with --resume, replace them with --overwrite, or name another file")]
    Exists {
        /// The file.
        file: String,
    },
    /// Another process is writing to it.
    #[error("{file}: in use by another match; wait for its end or name another file")]
    InUse {
        /// The file.
        file: String,
    },
    /// The first line holds no settings.
    #[error(
        "{file}:1: `{text}` is no beginning of a match ({reason}); --resume needs a file written by `match --json`"
    )]
    NoHeader {
        /// The file.
        file: String,
        /// What stands there.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It belongs to a match with other settings.
    #[error(
        "{file}: this match was begun with other settings, and mixing them would spoil it; {differences}. \
         Give the same values, or name another file"
    )]
    Settings {
        /// The file.
        file: String,
        /// Every setting that differs, then and now.
        differences: String,
    },
    /// A line in the middle is damaged.
    #[error("{file}:{line}: `{text}` is no finished pair ({reason}); restore this line or remove it")]
    Line {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What stands there.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// How a user knows a setting.
fn flag(setting: &str) -> String {
    let flag = FLAGS.iter().find(|(name, _)| *name == setting).map_or(setting, |(_, flag)| flag);
    if flag.is_empty() { setting.to_owned() } else { format!("--{flag}") }
}

/// An open journal, locked against other processes.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Is it a device or a pipe, which is written and never read?
    is_device: bool,
}

/// What was found in a journal.
#[derive(Debug)]
pub struct Opened {
    /// The journal, ready for the next line.
    pub journal: Journal,
    /// Its settings: those of the first run if it was resumed.
    pub header: Header,
    /// The pairs that were finished before.
    pub pairs: Vec<PairLine>,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Journal {
    /// Opens the journal at `path` for a match with the settings `header`.
    pub fn open(path: &Path, existing: Existing, header: &Header) -> Result<Opened, JournalError> {
        let mut journal = Journal::lock(path)?;
        let mut bytes = Vec::new();
        if journal.is_device {
            // A device holds no results, and may have no end.
            if existing == Existing::Resume {
                return Err(JournalError::NoFile { file: journal.name() });
            }
        } else {
            journal.file.read_to_end(&mut bytes).map_err(|e| journal.failed("cannot be read", e))?;
        }
        let mut opened = Opened { journal, header: header.clone(), pairs: Vec::new(), notes: Vec::new() };
        let used = !bytes.trim_ascii().is_empty();
        match existing {
            Existing::Keep if used => return Err(JournalError::Exists { file: opened.journal.name() }),
            Existing::Resume if used => opened.read(&bytes, header)?,
            _ => {
                if used {
                    let old = keep_old(path, &bytes).map_err(|e| opened.journal.failed("cannot be replaced", e))?;
                    opened.notes.push(format!("{}: the earlier results are in {}", path.display(), old.display()));
                }
                opened.journal.cut(0)?;
                opened.journal.append(header)?;
                opened.journal.enter();
            }
        }
        Ok(opened)
    }

    fn lock(path: &Path) -> Result<Journal, JournalError> {
        let failed = |what, reason| JournalError::Io { file: path.display().to_string(), what, reason };
        let is_device = path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
        let file = OpenOptions::new().read(!is_device).append(true).create(!is_device).open(path);
        let file = file.map_err(|e| failed("cannot be opened for writing", e))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { file: path.display().to_string() }),
            // File systems without locks are used without one.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        Ok(Journal { file, path: path.to_owned(), is_device })
    }

    /// Writes a line and waits until it is on the disk.
    pub fn append<T: Serialize>(&mut self, line: &T) -> Result<(), JournalError> {
        let mut text = serde_json::to_string(line).map_err(|e| self.failed("cannot be written", e.into()))?;
        text.push('\n');
        let sync = || if self.is_device { Ok(()) } else { self.file.sync_data() };
        let written = (&self.file).write_all(text.as_bytes()).and_then(|()| sync());
        written.map_err(|e| self.failed("cannot be written", e))
    }

    /// Makes sure that the folder knows a new file. Not every system can, and the lines are safe without it almost always.
    fn enter(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn failed(&self, what: &'static str, reason: io::Error) -> JournalError {
        JournalError::Io { file: self.name(), what, reason }
    }

    fn cut(&mut self, length: usize) -> Result<(), JournalError> {
        if self.is_device {
            return Ok(());
        }
        let cut = self.file.set_len(length as u64).and_then(|()| self.file.seek(io::SeekFrom::End(0)));
        cut.map(drop).map_err(|e| self.failed("cannot be written", e))
    }
}

impl Opened {
    /// Takes over what stands in the journal. Nothing is changed before all of it was found to be in order.
    fn read(&mut self, bytes: &[u8], asked: &Header) -> Result<(), JournalError> {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (whole, tail) = bytes.split_at(end);
        let mut lines = (1..).zip(whole.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
        match lines.next() {
            Some((_, first)) => {
                let header = self.header_in(first)?;
                compare(&self.journal.name(), &header, asked)?;
                self.header = header;
                self.pairs = lines.filter_map(|(line, text)| self.pair_in(line, text)).collect::<Result<_, _>>()?;
                self.mend(end, tail)
            }
            None if tail.starts_with(BEGINNING) || BEGINNING.starts_with(tail) => {
                self.mend(end, tail)?;
                self.journal.append(asked)
            }
            None => self.header_in(tail).map(drop),
        }
    }

    fn header_in(&self, text: &[u8]) -> Result<Header, JournalError> {
        serde_json::from_slice(text).map_err(|e| JournalError::NoHeader {
            file: self.journal.name(),
            text: quote(text),
            reason: e.to_string(),
        })
    }

    /// The pair in a line; nothing in a summary.
    fn pair_in(&self, line: usize, text: &[u8]) -> Option<Result<PairLine, JournalError>> {
        if is_summary(text) {
            return None;
        }
        Some(serde_json::from_slice(text).map_err(|e| JournalError::Line {
            file: self.journal.name(),
            line,
            text: quote(text),
            reason: e.to_string(),
        }))
    }

    /// Puts a torn line at the end aside; what is left are the first `end` bytes.
    fn mend(&mut self, end: usize, tail: &[u8]) -> Result<(), JournalError> {
        if tail.is_empty() {
            return Ok(());
        }
        let aside = put_aside(&self.journal.path, tail).map_err(|e| self.journal.failed("cannot be mended", e))?;
        self.journal.cut(end)?;
        self.notes.push(format!(
            "{}: the last line was cut off in the middle; its {} bytes were moved to {}, and the pair is played again",
            self.journal.name(),
            tail.len(),
            aside.display()
        ));
        Ok(())
    }
}

/// Saves results that are about to be replaced, next to their file: a match that is killed must not cost those of another.
pub fn keep_old(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(".old");
    let old = PathBuf::from(name);
    let mut file = File::create(&old)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(old)
}

/// Saves what is cut off the end of the file at `path`, next to it.
pub fn put_aside(path: &Path, tail: &[u8]) -> io::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(".cut");
    let aside = PathBuf::from(name);
    let mut file = OpenOptions::new().append(true).create(true).open(&aside)?;
    file.write_all(tail)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    Ok(aside)
}

fn is_summary(text: &[u8]) -> bool {
    serde_json::from_slice::<Value>(text).is_ok_and(|value| value.get("summary") == Some(&Value::Bool(true)))
}

fn quote(text: &[u8]) -> String {
    quarterply_files::epd::quote(&String::from_utf8_lossy(text))
}

/// Settings in which two matches differ are an error.
fn compare(file: &str, found: &Header, asked: &Header) -> Result<(), JournalError> {
    let (found, asked) = (settings(found), settings(asked));
    let names = found.keys().chain(asked.keys().filter(|name| !found.contains_key(*name)));
    let mut differences = Vec::new();
    for name in names.filter(|name| !MAY_DIFFER.contains(&name.as_str())) {
        let (then, now) = (found.get(name), asked.get(name));
        if then != now {
            let (then, now) = narrow(then, now);
            differences.push(format!("{}: {then} then, {now} now", flag(name)));
        }
    }
    let differences = differences.join("; ");
    if differences.is_empty() { Ok(()) } else { Err(JournalError::Settings { file: file.to_owned(), differences }) }
}

fn settings(header: &Header) -> Map<String, Value> {
    match serde_json::to_value(header) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Of two lists of the same length only the first elements that differ are shown.
fn narrow(found: Option<&Value>, asked: Option<&Value>) -> (String, String) {
    if let (Some(Value::Array(a)), Some(Value::Array(b))) = (found, asked)
        && a.len() == b.len()
        && let Some((a, b)) = a.iter().zip(b).find(|(a, b)| a != b)
    {
        return (a.to_string(), b.to_string());
    }
    let show = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(value) => value.to_string(),
    };
    (show(found), show(asked))
}

/// The text of a file, or nothing if it is not there.
pub fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Format;
    use super::*;
    use serde_json::json;
    use tempfile::TempDir;

    fn header() -> Header {
        let player = |name: &str| Entrant { name: name.to_owned(), spec: name.to_owned(), details: Vec::new() };
        let mut settings = Map::new();
        settings.insert("pace".to_owned(), json!("2000 nodes a move"));
        settings.insert("hash".to_owned(), json!(16));
        Header {
            version: VERSION,
            engine: "q 1".to_owned(),
            date: "2026.01.02".to_owned(),
            players: vec![player("a"), player("b")],
            format: Format::Gauntlet,
            games: 10,
            settings,
        }
    }

    fn pair(number: usize) -> PairLine {
        PairLine {
            pair: number,
            players: ["a".to_owned(), "b".to_owned()],
            opening: "fen".to_owned(),
            points: 0.0,
            games: Vec::new(),
        }
    }

    /// A journal with two pairs.
    fn written() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut opened = Journal::open(&path, Existing::Keep, &header()).expect("a new file");
        assert!(opened.pairs.is_empty() && opened.notes.is_empty());
        for number in [1, 2] {
            opened.journal.append(&pair(number)).expect("written");
        }
        (folder, path)
    }

    fn resume(path: &Path, header: &Header) -> Result<Opened, JournalError> {
        Journal::open(path, Existing::Resume, header)
    }

    #[test]
    fn what_was_written_is_found_again() {
        let (_folder, path) = written();
        let begun_later = Header { date: "2026.01.03".to_owned(), games: 20, ..header() };
        let mut opened = resume(&path, &begun_later).expect("the same match");
        assert_eq!((opened.pairs, opened.header.date.as_str()), (vec![pair(1), pair(2)], "2026.01.02"));
        opened.journal.append(&json!({"summary": true, "games": 4})).expect("written");
        drop(opened.journal);
        assert_eq!(resume(&path, &header()).expect("the same match").pairs.len(), 2);
    }

    #[test]
    fn results_are_never_replaced_unasked() {
        let (_folder, path) = written();
        let before = fs::read(&path).expect("the file");
        let error = Journal::open(&path, Existing::Keep, &header()).expect_err("it is used").to_string();
        assert!(error.contains("--resume") && error.contains("--overwrite"), "{error}");
        assert_eq!(fs::read(&path).expect("the file"), before);
        let opened = Journal::open(&path, Existing::Overwrite, &header()).expect("asked for");
        drop(opened);
        assert_eq!(fs::read_to_string(&path).expect("the file").lines().count(), 1);
    }

    #[test]
    fn a_torn_tail_is_put_aside_wherever_it_was_cut() {
        let (_folder, path) = written();
        let whole = fs::read(&path).expect("the file");
        let header_end = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
        let first_end = header_end + (whole.len() - header_end) / 2;
        for (cut, pairs) in [
            (1, 0),
            (header_end - 1, 0),
            (header_end, 0),
            (header_end + 1, 0),
            (first_end - 1, 0),
            (first_end, 1),
            (whole.len() - 1, 1),
            (whole.len(), 2),
        ] {
            fs::write(&path, &whole[..cut]).expect("cut");
            let _ = fs::remove_file(path.with_extension("jsonl.cut"));
            let opened = resume(&path, &header()).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
            let clean = whole[..cut].ends_with(b"\n");
            assert_eq!((opened.pairs.len(), opened.notes.is_empty()), (pairs, clean), "cut at {cut}");
            drop(opened);
            let kept = fs::read(&path).expect("the file");
            assert!(whole.starts_with(&kept) && kept.ends_with(b"\n"), "cut at {cut}");
            let aside = read_if_there(&path.with_extension("jsonl.cut")).expect("readable");
            assert_eq!(aside.is_empty(), clean, "cut at {cut}");
        }
    }

    #[test]
    fn another_match_is_refused_by_name_and_left_alone() {
        let (_folder, path) = written();
        let before = fs::read(&path).expect("the file");
        let with = |change: &dyn Fn(&mut Header)| {
            let mut other = header();
            change(&mut other);
            resume(&path, &other).map(drop).expect_err("another match").to_string()
        };
        for (message, needles) in [
            (with(&|h| h.players[1].spec = "c".to_owned()), ["--player", "\"spec\":\"b\"", "\"spec\":\"c\""]),
            (with(&|h| drop(h.players.pop())), ["--player", "\"b\"", "now"]),
            (with(&|h| h.format = Format::RoundRobin), ["--format", "gauntlet", "round-robin"]),
            (with(&|h| h.engine = "q 2".to_owned()), ["engine", "`q 1` then, `q 2` now", "the same values"]),
            (with(&|h| drop(h.settings.insert("hash".into(), json!(32)))), ["--hash", "16 then", "32 now"]),
            (with(&|h| drop(h.settings.remove("hash"))), ["--hash", "16 then", "not given now"]),
            (with(&|h| drop(h.settings.insert("seed".into(), json!(7)))), ["--seed", "not given then", "7 now"]),
        ] {
            assert!(needles.iter().all(|needle| message.contains(needle)), "{needles:?}: {message}");
        }
        assert_eq!(fs::read(&path).expect("the file"), before);
    }

    #[test]
    fn files_of_another_kind_are_refused_and_left_alone() {
        let (folder, path) = written();
        let text = fs::read_to_string(&path).expect("the file");
        let lines: Vec<&str> = text.lines().collect();
        let damaged = format!("{}\n{}\n{}\n", lines[0], &lines[1][..lines[1].len() / 2], lines[2]);
        for (name, content, needle) in [
            ("no journal", "[Event \"x\"]\n\n1. e4 *\n", "out.jsonl:1: `[Event \"x\"]` is no beginning of a match"),
            ("one line", "precious", "`precious` is no beginning of a match"),
            ("no header", lines[1], "is no beginning of a match"),
            ("damaged", &damaged, "out.jsonl:2: `{\"pair\":1"),
        ] {
            fs::write(&path, content).expect("written");
            let message = resume(&path, &header()).map(drop).expect_err(name).to_string();
            assert!(message.contains(needle), "{name}: {message}");
            assert_eq!(fs::read_to_string(&path).expect("the file"), content, "{name}");
        }
        let message = resume(folder.path(), &header()).map(drop).expect_err("a folder").to_string();
        assert!(message.contains("cannot be opened"), "{message}");
    }

    #[test]
    fn two_processes_cannot_share_a_journal() {
        let (_folder, path) = written();
        let opened = resume(&path, &header()).expect("the first");
        let message = resume(&path, &header()).map(drop).expect_err("the second").to_string();
        assert!(message.contains("in use by another match"), "{message}");
        drop(opened);
        resume(&path, &header()).expect("free again");
    }
}
