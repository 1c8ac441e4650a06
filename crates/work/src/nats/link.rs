//! The connection, for threads that block.

use crate::nats::access::Access;
use crate::nats::names::{RESULTS, RETENTION, STATUS, STATUS_LIFETIME, TASKS};
use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, PurgeError, PurgeErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, Event, HeaderMap};
use bytes::Bytes;
use futures_util::TryStreamExt;
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};
use tryhard::{RetryPolicy, retry_fn};

/// How long to wait for the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request to JetStream may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait before something is tried again.
pub(crate) const RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// Number of attempts before the user is informed.
const QUIET_TRIES: usize = 8;
/// How often a request to delete data is repeated before the server counts as gone: for a minute in all if it is silent.
const PURGE_RETRIES: u32 = 11;

/// The remedy if there is no response.
const START: &str = "is `nats-server -js` running there?";

/// The remedy for refused certificates.
const CERTIFICATES: &str = "the server must use TLS; NATS_CA names the certificate of a trusted authority, NATS_CERT and NATS_KEY \
                            those of this machine";

/// The remedy for an invalid address.
const ADDRESS: &str = "give HOST:PORT, nats://HOST:PORT or tls://HOST:PORT";

/// The remedy if there are no credentials.
const CREDENTIALS: &str =
    "give credentials in the environment: NATS_TOKEN_FILE, NATS_USER with NATS_PASSWORD_FILE, NATS_CREDS or NATS_NKEY";

/// The remedy for refused credentials.
const OTHER_CREDENTIALS: &str = "the server refuses the given credentials; correct NATS_TOKEN_FILE, NATS_USER with NATS_PASSWORD_FILE, \
                                 NATS_CREDS or NATS_NKEY in the environment";

/// The remedy for a connection error of this kind, with or without credentials. A refused certificate is reported as invalid data.
fn remedy(kind: ConnectErrorKind, source: Option<&(dyn Error + 'static)>, has_credentials: bool) -> &'static str {
    let refused = |source: &(dyn Error + 'static)| {
        source.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
    };
    match kind {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            if has_credentials {
                OTHER_CREDENTIALS
            } else {
                CREDENTIALS
            }
        }
        ConnectErrorKind::ServerParse => ADDRESS,
        ConnectErrorKind::Tls => CERTIFICATES,
        ConnectErrorKind::Io if source.is_some_and(refused) => CERTIFICATES,
        _ => START,
    }
}

/// Why the server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NatsError {
    /// Invalid user input.
    #[error("{0}")]
    Access(String),
    #[error("cannot connect to NATS at `{url}`: {reason}; {remedy}")]
    Connect { url: String, reason: String, remedy: &'static str },
    #[error(
        "cannot {action} on the NATS server: {reason}; run it with JetStream (`nats-server -js`), and if its disk is full, free space, and \
         start the server again"
    )]
    Server { action: String, reason: String },
    #[error(
        "cannot start {threads} threads: {reason}; give a smaller number to --workers, or raise the limit of threads of this process"
    )]
    Threads { threads: usize, reason: String },
}

impl NatsError {
    pub(crate) fn server(action: &str, error: &dyn Error) -> NatsError {
        NatsError::Server { action: action.to_owned(), reason: chain(error) }
    }
}

/// An error with its causes.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Messages for the user, from any task.
#[derive(Clone, Default)]
pub(crate) struct Messages(Arc<Mutex<Vec<String>>>);

impl Messages {
    pub fn push(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A connection that is restored when it breaks, and its threads.
pub struct Link {
    pub(crate) runtime: Runtime,
    pub(crate) client: Client,
    pub(crate) js: Context,
    pub(crate) messages: Messages,
}

impl Link {
    /// Connects, and creates the streams if they do not exist.
    pub fn connect(access: &Access, name: &str) -> Result<Link, NatsError> {
        let refused_for = |reason: String, remedy| NatsError::Connect { url: access.url().to_owned(), reason, remedy };
        let refused = |reason| refused_for(reason, START);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| refused(error.to_string()))?;
        let messages = Messages::default();
        let event_messages = messages.clone();
        let client = runtime.block_on(async {
            let options = access.options().await?.name(name).event_callback(move |event| {
                match event {
                    Event::Disconnected => {
                        event_messages.push("cannot reach NATS: the connection broke; reconnecting".to_owned())
                    }
                    Event::ServerError(error) => event_messages.push(format!("the NATS server reports: {error}")),
                    _ => {}
                }
                std::future::ready(())
            });
            let urls: Vec<&str> = access.url().split(',').collect();
            let connecting = tokio::time::timeout(CONNECT_TIMEOUT, options.connect(urls)).await;
            let client = connecting.map_err(|_| refused("no answer".to_owned()))?;
            let has_credentials = access.has_credentials();
            client.map_err(|error| refused_for(chain(&error), remedy(error.kind(), error.source(), has_credentials)))
        })?;
        let mut js = {
            // It spawns a task.
            let _entered = runtime.enter();
            jetstream::new(client.clone())
        };
        js.set_timeout(REQUEST_TIMEOUT);
        let link = Link { runtime, client, js, messages };
        link.wait(ensure_streams(&link.js))?;
        Ok(link)
    }

    /// Runs a future of the connection, and waits for it.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Messages for the user since the last call.
    pub fn messages(&self) -> Vec<String> {
        self.messages.take()
    }
}

async fn ensure_streams(js: &Context) -> Result<(), NatsError> {
    let once = Config {
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        storage: StorageType::File,
        ..Config::default()
    };
    let named = |name: &str, subjects: &[&str], config: &Config| Config {
        name: name.to_owned(),
        subjects: subjects.iter().map(|&subject| subject.to_owned()).collect(),
        ..config.clone()
    };
    let tasks = Config { retention: RetentionPolicy::WorkQueue, ..once.clone() };
    let found = Config { max_age: RETENTION, ..once };
    // Stored in files: a stream in memory is lost with its server, and is not recreated.
    let status = Config { max_messages_per_subject: 1, max_age: STATUS_LIFETIME, ..Config::default() };
    for config in [
        named(TASKS, &["quarterply.task.>"], &tasks),
        named(RESULTS, &["quarterply.found.>"], &found),
        named(STATUS, &["quarterply.worker.*", "quarterply.run.*"], &status),
    ] {
        let action = format!("create the stream {}", config.name);
        js.get_or_create_stream(config).await.map_err(|error| NatsError::server(&action, &error))?;
    }
    Ok(())
}

/// A stream of ours.
pub(crate) async fn stream(js: &Context, name: &str) -> Result<Stream, NatsError> {
    js.get_stream(name).await.map_err(|error| NatsError::server(&format!("open the stream {name}"), &error))
}

/// Deletes the messages of a stream under a filter. A request that is lost while the server restarts is repeated: deleting twice does no
/// harm.
pub(crate) async fn purge(js: &Context, name: &str, filter: &str) -> Result<(), NatsError> {
    let stream = js
        .get_stream_no_info(name)
        .await
        .map_err(|error| NatsError::server(&format!("open the stream {name}"), &error))?;
    let request = retry_fn(|| stream.purge().filter(filter).into_future()).retries(PURGE_RETRIES);
    let purged = request.custom_backoff(|_, error: &PurgeError| policy(&error.kind())).await;
    purged.map(drop).map_err(|error| NatsError::server("delete the data of the run", &error))
}

/// Retries requests without an answer; a request that JetStream refuses would be refused again.
fn policy(kind: &PurgeErrorKind) -> RetryPolicy {
    match kind {
        PurgeErrorKind::TimedOut | PurgeErrorKind::Request => RetryPolicy::Delay(RETRY_INTERVAL),
        PurgeErrorKind::JetStream(_) => RetryPolicy::Break,
    }
}

/// The number of messages of a stream for each subject under a filter.
pub(crate) async fn subjects(js: &Context, name: &str, filter: &str) -> Result<Vec<(String, u64)>, NatsError> {
    let failed = |error: &dyn std::error::Error| NatsError::server(&format!("read the stream {name}"), error);
    let listed = stream(js, name).await?.info_with_subjects(filter).await.map_err(|error| failed(&error))?;
    let all: Vec<(String, usize)> = listed.try_collect().await.map_err(|error| failed(&error))?;
    Ok(all.into_iter().map(|(subject, count)| (subject, count as u64)).collect())
}

/// The result of publishing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It was stored.
    New,
    /// There is a message of this subject, or with this identity.
    Known,
    /// It is too large to be stored.
    TooLarge,
}

/// Publishes until the server has the message: it waits for a server that restarts or whose disk is full.
pub(crate) async fn publish(
    js: &Context,
    messages: &Messages,
    subject: String,
    identity: &str,
    payload: Bytes,
) -> Stored {
    for tries in 1.. {
        let mut headers = HeaderMap::new();
        if !identity.is_empty() {
            headers.insert(async_nats::header::NATS_MESSAGE_ID, identity);
        }
        let error = match js.publish_with_headers(subject.clone(), headers, payload.clone()).await {
            Err(error) => error,
            Ok(acknowledged) => match acknowledged.await {
                Ok(stored) => return if stored.duplicate { Stored::Known } else { Stored::New },
                Err(error) => error,
            },
        };
        let reason = chain(&error);
        if reason.contains("per subject") {
            return Stored::Known;
        }
        if is_too_large(&error, &reason) {
            return Stored::TooLarge;
        }
        if tries % QUIET_TRIES == 0 {
            messages
                .push(format!("cannot store {subject} on the NATS server: {reason}; trying again (is its disk full?)"));
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
    Stored::TooLarge
}

fn is_too_large(error: &PublishError, reason: &str) -> bool {
    use async_nats::jetstream::context::PublishErrorKind::MaxPayloadExceeded;
    error.kind() == MaxPayloadExceeded || reason.contains("message size exceeds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_connection_names_the_missing_credentials() {
        let error = |kind: io::ErrorKind| io::Error::new(kind, "no");
        let io = |kind| remedy(ConnectErrorKind::Io, Some(&error(kind)), false);
        assert_eq!(io(io::ErrorKind::InvalidData), CERTIFICATES);
        assert_eq!(io(io::ErrorKind::ConnectionRefused), START);
        assert_eq!(remedy(ConnectErrorKind::Tls, None, false), CERTIFICATES);
        assert_eq!(remedy(ConnectErrorKind::ServerParse, None, true), ADDRESS);
        for (has_credentials, expected) in [(false, CREDENTIALS), (true, OTHER_CREDENTIALS)] {
            assert_eq!(remedy(ConnectErrorKind::AuthorizationViolation, None, has_credentials), expected);
        }
    }

    /// A server of one connection that leaves `silent` requests without an answer, as a restarting one may, and sends `answer` to
    /// the others. Returns the number of requests.
    fn answering(listener: &std::net::TcpListener, silent: usize, answer: &str) -> io::Result<usize> {
        use std::io::{BufRead, BufReader, Write};
        let mut stream = listener.accept()?.0;
        let info = r#"{"server_id":"x","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}"#;
        stream.write_all(format!("INFO {info}\r\n").as_bytes())?;
        let (mut lines, mut requests) = (BufReader::new(stream.try_clone()?).lines(), 0);
        let mut inbox = String::new();
        while let Some(Ok(line)) = lines.next() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["SUB", _, number] => number.clone_into(&mut inbox),
                ["PING"] => stream.write_all(b"PONG\r\n")?,
                ["PUB", "$JS.API.STREAM.PURGE.SOME", reply, _] => {
                    requests += 1;
                    assert_eq!(lines.next().transpose()?.as_deref(), Some(r#"{"filter":"some.of.it"}"#));
                    if requests > silent {
                        let message = format!("MSG {reply} {inbox} {}\r\n{answer}\r\n", answer.len());
                        stream.write_all(message.as_bytes())?;
                    }
                }
                _ => {}
            }
        }
        Ok(requests)
    }

    /// The result of a purge at such a server, and the number of requests.
    fn purged(silent: usize, answer: &'static str) -> (Result<(), NatsError>, usize) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = listener.local_addr().expect("an address").to_string();
        let server = std::thread::spawn(move || answering(&listener, silent, answer));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let purged = runtime.block_on(async {
            let mut js = jetstream::new(async_nats::connect(url).await.expect("a connection"));
            js.set_timeout(Duration::from_millis(100));
            purge(&js, "SOME", "some.of.it").await
        });
        drop(runtime);
        (purged, server.join().expect("no wrong request").expect("a connection"))
    }

    const DONE: &str = r#"{"success":true,"purged":1}"#;

    #[test]
    fn a_lost_purge_request_is_repeated() {
        assert_eq!(purged(0, DONE), (Ok(()), 1));
        assert_eq!(purged(2, DONE), (Ok(()), 3));
    }

    #[test]
    fn a_purge_fails_if_the_server_stays_silent() {
        let (purged, requests) = purged(usize::MAX, DONE);
        assert_eq!(requests, 1 + PURGE_RETRIES as usize);
        assert!(purged.is_err_and(|error| {
            error.to_string().contains("cannot delete the data of the run on the NATS server: timed out")
        }));
    }

    #[test]
    fn a_purge_that_jetstream_refuses_is_not_repeated() {
        let (purged, requests) =
            purged(1, r#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#);
        assert_eq!(requests, 2);
        assert!(purged.is_err_and(|error| error.to_string().contains("stream not found")));
    }
}
