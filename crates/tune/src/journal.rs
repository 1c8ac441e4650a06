//! The journal of a run: every measurement, in an SQLite file.
//!
//! One row holds the results of one task: the probes of one candidate that a worker took at once. A row is written in a transaction of
//! its own as soon as the task is done, so a process that is killed loses no more than the tasks it was working on. Bodies are
//! compressed and carry a checksum.

mod body;

use super::error::TuneError;
use super::measure::{Measure, Outcome, Probe};
use super::space::Candidate;
use body::Kind;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file in a run's folder.
pub const FILE: &str = "journal.sqlite";
/// How long to wait for another process that reads or writes.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages after which the write-ahead log is moved into the file: it stays small.
const CHECKPOINT_PAGES: u32 = 100;

const SCHEMA: &str = "
    CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE candidates (id INTEGER PRIMARY KEY, point BLOB NOT NULL UNIQUE);
    CREATE TABLE measures (
        id INTEGER PRIMARY KEY,
        candidate INTEGER NOT NULL REFERENCES candidates (id),
        kind INTEGER NOT NULL,
        opponent INTEGER REFERENCES candidates (id),
        body BLOB NOT NULL
    );";

/// An open journal.
pub struct Journal {
    path: PathBuf,
    connection: Connection,
    ids: HashMap<Candidate, i64>,
}

impl Journal {
    /// Makes an empty journal that belongs to the run with this identity.
    pub fn create(folder: &Path, identity: &str) -> Result<Journal, TuneError> {
        let path = folder.join(FILE);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = Connection::open_with_flags(&path, flags).map_err(|e| fault(&path, &e))?;
        let journal = Journal { path, connection, ids: HashMap::new() };
        journal.prepare_to_write().map_err(|e| journal.fault(&e))?;
        let made = journal.connection.execute_batch(&format!("BEGIN; {SCHEMA}")).and_then(|()| {
            journal.connection.execute("INSERT INTO about VALUES ('identity', ?1)", [identity])?;
            journal.connection.execute_batch("COMMIT")
        });
        made.map_err(|e| journal.fault(&e))?;
        Ok(journal)
    }

    /// Is there no journal in this folder, or one without tables, because the process was killed that was about to make it?
    pub fn is_missing(folder: &Path) -> bool {
        let path = folder.join(FILE);
        let tables = |connection: Connection| {
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))
        };
        let count = || Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(tables);
        !path.exists() || count().is_ok_and(|count| count == 0)
    }

    /// Opens the journal of the run with this identity, to go on or only to look.
    pub fn open(folder: &Path, identity: &str, write: bool) -> Result<Journal, TuneError> {
        let path = folder.join(FILE);
        let access = if write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
        let connection = Connection::open_with_flags(&path, access).map_err(|e| fault(&path, &e))?;
        let mut journal = Journal { path, connection, ids: HashMap::new() };
        journal.check(identity)?;
        if write {
            journal.prepare_to_write().map_err(|e| journal.fault(&e))?;
        }
        journal.ids = journal.read_ids()?.into_iter().map(|(id, candidate)| (candidate, id)).collect();
        Ok(journal)
    }

    fn prepare_to_write(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(PATIENCE)?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)
    }

    /// Is it whole, and does it belong to the run?
    fn check(&self, identity: &str) -> Result<(), TuneError> {
        self.connection.busy_timeout(PATIENCE).map_err(|e| self.fault(&e))?;
        let state: String =
            self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|e| self.fault(&e))?;
        if state != "ok" {
            return Err(self.damaged(&state));
        }
        let found: Option<String> = self
            .connection
            .query_row("SELECT value FROM about WHERE key = 'identity'", [], |row| row.get(0))
            .optional()
            .map_err(|e| self.fault(&e))?;
        if found.as_deref() == Some(identity) {
            return Ok(());
        }
        let found = found.unwrap_or_else(|| "no run".to_owned());
        let reason = format!(
            "belongs to another run ({found}, not {identity}); run.toml was changed or the files were mixed: restore them"
        );
        Err(TuneError::Journal { path: self.path.clone(), reason })
    }

    /// Ties the journal to the bounds of its run, which are told if they differ. A journal of an older program knows none.
    pub fn bind(&self, bounds: &str, write: bool) -> Result<(), TuneError> {
        let known: Option<String> = self
            .connection
            .query_row("SELECT value FROM about WHERE key = 'bounds'", [], |row| row.get(0))
            .optional()
            .map_err(|e| self.fault(&e))?;
        let Some(known) = known else {
            let add = "INSERT INTO about VALUES ('bounds', ?1)";
            return if write {
                self.connection.execute(add, [bounds]).map(drop).map_err(|e| self.fault(&e))
            } else {
                Ok(())
            };
        };
        let differs = known.lines().zip(bounds.lines()).find(|(then, now)| then != now);
        match differs {
            None => Ok(()),
            Some((then, now)) => {
                let reason = format!(
                    "was measured within other bounds (`{then}`, and run.toml says `{now}`); restore run.toml, or begin a new run"
                );
                Err(TuneError::Journal { path: self.path.clone(), reason })
            }
        }
    }

    fn fault(&self, error: &rusqlite::Error) -> TuneError {
        fault(&self.path, error)
    }

    fn damaged(&self, what: &str) -> TuneError {
        damaged(&self.path, what)
    }

    /// Adds a finished task.
    pub fn add(&mut self, outcome: &Outcome) -> Result<(), TuneError> {
        let candidate = self.id_of(&outcome.task.candidate)?;
        for part in body::pack(outcome) {
            let opponent = part.opponent.as_ref().map(|opponent| self.id_of(opponent)).transpose()?;
            self.connection
                .prepare_cached("INSERT INTO measures (candidate, kind, opponent, body) VALUES (?1, ?2, ?3, ?4)")
                .and_then(|mut insert| insert.execute(params![candidate, part.kind.number(), opponent, part.bytes]))
                .map_err(|e| self.fault(&e))?;
        }
        Ok(())
    }

    /// The number of a candidate, given to it when it is first met.
    fn id_of(&mut self, candidate: &Candidate) -> Result<i64, TuneError> {
        if let Some(id) = self.ids.get(candidate) {
            return Ok(*id);
        }
        self.connection
            .execute("INSERT INTO candidates (point) VALUES (?1)", [body::pack_point(candidate)])
            .map_err(|e| self.fault(&e))?;
        let id = self.connection.last_insert_rowid();
        self.ids.insert(candidate.clone(), id);
        Ok(id)
    }

    fn read_ids(&self) -> Result<HashMap<i64, Candidate>, TuneError> {
        let mut select =
            self.connection.prepare("SELECT id, point FROM candidates ORDER BY id").map_err(|e| self.fault(&e))?;
        let rows = select
            .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .map_err(|e| self.fault(&e))?;
        let mut ids = HashMap::new();
        for row in rows {
            let (id, bytes) = row.map_err(|e| self.fault(&e))?;
            let point = body::unpack_point(&bytes).ok_or_else(|| self.damaged(&format!("candidate {id}")))?;
            ids.insert(id, point);
        }
        Ok(ids)
    }

    /// Hands over everything that is known.
    pub fn read(&self, each: &mut dyn FnMut(&Candidate, Probe, Measure)) -> Result<(), TuneError> {
        let candidates = self.read_ids()?;
        let mut select = self
            .connection
            .prepare("SELECT id, candidate, kind, opponent, body FROM measures ORDER BY id")
            .map_err(|e| self.fault(&e))?;
        let mut rows = select.query([]).map_err(|e| self.fault(&e))?;
        while let Some(row) = rows.next().map_err(|e| self.fault(&e))? {
            let read = |e: rusqlite::Error| self.fault(&e);
            let id: i64 = row.get(0).map_err(read)?;
            let wrong = || self.damaged(&format!("row {id} of the measures"));
            let candidate = candidates.get(&row.get(1).map_err(read)?).ok_or_else(wrong)?;
            let kind = Kind::from_number(row.get(2).map_err(read)?).ok_or_else(wrong)?;
            let opponent: Option<i64> = row.get(3).map_err(read)?;
            let opponent = opponent.map(|id| candidates.get(&id).ok_or_else(wrong)).transpose()?;
            let bytes: Vec<u8> = row.get(4).map_err(read)?;
            for (probe, measure) in body::unpack(kind, opponent, &bytes).ok_or_else(wrong)? {
                each(candidate, probe, measure);
            }
        }
        Ok(())
    }
}

fn damaged(path: &Path, what: &str) -> TuneError {
    let reason = format!(
        "damaged ({what}); nothing was changed. Put back a copy, or begin a new run: what is left can be read with sqlite3"
    );
    TuneError::Journal { path: path.to_owned(), reason }
}

/// What an error of SQLite means here.
fn fault(path: &Path, error: &rusqlite::Error) -> TuneError {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => return damaged(path, &error.to_string()),
        Some(ErrorCode::DiskFull) => {
            "the disk is full; everything measured so far is safe: make room and `quarterply tune resume` the run"
                .to_owned()
        }
        Some(ErrorCode::SystemIoFailure) => format!(
            "{error}; nothing that was written before is lost: see whether the disk is full or broken, and `quarterply tune resume` the run"
        ),
        Some(ErrorCode::CannotOpen) => format!("cannot be opened ({error}); check the folder and its permissions"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "in use by another process; wait for it or stop it".to_owned()
        }
        Some(ErrorCode::ReadOnly) => format!("cannot be written ({error}); check the permissions"),
        _ => format!("{error}; nothing that was written before is lost"),
    };
    TuneError::Journal { path: path.to_owned(), reason }
}
