//! Reading games: of a run's folder, of several, or of single shards; also of a run that is still going.

use crate::error::DataError;
use crate::folder::shards_of;
use crate::record::GameRecord;
use crate::shard::{Header, ShardReader};
use std::path::{Path, PathBuf};

/// A shard to be read.
#[derive(Clone, Debug)]
pub struct Shard {
    /// The file.
    pub path: PathBuf,
    /// What it says about itself.
    pub header: Header,
    /// May it end within a block, as the shard may that is being written?
    open_ended: bool,
    /// Does it go on where the one before it ended?
    follows: bool,
}

/// Games in files.
#[derive(Clone, Debug)]
pub struct Archive {
    shards: Vec<Shard>,
}

impl Archive {
    /// Opens folders of runs, and single shards, in the order given; the headers are read at once.
    ///
    /// # Errors
    /// One of them cannot be read, is something else, or is from a later version.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Archive, DataError> {
        let mut shards = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            if path.is_dir() {
                let files = shards_of(path)?;
                if files.is_empty() {
                    return Err(DataError::Empty { folder: path.to_owned() });
                }
                let last = files.len() - 1;
                for (index, file) in files.into_iter().enumerate() {
                    shards.push(Shard::open(file, index == last, index > 0)?);
                }
            } else {
                shards.push(Shard::open(path.to_owned(), true, false)?);
            }
        }
        Ok(Archive { shards })
    }

    /// The shards.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// The game that a record of this number belongs to: itself, or the one whose searches visited it. All shards are of one run.
    pub fn game_of(&self, number: u64) -> u64 {
        let first = self.shards.first();
        let visited = first.and_then(|shard| shard.header.settings.visited);
        visited.map_or(number, |visited| number.div_ceil(visited.each.max(1)))
    }

    /// What the games were played by, in words, each once.
    pub fn origins(&self) -> Vec<String> {
        let mut origins = Vec::new();
        for shard in &self.shards {
            let origin = &shard.header.origin;
            let origin = format!("{}, evaluation {}, bench {}", origin.program, origin.evaluation, origin.bench);
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    /// All games, in the order of the shards and of their numbers.
    pub fn games(&self) -> Games<'_> {
        Games { shards: self.shards.iter(), current: None, last: 0, buffer: Vec::new(), tails: Vec::new() }
    }
}

impl Shard {
    fn open(path: PathBuf, open_ended: bool, follows: bool) -> Result<Shard, DataError> {
        let header = ShardReader::open(&path)?.header().clone();
        Ok(Shard { path, header, open_ended, follows })
    }
}

/// A block that was left out because the file ends within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The file.
    pub path: PathBuf,
    /// Where the block begins.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// Walks over games; ends after the first error.
pub struct Games<'a> {
    shards: std::slice::Iter<'a, Shard>,
    current: Option<(&'a Shard, ShardReader)>,
    /// The last game read.
    last: u64,
    buffer: Vec<u8>,
    tails: Vec<Tail>,
}

impl<'a> Games<'a> {
    /// The file that the latest game came from.
    pub fn path(&self) -> &'a Path {
        self.current.as_ref().map_or(Path::new(""), |(shard, _)| &shard.path)
    }

    /// The cut-off blocks met so far: what a kill leaves, or what is just being written.
    pub fn tails(&self) -> &[Tail] {
        &self.tails
    }

    fn advance(&mut self) -> Result<Option<GameRecord>, DataError> {
        loop {
            let Some((shard, reader)) = &mut self.current else {
                let Some(shard) = self.shards.next() else { return Ok(None) };
                let reader = ShardReader::open(&shard.path)?;
                let found = reader.next_number();
                if shard.follows && found != self.last + 1 {
                    return Err(DataError::Gap { file: shard.path.clone(), found, last: self.last });
                }
                self.last = found - 1;
                self.current = Some((shard, reader));
                continue;
            };
            if let Some(game) = reader.next_game(&mut self.buffer)? {
                self.last = game.number;
                return Ok(Some(game));
            }
            if reader.tail() > 0 {
                let (path, offset) = (shard.path.clone(), reader.offset());
                if !shard.open_ended {
                    return Err(DataError::CutOff { file: path, offset, block: reader.blocks() + 1 });
                }
                self.tails.push(Tail { path, offset, bytes: reader.tail() });
            }
            self.current = None;
        }
    }
}

impl Iterator for Games<'_> {
    type Item = Result<GameRecord, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.current = None;
            self.shards = [].iter();
        }
        next.transpose()
    }
}
