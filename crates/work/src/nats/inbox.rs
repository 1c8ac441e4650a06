//! Reading the results of a run, also while the server restarts.

use crate::TaskOutcome;
use crate::nats::link::{Messages, NatsError, RETRY_INTERVAL, chain};
use crate::nats::names::{RESULTS, parts_of_result, results_of_run};
use crate::nats::pull_batch::PullBatch;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy};
use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
use bytes::Bytes;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Messages requested at a time.
const BATCH: usize = 500;
/// How long to wait for them.
const WAIT: Duration = Duration::from_secs(1);
/// The server deletes a reader that is silent for this time.
const FORGOTTEN: Duration = Duration::from_secs(120);

/// A result.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// See [`crate::names`].
    pub kind: String,
    /// The message.
    pub payload: Bytes,
}

/// Delivers all results of a run in the order in which they were stored; some twice after the server was killed.
pub(crate) struct Inbox {
    js: Context,
    messages: Messages,
    run: String,
    consumer: Option<Consumer<pull::Config>>,
    /// The last message that was read.
    last: u64,
}

impl Inbox {
    pub fn new(js: Context, messages: Messages, run: &str) -> Inbox {
        Inbox { js, messages, run: run.to_owned(), consumer: None, last: 0 }
    }

    /// The number of results that can be read now.
    pub async fn count(&mut self) -> Result<u64, NatsError> {
        let failed = |reason: String| NatsError::Server { action: "read outcomes".to_owned(), reason };
        let consumer = self.consumer().await.map_err(failed)?;
        consumer.get_info().await.map(|info| info.num_pending).map_err(|error| failed(chain(&error)))
    }

    async fn consumer(&mut self) -> Result<&Consumer<pull::Config>, String> {
        if self.consumer.is_none() {
            let begin = DeliverPolicy::ByStartSequence { start_sequence: self.last + 1 };
            let config = pull::Config {
                filter_subject: results_of_run(&self.run),
                ack_policy: AckPolicy::None,
                deliver_policy: begin,
                inactive_threshold: FORGOTTEN,
                ..pull::Config::default()
            };
            let made = self.js.create_consumer_on_stream(config, RESULTS).await;
            self.consumer = Some(made.map_err(|error| chain(&error))?);
        }
        self.consumer.as_ref().ok_or_else(String::new)
    }

    /// Reads one batch; returns the number of results.
    async fn batch(&mut self, sender: &UnboundedSender<Item>) -> Result<usize, String> {
        let consumer = self.consumer().await?;
        let batch = consumer.batch().max_messages(BATCH).expires(WAIT).messages().await;
        let mut request = PullBatch::new(batch.map_err(|error| chain(&error))?, WAIT);
        let mut count = 0;
        while let Some(message) = request.next().await {
            let message = message.map_err(|error| error.to_string())?;
            let sequence = message.info().map_err(|error| error.to_string())?.stream_sequence;
            // A new reader can receive messages that were in flight.
            if sequence <= self.last {
                continue;
            }
            self.last = sequence;
            count += 1;
            let (_, kind) = parts_of_result(&message.subject);
            let item = Item { kind: kind.to_owned(), payload: message.payload.clone() };
            sender.send(item).map_err(|_| "the run has ended".to_owned())?;
        }
        if request.is_overdue {
            // Messages in flight to a request that was dropped are read again.
            let last = self.last;
            let info = self.consumer().await?.get_info().await.map_err(|error| chain(&error))?;
            if info.delivered.stream_sequence > last {
                self.consumer = None;
                return Ok(count);
            }
        }
        if count == 0 {
            // A restarted server does not know this consumer, and sends nothing.
            let consumer = self.consumer().await?;
            consumer.get_info().await.map_err(|error| chain(&error))?;
            // One that was killed may have lost the end of the stream, and uses its sequence numbers again.
            let stream = self.js.get_stream(RESULTS).await.map_err(|error| chain(&error))?;
            if stream.cached_info().state.last_sequence < self.last {
                (self.consumer, self.last) = (None, 0);
            }
        }
        Ok(count)
    }

    /// Reads on until the receiver is dropped.
    pub async fn read(mut self, sender: UnboundedSender<Item>) {
        let mut reported = false;
        while !sender.is_closed() {
            match self.batch(&sender).await {
                Ok(_) => reported = false,
                Err(reason) => {
                    self.consumer = None;
                    if !reported && !sender.is_closed() {
                        self.messages.push(format!(
                            "cannot read outcomes from the NATS server: {reason}; trying again (is the server's disk full?)"
                        ));
                    }
                    reported = true;
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }
}

/// The outcome that is stored under a subject, if there is one.
///
/// # Errors
/// The server does not answer.
pub(crate) async fn stored_outcome(js: &Context, subject: &str) -> Result<Option<TaskOutcome>, String> {
    let stream = js.get_stream_no_info(RESULTS).await.map_err(|error| chain(&error))?;
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(serde_json::from_slice(&message.payload).ok()),
        Err(error) if error.kind() == NoMessageFound => Ok(None),
        Err(error) => Err(chain(&error)),
    }
}
