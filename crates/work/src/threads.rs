//! The executor that uses threads of this process.

use crate::cancel::Cancel;
use crate::digest::Digest;
use crate::executor::{Done, Executor, ExecutorEvent, OutcomeOrigin, StopMode, WorkError};
use crate::kind::{Context, TaskError, TaskKind, catch};
use crate::store::LocalFiles;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Tasks submitted per thread: one that runs and one that waits, so that no thread waits for the caller.
const PER_THREAD: usize = 2;
/// Stack of a thread that executes tasks (bytes): tasks search, and recorded searches need more than the usual 2 MiB.
pub(crate) const STACK: usize = 64 << 20;

/// A thread pool. Dropping it cancels what runs and waits for its threads.
pub struct Threads<K: TaskKind> {
    shared: Arc<PoolState<K>>,
    answers: Receiver<ExecutorEvent<K::Outcome>>,
    files: Arc<LocalFiles>,
    threads: Vec<JoinHandle<()>>,
    /// Tasks that were dropped and not reported yet.
    dropped: Vec<u64>,
}

struct PoolState<K: TaskKind> {
    state: Mutex<TaskQueue<K::Task>>,
    changed: Condvar,
    /// Cancels all tasks when it is set from outside.
    stop: Option<Arc<AtomicBool>>,
}

struct TaskQueue<T> {
    queue: VecDeque<(u64, T)>,
    running: HashMap<u64, Cancel>,
    closed: bool,
}

impl<K: TaskKind> PoolState<K> {
    fn lock(&self) -> MutexGuard<'_, TaskQueue<K::Task>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task; `None` when the pool is closed.
    fn take(&self) -> Option<(u64, K::Task, Cancel)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some((number, task)) = state.queue.pop_front() {
                let cancel = Cancel::within(self.stop.clone());
                state.running.insert(number, cancel.clone());
                return Some((number, task, cancel));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<K: TaskKind> Threads<K> {
    /// Starts `count` threads, at least one; if the system starts fewer, a note says so. Each makes its own worker state with `make` when it
    /// gets its first task.
    pub fn start(count: usize, make: impl Fn() -> Result<K, TaskError> + Send + Sync + 'static) -> Threads<K> {
        Threads::start_until(count, None, make)
    }

    /// As [`Threads::start`]; tasks are also cancelled when `stop` is set from outside.
    pub fn start_until(
        count: usize,
        stop: Option<Arc<AtomicBool>>,
        make: impl Fn() -> Result<K, TaskError> + Send + Sync + 'static,
    ) -> Threads<K> {
        let state = TaskQueue { queue: VecDeque::new(), running: HashMap::new(), closed: false };
        let shared = Arc::new(PoolState { state: Mutex::new(state), changed: Condvar::new(), stop });
        let files = Arc::new(LocalFiles::default());
        let (sender, answers) = channel();
        let make = Arc::new(make);
        let spawn = || {
            let (shared, files) = (Arc::clone(&shared), Arc::clone(&files));
            let (sender, make) = (sender.clone(), Arc::clone(&make));
            thread::Builder::new().stack_size(STACK).spawn(move || work(&shared, &files, &sender, make.as_ref()))
        };
        // The receiver lives longer.
        let threads = spawn_all(count.max(1), spawn, |text| drop(sender.send(ExecutorEvent::Note(text))));
        Threads { shared, answers, files, threads, dropped: Vec::new() }
    }
}

/// Starts threads until there are `count` of them or the system refuses one, which is reported to `note`.
fn spawn_all(
    count: usize,
    spawn: impl Fn() -> io::Result<JoinHandle<()>>,
    note: impl FnOnce(String),
) -> Vec<JoinHandle<()>> {
    let mut threads = Vec::new();
    while threads.len() < count {
        match spawn() {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                note(format!("cannot start {count} threads: {error}; going on with {}", threads.len()));
                break;
            }
        }
    }
    threads
}

/// Executes tasks until the pool is closed.
fn work<K: TaskKind>(
    shared: &PoolState<K>,
    files: &Arc<LocalFiles>,
    sender: &Sender<ExecutorEvent<K::Outcome>>,
    make: &dyn Fn() -> Result<K, TaskError>,
) {
    let mut kind: Option<K> = None;
    while let Some((number, task, cancel)) = shared.take() {
        let notes = sender.clone();
        let context = Context {
            cancel,
            objects: Arc::<LocalFiles>::clone(files),
            memory: None,
            // The receiver is gone only when the pool is closed.
            notes: Arc::new(move |text| drop(notes.send(ExecutorEvent::Note(text)))),
        };
        let begin = Instant::now();
        let outcome = catch(|| {
            let kind = match &mut kind {
                Some(kind) => kind,
                none => none.insert(make()?),
            };
            kind.run(&task, &context)
        });
        let answer = match outcome {
            Ok(outcome) => {
                ExecutorEvent::Done(number, Done { outcome, time: begin.elapsed(), origin: OutcomeOrigin::Here })
            }
            Err(TaskError::Stopped) => ExecutorEvent::Dropped(number),
            Err(fault) => {
                // The state after a panic is not used again.
                kind = None;
                if context.is_cancelled() {
                    ExecutorEvent::Dropped(number)
                } else {
                    ExecutorEvent::Failed(number, fault)
                }
            }
        };
        shared.lock().running.remove(&number);
        if sender.send(answer).is_err() {
            return;
        }
    }
}

impl<K: TaskKind> Executor<K> for Threads<K> {
    fn window(&self) -> usize {
        PER_THREAD * self.threads.len()
    }

    fn target_duration(&self) -> Option<Duration> {
        None
    }

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn store(&mut self, path: &Path) -> Result<Digest, WorkError> {
        let added = self.files.add(path);
        added.map_err(|error| {
            WorkError::Refused(format!("cannot read `{}`: {error}; check the path and the permissions", path.display()))
        })
    }

    fn submit(&mut self, number: u64, task: K::Task) -> Result<(), WorkError> {
        self.shared.lock().queue.push_back((number, task));
        self.shared.changed.notify_one();
        Ok(())
    }

    fn cancel(&mut self, number: u64) {
        let mut state = self.shared.lock();
        state.queue.retain(|(queued, _)| *queued != number);
        if let Some(cancel) = state.running.get(&number) {
            cancel.cancel();
        }
    }

    fn stop(&mut self, mode: StopMode) {
        let mut state = self.shared.lock();
        if mode == StopMode::Cancel {
            state.running.values().for_each(Cancel::cancel);
        }
        let dropped: Vec<u64> = state.queue.drain(..).map(|(number, _)| number).collect();
        drop(state);
        self.dropped.extend(dropped);
    }

    fn poll(&mut self, timeout: Duration) -> Result<Option<ExecutorEvent<K::Outcome>>, WorkError> {
        if let Some(number) = self.dropped.pop() {
            return Ok(Some(ExecutorEvent::Dropped(number)));
        }
        match self.answers.recv_timeout(timeout) {
            Ok(answer) => Ok(Some(answer)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                let text = "cannot execute tasks: this process has no threads for them; raise its limit of threads";
                Err(WorkError::Executor(text.to_owned()))
            }
        }
    }
}

impl<K: TaskKind> Drop for Threads<K> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.queue.clear();
        state.running.values().for_each(Cancel::cancel);
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic outside of a task was reported where it happened.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_thread_that_the_system_refuses_is_reported_and_the_others_continue() {
        let (left, mut note) = (Cell::new(2u32), String::new());
        let spawn = || match left.replace(left.get().saturating_sub(1)) {
            0 => Err(io::Error::from(io::ErrorKind::WouldBlock)),
            _ => Ok(thread::spawn(|| {})),
        };
        assert_eq!(spawn_all(3, spawn, |text| note = text).len(), 2);
        assert!(note.starts_with("cannot start 3 threads: ") && note.ends_with("; going on with 2"), "{note}");
    }
}
