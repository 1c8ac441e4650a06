//! The folder of a run: shards of games, written by one process at a time, and nothing else that would have to agree with them.

use crate::error::DataError;
use crate::read::{Archive, TruncatedBlock};
use crate::record::GameRecord;
use crate::settings::{DataOrigin, DatagenGoal, DatagenSettings};
use crate::shard::{ShardHeader, ShardReader, encode_block};
use quarterply_files::draft;
use quarterply_files::lock::try_lock;
use serde_json::Value;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A shard is closed before it grows beyond this (bytes).
pub const SHARD_MAX: u64 = 64 << 20;
/// The names of shards begin with this, then comes the number, then [`SUFFIX`].
const NAME: &str = "games-";
const SUFFIX: &str = ".shard";
/// The file that the writing process holds locked; it is empty.
const LOCK: &str = "writing.lock";

/// The shards of a folder, by number.
pub fn shards_of(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let io = |e| DataError::io(folder, e);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_prefix(NAME)?.strip_suffix(SUFFIX));
        if let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Receives every game of a resumed run, with its file.
pub type OnGame<'a> = &'a mut dyn FnMut(&GameRecord, &Path) -> Result<(), DataError>;

/// Writes the games of a run, in the order of their numbers.
pub struct Writer {
    folder: PathBuf,
    /// The header of the shard that is open, or of the next one.
    header: ShardHeader,
    shard_max: u64,
    /// The open shard and its length; none before its first game.
    file: Option<(File, PathBuf, u64)>,
    /// The number of the next game.
    next: u64,
    /// Holds the lock as long as the writer lives.
    _lock: File,
}

/// The plan of a run: the contents of its headers.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardPlan {
    /// The program that plays.
    pub origin: DataOrigin,
    /// The settings of the games.
    pub settings: DatagenSettings,
    /// The amount of games.
    pub goal: DatagenGoal,
}

impl Writer {
    /// Begins a run in a folder that does not exist, or holds no shards.
    ///
    /// # Errors
    /// It holds a run, is in use, or cannot be made.
    pub fn create(folder: &Path, plan: &ShardPlan, shard_max: u64) -> Result<Writer, DataError> {
        let ShardPlan { origin, settings, goal } = plan.clone();
        let header = ShardHeader { shard: 1, first: 1, origin, settings, goal };
        Writer::begin(folder, header, shard_max)
    }

    /// Begins a run in a folder with a shard of this header.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn begin(folder: &Path, header: ShardHeader, shard_max: u64) -> Result<Writer, DataError> {
        let lock = lock_new(folder)?;
        let next = header.first;
        let mut writer = Writer { folder: folder.to_owned(), header, shard_max, file: None, next, _lock: lock };
        // The first shard is there from the beginning, so that a run that is killed at once can be resumed.
        writer.open_shard()?;
        Ok(writer)
    }

    /// Begins a new shard with the next game, with the origin, the settings and the goal of `header`.
    ///
    /// # Errors
    /// As [`Writer::sync`].
    pub fn change(&mut self, header: &ShardHeader) -> Result<(), DataError> {
        self.sync()?;
        self.file = None;
        self.header = ShardHeader { shard: self.header.shard + 1, first: self.next, ..header.clone() };
        Ok(())
    }

    /// The header of a run's last shard, from which the run continues.
    ///
    /// # Errors
    /// The folder holds no run, or the shard's header is damaged.
    pub fn last_header(folder: &Path) -> Result<ShardHeader, DataError> {
        let paths = shards_of(folder)?;
        let last = paths.last().ok_or_else(|| DataError::Empty(folder.to_owned()))?;
        Ok(ShardReader::open(last)?.header)
    }

    /// Continues a run. Every game is read and handed to `see` with its file. A truncated block at the end is removed, and a message
    /// about it is returned.
    ///
    /// `origin` is the present program. If it differs from the one that played last, the run is refused, or begins a new shard if
    /// `accept` is true.
    ///
    /// # Errors
    /// A shard is damaged, the folder is in use, or another program played the run.
    pub fn resume(
        folder: &Path,
        origin: &DataOrigin,
        accept: bool,
        shard_max: u64,
        see: OnGame<'_>,
    ) -> Result<(Writer, Option<String>), DataError> {
        // A folder without a run is refused before the lock makes a file in it.
        Writer::last_header(folder)?;
        let lock = lock(folder)?;
        // A process that held the lock until now may have begun another shard.
        let paths = shards_of(folder)?;
        let Some(last) = paths.last() else { return Err(DataError::Empty(folder.to_owned())) };
        let mut header = ShardReader::open(last)?.header;
        let change = difference(last, &header.origin, origin, true);
        if let Some(change) = change
            && !accept
        {
            return Err(change);
        }
        let archive = Archive::open_run(folder)?;
        let mut games = archive.games();
        let mut next = header.first;
        while let Some(game) = games.next() {
            let game = game?;
            next = game.number + 1;
            see(&game, games.path())?;
        }
        let (file, length, dropped) = reopen(last, games.tails().last())?;
        let mut open = Some((file, last.clone(), length));
        if header.origin != *origin {
            // The header of a new shard names the new program. The new shard replaces the old one if that has no game.
            open = None;
            header.shard += u32::from(next > header.first);
            header.first = next;
            header.origin = origin.clone();
        }
        Ok((Writer { folder: folder.to_owned(), header, shard_max, file: open, next, _lock: lock }, dropped))
    }

    /// The header of the run.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// The number of the game that must come next.
    pub fn next_number(&self) -> u64 {
        self.next
    }

    /// Writes the next game. When this returns, the game survives the death of the process.
    ///
    /// # Errors
    /// The game does not have the next number; or it cannot be written, and a resumed run plays it again.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), DataError> {
        if game.number != self.next {
            return Err(DataError::OutOfOrder(self.folder.clone(), game.number, self.next));
        }
        let block = encode_block(game.number, &game.encode());
        let full = |length: u64| length + block.len() as u64 > self.shard_max && self.next > self.header.first;
        if self.file.as_ref().is_some_and(|(_, _, length)| full(*length)) {
            self.sync()?;
            self.header.shard += 1;
            self.header.first = self.next;
            self.file = None;
        }
        if self.file.is_none() {
            self.open_shard()?;
        }
        if let Some((file, path, length)) = &mut self.file {
            file.write_all(&block).map_err(|e| DataError::io(path, e))?;
            *length += block.len() as u64;
        }
        self.next += 1;
        Ok(())
    }

    /// Asks the system to put everything on the disk, against failures of power.
    ///
    /// # Errors
    /// The system cannot.
    pub fn sync(&mut self) -> Result<(), DataError> {
        match &self.file {
            Some((file, path, _)) => file.sync_data().map_err(|e| DataError::io(path, e)),
            None => Ok(()),
        }
    }

    /// Makes the shard of the present header: it appears with its whole header, or not at all.
    fn open_shard(&mut self) -> Result<(), DataError> {
        let path = self.folder.join(format!("{NAME}{:05}{SUFFIX}", self.header.shard));
        let bytes = self.header.encode();
        let file = draft::replace(&path, &bytes).and_then(|()| OpenOptions::new().append(true).open(&path));
        let file = file.map_err(|e| DataError::io(&path, e))?;
        self.file = Some((file, path, bytes.len() as u64));
        Ok(())
    }
}

/// Opens the last shard of a run at its end, without its truncated block; also returns a message about that block.
fn reopen(path: &Path, tail: Option<&TruncatedBlock>) -> Result<(File, u64, Option<String>), DataError> {
    let io = |e| DataError::io(path, e);
    let file = OpenOptions::new().append(true).open(path).map_err(io)?;
    let Some(TruncatedBlock { offset, bytes, .. }) = tail else {
        let length = file.metadata().map_err(io)?.len();
        return Ok((file, length, None));
    };
    file.set_len(*offset).map_err(io)?;
    let what = format!("dropped {bytes} bytes from offset {offset} on: a game that was cut off");
    Ok((file, *offset, Some(format!("{}: {what}", path.display()))))
}

/// Makes a folder if there is none, and locks it.
///
/// # Errors
/// It holds a run, is in use, or cannot be made.
pub(crate) fn lock_new(folder: &Path) -> Result<File, DataError> {
    fs::create_dir_all(folder).map_err(|e| DataError::io(folder, e))?;
    let lock = lock(folder)?;
    if shards_of(folder)?.is_empty() { Ok(lock) } else { Err(DataError::Exists(folder.to_owned())) }
}

/// Locks a folder; the system releases the lock at the end of the process.
fn lock(folder: &Path) -> Result<File, DataError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(|e| DataError::io(&path, e))?;
    match try_lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DataError::Busy(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(DataError::io(&path, error)),
    }
}

/// The first field in which two values differ, as an error about `file`.
pub fn difference<T: serde::Serialize>(file: &Path, was: &T, is: &T, program: bool) -> Option<DataError> {
    let fields = |value: &T| match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (was, is) = (fields(was), fields(is));
    let field = was.keys().chain(is.keys()).find(|name| was.get(*name) != is.get(*name))?;
    let show = |fields: &serde_json::Map<String, Value>| match fields.get(field) {
        // Of two limits of a search the hard one follows from the soft one.
        Some(Value::Array(limits)) => limits.first().map_or_else(String::new, Value::to_string),
        Some(value) if !value.is_null() => value.to_string(),
        _ => "not set".to_owned(),
    };
    let name = if field == "relabelled" { "--nodes".to_owned() } else { field.replace('_', " ") };
    Some(DataError::Changed {
        file: file.to_owned(),
        field: format!("`{name}`"),
        was: show(&was),
        is: show(&is),
        program,
    })
}

#[cfg(test)]
mod tests;
