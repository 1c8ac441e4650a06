//! The page in a real browser. Without an installed Chromium these tests do nothing and say so.

mod chromium;

use std::path::PathBuf;

use std::time::Instant;

use chromium::Chromium;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_window::trace::{Filter, Trace, record};
use quarterply_window::{View, html};

/// A position with much to do for both sides.
const FEN: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";

/// A recorded search of that many nodes.
fn recorded(nodes: u64) -> View {
    let game = Game::from_fen(FEN, CastlingMode::Standard).expect("valid");
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let recording =
        record::search(&game, &Parameters::default(), &limits, Filter::default(), Vec::new()).expect("memory");
    let trace = Trace::from_bytes(recording.out).expect("a whole trace");
    let start = Instant::now();
    let view = View::of_trace(&trace, usize::MAX, &mut |_| ()).expect("a good trace");
    eprintln!("{} nodes, {} rows, {:?}", trace.len(), view.rows.len(), start.elapsed());
    view
}

fn page_file(name: &str, page: &str) -> String {
    let path = std::env::temp_dir().join(format!("quarterply-{name}-{}.html", std::process::id()));
    std::fs::write(&path, page).expect("a writable folder");
    format!("file://{}", path.display())
}

/// Writes pages and pictures of them for people to look at: `QUARTERPLY_SHOTS=folder cargo test --test browser -- --ignored`.
#[test]
#[ignore = "makes pictures for people"]
fn pictures() {
    let folder = PathBuf::from(std::env::var("QUARTERPLY_SHOTS").unwrap_or_else(|_| "/tmp/shots".into()));
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let page = html::page(&recorded(50_000));
    std::fs::write(folder.join("mock.html"), &page).expect("writable");
    let model = quarterply_window::Model::read(&PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/models/order-matters.json"))).expect("a model");
    std::fs::write(folder.join("model.html"), html::page(&quarterply_window::View::of_model(&model.run()))).expect("writable");
    let Some(mut browser) = Chromium::start("pictures") else { return };
    for (name, width, height, dark) in [("desktop", 1440, 900, false)] {
        browser.look(width, height, dark);
        browser.open(&page_file("pictures", &page));
        browser.shot(&folder.join(format!("{name}.png")));
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}
