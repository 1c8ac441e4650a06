//! Status messages of workers and runs.

use crate::nats::link::Messages;
use crate::nats::names::STATUS;
use crate::{Build, WorkerIdentity};
use async_nats::jetstream::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// Silence after which a command counts as gone (seconds): messages of a busy machine may be late.
const FRESH: u64 = 10;

/// A task that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// Its run.
    pub run: String,
    /// The first digits of its name.
    pub task: String,
    /// For how long (seconds).
    pub seconds: f64,
}

/// The status of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its identity.
    #[serde(rename = "card")]
    pub identity: WorkerIdentity,
    /// Its build.
    pub build: Build,
    /// The time of the message (seconds since 1970).
    pub at: u64,
    /// The age of the worker (seconds).
    pub age: f64,
    /// Tasks done.
    pub done: u64,
    /// Tasks that failed.
    pub failed: u64,
    /// The sum of the times of its tasks (seconds).
    pub busy: f64,
    /// The tasks that run.
    pub running: Vec<Running>,
    /// True if it has ended.
    pub ended: bool,
    /// Memory for the tables of a task (MiB); `None` without a limit.
    #[serde(default)]
    pub memory: Option<u64>,
}

/// The status of a run, published by the command that hands out its tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Its name on the server.
    pub run: String,
    /// The activity of the command.
    pub title: String,
    /// The build that must execute its tasks.
    pub build: Build,
    /// The time of the message (seconds since 1970).
    pub at: u64,
    /// The age of the command (seconds).
    pub age: f64,
    /// The part that is done since the start of the command, in a unit of the command.
    pub done: u64,
    /// The part that is left.
    pub left: Option<u64>,
    /// Tasks under way.
    pub open: u64,
}

impl RunStatus {
    /// True if its command sent a status message just now; it sends one every two seconds.
    pub fn is_fresh(&self) -> bool {
        now().saturating_sub(self.at) < FRESH
    }
}

/// Now (seconds since 1970).
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Publishes a status message. A lost message is replaced by the next one.
pub(crate) async fn publish<T: Serialize>(js: &Context, subject: String, status: &T) {
    let Ok(payload) = serde_json::to_vec(status) else { return };
    if let Ok(acknowledged) = js.publish(subject, payload.into()).await {
        let _ = acknowledged.await;
    }
}

/// The last status messages under a subject. Messages of other versions that cannot be parsed are skipped.
pub(crate) async fn latest<T: DeserializeOwned>(js: &Context, messages: &Messages, subject: &str) -> Vec<T> {
    let stream = match js.get_stream_no_info(STATUS).await {
        Ok(stream) => stream,
        Err(error) => {
            messages.push(format!("cannot open the stream {STATUS} of the NATS server: {error}"));
            return Vec::new();
        }
    };
    let (mut found, mut next) = (Vec::new(), 1);
    while let Ok(message) = stream.raw_message_builder().sequence(next).next_by_subject(subject).send().await {
        next = message.sequence + 1;
        found.extend(serde_json::from_slice(&message.payload));
    }
    found
}
