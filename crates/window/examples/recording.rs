//! What recording costs: searches a middlegame with and without a recorder and compares.
//!
//! `cargo run --release -p quarterply-window --example recording -- NODES [ROUNDS [FILE]]`

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::table::Table;
use quarterply_window::trace::{Filter, record};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, sink};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

const FEN: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11";
const NODES_DEFAULT: u64 = 1_000_000;
const ROUNDS_DEFAULT: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let nodes = arguments.next().map_or(Ok(NODES_DEFAULT), |text| text.parse())?;
    let rounds = arguments.next().map_or(Ok(ROUNDS_DEFAULT), |text| text.parse())?;
    let file = arguments.next().map(PathBuf::from);
    let game = Game::from_fen(FEN, CastlingMode::Standard)?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    for _ in 0..rounds {
        let start = Instant::now();
        let table = Table::new(TABLE_DEFAULT)?;
        let mut searcher = Searcher::new(Parameters::default(), table.into(), ());
        searcher.search_alone(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
        let plain = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let summary = match &file {
            Some(path) => {
                let out = BufWriter::new(File::create(path)?);
                record::search(&game, &Parameters::default(), &limits, Filter::default(), out)?.summary
            }
            None => record::search(&game, &Parameters::default(), &limits, Filter::default(), sink())?.summary,
        };
        let recorded = start.elapsed().as_secs_f64();
        let ratio = recorded / plain;
        println!("{} nodes: plain {plain:.3} s, recorded {recorded:.3} s, x{ratio:.2}", summary.recorded);
    }
    Ok(())
}
