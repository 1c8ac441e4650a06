//! What can go wrong in training.

use quarterply_datagen::error::DataError;
use quarterply_engine::network::NetworkError;
use quarterply_pages::plot::PlotError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a network is not trained, or not verified.
#[derive(Debug, Error)]
pub enum TrainError {
    /// Games that cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Nothing to learn from.
    #[error("cannot train: no position passes the filter; give other or more games, or another filter")]
    NoPositions,
    /// Nothing to check with.
    #[error("cannot hold out games: {} % of these are none; give more games or a larger --held-out", 100.0 * .share)]
    NothingHeldOut {
        /// The share that was asked for.
        share: f64,
    },
    /// Not even one batch.
    #[error("cannot train: {found} positions are fewer than a batch of {batch}; give more games or a smaller --batch")]
    Few {
        /// How many there are.
        found: usize,
        /// How many are needed.
        batch: usize,
    },
    /// More than numbers of 32 bits can count.
    #[error("cannot train on {0} positions: 4 billion are the most; give fewer games")]
    Many(usize),
    /// The games of a run are not there any more.
    #[error("cannot use {}: it contains {found} games, and the run uses {wanted}; restore the missing shards", .path.display())]
    GamesGone {
        /// Folder or shard.
        path: PathBuf,
        /// Games that are there.
        found: u64,
        /// Games that there were.
        wanted: u64,
    },
    /// The games of a run are not those that it began with.
    #[error("cannot use {}: the games are not those that this run started with; restore them, or start another run", .0.display())]
    OtherGames(PathBuf),
    /// A setting that cannot be.
    #[error("{0}")]
    Setting(String),
    /// The network cannot be of that shape, or the file is none.
    #[error("{0}")]
    Network(#[from] NetworkError),
    /// The file is not a network.
    #[error("cannot read the network {}: {reason}", .file.display())]
    BadNetwork {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: NetworkError,
    },
    /// A new run into something that is there.
    #[error("cannot start a run in {folder}: the folder exists; continue its run with `quarterply train resume {folder}`, or give another folder to --out", folder = .0.display())]
    Exists(PathBuf),
    /// No run in this folder.
    #[error("cannot read the training run {}: {reason}; give the folder that --out named", .folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// Another process works in the folder.
    #[error("cannot open the run {}: another process is working on it; wait for it or stop it", .0.display())]
    Busy(PathBuf),
    /// A file of a run does not say what it should.
    #[error("cannot read {}: {reason}; {remedy}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The system says no.
    #[error("cannot access {}: {reason}; check the path, the permissions and the space on the disk", .file.display())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Training ran away.
    #[error(
        "cannot continue training: the loss is not finite after batch {step}; start another run with a lower --rate or a longer --warmup"
    )]
    Diverged {
        /// The batch.
        step: u64,
    },
    /// The report cannot be made.
    #[error("cannot make the report: {0}; the network is saved")]
    Plot(#[from] PlotError),
    /// The run was stopped.
    #[error("stopped")]
    Stopped,
}

impl TrainError {
    /// The system says no about this file.
    pub fn io(file: &Path, reason: io::Error) -> TrainError {
        TrainError::Io { file: file.to_owned(), reason }
    }

    /// Returns true if the error is in the user's input.
    pub fn is_input(&self) -> bool {
        !matches!(self, TrainError::Io { .. } | TrainError::Diverged { .. } | TrainError::Plot(_) | TrainError::Stopped)
    }
}
