//! Positions and recorded searches that several tests share.
#![allow(dead_code, reason = "no test uses all of it")]

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_window::model_search::ModelSetup;
use quarterply_window::serve::{self, ServeOptions};
use quarterply_window::trace::record::{self, RecordSetup, Recording};
use quarterply_window::trace::{Filter, Trace};
use quarterply_window::{Model, View};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The position of the README, with much to do for both sides.
pub const README: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";

pub fn game(fen: &str) -> Game {
    Game::standard(fen).expect(fen)
}

/// Number of positions of the suite of combinations, from all parts of it.
pub fn suite(count: usize) -> Vec<Game> {
    let lines: Vec<&str> = quarterply_data::SUITES[1].1.lines().filter(|line| !line.starts_with('#')).collect();
    let fen = |line: &&str| line.split(' ').take(4).chain(["0", "1"]).collect::<Vec<_>>().join(" ");
    lines.iter().step_by(lines.len() / count).take(count).map(|line| game(&fen(line))).collect()
}

pub fn nodes(nodes: u64) -> Limits {
    Limits::nodes(nodes)
}

pub fn depth(plies: u32) -> Limits {
    Limits::depth(plies)
}

/// Searches with an empty table of the usual size.
pub fn record(game: &Game, parameters: &Parameters, limits: &Limits, filter: Filter) -> Recording<Vec<u8>> {
    let setup = RecordSetup { game, parameters, profile: "default", limits, hash: TABLE_DEFAULT, filter };
    record::search(&setup, None, &Control::default(), None, Vec::new()).expect("memory")
}

pub fn recorded(game: &Game, parameters: &Parameters, limits: &Limits) -> Trace {
    Trace::from_bytes(record(game, parameters, limits, Filter::default()).out).expect("a whole trace")
}

/// The filter of a text; empty for everything.
pub fn filter(text: &str, game: &Game) -> Filter {
    let mut filter = Filter::default();
    filter.add(text, game).expect(text);
    filter
}

/// An error that names the requirement unless it holds.
pub fn must(holds: bool, requirement: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(requirement.to_owned()) }
}

/// All of a recorded search.
pub fn view(trace: &Trace) -> View {
    View::of_trace(trace, usize::MAX).expect("a good trace")
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A shipped model.
pub fn shipped(name: &str) -> Model {
    Model::read(&root().join(format!("data/models/{name}.json"))).expect("a shipped model")
}

/// The shipped model that futility misreads, with every other rule off.
pub fn quiet_pin() -> ModelSetup {
    let mut parameters = profile::builtin("classic").expect("built in");
    parameters.set("futility.on", 1).expect("a switch");
    ModelSetup { model: shipped("quiet-pin"), parameters, profile: "classic".to_owned(), depth: None }
}

/// Serves until the tests end; returns the address.
pub fn serving(options: ServeOptions) -> String {
    let (sender, address) = channel();
    let announce = Box::new(move |url: &str| sender.send(url.to_owned()).expect("somebody waits"));
    thread::spawn(move || serve::run(ServeOptions { announce, ..options }));
    address.recv().expect("a server")
}
