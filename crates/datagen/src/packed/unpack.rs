//! Packed games as the shards of a run.

use crate::error::DataError;
use crate::folder::{SHARD_MAX, Writer, lock_new, shards_of};
use crate::read::{Archive, ArchiveGames, TruncatedBlock};
use crate::shard::ShardHeader;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

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

/// The folder within that of the run in which shards are written until all of them are complete.
const UNFINISHED: &str = "unpacking.new";

/// Writes all games of `archive`, which are those of one run, as shards into `folder`. Their headers are those of the shards that were packed.
/// The shards appear in `folder` only after all of them are complete.
///
/// # Errors
/// The games cannot be read, are not those of one run without a gap, or the folder holds a run already. No shard is left then.
pub fn unpack(archive: &Archive, folder: &Path) -> Result<Unpacked, DataError> {
    let mut games = archive.games();
    let mut run = None;
    let written = write_shards(archive, &mut games, folder, &mut run);
    let closed = run.map_or(Ok(()), |run| run.close(written.is_ok()));
    let written = written?;
    closed?;
    Ok(Unpacked { games: written, tails: games.tails().to_vec(), skipped: games.skipped().to_vec() })
}

/// A run that is being unpacked.
struct UnfinishedRun<'a> {
    folder: PathBuf,
    /// Writes into [`UNFINISHED`].
    writer: Writer,
    /// The header that the latest games are of.
    header: &'a ShardHeader,
    /// The lock of `folder`.
    _lock: File,
}

impl<'a> UnfinishedRun<'a> {
    fn begin(folder: &Path, first: u64, header: &'a ShardHeader) -> Result<UnfinishedRun<'a>, DataError> {
        let lock = lock_new(folder)?;
        let aside = folder.join(UNFINISHED);
        if aside.exists() {
            // A killed process left it.
            fs::remove_dir_all(&aside).map_err(|error| DataError::io(&aside, error))?;
        }
        let begun = ShardHeader { shard: 1, first, ..header.clone() };
        let writer = Writer::begin(&aside, begun, SHARD_MAX)?;
        Ok(UnfinishedRun { folder: folder.to_owned(), writer, header, _lock: lock })
    }

    /// Moves the shards to their places if they are `complete`, the first one last; removes everything else.
    fn close(self, complete: bool) -> Result<(), DataError> {
        let UnfinishedRun { folder, mut writer, _lock, .. } = self;
        let aside = folder.join(UNFINISHED);
        if complete {
            writer.sync()?;
        }
        // Windows does not remove open files.
        drop(writer);
        if complete {
            for shard in shards_of(&aside)?.iter().rev() {
                let place = folder.join(shard.file_name().unwrap_or_default());
                fs::rename(shard, &place).map_err(|error| DataError::io(&place, error))?;
            }
        }
        fs::remove_dir_all(&aside).map_err(|error| DataError::io(&aside, error))
    }
}

/// Writes the games, and returns their number; `run` is set as soon as there is a shard.
fn write_shards<'a>(
    archive: &'a Archive,
    games: &mut ArchiveGames<'a>,
    folder: &Path,
    run: &mut Option<UnfinishedRun<'a>>,
) -> Result<u64, DataError> {
    let headers: Vec<&ShardHeader> = archive.headers().collect();
    let header_of = |number: u64| headers.iter().rev().find(|header| header.first <= number).copied();
    let mut count = 0;
    while let Some(game) = games.next() {
        let game = game?;
        let not_one_run = || DataError::NotOneRun(games.path().to_owned());
        let header = header_of(game.number).ok_or_else(not_one_run)?;
        let run = match run {
            Some(run) => run,
            None => run.insert(UnfinishedRun::begin(folder, game.number, header)?),
        };
        let next = run.writer.next_number();
        if game.number < next {
            return Err(not_one_run());
        }
        if game.number > next {
            return Err(DataError::Missing(games.path().to_owned(), next, game.number - 1));
        }
        let last = run.header;
        if (&header.origin, &header.settings, header.goal) != (&last.origin, &last.settings, last.goal) {
            run.writer.change(header)?;
            run.header = header;
        }
        run.writer.append(&game)?;
        count += 1;
    }
    Ok(count)
}
