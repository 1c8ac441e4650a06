//! How far a run is: for its display, for `progress.json`, and for `tune show` of a running or killed run.

use super::conclude::GamesComparison;
use super::error::TuneError;
use super::fault::FaultReport;
use super::folder::TuningFolder;
use super::run::TuningEvent;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The progress in a run's folder.
pub const PROGRESS: &str = "progress.json";
/// Time between two writes of that file.
const WRITE_INTERVAL: Duration = Duration::from_secs(10);

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningProgress {
    /// Iterations or generations finished.
    pub iteration: usize,
    /// How many there will be.
    pub iterations: usize,
    /// The current values, in the order of the parameters: the point of the method, or its best candidate.
    pub values: Vec<f64>,
    /// Pairs of games played by all processes of the run.
    pub pairs: u64,
    /// Nodes searched for the finished iterations.
    pub nodes: u64,
    /// The games of the current best candidate against the start values, if it has played any, and the iteration that they belong to.
    pub gain: Option<(usize, GamesComparison)>,
    /// Games that were lost by faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultReport>,
    /// Seconds that all processes have worked on the run; `None` if an older version began it.
    pub seconds: Option<f64>,
}

impl TuningProgress {
    /// The time until the last iteration at the speed so far, and at most until `budget` nodes are spent; `None` if it is unknown.
    pub fn left(&self, budget: Option<u64>) -> Option<Duration> {
        let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
        let part = |done: f64, all: f64| (done > 0.0).then(|| seconds / done * (all - done).max(0.0));
        let by_iterations = part(self.iteration as f64, self.iterations as f64);
        let by_budget = budget.and_then(|budget| part(self.nodes as f64, budget as f64));
        let least = by_iterations.into_iter().chain(by_budget).reduce(f64::min)?;
        Duration::try_from_secs_f64(least).ok()
    }
}

/// Tracks the progress of a run and updates its file.
pub(super) struct ProgressTracker {
    /// How far the run is.
    pub(super) progress: TuningProgress,
    /// Seconds that earlier processes have worked.
    before: Option<f64>,
    begun: Instant,
    written: Option<Instant>,
}

impl ProgressTracker {
    /// Tracks the run in this folder from `progress` on; the time of earlier processes is read from its file.
    pub(super) fn new(folder: &Path, progress: TuningProgress, measured: bool) -> ProgressTracker {
        let text = fs::read_to_string(folder.join(PROGRESS)).ok();
        let known = text.and_then(|text| serde_json::from_str::<TuningProgress>(&text).ok());
        // The time of what was measured before the file existed is unknown.
        let before = known.map_or_else(|| (!measured).then_some(0.0), |known| known.seconds);
        let progress = TuningProgress { seconds: before, ..progress };
        ProgressTracker { progress, before, begun: Instant::now(), written: None }
    }

    /// The clock of this process starts now.
    pub(super) fn start(&mut self) {
        self.begun = Instant::now();
    }

    /// Takes note of an event, and writes the file if it is older than [`WRITE_INTERVAL`].
    pub(super) fn record_event(&mut self, event: &TuningEvent<'_>, folder: &TuningFolder) {
        if let TuningEvent::Batch(batch) = event {
            self.progress.pairs = batch.pairs;
        }
        if self.written.is_none_or(|written| written.elapsed() >= WRITE_INTERVAL) {
            // A disk that cannot be written ends the run at the next measurement; the last write reports its error.
            let _ = self.write(folder);
        }
    }

    /// Writes the file.
    pub(super) fn write(&mut self, folder: &TuningFolder) -> Result<(), TuneError> {
        self.written = Some(Instant::now());
        self.progress.seconds = self.before.map(|before| before + self.begun.elapsed().as_secs_f64());
        folder.write(PROGRESS, serde_json::to_string(&self.progress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_speed_so_far() {
        let at = |iteration, seconds| TuningProgress {
            iteration,
            iterations: 100,
            nodes: 4_000,
            seconds,
            ..TuningProgress::default()
        };
        let left = |progress: TuningProgress, budget| progress.left(budget).map(|left| left.as_secs());
        assert_eq!(left(at(25, Some(50.0)), None), Some(150));
        assert_eq!(left(at(25, Some(50.0)), Some(10_000)), Some(75));
        assert_eq!(left(at(25, Some(50.0)), Some(1_000)), Some(0));
        assert_eq!(left(at(100, Some(50.0)), None), Some(0));
        assert_eq!(left(at(0, Some(50.0)), None), None);
        assert_eq!(left(at(25, None), None), None);
    }
}
