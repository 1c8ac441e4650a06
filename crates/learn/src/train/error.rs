//! Errors of training.

use quarterply_datagen::error::DataError;
use quarterply_engine::network::NetworkError;
use quarterply_files::pages::plot::PlotError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a network is not trained, or not verified.
#[derive(Debug, Error)]
pub enum TrainError {
    /// Games that cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// No training position.
    #[error("cannot use the games: no position passes the filter; give other or more games, or another filter")]
    NoPositions,
    /// No held-out position: the requested share.
    #[error(
        "cannot hold out games: no game with positions is in the held-out share {0}; give more games or a larger --holdout-share"
    )]
    NothingHeldOut(f64),
    /// Less than one batch: the number of positions and the size of a batch.
    #[error("cannot train: {0} positions are fewer than a batch of {1}; give more games or a smaller --batch")]
    Few(usize, usize),
    /// More than numbers of 32 bits can count.
    #[error("cannot train on {0} positions: at most {max} are supported; give fewer games", max = u32::MAX)]
    Many(usize),
    /// Games of a run are not there any more: the folder or shard, the number that is there, and the number that was.
    #[error("cannot use `{path}`: it contains {1} games, and the run uses {2}; restore the missing shards", path = .0.display())]
    GamesGone(PathBuf, u64, u64),
    /// The games of a run are not those that it began with.
    #[error("cannot use `{}`: the games are not those that this run started with; restore them, or start another run", .0.display())]
    OtherGames(PathBuf),
    /// A setting that is not valid: the flag with its value, and what to give instead.
    #[error("cannot use {0}")]
    Setting(String),
    /// The shape or a weight of the network is not valid.
    #[error("{0}")]
    Network(#[from] NetworkError),
    /// The file is not a network: the file and what is wrong with it.
    #[error("cannot read the network `{file}`: {1}", file = .0.display())]
    BadNetwork(PathBuf, NetworkError),
    /// A new run into something that is there.
    #[error("cannot start a run in `{folder}`: the folder exists; continue its run with `quarterply train resume {folder}`, or give another folder to --out", folder = .0.display())]
    Exists(PathBuf),
    /// No run in this folder: the folder and what is missing.
    #[error("cannot read the training run `{folder}`: {1}; give the folder that --out named", folder = .0.display())]
    NoRun(PathBuf, String),
    /// Another process works in the folder.
    #[error("cannot open the run `{}`: another process is working on it; wait for it or stop it", .0.display())]
    Busy(PathBuf),
    /// A file of a run has an invalid content: the file, the fault and the remedy.
    #[error("cannot read `{file}`: {1}; {2}", file = .0.display())]
    Damaged(PathBuf, String, &'static str),
    /// The system refuses access: the file or folder, and the reason.
    #[error("cannot access `{file}`: {1}; check the path, the permissions and the space on the disk", file = .0.display())]
    Io(PathBuf, io::Error),
    /// Training ran away: the batch.
    #[error(
        "cannot continue training: the loss is not finite after batch {0}; start another run with a lower --rate or a longer --warmup"
    )]
    Diverged(u64),
    /// The report cannot be made.
    #[error("cannot make the report: {0}; the network is saved")]
    Plot(#[from] PlotError),
    /// The run was stopped.
    #[error("stopped")]
    Stopped,
}

impl TrainError {
    /// The error of an operation on this file.
    pub fn io(file: &Path, reason: io::Error) -> TrainError {
        TrainError::Io(file.to_owned(), reason)
    }

    /// Returns true if the error is in the user's input.
    pub fn is_input(&self) -> bool {
        !matches!(self, TrainError::Io(..) | TrainError::Diverged(..) | TrainError::Plot(_) | TrainError::Stopped)
    }
}
