//! The page on a local server: trees too large for a file, and searches on demand.
//!
//! The server listens on the loopback interface only, and answers only requests that its own page makes (see `guard`). A
//! search runs on a separate thread, within limits; errors are sent to the page, which keeps the tree shown before. The requests are described in `docs/window-page.md`.

mod answers;
mod background;
mod compare;

mod guard;
mod idle;
mod live;
mod model;
mod whatif;

pub use model::Played;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use thiserror::Error;

use idle::Patient;

use crate::trace;
use crate::trace::record::Setup;
use crate::view::difference::Differences;
use crate::view::{About, Basis, Builder, Filter, Matches, Row, View};

/// The largest request body in bytes: a position and a list of switches.
const BODY_MAX: usize = 64 * 1024;

/// Message for a tree whose search cannot be repeated.
const NO_BASIS: &str = "cannot repeat the search of this tree: nothing was searched yet, its evaluation was a file, or it is a model \
                        searched by the textbook or by an older program";

/// How long a connection may be silent. Browsers open a new one when they need it.
const SILENCE: Duration = Duration::from_secs(30);
/// A search is stopped if its page does not ask for it for this time. Pages ask several times a second, or once in the background.
const ABSENCE: Duration = Duration::from_secs(10);

/// The most nodes of a trace that are held; of larger ones the small subtrees are left out. A node takes about 200 bytes.
pub const NODES_SHOWN: usize = 4_000_000;

/// Why the server did not run.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The port is taken or not allowed.
    #[error("cannot use port {port}: {source}; omit --port to get a free one")]
    Port {
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("cannot run the server: {0}")]
    System(#[from] io::Error),
}

/// A search that the page asked for, checked.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The position.
    pub game: Game,
    /// Parameters of the search.
    pub parameters: Parameters,
    /// The name of the profile they started from.
    pub profile: String,
    /// Depth limit (plies).
    pub depth: Option<u32>,
    /// Node limit.
    pub nodes: u64,
    /// What is recorded, and where the search ends.
    pub filter: trace::Filter,
}

/// Searches and records until done or stopped by the control; an error is a message for the user.
pub type Search = dyn Fn(&SearchRequest, &Control) -> Result<View, String> + Send + Sync;

/// How to serve.
pub struct Options {
    /// The port; a free one if 0.
    pub port: u16,
    /// Open the page in the browser of the system.
    pub open: bool,
    /// The tree shown first.
    pub view: Option<View>,
    /// A model that the page may change and search again.
    pub played: Option<Played>,
    /// Executes the searches of the page.
    pub search: Box<Search>,
    /// Connections without data for this time are closed.
    pub silence: Duration,
    /// A search is stopped if its page does not ask for it for this time.
    pub absence: Duration,
    /// Receives the address of the page when the server is ready.
    pub announce: Box<dyn FnOnce(&str) + Send>,
}

impl Default for Options {
    /// A free port, no tree yet, and the recorder to search with.
    fn default() -> Options {
        Options {
            port: 0,
            open: false,
            view: None,
            played: None,
            search: Box::new(record),
            silence: SILENCE,
            absence: ABSENCE,
            announce: Box::new(|_| ()),
        }
    }
}

/// Searches with the recorder, in memory.
fn record(request: &SearchRequest, control: &Control) -> Result<View, String> {
    let setup = Setup {
        game: &request.game,
        parameters: &request.parameters,
        profile: &request.profile,
        limits: &Limits { depth: request.depth, nodes: Some(request.nodes), ..Limits::default() },
        hash: TABLE_DEFAULT,
        filter: request.filter.clone(),
    };
    let (trace, _) = trace::record::in_memory(&setup, control).map_err(|error| error.to_string())?;
    let mut view = View::of_trace(&trace, NODES_SHOWN, &mut |_| ()).map_err(|error| error.to_string())?;
    view.basis = Some(Basis { game: request.game.clone(), parameters: request.parameters.clone(), staged: None });
    Ok(view)
}

/// A tree being shown.
struct Tree {
    /// Trees are numbered, so that questions about an earlier one are noticed.
    number: u64,
    view: View,
    /// The last filter with its matches.
    filtered: Mutex<Option<(Filter, Arc<Matches>)>>,
    /// Rows that differ from the search it was compared with last, until they are cleared.
    differences: Mutex<Option<Arc<Differences>>>,
}

/// What all requests share.
struct Shared {
    tree: RwLock<Arc<Tree>>,
    live: Mutex<live::Live>,
    whatif: Mutex<whatif::Trials>,
    comparisons: Mutex<compare::Comparisons>,
    /// The chapters on search, made when they are asked for first.
    tutorial: tokio::sync::OnceCell<String>,
    search: Box<Search>,
    played: Option<Played>,
    key: String,
    port: u16,
    absence: Duration,
}

type State = Arc<Shared>;

impl Shared {
    fn new(options: Options, port: u16) -> Shared {
        let Options { view, played, search, absence, .. } = options;
        let view = view.unwrap_or_else(empty);
        let tree = Tree::new(1, view);
        Shared {
            tree: RwLock::new(Arc::new(tree)),
            live: Mutex::default(),
            whatif: Mutex::default(),
            comparisons: Mutex::default(),
            tutorial: tokio::sync::OnceCell::new(),
            search,
            played,
            key: random_key(),
            port,
            absence,
        }
    }

    fn tree(&self) -> Arc<Tree> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, view: View) {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        let number = tree.number + 1;
        *tree = Arc::new(Tree::new(number, view));
    }

    fn whatif(&self) -> MutexGuard<'_, whatif::Trials> {
        self.whatif.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn comparisons(&self) -> MutexGuard<'_, compare::Comparisons> {
        self.comparisons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> MutexGuard<'_, live::Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tree {
    fn new(number: u64, view: View) -> Tree {
        Tree { number, view, filtered: Mutex::default(), differences: Mutex::default() }
    }

    fn differences(&self) -> Option<Arc<Differences>> {
        self.differences.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn mark(&self, found: Option<Differences>) {
        *self.differences.lock().unwrap_or_else(PoisonError::into_inner) = found.map(Arc::new);
    }

    fn matches(&self, filter: Filter) -> Arc<Matches> {
        let mut kept = self.filtered.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, matches)) if *of == filter => matches.clone(),
            _ => {
                let matches = Arc::new(self.view.matches(filter));
                *kept = Some((filter, matches.clone()));
                matches
            }
        }
    }
}

/// Serves until Ctrl-C.
///
/// # Errors
/// [`ServeError`] when the port cannot be used.
pub fn run(mut options: Options) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .map_err(|source| ServeError::Port { port: options.port, source })?;
        let port = listener.local_addr()?.port();
        let url = format!("http://127.0.0.1:{port}/");
        let Options { open, silence, .. } = options;
        let announce = std::mem::replace(&mut options.announce, Box::new(|_| ()));
        let state = Arc::new(Shared::new(options, port));
        announce(&url);
        if open {
            open_browser(&url);
        }
        tokio::select! {
            served = axum::serve(Patient::new(listener, silence), router(state.clone())).into_future() => served?,
            stopped = tokio::signal::ctrl_c() => stopped?,
        }
        state.live().stop();
        state.whatif().stop();
        state.comparisons().stop();
        Ok(())
    });
    // A page that keeps its connection open must not hold up the end.
    runtime.shutdown_background();
    done
}

fn router(state: State) -> Router {
    Router::new()
        .route("/", get(answers::page))
        .route("/api/about", get(answers::about))
        .route("/api/children", get(answers::children))
        .route("/api/path", get(answers::path))
        .route("/api/overview", get(answers::overview))
        .route("/api/matches", get(answers::matches))
        .route("/api/find", get(answers::find))
        .route("/api/event", get(answers::event))
        .route("/api/next", get(answers::next))
        .route("/api/options", get(live::options))
        .route("/api/search", get(live::progress).post(live::start))
        .route("/api/stop", post(live::stop))
        .route("/api/model", get(model::told).post(model::change))
        .route("/api/whatif", get(whatif::progress).post(whatif::start))
        .route("/api/whatif/stop", post(whatif::stop))
        .route("/api/parameters", get(compare::parameters))
        .route("/api/compare", get(compare::progress).post(compare::start))
        .route("/api/compare/stop", post(compare::stop))
        .route("/api/compare/clear", post(compare::clear))
        .route("/compare", get(compare::shown))
        .route("/tutorial", get(answers::tutorial))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(middleware::from_fn_with_state(state.clone(), guard::check))
        .with_state(state)
}

/// A tree of one row, for a page where nothing was searched yet.
fn empty() -> View {
    let mut builder = Builder::new(About::search(Game::new().fen()));
    builder.push(Row::default(), &[]);
    builder.finish()
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
