//! The task queue of a build: a durable consumer of their stream, recreated if a killed server left it ahead of the stream.
//!
//! `kill -9` can destroy the end of a stream, and the sequence number of an empty one, while its consumer still stores what it
//! delivered. New tasks then get numbers that count as delivered, and no worker receives them. Idle workers check for this state,
//! and every command checks before its first task. A recreated queue delivers tasks again that a worker holds: they are executed
//! twice then, and count once.

use crate::nats::link::{NatsError, stream, subjects};
use crate::nats::names::{self, LEASE, TASKS};
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, Info, pull};
use std::time::Duration;

/// Tasks of a build that may be delivered and not acknowledged at a time.
const PENDING_MAX: i64 = 100_000;

/// How long a silent worker keeps its tasks; tests set a shorter time.
pub(crate) fn lease() -> Duration {
    let seconds = std::env::var("QUARTERPLY_LEASE").ok().and_then(|text| text.parse().ok());
    seconds.map_or(LEASE, |seconds: u64| Duration::from_secs(seconds.max(1)))
}

/// The queue of a build; recreated if it is ahead of its stream.
pub(crate) async fn ensure_consumer(js: &Context, build: &str) -> Result<Consumer<pull::Config>, NatsError> {
    let made = make(js, build).await?;
    // The stream is read second: meanwhile it can only have grown.
    let last = stream(js, TASKS).await?.cached_info().state.last_sequence;
    if made.cached_info().delivered.stream_sequence > last { recreate(js, build).await } else { Ok(made) }
}

/// The queue of a build, for a worker that has received nothing for a while. `lost` records that the stream holds tasks that the
/// queue does not deliver; if that is so a second time, the queue is recreated.
pub(crate) async fn repaired_consumer(
    js: &Context,
    build: &str,
    lost: &mut bool,
) -> Result<Consumer<pull::Config>, NatsError> {
    let made = ensure_consumer(js, build).await?;
    let before = std::mem::replace(lost, unreachable(js, build, made.cached_info()).await?);
    if !(before && *lost) {
        return Ok(made);
    }
    *lost = false;
    recreate(js, build).await
}

/// Returns true if there are tasks that the queue neither delivers nor waits for.
async fn unreachable(js: &Context, build: &str, queue: &Info) -> Result<bool, NatsError> {
    let known = queue.num_pending + queue.num_ack_pending as u64;
    // Usually no task waits at all; tasks of other builds are only counted if there are any.
    if stream(js, TASKS).await?.cached_info().state.messages <= known {
        return Ok(false);
    }
    let waiting = subjects(js, TASKS, &names::tasks_of_build(build)).await?;
    Ok(waiting.len() as u64 > known)
}

async fn make(js: &Context, build: &str) -> Result<Consumer<pull::Config>, NatsError> {
    let config = pull::Config {
        durable_name: Some(names::consumer(build)),
        filter_subject: names::tasks_of_build(build),
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease(),
        max_ack_pending: PENDING_MAX,
        ..pull::Config::default()
    };
    let made = js.create_consumer_on_stream(config, TASKS).await;
    made.map_err(|error| NatsError::server("open the queue", &error))
}

async fn recreate(js: &Context, build: &str) -> Result<Consumer<pull::Config>, NatsError> {
    // Another process may have deleted it just before.
    let _ = stream(js, TASKS).await?.delete_consumer(&names::consumer(build)).await;
    make(js, build).await
}
