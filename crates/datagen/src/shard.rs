//! The file of a shard: a header, then one block for each game.
//!
//! ```text
//! header  magic number (8 bytes), format (u32), length of the text (u32), text (JSON), CRC-32 of all that (u32)
//! block   length of the game (u32), its number (u64), CRC-32 of the game (u32), CRC-32 of these 16 bytes (u32), the game
//! ```
//!
//! Integers are little-endian. A block is written at once and never changed. A file that ends within a block was truncated when
//! the process was killed; any other mismatch is damage. The block's head has a separate checksum, so that a damaged length is
//! not mistaken for a truncated file.

use crate::error::DataError;
use crate::record::{GameRecord, RecordError};
use crate::settings::{DataOrigin, DatagenGoal, DatagenSettings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// The first bytes of every shard: the high bit detects transfers as text, the line feed those that change line ends.
pub const MAGIC: [u8; 8] = *b"\x89QPGAME\n";
/// The format that this program writes, and the latest it reads.
pub const FORMAT: u32 = 2;
/// The first format with [`GameRecord::random_until`].
const WITH_RANDOM_MOVES: u32 = 2;

/// Bytes before the header's text.
pub(crate) const PREFIX: usize = 16;
/// Longest text of a header (bytes): that of a packed file has about 1 KiB for each of its shards.
const TEXT_MAX: u32 = 1 << 26;
/// Bytes of a checksum.
const SUM: usize = 4;
/// Bytes before the game in a block.
pub const BLOCK_HEAD: usize = 20;
/// Bytes of the head that its own checksum covers.
const BLOCK_SUMMED: usize = BLOCK_HEAD - SUM;
/// Longest game (bytes).
const GAME_MAX: u32 = 1 << 20;
/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// The header of a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Which shard of the run it is, from 1.
    pub shard: u32,
    /// The number of its first game.
    pub first: u64,
    /// The program that played the games.
    pub origin: DataOrigin,
    /// The settings of the games.
    pub settings: DatagenSettings,
    /// The goal of the run when it began.
    pub goal: DatagenGoal,
}

impl ShardHeader {
    /// The header as bytes of a file.
    pub fn encode(&self) -> Vec<u8> {
        encode_header(MAGIC, FORMAT, self)
    }
}

/// The header of a file: magic number, format, length of the text, text, and the CRC-32 of all that.
pub(crate) fn encode_header(magic: [u8; 8], format: u32, text: &impl Serialize) -> Vec<u8> {
    // Plain numbers, texts and maps with text keys can always be written.
    let text = serde_json::to_string(text).unwrap_or_default();
    let mut bytes = magic.to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// A game as a block of a file.
pub fn encode_block(number: u64, game: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BLOCK_HEAD + game.len());
    bytes.extend((game.len() as u32).to_le_bytes());
    bytes.extend(number.to_le_bytes());
    bytes.extend(crc32fast::hash(game).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(game);
    bytes
}

/// Reads a shard from its beginning to its end.
pub struct ShardReader {
    path: PathBuf,
    file: BufReader<File>,
    /// Its header.
    pub header: ShardHeader,
    format: u32,
    /// Offset of the next block; after the last complete one, once all are read.
    pub offset: u64,
    /// Number of blocks read.
    pub blocks: u64,
    /// Bytes after the last complete block: a truncated block, or one that is being written. Known at the end.
    pub tail: u64,
}

impl ShardReader {
    /// Opens a shard and reads its header.
    ///
    /// # Errors
    /// The file cannot be read, is not a shard, is newer than this program, or its header is damaged.
    pub fn open(path: &Path) -> Result<ShardReader, DataError> {
        let file = File::open(path).map_err(|e| DataError::io(path, e))?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let (header, format, offset) = read_header(path, &mut file, MAGIC, FORMAT)?;
        Ok(ShardReader { path: path.to_owned(), file, header, format, offset, blocks: 0, tail: 0 })
    }

    /// The number of the game that comes next.
    pub fn next_number(&self) -> u64 {
        self.header.first + self.blocks
    }

    /// The next game as bytes of *viriformat*, or nothing at the end of the complete blocks.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn next_block(&mut self, game: &mut Vec<u8>) -> Result<Option<u64>, DataError> {
        let mut head = [0; BLOCK_HEAD];
        let got = self.fill(&mut head)?;
        if got < BLOCK_HEAD {
            self.tail = got as u64;
            return Ok(None);
        }
        if head == [0; BLOCK_HEAD] && self.only_zeros()? {
            return Ok(None);
        }
        let [length, number, sum] = parse_head(&head).ok_or_else(|| self.damaged("checksum mismatch of its head"))?;
        if number != self.next_number() {
            return Err(self.damaged(&format!("it holds game {number}")));
        }
        if length > u64::from(GAME_MAX) {
            return Err(self.damaged(&format!("a game of {length} bytes")));
        }
        game.clear();
        game.resize(length as usize, 0);
        let got = self.fill(game)?;
        if got < game.len() {
            self.tail = (BLOCK_HEAD + got) as u64;
            return Ok(None);
        }
        if u64::from(crc32fast::hash(game)) != sum {
            return Err(self.damaged("checksum mismatch"));
        }
        self.offset += BLOCK_HEAD as u64 + length;
        self.blocks += 1;
        Ok(Some(number))
    }

    /// The next game.
    ///
    /// # Errors
    /// The block is damaged, or holds no game.
    pub fn next_game(&mut self, buffer: &mut Vec<u8>) -> Result<Option<GameRecord>, DataError> {
        let offset = self.offset;
        let Some(number) = self.next_block(buffer)? else { return Ok(None) };
        let wrong = |error: RecordError| self.damaged_at(offset, self.blocks, &error.to_string());
        let mut game = GameRecord::decode(number, buffer).map_err(wrong)?;
        if self.format < WITH_RANDOM_MOVES && self.header.settings.random_moves > 0.0 {
            // The random moves are unknown: any move may be one.
            game.random_until = u16::try_from(game.steps.len()).unwrap_or(u16::MAX);
        }
        Ok(Some(game))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, DataError> {
        read_up_to(&mut self.file, bytes).map_err(|e| DataError::io(&self.path, e))
    }

    /// Some file systems leave zeros at the end of a file after a power failure: they count as a truncated block.
    fn only_zeros(&mut self) -> Result<bool, DataError> {
        let mut total = BLOCK_HEAD;
        let mut bytes = vec![0; BUFFER];
        loop {
            let got = self.fill(&mut bytes)?;
            if bytes[..got].iter().any(|byte| *byte != 0) {
                return Err(self.damaged("its head is empty"));
            }
            total += got;
            if got < bytes.len() {
                self.tail = total as u64;
                return Ok(true);
            }
        }
    }

    fn damaged(&self, reason: &str) -> DataError {
        self.damaged_at(self.offset, self.blocks + 1, reason)
    }

    fn damaged_at(&self, offset: u64, block: u64, reason: &str) -> DataError {
        let (file, game, reason) = (self.path.clone(), self.header.first + block - 1, reason.to_owned());
        DataError::Block { file, offset, block, game, reason }
    }
}

/// Length, number and checksum, if the checksum of the head matches.
fn parse_head(head: &[u8; BLOCK_HEAD]) -> Option<[u64; 3]> {
    let (summed, own) = head.split_first_chunk::<BLOCK_SUMMED>()?;
    if crc32fast::hash(summed).to_le_bytes() != *own {
        return None;
    }
    let (length, rest) = summed.split_first_chunk::<4>()?;
    let (number, sum) = rest.split_first_chunk::<8>()?;
    let sum = u32::from_le_bytes(*sum.first_chunk()?);
    Some([u32::from_le_bytes(*length).into(), u64::from_le_bytes(*number), sum.into()])
}

/// Reads what [`encode_header`] wrote with a format up to `known`: the text, the format, and the length in bytes.
pub(crate) fn read_header<T: DeserializeOwned>(
    path: &Path,
    file: &mut impl Read,
    magic: [u8; 8],
    known: u32,
) -> Result<(T, u32, u64), DataError> {
    let damaged = |offset: usize, reason: String| DataError::Header(path.to_owned(), offset as u64, reason);
    let io = |e| DataError::io(path, e);
    let mut bytes = vec![0; PREFIX];
    let got = read_up_to(file, &mut bytes).map_err(io)?;
    if !bytes[..got].starts_with(&magic) {
        return Err(DataError::foreign(path, &bytes[..got.min(magic.len())]));
    }
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if got < PREFIX {
        return Err(damaged(got, "the file ends here".to_owned()));
    }
    let (format, length) = (word(magic.len()), word(magic.len() + 4));
    if format > known {
        return Err(DataError::Newer(path.to_owned(), format, known));
    }
    if format == 0 || length > TEXT_MAX {
        return Err(damaged(magic.len(), format!("format {format} with a text of {length} bytes")));
    }
    let mut rest = vec![0; length as usize + SUM];
    let got = read_up_to(file, &mut rest).map_err(io)?;
    if got < rest.len() {
        return Err(damaged(PREFIX + got, "the file ends here".to_owned()));
    }
    bytes.extend(rest);
    let (summed, sum) = bytes.split_at(PREFIX + length as usize);
    if crc32fast::hash(summed).to_le_bytes() != *sum {
        return Err(damaged(summed.len(), "checksum mismatch".to_owned()));
    }
    let header = serde_json::from_slice(&summed[PREFIX..]).map_err(|e| damaged(PREFIX, e.to_string()))?;
    Ok((header, format, bytes.len() as u64))
}

/// Reads until the buffer is full or the file ends; returns the number of bytes read.
fn read_up_to(file: &mut impl Read, mut bytes: &mut [u8]) -> io::Result<usize> {
    let most = bytes.len() as u64;
    Ok(io::copy(&mut file.take(most), &mut bytes)? as usize)
}

#[cfg(test)]
mod tests;
