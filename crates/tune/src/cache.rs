//! All measurements of a run: known results, missing results, and their cost.
//!
//! The cache is exact: a unit of a candidate is never measured twice. The cost of a run is counted when a result is
//! first *used*. A resumed run, which takes its first results from the journal, therefore counts the same cost as an
//! uninterrupted one.

use super::error::TuneError;
use super::fault::{self, FaultReport};
use super::journal::Journal;
use super::run::{OnEvent, TuningEvent};
use super::space::Candidate;
use super::units::{CandidateTask, FinishedTask, Measurement, WorkUnit};
use quarterply_games::game::Pace;
use quarterply_stats::Pentanomial;
use std::collections::{HashMap, HashSet};

/// A measurement, and whether its cost was counted.
#[derive(Clone, Copy)]
struct CachedMeasurement {
    measure: Measurement,
    counted: bool,
}

/// The progress of a batch of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchProgress {
    /// Candidates of the batch.
    pub candidates: usize,
    /// Units requested.
    pub requested: usize,
    /// Units known before.
    pub known: usize,
    /// Units known now.
    pub done: usize,
    /// Nodes searched by this process for this batch.
    pub nodes: u64,
    /// Pairs of games of the whole run that are known now.
    pub pairs: u64,
}

/// Measures units that a cache does not have.
pub(crate) trait UnitRunner {
    /// Divides work into tasks. `missing` returns the unknown part of `requested`. For workers elsewhere, the division does not depend on
    /// the known part, so that a resumed run finds the results that workers have stored meanwhile.
    fn cut(
        &self,
        requested: &[CandidateTask],
        missing: &dyn Fn(&[CandidateTask]) -> Vec<CandidateTask>,
    ) -> Vec<CandidateTask>;

    /// Measures tasks. Their outcomes are counted in any order.
    ///
    /// # Errors
    /// They cannot be measured; outcomes before the error count.
    fn measure(
        &mut self,
        tasks: Vec<CandidateTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError>;
}

/// The measurements of a run: known ones, and what makes the others.
pub struct MeasurementCache<'e> {
    entries: HashMap<Candidate, HashMap<WorkUnit, CachedMeasurement>>,
    seen: HashSet<Candidate>,
    journal: Journal,
    runner: Option<Box<dyn UnitRunner + 'e>>,
    spent: u64,
    pairs: u64,
    faults: Vec<FaultReport>,
    tolerance: FaultTolerance,
}

/// How many faults in games a run accepts.
#[derive(Clone, Copy, Debug)]
pub struct FaultTolerance {
    /// The run stops at this number of faults.
    pub most: u32,
    /// The limit of moves, for advice.
    pub pace: Pace,
}

impl FaultTolerance {
    /// Checks the number of faults.
    ///
    /// # Errors
    /// There are too many.
    fn check(&self, faults: &[FaultReport], names: &[String]) -> Result<(), TuneError> {
        match faults.last() {
            Some(last) if faults.len() >= self.most as usize => {
                let advice = fault::advice(&last.fault.kind, &self.pace);
                Err(TuneError::Faults(faults.len(), last.describe(names), advice))
            }
            _ => Ok(()),
        }
    }
}

impl<'e> MeasurementCache<'e> {
    /// A cache with the results of the journal. It measures nothing until [`MeasurementCache::set_runner`].
    pub fn new(mut journal: Journal, tolerance: FaultTolerance) -> MeasurementCache<'e> {
        let (mut entries, known) = (HashMap::new(), journal.take_known());
        let faults = known.iter().flat_map(FinishedTask::faults).collect();
        let pairs = known.into_iter().map(|outcome| store(&mut entries, outcome)).sum();
        MeasurementCache { entries, seen: HashSet::new(), journal, runner: None, spent: 0, pairs, faults, tolerance }
    }

    /// Measures unknown units from now on.
    pub(crate) fn set_runner(&mut self, runner: impl UnitRunner + 'e) {
        self.runner = Some(Box::new(runner));
    }

    /// Messages about the journal for the user.
    pub fn notes(&self) -> &[String] {
        self.journal.notes()
    }

    /// Ends the journal. Nothing is measured after that.
    pub fn close(self) -> Result<(), TuneError> {
        self.journal.close()
    }

    /// Nodes searched for the run so far, by all processes.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Results that are known.
    pub fn known(&self) -> usize {
        self.entries.values().map(HashMap::len).sum()
    }

    /// The faults in games, by all processes.
    pub fn faults(&self) -> &[FaultReport] {
        &self.faults
    }

    /// Pairs of games that are known.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The pairs of games of a candidate against an opponent that are known, from the first `openings` openings.
    pub fn pairs_of(&self, candidate: &Candidate, opponent: &Candidate, openings: u32) -> Pentanomial {
        let mut pairs = Pentanomial::default();
        for opening in 0..openings {
            let unit = WorkUnit::Pair { opponent: opponent.clone(), opening };
            let entry = self.entries.get(candidate).and_then(|own| own.get(&unit));
            if let Some(CachedMeasurement { measure: Measurement::Pair { points, .. }, .. }) = entry {
                pairs.add(usize::from(*points));
            }
        }
        pairs
    }

    /// Different candidates that were measured so far.
    pub fn candidates(&self) -> usize {
        self.seen.len()
    }

    /// The results of units, measured if they are not known.
    pub fn measure(
        &mut self,
        requested: &[CandidateTask],
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Vec<Vec<Measurement>>, TuneError> {
        self.complete(requested, on_progress)?;
        Ok(requested.iter().map(|task| self.results_of(task)).collect())
    }

    /// Makes sure that all these results are known.
    fn complete(&mut self, requested: &[CandidateTask], on_progress: &mut OnEvent<'_>) -> Result<(), TuneError> {
        let missing = self.missing(requested);
        let count = |tasks: &[CandidateTask]| tasks.iter().map(|task| task.units.len()).sum::<usize>();
        let total = count(requested);
        let known = total - count(&missing);
        let batch = BatchProgress {
            candidates: requested.len(),
            requested: total,
            known,
            done: known,
            nodes: 0,
            pairs: self.pairs,
        };
        if missing.is_empty() {
            return Ok(());
        }
        let Some(runner) = &self.runner else { return Err(TuneError::Unknown) };
        self.tolerance.check(&self.faults, self.journal.names())?;
        on_progress(TuningEvent::Batch(batch));
        let tasks = runner.cut(requested, &|tasks| self.missing(tasks));
        let MeasurementCache { entries, journal, runner: Some(runner), pairs, faults, tolerance, .. } = self else {
            return Ok(());
        };
        let mut counter = Counter { entries, journal, pairs, faults, tolerance: *tolerance, batch };
        runner.measure(tasks, &mut counter, on_progress)
    }

    /// The unknown units of these, each once.
    fn missing(&self, requested: &[CandidateTask]) -> Vec<CandidateTask> {
        let mut seen: HashMap<&Candidate, HashSet<&WorkUnit>> = HashMap::new();
        let mut missing = Vec::new();
        for task in requested {
            let known = self.entries.get(&task.candidate);
            let seen = seen.entry(&task.candidate).or_default();
            let units = task.units.iter().filter(|unit| !known.is_some_and(|known| known.contains_key(unit)));
            let units: Vec<WorkUnit> = units.filter(|unit| seen.insert(unit)).cloned().collect();
            if !units.is_empty() {
                missing.push(CandidateTask { candidate: task.candidate.clone(), units });
            }
        }
        missing
    }

    /// The results of a task, which are known. Each one's cost is counted when it is first used.
    fn results_of(&mut self, task: &CandidateTask) -> Vec<Measurement> {
        self.seen.insert(task.candidate.clone());
        let Some(own) = self.entries.get_mut(&task.candidate) else { return Vec::new() };
        let mut measures = Vec::with_capacity(task.units.len());
        for unit in &task.units {
            let Some(entry) = own.get_mut(unit) else { continue };
            if !std::mem::replace(&mut entry.counted, true) {
                self.spent += entry.measure.nodes();
            }
            measures.push(entry.measure);
        }
        measures
    }
}

/// Receives outcomes.
pub(crate) struct Counter<'a> {
    entries: &'a mut HashMap<Candidate, HashMap<WorkUnit, CachedMeasurement>>,
    journal: &'a mut Journal,
    pairs: &'a mut u64,
    faults: &'a mut Vec<FaultReport>,
    tolerance: FaultTolerance,
    batch: BatchProgress,
}

impl Counter<'_> {
    /// Keeps an outcome.
    ///
    /// # Errors
    /// It cannot be stored; or it was, and there are too many faults now.
    pub(crate) fn take(&mut self, outcome: FinishedTask, on_progress: &mut OnEvent<'_>) -> Result<(), TuneError> {
        self.journal.add(&outcome)?;
        self.batch.done += outcome.results.measures.len();
        self.batch.nodes += outcome.results.measures.iter().map(Measurement::nodes).sum::<u64>();
        let faults: Vec<FaultReport> = outcome.faults().collect();
        *self.pairs += store(self.entries, outcome);
        self.batch.pairs = *self.pairs;
        on_progress(TuningEvent::Batch(self.batch));
        if faults.is_empty() {
            return Ok(());
        }
        for fault in faults {
            on_progress(TuningEvent::Warning(&self.describe(&fault)));
            self.faults.push(fault);
        }
        self.tolerance.check(self.faults, self.journal.names())
    }

    /// A new fault, with advice at the first.
    fn describe(&self, report: &FaultReport) -> String {
        let mut text = format!(
            "fault {} (limit {}): {}",
            self.faults.len() + 1,
            self.tolerance.most,
            report.describe(self.journal.names())
        );
        if self.faults.is_empty() {
            text += &format!("; {}", fault::advice(&report.fault.kind, &self.tolerance.pace));
        }
        text
    }
}

/// Keeps an outcome. Returns the number of pairs of games that were not known.
fn store(entries: &mut HashMap<Candidate, HashMap<WorkUnit, CachedMeasurement>>, outcome: FinishedTask) -> u64 {
    let own = entries.entry(outcome.task.candidate).or_default();
    let mut pairs = 0;
    for (unit, measure) in outcome.task.units.into_iter().zip(outcome.results.measures) {
        let is_new = own.insert(unit, CachedMeasurement { measure, counted: false }).is_none();
        pairs += u64::from(is_new && matches!(measure, Measurement::Pair { .. }));
    }
    pairs
}
