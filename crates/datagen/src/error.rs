//! Errors of files of games.

use crate::replay::ReplayError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file or folder of games is refused. Every message names the file, and the place in it where there is one.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DataError {
    /// The system refuses access: the file or folder, and the reason.
    #[error("cannot access `{file}`: {1}; check the path, the permissions and the space on the disk", file = .0.display())]
    Io(PathBuf, io::Error),
    /// Neither a file nor a folder.
    #[error("cannot read `{file}`: it is a pipe or a device, and files of games are read more than once; give a regular file", file = .0.display())]
    Pipe(PathBuf),
    /// Neither a shard nor a packed file: the file and its first bytes.
    #[error("cannot read `{file}`: it is not a file of games of `datagen` (it begins with {1}); check the path", file = .0.display())]
    Foreign(PathBuf, String),
    /// A later format: the file, its format and the latest known.
    #[error("cannot read `{file}`: its format {1} (byte 8) is newer than {2}, the latest that this program reads; use the program that wrote it, or a newer one", file = .0.display())]
    Newer(PathBuf, u32, u32),
    /// The header is damaged: the file, where and what is wrong.
    #[error("cannot read `{file}`: the header is damaged at byte {1} ({2}); fetch the file again, or remove it and all shards after it", file = .0.display())]
    Header(PathBuf, u64, String),
    /// A block is damaged.
    #[error("cannot read `{}`: block {block} (game {game}) is damaged at byte {offset} ({reason}); fetch the file again, or remove it and all shards after it (`train`, `learn` and most commands of `datagen` can skip the rest of the file with --skip-damaged)", file.display())]
    Block { file: PathBuf, offset: u64, block: u64, game: u64, reason: String },
    /// A block of a packed file is damaged.
    #[error("cannot read `{}`: block {block} is damaged at byte {offset} ({reason}); fetch the file again; `train`, `learn` and most commands of `datagen` can skip the block with --skip-damaged", file.display())]
    PackedBlock { file: PathBuf, block: u64, offset: u64, reason: String },
    /// The games to pack or to unpack are not those of one run: the file in which the numbering starts again.
    #[error("cannot use `{file}`: its game numbers do not continue those before it; give the files of one run at a time", file = .0.display())]
    NotOneRun(PathBuf),
    /// Games to unpack are missing: the file after them, the first of them and the last.
    #[error("cannot unpack `{file}`: games {1} to {2} before its next game are missing, and the shards of a run have no gaps; fetch the damaged or missing files again", file = .0.display())]
    Missing(PathBuf, u64, u64),
    /// A game that is written out of order: the folder, the game and the one that must come next.
    #[error("cannot write game {1} to `{folder}`: game {2} must come next; give games that are numbered without a gap", folder = .0.display())]
    OutOfOrder(PathBuf, u64, u64),
    /// A game cannot be replayed: the file, and the game with the move.
    #[error("cannot read `{file}`: {1}; use a file that this program wrote", file = .0.display())]
    Game(PathBuf, ReplayError),
    /// A game that is not the one it should be: the file and the game.
    #[error("cannot use `{file}`: game {1} is not that of the source; name another folder", file = .0.display())]
    OtherGame(PathBuf, u64),
    /// A shard before the last of a run ends within a block: the file, the number of the block, from 1, and its offset.
    #[error("cannot read `{file}`: block {1} at byte {2} is incomplete, but the shard is not the last of its run; fetch it again, or remove it and all shards after it", file = .0.display())]
    CutOff(PathBuf, u64, u64),
    /// Shards that do not follow each other: the file, its first game and the last game before it.
    #[error("cannot read `{file}`: it begins with game {1}, but the shard before it ends with game {2}; add the missing shards, or remove those of other runs", file = .0.display())]
    Gap(PathBuf, u64, u64),
    /// A folder without shards.
    #[error("cannot read `{folder}`: the folder contains no shards; give the folder that `datagen --out` named", folder = .0.display())]
    Empty(PathBuf),
    /// A folder with shards and packed files: the folder and a packed file.
    #[error("cannot read `{folder}`: it contains shards and packed files, which may hold the same games; move `{file}` to another folder, or name the files", folder = .0.display(), file = .1.display())]
    Mixed(PathBuf, PathBuf),
    /// A folder that contains a run.
    #[error("cannot start a run in `{folder}`: the folder contains a run; continue it with `quarterply datagen resume {folder}`, or name another folder", folder = .0.display())]
    Exists(PathBuf),
    /// A folder that another process writes to.
    #[error("cannot open `{folder}`: another process is writing to it; wait for it, or name another folder", folder = .0.display())]
    Busy(PathBuf),
    /// The run has another origin or other settings than its continuation would have.
    #[error("cannot continue `{}`: {field} was {was} and is {is} now, which would produce other games; {}", file.display(), remedy(*.program))]
    Changed { file: PathBuf, field: String, was: String, is: String, program: bool },
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
        DataError::Foreign(file.to_owned(), found)
    }

    /// The message without its remedy, for damage that is skipped.
    pub(crate) fn fault(&self) -> String {
        let text = self.to_string();
        let fault = text.rsplit_once("; ").map_or(text.as_str(), |(fault, _)| fault);
        match self {
            DataError::Block { .. } => format!("{fault}, and all later games of this file are left out"),
            _ => fault.to_owned(),
        }
    }

    /// The error of an operation on this file.
    pub fn io(file: &Path, reason: io::Error) -> DataError {
        DataError::Io(file.to_owned(), reason)
    }
}
