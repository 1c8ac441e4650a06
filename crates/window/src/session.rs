//! The requests of the page and their answers: the displayed tree, searches on demand, questions about single moves. Requests and
//! answers are plain texts, so that a local server ([`crate::serve`]) and a WebAssembly module in the browser answer them alike. The
//! requests are described in `docs/window-page.md`.
//!
//! A search on demand is a task for the [`SpawnFn`] of the session, within limits; errors are sent to the page, which keeps the tree
//! shown before.

mod answers;
mod background;
mod compare;
mod live;
mod model;
mod paste;
mod whatif;

pub use answers::{Reply, RequestError, Status};
use answers::{SessionAnswer, json_of};
use background::{BackgroundTask, TaskSlot};
use compare::ComparisonState;
use live::LiveState;
pub use live::SearchBody;
use whatif::WhatIfState;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use serde_json::json;

use crate::model_search::ModelSetup;
use crate::trace;
use crate::trace::record::RecordSetup;
use crate::trace::{PartialTraces, Trace};
use crate::tutorial::{self, PageLocation};
use crate::view::difference::RowDifferences;
use crate::view::{Matches, RowFilter, SearchInput, TreeInfo, TreeRow, View, ViewBuilder};

/// Message for a tree whose search cannot be repeated.
const NO_BASIS: &str = "cannot repeat the search of this tree: nothing was searched yet, its evaluation was read from a file, \
                        or it is a model that the textbook search or an older program searched";

/// Largest number of nodes of a trace in memory; of larger traces the small subtrees are left out. A node takes about 200 bytes.
pub const NODES_SHOWN: usize = 4_000_000;

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
    /// Limits of the recording, and the event at which the search ends.
    pub filter: trace::Filter,
}

/// Searches and records until done or stopped by the control; an error is a message for the user.
pub type SearchFn = dyn Fn(&SearchRequest, &Control) -> Result<View, String> + Send + Sync;

/// Executes a task with a name: on a thread, or before it returns. An error says why it was not started.
pub type SpawnFn = dyn Fn(&str, Box<dyn FnOnce() + Send>) -> Result<(), String> + Send + Sync;

/// Settings of a new session.
pub struct SessionOptions {
    /// The tree shown first; an empty one if there is none.
    pub view: Option<View>,
    /// A model that the page may change and search again.
    pub played: Option<ModelSetup>,
    /// Executes the searches of the page.
    pub search: Box<SearchFn>,
    /// Executes tasks that take longer than an answer may.
    pub spawn: Box<SpawnFn>,
    /// The place of the tutorial page; its links to this page depend on it.
    pub home: PageLocation,
}

/// Searches with the recorder, in memory, and sends the recording to `parts`, if given, while it grows. An error is a message for the user.
pub fn record(request: &SearchRequest, control: &Control, parts: Option<PartialTraces>) -> Result<View, String> {
    let SearchRequest { game, parameters, profile, depth, nodes, filter } = request;
    let limits = &Limits { depth: *depth, nodes: Some(*nodes), ..Limits::default() };
    let (hash, filter) = (TABLE_DEFAULT, filter.clone());
    let setup = RecordSetup { game, parameters, profile, limits, hash, filter };
    let trace = trace::record::in_memory(&setup, None, control, parts).map_err(|error| error.to_string())?;
    let mut view = View::of_trace(&trace, NODES_SHOWN).map_err(|error| error.to_string())?;
    view.basis = Some(SearchInput { game: game.clone(), parameters: parameters.clone(), playable: None });
    Ok(view)
}

/// A tree being shown.
struct ShownTree {
    /// Trees are numbered, so that questions about an earlier one are noticed.
    number: u64,
    view: View,
    /// The last filter with its matches.
    filtered: Mutex<Option<(RowFilter, Arc<Matches>)>>,
    /// Rows that differ from the search it was compared with last, until they are cleared.
    differences: Mutex<Option<Arc<RowDifferences>>>,
}

/// The state that all requests share.
pub struct Session {
    tree: RwLock<Arc<ShownTree>>,
    live: Mutex<TaskSlot<LiveState>>,
    whatif: Mutex<TaskSlot<WhatIfState>>,
    comparisons: Mutex<TaskSlot<ComparisonState>>,
    /// The chapters on search, made when they are asked for first; or why they cannot be made.
    tutorial: OnceLock<Result<String, String>>,
    /// Chapters of the tutorial that were asked for.
    chapters: [OnceLock<Result<String, String>>; tutorial::COUNT],
    search: Box<SearchFn>,
    spawn: Box<SpawnFn>,
    played: Mutex<Option<Arc<ModelSetup>>>,
    home: PageLocation,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// A session that shows its first tree.
    pub fn new(options: SessionOptions) -> Arc<Session> {
        let SessionOptions { view, played, search, spawn, home } = options;
        let tree = ShownTree::new(1, view.unwrap_or_else(empty));
        Arc::new(Session {
            tree: RwLock::new(Arc::new(tree)),
            live: Mutex::default(),
            whatif: Mutex::default(),
            comparisons: Mutex::default(),
            tutorial: OnceLock::new(),
            chapters: std::array::from_fn(|_| OnceLock::new()),
            search,
            spawn,
            played: Mutex::new(played.map(Arc::new)),
            home,
        })
    }

    /// Ends every search.
    pub fn stop(&self) {
        lock(&self.live).stop();
        lock(&self.whatif).stop();
        lock(&self.comparisons).stop();
    }

    /// Ends the searches that the page has not asked about for this time.
    pub fn stop_unattended(&self, absence: Duration) {
        lock(&self.live).stop_unattended(absence);
        lock(&self.whatif).stop_unattended(absence);
        lock(&self.comparisons).stop_unattended(absence);
    }

    fn tree(&self) -> Arc<ShownTree> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Does the work of a task outside of this answer; `panicked` notes an internal error.
    fn start_task<T: Send + 'static>(
        &self,
        name: &str,
        task: Arc<BackgroundTask<T>>,
        work: impl FnOnce(&BackgroundTask<T>) + Send + 'static,
        panicked: fn(&mut T),
    ) -> SessionAnswer {
        let spawned = task.clone();
        let started = (self.spawn)(name, Box::new(move || spawned.execute(work, panicked)));
        started.map_err(|error| {
            task.end();
            RequestError::conflict(format!("cannot start the search: {error}"))
        })?;
        json_of(json!({"running": true}))
    }

    /// Replaces the tree that is shown.
    pub fn show(&self, view: View) {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        let number = tree.number + 1;
        *tree = Arc::new(ShownTree::new(number, view));
    }

    /// Shows a recorded search.
    ///
    /// # Errors
    /// [`RequestError`] if this program cannot show the bytes as a trace.
    pub fn show_trace(&self, bytes: Vec<u8>) -> Result<Reply, RequestError> {
        let trace = Trace::from_bytes(bytes).map_err(RequestError::bad)?;
        self.show(View::of_recording(trace).map_err(RequestError::bad)?);
        Ok(Reply::Json("{}".to_owned()))
    }

    fn played(&self) -> Option<Arc<ModelSetup>> {
        lock(&self.played).clone()
    }
}

impl ShownTree {
    fn new(number: u64, view: View) -> ShownTree {
        ShownTree { number, view, filtered: Mutex::default(), differences: Mutex::default() }
    }

    fn differences(&self) -> Option<Arc<RowDifferences>> {
        lock(&self.differences).clone()
    }

    fn mark(&self, found: Option<RowDifferences>) {
        *lock(&self.differences) = found.map(Arc::new);
    }

    fn matches(&self, filter: RowFilter) -> Arc<Matches> {
        let mut kept = lock(&self.filtered);
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

/// A tree of one row, for a page where nothing was searched yet.
fn empty() -> View {
    let mut builder = ViewBuilder::new(TreeInfo::search(Game::new().fen()));
    builder.push(TreeRow::default(), &[]);
    builder.finish()
}
