//! Silent connections are closed, so that half-open and abandoned ones do not accumulate.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// A listener whose connections are closed when nothing was read or written for some time and no answer is being made.
pub struct TimeoutListener {
    listener: TcpListener,
    timeout: Duration,
    answers: Weak<()>,
}

impl TimeoutListener {
    /// Closes connections that are silent for `timeout`. Every answer that is being made has a clone of `answers`.
    pub fn new(listener: TcpListener, timeout: Duration, answers: &Arc<()>) -> TimeoutListener {
        TimeoutListener { listener, timeout, answers: Arc::downgrade(answers) }
    }
}

impl Listener for TimeoutListener {
    type Io = TimeoutStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TimeoutStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let (timeout, answers) = (self.timeout, self.answers.clone());
        (TimeoutStream { stream, timeout, timer: Box::pin(sleep(timeout)), answers }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection and the time left until it is closed.
pub struct TimeoutStream {
    stream: TcpStream,
    timeout: Duration,
    timer: Pin<Box<Sleep>>,
    answers: Weak<()>,
}

impl TimeoutStream {
    /// The result of reading or writing; a timeout is an error.
    fn check_timeout<T>(&mut self, result: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        /// Owners of `answers` while no answer is being made: the server itself.
        const OWNERS_IDLE: usize = 1;
        if result.is_ready() {
            self.restart();
            return result;
        }
        while self.timer.as_mut().poll(context).is_ready() {
            if self.answers.strong_count() <= OWNERS_IDLE {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.restart();
        }
        Poll::Pending
    }

    fn restart(&mut self) {
        let end = Instant::now() + self.timeout;
        self.timer.as_mut().reset(end);
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(context, into);
        self.check_timeout(result, context)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_timeout(result, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::time::timeout;

    /// The server reads from a connection while it makes an answer, so the timeout must not end slow answers.
    #[test]
    fn a_connection_stays_open_while_an_answer_is_made() {
        const TIMEOUT: Duration = Duration::from_millis(30);
        const LONG: Duration = Duration::from_millis(150);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("an address");
            let answers = Arc::new(());
            let mut listener = TimeoutListener::new(listener, TIMEOUT, &answers);
            let _reader = TcpStream::connect(address).await.expect("it listens");
            let (mut stream, _) = Listener::accept(&mut listener).await;
            let mut bytes = [0];
            let mut buffer = ReadBuf::new(&mut bytes);
            let mut read = poll_fn(|context| Pin::new(&mut stream).poll_read(context, &mut buffer));
            let answering = answers.clone();
            assert!(timeout(LONG, &mut read).await.is_err(), "closed before its answer");
            drop(answering);
            let closed = read.await.expect_err("a silent connection is closed");
            assert_eq!(closed.kind(), io::ErrorKind::TimedOut);
        });
    }
}
