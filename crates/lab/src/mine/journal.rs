//! The journal of a dig: one line of JSON for the plan, then one for each finished game.
//!
//! A line is on the disk before the next game of that worker begins. A line that was cut off, as by a loss of power, is taken
//! off when the journal is opened again; its game is mined anew.

use super::{Mined, Plan, dig, play, sieve};
use quarterply_files::bench;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use thiserror::Error;

/// First word of every journal.
const KIND: &str = "quarterply mine";
/// Version of the format and of the procedure: to be raised when the same arguments find other positions.
const FORMAT: u32 = 1;
/// Depth of the searches whose nodes tell one engine from another (plies).
const SIGNATURE_DEPTH: u32 = 7;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be opened, read or written.
    #[error(
        "{file}: cannot be used as a journal ({reason}); check the path, the permissions and the space on the disk"
    )]
    Io {
        /// The file.
        file: String,
        /// What the operating system says.
        reason: io::Error,
    },
    /// Another run writes it.
    #[error("{file}: another run is writing this journal; wait for it or give another path to --journal")]
    Busy {
        /// The file.
        file: String,
    },
    /// It is something else.
    #[error("{file}: no journal of `mine` (line 1 is `{text}`); give another path to --journal")]
    Foreign {
        /// The file.
        file: String,
        /// Its first line.
        text: String,
    },
    /// It is of another dig.
    #[error(
        "{file}: journal of another dig ({name} is `{theirs}` there and `{ours}` here); give the arguments and the build it \
         was begun with, or another path to --journal"
    )]
    Other {
        /// The file.
        file: String,
        /// What differs.
        name: String,
        /// Its value in the journal.
        theirs: String,
        /// Its value now.
        ours: String,
    },
    /// A line in the middle is damaged.
    #[error("{file}:{line}: damaged (`{text}`); delete this line, and its game is mined again")]
    Damaged {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// Its beginning.
        text: String,
    },
}

/// The first line: everything that the finds depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    journal: String,
    format: u32,
    plan: BTreeMap<String, String>,
}

impl Header {
    fn new(plan: &Plan, games: &str) -> Header {
        let engine = bench::signature(&plan.parameters, SIGNATURE_DEPTH, usize::MAX);
        let referee = plan.referee.as_ref().map_or_else(
            || "none".to_owned(),
            |(setup, nodes)| format!("{}, {nodes} nodes", setup.name.as_deref().unwrap_or("unnamed")),
        );
        let entries = [
            ("engine", format!("{engine} nodes at depth {SIGNATURE_DEPTH}")),
            ("games", games.to_owned()),
            ("marks", format!("{}; {}; {}", play::marks(), dig::marks(), sieve::marks())),
            ("nodes", plan.deep_nodes.to_string()),
            ("play-nodes", plan.play_nodes.to_string()),
            ("referee", referee),
            ("shallow-nodes", plan.shallow_nodes.to_string()),
            ("verify-nodes", plan.verify_nodes.to_string()),
        ];
        let plan = entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Header { journal: KIND.to_owned(), format: FORMAT, plan }
    }

    /// The first entry in which the header of a file differs: name, theirs, ours.
    fn difference(&self, theirs: &Header) -> Option<(String, String, String)> {
        let none = || "nothing".to_owned();
        let names = self.plan.keys().chain(theirs.plan.keys());
        names
            .map(|name| (name, theirs.plan.get(name), self.plan.get(name)))
            .find(|(_, a, b)| a != b)
            .map(|(name, a, b)| (name.clone(), a.cloned().unwrap_or_else(none), b.cloned().unwrap_or_else(none)))
    }
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    name: String,
    file: File,
    done: BTreeMap<u64, Mined>,
}

impl Journal {
    /// Opens a journal, or begins a new one, for the dig of `plan` in the games called `games`.
    ///
    /// # Errors
    /// [`JournalError`] if it is none, of another dig, or cannot be used.
    pub fn open(path: &Path, plan: &Plan, games: &str) -> Result<Journal, JournalError> {
        let name = path.display().to_string();
        let failed = |reason| JournalError::Io { file: name.clone(), reason };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { file: name }),
            Err(TryLockError::Error(_)) => {} // a file system without locks still keeps a journal
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let header = Header::new(plan, games);
        let done = read(&name, &bytes[..whole], &header)?;
        if whole == 0 && !torn_header(&bytes, &header) {
            return Err(JournalError::Foreign { file: name, text: beginning(&bytes) });
        }
        file.set_len(whole as u64).map_err(failed)?;
        let mut journal = Journal { name, file, done };
        if whole == 0 {
            journal.line(&header)?;
        }
        Ok(journal)
    }

    /// The finished games, by number.
    pub fn done(&self) -> &BTreeMap<u64, Mined> {
        &self.done
    }

    /// Notes a finished game; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub fn note(&mut self, mined: &Mined) -> Result<(), JournalError> {
        self.line(mined)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let text = serde_json::to_string(value).map_err(io::Error::from);
        let written = text.and_then(|text| {
            self.file.write_all(format!("{text}\n").as_bytes())?;
            self.file.sync_data()
        });
        written.map_err(|reason| JournalError::Io { file: self.name.clone(), reason })
    }
}

/// Is this what is left of a journal that was cut off in its first line? Nothing at all is, too.
fn torn_header(bytes: &[u8], header: &Header) -> bool {
    serde_json::to_string(header).is_ok_and(|text| text.as_bytes().starts_with(bytes))
}

fn read(file: &str, bytes: &[u8], header: &Header) -> Result<BTreeMap<u64, Mined>, JournalError> {
    let mut done = BTreeMap::new();
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if index == 0 {
            let theirs = serde_json::from_slice::<Header>(line).ok();
            let theirs = theirs.filter(|theirs| theirs.journal == KIND && theirs.format == FORMAT);
            let foreign = || JournalError::Foreign { file: file.to_owned(), text: beginning(line) };
            if let Some((name, theirs, ours)) = header.difference(&theirs.ok_or_else(foreign)?) {
                return Err(JournalError::Other { file: file.to_owned(), name, theirs, ours });
            }
            continue;
        }
        let damaged = |_| JournalError::Damaged { file: file.to_owned(), line: index + 1, text: beginning(line) };
        let mined: Mined = serde_json::from_slice(line).map_err(damaged)?;
        done.insert(mined.game, mined);
    }
    Ok(done)
}

/// Enough of a line to recognise it.
fn beginning(line: &[u8]) -> String {
    const LENGTH: usize = 60;
    String::from_utf8_lossy(line).trim_end().chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Source, Task, run};
    use super::*;
    use quarterply_engine::params::Parameters;
    use std::fs;
    use std::path::PathBuf;

    const GAMES: u64 = 6;
    const NAME: &str = "played, seed 3";

    fn plan(workers: usize) -> Plan {
        Plan {
            parameters: Parameters::default(),
            play_nodes: 60,
            shallow_nodes: 60,
            deep_nodes: 1000,
            verify_nodes: 4000,
            referee: None,
            workers,
            stop: Default::default(),
        }
    }

    fn dig(workers: usize, path: Option<&Path>, games: u64) -> Vec<Mined> {
        let plan = plan(workers);
        let mut journal = path.map(|path| Journal::open(path, &plan, NAME).expect("a journal"));
        let task = |number| Task { number, source: Source::Play { seed: 3 } };
        run(&plan, &(0..games).map(task).collect::<Vec<_>>(), &mut journal, &mut |_| {}).expect("mined")
    }

    fn journal() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("dig.jsonl");
        (folder, path)
    }

    #[test]
    fn a_dig_that_was_broken_off_anywhere_finds_the_same() {
        let whole = dig(1, None, GAMES);
        assert!(whole.iter().any(|game| !game.finds.is_empty()), "nothing to compare");
        let (_folder, path) = journal();
        assert_eq!(dig(1, Some(&path), 2), whole[..2]);
        assert_eq!(dig(2, Some(&path), GAMES), whole);
        let bytes = fs::read(&path).expect("the journal");
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
        let ends = ends.collect::<Vec<_>>();
        assert_eq!(ends.len() as u64, 1 + GAMES);
        // Nothing, the middle of the first line, just before and after an end of line, the middle of the last line.
        for length in [0, 20, ends[0], ends[0] + 1, ends[3], ends[3] + 1, bytes.len() - 9] {
            fs::write(&path, &bytes[..length]).expect("written");
            assert_eq!(dig(2, Some(&path), GAMES), whole, "cut after {length} bytes");
            let again = fs::read_to_string(&path).expect("the journal");
            assert_eq!((again.lines().count() as u64, again.ends_with('\n')), (1 + GAMES, true), "{length}");
        }
    }

    #[test]
    fn finished_games_are_not_mined_again() {
        let (_folder, path) = journal();
        dig(1, Some(&path), 1);
        let marked = fs::read_to_string(&path).expect("the journal").replace("\"positions\":", "\"positions\":9");
        fs::write(&path, &marked).expect("written");
        let shown = dig(1, Some(&path), 1)[0].tally.positions.to_string();
        assert!(shown.starts_with('9'), "{shown}");
        assert_eq!(fs::read_to_string(&path).expect("the journal"), marked);
    }

    #[test]
    fn journals_of_other_digs_are_refused_and_stay() {
        let (_folder, path) = journal();
        dig(1, Some(&path), 1);
        let before = fs::read(&path).expect("the journal");
        let mut other = Parameters::default();
        other.set("null_move.on", 0).expect("a switch");
        for (name, plan, games, needle) in [
            ("seed", plan(1), "played, seed 4", "games is `played, seed 3` there and `played, seed 4` here"),
            ("engine", Plan { parameters: other, ..plan(1) }, NAME, "engine is `"),
            ("play", Plan { play_nodes: 61, ..plan(1) }, NAME, "play-nodes is `60` there and `61` here"),
            ("shallow", Plan { shallow_nodes: 61, ..plan(1) }, NAME, "shallow-nodes is `60`"),
            ("deep", Plan { deep_nodes: 1001, ..plan(1) }, NAME, "(nodes is `1000`"),
            ("verify", Plan { verify_nodes: 4001, ..plan(1) }, NAME, "verify-nodes is `4000`"),
        ] {
            let message = Journal::open(&path, &plan, games).expect_err(name).to_string();
            assert!(message.contains(needle) && message.contains("another path to --journal"), "{name}: {message}");
        }
        assert!(Journal::open(&path, &plan(7), NAME).is_ok(), "workers do not matter");
        assert_eq!(fs::read(&path).expect("the journal"), before);
    }

    #[test]
    fn other_files_and_damaged_lines_are_named_and_stay() {
        let (folder, path) = journal();
        dig(1, Some(&path), 2);
        let text = fs::read_to_string(&path).expect("the journal");
        let lines = text.lines().collect::<Vec<_>>();
        for (name, content, needle) in [
            ("no journal", "1. e4 e5\n".to_owned(), "line 1 is `1. e4 e5`"),
            ("no end of line", "1. e4 e5".to_owned(), "line 1 is `1. e4 e5`"),
            ("other JSON", "{\"journal\":\"match\",\"format\":1,\"plan\":{}}\n".to_owned(), "no journal of `mine`"),
            ("other format", text.replacen("\"format\":1", "\"format\":0", 1), "no journal of `mine`"),
            ("damaged", format!("{}\n{{\"ga\n{}\n", lines[0], lines[1]), ":2: damaged (`{\"ga`)"),
            ("illegal", text.replacen("\"finds\":[", "\"finds\":[{\"fen\":\"8/8\"}", 1), ":2: damaged"),
        ] {
            fs::write(&path, &content).expect("written");
            let message = Journal::open(&path, &plan(1), NAME).expect_err(name).to_string();
            assert!(message.contains(needle), "{name}: {message}");
            assert_eq!(fs::read_to_string(&path).expect("the journal"), content, "{name}");
        }
        let message = Journal::open(folder.path(), &plan(1), NAME).expect_err("a folder").to_string();
        assert!(message.contains("cannot be used as a journal"), "{message}");
    }

    #[test]
    fn a_journal_is_written_by_one_run_at_a_time() {
        let (_folder, path) = journal();
        let first = Journal::open(&path, &plan(1), NAME).expect("a new journal");
        let message = Journal::open(&path, &plan(1), NAME).expect_err("in use").to_string();
        assert!(message.contains("another run is writing this journal"), "{message}");
        drop(first);
        assert!(Journal::open(&path, &plan(1), NAME).is_ok());
    }
}
