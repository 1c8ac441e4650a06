//! The page on a local server: trees too large for a file, and searches on demand.
//!
//! The server listens on the loopback interface only, and answers only requests that its own page makes (see `guard`): pages here,
//! questions and searches by its [`Session`]. Searches run on separate threads.

mod guard;
mod idle;

pub use crate::session::{SearchFn, SearchRequest};

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, StringRejection};
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use thiserror::Error;

use idle::TimeoutListener;
use quarterply_engine::search::pool::STACK;

use crate::html;
use crate::model_search::ModelSetup;
use crate::session::{self, Reply, RequestError, Session, Status, record};
use crate::tutorial::PageLocation;
use crate::view::View;

/// The largest request body in bytes: a position and a list of switches.
const BODY_MAX: usize = 64 << 10;

/// The largest text with a position that the page may send, in bytes: a game with its comments, or some thousand games.
const POSITION_MAX: usize = 4 << 20;

/// The largest trace that the page may send, in bytes.
const TRACE_MAX: usize = 1 << 30;

/// A connection is closed after this time without data. Browsers open a new one when they need it.
const SILENCE: Duration = Duration::from_secs(30);
/// A search is stopped if its page does not ask for it for this time. Pages ask several times a second, or once in the background.
const ABSENCE: Duration = Duration::from_secs(10);

/// Reason why the server does not run.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The port is taken or not allowed.
    #[error("cannot use port {port}: {reason}; omit --port to get a free one")]
    Port {
        /// The port that was asked for.
        port: u16,
        /// The error of the system.
        reason: io::Error,
    },
    /// The system refused something else.
    #[error("cannot run the server: {0}")]
    System(#[from] io::Error),
}

/// Settings of a server.
pub struct ServeOptions {
    /// The port; a free one if 0.
    pub port: u16,
    /// Open the page in the browser of the system.
    pub open: bool,
    /// The tree shown first.
    pub view: Option<View>,
    /// A model that the page may change and search again.
    pub played: Option<ModelSetup>,
    /// Executes the searches of the page.
    pub search: Box<SearchFn>,
    /// Connections without data for this time are closed.
    pub silence: Duration,
    /// A search is stopped if its page does not ask for it for this time.
    pub absence: Duration,
    /// Receives the address of the page when the server is ready.
    pub announce: Box<dyn FnOnce(&str) + Send>,
}

impl Default for ServeOptions {
    /// A free port, no tree yet, and the recorder to search with.
    fn default() -> ServeOptions {
        ServeOptions {
            port: 0,
            open: false,
            view: None,
            played: None,
            search: Box::new(|request, control| record(request, control, None)),
            silence: SILENCE,
            absence: ABSENCE,
            announce: Box::new(|_| ()),
        }
    }
}

/// The state that all requests share.
struct ServerState {
    session: Arc<Session>,
    key: String,
    port: u16,
    /// Every answer that is being made has a clone.
    answers: Arc<()>,
}

/// Serves until Ctrl-C.
///
/// # Errors
/// [`ServeError`] when the port cannot be used.
pub fn run(options: ServeOptions) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .map_err(|reason| ServeError::Port { port: options.port, reason })?;
        let port = listener.local_addr()?.port();
        let url = format!("http://127.0.0.1:{port}/");
        let ServeOptions { open, view, played, search, silence, absence, announce, .. } = options;
        let session = Session::new(session::SessionOptions {
            view,
            played,
            search,
            spawn: Box::new(spawn),
            home: PageLocation::Server,
        });
        let answers = Arc::new(());
        let listener = TimeoutListener::new(listener, silence, &answers);
        let state = Arc::new(ServerState { session: session.clone(), key: random_key(), port, answers });
        announce(&url);
        if open {
            open_browser(&url);
        }
        tokio::select! {
            served = axum::serve(listener, router(state)).into_future() => served?,
            stopped = tokio::signal::ctrl_c() => stopped?,
            () = stop_unattended(&session, absence) => {}
        }
        session.stop();
        Ok(())
    });
    // A page that keeps its connection open must not hold up the end.
    runtime.shutdown_background();
    done
}

/// Executes a task, which may be a search, on a thread.
fn spawn(name: &str, task: Box<dyn FnOnce() + Send>) -> Result<(), String> {
    thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(task)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Stops searches whose page is gone; never returns.
async fn stop_unattended(session: &Session, absence: Duration) {
    const LOOKS: u32 = 4;
    loop {
        tokio::time::sleep(absence / LOOKS).await;
        session.stop_unattended(absence);
    }
}

fn router(state: Arc<ServerState>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/compare", get(|state: State<Arc<ServerState>>| document(state, "compare-page")))
        .route("/tutorial", get(|state: State<Arc<ServerState>>| document(state, "tutorial-page")))
        .route("/api/{*name}", get(question).post(request))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .route("/api/position", post(position).layer(DefaultBodyLimit::max(POSITION_MAX)))
        .route("/api/trace", post(trace).layer(DefaultBodyLimit::max(TRACE_MAX)))
        .layer(middleware::from_fn_with_state(state.clone(), guard::check))
        .with_state(state)
}

/// The page.
async fn page(State(state): State<Arc<ServerState>>) -> Html<String> {
    Html(html::served_page(&state.key))
}

/// A page of the session: both trees of the last comparison side by side, or the chapters on search.
async fn document(State(state): State<Arc<ServerState>>, name: &'static str) -> Response {
    state.answered(move |session| session.get(name, "")).await
}

async fn question(
    State(state): State<Arc<ServerState>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    state.answered(move |session| session.get(&name, &query.unwrap_or_default())).await
}

async fn request(
    State(state): State<Arc<ServerState>>,
    Path(name): Path<String>,
    body: Result<String, StringRejection>,
) -> Response {
    match body {
        Ok(body) => state.answered(move |session| session.post(&name, &body)).await,
        Err(rejection) => unread(rejection.status(), BODY_MAX),
    }
}

/// Reads a position or a game that was pasted.
async fn position(State(state): State<Arc<ServerState>>, body: Result<String, StringRejection>) -> Response {
    match body {
        Ok(body) => state.answered(move |session| session.post("position", &body)).await,
        Err(rejection) => unread(rejection.status(), POSITION_MAX),
    }
}

/// Shows a trace that was dropped on the page.
async fn trace(State(state): State<Arc<ServerState>>, body: Result<Bytes, BytesRejection>) -> Response {
    match body {
        Ok(body) => state.answered(move |session| session.show_trace(body.into())).await,
        Err(rejection) => unread(rejection.status(), TRACE_MAX),
    }
}

/// The refusal of a request whose body could not be read.
fn unread(status: StatusCode, most: usize) -> Response {
    let reason = if status == StatusCode::PAYLOAD_TOO_LARGE {
        format!("cannot read the request: it has more than {most} bytes; send a part of it")
    } else {
        "cannot read the request: it is not a whole UTF-8 text; send it again".to_owned()
    };
    json(status, RequestError::bad(reason).json())
}

fn json(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

impl ServerState {
    /// The answer of the session as a response. It may take a while, and a panic is a refusal too.
    async fn answered(
        &self,
        answer: impl FnOnce(&Arc<Session>) -> Result<Reply, RequestError> + Send + 'static,
    ) -> Response {
        let internal =
            |_| Err(RequestError::conflict("cannot answer: internal error; please report it with the settings"));
        let (session, answering) = (self.session.clone(), self.answers.clone());
        let work = move || {
            let _answering = answering;
            answer(&session)
        };
        let answer = tokio::task::spawn_blocking(work).await.unwrap_or_else(internal);
        match answer {
            Ok(Reply::Json(body)) => json(StatusCode::OK, body),
            Ok(Reply::Html(page)) => Html(page).into_response(),
            Err(refused) => {
                let status = match refused.status {
                    Status::Bad => StatusCode::BAD_REQUEST,
                    Status::NotFound => StatusCode::NOT_FOUND,
                    Status::Conflict => StatusCode::CONFLICT,
                };
                json(status, refused.json())
            }
        }
    }
}

/// A text that other pages cannot guess: hash keys are drawn by the system's random generator.
fn random_key() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", draw(), draw())
}

/// Shows an address in the browser of the system. If there is none, the address was printed.
fn open_browser(url: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let _ = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
