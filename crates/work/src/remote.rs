//! The executor that sends encoded tasks through a [`Transport`].

use crate::digest::Digest;
use crate::executor::{Done, Executor, ExecutorEvent, OutcomeOrigin, StopMode, WorkError};
use crate::kind::{TaskKind, encode};
use crate::task::{Build, EncodedTask, TaskFailure, TaskOutcome};
use crate::workers::{WorkerLog, Workers};
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the state of the workers is updated.
const UPDATE: Duration = Duration::from_millis(500);

/// A message of a transport.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// A task is done.
    Done(TaskOutcome),
    /// A task was given up; it may be tried again later.
    GivenUp(TaskFailure),
    /// A message for the user.
    Note(String),
}

/// Carries encoded tasks to workers, and their outcomes back.
pub trait Transport {
    /// How many tasks should be under way to keep all workers busy.
    fn window(&self) -> usize;

    /// How long a task should take: long compared with the cost of handing it out, short compared with the whole.
    fn target_duration(&self) -> Duration;

    /// Sends a task and does not wait for it. Its outcome may be there already.
    fn submit(&mut self, task: &EncodedTask) -> Result<Digest, WorkError>;

    /// Stores a file that tasks need.
    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError>;

    /// The next delivery; `None` if there was none within `timeout`.
    fn poll(&mut self, timeout: Duration) -> Result<Option<Delivery>, WorkError>;

    /// The workers, if they are known.
    fn workers(&self) -> Option<Workers> {
        None
    }

    /// Publishes the progress of the command.
    fn progress(&mut self, _done: u64, _left: Option<u64>) {}

    /// Ends the connection: nothing is needed any more if the command is `finished`, else it is resumed later.
    fn close(&mut self, finished: bool) -> Result<(), WorkError>;
}

/// A connection to workers elsewhere. Executors of several kinds can use it, one after the other.
pub struct Connection {
    transport: Box<dyn Transport>,
    build: Build,
    log: Option<WorkerLog>,
    workers: Arc<Mutex<Option<Workers>>>,
    updated: Instant,
}

impl Connection {
    /// A connection for tasks of `build`. `log` records the workers that execute them.
    pub fn new(transport: Box<dyn Transport>, build: Build, log: Option<WorkerLog>) -> Connection {
        Connection { transport, build, log, workers: Arc::default(), updated: Instant::now() }
    }

    /// Records the workers of tasks from now on.
    pub fn set_log(&mut self, log: WorkerLog) {
        self.log = Some(log);
    }

    /// The state of the workers, updated while an executor waits.
    pub fn workers(&self) -> Arc<Mutex<Option<Workers>>> {
        Arc::clone(&self.workers)
    }

    /// An executor of one kind.
    pub fn executor<K: TaskKind>(&mut self) -> Remote<'_, K> {
        Remote { connection: self, open: HashMap::new(), ready: VecDeque::new() }
    }

    /// Ends the connection: nothing is needed any more if the command is `finished`, else it is resumed later.
    pub fn close(mut self, finished: bool) -> Result<(), WorkError> {
        if let Some(log) = &mut self.log {
            log.flush()?;
        }
        self.transport.close(finished)
    }

    fn poll(&mut self, timeout: Duration) -> Result<Option<Delivery>, WorkError> {
        let delivery = self.transport.poll(timeout)?;
        if let (Some(Delivery::Done(outcome)), Some(log)) = (&delivery, &mut self.log) {
            log.count(outcome)?;
        }
        if self.updated.elapsed() >= UPDATE {
            self.updated = Instant::now();
            *self.workers.lock().unwrap_or_else(PoisonError::into_inner) = self.transport.workers();
        }
        Ok(delivery)
    }
}

/// Has tasks of one kind executed by workers elsewhere.
pub struct Remote<'a, K: TaskKind> {
    connection: &'a mut Connection,
    /// The numbers of each task: equal tasks are executed once.
    open: HashMap<Digest, Vec<u64>>,
    ready: VecDeque<ExecutorEvent<K::Outcome>>,
}

impl<K: TaskKind> Remote<'_, K> {
    fn done(&mut self, outcome: &TaskOutcome) -> Result<(), WorkError> {
        let TaskOutcome { task, worker, seconds, body, .. } = outcome;
        for number in self.open.remove(task).unwrap_or_default() {
            let read = serde_json::from_value(body.clone()).map_err(|error| WorkError::Unfit {
                task: task.short(),
                worker: worker.to_string(),
                reason: error.to_string(),
            })?;
            let time = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
            let done = Done { outcome: read, time, origin: OutcomeOrigin::Worker(worker.name.clone()) };
            self.ready.push_back(ExecutorEvent::Done(number, done));
        }
        Ok(())
    }
}

impl<K: TaskKind> Executor<K> for Remote<'_, K> {
    fn window(&self) -> usize {
        self.connection.transport.window()
    }

    fn target_duration(&self) -> Option<Duration> {
        Some(self.connection.transport.target_duration())
    }

    fn threads(&self) -> usize {
        0
    }

    fn store(&mut self, path: &Path) -> Result<Digest, WorkError> {
        let bytes = fs::read(path);
        let bytes = bytes.map_err(|error| {
            WorkError::Refused(format!("cannot read `{}`: {error}; check the path and the permissions", path.display()))
        })?;
        self.connection.transport.store(&bytes)
    }

    fn submit(&mut self, number: u64, task: K::Task) -> Result<(), WorkError> {
        let digest = self.connection.transport.submit(&encode::<K>(&task, &self.connection.build))?;
        self.open.entry(digest).or_default().push(number);
        Ok(())
    }

    fn cancel(&mut self, number: u64) {
        self.open.retain(|_, numbers| {
            numbers.retain(|open| *open != number);
            !numbers.is_empty()
        });
    }

    fn stop(&mut self, _: StopMode) {
        // Workers continue; a resumed command finds their outcomes.
        self.ready.extend(self.open.drain().flat_map(|(_, numbers)| numbers).map(ExecutorEvent::Dropped));
    }

    fn poll(&mut self, timeout: Duration) -> Result<Option<ExecutorEvent<K::Outcome>>, WorkError> {
        if self.ready.is_empty() {
            match self.connection.poll(timeout)? {
                None => {}
                Some(Delivery::Note(text)) => self.ready.push_back(ExecutorEvent::Note(text)),
                Some(Delivery::Done(outcome)) => self.done(&outcome)?,
                Some(Delivery::GivenUp(failure)) => {
                    for number in self.open.get(&failure.task).into_iter().flatten() {
                        self.ready.push_back(ExecutorEvent::GivenUp(*number, failure.clone()));
                    }
                }
            }
        }
        Ok(self.ready.pop_front())
    }

    fn progress(&mut self, done: u64, left: Option<u64>) {
        self.connection.transport.progress(done, left);
    }
}
