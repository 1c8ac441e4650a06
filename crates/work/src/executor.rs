//! Who does the work.

use crate::crew::Crew;
use crate::digest::Digest;
use crate::task::{Build, Dispute, Failure, Outcome, Task};
use std::fs;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// Nodes a second that the size of tasks is made of. It is no guess of this machine: the same command must cut the same tasks again, so
/// that a resumed run finds what was done for it meanwhile.
pub const NOMINAL_SPEED: f64 = 400_000.0;
/// How long a task should take that goes through a queue (seconds).
const GRAIN: f64 = 5.0;

/// Why work cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorkError {
    /// Whoever does the work cannot be reached, or refuses.
    #[error("{0}")]
    Executor(String),
    /// An outcome holds something else than this command expects.
    #[error("task {task}: {worker} sent an outcome that makes no sense ({reason})")]
    Senseless {
        /// The task.
        task: String,
        /// Who.
        worker: String,
        /// What is wrong.
        reason: String,
    },
    /// Tasks were given up.
    #[error("{count} tasks were given up, first {task}, by {worker}: {reason}; {remedy}")]
    Failed {
        /// How many.
        count: usize,
        /// The first.
        task: String,
        /// Who tried it last.
        worker: String,
        /// Why.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// A machine computes wrongly, and what it sent was counted.
    #[error(
        "{worker} found something else than this machine and another in task {task}, and its outcomes were counted: take it out \
         and do the run again"
    )]
    Wrong {
        /// Who.
        worker: String,
        /// The task.
        task: String,
    },
}

/// What an executor says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A task is done.
    Done(Outcome),
    /// A task was given up; it may be tried again later.
    Failed(Failure),
    /// A machine that found something else than another was named; what was counted is right.
    Disputed(Dispute),
    /// Something that the user should know.
    Note(String),
}

/// Has tasks done.
pub trait Executor: Send {
    /// How many tasks should be under way: enough to keep all workers busy.
    fn window(&self) -> usize;

    /// How long a task should take (seconds): long beside what it costs to hand it out, and short beside the whole.
    fn grain(&self) -> f64 {
        GRAIN
    }

    /// Gives a task away, and does not wait for it. Its outcome may be there already.
    ///
    /// # Errors
    /// [`WorkError::Executor`]
    fn submit(&mut self, task: &Task) -> Result<Digest, WorkError>;

    /// Stores a file that tasks need, by what is in it.
    ///
    /// # Errors
    /// [`WorkError::Executor`]
    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError>;

    /// What there is to say next; nothing if there was nothing for so long.
    ///
    /// # Errors
    /// [`WorkError`]
    fn poll(&mut self, patience: Duration) -> Result<Option<Answer>, WorkError>;

    /// Who is at work now, if that can be known.
    fn crew(&self) -> Option<Crew> {
        None
    }

    /// Is told how far the command is, for those who watch: what is done, and what is left if that is known.
    fn progress(&mut self, _done: u64, _left: Option<u64>) {}

    /// The work is over: `finished` if nothing of it is needed any more, else it goes on later.
    ///
    /// # Errors
    /// [`WorkError::Executor`]
    fn close(&mut self, finished: bool) -> Result<(), WorkError>;
}

/// Others who do the work of a command.
pub struct Far<'a> {
    /// How they are reached.
    pub executor: &'a mut dyn Executor,
    /// What the command is built from, as they must be.
    pub build: Build,
    /// Hears what the user should know.
    pub say: &'a (dyn Fn(&str) + Sync),
}

impl Far<'_> {
    /// The same hands, for a part of the work.
    pub fn lend(&mut self) -> Far<'_> {
        Far { executor: &mut *self.executor, build: self.build.clone(), say: self.say }
    }

    /// Stores a file that tasks need.
    ///
    /// # Errors
    /// It cannot be read or stored.
    pub fn store(&mut self, path: &Path) -> Result<Digest, WorkError> {
        let bytes = fs::read(path);
        let bytes =
            bytes.map_err(|error| WorkError::Executor(format!("{}: cannot be read ({error})", path.display())))?;
        self.executor.store(&bytes)
    }
}

/// Who does the work of a command.
pub enum Hands<'a> {
    /// So many threads of this process.
    Threads(usize),
    /// Others.
    Far(Far<'a>),
}
