//! Files of packed games: a header and blocks, written by [`pack`] and read by [`PackedFile`].

use super::games;
use crate::error::DataError;
use crate::read::{Archive, ArchiveGames, TruncatedBlock};
use crate::record::GameRecord;
use crate::replay::{Filter, ReplayError};
use crate::shard::{PREFIX, ShardHeader, encode_header, read_header};
use quarterply_files::draft::{Draft, DraftError, Rules};
use serde::{Deserialize, Serialize};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The suffix of names of packed files.
pub const SUFFIX: &str = "games";
/// The first bytes of every packed file.
pub const MAGIC: [u8; 8] = *b"\x89QPPACK\n";
/// The format that this program writes, and the latest it reads.
pub const FORMAT: u32 = 1;
/// Default size before which a file is closed (bytes).
pub const FILE_MAX: u64 = 8 << 20;
/// Games of a block: with fewer of them the models have less to learn from.
const BLOCK_GAMES: usize = 2048;

/// The first bytes of every block, by which the next one is found after a damaged one.
const BLOCK_MAGIC: [u8; 4] = *b"\x89QPB";
/// Bytes of a block before its data.
const BLOCK_HEAD: usize = 28;
/// Where the parts of that head begin.
const LENGTH: usize = 4;
const COUNT: usize = 8;
const FIRST: usize = 12;
const DATA_SUM: usize = 20;
const HEAD_SUM: usize = 24;
/// Bytes of a part; [`FIRST`] has two words.
const WORD: usize = 4;

/// The text of the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PackedHeader {
    /// The headers of the shards that the games come from.
    shards: Vec<ShardHeader>,
}

/// Why games cannot be packed.
#[derive(Debug, Error)]
pub enum PackingError {
    /// The games cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The file cannot be written.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// The results of [`pack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The files.
    pub files: Vec<PackedFileSummary>,
    /// An older file with the name of the next file. Readers of the folder take it for a part of the run.
    pub older: Option<PathBuf>,
    /// Incomplete blocks at the ends of shards.
    pub tails: Vec<TruncatedBlock>,
    /// Messages about skipped damage.
    pub skipped: Vec<String>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFileSummary {
    /// The file.
    pub path: PathBuf,
    /// Its games.
    pub games: u64,
    /// Positions of these that the default filter keeps.
    pub kept: u64,
    /// Its size (bytes).
    pub bytes: u64,
}

/// Packs all games of `archive` into `path`. Before a file would exceed `file_max` bytes, a new one is started: `NAME-2.games` and so on.
/// A block ends where numbers are missing because of skipped damage. Files get their names only after all of them are complete. `progress`
/// is called with the number of games packed.
///
/// # Errors
/// The games cannot be read or are not those of one run, or a file cannot be written; no file is left then.
pub fn pack(
    archive: &Archive,
    path: &Path,
    rules: &Rules,
    file_max: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Packing, PackingError> {
    pack_blocks(archive, path, rules, (file_max, BLOCK_GAMES), progress)
}

/// As [`pack`], with `block_games` games per block.
pub(crate) fn pack_blocks(
    archive: &Archive,
    path: &Path,
    rules: &Rules,
    (file_max, block_games): (u64, usize),
    progress: &mut dyn FnMut(u64),
) -> Result<Packing, PackingError> {
    let header = encode_header(MAGIC, FORMAT, &PackedHeader { shards: archive.headers().cloned().collect() });
    let mut files = vec![UnfinishedFile::new(path, rules, &header)?];
    let mut blocks = BlockSplitter::new(archive);
    let mut done = 0;
    loop {
        let block = blocks.next_block(block_games)?;
        if block.is_empty() {
            break;
        }
        let in_file = |error: ReplayError| error.in_file(blocks.games.path());
        let bytes = encode_block(&block).map_err(in_file)?;
        let kept = block.iter().map(|game| Filter::DEFAULT.count(game)).sum::<Result<u64, _>>().map_err(in_file)?;
        let full = files.last().is_some_and(|file| file.written.bytes + bytes.len() as u64 > file_max);
        if full && files.last().is_some_and(|file| file.written.games > 0) {
            files.push(UnfinishedFile::new(&numbered(path, files.len() + 1), rules, &header)?);
        }
        if let Some(file) = files.last_mut() {
            file.write(&bytes)?;
            file.written.games += block.len() as u64;
            file.written.kept += kept;
        }
        done += block.len() as u64;
        progress(done);
    }
    let files: Vec<PackedFileSummary> = files.into_iter().map(UnfinishedFile::keep).collect::<Result<_, _>>()?;
    let older = Some(numbered(path, files.len() + 1)).filter(|next| next.exists());
    let BlockSplitter { games, .. } = blocks;
    Ok(Packing { files, older, tails: games.tails().to_vec(), skipped: games.skipped().to_vec() })
}

/// Splits the games of an archive into blocks of consecutive numbers.
struct BlockSplitter<'a> {
    games: ArchiveGames<'a>,
    /// The number of the last game read.
    last: Option<u64>,
    /// A game that was read and begins the next block, because numbers before it are missing.
    waiting: Option<GameRecord>,
    /// True if numbers may be missing, because damage is skipped.
    gaps: bool,
}

impl<'a> BlockSplitter<'a> {
    fn new(archive: &'a Archive) -> BlockSplitter<'a> {
        BlockSplitter { games: archive.games(), last: None, waiting: None, gaps: archive.skip_damaged }
    }

    /// The next games, at most `most`; none at the end.
    fn next_block(&mut self, most: usize) -> Result<Vec<GameRecord>, DataError> {
        let mut block: Vec<GameRecord> = self.waiting.take().into_iter().collect();
        while block.len() < most {
            let Some(game) = self.games.next().transpose()? else { break };
            let expected = self.last.replace(game.number).map_or(game.number, |last| last + 1);
            if game.number < expected || (game.number > expected && !self.gaps) {
                return Err(DataError::NotOneRun(self.games.path().to_owned()));
            }
            if game.number > expected && !block.is_empty() {
                self.waiting = Some(game);
                break;
            }
            block.push(game);
        }
        Ok(block)
    }
}

/// A file that is being written.
struct UnfinishedFile {
    draft: Draft,
    written: PackedFileSummary,
}

impl UnfinishedFile {
    fn new(path: &Path, rules: &Rules, header: &[u8]) -> Result<UnfinishedFile, DraftError> {
        let draft = Draft::create(path, rules)?;
        let mut begun =
            UnfinishedFile { draft, written: PackedFileSummary { path: path.to_owned(), games: 0, kept: 0, bytes: 0 } };
        begun.write(header)?;
        Ok(begun)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DraftError> {
        self.draft.append(bytes)?;
        self.written.bytes += bytes.len() as u64;
        Ok(())
    }

    fn keep(self) -> Result<PackedFileSummary, PackingError> {
        self.draft.keep()?;
        Ok(self.written)
    }
}

/// `a/b.games` as `a/b-2.games`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let suffix = path.extension().map_or_else(String::new, |suffix| format!(".{}", suffix.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{suffix}"))
}

/// Games with consecutive numbers as a block.
fn encode_block(block: &[GameRecord]) -> Result<Vec<u8>, ReplayError> {
    let data = games::encode(block)?;
    let mut bytes = BLOCK_MAGIC.to_vec();
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend((block.len() as u32).to_le_bytes());
    bytes.extend(block.first().map_or(0, |game| game.number).to_le_bytes());
    bytes.extend(crc32fast::hash(&data).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(data);
    Ok(bytes)
}

/// A file of packed games in memory.
#[derive(Clone, Debug)]
pub struct PackedFile(Arc<PackedContents>);

#[derive(Debug)]
struct PackedContents {
    path: PathBuf,
    headers: Vec<ShardHeader>,
    bytes: Vec<u8>,
    /// Where the first block begins.
    begin: usize,
}

/// Returns true if this is the beginning of a packed file.
pub fn is_packed(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC)
}

impl PackedFile {
    /// Reads a file and its header.
    ///
    /// # Errors
    /// It cannot be read, is something else, is newer than this program, or its header is damaged.
    pub fn open(path: &Path) -> Result<PackedFile, DataError> {
        PackedFile::from_bytes(path, fs::read(path).map_err(|error| DataError::io(path, error))?)
    }

    /// The same from the bytes of a file, whose path is for messages.
    ///
    /// # Errors
    /// As [`PackedFile::open`].
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<PackedFile, DataError> {
        let (PackedHeader { shards: headers }, _, begin) = read_header(path, &mut &bytes[..], MAGIC, FORMAT)?;
        if headers.is_empty() {
            return Err(DataError::Header(path.to_owned(), PREFIX as u64, "it names no shard".to_owned()));
        }
        Ok(PackedFile(Arc::new(PackedContents { path: path.to_owned(), headers, bytes, begin: begin as usize })))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The headers of the shards that the games come from; at least one.
    pub fn headers(&self) -> &[ShardHeader] {
        &self.0.headers
    }

    /// Its blocks, none of them decoded.
    pub fn blocks(&self) -> Blocks {
        Blocks { file: self.clone(), at: self.0.begin, index: 0 }
    }

    fn damaged(&self, block: u64, offset: usize, reason: &str) -> DataError {
        let (file, reason) = (self.path().to_owned(), reason.to_owned());
        DataError::PackedBlock { file, block, offset: offset as u64, reason }
    }
}

/// A block that is not decoded yet.
#[derive(Clone, Debug)]
pub struct PackedBlock {
    file: PackedFile,
    /// Its number in the file, from 1.
    index: u64,
    /// Where it begins in the file.
    pub(crate) offset: usize,
    first: u64,
    games: u32,
    data: Range<usize>,
}

impl PackedBlock {
    /// The numbers of its games.
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first..self.first + u64::from(self.games)
    }

    /// Its games.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn decode(&self) -> Result<Vec<GameRecord>, DataError> {
        games::decode(&self.file.0.bytes[self.data.clone()], self.first, self.games)
            .map_err(|_| self.file.damaged(self.index, self.offset, "its data cannot be decoded"))
    }
}

/// Iterates over the blocks of a file. After an error it continues with the next block.
pub struct Blocks {
    file: PackedFile,
    at: usize,
    index: u64,
}

impl Iterator for Blocks {
    type Item = Result<PackedBlock, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.file.0.bytes.len() {
            return None;
        }
        self.index += 1;
        let (offset, index) = (self.at, self.index);
        match self.read(offset) {
            Ok(block) => {
                self.at = block.data.end;
                Some(Ok(block))
            }
            Err(reason) => {
                self.at = self.next_block(offset);
                Some(Err(self.file.damaged(index, offset, reason)))
            }
        }
    }
}

impl Blocks {
    /// The block that begins at `offset`, or what is wrong with it.
    fn read(&self, offset: usize) -> Result<PackedBlock, &'static str> {
        const ENDS: &str = "the file ends within it";
        let bytes = &self.file.0.bytes[offset..];
        let head = bytes.first_chunk::<BLOCK_HEAD>().ok_or(ENDS)?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if !head.starts_with(&BLOCK_MAGIC) || word(HEAD_SUM) != crc32fast::hash(&head[..HEAD_SUM]) {
            return Err("checksum mismatch of its head");
        }
        let [length, games, sum] = [LENGTH, COUNT, DATA_SUM].map(word);
        let first = u64::from(word(FIRST)) | u64::from(word(FIRST + WORD)) << u32::BITS;
        let data = bytes.get(BLOCK_HEAD..BLOCK_HEAD + length as usize).ok_or(ENDS)?;
        if crc32fast::hash(data) != sum {
            return Err("checksum mismatch");
        }
        if games as usize > BLOCK_GAMES || first.checked_add(games.into()).is_none() {
            return Err("impossible numbers of games");
        }
        let begin = offset + BLOCK_HEAD;
        let data = begin..begin + length as usize;
        Ok(PackedBlock { file: self.file.clone(), index: self.index, offset, first, games, data })
    }

    /// Where the next block begins after a damaged one: at the next magic number, or at the end of the file.
    fn next_block(&self, offset: usize) -> usize {
        let bytes = &self.file.0.bytes;
        let distance = bytes[offset + 1..].windows(BLOCK_MAGIC.len()).position(|window| window == BLOCK_MAGIC);
        distance.map_or(bytes.len(), |place| offset + 1 + place)
    }
}
