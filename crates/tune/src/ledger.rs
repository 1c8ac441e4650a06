//! All measurements of a run: what is known already, what has to be measured, and what it costs.
//!
//! The ledger is an exact cache: a candidate and a probe are never measured twice. What a run has spent is counted when a result is
//! first *used*, so a run that is resumed, and takes its first results from the journal, counts the same as one that was not.

use super::error::TuneError;
use super::far::Elsewhere;
use super::journal::Journal;
use super::measure::{Measure, Outcome, Probe, Task};
use super::pool::{News, Pool};
use super::space::Candidate;
use quarterply_uci::process::Stop;
use std::collections::{HashMap, HashSet};

/// Tasks per worker that a batch of work is cut into, at least.
const TASKS_PER_WORKER: usize = 16;

/// A measurement and whether the run has paid for it.
#[derive(Clone, Copy)]
struct Entry {
    measure: Measure,
    paid: bool,
}

/// What a batch of work looks like while it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Candidates that they are wanted of.
    pub candidates: usize,
    /// Probes wanted.
    pub wanted: usize,
    /// Probes known before.
    pub known: usize,
    /// Probes known now.
    pub done: usize,
    /// Nodes searched by this process for this batch.
    pub nodes: u64,
}

/// What is said while a batch is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So far it has come.
    Batch(Batch),
    /// Something went wrong that could be mended, as a sentence for the user.
    Trouble(String),
}

/// Sees batches as they are worked on.
pub type OnProgress<'a> = dyn FnMut(Progress) + 'a;

/// Who measures.
enum Hands {
    /// Nobody.
    None,
    /// Threads of this process.
    Threads(Pool),
    /// Others.
    Elsewhere(Box<Elsewhere>),
}

/// Where measurements come from.
pub struct Ledger {
    entries: HashMap<Candidate, HashMap<Probe, Entry>>,
    met: HashSet<Candidate>,
    journal: Journal,
    hands: Hands,
    stop: Stop,
    chunk: usize,
    spent: u64,
}

impl Ledger {
    /// A ledger that knows what stands in the journal. Without a pool it measures nothing. Workers take at most `chunk` probes at once.
    pub fn new(mut journal: Journal, pool: Option<Pool>, chunk: usize, stop: Stop) -> Ledger {
        let mut entries = HashMap::new();
        journal.take_known().into_iter().for_each(|outcome| remember(&mut entries, outcome));
        let hands = pool.map_or(Hands::None, Hands::Threads);
        Ledger { entries, met: HashSet::new(), journal, hands, stop, chunk: chunk.max(1), spent: 0 }
    }

    /// What the user should know of the journal.
    pub fn notes(&self) -> &[String] {
        self.journal.notes()
    }

    /// Ends the journal. Nothing is measured after that.
    pub fn close(self) -> Result<(), TuneError> {
        self.journal.close()
    }

    /// Has everything measured elsewhere from now on.
    pub fn hire(&mut self, elsewhere: Elsewhere) {
        self.hands = Hands::Elsewhere(Box::new(elsewhere));
    }

    /// Nodes that were searched for the run so far, whoever searched them.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Results that are known.
    pub fn known(&self) -> usize {
        self.entries.values().map(HashMap::len).sum()
    }

    /// Different candidates that were measured so far.
    pub fn candidates(&self) -> usize {
        self.met.len()
    }

    /// The results of probes, measured if they are not known.
    pub fn measure(
        &mut self,
        wanted: &[Task],
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Vec<Vec<Measure>>, TuneError> {
        self.complete(wanted, on_progress)?;
        Ok(wanted.iter().map(|task| self.pay(task)).collect())
    }

    /// Makes sure that all these results are known.
    fn complete(&mut self, wanted: &[Task], on_progress: &mut OnProgress<'_>) -> Result<(), TuneError> {
        let missing = self.missing(wanted);
        let count = |tasks: &[Task]| tasks.iter().map(|task| task.probes.len()).sum::<usize>();
        let total = count(wanted);
        let known = total - count(&missing);
        let batch = Batch { candidates: wanted.len(), wanted: total, known, done: known, nodes: 0 };
        if missing.is_empty() {
            return Ok(());
        }
        if matches!(self.hands, Hands::None) {
            return Err(TuneError::Unknown);
        }
        on_progress(Progress::Batch(batch));
        let tasks = match &self.hands {
            Hands::Elsewhere(elsewhere) => self.missing(&elsewhere.cut(wanted)),
            Hands::Threads(pool) => cut(&missing, self.chunk, pool.workers()),
            Hands::None => Vec::new(),
        };
        let Ledger { entries, journal, hands, stop, .. } = self;
        let mut desk = Counter { entries, journal, batch };
        match hands {
            Hands::None => Ok(()),
            Hands::Threads(pool) => desk.wait(pool, tasks, stop, on_progress),
            Hands::Elsewhere(elsewhere) => {
                elsewhere.measure(tasks, stop, &mut |outcome| desk.take(outcome, on_progress))
            }
        }
    }

    /// What is not known of these, each probe once.
    fn missing(&self, wanted: &[Task]) -> Vec<Task> {
        let mut asked: HashMap<&Candidate, HashSet<&Probe>> = HashMap::new();
        let mut missing = Vec::new();
        for task in wanted {
            let known = self.entries.get(&task.candidate);
            let asked = asked.entry(&task.candidate).or_default();
            let probes = task.probes.iter().filter(|probe| !known.is_some_and(|known| known.contains_key(probe)));
            let probes: Vec<Probe> = probes.filter(|probe| asked.insert(probe)).cloned().collect();
            if !probes.is_empty() {
                missing.push(Task { candidate: task.candidate.clone(), probes });
            }
        }
        missing
    }

    /// Hands out results that are known and counts what they cost the first time.
    fn pay(&mut self, task: &Task) -> Vec<Measure> {
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

/// Takes outcomes as they come.
struct Counter<'a> {
    entries: &'a mut HashMap<Candidate, HashMap<Probe, Entry>>,
    journal: &'a mut Journal,
    batch: Batch,
}

impl Counter<'_> {
    /// Waits for threads to do all tasks.
    fn wait(
        &mut self,
        pool: &Pool,
        tasks: Vec<Task>,
        stop: &Stop,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<(), TuneError> {
        let mut open = tasks.len();
        tasks.into_iter().for_each(|task| pool.add(task));
        while open > 0 {
            if stop.is_set() {
                return Err(TuneError::Stopped);
            }
            match pool.next() {
                News::Done(outcome) => {
                    open -= 1;
                    self.take(outcome, on_progress)?;
                }
                News::Trouble(what) => on_progress(Progress::Trouble(what)),
                // An engine that nobody waits for any longer has not failed.
                News::Failed(_) if stop.is_set() => return Err(TuneError::Stopped),
                News::Failed(reason) => return Err(TuneError::Engine(reason)),
            }
        }
        Ok(())
    }

    fn take(&mut self, outcome: Outcome, on_progress: &mut OnProgress<'_>) -> Result<(), TuneError> {
        self.journal.add(&outcome)?;
        self.batch.done += outcome.measures.len();
        self.batch.nodes += outcome.measures.iter().map(Measure::nodes).sum::<u64>();
        remember(self.entries, outcome);
        on_progress(Progress::Batch(self.batch));
        Ok(())
    }
}

fn remember(entries: &mut HashMap<Candidate, HashMap<Probe, Entry>>, outcome: Outcome) {
    let own = entries.entry(outcome.task.candidate).or_default();
    for (probe, measure) in outcome.task.probes.into_iter().zip(outcome.measures) {
        own.insert(probe, Entry { measure, paid: false });
    }
}

/// Cuts work into tasks: large ones first, single probes in the end, so that all workers finish at nearly the same time.
fn cut(work: &[Task], chunk: usize, workers: usize) -> Vec<Task> {
    let mut left: usize = work.iter().map(|task| task.probes.len()).sum();
    let mut tasks = Vec::new();
    for task in work {
        let mut rest = &task.probes[..];
        while !rest.is_empty() {
            let size = (left / (workers * TASKS_PER_WORKER)).clamp(1, chunk).min(rest.len());
            let (now, later) = rest.split_at(size);
            tasks.push(Task { candidate: task.candidate.clone(), probes: now.to_vec() });
            left -= size;
            rest = later;
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Set;

    fn work(counts: &[u32]) -> Vec<Task> {
        let probes = |count| (0..count).map(|index| Probe::Position { set: Set::Tuning, index }).collect();
        counts.iter().enumerate().map(|(i, n)| Task { candidate: vec![i as i32], probes: probes(*n) }).collect()
    }

    #[test]
    fn work_is_cut_into_shrinking_tasks_and_nothing_is_lost() {
        let work = work(&[300, 1, 299]);
        let tasks = cut(&work, 8, 2);
        assert_eq!(tasks.iter().map(|task| task.probes.len()).sum::<usize>(), 600);
        assert_eq!((tasks[0].probes.len(), tasks[tasks.len() - 1].probes.len()), (8, 1));
        for task in &work {
            let own: Vec<_> =
                tasks.iter().filter(|t| t.candidate == task.candidate).flat_map(|t| t.probes.clone()).collect();
            assert_eq!(own, task.probes);
        }
    }
}
