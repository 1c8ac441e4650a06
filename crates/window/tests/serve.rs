//! The server without a browser: its answers, and the requests that it refuses.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use common::{START, depth, game, quiet_pin, recorded, serving, view};
use quarterply_engine::params::Parameters;
use quarterply_engine::search::pool::Control;
use quarterply_window::serve::{self, ServeOptions};
use quarterply_window::view::SearchInput;
use serde_json::{Value, json};

const QUEENLESS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
/// Pawns that a made-up search takes for a reason to panic.
const CURSED: &str = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1";

struct Server {
    port: u16,
    key: String,
}

impl Server {
    /// A server whose search fails inside for one position.
    fn start() -> Server {
        Server::with(ServeOptions::default())
    }

    /// The same with other options.
    fn with(options: ServeOptions) -> Server {
        let recorder = ServeOptions::default().search;
        let search = move |request: &serve::SearchRequest, control: &Control| {
            assert!(!request.game.fen().starts_with(&CURSED[..20]), "made to fail");
            recorder(request, control)
        };
        Server::run(ServeOptions { search: Box::new(search), ..options })
    }

    fn run(options: ServeOptions) -> Server {
        let url = serving(options);
        let port = url.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        let mut server = Server { port, key: String::new() };
        let (status, page) = server.send("GET", "/", &[], "");
        assert_eq!(status, 200);
        let from = page.find("\"key\":\"").expect("a key") + "\"key\":\"".len();
        server.key = page[from..].split('"').next().expect("its end").to_owned();
        server
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let host = format!("127.0.0.1:{}", self.port);
        let mut lines = vec![format!("{method} {path} HTTP/1.1"), "connection: close".into()];
        if !headers.iter().any(|(name, _)| *name == "host") {
            lines.push(format!("host: {host}"));
        }
        lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
        lines.push(format!("content-length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(lines.join("\r\n").as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.send("GET", path, &[], "");
        (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}")))
    }

    fn post_text(&self, path: &str, body: &Value) -> (u16, String) {
        let headers = [("x-quarterply-key", self.key.as_str()), ("content-type", "application/json")];
        self.send("POST", path, &headers, &body.to_string())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.post_text(path, body);
        (status, serde_json::from_str(&text).expect("JSON"))
    }

    fn search(&self, request: &Value) -> (u16, String) {
        self.post_text("/api/search", request)
    }

    /// Waits for the end of what was begun by a request to the same path: its last state.
    fn end_of(&self, path: &str) -> Value {
        loop {
            let (_, state) = self.get(path);
            if state["running"] == false {
                return state;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the search and says what went wrong.
    fn finished(&self) -> Value {
        self.end_of("/api/search")["error"].clone()
    }

    /// Waits for a comparison of the shown tree with other parameters.
    fn compared(&self, tree: u64, set: Value) -> Value {
        assert_eq!(self.post("/api/compare", &json!({"tree": tree, "set": set})).0, 200);
        let state = self.end_of("/api/compare");
        assert_eq!(state["error"], Value::Null);
        state["result"].clone()
    }
}

#[test]
fn questions_are_answered_and_foreign_ones_refused() {
    let server = Server::start();
    let (status, about) = server.get("/api/about");
    assert_eq!((status, &about["tree"], &about["rows"]), (200, &json!(1), &json!(1)));
    for (path, status, expected) in [
        ("/api/children?tree=1&row=0&count=9", 200, ""),
        ("/api/overview?tree=1&row=0&width=100", 200, ""),
        ("/api/children?tree=1&row=7", 400, "cannot find row 7"),
        ("/api/children?tree=2&row=0", 409, "another tree"),
        ("/api/matches?tree=1&filter=everything", 400, "`everything` is not a valid filter"),
        ("/api/event?tree=1&at=2", 400, "cannot find event 2"),
        ("/api/tutorial-chapter?number=0", 400, "cannot make chapter 0: out of range; choose one from 1 to 11"),
        ("/api/tutorial-chapter?number=12", 400, "cannot make chapter 12: out of range; choose one from 1 to 11"),
    ] {
        let (found, answer) = server.get(path);
        assert_eq!(found, status, "{path}: {answer}");
        assert!(answer["error"].as_str().unwrap_or_default().contains(expected), "{path}: {answer}");
    }
    assert_eq!(server.send("GET", "/api/about", &[("host", "evil.example")], "").0, 403);
    assert_eq!(server.send("GET", "/", &[("origin", "http://evil.example")], "").0, 403);
    assert_eq!(server.send("POST", "/api/search", &[("content-type", "application/json")], "{}").0, 403);
    assert_eq!(server.send("POST", "/api/stop", &[("x-quarterply-key", "guess")], "").0, 403);
}

/// A game with its comments is longer than any other request.
#[test]
fn a_long_game_is_read_and_a_request_that_is_too_long_is_refused_with_its_reason() {
    const LIMIT: usize = 64 << 10;
    let server = Server::start();
    let game = format!("1. e4 {} e5 *", "{a comment} ".repeat(LIMIT / 8));
    let (status, found) = server.post("/api/position", &json!({"text": game}));
    assert_eq!((status, &found["plies"]), (200, &json!(2)), "{found}");
    let around = json!({"fen": ""}).to_string().len();
    let (status, refusal) = server.post("/api/search", &json!({"fen": "x".repeat(LIMIT + 1 - around)}));
    assert_eq!(status, 413);
    assert_eq!(refusal["error"], "cannot read the request: it has more than 65536 bytes; send a part of it");
}

/// The rights are dropped when the search begins, and each state of the search has the warning.
#[test]
fn dropped_castling_rights_are_reported() {
    let server = Server::start();
    for (fen, left, warning) in [
        ("4k3/8/8/8/8/8/3R4/4K3 w K -", "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1", Some("castling rights `K` of")),
        ("4k3/8/8/8/8/8/8/1R2K2R w HB -", "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1", None),
        (QUEENLESS, QUEENLESS, None),
    ] {
        assert_eq!(server.search(&json!({"fen": fen, "nodes": 500})).0, 200);
        let state = server.end_of("/api/search");
        assert_eq!(state["error"], Value::Null);
        assert_eq!(server.get("/api/about").1["fen"], left);
        let text = state["warning"].as_str();
        assert_eq!(text.map(|text| text.starts_with(warning.unwrap_or_default())), warning.map(|_| true), "{fen}");
    }
}

#[test]
fn a_search_replaces_the_tree_and_a_failure_does_not() {
    let server = Server::start();
    for (request, expected) in [
        (json!({"fen": "rubbish"}), "rubbish"),
        (json!({"fen": QUEENLESS, "nodes": 1_000_000_000}), "cannot search 1000000000 nodes"),
        (json!({"fen": QUEENLESS, "profile": "x"}), "`x` is not a valid profile"),
        (json!({"FEN": QUEENLESS}), "missing field `fen`"),
    ] {
        let (status, answer) = server.search(&request);
        assert!((400..500).contains(&status) && answer.contains(expected), "{request}: {status} {answer}");
    }
    assert_eq!(server.search(&json!({"fen": QUEENLESS, "nodes": 2000, "set": [["null_move.on", 0]]})).0, 200);
    assert_eq!(server.finished(), Value::Null);
    let (_, about) = server.get("/api/about");
    assert_eq!((&about["tree"], &about["fen"]), (&json!(2), &json!(QUEENLESS)));
    assert!(about["rows"].as_u64() > Some(500), "{about}");

    assert_eq!(server.search(&json!({"fen": CURSED, "nodes": 2000})).0, 200);
    assert!(server.finished().as_str().is_some_and(|error| error.contains("cannot search: internal error")));
    assert_eq!(server.get("/api/about").1["tree"], json!(2));
}

/// A search without a useful limit is stopped from the page and shows what it has.
#[test]
fn a_search_can_be_stopped() {
    let server = Server::start();
    assert_eq!(server.search(&json!({"fen": QUEENLESS, "nodes": 2_000_000})).0, 200);
    assert_eq!(server.search(&json!({"fen": QUEENLESS, "nodes": 2000})).0, 409);
    let key = server.key.clone();
    assert_eq!(server.send("POST", "/api/stop", &[("x-quarterply-key", &key)], "").0, 200);
    assert_eq!(server.finished(), Value::Null);
    assert_eq!(server.get("/api/about").1["tree"], json!(2));
}

/// A connection that is opened and never says what it wants.
#[test]
fn a_half_open_connection_is_closed() {
    let server = Server::with(ServeOptions { silence: Duration::from_millis(300), ..ServeOptions::default() });
    for begin in ["", "GET /api/about HT"] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(begin.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the end of the connection");
    }
    assert_eq!(server.get("/api/about").0, 200);
}

/// Without requests for the progress: the page was closed.
#[test]
fn a_search_without_a_reader_is_stopped() {
    let (sender, ended) = channel();
    let stopped = move |_: &serve::SearchRequest, control: &Control| {
        let begun = std::time::Instant::now();
        while !control.stopped() && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(5));
        }
        sender.send(control.stopped()).expect("somebody waits");
        Err("stopped".to_owned())
    };
    // A busy machine may pause this thread for a second.
    let absence = Duration::from_millis(1500);
    let server = Server::run(ServeOptions { search: Box::new(stopped), absence, ..ServeOptions::default() });
    assert_eq!(server.search(&json!({"fen": QUEENLESS, "nodes": 2000})).0, 200);
    // The search continues beyond the absence limit while a page requests its progress.
    for _ in 0..20 {
        thread::sleep(Duration::from_millis(100));
        assert_eq!(server.get("/api/search").1["running"], true);
    }
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(true));
}

#[test]
fn a_changed_model_is_searched_again() {
    let played = quiet_pin();
    let (view, _) = played.search().expect("chess");
    let server = Server::with(ServeOptions { view: Some(view), played: Some(played), ..ServeOptions::default() });
    let (_, model) = server.get("/api/model");
    let pin = model["nodes"].as_array().expect("nodes").iter().find(|node| node["key"] == "BGB").expect("the pin");
    assert_eq!((&pin["score"], &pin["leaf"], &pin["line"]), (&json!(1.0), &json!(true), &json!("1.Rxe5 Qxe5 2.Bc3")));
    let change = |body: Value| server.post("/api/model", &body);
    let value = |body: Value| {
        let (status, text) = change(body);
        assert_eq!(status, 200, "{text}");
        let (_, about) = server.get("/api/about");
        let text = text["closing"].as_array().expect("lines").iter().map(|line| line.to_string()).collect::<String>();
        (about["value"].as_i64().expect("a value"), text)
    };
    let (found, text) = value(json!({}));
    assert_eq!(found, -275, "{text}");
    assert!(text.contains("in place of 0"), "{text}");
    let (found, text) = value(json!({"set": "futility.on=false"}));
    assert_eq!(found, 0, "{text}");
    assert!(text.contains("the rules changed nothing"), "{text}");
    // Without the pin the textbook thinks no better of the rook's move than futility does.
    let (found, text) = value(json!({"scores": {"BGB": -4.0}}));
    assert_eq!(found, -275, "{text}");
    assert!(text.contains("the rules changed nothing"), "{text}");
    let (found, text) = value(json!({"scores": {"AGB": 2.0, "AHB": 2.5}}));
    assert_eq!(found, 200, "changes are relative to the model as it was served: {text}");
    for (body, needle) in [
        (json!({"scores": {"ZZ": 1.0}}), "cannot change `ZZ`: the model has no such node"),
        (json!({"set": "futilty.on=true"}), "did you mean `futility.on`?"),
        (json!({"set": "futility"}), "`futility` is not a valid setting"),
        (json!({"scores": {"BGB": "one"}}), "invalid type"),
    ] {
        let (status, text) = change(body);
        assert!((400..500).contains(&status) && text.to_string().contains(needle), "{needle}: {status} {text}");
    }
    let (status, _) = server.send("POST", "/api/model", &[("content-type", "application/json")], "{}");
    assert_eq!(status, 403, "only the page may change it");
}

#[test]
fn without_a_model_there_is_none_to_change() {
    let server = Server::start();
    assert_eq!(server.get("/api/model"), (200, Value::Null));
    let (status, text) = server.post_text("/api/model", &json!({}));
    assert!(status == 409 && text.contains("start with --model FILE"), "{status} {text}");
}

/// Rows that differ from the search with a rule switched say so until they are cleared.
#[test]
fn a_comparison_marks_the_rows_that_differ() {
    let server = Server::start();
    assert_eq!(server.search(&json!({"fen": QUEENLESS, "nodes": 2000})).0, 200);
    assert_eq!(server.finished(), Value::Null);
    let (status, refusal) = server.get("/api/matches?tree=2&filter=differs");
    assert!(status == 400 && refusal["error"].as_str().is_some_and(|text| text.contains("switch a rule")), "{refusal}");

    let result = server.compared(2, json!([["null_move.on", 0], ["late_move_reduction.on", 0]]));
    let differences = &result["differences"];
    assert_eq!(differences["label"], "null move off, late move reduction off");
    let sum = differences["differ"].as_u64().expect("a number") + differences["only"].as_u64().expect("a number");
    assert_eq!(server.get("/api/matches?tree=2&filter=differs").1, json!(sum));
    let line: Vec<&str> = result["first"].as_array().expect("a line").iter().filter_map(Value::as_str).collect();
    let after = format!("The trees first differ after {}.", line.join(" "));
    assert_eq!(result["parting"], if line.is_empty() { "The trees differ at the root itself." } else { &after });
    let first = differences["first"].as_u64().expect("they differ somewhere");
    let (_, path) = server.get(&format!("/api/path?tree=2&row={first}"));
    let last = path.as_array().and_then(|path| path.last()).expect("a row");
    assert_eq!(last["differs"]["first"], true, "{last}");
    assert_eq!(server.get("/api/about").1["differences"], *differences);
    assert!(server.get("/api/next?tree=2&at=0&target=differs").1.as_u64().is_some());

    assert_eq!(server.post("/api/compare/clear", &json!({})).0, 200);
    assert_eq!(server.get("/api/about").1["differences"], Value::Null);
    let (_, path) = server.get(&format!("/api/path?tree=2&row={first}"));
    assert!(path.as_array().is_some_and(|path| path.iter().all(|row| row.get("differs").is_none())), "{path}");
}

/// A tree that is not that of its parameters, as one that was recorded with a larger table, is not compared.
#[test]
fn a_tree_that_cannot_be_repeated_is_not_compared() {
    let mut parameters = Parameters::default();
    parameters.set("late_move_reduction.on", 0).expect("a switch");
    let game = game(START);
    let mut view = view(&recorded(&game, &parameters, &depth(6)));
    view.basis = Some(SearchInput { game, parameters: Parameters::default(), playable: None });
    let server = Server::with(ServeOptions { view: Some(view), ..ServeOptions::default() });
    assert_eq!(server.post("/api/compare", &json!({"tree": 1, "set": [["null_move.on", 0]]})).0, 200);
    let state = server.end_of("/api/compare");
    let error = state["error"].as_str().unwrap_or_default();
    assert!(error.starts_with("cannot compare the displayed tree"), "{state}");
    assert_eq!(server.get("/api/about").1["differences"], Value::Null);
}

/// A model as the engine searched it: a rule is switched, and moves are asked about, on the model's tree.
#[test]
fn a_model_is_compared_and_queried_like_any_search() {
    let played = quiet_pin();
    let (view, _) = played.search().expect("chess");
    let server = Server::with(ServeOptions { view: Some(view), played: Some(played), ..ServeOptions::default() });
    let (_, parameters) = server.get("/api/parameters");
    let futility = parameters.as_array().and_then(|list| list.iter().find(|one| one["name"] == "futility.on"));
    assert_eq!(futility.map(|one| &one["value"]), Some(&json!(1)));
    let result = server.compared(1, json!([["futility.on", 0]]));
    let sides = result["sides"].as_array().expect("two");
    let outcomes: Vec<_> = sides.iter().map(|side| (&side["label"], &side["value"], &side["line"])).collect();
    let expected =
        [(json!("as shown"), json!(-275), json!("h3 h5 a4")), (json!("futility off"), json!(0), json!("Rxe5 Kg8 Re1"))];
    assert_eq!(outcomes, expected.each_ref().map(|(label, value, line)| (label, value, line)), "{result}");
    assert!(result["differences"]["first"].as_u64().is_some(), "{result}");

    let ask = |mv: &str| server.post("/api/whatif", &json!({"tree": 1, "row": 0, "mv": mv, "rules": ["futility"]}));
    assert_eq!(ask("Rxe5").0, 200);
    let state = server.end_of("/api/whatif");
    let row = |place: usize| {
        (&state["rows"][place]["value"], &state["rows"][place]["best"], &state["rows"][place]["finished"])
    };
    assert_eq!(row(0).1, &json!("h3"), "{state}");
    assert_eq!(row(1), (&json!(0), &json!("Rxe5"), &json!(true)), "without futility: {state}");
    let (status, refusal) = ask("Kh1");
    let text = refusal["error"].as_str().unwrap_or_default();
    assert!(status == 400 && text.contains("`Kh1` is not in the model here") && text.contains("Rxe5"), "{refusal}");
}
