//! What the page asks about the tree.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{State as Shared, Tree};
use crate::html;
use crate::tutorial::{self, Depths, Home};
use crate::view::difference::DifferenceSummary;
use crate::view::{About, Filter, Matches, RowOut, Target};

/// Rows sent at most in one answer.
const ROWS_MAX: usize = 500;
/// The widest overview in parts.
const WIDTH_MAX: u32 = 8192;

/// The filter of the rows that differ from the search compared with last.
const DIFFERENT: &str = "differs";

/// A refusal with its reason.
pub struct Refused(StatusCode, String);

impl Refused {
    /// The request makes no sense.
    pub fn bad(reason: impl Into<String>) -> Refused {
        Refused(StatusCode::BAD_REQUEST, reason.into())
    }

    /// The request comes at the wrong time.
    pub fn conflict(reason: impl Into<String>) -> Refused {
        Refused(StatusCode::CONFLICT, reason.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

/// A question about one tree. Each request uses some of this.
#[derive(Deserialize)]
pub struct Question {
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

impl Question {
    /// The tree, if it is still the one that is shown and the row is in it.
    fn tree(&self, state: &Shared) -> Result<Arc<Tree>, Refused> {
        let tree = state.tree();
        if tree.number != self.tree {
            return Err(Refused::conflict("another tree is shown by now: load the page again"));
        }
        if self.row >= tree.view.rows.len() {
            return Err(Refused::bad(format!("cannot find row {}", self.row)));
        }
        Ok(tree)
    }

    fn matches(&self, tree: &Tree) -> Result<Option<Arc<Matches>>, Refused> {
        match self.filter.as_str() {
            "" => Ok(None),
            DIFFERENT => different(tree).map(Some),
            text => {
                let filter =
                    Filter::parse(text).ok_or_else(|| Refused::bad(format!("`{text}` is not a valid filter")))?;
                Ok(Some(tree.matches(filter)))
            }
        }
    }
}

/// The rows that differ from the search compared with last.
fn different(tree: &Tree) -> Result<Arc<Matches>, Refused> {
    let found = tree.differences();
    let found =
        found.ok_or_else(|| Refused::bad("no rows are marked as different: switch a rule and search both first"))?;
    Ok(Arc::new(found.matches(tree.view.rows.len())))
}

#[derive(Serialize)]
struct AboutOut<'a> {
    tree: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<DifferenceSummary<'a>>,
    #[serde(flatten)]
    about: &'a About,
}

type Answer = Result<Response, Refused>;

fn json_of(value: impl Serialize) -> Response {
    Json(value).into_response()
}

/// The page.
pub async fn page(State(state): State<Shared>) -> Html<String> {
    Html(html::served_page(&state.key))
}

/// The chapters on search.
pub async fn tutorial(State(state): State<Shared>) -> Result<Html<String>, Refused> {
    let made = state.tutorial.get_or_try_init(|| async {
        let make = || tutorial::page(Depths::default(), Home::Server).map_err(|error| error.to_string());
        let made = tokio::task::spawn_blocking(make).await;
        made.unwrap_or_else(|_| Err("cannot make the chapters: internal error; please report it".to_owned()))
    });
    made.await.map(|page| Html(page.clone())).map_err(Refused::conflict)
}

/// What is known of the whole tree.
pub async fn about(State(state): State<Shared>) -> Response {
    let tree = state.tree();
    let found = tree.differences();
    let differences = found.as_ref().map(|found| found.told());
    json_of(AboutOut { tree: tree.number, differences, about: &tree.view.about })
}

/// Some children of a row.
pub async fn children(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    let matches = question.matches(&tree)?;
    let count = question.count.min(ROWS_MAX);
    let mut slice = tree.view.slice(question.row, question.from, count, matches.as_deref());
    mark(&tree, &mut slice.rows);
    Ok(json_of(slice))
}

/// Says of rows how they differ from the search compared with.
fn mark(tree: &Tree, rows: &mut [RowOut<'_>]) {
    let Some(found) = tree.differences() else { return };
    rows.iter_mut().for_each(|row| row.differs = found.of(row.id));
}

/// The rows from the root to a row.
pub async fn path(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    let mut path = tree.view.path(question.row);
    mark(&tree, &mut path);
    Ok(json_of(path))
}

/// What can be seen of a subtree at a width.
pub async fn overview(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    let matches = question.matches(&tree)?;
    Ok(json_of(tree.view.overview(question.row, question.width.min(WIDTH_MAX), matches.as_deref())))
}

/// How many rows match a filter.
pub async fn matches(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    Ok(json_of(question.matches(&tree)?.map_or(tree.view.rows.len() as u32, |matches| matches.total())))
}

/// Where moves lead.
pub async fn find(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    Ok(json_of(tree.view.find(&question.moves)))
}

/// Row and direction of an event.
pub async fn event(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    let at = question.at;
    let (row, leaving) = tree.view.event(at).ok_or_else(|| Refused::bad(format!("cannot find event {at}")))?;
    Ok(json_of(json!({"at": at, "row": row, "leaving": leaving})))
}

/// The nearest cutoff or match.
pub async fn next(State(state): State<Shared>, Query(question): Query<Question>) -> Answer {
    let tree = question.tree(&state)?;
    let (target, matches) = match question.target.as_str() {
        "cutoff" => (Target::Cutoff, None),
        DIFFERENT => (Target::Match, Some(different(&tree)?)),
        _ => (Target::Match, question.matches(&tree)?),
    };
    Ok(json_of(tree.view.next_event(question.at, question.back, target, matches.as_deref())))
}
