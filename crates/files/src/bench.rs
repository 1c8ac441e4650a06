//! The bench: fixed positions to a fixed depth. Its node count is the signature of the search.

use crate::epd::{Record, parse_suite};
use quarterply_engine::clock::{Instant, Limits};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, Engine};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

/// Depth when none is given (plies).
pub const DEPTH_DEFAULT: u32 = 13;
/// Our own positions, one EPD a line.
const POSITIONS: &str = include_str!("bench.epd");

/// The positions of the bench.
pub fn positions() -> Vec<Record> {
    parse_suite("bench.epd", POSITIONS.as_bytes()).map(|suite| suite.records).unwrap_or_default()
}

/// The nodes and the time of one position.
#[derive(Clone, Debug)]
pub struct BenchStep {
    /// The number of the position, from 1.
    pub number: usize,
    /// The number of positions.
    pub count: usize,
    /// The name of the position.
    pub id: String,
    /// Its nodes.
    pub nodes: u64,
    /// Its time.
    pub time: Duration,
}

/// The nodes and the time of the bench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// All nodes.
    pub nodes: u64,
    /// All time.
    pub time: Duration,
}

impl Total {
    /// Nodes per second.
    pub fn speed(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(f64::EPSILON)) as u64
    }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.speed())
    }
}

/// Searches the first `count` positions to `depth`, each in a new game on one thread.
pub fn run(parameters: &Parameters, depth: u32, count: usize, on_step: &mut dyn FnMut(&BenchStep)) -> Total {
    run_until(parameters, depth, count, &Control::default(), on_step).unwrap_or_default()
}

/// Runs the bench; returns `None` if `control` stops it.
pub fn run_until(
    parameters: &Parameters,
    depth: u32,
    count: usize,
    control: &Control,
    on_step: &mut dyn FnMut(&BenchStep),
) -> Option<Total> {
    let mut engine = Engine::new(parameters.clone());
    let records = positions();
    let count = count.min(records.len());
    let mut total = Total::default();
    for (index, record) in records.into_iter().take(count).enumerate() {
        let game = Game::from_chess(record.position.clone(), record.mode);
        engine.new_game();
        let start = Instant::now();
        let outcome = engine.search(&game, &Limits::depth(depth), control, &mut |_| ControlFlow::Continue(()));
        if control.stopped() {
            return None;
        }
        let time = start.elapsed();
        total.nodes += outcome.nodes;
        total.time += time;
        on_step(&BenchStep { number: index + 1, count, id: record.id.unwrap_or_default(), nodes: outcome.nodes, time });
    }
    Some(total)
}

/// The nodes of the first `count` positions at `depth`.
pub fn signature(parameters: &Parameters, depth: u32, count: usize) -> u64 {
    run(parameters, depth, count, &mut |_| {}).nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::profile::{self, Profile};
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// The least number of positions.
    const COUNT_MIN: usize = 40;

    #[test]
    fn every_position_is_good_different_and_named() {
        let suite = parse_suite("bench.epd", POSITIONS.as_bytes()).expect("our own file");
        assert_eq!(suite.skipped, []);
        assert!(suite.records.len() >= COUNT_MIN, "{}", suite.records.len());
        let fens: HashSet<_> = suite.records.iter().map(Record::fen).collect();
        let ids: HashSet<_> = suite.records.iter().filter_map(|record| record.id.clone()).collect();
        assert_eq!((fens.len(), ids.len()), (suite.records.len(), suite.records.len()));
    }

    #[test]
    fn two_runs_search_the_same_nodes() {
        let parameters = Parameters::default();
        let first = signature(&parameters, 5, 12);
        assert!(first > 0);
        assert_eq!(first, signature(&parameters, 5, 12));
        assert!(first > signature(&parameters, 5, 11) && first > signature(&parameters, 4, 12));
    }

    #[test]
    fn the_last_line_has_the_format_that_servers_read() {
        let total = Total { nodes: 3_000_000, time: Duration::from_millis(1500) };
        assert_eq!(total.to_string(), "3000000 nodes 2000000 nps");
    }

    /// A change of one node changes the profile: give a new parameter a neutral value without effect, or update the profile's
    /// date and describe the change in the commit. Another network or evaluation changes the benches of all profiles. They get new
    /// benches and keep their dates, because their values are the same.
    #[test]
    fn every_profile_searches_the_nodes_in_its_file() {
        let count = positions().len();
        let found = |profile: &Profile| {
            let nodes = signature(&profile.parameters, profile.bench_depth, count);
            (nodes != profile.bench_nodes).then(|| {
                format!(
                    "profiles/{}.toml: bench = {{ depth = {}, nodes = {nodes} }}",
                    profile.name, profile.bench_depth
                )
            })
        };
        let next = AtomicUsize::new(0);
        let changed = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(profile) = profile::files().get(next.fetch_add(1, Ordering::Relaxed)) {
                        changed.lock().expect("no panic").extend(found(profile));
                    }
                });
            }
        });
        let changed = changed.into_inner().expect("no panic");
        assert!(changed.is_empty(), "these profiles search other nodes than their files say:\n{}", changed.join("\n"));
    }
}
