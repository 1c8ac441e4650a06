//! A server in this process, talked to through pipes.

mod host;

use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quarterply_uci::server::serve;

pub use host::{ENDLESS_GENFENS, LONG_BENCH, host};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long silence is listened to.
const QUIET: Duration = Duration::from_millis(300);

/// A GUI's end of the conversation.
pub struct TestClient {
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    server: Option<JoinHandle<std::io::Result<()>>>,
}

impl TestClient {
    /// Starts a server.
    pub fn new() -> TestClient {
        TestClient::through(|output| output)
    }

    /// Starts a server that writes through something else.
    pub fn through<W: Write + Send + 'static>(wrap: impl FnOnce(PipeWriter) -> W) -> TestClient {
        let (input, sender) = pipe().expect("a pipe");
        let (receiver, output) = pipe().expect("a pipe");
        let output = wrap(output);
        let server = thread::spawn(move || serve(BufReader::new(input), output, host()));
        let (forward, lines) = channel();
        thread::spawn(move || {
            BufReader::new(receiver).lines().map_while(Result::ok).try_for_each(|line| forward.send(line))
        });
        TestClient { input: Some(sender), lines, server: Some(server) }
    }

    /// Sends lines.
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    /// Sends bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("the input is open").write_all(bytes).expect("the server reads");
    }

    /// Lines up to the first that starts with `word`.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let deadline = Instant::now() + TIMEOUT;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = line.split(' ').next() == Some(word);
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                Err(error) => panic!("{error}: no {word} after {lines:?}"),
            }
        }
    }

    /// All lines up to the next `readyok`, which is left out.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends lines that end in a `go` and returns the output up to `bestmove`.
    pub fn go(&mut self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.until("bestmove")
    }

    /// The output of a short time.
    pub fn lines_within(&mut self, time: Duration) -> Vec<String> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return lines,
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone; it said {lines:?}"),
            }
        }
    }

    /// No `bestmove` comes for a while.
    pub fn no_answer(&mut self, when: &str) -> Vec<String> {
        let lines = self.lines_within(QUIET);
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{when}: {lines:?}");
        lines
    }

    /// Ends the input and waits for the server to end.
    pub fn close_input(&mut self) {
        self.input = None;
        self.ended();
    }

    /// Waits for the server to end.
    pub fn ended(&mut self) {
        let server = self.server.take().expect("not yet ended");
        let deadline = Instant::now() + TIMEOUT;
        while !server.is_finished() {
            assert!(Instant::now() < deadline, "the server is still running");
            thread::sleep(Duration::from_millis(5));
        }
        server.join().expect("no panic").expect("no error");
    }
}

/// The move of the last line.
pub fn best(lines: &[String]) -> String {
    lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or("").to_owned()
}

/// Does any line contain `text`?
pub fn any(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}
