//! Requests by their names, and the answers about the tree.

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::background::TaskSlot;
use super::{Session, ShownTree, compare, live, lock, model, paste, whatif};
use crate::tutorial::{self, Depths};
use crate::view::{Matches, RowFilter, View};

/// Largest number of rows in one answer.
const ROWS_MAX: usize = 500;
/// Largest width of an overview, in parts.
const WIDTH_MAX: u32 = 8192;

/// The filter of the rows that differ from the search compared with last.
const DIFFERENT: &str = "differs";

/// The kind of reason for a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The request makes no sense.
    Bad,
    /// Nothing has this name.
    NotFound,
    /// The request comes at the wrong time.
    Conflict,
}

/// A refusal with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestError {
    /// The kind of reason.
    pub status: Status,
    /// A message for the user.
    pub reason: String,
}

impl RequestError {
    /// The request makes no sense.
    pub fn bad(reason: impl ToString) -> RequestError {
        RequestError { status: Status::Bad, reason: reason.to_string() }
    }

    /// The request comes at the wrong time.
    pub fn conflict(reason: impl ToString) -> RequestError {
        RequestError { status: Status::Conflict, reason: reason.to_string() }
    }

    /// Another tree than that of the request is shown.
    pub(super) fn other_tree() -> RequestError {
        RequestError::conflict("cannot answer: another tree is shown; load the page again")
    }

    /// The refusal as the page receives it.
    pub fn json(&self) -> String {
        json!({"error": self.reason}).to_string()
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Data.
    Json(String),
    /// A page.
    Html(String),
}

pub(super) type SessionAnswer = Result<Reply, RequestError>;

/// Data as an answer.
pub(super) fn json_of(value: impl Serialize) -> SessionAnswer {
    serde_json::to_string(&value).map(Reply::Json).map_err(RequestError::conflict)
}

/// The question in a query.
fn query_of<T: DeserializeOwned>(query: &str) -> Result<T, RequestError> {
    serde_urlencoded::from_str(query).map_err(|error| RequestError::bad(format!("cannot read `{query}`: {error}")))
}

/// The body of a request.
fn body_of<T: DeserializeOwned>(body: &str) -> Result<T, RequestError> {
    serde_json::from_str(body).map_err(|error| RequestError::bad(format!("cannot read the request: {error}")))
}

impl Session {
    /// Answers a question, which changes nothing but may keep a search from being stopped as unattended. `query` is the part of an
    /// address after its question mark.
    pub fn get(&self, name: &str, query: &str) -> SessionAnswer {
        let about_tree = |answer: fn(&ShownTree, &TreeQuery) -> SessionAnswer| {
            let question: TreeQuery = query_of(query)?;
            let tree = question.tree(self)?;
            answer(&tree, &question)
        };
        match name {
            "about" => about(self),
            "children" => about_tree(children),
            "path" => about_tree(path),
            "overview" => about_tree(overview),
            "matches" => about_tree(matches),
            "find" => about_tree(find),
            "event" => about_tree(event),
            "next" => about_tree(next),
            "options" => json_of(live::options()),
            "search" => live::progress(self),
            "model" => json_of(model::facts(self)),
            "models" => json_of(model::list()),
            "whatif" => progress(&self.whatif, whatif::NO_ANSWER),
            "parameters" => compare::parameters(self),
            "compare" => progress(&self.comparisons, compare::NO_COMPARISON),
            "compare-page" => compare::shown(self),
            "tutorial-page" => tutorial(self),
            "tutorial-chapter" => chapter(self, query),
            _ => Err(unknown(name)),
        }
    }

    /// Carries out a request that changes something; `body` is JSON.
    pub fn post(self: &Arc<Session>, name: &str, body: &str) -> SessionAnswer {
        match name {
            "search" => live::start(self, body_of(body)?),
            "stop" => stop(&self.live),
            "model" => model::change(self, &body_of(body)?),
            "model/open" => model::open(self, &body_of(body)?),
            "position" => paste::position(&body_of(body)?).and_then(json_of),
            "whatif" => whatif::start(self, &body_of(body)?),
            "whatif/stop" => stop(&self.whatif),
            "compare" => compare::start(self, body_of(body)?),
            "compare/stop" => stop(&self.comparisons),
            "compare/clear" => json_of(compare::clear(self)),
            _ => Err(unknown(name)),
        }
    }
}

/// The progress of a task, or why there is none.
fn progress<T: Serialize>(slot: &Mutex<TaskSlot<T>>, none: &str) -> SessionAnswer {
    let task = lock(slot).0.clone();
    task.ok_or_else(|| RequestError::conflict(none))?.progress()
}

/// Ends a task. Its results so far are shown.
fn stop<T>(slot: &Mutex<TaskSlot<T>>) -> SessionAnswer {
    lock(slot).stop();
    json_of(json!({}))
}

fn unknown(name: &str) -> RequestError {
    RequestError { status: Status::NotFound, reason: format!("`{name}` is not a valid request; load the page again") }
}

/// The reason why a row that is not in the tree is refused.
pub(super) fn missing_row(row: usize, view: &View) -> String {
    format!("cannot find row {row}: the tree has {} rows; load the page again", view.rows.len())
}

/// A question about one tree. Each request uses some of this.
#[derive(Deserialize)]
pub struct TreeQuery {
    tree: u64,
    #[serde(default)]
    row: usize,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    filter: String,
    #[serde(default)]
    moves: String,
    #[serde(default)]
    at: usize,
    #[serde(default)]
    back: bool,
    #[serde(default)]
    target: String,
}

impl TreeQuery {
    /// The tree, if it is still the one that is shown and the row is in it.
    fn tree(&self, session: &Session) -> Result<Arc<ShownTree>, RequestError> {
        let tree = session.tree();
        if tree.number != self.tree {
            return Err(RequestError::other_tree());
        }
        if self.row >= tree.view.rows.len() {
            return Err(RequestError::bad(missing_row(self.row, &tree.view)));
        }
        Ok(tree)
    }

    fn matches(&self, tree: &ShownTree) -> Result<Option<Arc<Matches>>, RequestError> {
        match self.filter.as_str() {
            "" => Ok(None),
            DIFFERENT => different(tree).map(Some),
            text => {
                let filter = RowFilter::parse(text).ok_or_else(|| {
                    let forms = RowFilter::FORMS;
                    RequestError::bad(format!("`{text}` is not a valid filter: expected {forms} or {DIFFERENT}"))
                })?;
                Ok(Some(tree.matches(filter)))
            }
        }
    }
}

/// The rows that differ from the search compared with last.
fn different(tree: &ShownTree) -> Result<Arc<Matches>, RequestError> {
    let found = tree.differences();
    let found = found.ok_or_else(|| {
        RequestError::bad("cannot filter by `differs`: no rows are marked; switch a rule and search both first")
    })?;
    Ok(Arc::new(found.matches(tree.view.rows.len())))
}

/// The chapters on search.
fn tutorial(session: &Session) -> SessionAnswer {
    let made = || tutorial::page(Depths::default(), session.home).map_err(|error| error.to_string());
    session.tutorial.get_or_init(made).clone().map(Reply::Html).map_err(RequestError::conflict)
}

/// Which chapter.
#[derive(Deserialize)]
struct ChapterQuery {
    /// Its number, from 1.
    number: usize,
}

/// One chapter, made when it is asked for the first time.
fn chapter(session: &Session, query: &str) -> SessionAnswer {
    let ChapterQuery { number } = query_of(query)?;
    let missing = || format!("cannot make chapter {number}: out of range; choose one from 1 to {}", tutorial::COUNT);
    let place = number.checked_sub(1).and_then(|place| session.chapters.get(place));
    let place = place.ok_or_else(|| RequestError::bad(missing()))?;
    let made = || tutorial::chapter_part(number, Depths::default(), session.home).map_err(|error| error.to_string());
    place.get_or_init(made).clone().map(Reply::Html).map_err(RequestError::conflict)
}

/// Facts of the whole tree.
fn about(session: &Session) -> SessionAnswer {
    let tree = session.tree();
    let mut about = json!(tree.view.about);
    about["tree"] = json!(tree.number);
    if let Some(found) = tree.differences() {
        about["differences"] = found.summary();
    }
    json_of(about)
}

/// Some children of a row.
fn children(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    let matches = question.matches(tree)?;
    let count = question.count.min(ROWS_MAX);
    let mut slice = tree.view.slice(question.row, question.from, count, matches.as_deref());
    mark(tree, &mut slice.rows);
    json_of(slice)
}

/// Adds to rows their differences from the search compared with.
fn mark(tree: &ShownTree, rows: &mut [Value]) {
    let Some(found) = tree.differences() else { return };
    for row in rows {
        if let Some(differs) = row["id"].as_u64().and_then(|id| found.of(id as usize)) {
            row["differs"] = differs;
        }
    }
}

/// The rows from the root to a row.
fn path(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    let mut path = tree.view.path(question.row);
    mark(tree, &mut path);
    json_of(path)
}

/// The rows of a subtree that are visible at a width.
fn overview(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    let matches = question.matches(tree)?;
    json_of(tree.view.overview(question.row, question.width.min(WIDTH_MAX), matches.as_deref()))
}

/// The number of rows that match a filter.
fn matches(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    json_of(question.matches(tree)?.map_or(tree.view.rows.len() as u32, |matches| matches.total()))
}

/// The row that moves lead to.
fn find(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    json_of(tree.view.find(&question.moves))
}

/// Row and direction of an event.
fn event(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    let at = question.at;
    let (row, leaving) = tree.view.event(at).ok_or_else(|| RequestError::bad(format!("cannot find event {at}")))?;
    json_of(json!({"at": at, "row": row, "leaving": leaving}))
}

/// The nearest cutoff or match.
fn next(tree: &ShownTree, question: &TreeQuery) -> SessionAnswer {
    let matches = match question.target.as_str() {
        "cutoff" => Some(Arc::new(tree.view.matches(RowFilter::Cutoff))),
        DIFFERENT => Some(different(tree)?),
        _ => question.matches(tree)?,
    };
    json_of(matches.and_then(|matches| tree.view.next_event(question.at, question.back, &matches)))
}
