//! What can be wrong with files of games.

use crate::replay::ReplayError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file or folder of games is refused. Every message names the file, and the place in it where there is one.
#[derive(Debug, Error)]
pub enum DataError {
    /// The system says no.
    #[error("cannot access {}: {reason}; check the path and the permissions", file.display())]
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
    #[error("cannot read {}: its format {found} (byte 8) is newer than {known}, the latest that this program reads; use the program that wrote it, or a newer one", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: u32,
        /// The latest known.
        known: u32,
    },
    /// The header is damaged.
    #[error("cannot read {}: the header is damaged at byte {offset} ({reason}); fetch the file again, or remove it and all shards after it", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// A block is damaged.
    #[error("cannot read {}: block {block} (game {game}) is damaged at byte {offset} ({reason}); fetch the file again, or remove it and all shards after it", file.display())]
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
    #[error("cannot read {}: {error}; use a file that this program wrote", file.display())]
    Game {
        /// The file.
        file: PathBuf,
        /// The game and the move.
        error: ReplayError,
    },
    /// A game that is not the one it should be.
    #[error("cannot use {}: game {game} is not that of the source; name another folder", file.display())]
    OtherGame {
        /// The file.
        file: PathBuf,
        /// The game.
        game: u64,
    },
    /// A shard before the last of a run ends within a block.
    #[error("cannot read {}: block {block} at byte {offset} is incomplete, but the shard is not the last of its run; fetch it again, or remove it and all shards after it", file.display())]
    CutOff {
        /// The file.
        file: PathBuf,
        /// Where the cut block begins.
        offset: u64,
        /// Which block, from 1.
        block: u64,
    },
    /// Shards that do not follow each other.
    #[error("cannot read {}: it begins with game {found}, but the shard before it ends with game {last}; add the missing shards, or remove those of other runs", file.display())]
    Gap {
        /// The file.
        file: PathBuf,
        /// Its first game.
        found: u64,
        /// The last game before it.
        last: u64,
    },
    /// A folder of something else.
    #[error("cannot read {}: the folder contains no shards; give the folder that `datagen --out` named", folder.display())]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that is used.
    #[error("cannot start a run in {}: the folder contains a run; continue it with `quarterply datagen resume {}`, or name another folder", folder.display(), folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process writes to it.
    #[error("cannot open {}: another process is writing to it; wait for it, or name another folder", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The run was made otherwise than it would go on.
    #[error("cannot continue {}: {field} was {was} and is {is} now, which would produce other games; {}", file.display(), remedy(*.program))]
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
        "use the program that started the run, or start a new shard with --accept-new-program"
    } else {
        "use the same settings, or start another run"
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
