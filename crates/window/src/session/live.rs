//! Searches requested by the page: one at a time, within limits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use quarterply_engine::params::{Entry, Kind, Parameters};
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::shakmaty::CastlingMode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{Answer, Refused, json_of};
use super::background::BackgroundTask;
use super::{SearchRequest, Session, lock};
use crate::trace::Filter;

/// The deepest search (plies).
const DEPTH_MAX: u32 = 60;
/// The longest search (nodes): recorded in full it takes some hundred megabytes.
const NODES_MAX: u64 = 2_000_000;
/// Default node limit of a search.
const NODES_USUAL: u64 = 200_000;
/// The longest text taken for a position, in bytes.
const FEN_MAX: usize = 200;

/// The search that runs or ran last.
#[derive(Default)]
pub struct Live {
    running: Option<Arc<BackgroundTask<()>>>,
    error: Option<String>,
}

impl Live {
    /// Stops the search if one runs.
    pub fn stop(&self) {
        if let Some(run) = &self.running {
            run.control.stop();
        }
    }

    pub fn stop_unattended(&self, absence: Duration) {
        if let Some(run) = &self.running {
            run.stop_unattended(absence);
        }
    }
}

/// Request of the page to search a position.
#[derive(Deserialize)]
pub struct SearchBody {
    fen: String,
    #[serde(default)]
    profile: String,
    depth: Option<u32>,
    nodes: Option<u64>,
    #[serde(default)]
    set: Vec<(String, bool)>,
    /// An event at which the search ends, as the filter `until` reads it.
    #[serde(default)]
    until: String,
}

/// Switches in the order in which they are declared.
fn switches() -> impl Iterator<Item = Entry> {
    Parameters::specs().filter(|entry| entry.spec.kind == Kind::Switch)
}

/// What can be chosen: profiles, switches, limits.
pub fn options() -> Value {
    let profiles: Vec<Value> = profile::BUILTIN
        .iter()
        .filter_map(|name| {
            let parameters = profile::builtin(name)?;
            let on: Vec<bool> = switches().map(|entry| parameters.get(&entry.name) == Ok(1)).collect();
            Some(json!({"name": name, "on": on}))
        })
        .collect();
    let switches: Vec<Value> = switches()
        .map(|entry| json!({"name": entry.name, "label": label(&entry), "doc": format!("{}: {}", entry.about, entry.spec.doc)}))
        .collect();
    json!({
        "profiles": profiles,
        "switches": switches,
        "start": Game::new().fen(),
        "nodes": NODES_USUAL,
        "nodes_max": NODES_MAX,
        "depth_max": DEPTH_MAX,
    })
}

/// `null_move.on` is the rule itself; other switches are named with their rule.
fn label(entry: &Entry) -> String {
    let group = entry.group.replace('_', " ");
    if entry.spec.name == "on" { group } else { format!("{group}: {}", entry.spec.name.replace('_', " ")) }
}

/// Starts a search.
pub fn start(session: &Arc<Session>, wanted: SearchBody) -> Answer {
    let request = checked(wanted).map_err(Refused::bad)?;
    let run = {
        let mut live = lock(&session.live);
        if live.running.is_some() {
            return Err(Refused::conflict("a search is running: stop it first"));
        }
        let run = BackgroundTask::begin(());
        live.running = Some(run.clone());
        live.error = None;
        run
    };
    let worker = session.clone();
    let started = (session.spawn)("live search", Box::new(move || work(&worker, &request, &run)));
    if let Err(error) = started {
        lock(&session.live).running = None;
        return Err(Refused::conflict(format!("the search cannot start: {error}")));
    }
    json_of(json!({"running": true}))
}

/// Searches, and shows the tree or keeps the error. A panic is an error too.
fn work(session: &Session, request: &SearchRequest, run: &BackgroundTask<()>) {
    let searched = catch_unwind(AssertUnwindSafe(|| (session.search)(request, &run.control))).unwrap_or_else(|_| {
        Err("cannot search: internal error; please report it with the position and the settings".into())
    });
    let error = searched.map(|view| session.show(view)).err();
    let mut live = lock(&session.live);
    live.error = error;
    live.running = None;
}

/// Checks a request.
fn checked(wanted: SearchBody) -> Result<SearchRequest, String> {
    if wanted.fen.len() > FEN_MAX {
        return Err(format!("a FEN of {} bytes is too long: at most {FEN_MAX}", wanted.fen.len()));
    }
    let game = Game::from_fen(&wanted.fen, CastlingMode::Chess960).map_err(|error| error.to_string())?;
    if game.position().legal_moves().is_empty() {
        return Err(format!("`{}` has no legal move: the game is over", wanted.fen.trim()));
    }
    let name = if wanted.profile.is_empty() { profile::BUILTIN[0] } else { &wanted.profile };
    let mut parameters = profile::builtin(name)
        .ok_or_else(|| format!("`{name}` is not a valid profile: expected one of {}", profile::BUILTIN.join(", ")))?;
    for (switch, on) in &wanted.set {
        parameters.set(switch, i32::from(*on)).map_err(|error| error.to_string())?;
    }
    if let Some(depth) = wanted.depth
        && !(1..=DEPTH_MAX).contains(&depth)
    {
        return Err(format!("cannot search to depth {depth}: out of range; give 1 to {DEPTH_MAX} plies"));
    }
    let nodes = wanted.nodes.unwrap_or(NODES_USUAL);
    if !(1..=NODES_MAX).contains(&nodes) {
        return Err(format!("cannot search {nodes} nodes: out of range; give 1 to {NODES_MAX}"));
    }
    let mut filter = Filter::default();
    if !wanted.until.trim().is_empty() {
        filter.add(&format!("until={}", wanted.until.trim()), &game).map_err(|error| error.to_string())?;
    }
    Ok(SearchRequest { game, parameters, profile: name.to_owned(), depth: wanted.depth, nodes, filter })
}

/// How the search stands.
pub fn progress(session: &Session) -> Value {
    let live = lock(&session.live);
    if let Some(run) = &live.running {
        run.ask();
    }
    let seconds = live.running.as_ref().map_or(0.0, |run| run.seconds());
    json!({"running": live.running.is_some(), "seconds": seconds, "error": live.error})
}

/// Stops the search; what it has so far is shown.
pub fn stop(session: &Session) -> Value {
    lock(&session.live).stop();
    json!({})
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn wanted(fen: &str) -> SearchBody {
        SearchBody {
            fen: fen.into(),
            profile: String::new(),
            depth: None,
            nodes: None,
            set: Vec::new(),
            until: String::new(),
        }
    }

    #[test]
    fn what_is_not_possible_is_refused_with_its_reason() {
        let set = |name: &str| vec![(name.to_owned(), false)];
        let cases = [
            (wanted("nonsense"), "nonsense"),
            (wanted("8/8/8/8/8/8/8/8 w - - 0 1"), "king"),
            (wanted(&"8/".repeat(200)), "too long"),
            (wanted("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "no legal move"),
            (SearchBody { profile: "strongest".into(), ..wanted(START) }, "`strongest` is not a valid profile"),
            (SearchBody { depth: Some(0), ..wanted(START) }, "cannot search to depth 0"),
            (SearchBody { nodes: Some(u64::MAX), ..wanted(START) }, "nodes: out of range"),
            (SearchBody { set: set("null_mov.on"), ..wanted(START) }, "null_move.on"),
            (SearchBody { until: "later".into(), ..wanted(START) }, "`later` is not a valid value"),
        ];
        for (wanted, expected) in cases {
            let fen = wanted.fen.clone();
            let error = checked(wanted).map(|_| ()).expect_err(&fen);
            assert!(error.to_lowercase().contains(expected), "{fen}: {error}");
        }
    }

    #[test]
    fn switches_are_turned_over() {
        let set = vec![("null_move.on".to_owned(), false)];
        let request = checked(SearchBody { set, ..wanted(START) }).expect("a valid request");
        assert_eq!(request.parameters.get("null_move.on"), Ok(0));
        assert_eq!(request.nodes, NODES_USUAL);
    }
}
