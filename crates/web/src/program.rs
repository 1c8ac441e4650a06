//! The program behind the exports: requests as bytes, answers as bytes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(target_arch = "wasm32")]
use quarterply_engine::clock::hosted::ClockSource;
use quarterply_engine::params::Parameters;
use quarterply_engine::search::pool::Control;
use quarterply_files::bench;
use quarterply_uci::server::{InlineServer, ServerHost};
use quarterply_uci::settings::UciSettings;
use quarterply_window::session::{self, Reply, RequestError, Session, Status};
use quarterply_window::trace::PartialTraces;
use quarterply_window::tutorial::PageLocation;

use crate::{host, lock};

/// Time between two polls of the host during a search.
pub const POLL_EVERY: Duration = Duration::from_millis(40);
/// Time between two parts of a recording. A search that is ended from outside loses at most this part.
pub const PART_EVERY: Duration = Duration::from_millis(200);

/// The kind of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Code {
    /// JSON.
    Json = 0,
    /// A page.
    Html = 1,
    /// The request makes no sense; the answer is JSON with the reason, as for the next two.
    Bad = 2,
    /// No request has this name.
    NotFound = 3,
    /// The request comes at the wrong time.
    Conflict = 4,
    /// The engine has received `quit`.
    Quit = 5,
}

/// The running searches, for [`Watcher::poll_host`].
#[derive(Default)]
struct Watcher {
    /// The session and the name of the request that it carries out.
    session: Option<(Arc<Session>, String)>,
    /// The control of the engine's search.
    control: Option<Control>,
}

static WATCHER: Mutex<Watcher> = Mutex::new(Watcher { session: None, control: None });

/// The signal that ends a search.
#[cfg(any(test, target_arch = "wasm32"))]
const STOP: u32 = 1;
/// The signal that the expected move was played.
#[cfg(any(test, target_arch = "wasm32"))]
const PONDER_HIT: u32 = 2;

#[cfg(any(test, target_arch = "wasm32"))]
impl Watcher {
    /// Sends the progress of the request to the host and obeys its signals.
    fn poll_host(&self, signals: impl FnOnce(&str) -> u32) {
        let progress = self.session.as_ref().and_then(|(session, name)| session.get(name, "").ok());
        let signals = signals(match &progress {
            Some(Reply::Json(text)) => text,
            _ => "",
        });
        if signals & STOP != 0 {
            if let Some((session, _)) = &self.session {
                session.stop();
            }
            if let Some(control) = &self.control {
                control.stop();
            }
        }
        // Once: the clock starts with it.
        if signals & PONDER_HIT != 0
            && let Some(control) = &self.control
            && control.pondering()
        {
            control.ponder_hit();
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn now() -> Duration {
    Duration::from_secs_f64(host::milliseconds() / 1000.0)
}

/// Polls the host if it is time.
#[cfg(target_arch = "wasm32")]
fn poll_host_if_due() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static NEXT_POLL: AtomicU64 = AtomicU64::new(0);
    let now = now().as_micros() as u64;
    if now >= NEXT_POLL.load(Relaxed) {
        lock(&WATCHER).poll_host(host::signals);
        NEXT_POLL.store(now + POLL_EVERY.as_micros() as u64, Relaxed);
    }
}

/// Sends the lines of the engine to the host.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        String::from_utf8_lossy(&self.0).lines().for_each(host::send_line);
        self.0.clear();
        Ok(())
    }
}

/// The session of the page and the engine.
pub struct Program {
    session: Arc<Session>,
    uci: Option<InlineServer>,
}

impl Default for Program {
    /// A program that has searched nothing.
    fn default() -> Program {
        #[cfg(target_arch = "wasm32")]
        {
            let source = ClockSource { now, during_search: poll_host_if_due };
            quarterply_engine::clock::hosted::set_source(source);
            std::panic::set_hook(Box::new(|panic| host::report_panic(&panic.to_string())));
        }
        let options = session::SessionOptions {
            view: None,
            played: None,
            search: Box::new(|request, control| {
                session::record(request, control, Some(PartialTraces::new(PART_EVERY, host::send_part)))
            }),
            spawn: Box::new(|_, task| {
                task();
                Ok(())
            }),
            home: PageLocation::Site,
        };
        Program { session: Session::new(options), uci: None }
    }
}

impl Program {
    /// Carries out a request: its first line is the action, the rest its content.
    pub fn call(&mut self, request: &[u8]) -> (Code, Vec<u8>) {
        let end = request.iter().position(|&byte| byte == b'\n').unwrap_or(request.len());
        let content = request.get(end + 1..).unwrap_or_default();
        let head = String::from_utf8_lossy(&request[..end]);
        let (verb, name) = head.split_once(' ').unwrap_or((&head, ""));
        let text = || String::from_utf8_lossy(content);
        match verb {
            "GET" => {
                let (name, query) = name.split_once('?').unwrap_or((name, ""));
                coded(self.session.get(name, query))
            }
            "POST" => {
                lock(&WATCHER).session = Some((self.session.clone(), name.to_owned()));
                let answer = self.session.post(name, &text());
                lock(&WATCHER).session = None;
                coded(answer)
            }
            "TRACE" => coded(self.session.show_trace(content.to_vec())),
            "UCI" => {
                let goes_on = self.uci.get_or_insert_with(engine).handle_line(&text());
                (if goes_on { Code::Json } else { Code::Quit }, Vec::new())
            }
            "BENCH" => coded(run_bench(name)),
            _ => coded(Err(RequestError::bad(format!(
                "`{verb}` is not a valid request: expected GET, POST, TRACE, UCI or BENCH"
            )))),
        }
    }
}

fn coded(answer: Result<Reply, RequestError>) -> (Code, Vec<u8>) {
    match answer {
        Ok(Reply::Json(text)) => (Code::Json, text.into_bytes()),
        Ok(Reply::Html(text)) => (Code::Html, text.into_bytes()),
        Err(refused) => {
            let code = match refused.status {
                Status::Bad => Code::Bad,
                Status::NotFound => Code::NotFound,
                Status::Conflict => Code::Conflict,
            };
            (code, refused.json().into_bytes())
        }
    }
}

/// The nodes of the bench.
fn run_bench(depth: &str) -> Result<Reply, RequestError> {
    let depth = if depth.is_empty() { Ok(bench::DEPTH_DEFAULT) } else { depth.parse() };
    let depth = depth.map_err(|error| RequestError::bad(format!("cannot read the depth of the bench: {error}")))?;
    Ok(Reply::Json(bench::signature(&Parameters::default(), depth, usize::MAX).to_string()))
}

fn engine() -> InlineServer {
    let host = ServerHost {
        name: concat!("Quarterply ", env!("CARGO_PKG_VERSION")).into(),
        author: env!("CARGO_PKG_AUTHORS").into(),
        parameters: Parameters::default(),
        bench: Arc::new(uci_bench),
        profiles: Arc::new(|path| Err(format!("cannot read `{path}`: this build has no access to files"))),
        show_parameters: false,
        genfens: Arc::new(|_, _| Err("cannot draw openings: only the program for the command line can".to_owned())),
    };
    InlineServer::new(Lines::default(), host, |control| lock(&WATCHER).control = Some(control.clone()))
}

/// Searches the bench's positions; the last line is the signature and the speed.
fn uci_bench(settings: &UciSettings, depth: Option<u32>, control: &Control, write: &mut dyn FnMut(&str)) {
    let depth = depth.unwrap_or(bench::DEPTH_DEFAULT);
    let total = bench::run_until(&settings.parameters, depth, usize::MAX, control, &mut |_| ());
    write(&total.map_or("info string the bench was stopped".to_owned(), |total| total.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose answers are taken apart.
    struct TestProgram(Program);

    impl TestProgram {
        fn call(&mut self, request: &str) -> (Code, String) {
            let (code, answer) = self.0.call(request.as_bytes());
            (code, String::from_utf8(answer).expect("text"))
        }
    }

    #[test]
    fn requests_are_answered_with_their_codes() {
        let mut program = TestProgram(Program::default());
        for (request, code, expected) in [
            ("GET about", Code::Json, "\"tree\":1"),
            ("GET children?tree=1&row=0&count=9", Code::Json, "\"rows\""),
            ("GET children?tree=2&row=0", Code::Conflict, "another tree"),
            ("GET children?tree=x", Code::Bad, "cannot read `tree=x`"),
            ("GET nothing", Code::NotFound, "`nothing` is not a valid request"),
            ("POST search\nnonsense", Code::Bad, "cannot read the request"),
            ("POST search\n{\"fen\": \"rubbish\"}", Code::Bad, "rubbish"),
            ("TRACE\nnot a trace", Code::Bad, "trace"),
            ("BENCH x", Code::Bad, "depth"),
            ("DANCE", Code::Bad, "`DANCE` is not a valid request"),
            ("", Code::Bad, "is not a valid request"),
            ("UCI\nnonsense", Code::Json, ""),
            ("UCI\nquit", Code::Quit, ""),
        ] {
            let (found, answer) = program.call(request);
            assert_eq!(found, code, "{request}: {answer}");
            assert!(answer.contains(expected), "{request}: {answer}");
        }
    }

    #[test]
    fn a_search_ends_with_its_request() {
        let mut program = TestProgram(Program::default());
        let search = r#"POST search
{"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "nodes": 2000}"#;
        assert_eq!(program.call(search).0, Code::Json);
        assert!(program.call("GET about").1.contains("\"tree\":2"));
        assert!(program.call("GET search").1.contains("\"running\":false"));
    }

    #[test]
    fn signals_of_the_host_stop_a_search() {
        let control = Control::new(true);
        let watcher = Watcher { session: None, control: Some(control.clone()) };
        watcher.poll_host(|_| 0);
        assert!(!control.stopped() && control.pondering());
        watcher.poll_host(|_| PONDER_HIT);
        assert!(!control.stopped() && !control.pondering());
        watcher.poll_host(|_| STOP);
        assert!(control.stopped());
    }

    #[test]
    fn progress_is_reported_to_the_host() {
        let session = Program::default().session;
        let watcher = Watcher { session: Some((session, "search".to_owned())), control: None };
        let mut reported = String::new();
        watcher.poll_host(|progress| {
            reported = progress.to_owned();
            0
        });
        assert!(reported.contains("\"running\":false"), "{reported}");
    }
}
