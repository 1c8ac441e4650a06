//! What can be wrong with files of games.

use crate::replay::ReplayError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file or folder of games is refused. Every message names the file, and the place in it where there is one.
#[derive(Debug, Error)]
pub enum DataError {
    /// The system says no.
    #[error("{}: {reason}; check the path and the permissions", file.display())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Neither a shard nor a packed file.
    #[error("cannot read {}: it is not a file of games of `datagen` (it begins with {found}); check the path", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// Its first bytes.
        found: String,
    },
    /// A later format.
    #[error("{}: offset 8: format {found}, and this program reads formats up to {known}; use the program that wrote it, or a newer one", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: u32,
        /// The latest known.
        known: u32,
    },
    /// The header is damaged.
    #[error("{}: offset {offset}: the header is damaged ({reason}); fetch the file again, or remove it and all shards after it", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// A block is damaged.
    #[error("{}: offset {offset}: block {block} (game {game}) is damaged ({reason}); fetch the file again, or remove it and all shards after it", file.display())]
    Block {
        /// The file.
        file: PathBuf,
        /// Where the block begins.
        offset: u64,
        /// Which block, from 1.
        block: u64,
        /// The expected game number.
        game: u64,
        /// What is wrong.
        reason: String,
    },
    /// A block of a packed file is damaged.
    #[error("cannot read {}: block {block} is damaged at byte {offset} ({reason}); fetch the file again, or use --skip-damaged to skip the block", file.display())]
    PackedBlock {
        /// The file.
        file: PathBuf,
        /// Which block, from 1.
        block: u64,
        /// Where it begins.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// The games to pack are not those of one run.
    #[error("cannot pack {}: its games are not numbered on from those before it; pack one run at a time", file.display())]
    NotOneRun {
        /// The file in which the numbering starts again.
        file: PathBuf,
    },
    /// A game cannot be replayed.
    #[error("{}: {error}; the file was not written by this program", file.display())]
    Game {
        /// The file.
        file: PathBuf,
        /// The game and the move.
        error: ReplayError,
    },
    /// A game that is not the one it should be.
    #[error("{}: game {game} is not that of the source; name another folder", file.display())]
    OtherGame {
        /// The file.
        file: PathBuf,
        /// The game.
        game: u64,
    },
    /// A shard before the last of a run ends within a block.
    #[error("{}: offset {offset}: the shard ends within block {block}, but it is not the last of its run; fetch it again, or remove it and all shards after it", file.display())]
    CutOff {
        /// The file.
        file: PathBuf,
        /// Where the cut block begins.
        offset: u64,
        /// Which block, from 1.
        block: u64,
    },
    /// Shards that do not follow each other.
    #[error("{}: it begins with game {found}, but the shard before it ends with game {last}; shards are missing, or are from different runs", file.display())]
    Gap {
        /// The file.
        file: PathBuf,
        /// Its first game.
        found: u64,
        /// The last game before it.
        last: u64,
    },
    /// A folder of something else.
    #[error("{}: no shards in it; give the folder that `datagen --out` named", folder.display())]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that is used.
    #[error("{}: holds a run already; go on with `quarterply datagen resume {}`, or name another folder", folder.display(), folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process writes to it.
    #[error("{}: another process is writing to it; wait for it, or name another folder", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The run was made otherwise than it would go on.
    #[error("{}: {field} was {was} and is {is} now: other games would come; {}", file.display(), remedy(*.program))]
    Changed {
        /// The shard that says so.
        file: PathBuf,
        /// What differs.
        field: String,
        /// Its value in the shard.
        was: String,
        /// Its value now.
        is: String,
        /// True if the program differs, which the user may accept.
        program: bool,
    },
}

fn remedy(program: bool) -> &'static str {
    if program {
        "go on with the program that began, or begin a new shard with --accept-new-program"
    } else {
        "go on with the same settings, or begin another run"
    }
}

impl DataError {
    /// A file that begins with `bytes`, which no file of games does.
    pub(crate) fn foreign(file: &Path, bytes: &[u8]) -> DataError {
        let found = if bytes.is_empty() { "nothing".to_owned() } else { format!("`{}`", bytes.escape_ascii()) };
        DataError::Foreign { file: file.to_owned(), found }
    }

    /// The system says no about this file.
    pub fn io(file: &Path, reason: io::Error) -> DataError {
        DataError::Io { file: file.to_owned(), reason }
    }
}
