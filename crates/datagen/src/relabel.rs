//! New scores for existing games: the plan of a run that searches the positions of another run again.

use crate::error::DataError;
use crate::folder::ShardPlan;
use crate::read::Archive;
use crate::settings::{DataOrigin, DatagenGoal, DatagenSettings, SettingsError};
use quarterply_engine::params::Parameters;
use thiserror::Error;

/// Games that cannot be relabelled.
#[derive(Debug, Error)]
pub enum RelabelError {
    /// The source is not a whole run.
    #[error("cannot relabel `{0}`: it begins with game {1}; give all files of a run, not a part of them")]
    Part(String, u64),
    /// The games are not numbered without a gap: the file, the first game out of order and the game before it.
    #[error("cannot relabel `{0}`: its game {1} follows game {2}; give all files of one run, each of them once")]
    Gap(String, u64, u64),
    /// The source holds games of several runs, whose numbers do not follow each other.
    #[error(
        "cannot relabel `{0}` with all that it contains: its games are from different runs (seeds {1} and {2}); give one of its files, or the folder of one run"
    )]
    Runs(String, u64, u64),
    /// The source holds no games.
    #[error(
        "cannot relabel `{0}`: it contains positions from searches and no games; give the run whose games they come from"
    )]
    NoGames(String),
    /// The limits are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The source cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// The plan for relabelling the games of `source`: its settings, but other limits, parameters and memory.
///
/// # Errors
/// The source cannot be read, its games are not those of one run from game 1 on without a gap, or the limits are inconsistent.
pub fn plan(
    source: &Archive,
    origin: DataOrigin,
    limits: [u64; 2],
    parameters: &Parameters,
    hash: usize,
) -> Result<ShardPlan, RelabelError> {
    let (Some(file), Some(header)) = (source.files().next(), source.headers().next()) else {
        return Err(RelabelError::Part("the source".to_owned(), 0));
    };
    let seed = header.settings.seed;
    if let Some(other) = source.headers().find(|other| other.settings.seed != seed) {
        let folder = file.parent().unwrap_or(file);
        return Err(RelabelError::Runs(folder.display().to_string(), seed, other.settings.seed));
    }
    check_numbers(source)?;
    let [soft, nodes] = limits;
    if nodes < soft {
        return Err(SettingsError::Nodes(soft, nodes).into());
    }
    let settings = DatagenSettings { relabelled: Some(limits), hash, ..header.settings.clone() };
    let settings = settings.with_parameters(parameters);
    settings.check()?;
    Ok(ShardPlan { origin, settings, goal: DatagenGoal::default() })
}

/// Checks that the games are numbered from 1 on without a gap. Headers are not enough: each file of a packed run has those of all its shards.
fn check_numbers(source: &Archive) -> Result<(), RelabelError> {
    let mut last = 0;
    for batch in source.batches() {
        let batch = batch?;
        let numbers = batch.numbers();
        if numbers.start != last + 1 {
            let file = batch.path().display().to_string();
            return Err(match last {
                0 => RelabelError::Part(file, numbers.start),
                _ => RelabelError::Gap(file, numbers.start, last),
            });
        }
        last = numbers.end - 1;
    }
    Ok(())
}
