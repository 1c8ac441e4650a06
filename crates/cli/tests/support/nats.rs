//! A NATS server and its workers for one test; all are killed when the test ends.
#![allow(dead_code, reason = "every test file takes what it needs")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use super::{program, words};

/// Where it is set, a machine without a server fails the tests that need one.
const REQUIRED: &str = "QUARTERPLY_NATS_REQUIRED";
/// Path of the server on Debian, which is not in every user's PATH.
const PLACES: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];
/// How long anything may take.
const TIMEOUT: Duration = Duration::from_secs(180);
const LOOK: Duration = Duration::from_millis(20);

/// A process that does not outlive the test.
pub struct OwnedChild {
    process: Child,
    /// What it says.
    log: PathBuf,
}

impl OwnedChild {
    /// Ends it as a failure of power would.
    pub fn kill(mut self) {
        self.process.kill().and_then(|()| self.process.wait()).expect("it is ours");
    }

    /// Sends it a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.process.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{name}");
    }

    /// Waits for its end, which must have this exit code: what it said.
    #[track_caller]
    pub fn ends(&mut self, code: i32) -> String {
        let (ended, said) = self.outcome();
        assert_eq!(ended, Some(code), "{said}");
        said
    }

    /// Waits for its end: its exit code, and what it said.
    pub fn outcome(&mut self) -> (Option<i32>, String) {
        let code = wait(|| self.ended()).flatten();
        (code, std::fs::read_to_string(&self.log).expect("its log"))
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<Option<i32>> {
        self.process.try_wait().expect("it is ours").map(|status| status.code())
    }
}

impl Drop for OwnedChild {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until there is something; nothing if it takes too long.
pub fn wait<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begin = Instant::now();
    while begin.elapsed() < TIMEOUT {
        if let Some(found) = look() {
            return Some(found);
        }
        sleep(LOOK);
    }
    None
}

/// A server with separate files on a free port.
pub struct Server {
    folder: PathBuf,
    port: u16,
    program: &'static str,
    /// Further lines of its configuration.
    configuration: String,
    process: Option<OwnedChild>,
}

impl Server {
    /// Starts a server in this folder; `None`, with a message, if the program is not installed.
    pub fn start(folder: &Path) -> Option<Server> {
        Server::configured(folder, "")
    }

    /// The same with something in its configuration.
    pub fn configured(folder: &Path, configuration: &str) -> Option<Server> {
        let answers = |program: &&str| {
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        };
        let Some(program) = PLACES.into_iter().find(answers) else {
            assert!(std::env::var_os(REQUIRED).is_none(), "nats-server is not installed, and {REQUIRED} is set");
            eprintln!("skipped: nats-server is not installed");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let configuration = configuration.to_owned();
        let mut server = Server { folder: folder.to_owned(), port, program, configuration, process: None };
        server.up();
        Some(server)
    }

    /// Starts the server with the files that it has.
    pub fn up(&mut self) {
        let log = self.folder.join("server.log");
        let configuration = self.folder.join("server.conf");
        std::fs::write(&configuration, &self.configuration).expect("written");
        let child = Command::new(self.program)
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(self.folder.join("streams"))
            .arg("-c")
            .arg(configuration)
            .stdout(Stdio::null())
            .stderr(File::create(&log).expect("a log"))
            .spawn();
        let mut process = OwnedChild { process: child.expect("the server starts"), log };
        wait(|| {
            assert!(process.ended().is_none(), "the server ends: {}", self.log("server.log"));
            TcpStream::connect(("127.0.0.1", self.port)).ok()
        })
        .expect("the server listens");
        self.process = Some(process);
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

    /// Starts this program with the server.
    pub fn run(&self, call: &[impl AsRef<OsStr>], log: &str) -> OwnedChild {
        self.run_over(&self.url(), call, log)
    }

    /// Starts our program, which finds the server at this place.
    pub fn run_over(&self, url: &str, call: &[impl AsRef<OsStr>], log: &str) -> OwnedChild {
        self.run_knowing(&[], url, call, log)
    }

    /// The same with these variables in its environment.
    pub fn run_knowing(&self, known: &[(&str, &str)], url: &str, call: &[impl AsRef<OsStr>], log: &str) -> OwnedChild {
        let log = self.folder.join(log);
        let file = File::create(&log).expect("a log");
        let child = Command::new(program())
            .args(call)
            .args(["--nats", url])
            .env("XDG_CACHE_HOME", &self.folder)
            .env("QUARTERPLY_LEASE", "2")
            .envs(known.iter().copied())
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a log"))
            .stderr(file)
            .spawn();
        OwnedChild { process: child.expect("the program starts"), log }
    }

    /// A worker with one thread.
    pub fn worker(&self, name: &str) -> OwnedChild {
        self.run(&words!("worker --workers 1 --name {name}"), &format!("{name}.log"))
    }

    /// What a process said.
    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }
}

/// A small disk in memory, mounted at a folder; only root can have one.
pub struct Disk(PathBuf);

impl Disk {
    /// Mounts a file system of this number of MiB; `None`, with a message, if that is not allowed.
    pub fn mount(folder: PathBuf, size: u32) -> Option<Disk> {
        std::fs::create_dir_all(&folder).expect("a folder");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}m"), "tmpfs"]).arg(&folder).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Disk(folder));
        }
        eprintln!("skipped: no disk can be mounted here");
        None
    }

    /// Writes until nothing more goes onto it.
    pub fn fill(&self) {
        let mut file = File::create(self.0.join("filling")).expect("a file");
        while file.write_all(&[0; 512]).is_ok() {}
    }

    /// Makes room again.
    pub fn clear(&self) {
        std::fs::remove_file(self.0.join("filling")).expect("it is there");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// State shared by a proxy and the threads that forward its bytes.
#[derive(Default)]
struct ProxyState {
    cut: AtomicBool,
    silent: AtomicBool,
    ends: Mutex<Vec<TcpStream>>,
}

impl ProxyState {
    /// Forwards bytes from one side to the other until one of them ends.
    fn forward(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = vec![0; 65_536];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            while self.silent.load(Ordering::Relaxed) {
                sleep(LOOK);
            }
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

/// A TCP proxy of a server. It can cut its connections, and it can forward nothing without cutting them.
pub struct TcpProxy {
    state: Arc<ProxyState>,
    port: u16,
}

impl TcpProxy {
    /// Starts a proxy of a server.
    pub fn to(server: &Server) -> TcpProxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a port").port();
        let (state, address) = (Arc::new(ProxyState::default()), server.address());
        let shared = Arc::clone(&state);
        spawn(move || {
            for near in listener.incoming().flatten().filter(|_| !shared.cut.load(Ordering::Relaxed)) {
                let Ok(far) = TcpStream::connect(address) else { continue };
                let two = || Some((near.try_clone().ok()?, far.try_clone().ok()?));
                let (Some((a, b)), Some((c, d)), Some((e, f))) = (two(), two(), two()) else { continue };
                shared.ends.lock().unwrap_or_else(PoisonError::into_inner).extend([e, f]);
                let (there, back) = (Arc::clone(&shared), Arc::clone(&shared));
                spawn(move || there.forward(a, b));
                spawn(move || back.forward(d, c));
            }
        });
        TcpProxy { state, port }
    }

    /// Where it begins.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Cuts every connection, and lets none be made for a while.
    pub fn cut(&self, time: Duration) {
        self.state.cut.store(true, Ordering::Relaxed);
        for end in self.state.ends.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
        sleep(time);
        self.state.cut.store(false, Ordering::Relaxed);
    }

    /// Forwards nothing for a while, without closing the connection.
    pub fn silence(&self, time: Duration) {
        self.state.silent.store(true, Ordering::Relaxed);
        sleep(time);
        self.state.silent.store(false, Ordering::Relaxed);
    }
}
