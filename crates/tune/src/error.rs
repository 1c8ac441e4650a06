//! Errors of a run. After any of them, the measurements made before are in the journal.

use super::fault::FAULTS;
use super::plan::FORMAT;
use super::recorded::Mismatch;
use super::space::SpaceError;
use quarterply_engine::params::ParameterError;
use quarterply_files::epd::FileError;
use quarterply_files::journal::JournalError;
use quarterply_files::pages::plot::PlotError;
use quarterply_work::WorkError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot start, go on or be shown.
#[derive(Debug, Error)]
pub enum TuneError {
    /// The selection of parameters is not a valid space.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// A parameter or its range differs from the run's.
    #[error("{0}")]
    Parameter(#[from] ParameterError),
    /// This version cannot measure with the recorded base profile or ranges: a value that cannot be used, how many
    /// others there are and the build that recorded them.
    #[error(
        "cannot continue the run: {0}{others}; use the build that started it ({2}), or start a new run",
        others = others(.1)
    )]
    Mismatch(Mismatch, usize, String),
    /// A suite cannot be read.
    #[error(transparent)]
    Suite(#[from] FileError),
    /// A suite of a run cannot be read any more.
    #[error("{0}; if the suite was moved, name its new path with --suite or --holdout")]
    SuiteGone(FileError),
    /// A suite with nothing to solve.
    #[error("cannot tune on {}: no position has a solution (bm, am, dm or c0 points); give another suite", .0.display())]
    NoTask(PathBuf),
    /// A suite is not the one that the run began with: the file, its fingerprint now and its fingerprint then.
    #[error(
        "cannot use {0}: the suite has changed since the start of the run ({1}, not {2}); restore it, or start a new run"
    )]
    SuiteChanged(PathBuf, String, String),
    /// More positions were requested than there are: the file, the number of its positions and the requested number.
    #[error("cannot use --positions {2}: {0} has {1} positions with a solution; give a smaller number")]
    TooFew(PathBuf, usize, usize),
    /// The folder of a new run exists.
    #[error("cannot start a run in {folder}: the folder exists; continue its run with `quarterply tune resume {folder}`, or give another folder to --out", folder = .0.display())]
    Exists(PathBuf),
    /// The folder of a new run cannot be made: the folder and the error of the system.
    #[error("cannot start a run in {0}: {1}; give another folder to --out")]
    Place(PathBuf, io::Error),
    /// Remote workers cannot do the work.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The first measurement cannot be made.
    #[error("{0}")]
    Start(String),
    /// No run in this folder: the folder and what is missing.
    #[error("cannot read the tuning run {0}: {1}; give the folder that --out named")]
    NoRun(PathBuf, String),
    /// Another process works in the folder.
    #[error("cannot open the run {}: another process is working on it; wait for it or stop it", .0.display())]
    Busy(PathBuf),
    /// `run.toml` is not valid: the file and what is wrong.
    #[error("cannot read {0}: {1}; restore the file, or start a new run")]
    Plan(PathBuf, String),
    /// A number of a new run is not valid.
    #[error("cannot start the run: {0}; give another number")]
    Number(String),
    /// The folder was written in the format of another version: the file, its format and the version that wrote it.
    #[error(
        "cannot read {0}: it has format {1}, and this program reads format {FORMAT}; use the version that wrote it ({2})"
    )]
    Format(PathBuf, u32, String),
    /// This program searches differently from the one that began the run, or chooses other openings for the games of another engine:
    /// the folder, both fingerprints in words, and the version that began it.
    #[error("cannot continue the run {0}: {1}; use the build that started it ({2}), or start a new run")]
    OtherBuild(PathBuf, String, String),
    /// The journal cannot be opened, read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal of a run that has measured something is not there.
    #[error("cannot read {}: the journal of the run is missing; restore it, or start a new run", .0.display())]
    NoJournal(PathBuf),
    /// A file cannot be written or read: the file and the error of the system.
    #[error(
        "cannot access {0}: {1}; all measurements are in the journal: remove the cause, then continue with `quarterply tune resume`"
    )]
    File(PathBuf, io::Error),
    /// The report cannot be made.
    #[error("cannot make the report: {0}; all measurements are in the journal")]
    Report(#[from] PlotError),
    /// An engine failed.
    #[error(
        "{0}; all measurements are in the journal: repair the engine and continue with `quarterply tune resume`, or start a new run \
         with narrower ranges"
    )]
    Engine(String),
    /// Too many games were lost by faults: how many, the last of them, and its likely cause with what to do.
    #[error(
        "cannot continue tuning: {0} games were lost by faults, the last one because {1}; {2}; then continue with `quarterply \
         tune resume --faults {more}` (the lost games count), or start a new run", more = .0 + FAULTS as usize
    )]
    Faults(usize, String, String),
    /// The run was stopped.
    #[error("stopped; continue with `quarterply tune resume`")]
    Stopped,
    /// The journal ends here, and nothing more is to be measured.
    #[error("the journal ends here")]
    Unknown,
}

/// Further values, if there are any.
fn others(more: &usize) -> String {
    match more {
        0 => String::new(),
        1 => " (1 more recorded value cannot be used)".to_owned(),
        more => format!(" ({more} more recorded values cannot be used)"),
    }
}

impl TuneError {
    /// A fault of a file.
    pub(super) fn file(path: &Path, reason: io::Error) -> TuneError {
        TuneError::File(path.to_owned(), reason)
    }
}
