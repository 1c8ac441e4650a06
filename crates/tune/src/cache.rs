//! All measurements of a run: known results, missing results, and their cost.
//!
//! The cache is exact: a candidate and a probe are never measured twice. The cost of a run is counted when a result is
//! first *used*. A resumed run, which takes its first results from the journal, therefore counts the same cost as an
//! uninterrupted one.

use super::error::TuneError;
use super::fault::{self, FaultReport};
use super::journal::Journal;
use super::measure::{Measure, Probe, ProbeOutcome, ProbeTask};
use super::run::{OnEvent, TuningEvent};
use super::space::Candidate;
use quarterply_games::game::Pace;
use quarterply_stats::Pentanomial;
use std::collections::{HashMap, HashSet};

/// A measurement and whether the run has paid for it.
#[derive(Clone, Copy)]
struct CachedMeasure {
    measure: Measure,
    paid: bool,
}

/// The progress of a batch of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Candidates of the batch.
    pub candidates: usize,
    /// Probes requested.
    pub requested: usize,
    /// Probes known before.
    pub known: usize,
    /// Probes known now.
    pub done: usize,
    /// Nodes searched by this process for this batch.
    pub nodes: u64,
    /// Pairs of games of the whole run that are known now.
    pub pairs: u64,
}

/// Measures probes that a cache does not have.
pub(crate) trait ProbeRunner {
    /// Divides work into tasks. `missing` returns the unknown part of `requested`. For workers elsewhere, the division does not depend on
    /// the known part, so that a resumed run finds the results that workers have stored meanwhile.
    fn cut(&self, requested: &[ProbeTask], missing: &dyn Fn(&[ProbeTask]) -> Vec<ProbeTask>) -> Vec<ProbeTask>;

    /// Measures tasks. Their outcomes are counted in any order.
    ///
    /// # Errors
    /// They cannot be measured; outcomes before the error count.
    fn measure(
        &mut self,
        tasks: Vec<ProbeTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError>;
}

/// Where measurements come from.
pub struct ProbeCache<'e> {
    entries: HashMap<Candidate, HashMap<Probe, CachedMeasure>>,
    met: HashSet<Candidate>,
    journal: Journal,
    bench: Option<Box<dyn ProbeRunner + 'e>>,
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

impl<'e> ProbeCache<'e> {
    /// A cache with the results of the journal. It measures nothing until [`ProbeCache::measure_with`].
    pub fn new(mut journal: Journal, tolerance: FaultTolerance) -> ProbeCache<'e> {
        let (mut entries, known) = (HashMap::new(), journal.take_known());
        let faults = known.iter().flat_map(ProbeOutcome::faults).collect();
        let pairs = known.into_iter().map(|outcome| remember(&mut entries, outcome)).sum();
        ProbeCache { entries, met: HashSet::new(), journal, bench: None, spent: 0, pairs, faults, tolerance }
    }

    /// Measures unknown probes from now on.
    pub(crate) fn measure_with(&mut self, bench: impl ProbeRunner + 'e) {
        self.bench = Some(Box::new(bench));
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
            let probe = Probe::Pair { opponent: opponent.clone(), opening };
            let entry = self.entries.get(candidate).and_then(|own| own.get(&probe));
            if let Some(CachedMeasure { measure: Measure::Pair { points, .. }, .. }) = entry {
                pairs.add(usize::from(*points));
            }
        }
        pairs
    }

    /// Different candidates that were measured so far.
    pub fn candidates(&self) -> usize {
        self.met.len()
    }

    /// The results of probes, measured if they are not known.
    pub fn measure(
        &mut self,
        requested: &[ProbeTask],
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Vec<Vec<Measure>>, TuneError> {
        self.complete(requested, on_progress)?;
        Ok(requested.iter().map(|task| self.pay(task)).collect())
    }

    /// Makes sure that all these results are known.
    fn complete(&mut self, requested: &[ProbeTask], on_progress: &mut OnEvent<'_>) -> Result<(), TuneError> {
        let missing = self.missing(requested);
        let count = |tasks: &[ProbeTask]| tasks.iter().map(|task| task.probes.len()).sum::<usize>();
        let total = count(requested);
        let known = total - count(&missing);
        let batch =
            Batch { candidates: requested.len(), requested: total, known, done: known, nodes: 0, pairs: self.pairs };
        if missing.is_empty() {
            return Ok(());
        }
        let Some(bench) = &self.bench else { return Err(TuneError::Unknown) };
        self.tolerance.check(&self.faults, self.journal.names())?;
        on_progress(TuningEvent::Batch(batch));
        let tasks = bench.cut(requested, &|tasks| self.missing(tasks));
        let ProbeCache { entries, journal, bench: Some(bench), pairs, faults, tolerance, .. } = self else {
            return Ok(());
        };
        let mut counter = Counter { entries, journal, pairs, faults, tolerance: *tolerance, batch };
        bench.measure(tasks, &mut counter, on_progress)
    }

    /// The unknown probes of these, each once.
    fn missing(&self, requested: &[ProbeTask]) -> Vec<ProbeTask> {
        let mut seen: HashMap<&Candidate, HashSet<&Probe>> = HashMap::new();
        let mut missing = Vec::new();
        for task in requested {
            let known = self.entries.get(&task.candidate);
            let seen = seen.entry(&task.candidate).or_default();
            let probes = task.probes.iter().filter(|probe| !known.is_some_and(|known| known.contains_key(probe)));
            let probes: Vec<Probe> = probes.filter(|probe| seen.insert(probe)).cloned().collect();
            if !probes.is_empty() {
                missing.push(ProbeTask { candidate: task.candidate.clone(), probes });
            }
        }
        missing
    }

    /// Hands out results that are known and counts what they cost the first time.
    fn pay(&mut self, task: &ProbeTask) -> Vec<Measure> {
        self.met.insert(task.candidate.clone());
        let Some(own) = self.entries.get_mut(&task.candidate) else { return Vec::new() };
        let mut measures = Vec::with_capacity(task.probes.len());
        for probe in &task.probes {
            let Some(entry) = own.get_mut(probe) else { continue };
            if !std::mem::replace(&mut entry.paid, true) {
                self.spent += entry.measure.nodes();
            }
            measures.push(entry.measure);
        }
        measures
    }
}

/// Receives outcomes.
pub(crate) struct Counter<'a> {
    entries: &'a mut HashMap<Candidate, HashMap<Probe, CachedMeasure>>,
    journal: &'a mut Journal,
    pairs: &'a mut u64,
    faults: &'a mut Vec<FaultReport>,
    tolerance: FaultTolerance,
    batch: Batch,
}

impl Counter<'_> {
    /// Keeps an outcome.
    ///
    /// # Errors
    /// It cannot be stored; or it was, and there are too many faults now.
    pub(crate) fn take(&mut self, outcome: ProbeOutcome, on_progress: &mut OnEvent<'_>) -> Result<(), TuneError> {
        self.journal.add(&outcome)?;
        self.batch.done += outcome.results.measures.len();
        self.batch.nodes += outcome.results.measures.iter().map(Measure::nodes).sum::<u64>();
        let faults: Vec<FaultReport> = outcome.faults().collect();
        *self.pairs += remember(self.entries, outcome);
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
            "fault {} of {}: {}",
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
fn remember(entries: &mut HashMap<Candidate, HashMap<Probe, CachedMeasure>>, outcome: ProbeOutcome) -> u64 {
    let own = entries.entry(outcome.task.candidate).or_default();
    let mut pairs = 0;
    for (probe, measure) in outcome.task.probes.into_iter().zip(outcome.results.measures) {
        let is_new = own.insert(probe, CachedMeasure { measure, paid: false }).is_none();
        pairs += u64::from(is_new && matches!(measure, Measure::Pair { .. }));
    }
    pairs
}
