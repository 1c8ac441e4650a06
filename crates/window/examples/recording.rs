//! The cost of recording: searches a middlegame with and without a recorder and compares.
//!
//! `cargo run --release -p quarterply-window --example recording -- NODES [ROUNDS [FILE]]`
//!
//! The searches take turns, and the quickest of each kind are compared, because other work of the machine makes the others slower.
//! Processor time counts the thread that compresses as well.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::table::Table;
use quarterply_window::trace::{Filter, record};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, sink};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const FEN: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11";
const NODES_DEFAULT: u64 = 1_000_000;
const ROUNDS_DEFAULT: usize = 5;
const KIBIBYTES_PER_MEBIBYTE: u64 = 1 << 10;

/// Seconds that a search took.
#[derive(Clone, Copy)]
struct Spent {
    /// On the clock.
    wall: f64,
    /// Of all processors; 0 if the system does not report it.
    processor: f64,
}

impl Spent {
    const NOTHING_YET: Spent = Spent { wall: f64::INFINITY, processor: f64::INFINITY };

    /// Runs something and says what it took.
    fn by<T>(action: impl FnOnce() -> T) -> (Spent, T) {
        let (start, before) = (Instant::now(), processor_seconds());
        let result = action();
        let processor = processor_seconds().zip(before).map_or(0.0, |(after, before)| after - before);
        (Spent { wall: start.elapsed().as_secs_f64(), processor }, result)
    }

    /// The lesser of each.
    fn least(self, other: Spent) -> Spent {
        Spent { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let nodes = arguments.next().map_or(Ok(NODES_DEFAULT), |text| text.parse())?;
    let rounds = arguments.next().map_or(Ok(ROUNDS_DEFAULT), |text| text.parse())?;
    let file = arguments.next().map(PathBuf::from);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let game = Game::from_fen(FEN, CastlingMode::Standard)?;
    let mut best = [Spent::NOTHING_YET; 2];
    let mut recorded_nodes = 0;
    for _ in 0..rounds {
        let (plain, outcome) = Spent::by(|| plain(&game, &limits));
        outcome?;
        let (recorded, outcome) = Spent::by(|| recorded(&game, &limits, file.as_deref()));
        recorded_nodes = outcome?;
        println!("plain {:.3} s, recorded {:.3} s, x{:.2}", plain.wall, recorded.wall, recorded.wall / plain.wall);
        best = [best[0].least(plain), best[1].least(recorded)];
    }
    report(recorded_nodes, best, file.as_deref());
    Ok(())
}

fn plain(game: &Game, limits: &Limits) -> Result<(), Box<dyn Error>> {
    let mut searcher = Searcher::new(Parameters::default(), Table::new(TABLE_DEFAULT)?.into());
    searcher.search_alone(game, limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
    Ok(())
}

/// Says how many nodes were recorded.
fn recorded(game: &Game, limits: &Limits, file: Option<&Path>) -> Result<u64, Box<dyn Error>> {
    let (parameters, filter) = (Parameters::default(), Filter::default());
    let summary = match file {
        Some(path) => {
            let out = BufWriter::new(File::create(path)?);
            record::search(game, &parameters, limits, filter, out)?.summary
        }
        None => record::search(game, &parameters, limits, filter, sink())?.summary,
    };
    Ok(summary.recorded)
}

fn report(nodes: u64, [plain, recorded]: [Spent; 2], file: Option<&Path>) {
    println!("{nodes} nodes recorded; the quickest of each:");
    for (name, plain, recorded) in
        [("wall time", plain.wall, recorded.wall), ("processor time", plain.processor, recorded.processor)]
    {
        println!("{name}: plain {plain:.2} s, recorded {recorded:.2} s, x{:.2}", recorded / plain);
    }
    if let Some(bytes) = file.and_then(|path| fs::metadata(path).ok()) {
        println!("{} bytes, {:.1} for each node", bytes.len(), bytes.len() as f64 / nodes as f64);
    }
    if let Some(kibibytes) = status_kibibytes("VmHWM:") {
        println!("peak memory {} MiB", kibibytes / KIBIBYTES_PER_MEBIBYTE);
    }
}

/// A line of what Linux says about this process.
fn status_kibibytes(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Processor time of this process so far, ended threads included, where Linux reports it: in user mode and in the system.
fn processor_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    /// Behind the name in parentheses: these many fields, then the two times.
    const FIELDS_BEFORE: usize = 11;
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(FIELDS_BEFORE).take(2).map(str::parse::<f64>);
    Some(times.sum::<Result<f64, _>>().ok()? / TICKS_PER_SECOND)
}
