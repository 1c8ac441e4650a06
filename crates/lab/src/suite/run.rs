//! All positions of a suite, several at a time, results in order.

use super::{Conditions, Row, Summary, Task, Watch};
use quarterply_engine::position::Game;
use quarterply_files::epd::{Record, Suite};
use quarterply_games::solver::{Solver, SolverError};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::WorkError;
use shakmaty::uci::UciMove;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use thiserror::Error;

/// Per second.
const MILLISECONDS: f64 = 1000.0;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The searcher could not be started.
    #[error("cannot start the engine: {0}")]
    Start(SolverError),
    /// The searcher failed at a position.
    #[error("position {id} (line {line}): {fault}")]
    Search {
        /// The position.
        id: String,
        /// Its line.
        line: usize,
        /// What happened.
        fault: SolverError,
    },
    /// The caller wants no more results, because they cannot be written.
    #[error("stopped after {0} positions")]
    Stopped(u64),
    /// Others cannot do the work.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// Runs a suite with `workers` solvers made by `make`. Rows reach `on_row` in the order of the suite; its `false` ends the run.
pub fn run<S: Solver>(
    suite: &Suite,
    conditions: &Conditions,
    workers: usize,
    make: &(dyn Fn() -> Result<S, SolverError> + Sync),
    on_row: &mut dyn FnMut(&Record, &Row) -> bool,
) -> Result<Summary, RunError> {
    run_until(&Interruption::default(), suite, conditions, workers, make, on_row)
}

/// As [`run`], until it is stopped from outside: then the summary is about the positions before.
pub fn run_until<S: Solver>(
    stop: &Interruption,
    suite: &Suite,
    conditions: &Conditions,
    workers: usize,
    make: &(dyn Fn() -> Result<S, SolverError> + Sync),
    on_row: &mut dyn FnMut(&Record, &Row) -> bool,
) -> Result<Summary, RunError> {
    let records: Vec<&Record> = suite.records.iter().filter(|record| record.has_task()).collect();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut summary = Summary::new(&suite.name, suite.skipped.len() + suite.records.len() - records.len());
    let shared = Shared { suite, records: &records, conditions, next: &next, stop };
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, records.len().max(1)) {
            let sender = sender.clone();
            let shared = &shared;
            scope.spawn(move || shared.work(make, &sender));
        }
        drop(sender);
        let collected = collect(&receiver, &records, &mut summary, on_row);
        next.store(records.len(), Ordering::Relaxed);
        drop(receiver);
        collected
    })?;
    Ok(summary)
}

/// Finished rows, or the failure of a worker, with their place in the suite.
type News = Result<(usize, Row), RunError>;

/// Puts rows back in order.
fn collect(
    receiver: &Receiver<News>,
    records: &[&Record],
    summary: &mut Summary,
    on_row: &mut dyn FnMut(&Record, &Row) -> bool,
) -> Result<(), RunError> {
    let mut waiting = BTreeMap::new();
    let mut due = 0;
    for news in receiver {
        let (index, row) = news?;
        waiting.insert(index, row);
        while let Some(row) = waiting.remove(&due) {
            summary.add(&row);
            if !on_row(records[due], &row) {
                return Err(RunError::Stopped(summary.positions));
            }
            due += 1;
        }
    }
    Ok(())
}

/// What all workers see.
struct Shared<'a> {
    suite: &'a Suite,
    records: &'a [&'a Record],
    conditions: &'a Conditions,
    next: &'a AtomicUsize,
    stop: &'a Interruption,
}

impl Shared<'_> {
    /// Takes positions until there are none left or nobody listens.
    fn work<S: Solver>(&self, make: &(dyn Fn() -> Result<S, SolverError> + Sync), sender: &Sender<News>) {
        let mut solver = match make() {
            Ok(solver) => solver,
            Err(error) => {
                // A receiver that is gone has its result already.
                let _ = sender.send(Err(RunError::Start(error)));
                return;
            }
        };
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(record) = self.records.get(index).filter(|_| !self.stop.is_set()) else { return };
            let row = solve(&mut solver, &self.suite.name, record, self.conditions);
            if self.stop.is_set() {
                // A search that was broken off proves nothing.
                return;
            }
            let news = row.map(|row| (index, row)).map_err(|fault| RunError::Search {
                id: name_of(&self.suite.name, record),
                line: record.line,
                fault,
            });
            if sender.send(news).is_err() {
                return;
            }
        }
    }
}

/// Searches one position in a new game.
pub fn solve<S: Solver>(
    solver: &mut S,
    suite: &str,
    record: &Record,
    conditions: &Conditions,
) -> Result<Row, SolverError> {
    let game = Game::from_chess(record.position.clone(), record.mode);
    let mut watch = Watch::new(Task::new(record), conditions.stop);
    solver.new_game()?;
    let found = solver.search(&game, &conditions.limits, &mut |sighting| watch.see(sighting))?;
    let mut row = Row {
        nodes: found.nodes,
        depth: found.depth,
        ms: (found.time.as_secs_f64() * MILLISECONDS).round() as u64,
        ..blank_row(suite, record)
    };
    let cap = conditions.limits.nodes.unwrap_or(found.nodes);
    let best = watch.finish(found.best, found.nodes, cap, &mut row);
    row.best = best.map(|mv| UciMove::from_move(mv, record.mode).to_string());
    if !record.points.is_empty() {
        row.points = Some(best.map_or(0, |mv| record.points_of(mv)));
        row.points_max = Some(record.points_max());
    }
    Ok(row)
}

/// The name of a position: its id, or where it stands.
pub(super) fn name_of(suite: &str, record: &Record) -> String {
    record.id.clone().unwrap_or_else(|| format!("{suite}:{}", record.line))
}

/// A row that knows its position and nothing else.
pub(super) fn blank_row(suite: &str, record: &Record) -> Row {
    Row {
        suite: suite.to_owned(),
        id: name_of(suite, record),
        fen: record.fen(),
        solved: false,
        best: None,
        nodes_first: 0,
        nodes_stable: 0,
        nodes: 0,
        depth: 0,
        ms: 0,
        points: None,
        points_max: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Stop;
    use quarterply_engine::clock::Limits;
    use quarterply_files::epd::parse_suite;
    use quarterply_games::solver::{Found, Sighting};
    use std::ops::ControlFlow;
    use std::time::Duration;

    const SUITE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm Kd1; id \"first\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - am Kd1; c0 \"e4=10, e3=2\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - id \"no task\";\n\
        nonsense\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - bm Kd7; id \"third\";\n";

    /// Tries the legal moves in order, one iteration each, and ends with the last; games must be new.
    struct InOrder {
        fresh: bool,
    }

    impl Solver for InOrder {
        fn new_game(&mut self) -> Result<(), SolverError> {
            self.fresh = true;
            Ok(())
        }

        fn search(
            &mut self,
            game: &Game,
            _: &Limits,
            watch: &mut dyn FnMut(Sighting) -> ControlFlow<()>,
        ) -> Result<Found, SolverError> {
            if !std::mem::take(&mut self.fresh) {
                return Err(SolverError("no new game".to_owned()));
            }
            let moves = game.position().legal_moves();
            let mut nodes = 0;
            let mut best = None;
            for (depth, mv) in (1..).zip(&moves) {
                nodes += 10;
                best = Some(*mv);
                if watch(Sighting::Best { mv: *mv, depth, nodes, score: None }).is_break() {
                    break;
                }
            }
            Ok(Found { best, score: None, depth: moves.len() as u32, nodes, time: Duration::from_millis(2) })
        }
    }

    fn suite() -> Suite {
        parse_suite("dir/some.epd", SUITE.as_bytes()).expect("a suite")
    }

    fn rows(workers: usize, stop: Stop) -> (Vec<Row>, Summary) {
        let mut rows = Vec::new();
        let conditions = Conditions { stop, ..Conditions::default() };
        let make = || Ok(InOrder { fresh: false });
        let summary = run(&suite(), &conditions, workers, &make, &mut |_, row| {
            rows.push(row.clone());
            true
        });
        (rows, summary.expect("a run"))
    }

    #[test]
    fn rows_come_in_order_whatever_the_number_of_workers() {
        let (one, summary) = rows(1, Stop::WhenFound);
        assert_eq!(one.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["first", "some:2", "third"]);
        assert_eq!((summary.positions, summary.skipped), (3, 2));
        for workers in [2, 3, 16] {
            assert_eq!(rows(workers, Stop::WhenFound), (one.clone(), summary.clone()), "{workers}");
        }
    }

    #[test]
    fn unsolved_positions_without_a_node_limit_cost_what_was_searched() {
        let (rows, _) = rows(1, Stop::AtLimit);
        let unsolved = rows.iter().find(|row| !row.solved).expect("the last move is not always right");
        assert_eq!((unsolved.nodes_first, unsolved.nodes_stable), (unsolved.nodes, unsolved.nodes));
    }

    #[test]
    fn points_are_summed() {
        let (rows, summary) = rows(1, Stop::AtLimit);
        assert_eq!(summary.points_max, Some(10));
        assert_eq!(summary.points, rows[1].points.map(i64::from));
    }

    #[test]
    fn a_failing_engine_names_the_position() {
        struct Broken;
        impl Solver for Broken {
            fn new_game(&mut self) -> Result<(), SolverError> {
                Err(SolverError("it died".to_owned()))
            }
            fn search(
                &mut self,
                _: &Game,
                _: &Limits,
                _: &mut dyn FnMut(Sighting) -> ControlFlow<()>,
            ) -> Result<Found, SolverError> {
                Err(SolverError("it died".to_owned()))
            }
        }
        let fails = |make: &(dyn Fn() -> Result<Broken, SolverError> + Sync)| {
            run(&suite(), &Conditions::default(), 1, make, &mut |_, _| true).expect_err("it fails").to_string()
        };
        assert_eq!(fails(&|| Ok(Broken)), "position first (line 1): it died");
        assert_eq!(
            fails(&|| Err(SolverError("no such program".to_owned()))),
            "cannot start the engine: no such program"
        );
    }

    #[test]
    fn what_was_done_before_an_interruption_counts() {
        /// Is interrupted in its first search.
        struct Interrupted<'a>(&'a Interruption, InOrder);
        impl Solver for Interrupted<'_> {
            fn new_game(&mut self) -> Result<(), SolverError> {
                self.1.new_game()
            }
            fn search(
                &mut self,
                game: &Game,
                limits: &Limits,
                watch: &mut dyn FnMut(Sighting) -> ControlFlow<()>,
            ) -> Result<Found, SolverError> {
                let found = self.1.search(game, limits, watch);
                self.0.set();
                found
            }
        }
        let stop = Interruption::default();
        let mut rows = 0;
        let make = || Ok(Interrupted(&stop, InOrder { fresh: false }));
        let summary = run_until(&stop, &suite(), &Conditions::default(), 1, &make, &mut |_, _| {
            rows += 1;
            true
        });
        let done = summary.expect("no failure").positions;
        assert!(done == rows && (0..2).contains(&done), "{done} of {rows}");
    }

    #[test]
    fn the_caller_can_end_the_run() {
        let make = || Ok(InOrder { fresh: false });
        let end = run(&suite(), &Conditions::default(), 2, &make, &mut |_, _| false);
        assert_eq!(end, Err(RunError::Stopped(1)));
    }
}
