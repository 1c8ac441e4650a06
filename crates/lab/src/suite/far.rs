//! Suites searched on other machines: a task is a slice of the positions for one setting, its outcome their rows.

use super::run::{RunError, name_of, solve};
use super::{Conditions, Row, Stop, Summary};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_files::epd::{Record, Suite, parse_suite};
use quarterply_games::portable::EngineData;
use quarterply_games::solver::{EngineSolver, Found as Answer, Sighting, Solver, SolverError};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{Build, Course, Desk, Digest, Far, Fault, Found, NOMINAL_SPEED, Outcome, Task, drive};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

/// What such tasks are called.
pub const KIND: &str = "solve";
/// A task is no larger than this part of the whole, so that all workers have something to do.
const PARTS: usize = 64;
/// Most positions of a task.
const POSITIONS_MAX: usize = 64;

/// A suite is to be searched by this engine under these conditions.
#[derive(Clone, Debug)]
pub struct Order {
    /// Who searches.
    pub engine: EngineData,
    /// How.
    pub conditions: Conditions,
}

/// Positions to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    engine: EngineData,
    nodes: Option<u64>,
    /// Milliseconds for each position.
    movetime: Option<u64>,
    depth: Option<u32>,
    stop: Stop,
    /// Lines of EPD.
    positions: Vec<String>,
}

impl Content {
    fn conditions(&self) -> Conditions {
        let movetime = self.movetime.map(Duration::from_millis);
        let limits = Limits { nodes: self.nodes, movetime, depth: self.depth, ..Limits::default() };
        Conditions { limits, stop: self.stop }
    }
}

/// Runs a suite for each order. Rows reach `on_row` with the number of their order, in the sequence of the orders and then of the suite;
/// its `false` ends the run. There is a summary for each order; when stopped from outside, they are about the positions before.
///
/// # Errors
/// [`RunError`]
pub fn run_far(
    stop: &Interruption,
    suite: &Suite,
    orders: &[Order],
    far: &mut Far<'_>,
    on_row: &mut dyn FnMut(usize, &Record, &Row) -> bool,
) -> Result<Vec<Summary>, RunError> {
    let records: Vec<&Record> = suite.records.iter().filter(|record| record.has_task()).collect();
    let skipped = suite.skipped.len() + suite.records.len() - records.len();
    let grain = far.executor.grain();
    let mut slices = Slices {
        stop,
        suite,
        lines: records.iter().map(ToString::to_string).collect(),
        slices: cut(orders, records.len(), grain),
        records,
        orders,
        build: far.build.clone(),
        next: 0,
        waiting: BTreeMap::new(),
        due: 0,
        summaries: orders.iter().map(|_| Summary::new(&suite.name, skipped)).collect(),
        on_row,
        refused: false,
    };
    drive(far, &mut slices)?;
    if slices.refused {
        return Err(RunError::Stopped(slices.summaries.iter().map(|summary| summary.positions).sum()));
    }
    Ok(slices.summaries)
}

/// The slices of all orders: an order and a range of the positions.
fn cut(orders: &[Order], positions: usize, grain: f64) -> Vec<(usize, Range<usize>)> {
    let part = (orders.len() * positions / PARTS).max(1);
    let mut slices = Vec::new();
    for (number, order) in orders.iter().enumerate() {
        let limits = &order.conditions.limits;
        let of_nodes = limits.nodes.map(|nodes| nodes as f64 / NOMINAL_SPEED);
        let of_time = limits.movetime.map(|time| time.as_secs_f64());
        let seconds = of_nodes.into_iter().chain(of_time).fold(grain, f64::min).max(f64::EPSILON);
        let size = ((grain / seconds) as usize).clamp(1, POSITIONS_MAX).min(part);
        slices.extend((0..positions).step_by(size).map(|first| (number, first..positions.min(first + size))));
    }
    slices
}

/// The run as others see it.
struct Slices<'a, 'b> {
    stop: &'a Interruption,
    suite: &'a Suite,
    records: Vec<&'a Record>,
    /// The records as EPD.
    lines: Vec<String>,
    orders: &'a [Order],
    slices: Vec<(usize, Range<usize>)>,
    build: Build,
    next: usize,
    /// Rows whose turn has not come, by order and position.
    waiting: BTreeMap<(usize, usize), Row>,
    /// How many rows were told.
    due: usize,
    summaries: Vec<Summary>,
    on_row: &'a mut (dyn FnMut(usize, &Record, &Row) -> bool + 'b),
    /// The caller wants no more.
    refused: bool,
}

impl Slices<'_, '_> {
    /// Tells the rows whose turn has come.
    fn advance(&mut self) {
        while !self.refused {
            let (order, position) = (self.due / self.records.len(), self.due % self.records.len());
            let Some(row) = self.waiting.remove(&(order, position)) else { return };
            self.due += 1;
            self.summaries[order].add(&row);
            self.refused = !(self.on_row)(order, self.records[position], &row);
        }
    }
}

impl Course<usize> for Slices<'_, '_> {
    fn take(&mut self) -> Option<(usize, Task)> {
        let (order, range) = self.slices.get(self.next)?.clone();
        self.next += 1;
        let Order { engine, conditions } = &self.orders[order];
        let content = Content {
            engine: engine.clone(),
            nodes: conditions.limits.nodes,
            movetime: conditions.limits.movetime.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            depth: conditions.limits.depth,
            stop: conditions.stop,
            positions: self.lines[range].to_vec(),
        };
        let content = serde_json::to_value(content).unwrap_or_default();
        let objects = engine.evaluation.object().into_iter().collect();
        Some((self.next - 1, Task { kind: KIND.to_owned(), build: self.build.clone(), objects, content }))
    }

    fn done(&mut self, slice: usize, outcome: Outcome) -> Result<(), String> {
        let rows: Vec<Row> = serde_json::from_value(outcome.body).map_err(|error| error.to_string())?;
        let (order, range) = self.slices[slice].clone();
        if rows.len() != range.len() {
            return Err(format!("{} positions instead of {}", rows.len(), range.len()));
        }
        for (position, row) in range.zip(rows) {
            let record = self.records[position];
            if row.fen != record.fen() {
                return Err(format!("position {} instead of {}", row.fen, record.fen()));
            }
            let (suite, id) = (self.suite.name.clone(), name_of(&self.suite.name, record));
            self.waiting.insert((order, position), Row { suite, id, ..row });
        }
        self.advance();
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.refused || self.stop.is_set()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let done = self.due + self.waiting.len();
        (done as u64, Some((self.orders.len() * self.records.len() - done) as u64))
    }
}

/// Searches positions that others ask for.
#[derive(Default)]
pub struct Runner {
    /// The engine that searched last.
    ready: Option<(EngineData, EngineSolver)>,
}

impl Runner {
    fn search(&mut self, content: &Content, desk: &Desk) -> Result<Vec<Row>, Fault> {
        desk.room(content.engine.hash as u64)?;
        let suite = parse_suite("task", content.positions.join("\n").as_bytes());
        let suite = suite.map_err(|error| Fault::Refused(error.to_string()))?;
        if suite.records.len() != content.positions.len() {
            return Err(Fault::Refused("some of its positions cannot be read".to_owned()));
        }
        let ready = self.ready.take().filter(|(engine, _)| *engine == content.engine);
        let (engine, mut solver) = match ready {
            Some(ready) => ready,
            None => (content.engine.clone(), content.engine.solver(desk)?),
        };
        let conditions = content.conditions();
        let mut rows = Vec::with_capacity(suite.records.len());
        for record in &suite.records {
            let row = solve(&mut Leashed { solver: &mut solver, desk }, "", record, &conditions);
            if desk.is_stopped() {
                // A search that was broken off proves nothing.
                return Err(Fault::Stopped);
            }
            rows.push(row.map_err(|error| Fault::Failed(error.to_string()))?);
        }
        self.ready = Some((engine, solver));
        Ok(rows)
    }
}

/// A solver that breaks off when nobody wants its result any more.
pub struct Leashed<'a> {
    /// Who searches.
    pub solver: &'a mut EngineSolver,
    /// Knows whether the result is wanted.
    pub desk: &'a Desk,
}

impl Solver for Leashed<'_> {
    fn new_game(&mut self) -> Result<(), SolverError> {
        self.solver.new_game()
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        watch: &mut dyn FnMut(Sighting) -> ControlFlow<()>,
    ) -> Result<Answer, SolverError> {
        let desk = self.desk;
        let mut watch = |sighting| if desk.is_stopped() { ControlFlow::Break(()) } else { watch(sighting) };
        self.solver.search(game, limits, &mut watch)
    }
}

/// Everything of the rows that is the same on every machine: all but times.
fn agree(rows: &[Row]) -> Digest {
    let rows: Vec<Row> = rows.iter().map(|row| Row { ms: 0, ..row.clone() }).collect();
    Digest::of(&serde_json::to_vec(&rows).unwrap_or_default())
}

impl quarterply_work::Runner for Runner {
    fn run(&mut self, task: &Task, desk: &Desk) -> Result<Found, Fault> {
        let content: Content = serde_json::from_value(task.content.clone())
            .map_err(|error| Fault::Refused(format!("it is no task of solve ({error})")))?;
        let rows = self.search(&content, desk)?;
        let repeats = content.movetime.is_none() && content.engine.threads <= 1;
        let agree = repeats.then(|| agree(&rows));
        Ok(Found { body: serde_json::to_value(&rows).unwrap_or_default(), agree })
    }
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::*;
    use quarterply_engine::params::Parameters;
    use quarterply_work::Here;

    const SUITE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+; id \"mate\";\n\
        r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7+; c0 \"Qxf7+=10\";\n\
        4k3/8/8/8/8/8/8/4K3 w - - id \"no task\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; hmvc 3; fmvn 40;\n";

    fn timeless(rows: &[Row]) -> Vec<Row> {
        rows.iter().map(|row| Row { ms: 0, ..row.clone() }).collect()
    }

    #[test]
    fn rows_of_other_machines_are_those_of_this_one_in_the_same_order() {
        let suite = parse_suite("some.epd", SUITE.as_bytes()).expect("a suite");
        let mut other = Parameters::default();
        other.switch_all_off();
        let folder = tempfile::tempdir().expect("a folder");
        let build = Build { program: "p".to_owned(), signature: "1".to_owned() };
        let mut here = Here::new(build.clone(), Box::new(Runner::default()), folder.path().to_owned(), 4);
        let say = |text: &str| panic!("{text}");
        let mut far = Far { executor: &mut here, build, say: &say };
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let conditions = Conditions { limits, stop: Stop::AtLimit };
        let (mut orders, mut local) = (Vec::new(), Vec::new());
        for parameters in [Parameters::default(), other] {
            let make = || EngineSolver::new(parameters.clone(), 1, 1);
            let mut rows = Vec::new();
            run(&suite, &conditions, 1, &make, &mut |_, row| {
                rows.push(row.clone());
                true
            })
            .expect("rows");
            local.push(timeless(&rows));
            let engine = EngineData::solver_of(&parameters, 1, 1, &mut far).expect("data");
            orders.push(Order { engine, conditions: conditions.clone() });
        }
        let mut found: Vec<Vec<Row>> = vec![Vec::new(); orders.len()];
        let summaries = run_far(&Interruption::default(), &suite, &orders, &mut far, &mut |order, _, row| {
            found[order].push(row.clone());
            true
        });
        assert_eq!(found.iter().map(|rows| timeless(rows)).collect::<Vec<_>>(), local);
        let summaries = summaries.expect("no fault");
        assert_eq!(
            summaries.iter().map(|summary| (summary.positions, summary.skipped)).collect::<Vec<_>>(),
            [(3, 1); 2]
        );
        assert_ne!(local[0], local[1], "the settings differ");
        let ended = run_far(&Interruption::default(), &suite, &orders, &mut far, &mut |_, _, _| false);
        assert_eq!(ended, Err(RunError::Stopped(1)));
    }

    #[test]
    fn tasks_are_cut_without_gaps_and_the_same_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let build = Build { program: "p".to_owned(), signature: "1".to_owned() };
        let mut here = Here::new(build.clone(), Box::new(Runner::default()), folder.path().to_owned(), 4);
        let mut far = Far { executor: &mut here, build, say: &|_| {} };
        let engine = EngineData::solver_of(&Parameters::default(), 1, 1, &mut far).expect("data");
        for (nodes, depth, largest) in [(Some(100_000), None, 20), (None, Some(9), 1), (Some(10), None, 46)] {
            let limits = Limits { nodes, depth, ..Limits::default() };
            let order = Order { engine: engine.clone(), conditions: Conditions { limits, ..Conditions::default() } };
            let slices = cut(&[order.clone(), order.clone()], 1500, 5.0);
            assert_eq!(slices.iter().map(|(_, range)| range.len()).max(), Some(largest), "{nodes:?}");
            let all: Vec<_> =
                slices.iter().flat_map(|(order, range)| range.clone().map(move |i| (*order, i))).collect();
            assert!(
                all.iter().eq((0..2).flat_map(|order| (0..1500).map(move |i| (order, i))).collect::<Vec<_>>().iter())
            );
        }
    }
}
