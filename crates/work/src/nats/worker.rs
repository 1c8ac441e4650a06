//! A worker: takes tasks, executes them, stores their outcomes, and only then acknowledges them.

use crate::nats::inbox::stored_outcome;
use crate::nats::link::{Link, Messages, NatsError, RETRY_INTERVAL, Stored, chain, publish, subjects};
use crate::nats::names::{self, ATTEMPTS_MAX, CONFLICT, FAILED, OUTCOME, RESULTS};
use crate::nats::objects::ObjectCache;
use crate::nats::pull_batch::PullBatch;
use crate::nats::queue::{self, ensure_consumer, lease};
use crate::nats::status::{self, RunStatus, Running, WorkerStatus};
use crate::threads::STACK;
use crate::{
    Build, Cancel, Conflict, Context as TaskContext, Digest, EncodedTask, Runner, TaskError, TaskFailure, TaskOutcome,
    WorkerIdentity, execute,
};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Context, Message};
use bytes::Bytes;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long a request for tasks stays open.
const REQUEST_TIME: Duration = Duration::from_secs(2);
/// The time that tasks fetched in advance take together (seconds for each thread): the round trip of a message.
const AHEAD: f64 = 0.25;
/// Tasks that take longer are not fetched before they are needed (seconds).
const LONG: f64 = 30.0;
/// Tasks held at a time at most.
const HELD_MAX: usize = 512;
/// How often the stop flag is read between two readings of the runs.
const STOP_CHECKS: u32 = 20;
/// Heartbeats while a lease lasts.
const HEARTBEATS: u32 = 3;
/// Time between two status messages of the worker.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// A task that this machine lacks the resources for is offered to others after this part of a lease; after one part more each time, and
/// after a lease at most.
const LEASE_PARTS: u32 = 15;
/// Weight of the last task in the mean of their times.
const LAST_TASK_WEIGHT: f64 = 0.1;
/// How long outcomes may take to be stored after a second request to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of a page of memory, where the system counts in them.
const PAGE: u64 = 4096;
const MEBIBYTE: u64 = 1 << 20;

/// The settings of a worker.
pub struct WorkerSettings<'a> {
    /// The worker's identity; `identity.workers` is the number of its threads.
    pub identity: WorkerIdentity,
    /// Its build, with the other engines that it offers.
    pub build: Build,
    /// When to end.
    pub until: Option<Instant>,
    /// Memory that the process may use (MiB).
    pub memory: Option<u64>,
    /// The folder for files of tasks.
    pub folder: PathBuf,
    /// Set to end after the tasks that are running.
    pub stop: Arc<AtomicBool>,
    /// Set to leave these to others.
    pub leave: Arc<AtomicBool>,
    /// Makes the runner of a thread.
    pub runner: &'a (dyn Fn() -> Box<dyn Runner> + Sync),
    /// Receives messages for the user.
    pub notify: &'a (dyn Fn(&str) + Sync),
}

/// The work of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerReport {
    /// Tasks done.
    pub done: u64,
    /// Tasks that failed.
    pub failed: u64,
    /// True if it ended because it used too much memory.
    pub too_large: bool,
}

/// A task that the worker holds.
#[derive(Clone)]
struct HeldTask {
    message: Arc<Message>,
    digest: Digest,
    run: String,
    /// How often it was delivered.
    offers: i64,
    /// The same without deliveries that were left to others.
    tries: i64,
    /// When it was begun; `None` while it waits.
    begun: Option<Instant>,
}

/// The state that the threads and the connection share.
struct WorkerState {
    js: Context,
    messages: Messages,
    identity: WorkerIdentity,
    build: Build,
    /// Memory for the tables of a task (MiB).
    memory: Option<u64>,
    held_tasks: Mutex<HashMap<u64, HeldTask>>,
    /// Tasks that were received.
    received: AtomicU64,
    freed: Notify,
    stop: Arc<AtomicBool>,
    leave: Arc<AtomicBool>,
    done: AtomicU64,
    failed: AtomicU64,
    /// Outcomes that are being stored.
    storing: AtomicUsize,
    /// Mean time of a task, and the time of all (seconds).
    times: Mutex<[f64; 2]>,
}

/// Executes tasks until it is stopped.
///
/// # Errors
/// The server cannot be used at the start, or the system refuses a thread. Later failures are retried.
pub fn serve(link: &Link, settings: &WorkerSettings<'_>) -> Result<WorkerReport, NatsError> {
    let queue = settings.build.base().name();
    let consumer = link.wait(ensure_consumer(&link.js, &queue))?;
    let threads = settings.identity.workers.max(1);
    let memory = settings.memory.map(|memory| memory / threads as u64);
    let worker = Arc::new(WorkerState {
        js: link.js.clone(),
        messages: link.messages.clone(),
        identity: settings.identity.clone(),
        build: settings.build.clone(),
        memory,
        held_tasks: Mutex::default(),
        received: AtomicU64::new(0),
        freed: Notify::new(),
        stop: Arc::clone(&settings.stop),
        leave: Arc::clone(&settings.leave),
        done: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        storing: AtomicUsize::new(0),
        times: Mutex::new([0.0; 2]),
    });
    let objects = Arc::new(ObjectCache::new(link.js.clone(), link.runtime.handle().clone(), settings.folder.clone()));
    let notes = {
        let messages = link.messages.clone();
        Arc::new(move |text| messages.push(text))
    };
    let context = TaskContext { cancel: Cancel::within(Some(Arc::clone(&settings.leave))), objects, memory, notes };
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let too_large = thread::scope(|scope| {
        for _ in 0..threads {
            let (worker, context, receiver) = (&worker, &context, &receiver);
            let work = move || work(worker, context, receiver, (settings.runner)().as_mut(), link);
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            // After an error the sender is dropped, which ends the threads that were started.
            started.map_err(|error| NatsError::Threads { threads, reason: error.to_string() })?;
        }
        link.runtime.spawn(fetch_tasks(Arc::clone(&worker), queue, consumer, sender.clone()));
        link.runtime.spawn(send_heartbeats(Arc::clone(&worker)));
        link.runtime.spawn(publish_status(Arc::clone(&worker)));
        link.runtime.spawn(watch_runs(Arc::clone(&worker), sender));
        Ok::<_, NatsError>(supervise(&worker, settings))
    })?;
    link.wait(worker.settle());
    worker.messages.take().iter().for_each(|text| (settings.notify)(text));
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    Ok(WorkerReport { done: count(&worker.done), failed: count(&worker.failed), too_large })
}

/// Watches time and memory until the end, and reports messages. Returns true if the process used too much memory.
fn supervise(worker: &WorkerState, settings: &WorkerSettings<'_>) -> bool {
    let mut too_large = false;
    while !worker.is_over() || worker.is_working() {
        worker.messages.take().iter().for_each(|text| (settings.notify)(text));
        if settings.until.is_some_and(|until| Instant::now() >= until) {
            worker.stop.store(true, Ordering::Relaxed);
        }
        let taken = resident();
        if !too_large && settings.memory.is_some_and(|most| taken > most) {
            (settings.notify)(&format!(
                "this process takes {taken} MiB, more than --max-memory: it ends after its tasks"
            ));
            too_large = true;
            worker.stop.store(true, Ordering::Relaxed);
        }
        if worker.is_over() {
            worker.freed.notify_waiters();
        }
        thread::sleep(Duration::from_millis(50));
    }
    too_large
}

/// Memory of the process (MiB); 0 if it is unknown.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    pages.unwrap_or(0) * PAGE / MEBIBYTE
}

/// A thread of the worker.
fn work(
    worker: &Arc<WorkerState>,
    context: &TaskContext,
    receiver: &Mutex<Receiver<u64>>,
    runner: &mut dyn Runner,
    link: &Link,
) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(number) = next else { return };
        let Some((message, digest)) = worker.begin_task(number) else { continue };
        let found = if worker.is_over() {
            Err(TaskError::Stopped)
        } else {
            execute(&message.payload, &worker.build, &worker.identity, runner, context)
        };
        debug_assert!(found.as_ref().map_or(true, |outcome| outcome.task == digest));
        worker.storing.fetch_add(1, Ordering::SeqCst);
        let worker = Arc::clone(worker);
        link.runtime.spawn(async move {
            worker.finish(number, found).await;
            worker.storing.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

impl WorkerState {
    fn held_tasks(&self) -> std::sync::MutexGuard<'_, HashMap<u64, HeldTask>> {
        self.held_tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.leave.load(Ordering::Relaxed)
    }

    fn is_working(&self) -> bool {
        self.held_tasks().values().any(|held| held.begun.is_some())
    }

    fn begin_task(&self, number: u64) -> Option<(Arc<Message>, Digest)> {
        let mut held_tasks = self.held_tasks();
        let held = held_tasks.get_mut(&number)?;
        held.begun = Some(Instant::now());
        Some((Arc::clone(&held.message), held.digest))
    }

    /// How many tasks to hold.
    fn capacity(&self) -> usize {
        let [mean, all] = *self.times.lock().unwrap_or_else(PoisonError::into_inner);
        tasks_to_hold(self.identity.workers.max(1), (all > 0.0).then_some(mean))
    }

    fn count_time(&self, seconds: f64) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let [mean, all] = *times;
        *times = [if all > 0.0 { mean + LAST_TASK_WEIGHT * (seconds - mean) } else { seconds }, all + seconds];
    }

    /// Stores the outcome of a task, then acknowledges the task.
    async fn finish(&self, number: u64, found: Result<TaskOutcome, TaskError>) {
        let held = self.held_tasks().get(&number).cloned();
        let Some(HeldTask { message, digest, run, offers, tries, .. }) = held else { return };
        let is_unfit = matches!(found, Err(TaskError::Unfit(_)));
        let is_left = is_unfit && (offers < ATTEMPTS_MAX || self.is_larger_there(&message).await);
        let given_back = match found {
            Ok(outcome) => {
                self.count_time(outcome.seconds);
                self.store(&run, &message, outcome).await;
                self.done.fetch_add(1, Ordering::Relaxed);
                AckKind::Ack
            }
            Err(TaskError::Stopped) => AckKind::Nak(None),
            Err(TaskError::Unfit(reason)) if is_left => {
                if offers < ATTEMPTS_MAX {
                    self.messages.push(format!("task {} is left to others: {reason}", digest.short()));
                }
                let note = names::unfit(&run, &digest, &offers.to_string());
                publish(&self.js, &self.messages, note, "", reason.into()).await;
                AckKind::Nak(Some(pause_after(offers)))
            }
            Err(TaskError::Failed(reason)) if tries < ATTEMPTS_MAX => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                self.messages.push(format!("cannot execute task {}: {reason}; trying again", digest.short()));
                AckKind::Nak(Some(RETRY_INTERVAL))
            }
            Err(TaskError::Refused(reason) | TaskError::Unfit(reason) | TaskError::Failed(reason)) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                let times = if is_unfit { offers } else { tries };
                self.give_up(&run, digest, &message, times, reason).await;
                AckKind::Ack
            }
        };
        // An acknowledgement that is lost brings the task back, and then its outcome is there.
        if message.double_ack_with(given_back).await.is_err() {
            let _ = message.ack_with(given_back).await;
        }
        self.held_tasks().remove(&number);
        self.freed.notify_one();
    }

    async fn store(&self, run: &str, message: &Message, outcome: TaskOutcome) {
        let subject = names::result(run, OUTCOME, &outcome.task);
        let identity = outcome.task.to_string();
        let payload = Bytes::from(serde_json::to_vec(&outcome).unwrap_or_default());
        match publish(&self.js, &self.messages, subject.clone(), &identity, payload.clone()).await {
            Stored::New => {}
            Stored::Known => match stored_outcome(&self.js, &subject).await.ok().flatten() {
                Some(first) => self.compare(run, &first, &outcome).await,
                // A run of the same name was deleted a moment ago, and the server still has the identities of its messages.
                None => {
                    publish(&self.js, &self.messages, subject, "", payload).await;
                }
            },
            Stored::TooLarge => {
                let reason =
                    "cannot send the outcome: it is larger than the server accepts; raise max_payload of the server"
                        .to_owned();
                self.give_up(run, outcome.task, message, ATTEMPTS_MAX, reason).await;
            }
        }
    }

    /// Compares two outcomes of one task, which must be equal.
    async fn compare(&self, run: &str, first: &TaskOutcome, second: &TaskOutcome) {
        let (Some(one), Some(other)) = (first.checksum, second.checksum) else { return };
        if one == other {
            return;
        }
        let task = first.task;
        self.messages.push(format!(
            "task {}: the outcome of {} differs from that of this machine",
            task.short(),
            first.worker
        ));
        let conflict = Conflict { task, first: first.worker.clone(), second: second.worker.clone() };
        let payload = serde_json::to_vec(&conflict).unwrap_or_default();
        publish(&self.js, &self.messages, names::result(run, CONFLICT, &task), "", payload.into()).await;
    }

    async fn give_up(&self, run: &str, task: Digest, message: &Message, tries: i64, reason: String) {
        self.messages.push(format!("task {} is given up: {reason}", task.short()));
        let text = String::from_utf8_lossy(&message.payload).into_owned();
        let failure = TaskFailure { task, worker: self.identity.clone(), reason, tries, text };
        let payload = serde_json::to_vec(&failure).unwrap_or_default();
        publish(&self.js, &self.messages, names::result(run, FAILED, &task), "", payload.into()).await;
    }

    /// Waits until everything is stored, returns tasks that were not begun, and publishes the last status.
    async fn settle(&self) {
        let begin = Instant::now();
        while self.storing.load(Ordering::SeqCst) > 0
            && !(self.leave.load(Ordering::Relaxed) && begin.elapsed() > SHUTDOWN_TIMEOUT)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let left: Vec<_> = self.held_tasks().drain().map(|(_, held)| held.message).collect();
        for message in left {
            let _ = message.ack_with(AckKind::Nak(None)).await;
        }
        let last_status = self.status(Duration::ZERO, true);
        let _ = tokio::time::timeout(
            SHUTDOWN_TIMEOUT,
            status::publish(&self.js, names::worker(&self.identity.name), &last_status),
        )
        .await;
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.js.client().flush()).await;
    }

    fn status(&self, age: Duration, ended: bool) -> WorkerStatus {
        let running = |held: &HeldTask| {
            let begun = held.begun?;
            let (run, task) = (held.run.clone(), held.digest.short());
            Some(Running { run, task, seconds: begun.elapsed().as_secs_f64() })
        };
        WorkerStatus {
            identity: self.identity.clone(),
            build: self.build.clone(),
            at: status::now(),
            age: age.as_secs_f64(),
            done: self.done.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            busy: self.times.lock().unwrap_or_else(PoisonError::into_inner)[1],
            running: self.held_tasks().values().filter_map(running).collect(),
            ended,
            memory: self.memory,
        }
    }

    /// Returns true if another worker could execute the task of `message` and has more memory for it than this one.
    async fn is_larger_there(&self, message: &Message) -> bool {
        let (Some(memory), Ok((task, _))) = (self.memory, EncodedTask::decode(&message.payload)) else { return false };
        let others: Vec<WorkerStatus> = status::latest(&self.js, &self.messages, "quarterply.worker.*").await;
        let mut able = others.iter().filter(|other| !other.ended && other.build.can_execute(&task.build));
        able.any(|other| other.memory.is_none_or(|larger| larger > memory))
    }

    /// How often a task was delivered to workers that can execute it, out of this number of offers; 1 if the server does not answer.
    async fn tries(&self, run: &str, digest: &Digest, offers: i64) -> i64 {
        if offers <= 1 {
            return offers;
        }
        let unfit = subjects(&self.js, RESULTS, &names::unfit(run, digest, "*")).await;
        unfit.map_or(1, |unfit| (offers - unfit.len() as i64).max(1))
    }

    /// Returns true if a task that was delivered again is to be executed: its outcome is not stored, and it has not killed too many workers.
    async fn needs_execution(&self, message: &Message, digest: &Digest, run: &str, tries: i64) -> bool {
        if stored_outcome(&self.js, &names::result(run, OUTCOME, digest)).await.is_ok_and(|found| found.is_some()) {
            let _ = message.double_ack().await;
            return false;
        }
        if tries > ATTEMPTS_MAX {
            let reason = "no worker has returned its outcome".to_owned();
            self.give_up(run, *digest, message, tries - 1, reason).await;
            let _ = message.double_ack().await;
            return false;
        }
        true
    }
}

/// The number of tasks held by `threads` threads: one for each, and more if tasks are short. While their mean time (`mean`, in
/// seconds) is unknown, tasks may be long, and holding many would keep them from idle workers.
fn tasks_to_hold(threads: usize, mean: Option<f64>) -> usize {
    let ahead = match mean {
        None => 1.0,
        Some(mean) if mean > LONG => 0.0,
        Some(mean) => 1.0 + threads as f64 * AHEAD / mean.max(1.0e-4),
    };
    (threads + ahead as usize).min(HELD_MAX.max(threads))
}

/// How long a task that is left to others waits after this number of offers.
fn pause_after(offers: i64) -> Duration {
    let parts = u32::try_from(offers).unwrap_or(LEASE_PARTS).clamp(1, LEASE_PARTS);
    lease() * parts / LEASE_PARTS
}

/// Fetches tasks for the threads until the end. Dropping the sender then ends the threads.
async fn fetch_tasks(
    worker: Arc<WorkerState>,
    queue: String,
    mut consumer: Consumer<pull::Config>,
    sender: Sender<u64>,
) {
    let mut lost = false;
    while !worker.is_over() {
        let batch_size = worker.capacity().saturating_sub(worker.held_tasks().len());
        if batch_size == 0 {
            let _ = tokio::time::timeout(REQUEST_TIME, worker.freed.notified()).await;
            continue;
        }
        let batch = match consumer.batch().max_messages(batch_size).expires(REQUEST_TIME).messages().await {
            Ok(batch) => batch,
            Err(error) => {
                worker.messages.push(format!("cannot fetch tasks: {}; trying again", chain(&error)));
                tokio::time::sleep(RETRY_INTERVAL).await;
                continue;
            }
        };
        let (mut came, mut request) = (0, PullBatch::new(batch, REQUEST_TIME));
        loop {
            // A request stays open for a while, and the end must not wait for it.
            let next = match tokio::time::timeout(RETRY_INTERVAL, request.next()).await {
                Err(_) if worker.is_over() => break,
                Err(_) => continue,
                Ok(next) => next,
            };
            let Some(Ok(message)) = next else { break };
            came += 1;
            let number = worker.received.fetch_add(1, Ordering::Relaxed);
            if !worker.receive(number, message).await || sender.send(number).is_err() {
                worker.held_tasks().remove(&number);
            }
        }
        if came > 0 || worker.is_over() {
            lost = false;
            continue;
        }
        // A server that was killed may have lost the queue, or tasks in it.
        match queue::repaired_consumer(&worker.js, &queue, &mut lost).await {
            Ok(made) => consumer = made,
            Err(_) => tokio::time::sleep(RETRY_INTERVAL).await,
        }
    }
}

impl WorkerState {
    /// Records a task; returns true if it is to be executed.
    async fn receive(&self, number: u64, message: Message) -> bool {
        let offers = message.info().map_or(1, |info| info.delivered);
        let run = names::run_of_task(&message.subject).to_owned();
        let digest = Digest::of(&message.payload);
        let tries = self.tries(&run, &digest, offers).await;
        if offers > 1 && !self.needs_execution(&message, &digest, &run, tries).await {
            return false;
        }
        let message = Arc::new(message);
        self.held_tasks().insert(number, HeldTask { message, digest, run, offers, tries, begun: None });
        true
    }
}

/// Tells the server that every task held is still in progress.
async fn send_heartbeats(worker: Arc<WorkerState>) {
    loop {
        tokio::time::sleep(lease() / HEARTBEATS).await;
        let held: Vec<_> = worker.held_tasks().values().map(|held| Arc::clone(&held.message)).collect();
        for message in held {
            let _ = message.ack_with(AckKind::Progress).await;
        }
    }
}

/// Publishes the status of the worker.
async fn publish_status(worker: Arc<WorkerState>) {
    let begin = Instant::now();
    while !worker.is_over() {
        status::publish(&worker.js, names::worker(&worker.identity.name), &worker.status(begin.elapsed(), false)).await;
        tokio::time::sleep(STATUS_INTERVAL).await;
    }
}

/// Fetches tasks of runs with other engines if the worker offers them all; otherwise reports the reason once for each run. Such runs
/// have separate queues: their tasks are never delivered to a worker that cannot execute them.
async fn watch_runs(worker: Arc<WorkerState>, sender: Sender<u64>) {
    let (mut reported, mut queues) = (HashSet::new(), HashSet::new());
    while !worker.is_over() {
        for run in status::latest::<RunStatus>(&worker.js, &worker.messages, "quarterply.run.*").await {
            let queue = run.build.name();
            match worker.refusal(&run) {
                Some(refusal) if reported.insert(run.run.clone()) => worker.messages.push(refusal),
                Some(_) => {}
                None if run.build.engines.is_empty() || queues.contains(&queue) => {}
                None => match ensure_consumer(&worker.js, &queue).await {
                    Ok(consumer) => {
                        queues.insert(queue.clone());
                        tokio::spawn(fetch_tasks(Arc::clone(&worker), queue, consumer, sender.clone()));
                    }
                    Err(error) => worker.messages.push(format!("cannot open the queue of run {}: {error}", run.run)),
                },
            }
        }
        let begun_at = Instant::now();
        while !worker.is_over() && begun_at.elapsed() < STATUS_INTERVAL {
            tokio::time::sleep(RETRY_INTERVAL.min(STATUS_INTERVAL / STOP_CHECKS)).await;
        }
    }
}

impl WorkerState {
    /// Why this worker does not execute the tasks of a run.
    fn refusal(&self, run: &RunStatus) -> Option<String> {
        let RunStatus { run, title, build, .. } = run;
        if !build.is_same_program(&self.build) {
            return Some(format!(
                "tasks of run {run} ({title}) are left alone: they are for `{build}`, and this is `{}`",
                self.build
            ));
        }
        self.build
            .incompatibility(build)
            .map(|reason| format!("tasks of run {run} ({title}) are left to other workers: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_holds_few_tasks_until_their_time_is_known() {
        for (threads, mean, tasks) in [
            (1, None, 2),
            (8, None, 9),
            (1, Some(40.0), 1),
            (1, Some(1.0), 2),
            (8, Some(1.0), 11),
            (1, Some(0.01), 27),
            (1, Some(1.0e-6), HELD_MAX),
            (2000, Some(1.0), 2000),
        ] {
            assert_eq!(tasks_to_hold(threads, mean), tasks, "{threads} threads, {mean:?}");
        }
    }

    #[test]
    fn a_task_that_is_left_to_others_waits_longer_each_time_and_a_lease_at_most() {
        let pauses = [1, 2, 14, 15, i64::MAX].map(pause_after);
        assert!(pauses.is_sorted() && pauses[0] > Duration::ZERO && pauses[1] == pauses[0] * 2, "{pauses:?}");
        assert_eq!(pauses[3..], [lease(); 2]);
    }
}
