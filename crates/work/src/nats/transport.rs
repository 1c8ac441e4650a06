//! The transport whose tasks are executed by workers anywhere.

use crate::nats::inbox::{Inbox, Item, stored_outcome};
use crate::nats::link::{Link, NatsError, RETRY_INTERVAL, Stored, publish, purge};
use crate::nats::names::{self, CONFLICT, FAILED, OUTCOME, RESULTS, STATUS, TASKS, UNFIT};
use crate::nats::objects;
use crate::nats::queue::{self, lease};
use crate::nats::status::{self, RunStatus, WorkerStatus};
use crate::workers::Workers;
use crate::{Build, Conflict, Delivery, Digest, EncodedTask, TaskFailure, TaskOutcome, Transport, WorkError};
use bytes::Bytes;
use futures_util::StreamExt;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

/// Tasks under way before anything is known of workers.
const WINDOW_MIN: usize = 32;
/// Tasks under way at most.
const WINDOW_MAX: usize = 20_000;
/// Tasks under way for each thread of a worker: one that runs and one that waits.
const PER_THREAD: usize = 2;
/// The time that additional tasks in the queue take together, for short tasks (seconds).
const AHEAD: f64 = 1.0;
/// How long a task should take.
const TARGET_DURATION: Duration = Duration::from_secs(5);
/// Messages that may wait for their acknowledgement at a time.
const IN_FLIGHT: usize = 512;
/// Time between two status messages of the run.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// How long to wait for status messages of workers before a lack of engines is reported.
const INCOMPATIBILITY_DELAY: Duration = Duration::from_secs(5);
/// How long the last publications may take at the end.
const LAST: Duration = Duration::from_secs(5);
/// How long a server may be silent while an outcome that was delivered before is read again.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A run through the server.
pub struct RunPlan {
    /// The name of the run, the same when it is resumed: letters and digits.
    pub run: String,
    /// The activity of the command, for display.
    pub title: String,
    /// The build that must execute the tasks.
    pub build: Build,
    /// Starts from scratch: the remains of an earlier run of this name are deleted.
    pub fresh: bool,
}

/// The state that its tasks on the runtime share.
struct RunCounters {
    done: AtomicU64,
    /// The remaining tasks; [`u64::MAX`] if unknown.
    left: AtomicU64,
    open: AtomicUsize,
    /// The last status of each worker of this program, by name, and when it was received.
    workers: Mutex<HashMap<String, (WorkerStatus, Instant)>>,
}

/// Has tasks executed by workers.
pub struct NatsTransport {
    link: Link,
    plan: RunPlan,
    items: UnboundedReceiver<Item>,
    /// Outcomes of tasks that were not submitted yet.
    early: HashMap<Digest, TaskOutcome>,
    ready: VecDeque<Delivery>,
    /// Two workers whose outcomes differ: the run must end.
    conflict: Option<Conflict>,
    /// Tasks under way as they are sent, because a killed server may lose accepted tasks; `None` for those that were given up.
    open: HashMap<Digest, Option<Bytes>>,
    /// When a result was received last, or tasks were sent again.
    received_at: Instant,
    /// Tasks whose outcome was delivered.
    delivered: HashSet<Digest>,
    shared: Arc<RunCounters>,
    permits: Arc<Semaphore>,
    outcome_rate: OutcomeRate,
    /// Publishes the status of the run.
    status_task: Option<JoinHandle<()>>,
    begun: Instant,
    /// Why no worker can execute the tasks, as reported last.
    incompatibility: Option<String>,
}

/// The rate of outcomes.
struct OutcomeRate {
    since: Instant,
    count: u64,
    rate: f64,
}

impl OutcomeRate {
    fn count(&mut self) {
        self.count += 1;
        let elapsed = self.since.elapsed();
        if elapsed >= STATUS_INTERVAL {
            self.rate = self.count as f64 / elapsed.as_secs_f64();
            (self.since, self.count) = (Instant::now(), 0);
        }
    }

    /// Outcomes a second. The first seconds count as they come.
    fn rate(&self) -> f64 {
        let elapsed = self.since.elapsed().as_secs_f64();
        self.rate.max(if elapsed > 0.0 { self.count as f64 / elapsed.max(AHEAD) } else { 0.0 })
    }
}

impl NatsTransport {
    /// Begins or resumes a run: outcomes that arrived in between are processed.
    pub fn begin(link: Link, plan: RunPlan) -> Result<NatsTransport, NatsError> {
        let shared = Arc::new(RunCounters {
            done: AtomicU64::new(0),
            left: AtomicU64::new(u64::MAX),
            open: AtomicUsize::new(0),
            workers: Mutex::default(),
        });
        let (sender, items) = unbounded_channel();
        let mut coordinator = NatsTransport {
            link,
            plan,
            items,
            early: HashMap::new(),
            ready: VecDeque::new(),
            open: HashMap::new(),
            received_at: Instant::now(),
            conflict: None,
            delivered: HashSet::new(),
            shared,
            permits: Arc::new(Semaphore::new(IN_FLIGHT)),
            outcome_rate: OutcomeRate { since: Instant::now(), count: 0, rate: 0.0 },
            status_task: None,
            begun: Instant::now(),
            incompatibility: None,
        };
        coordinator.link.wait(queue::ensure_consumer(&coordinator.link.js, &coordinator.plan.build.name()))?;
        if coordinator.plan.fresh {
            coordinator.clear(true)?;
        }
        let (js, messages) = (coordinator.link.js.clone(), coordinator.link.messages.clone());
        let mut inbox = Inbox::new(js, messages, &coordinator.plan.run);
        let there = coordinator.link.wait(inbox.count())?;
        coordinator.link.runtime.spawn(inbox.read(sender));
        for _ in 0..there {
            let Some(item) = coordinator.link.wait(coordinator.items.recv()) else { break };
            coordinator.process(&item);
        }
        // Tasks that failed in an earlier process are retried.
        coordinator.ready.clear();
        coordinator.purge(RESULTS, names::failures_of_run(&coordinator.plan.run))?;
        coordinator.track_workers();
        coordinator.status_task = Some(coordinator.publish_status());
        Ok(coordinator)
    }

    /// Deletes the data of the run: its tasks, and its results if `all`.
    fn clear(&self, all: bool) -> Result<(), NatsError> {
        self.purge(TASKS, names::tasks_of_run(&self.plan.run))?;
        if all { self.purge(RESULTS, names::results_of_run(&self.plan.run)) } else { Ok(()) }
    }

    fn purge(&self, name: &str, filter: String) -> Result<(), NatsError> {
        self.link.wait(purge(&self.link.js, name, &filter))
    }

    /// Receives the status of workers, in the background.
    fn track_workers(&self) {
        let (js, client, messages) = (self.link.js.clone(), self.link.client.clone(), self.link.messages.clone());
        let (shared, build) = (Arc::clone(&self.shared), self.plan.build.clone());
        self.link.runtime.spawn(async move {
            let Ok(mut updates) = client.subscribe("quarterply.worker.*").await else { return };
            let record = |status: WorkerStatus| {
                if status.build.is_same_program(&build) {
                    let mut all = shared.workers.lock().unwrap_or_else(PoisonError::into_inner);
                    all.insert(status.identity.name.clone(), (status, Instant::now()));
                }
            };
            status::latest(&js, &messages, "quarterply.worker.*").await.into_iter().for_each(record);
            while let Some(message) = updates.next().await {
                if let Ok(status) = serde_json::from_slice(&message.payload) {
                    record(status);
                }
            }
        });
    }

    /// Publishes the status of the run, in the background.
    fn publish_status(&self) -> JoinHandle<()> {
        let (js, shared, plan) = (self.link.js.clone(), Arc::clone(&self.shared), &self.plan);
        let (run, title, build) = (plan.run.clone(), plan.title.clone(), plan.build.clone());
        let begin = Instant::now();
        self.link.runtime.spawn(async move {
            loop {
                let left = shared.left.load(Ordering::Relaxed);
                let status = RunStatus {
                    run: run.clone(),
                    title: title.clone(),
                    build: build.clone(),
                    at: status::now(),
                    age: begin.elapsed().as_secs_f64(),
                    done: shared.done.load(Ordering::Relaxed),
                    left: (left != u64::MAX).then_some(left),
                    open: shared.open.load(Ordering::Relaxed) as u64,
                };
                status::publish(&js, names::run(&run), &status).await;
                tokio::time::sleep(STATUS_INTERVAL).await;
            }
        })
    }

    /// Reports why no worker executes tasks that need other engines: once, and again when the reason changes.
    fn report_incompatibility(&mut self) {
        let required = &self.plan.build;
        if required.engines.is_empty() || self.open.is_empty() || self.begun.elapsed() < INCOMPATIBILITY_DELAY {
            return;
        }
        let mut reasons = Vec::new();
        {
            let all = self.shared.workers.lock().unwrap_or_else(PoisonError::into_inner);
            for (status, _) in all.values().filter(|(status, received)| is_active(status, *received)) {
                let Some(reason) = status.build.incompatibility(required) else {
                    self.incompatibility = None;
                    return;
                };
                reasons.push(format!("worker {}: {reason}", status.identity.name));
            }
        }
        reasons.sort();
        if reasons.is_empty() {
            let engines = required.engines.iter().map(|engine| format!("--engine {}=PATH", engine.name));
            let engines = engines.collect::<Vec<_>>().join(" ");
            reasons.push(format!("no worker of this build is there; start `quarterply worker {engines}`"));
        }
        let text = format!("no worker can execute the tasks: {}", reasons.join("; "));
        if self.incompatibility.as_ref() != Some(&text) {
            self.ready.push_back(Delivery::Note(text.clone()));
            self.incompatibility = Some(text);
        }
    }

    /// The active workers.
    fn known_workers(&self) -> Workers {
        let all = self.shared.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workers = Workers { open: self.open.len(), ..Workers::default() };
        let serves =
            |status: &WorkerStatus, received| is_active(status, received) && status.build.can_execute(&self.plan.build);
        for (status, received) in all.values().filter(|(status, received)| serves(status, *received)) {
            workers.workers += 1;
            workers.threads += status.identity.workers;
            workers.failed += status.failed;
            let ours = status.running.iter().filter(|running| running.run == self.plan.run);
            let longest = ours.map(|running| running.seconds + received.elapsed().as_secs_f64()).fold(0.0, f64::max);
            if longest > workers.longest.as_ref().map_or(0.0, |(_, seconds)| *seconds) {
                workers.longest = Some((status.identity.name.clone(), longest));
            }
        }
        workers
    }

    /// Sends a task that is under way, in the background. The server takes it once.
    fn send(&self, digest: Digest) {
        let Some(bytes) = self.open.get(&digest).cloned().flatten() else { return };
        let subject = names::task(&self.plan.build.name(), &self.plan.run, &digest);
        let (js, messages) = (self.link.js.clone(), self.link.messages.clone());
        let permit = self.link.wait(Arc::clone(&self.permits).acquire_owned());
        self.link.runtime.spawn(async move {
            let _permit = permit;
            if publish(&js, &messages, subject, "", bytes).await == Stored::TooLarge {
                messages.push(format!(
                    "cannot send task {}: the task is larger than the server accepts; raise max_payload of the server",
                    digest.short()
                ));
            }
        });
    }

    /// Sends tasks under way again if no result was received for a lease, only as many as can be sent without waiting.
    fn resend_silent(&mut self) {
        if self.received_at.elapsed() >= lease() && self.permits.available_permits() == IN_FLIGHT {
            self.received_at = Instant::now();
            let sent = self.open.iter().filter(|(_, bytes)| bytes.is_some());
            sent.take(IN_FLIGHT).for_each(|(digest, _)| self.send(*digest));
        }
    }

    /// Processes a result.
    fn process(&mut self, item: &Item) {
        if item.kind == UNFIT {
            return;
        }
        self.received_at = Instant::now();
        let readable = match item.kind.as_str() {
            OUTCOME => serde_json::from_slice::<TaskOutcome>(&item.payload).map(|outcome| self.accept(outcome)),
            FAILED => serde_json::from_slice::<TaskFailure>(&item.payload).map(|failure| {
                self.open.entry(failure.task).and_modify(|bytes| *bytes = None);
                self.ready.push_back(Delivery::GivenUp(failure));
            }),
            CONFLICT => serde_json::from_slice::<Conflict>(&item.payload).map(|conflict| {
                self.conflict = Some(conflict);
            }),
            _ => Ok(()),
        };
        if let Err(error) = readable {
            let kind = &item.kind;
            self.ready.push_back(Delivery::Note(format!(
                "cannot read a result of kind `{kind}`: {error}; start workers of the same build"
            )));
        }
    }

    fn accept(&mut self, outcome: TaskOutcome) {
        self.outcome_rate.count();
        if self.open.remove(&outcome.task).is_some() {
            self.delivered.insert(outcome.task);
            self.ready.push_back(Delivery::Done(outcome));
        } else if !self.delivered.contains(&outcome.task) {
            self.early.insert(outcome.task, outcome);
        }
    }

    /// The outcome of a task that was delivered before; `None` if the server has lost it. Waits for a server that is away, but not
    /// forever.
    fn delivered_outcome(&self, digest: &Digest) -> Result<Option<TaskOutcome>, WorkError> {
        let subject = names::result(&self.plan.run, OUTCOME, digest);
        let until = Instant::now() + TIMEOUT;
        self.link.wait(async {
            loop {
                match stored_outcome(&self.link.js, &subject).await {
                    Ok(found) => return Ok(found),
                    Err(error) if Instant::now() >= until => {
                        let text =
                            format!("cannot read an outcome on the server again: {error}; start the command again");
                        return Err(WorkError::Executor(text));
                    }
                    Err(_) => tokio::time::sleep(RETRY_INTERVAL).await,
                }
            }
        })
    }
}

/// Returns true if the worker has not ended and sent a status message recently.
fn is_active(status: &WorkerStatus, received: Instant) -> bool {
    !status.ended && received.elapsed() < names::STATUS_LIFETIME
}

impl Transport for NatsTransport {
    fn window(&self) -> usize {
        let ahead = (self.outcome_rate.rate() * AHEAD) as usize;
        (PER_THREAD * self.known_workers().threads + ahead).clamp(WINDOW_MIN, WINDOW_MAX)
    }

    fn target_duration(&self) -> Duration {
        TARGET_DURATION
    }

    fn submit(&mut self, task: &EncodedTask) -> Result<Digest, WorkError> {
        let bytes = task.encode();
        let digest = Digest::of(&bytes);
        if let Some(outcome) = self.early.remove(&digest) {
            self.delivered.insert(digest);
            self.ready.push_back(Delivery::Done(outcome));
            return Ok(digest);
        }
        // No worker stores a second outcome of a task, and the reader does not read the first one again.
        if self.delivered.contains(&digest)
            && let Some(outcome) = self.delivered_outcome(&digest)?
        {
            self.ready.push_back(Delivery::Done(outcome));
            return Ok(digest);
        }
        self.open.insert(digest, Some(Bytes::from(bytes)));
        self.shared.open.store(self.open.len(), Ordering::Relaxed);
        self.send(digest);
        Ok(digest)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError> {
        self.link.wait(objects::put(&self.link.js, bytes)).map_err(|error| WorkError::Executor(error.to_string()))
    }

    fn poll(&mut self, timeout: Duration) -> Result<Option<Delivery>, WorkError> {
        self.ready.extend(self.link.messages().into_iter().map(Delivery::Note));
        self.report_incompatibility();
        if self.ready.is_empty() {
            let waiting = async { tokio::time::timeout(timeout, self.items.recv()).await };
            match self.link.runtime.block_on(waiting) {
                Ok(Some(item)) => self.process(&item),
                _ => self.resend_silent(),
            }
        }
        while let Ok(item) = self.items.try_recv() {
            self.process(&item);
        }
        self.shared.open.store(self.open.len(), Ordering::Relaxed);
        match self.conflict.take() {
            Some(Conflict { task, first, second }) => {
                let (first, second) = (first.to_string(), second.to_string());
                Err(WorkError::Conflict { task: task.short(), first, second })
            }
            None => Ok(self.ready.pop_front()),
        }
    }

    fn workers(&self) -> Option<Workers> {
        Some(self.known_workers())
    }

    fn progress(&mut self, done: u64, left: Option<u64>) {
        self.shared.done.store(done, Ordering::Relaxed);
        self.shared.left.store(left.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn close(&mut self, finished: bool) -> Result<(), WorkError> {
        // Messages that are still being published would be stored after the deletion.
        let all = IN_FLIGHT as u32;
        let _ = self.link.wait(async { tokio::time::timeout(LAST, self.permits.acquire_many(all)).await.map(drop) });
        if let Some(status_task) = self.status_task.take() {
            status_task.abort();
        }
        self.clear(finished).map_err(|error| WorkError::Executor(error.to_string()))?;
        // A status that cannot be deleted expires soon.
        let _ = self.purge(STATUS, names::run(&self.plan.run));
        Ok(())
    }
}
