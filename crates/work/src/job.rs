//! Long work as a stream of tasks whose outcomes are consumed in order, and the loop that has it executed.

use crate::executor::{Done, Executor, ExecutorEvent, OutcomeOrigin, StopMode, WorkError};
use crate::kind::{TaskError, TaskKind};
use crate::task::TaskFailure;
use std::collections::{BTreeMap, HashMap};
use std::ops::DerefMut;
use std::time::Duration;

/// How long to wait for an answer before the state of the jobs is checked again.
const TIMEOUT: Duration = Duration::from_millis(50);

/// An item of a job's schedule.
pub enum JobItem<K: TaskKind> {
    /// To be executed.
    Task(K::Task),
    /// Known from a journal.
    Known(K::Outcome),
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It continues.
    Running,
    /// No more tasks are to be begun; those that run end like this.
    Stop(StopMode),
}

/// Long work: hands out tasks in the order of its schedule, and consumes their outcomes in the same order. Items are numbered from 0 as
/// they are handed out.
pub trait Job {
    /// The kind of its tasks.
    type Kind: TaskKind;
    /// Why it fails.
    type Error: From<WorkError>;

    /// The next item of the schedule; `None` at its end.
    ///
    /// # Errors
    /// The item cannot be made.
    fn next(&mut self) -> Result<Option<JobItem<Self::Kind>>, Self::Error>;

    /// Checks that an outcome fits its task.
    ///
    /// # Errors
    /// A message: what does not fit.
    fn check(&self, _number: u64, _outcome: &JobOutcome<Self>) -> Result<(), String> {
        Ok(())
    }

    /// Receives a new outcome immediately, in any order: for journals and progress.
    ///
    /// # Errors
    /// It cannot be stored; the job ends.
    fn received(&mut self, _number: u64, _done: &Done<JobOutcome<Self>>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Consumes the outcomes in order.
    ///
    /// # Errors
    /// The job ends.
    fn done(&mut self, number: u64, done: Done<JobOutcome<Self>>) -> Result<(), Self::Error>;

    /// Returns false if the outcome of an item is not needed any more; it is not delivered then.
    fn is_needed(&self, _number: u64) -> bool {
        true
    }

    /// The state of the job; called often.
    fn state(&self) -> JobState;

    /// The part that is done since the command began, and the rest if it is known, in a unit of the job's choice.
    fn progress(&self) -> (u64, Option<u64>);
}

/// The outcome of the tasks of a job.
pub type JobOutcome<J> = <<J as Job>::Kind as TaskKind>::Outcome;

/// Receives jobs that are done, with their numbers; see [`run_all`]. `H` owns or borrows a job.
pub type Finished<'a, J, H = J> = dyn FnMut(usize, H) -> Result<(), <J as Job>::Error> + 'a;

/// Has a job executed, to its end or until it stops. `notify` receives messages for the user.
///
/// # Errors
/// The job fails, or its executor; outcomes received before count.
pub fn run<J: Job>(job: &mut J, executor: &mut dyn Executor<J::Kind>, notify: &dyn Fn(&str)) -> Result<(), J::Error> {
    schedule::<J, &mut J>(&mut std::iter::once(Ok(job)), executor, notify, &mut |_, _| Ok(()))
}

/// Has several jobs executed. A job is made when those before have handed out all their tasks, so that workers are busy between jobs;
/// `finished` receives each job whose items are all done, and its number from 0. All jobs stop when one of them does.
///
/// # Errors
/// As [`run`].
pub fn run_all<J: Job>(
    jobs: impl IntoIterator<Item = Result<J, J::Error>>,
    executor: &mut dyn Executor<J::Kind>,
    notify: &dyn Fn(&str),
    finished: &mut Finished<'_, J>,
) -> Result<(), J::Error> {
    let mut jobs = jobs.into_iter().map(|job| job.map(Box::new));
    schedule::<J, Box<J>>(&mut jobs, executor, notify, &mut |number, job| finished(number, *job))
}

/// Has jobs executed that are owned or borrowed.
fn schedule<J: Job, H: DerefMut<Target = J>>(
    jobs: &mut dyn Iterator<Item = Result<H, J::Error>>,
    executor: &mut dyn Executor<J::Kind>,
    notify: &dyn Fn(&str),
    finished: &mut Finished<'_, J, H>,
) -> Result<(), J::Error> {
    let mut run = Scheduler {
        executor,
        notify,
        active: BTreeMap::new(),
        begun: 0,
        next: 0,
        open: HashMap::new(),
        given_up: BTreeMap::new(),
    };
    let ended = run.drive(jobs, finished);
    if let Err(error) = ended {
        run.executor.stop(StopMode::Cancel);
        // The first error counts.
        let _ = run.drain();
        return Err(error);
    }
    ended
}

/// A job that has handed out tasks.
struct ActiveJob<J: Job, H> {
    job: H,
    handed: u64,
    /// The next item to deliver.
    due: u64,
    /// Items that wait for those before them; `None` for those that are not needed.
    waiting: BTreeMap<u64, Option<Done<JobOutcome<J>>>>,
    /// True if the schedule has ended.
    exhausted: bool,
}

impl<J: Job, H: DerefMut<Target = J>> ActiveJob<J, H> {
    fn deliver(&mut self) -> Result<(), J::Error> {
        while let Some(entry) = self.waiting.remove(&self.due) {
            let number = self.due;
            self.due += 1;
            if let Some(done) = entry {
                self.job.done(number, done)?;
            }
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.exhausted && self.due == self.handed
    }
}

struct Scheduler<'a, J: Job, H> {
    executor: &'a mut dyn Executor<J::Kind>,
    notify: &'a dyn Fn(&str),
    active: BTreeMap<u64, ActiveJob<J, H>>,
    /// Jobs begun.
    begun: u64,
    /// The next number for the executor.
    next: u64,
    /// Submitted tasks: the job, and the number of the item in it.
    open: HashMap<u64, (u64, u64)>,
    given_up: BTreeMap<u64, TaskFailure>,
}

impl<J: Job, H: DerefMut<Target = J>> Scheduler<'_, J, H> {
    fn drive(
        &mut self,
        jobs: &mut dyn Iterator<Item = Result<H, J::Error>>,
        finished: &mut Finished<'_, J, H>,
    ) -> Result<(), J::Error> {
        loop {
            self.fill(jobs)?;
            self.cancel_unneeded()?;
            self.take_finished(finished)?;
            if let Some(mode) = self.stop_mode() {
                self.executor.stop(mode);
                self.drain()?;
                return self.take_finished(finished);
            }
            if self.open.is_empty() {
                return Ok(());
            }
            if let Some(error) = self.all_given_up() {
                return Err(error.into());
            }
            if let Some(answer) = self.executor.poll(TIMEOUT)? {
                self.take(answer)?;
            }
        }
    }

    /// Submits tasks until the executor has enough.
    fn fill(&mut self, jobs: &mut dyn Iterator<Item = Result<H, J::Error>>) -> Result<(), J::Error> {
        while self.stop_mode().is_none() && self.open.len() - self.given_up.len() < self.executor.window().max(1) {
            let Some((&index, active)) = self.active.iter_mut().find(|(_, active)| !active.exhausted) else {
                let Some(job) = jobs.next().transpose()? else { return Ok(()) };
                let active = ActiveJob { job, handed: 0, due: 0, waiting: BTreeMap::new(), exhausted: false };
                self.active.insert(self.begun, active);
                self.begun += 1;
                continue;
            };
            let number = active.handed;
            match active.job.next()? {
                None => active.exhausted = true,
                Some(JobItem::Known(outcome)) => {
                    active.handed += 1;
                    let done = Done { outcome, time: Duration::ZERO, origin: OutcomeOrigin::Journal };
                    active.waiting.insert(number, Some(done));
                    active.deliver()?;
                }
                Some(JobItem::Task(task)) => {
                    active.handed += 1;
                    self.executor.submit(self.next, task)?;
                    self.open.insert(self.next, (index, number));
                    self.next += 1;
                }
            }
        }
        Ok(())
    }

    fn cancel_unneeded(&mut self) -> Result<(), J::Error> {
        let Scheduler { executor, active, open, given_up, .. } = self;
        let unneeded: Vec<u64> = open
            .iter()
            .filter(|(_, (index, item))| active.get(index).is_some_and(|active| !active.job.is_needed(*item)))
            .map(|(number, _)| *number)
            .collect();
        for number in unneeded {
            executor.cancel(number);
            given_up.remove(&number);
            let Some((index, item)) = open.remove(&number) else { continue };
            if let Some(active) = active.get_mut(&index) {
                active.waiting.insert(item, None);
                active.deliver()?;
            }
        }
        Ok(())
    }

    fn take_finished(&mut self, finished: &mut Finished<'_, J, H>) -> Result<(), J::Error> {
        let indices: Vec<u64> =
            self.active.iter().filter(|(_, active)| active.is_finished()).map(|(index, _)| *index).collect();
        indices.into_iter().try_for_each(|index| {
            self.active.remove(&index).map_or(Ok(()), |active| finished(index as usize, active.job))
        })
    }

    /// How the jobs stop, if one of them does.
    fn stop_mode(&self) -> Option<StopMode> {
        let mode = |active: &ActiveJob<J, H>| match active.job.state() {
            JobState::Running => None,
            JobState::Stop(mode) => Some(mode),
        };
        self.active.values().filter_map(mode).max()
    }

    /// Waits for tasks that run after a stop. The first failure is returned when all are done.
    fn drain(&mut self) -> Result<(), J::Error> {
        let mut ended = Ok(());
        self.open.retain(|number, _| !self.given_up.contains_key(number));
        while !self.open.is_empty() {
            let taken = match self.executor.poll(TIMEOUT) {
                Ok(Some(answer)) => self.take(answer),
                Ok(None) => Ok(()),
                Err(error) => return ended.and(Err(error.into())),
            };
            ended = ended.and(taken);
            // The job may ask meanwhile to cancel the tasks that are being finished.
            if self.stop_mode() == Some(StopMode::Cancel) {
                self.executor.stop(StopMode::Cancel);
            }
        }
        ended
    }

    fn take(&mut self, answer: ExecutorEvent<JobOutcome<J>>) -> Result<(), J::Error> {
        match answer {
            ExecutorEvent::Note(text) => (self.notify)(&text),
            ExecutorEvent::Dropped(number) => {
                self.open.remove(&number);
            }
            ExecutorEvent::Failed(number, fault) => {
                if self.open.remove(&number).is_none() {
                    return Ok(());
                }
                return Err(match fault {
                    TaskError::Stopped => return Ok(()),
                    TaskError::Refused(reason) | TaskError::Unfit(reason) => WorkError::Refused(reason),
                    TaskError::Failed(reason) => WorkError::Task(reason),
                }
                .into());
            }
            ExecutorEvent::GivenUp(number, failure) => {
                if self.open.contains_key(&number) {
                    let TaskFailure { worker, reason, tries, .. } = &failure;
                    let task = failure.task.short();
                    (self.notify)(&format!("task {task} was given up after {tries} tries, last by {worker}: {reason}"));
                    self.given_up.insert(number, failure);
                }
            }
            ExecutorEvent::Done(number, done) => {
                self.given_up.remove(&number);
                let Some((index, item)) = self.open.remove(&number) else { return Ok(()) };
                return self.deliver(index, item, done);
            }
        }
        Ok(())
    }

    fn deliver(&mut self, index: u64, item: u64, done: Done<JobOutcome<J>>) -> Result<(), J::Error> {
        let Some(active) = self.active.get_mut(&index) else { return Ok(()) };
        active.job.check(item, &done.outcome).map_err(|reason| {
            let worker = match &done.origin {
                OutcomeOrigin::Worker(name) => name.clone(),
                OutcomeOrigin::Here | OutcomeOrigin::Journal => "this process".to_owned(),
            };
            WorkError::Unfit { task: item.to_string(), worker, reason }
        })?;
        active.job.received(item, &done)?;
        active.waiting.insert(item, Some(done));
        active.deliver()?;
        let add = |sum: (u64, Option<u64>), active: &ActiveJob<J, H>| {
            let (done, left) = active.job.progress();
            (sum.0 + done, sum.1.zip(left).map(|(a, b)| a + b))
        };
        let (done, left) = self.active.values().fold((0, Some(0)), add);
        self.executor.progress(done, left);
        Ok(())
    }

    /// The error if all open tasks were given up.
    fn all_given_up(&self) -> Option<WorkError> {
        let count = self.given_up.len();
        let TaskFailure { task, worker, reason, .. } =
            self.given_up.values().next().filter(|_| count == self.open.len())?;
        let (task, worker, reason) = (task.short(), worker.to_string(), reason.clone());
        Some(WorkError::GivenUp { count, task, worker, reason })
    }
}

#[cfg(test)]
mod tests;
