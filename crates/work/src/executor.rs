//! The interface of what executes tasks.

use crate::digest::Digest;
use crate::kind::{TaskError, TaskKind};
use crate::task::TaskFailure;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// The search speed in nodes per second from which the size of tasks is computed. It is a constant instead of a measurement: a resumed command
/// must cut the same tasks to find its earlier outcomes.
pub const NOMINAL_SPEED: f64 = 400_000.0;

/// Why work cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum WorkError {
    /// The executor cannot be reached or used.
    #[error("{0}")]
    Executor(String),
    /// A task cannot be executed, and no other attempt would help.
    #[error("{0}")]
    Refused(String),
    /// A task failed.
    #[error("{0}")]
    Task(String),
    #[error(
        "cannot use the outcome of task {task} by {worker}: {reason}; stop this worker, delete the outcome (`quarterply workers forget RUN`, or \
         its file in the folder of --tasks), and resume the run"
    )]
    Unfit { task: String, worker: String, reason: String },
    #[error(
        "cannot finish {}: {reason} (task {task}, last by {worker}); remove the cause, and resume the run, which retries failed tasks",
        many(*.count, "task")
    )]
    GivenUp { count: usize, task: String, worker: String, reason: String },
    #[error(
        "cannot trust task {task}: the outcome of {second} differs from that of {first}; check both machines, remove the faulty one, and repeat the run"
    )]
    Conflict { task: String, first: String, second: String },
}

/// `1 task`, `2 tasks`.
pub(crate) fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The worker that computed an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutcomeOrigin {
    /// An earlier run; see [`crate::job::JobItem::Known`].
    Journal,
    /// This process.
    Here,
    /// A worker, by name.
    Worker(String),
}

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Done<T> {
    /// The outcome.
    pub outcome: T,
    /// The time that the task took.
    pub time: Duration,
    /// The worker that computed it.
    pub origin: OutcomeOrigin,
}

/// An event of an executor.
#[derive(Debug)]
pub enum ExecutorEvent<T> {
    /// A task is done.
    Done(u64, Done<T>),
    /// A task that was submitted will not be done: the executor was stopped, or the task cancelled.
    Dropped(u64),
    /// A task failed in this process.
    Failed(u64, TaskError),
    /// A task was given up after several attempts. It may still be done later.
    GivenUp(u64, TaskFailure),
    /// A message for the user.
    Note(String),
}

/// What happens to running tasks when an executor is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopMode {
    /// Those of this process are finished.
    Finish,
    /// They are cancelled.
    Cancel,
}

/// Executes tasks of one kind, in any order. Tasks are known by numbers that the caller chooses.
pub trait Executor<K: TaskKind> {
    /// How many tasks should be submitted at a time to keep all workers busy.
    fn window(&self) -> usize;

    /// How long a task should take; `None` if tasks should be as small as possible.
    fn target_duration(&self) -> Option<Duration>;

    /// The number of threads of this process that execute tasks; 0 if others execute them.
    fn threads(&self) -> usize;

    /// Makes a file available to tasks.
    fn store(&mut self, path: &Path) -> Result<Digest, WorkError>;

    /// Submits a task and does not wait for it.
    fn submit(&mut self, number: u64, task: K::Task) -> Result<(), WorkError>;

    /// Cancels a task whose outcome is not needed any more. A task that runs may still be answered; one that waits is not.
    fn cancel(&mut self, number: u64);

    /// Drops the tasks that do not run yet; `mode` determines how the others end.
    fn stop(&mut self, mode: StopMode);

    /// The next answer; `None` if there was none within `timeout`.
    fn poll(&mut self, timeout: Duration) -> Result<Option<ExecutorEvent<K::Outcome>>, WorkError>;

    /// Publishes the progress of the command: the part that is done, and the rest if that is known.
    fn progress(&mut self, _done: u64, _left: Option<u64>) {}
}
