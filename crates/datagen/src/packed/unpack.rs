//! Packed games as the shards of a run.

use crate::error::DataError;
use crate::folder::{SHARD_MAX, Writer};
use crate::read::{Archive, TruncatedBlock};
use crate::shard::ShardHeader;
use std::path::Path;

/// What was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// Games written.
    pub games: u64,
    /// Incomplete blocks at the ends of shards.
    pub tails: Vec<TruncatedBlock>,
    /// Messages about skipped damage.
    pub skipped: Vec<String>,
}

/// Writes all games of `archive`, which are those of one run, as shards into `folder`. Their headers are those of the shards that were packed.
///
/// # Errors
/// The games cannot be read, are not those of one run, or the folder holds a run already.
pub fn unpack(archive: &Archive, folder: &Path) -> Result<Unpacked, DataError> {
    let headers: Vec<&ShardHeader> = archive.headers().collect();
    let header_of = |number: u64| headers.iter().rev().find(|header| header.first <= number).copied();
    let mut games = archive.games();
    let mut open: Option<(Writer, &ShardHeader)> = None;
    let mut count = 0;
    while let Some(game) = games.next() {
        let game = game?;
        let not_one_run = || DataError::NotOneRun(games.path().to_owned());
        let header = header_of(game.number).ok_or_else(not_one_run)?;
        let (writer, last) = match &mut open {
            Some(open) => open,
            None => {
                let begun = ShardHeader { shard: 1, first: game.number, ..header.clone() };
                open.insert((Writer::begin(folder, begun, SHARD_MAX)?, header))
            }
        };
        if game.number != writer.next_number() {
            return Err(not_one_run());
        }
        if (&header.origin, &header.settings, header.goal) != (&last.origin, &last.settings, last.goal) {
            writer.change(&header.origin, &header.settings, header.goal)?;
            *last = header;
        }
        writer.append(&game)?;
        count += 1;
    }
    if let Some((writer, _)) = &mut open {
        writer.sync()?;
    }
    Ok(Unpacked { games: count, tails: games.tails().to_vec(), skipped: games.skipped().to_vec() })
}
