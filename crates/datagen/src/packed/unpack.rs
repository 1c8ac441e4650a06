//! Packed games as the shards of a run.

use crate::error::DataError;
use crate::folder::{SHARD_MAX, Writer, shards_of};
use crate::read::{Archive, ArchiveGames, TruncatedBlock};
use crate::shard::ShardHeader;
use std::fs;
use std::path::Path;

/// The results of [`unpack`].
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
/// The games cannot be read, are not those of one run without a gap, or the folder holds a run already. No shard is left then.
pub fn unpack(archive: &Archive, folder: &Path) -> Result<Unpacked, DataError> {
    let mut games = archive.games();
    let mut open = None;
    let written = write_shards(archive, &mut games, folder, &mut open);
    if written.is_err() && open.take().is_some() {
        // The shards up to the error would pass for a whole run.
        for shard in shards_of(folder)? {
            fs::remove_file(&shard).map_err(|error| DataError::io(&shard, error))?;
        }
    }
    Ok(Unpacked { games: written?, tails: games.tails().to_vec(), skipped: games.skipped().to_vec() })
}

/// The writer of the shards, and the header that the latest games are of.
type OpenRun<'a> = Option<(Writer, &'a ShardHeader)>;

/// Writes the games, and returns how many there are; `open` is set as soon as there is a shard.
fn write_shards<'a>(
    archive: &'a Archive,
    games: &mut ArchiveGames<'a>,
    folder: &Path,
    open: &mut OpenRun<'a>,
) -> Result<u64, DataError> {
    let headers: Vec<&ShardHeader> = archive.headers().collect();
    let header_of = |number: u64| headers.iter().rev().find(|header| header.first <= number).copied();
    let mut count = 0;
    while let Some(game) = games.next() {
        let game = game?;
        let not_one_run = || DataError::NotOneRun(games.path().to_owned());
        let header = header_of(game.number).ok_or_else(not_one_run)?;
        let (writer, last) = match open {
            Some(open) => open,
            None => {
                let begun = ShardHeader { shard: 1, first: game.number, ..header.clone() };
                open.insert((Writer::begin(folder, begun, SHARD_MAX)?, header))
            }
        };
        let next = writer.next_number();
        if game.number < next {
            return Err(not_one_run());
        }
        if game.number > next {
            return Err(DataError::Missing(games.path().to_owned(), next, game.number - 1));
        }
        if (&header.origin, &header.settings, header.goal) != (&last.origin, &last.settings, last.goal) {
            writer.change(&header.origin, &header.settings, header.goal)?;
            *last = header;
        }
        writer.append(&game)?;
        count += 1;
    }
    if let Some((writer, _)) = open {
        writer.sync()?;
    }
    Ok(count)
}
