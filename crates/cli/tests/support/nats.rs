//! A NATS server and workers of its own for a test; everything is killed when it ends.
#![allow(dead_code, reason = "every test file takes what it needs")]

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::program;

/// Where it is set, a machine without a server fails the tests that need one.
const REQUIRED: &str = "QUARTERPLY_NATS_REQUIRED";
/// Where the server of Debian lies, which is not on everybody's path.
const PLACES: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(180);
const LOOK: Duration = Duration::from_millis(20);

/// A process that does not outlive the test.
pub struct Owned(Child);

impl Owned {
    /// Ends it as a failure of power would.
    pub fn kill(mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it is ours");
    }

    /// Sends it a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.0.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{name}");
    }

    /// Waits for its end.
    pub fn code(&mut self) -> Option<i32> {
        wait(|| self.0.try_wait().expect("it is ours").map(|status| status.code())).flatten()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until there is something; nothing if it takes too long.
pub fn wait<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(found) = look() {
            return Some(found);
        }
        sleep(LOOK);
    }
    None
}

/// A server with files of its own on a free port.
pub struct Server {
    folder: PathBuf,
    port: u16,
    program: &'static str,
    process: Option<Owned>,
}

impl Server {
    /// Starts one in this folder; nothing, with a word, where there is no such program.
    pub fn start(folder: &Path) -> Option<Server> {
        let answers = |program: &&str| {
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        };
        let Some(program) = PLACES.into_iter().find(answers) else {
            assert!(std::env::var_os(REQUIRED).is_none(), "there is no nats-server, and {REQUIRED} is set");
            eprintln!("skipped: there is no nats-server on this machine");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let mut server = Server { folder: folder.to_owned(), port, program, process: None };
        server.up();
        Some(server)
    }

    /// Starts the server with the files that it has.
    pub fn up(&mut self) {
        let log = File::create(self.folder.join("server.log")).expect("a log");
        let child = Command::new(self.program)
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(self.folder.join("streams"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.process = Some(Owned(child.expect("the server starts")));
        wait(|| TcpStream::connect(("127.0.0.1", self.port)).ok()).expect("the server listens");
    }

    /// Kills it.
    pub fn down(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    /// Where it listens.
    pub fn address(&self) -> (&'static str, u16) {
        ("127.0.0.1", self.port)
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts our program beside it.
    pub fn run(&self, arguments: &[&str], log: &str) -> Owned {
        let log = File::create(self.folder.join(log)).expect("a log");
        let child = Command::new(program())
            .args(arguments)
            .args(["--nats", &self.url()])
            .env("XDG_CACHE_HOME", &self.folder)
            .env("QUARTERPLY_LEASE", "2")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn();
        Owned(child.expect("the program starts"))
    }

    /// A worker with one thread.
    pub fn worker(&self, name: &str) -> Owned {
        self.run(&["worker", "--workers", "1", "--name", name], &format!("{name}.log"))
    }

    /// What a process said.
    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }
}
