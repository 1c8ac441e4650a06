//! Searches requested by the page: one at a time, within limits.

use std::sync::Arc;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterEntry, ParameterKind, Parameters};
use quarterply_engine::position::{DroppedRights, Game};
use quarterply_engine::profile;
use quarterply_engine::search::pool::TABLE_DEFAULT;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};

use super::answers::{RequestError, SessionAnswer, json_of};
use super::background::BackgroundTask;
use super::{SearchRequest, Session, lock};
use crate::trace::Filter;
use crate::trace::record::RecordSetup;
use crate::words;

/// The deepest search (plies).
const DEPTH_MAX: u32 = 60;
/// The longest search (nodes): recorded in full it takes some hundred megabytes.
const NODES_MAX: u64 = 2_000_000;
/// Default node limit of a search.
const NODES_USUAL: u64 = 200_000;
/// The longest text taken for a position, in bytes.
const FEN_MAX: usize = 200;

/// What is to be said of a search.
#[derive(Default, Serialize)]
pub struct LiveState {
    /// The castling rights of its position that were dropped.
    warning: Option<String>,
    error: Option<String>,
}

/// Request of the page to search a position.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct SearchBody {
    /// The position.
    pub fen: String,
    /// Moves of the game since then, in UCI notation.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The name of a built-in profile; the default one if empty.
    #[serde(default)]
    pub profile: String,
    /// Depth limit (plies). It may be any number, so that the refusal of a wrong one names the range.
    pub depth: Option<Number>,
    /// Node limit.
    pub nodes: Option<Number>,
    /// Parameters that differ from the profile; a switch is 0 or 1.
    #[serde(default)]
    pub set: Vec<(String, i32)>,
    /// An event at which the search ends, as the filter `until` reads it.
    #[serde(default)]
    pub until: String,
}

impl SearchBody {
    /// The request that repeats a search of `nodes` nodes. There is none for an evaluation or a profile from a file, a limit of time, more
    /// nodes than a page may search, or a filter.
    pub fn repeating(setup: &RecordSetup<'_>, nodes: u64) -> Option<SearchBody> {
        let RecordSetup { game, parameters, profile, limits, filter, .. } = setup;
        let usual = profile::builtin(profile)?;
        let set = Parameters::specs().filter_map(|entry| {
            let value = parameters.get(&entry.name).ok()?;
            (usual.get(&entry.name) != Ok(value)).then_some((entry.name, value))
        });
        let set: Vec<(String, i32)> = set.collect();
        let mut again = usual.clone();
        set.iter().try_for_each(|(name, value)| again.set(name, *value)).ok()?;
        let mode = game.castling_mode();
        let body = SearchBody {
            fen: game.start_fen(),
            moves: game.moves().iter().map(|mv| mv.to_uci(mode).to_string()).collect(),
            profile: (*profile).to_owned(),
            depth: limits.depth.map(Number::from),
            nodes: limits.nodes.or(limits.depth.map(|_| NODES_MAX)).map(Number::from),
            set,
            until: String::new(),
        };
        let plain = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::default() };
        let is_same = again == **parameters
            && plain == **limits
            && *filter == Filter::default()
            && setup.hash == TABLE_DEFAULT
            && nodes <= NODES_MAX;
        (is_same && checked(body.clone()).is_ok()).then_some(body)
    }
}

/// Switches in the order in which they are declared.
fn switches() -> impl Iterator<Item = ParameterEntry> {
    Parameters::specs().filter(|entry| entry.spec.kind == ParameterKind::Switch)
}

/// The profiles, switches and limits that the page can choose.
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
        .map(|entry| json!({"name": entry.name, "label": label(&entry), "doc": format!("{} {}", entry.about, words::capital(entry.spec.doc.trim()))}))
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
fn label(entry: &ParameterEntry) -> String {
    let group = entry.group.replace('_', " ");
    if entry.spec.name == "on" { group } else { format!("{group}: {}", entry.spec.name.replace('_', " ")) }
}

/// Starts a search.
pub fn start(session: &Arc<Session>, body: SearchBody) -> SessionAnswer {
    let (request, dropped) = checked(body).map_err(RequestError::bad)?;
    let run = {
        let mut live = lock(&session.live);
        if live.is_running() {
            return Err(RequestError::conflict("cannot start the search: another one is running; stop it first"));
        }
        live.begin(LiveState { warning: dropped.map(|dropped| dropped.to_string()), error: None })
    };
    let worker = session.clone();
    let work = move |run: &BackgroundTask<LiveState>| {
        let error = (worker.search)(&request, &run.control).map(|view| worker.show(view)).err();
        run.state().error = error;
    };
    session.start_task("live search", run, work, |state| {
        let error = "cannot search: internal error; please report it with the position and the settings";
        state.error = Some(error.to_owned());
    })
}

/// Checks a request. The second value names castling rights of its position that are dropped.
fn checked(body: SearchBody) -> Result<(SearchRequest, Option<DroppedRights>), String> {
    if body.fen.len() > FEN_MAX {
        return Err(format!("cannot read a FEN of {} bytes: it is too long; give at most {FEN_MAX}", body.fen.len()));
    }
    let (mut game, dropped) = Game::from_fen_lossy(&body.fen, None).map_err(|error| error.to_string())?;
    game.play_line(&body.moves).map_err(|error| error.to_string())?;
    if game.position().legal_moves().is_empty() {
        return Err(format!("cannot search `{}`: it has no legal move; give another position", game.fen()));
    }
    let name = if body.profile.is_empty() { profile::BUILTIN[0] } else { &body.profile };
    let mut parameters = profile::builtin(name)
        .ok_or_else(|| format!("`{name}` is not a valid profile: expected one of {}", profile::BUILTIN.join(", ")))?;
    for (name, value) in &body.set {
        parameters.set(name, *value).map_err(|error| error.to_string())?;
    }
    let depth = body.depth.map(|depth| {
        let refused = |reason| format!("cannot search to depth {depth}: {reason}; give 1 to {DEPTH_MAX} plies");
        limit(&depth, DEPTH_MAX).map_err(refused)
    });
    let depth = depth.transpose()?;
    let nodes = body.nodes.unwrap_or_else(|| NODES_USUAL.into());
    let refused = |reason| format!("cannot search {nodes} nodes: {reason}; give 1 to {NODES_MAX}");
    let nodes = limit(&nodes, NODES_MAX).map_err(refused)?;
    let mut filter = Filter::default();
    if !body.until.trim().is_empty() {
        filter.add(&format!("until={}", body.until.trim()), &game).map_err(|error| error.to_string())?;
    }
    let request = SearchRequest { game, parameters, profile: name.to_owned(), depth, nodes, filter };
    Ok((request, dropped))
}

/// A limit as a whole number from 1 to `most`, or the reason why it is refused.
fn limit<T: TryFrom<u64> + PartialOrd + From<u8>>(number: &Number, most: T) -> Result<T, &'static str> {
    match number.as_u64().and_then(|whole| T::try_from(whole).ok()) {
        Some(whole) if (T::from(1)..=most).contains(&whole) => Ok(whole),
        _ if number.as_f64().is_some_and(|value| value.fract() != 0.0) => Err("it is not a whole number"),
        _ => Err("out of range"),
    }
}

/// The progress of the search.
pub fn progress(session: &Session) -> SessionAnswer {
    let run = lock(&session.live).0.clone();
    let none = || json_of(json!({"running": false, "seconds": 0.0, "warning": null, "error": null}));
    run.map_or_else(none, |run| run.progress())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::shakmaty::CastlingMode;
    use std::time::Duration;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn body(fen: &str) -> SearchBody {
        SearchBody { fen: fen.into(), ..SearchBody::default() }
    }

    #[test]
    fn an_impossible_request_is_refused_with_its_reason() {
        let set = |name: &str| vec![(name.to_owned(), 0)];
        let cases = [
            (body("nonsense"), "nonsense"),
            (body("8/8/8/8/8/8/8/8 w - - 0 1"), "king"),
            (body(&"8/".repeat(200)), "too long"),
            (body("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "no legal move"),
            (
                SearchBody { moves: vec!["f1f7".into()], ..body("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1") },
                "`7k/5q2/6k1/8/8/8/8/8 b - - 1 1`: it has no",
            ),
            (SearchBody { profile: "strongest".into(), ..body(START) }, "`strongest` is not a valid profile"),
            (SearchBody { depth: Some(0.into()), ..body(START) }, "cannot search to depth 0"),
            (SearchBody { depth: Some((-1).into()), ..body(START) }, "depth -1: out of range; give 1 to 60 plies"),
            (SearchBody { depth: Number::from_f64(2.5), ..body(START) }, "depth 2.5: it is not a whole number"),
            (SearchBody { nodes: Some(u64::MAX.into()), ..body(START) }, "nodes: out of range; give 1 to 2000000"),
            (SearchBody { set: set("null_mov.on"), ..body(START) }, "null_move.on"),
            (SearchBody { until: "later".into(), ..body(START) }, "`later` is not a valid value"),
        ];
        for (body, expected) in cases {
            let fen = body.fen.clone();
            let error = checked(body).map(|_| ()).expect_err(&fen);
            assert!(error.to_lowercase().contains(expected), "{fen}: {error}");
        }
    }

    #[test]
    fn castling_rights_decide_whether_a_game_is_chess960() {
        for (fen, mode) in [(START, CastlingMode::Standard), ("4k3/8/8/8/8/8/8/1R2K2R w HB -", CastlingMode::Chess960)]
        {
            let (request, dropped) = checked(body(fen)).expect(fen);
            assert_eq!((request.game.castling_mode(), dropped.is_none()), (mode, true), "{fen}");
        }
    }

    #[test]
    fn the_request_that_repeats_a_search_has_its_settings() {
        let mut game = Game::standard(START).expect("valid");
        game.play_uci("e2e4").expect("legal");
        let mut parameters = profile::builtin("classic").expect("built in");
        parameters.set("check.on", 1).expect("a switch");
        let limits = Limits::depth(4);
        let (profile, hash, filter) = ("classic", TABLE_DEFAULT, Filter::default());
        let setup = RecordSetup { game: &game, parameters: &parameters, profile, limits: &limits, hash, filter };
        let body = SearchBody::repeating(&setup, 100).expect("nothing prevents it");
        assert_eq!(
            (&*body.fen, &body.moves[..], &body.set[..]),
            (START, &["e2e4".to_owned()][..], &[("check.on".to_owned(), 1)][..])
        );
        let (usual, _) = checked(SearchBody { nodes: None, ..body.clone() }).expect("valid");
        assert_eq!(usual.nodes, NODES_USUAL);
        let (request, _) = checked(body).expect("valid");
        assert_eq!((request.parameters, request.game.fen()), (parameters.clone(), game.fen()));
        let timed = Limits { movetime: Some(Duration::from_millis(10)), ..Limits::default() };
        assert!(SearchBody::repeating(&RecordSetup { limits: &timed, ..setup.clone() }, 100).is_none());
        assert!(SearchBody::repeating(&RecordSetup { profile: "mine.toml", ..setup.clone() }, 100).is_none());
        assert!(SearchBody::repeating(&RecordSetup { hash: 1, ..setup.clone() }, 100).is_none());
    }
}
