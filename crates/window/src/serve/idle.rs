//! Connections that fall silent are closed: one that is only half opened, or left open by a reader who has gone, must not stay
//! for ever.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// A listener whose connections are closed once nothing was read or written for some time.
pub struct TimeoutListener {
    listener: TcpListener,
    patience: Duration,
}

impl TimeoutListener {
    /// Closes connections that are silent for so long.
    pub fn new(listener: TcpListener, patience: Duration) -> TimeoutListener {
        TimeoutListener { listener, patience }
    }
}

impl Listener for TimeoutListener {
    type Io = TimeoutStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TimeoutStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (TimeoutStream { stream, patience: self.patience, timer: Box::pin(sleep(self.patience)) }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection and the time it has left to say something.
pub struct TimeoutStream {
    stream: TcpStream,
    patience: Duration,
    timer: Pin<Box<Sleep>>,
}

impl TimeoutStream {
    /// What came of reading or writing; waiting too long is an error.
    fn judge<T>(&mut self, found: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if found.is_ready() {
            let end = Instant::now() + self.patience;
            self.timer.as_mut().reset(end);
            return found;
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let found = Pin::new(&mut self.stream).poll_read(context, into);
        self.judge(found, context)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let found = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(found, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
