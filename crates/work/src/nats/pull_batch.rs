//! A request for messages that ends when its time is over, with or without an end marker of the server.

use futures_util::{Stream, StreamExt};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A request counts as ended this long after its time, or after a message. The server sends an end marker, but not if a message arrives
/// at the moment at which the time is over (2.9.10); the client library then waits five seconds more.
const GRACE: Duration = Duration::from_millis(300);

/// The messages of one request.
pub(crate) struct PullBatch<S> {
    messages: S,
    deadline: Instant,
    /// True if no end marker was received: more messages may be in flight.
    pub is_overdue: bool,
}

impl<S: Stream + Unpin> PullBatch<S> {
    /// A request that was made just now and stays open for this time.
    pub fn new(messages: S, open: Duration) -> PullBatch<S> {
        PullBatch { messages, deadline: Instant::now() + open + GRACE, is_overdue: false }
    }

    /// The next message; `None` when the request has ended.
    pub async fn next(&mut self) -> Option<S::Item> {
        let Ok(next) = timeout_at(self.deadline, self.messages.next()).await else {
            self.is_overdue = true;
            return None;
        };
        self.deadline = self.deadline.max(Instant::now() + GRACE);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream::{iter, pending};

    /// Returns the received messages, whether an end marker came, and the time until then.
    fn read(messages: impl Stream<Item = u32> + Unpin) -> (Vec<u32>, bool, Duration) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let begin = Instant::now();
            let mut request = PullBatch::new(messages, Duration::from_millis(100));
            let mut found = Vec::new();
            while let Some(message) = request.next().await {
                found.push(message);
            }
            (found, request.is_overdue, begin.elapsed())
        })
    }

    #[test]
    fn an_end_marker_ends_the_request_immediately() {
        let (found, overdue, took) = read(iter([1, 2]));
        assert_eq!((found, overdue), (vec![1, 2], false));
        assert!(took < GRACE, "{took:?}");
    }

    #[test]
    fn without_an_end_marker_the_request_ends_soon() {
        let (found, overdue, took) = read(iter([1, 2]).chain(pending()));
        assert_eq!((found, overdue), (vec![1, 2], true));
        assert!(took >= Duration::from_millis(100) + GRACE && took < Duration::from_secs(4), "{took:?}");
    }
}
