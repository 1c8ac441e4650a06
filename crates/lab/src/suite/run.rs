//! Suites as jobs: a task is a slice of the positions for one engine, its outcome their rows.

use super::{BestMoveWatch, RunConditions, SolveCriteria, Stop, SuiteConditions, SuiteRow, SuiteSummary};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Control;
use quarterply_files::epd::{Record, Suite, parse_line};
use quarterply_games::portable::EngineData;
use quarterply_games::solver::{EngineSolver, Solver, SolverError};
use quarterply_uci::process::Stop as Interruption;
use quarterply_work::{
    Context, Digest, Done, Executor, Job, JobItem, JobState, NOMINAL_SPEED, StopMode, TaskError, TaskKind, Threads,
    WorkError,
};
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Per second.
const MILLISECONDS: f64 = 1000.0;
/// A task is at most this part of the whole, so that all workers have tasks.
const PARTS: usize = 64;
/// Most positions of a task.
const POSITIONS_MAX: usize = 64;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The caller refused a row, because it cannot be written.
    #[error("stopped after {0} positions")]
    Stopped(u64),
    /// The tasks cannot be executed.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// The engine that searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuiteEngine {
    /// This engine.
    Engine(Arc<EngineData>),
    /// The solver of the executor, which this machine has; see [`SuiteWorker::local`].
    Local,
}

impl SuiteEngine {
    /// This engine with a table of `hash` MiB and `threads` threads.
    ///
    /// # Errors
    /// Its network cannot be stored.
    pub fn engine(
        parameters: &Parameters,
        hash: usize,
        threads: usize,
        executor: &mut dyn Executor<SuiteWorker>,
    ) -> Result<SuiteEngine, WorkError> {
        let data = EngineData::new(parameters, hash, threads, &mut |path| executor.store(path))?;
        Ok(SuiteEngine::Engine(Arc::new(data)))
    }
}

/// An engine and the conditions under which it searches a suite.
#[derive(Clone, Debug)]
pub struct SuiteSetup {
    /// The engine that searches.
    pub searcher: SuiteEngine,
    /// The conditions.
    pub conditions: SuiteConditions,
}

/// Positions to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionsTask {
    searcher: SuiteEngine,
    nodes: Option<u64>,
    /// Milliseconds for each position.
    movetime: Option<u64>,
    depth: Option<u32>,
    stop: Stop,
    /// Lines of EPD with their numbers.
    positions: Vec<(usize, String)>,
}

impl PositionsTask {
    fn new(setup: &SuiteSetup, positions: Vec<(usize, String)>) -> PositionsTask {
        let RunConditions { nodes, movetime, depth, stop } = RunConditions::of(&setup.conditions);
        PositionsTask { searcher: setup.searcher.clone(), nodes, movetime, depth, stop, positions }
    }

    fn conditions(&self) -> SuiteConditions {
        let movetime = self.movetime.map(Duration::from_millis);
        let limits = Limits { nodes: self.nodes, movetime, depth: self.depth, ..Limits::default() };
        SuiteConditions { limits, stop: self.stop }
    }
}

/// Makes a solver that only this machine has.
pub type MakeSolver = dyn Fn() -> Result<Box<dyn Solver>, SolverError> + Send + Sync;

/// Searches positions.
#[derive(Default)]
pub struct SuiteWorker {
    make: Option<Arc<MakeSolver>>,
    /// The engine that searched last.
    engine: Option<(Arc<EngineData>, EngineSolver)>,
    local: Option<Box<dyn Solver>>,
}

impl SuiteWorker {
    /// The executor that searches in this process, until `stop` is set.
    pub fn threads(count: usize, stop: &Interruption) -> Threads<SuiteWorker> {
        Threads::start_until(count, Some(stop.flag()), || Ok(SuiteWorker::default()))
    }

    /// The executor of a solver that only this machine has: [`SuiteEngine::Local`].
    pub fn local(count: usize, stop: &Interruption, make: Arc<MakeSolver>) -> Threads<SuiteWorker> {
        let make = move || Ok(SuiteWorker { make: Some(Arc::clone(&make)), ..SuiteWorker::default() });
        Threads::start_until(count, Some(stop.flag()), make)
    }

    /// The solver of a task. A new game clears all state of earlier positions.
    fn solver(&mut self, searcher: &SuiteEngine, context: &Context) -> Result<&mut dyn Solver, TaskError> {
        let data = match (searcher, &self.make) {
            (SuiteEngine::Engine(data), _) => data,
            (SuiteEngine::Local, Some(make)) => {
                let solver = match self.local.take() {
                    Some(solver) => solver,
                    None => make().map_err(|error| TaskError::Refused(format!("cannot start the engine: {error}")))?,
                };
                return Ok(self.local.insert(solver).as_mut());
            }
            (SuiteEngine::Local, None) => {
                return Err(TaskError::Refused(
                    "cannot execute the task: its engine is on another machine only".to_owned(),
                ));
            }
        };
        let solver = match self.engine.take() {
            Some((known, solver)) if known == *data => solver,
            _ => data.solver(context)?,
        };
        Ok(&mut self.engine.insert((Arc::clone(data), solver)).1)
    }
}

impl TaskKind for SuiteWorker {
    const NAME: &'static str = "solve";
    type Task = PositionsTask;
    type Outcome = Vec<SuiteRow>;

    fn run(&mut self, task: &PositionsTask, context: &Context) -> Result<Vec<SuiteRow>, TaskError> {
        if let SuiteEngine::Engine(engine) = &task.searcher {
            context.reserve(engine.hash as u64)?;
        }
        let solver = self.solver(&task.searcher, context)?;
        let control = Control::default();
        solver.set_control(&control);
        let _hook = context.cancel.on_cancel(move || control.stop());
        let conditions = task.conditions();
        let mut rows = Vec::with_capacity(task.positions.len());
        for (line, text) in &task.positions {
            let record = parse_line(text, *line).map_err(|fault| TaskError::Refused(fault.to_string()))?;
            let row = solve(solver, &record, &conditions);
            if context.is_cancelled() {
                // The result of an interrupted search does not count.
                return Err(TaskError::Stopped);
            }
            let failed = |fault| {
                let id = record.id.as_deref().map_or(String::new(), |id| format!(" {id}"));
                TaskError::Failed(format!("cannot search position{id} (line {line}): {fault}"))
            };
            rows.push(row.map_err(failed)?);
        }
        Ok(rows)
    }

    fn objects(task: &PositionsTask) -> Vec<Digest> {
        match &task.searcher {
            SuiteEngine::Engine(engine) => engine.evaluation.object().into_iter().collect(),
            SuiteEngine::Local => Vec::new(),
        }
    }

    /// The checksum of everything except times.
    fn checksum(task: &PositionsTask, rows: &Vec<SuiteRow>) -> Option<Digest> {
        let repeats = matches!(&task.searcher, SuiteEngine::Engine(engine) if engine.threads <= 1);
        (repeats && task.movetime.is_none()).then(|| {
            let rows: Vec<SuiteRow> = rows.iter().map(|row| SuiteRow { ms: 0, ..row.clone() }).collect();
            Digest::of(&serde_json::to_vec(&rows).unwrap_or_default())
        })
    }
}

/// Runs a suite for each setup. Rows reach `on_row` with the number of their setup, in the sequence of the setups and then of the suite;
/// its `false` ends the run. There is a summary for each setup; if `stop` is set, they cover the positions before. `on_message` receives
/// messages for the user.
pub fn run(
    stop: &Interruption,
    suite: &Suite,
    setups: &[SuiteSetup],
    executor: &mut dyn Executor<SuiteWorker>,
    on_message: &dyn Fn(&str),
    on_row: &mut dyn FnMut(usize, &Record, &SuiteRow) -> bool,
) -> Result<Vec<SuiteSummary>, RunError> {
    let records: Vec<&Record> = suite.records.iter().filter(|record| record.has_task()).collect();
    let skipped = suite.skipped.len() + suite.records.len() - records.len();
    let summary = |setup: &SuiteSetup| SuiteSummary {
        conditions: Some(RunConditions::of(&setup.conditions)),
        ..SuiteSummary::new(&suite.name, skipped)
    };
    let mut job = SuiteJob {
        stop,
        suite,
        slices: cut(setups, records.len(), executor.target_duration()),
        records,
        setups,
        next: 0,
        received: 0,
        summaries: setups.iter().map(summary).collect(),
        on_row,
        refused: false,
    };
    quarterply_work::run(&mut job, executor, on_message)?;
    if job.refused {
        return Err(RunError::Stopped(job.summaries.iter().map(|summary| summary.positions).sum()));
    }
    Ok(job.summaries)
}

/// The slices of all setups: a setup and a range of the positions; single positions if the executor requests no size of tasks.
fn cut(setups: &[SuiteSetup], positions: usize, target_duration: Option<Duration>) -> Vec<(usize, Range<usize>)> {
    let part = (setups.len() * positions / PARTS).max(1);
    let mut slices = Vec::new();
    for (number, setup) in setups.iter().enumerate() {
        let size = target_duration.map_or(1, |target_duration| {
            let (target_duration, limits) = (target_duration.as_secs_f64(), &setup.conditions.limits);
            let of_nodes = limits.nodes.map(|nodes| nodes as f64 / NOMINAL_SPEED);
            let of_time = limits.movetime.map(|time| time.as_secs_f64());
            let seconds = of_nodes.into_iter().chain(of_time).fold(target_duration, f64::min).max(f64::EPSILON);
            ((target_duration / seconds) as usize).clamp(1, POSITIONS_MAX).min(part)
        });
        slices.extend((0..positions).step_by(size).map(|first| (number, first..positions.min(first + size))));
    }
    slices
}

/// A suite that is run for several setups.
struct SuiteJob<'a, 'b> {
    stop: &'a Interruption,
    suite: &'a Suite,
    records: Vec<&'a Record>,
    setups: &'a [SuiteSetup],
    slices: Vec<(usize, Range<usize>)>,
    next: usize,
    /// Positions that were searched.
    received: usize,
    summaries: Vec<SuiteSummary>,
    on_row: &'a mut (dyn FnMut(usize, &Record, &SuiteRow) -> bool + 'b),
    /// True if the caller refused a row.
    refused: bool,
}

impl Job for SuiteJob<'_, '_> {
    type Kind = SuiteWorker;
    type Error = RunError;

    fn next(&mut self) -> Result<Option<JobItem<SuiteWorker>>, RunError> {
        let Some((setup, range)) = self.slices.get(self.next).cloned() else { return Ok(None) };
        self.next += 1;
        let positions = self.records[range].iter().map(|record| (record.line, record.to_string())).collect();
        Ok(Some(JobItem::Task(PositionsTask::new(&self.setups[setup], positions))))
    }

    fn check(&self, number: u64, rows: &Vec<SuiteRow>) -> Result<(), String> {
        let (_, range) = &self.slices[number as usize];
        if rows.len() != range.len() {
            return Err(format!("{} positions instead of {}", rows.len(), range.len()));
        }
        let other = self.records[range.clone()].iter().zip(rows).find(|(record, row)| row.fen != record.fen());
        other.map_or(Ok(()), |(record, row)| Err(format!("position {} instead of {}", row.fen, record.fen())))
    }

    fn received(&mut self, _: u64, done: &Done<Vec<SuiteRow>>) -> Result<(), RunError> {
        self.received += done.outcome.len();
        Ok(())
    }

    fn done(&mut self, number: u64, done: Done<Vec<SuiteRow>>) -> Result<(), RunError> {
        let (setup, range) = self.slices[number as usize].clone();
        for (record, row) in self.records[range].iter().zip(done.outcome) {
            if self.refused {
                break;
            }
            let (suite, id) = (self.suite.name.clone(), name_of(&self.suite.name, record));
            let row = SuiteRow { suite, id, ..row };
            self.summaries[setup].add(&row);
            self.refused = !(self.on_row)(setup, record, &row);
        }
        Ok(())
    }

    fn state(&self) -> JobState {
        if self.refused || self.stop.is_set() { JobState::Stop(StopMode::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let all = self.setups.len() * self.records.len();
        (self.received as u64, Some((all - self.received) as u64))
    }
}

/// Searches one position in a new game; the row has no name of a suite.
pub fn solve(solver: &mut dyn Solver, record: &Record, conditions: &SuiteConditions) -> Result<SuiteRow, SolverError> {
    let game = Game::from_chess(record.position.clone(), record.mode);
    let mut watch = BestMoveWatch::new(SolveCriteria::new(record), conditions.stop);
    solver.new_game()?;
    let found = solver.search(&game, &conditions.limits, &mut |event| watch.record_event(event))?;
    let mut row = SuiteRow {
        nodes: found.nodes,
        depth: found.depth,
        ms: (found.time.as_secs_f64() * MILLISECONDS).round() as u64,
        id: name_of("", record),
        fen: record.fen(),
        ..SuiteRow::default()
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

/// The name of a position: its id, or suite and line.
fn name_of(suite: &str, record: &Record) -> String {
    record.id.clone().unwrap_or_else(|| format!("{suite}:{}", record.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Stop;
    use quarterply_files::epd::parse_suite;
    use quarterply_games::solver::{SolverEvent, SolverResult};
    use quarterply_work::Loopback;
    use std::ops::ControlFlow;

    const SUITE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm Kd1; id \"first\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - am Kd1; c0 \"e4=10, e3=2\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - id \"no task\";\n\
        nonsense\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - bm Kd7; id \"third\";\n";

    /// Tries the legal moves in order, one iteration each, and ends with the last; games must be new. Sets `stop` in its first search. If it
    /// is `broken`, new games fail.
    #[derive(Default)]
    struct InOrder {
        fresh: bool,
        stop: Option<Interruption>,
        broken: bool,
    }

    impl Solver for InOrder {
        fn new_game(&mut self) -> Result<(), SolverError> {
            self.fresh = true;
            if self.broken { Err(SolverError("it died".to_owned())) } else { Ok(()) }
        }

        fn search(
            &mut self,
            game: &Game,
            _: &Limits,
            watch: &mut dyn FnMut(SolverEvent) -> ControlFlow<()>,
        ) -> Result<SolverResult, SolverError> {
            self.stop.iter().for_each(Interruption::set);
            if !std::mem::take(&mut self.fresh) {
                return Err(SolverError("no new game".to_owned()));
            }
            let moves = game.position().legal_moves();
            let mut nodes = 0;
            let mut best = None;
            for (depth, mv) in (1..).zip(&moves) {
                nodes += 10;
                best = Some(*mv);
                if watch(SolverEvent::Best { mv: *mv, depth, nodes, score: None }).is_break() {
                    break;
                }
            }
            Ok(SolverResult { best, score: None, depth: moves.len() as u32, nodes, time: Duration::from_millis(2) })
        }
    }

    fn suite() -> Suite {
        parse_suite("dir/some.epd", SUITE.as_bytes()).expect("a suite")
    }

    type Ended = (Vec<SuiteRow>, Result<SuiteSummary, RunError>);

    /// Runs the suite with a solver of this machine, until there is this number of rows.
    fn run_local(
        workers: usize,
        stop: &Interruption,
        conditions: Stop,
        most: usize,
        make: impl Fn() -> Result<InOrder, SolverError> + Send + Sync + 'static,
    ) -> Ended {
        let make = move || -> Result<Box<dyn Solver>, SolverError> { Ok(Box::new(make()?)) };
        let mut executor = SuiteWorker::local(workers, stop, Arc::new(make));
        let conditions = SuiteConditions { stop: conditions, ..SuiteConditions::default() };
        let setup = SuiteSetup { searcher: SuiteEngine::Local, conditions };
        let mut rows = Vec::new();
        let ended = run(stop, &suite(), &[setup], &mut executor, &|text| panic!("{text}"), &mut |_, _, row| {
            rows.push(row.clone());
            rows.len() < most
        });
        (rows, ended.map(|mut summaries| summaries.remove(0)))
    }

    fn rows(workers: usize, conditions: Stop) -> (Vec<SuiteRow>, SuiteSummary) {
        let (rows, ended) =
            run_local(workers, &Interruption::default(), conditions, usize::MAX, || Ok(InOrder::default()));
        (rows, ended.expect("a run"))
    }

    #[test]
    fn rows_come_in_order_with_any_number_of_workers() {
        let (one, summary) = rows(1, Stop::WhenFound);
        assert_eq!(one.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["first", "some:2", "third"]);
        assert_eq!((summary.positions, summary.skipped), (3, 2));
        for workers in [2, 3, 16] {
            assert_eq!(rows(workers, Stop::WhenFound), (one.clone(), summary.clone()), "{workers}");
        }
    }

    #[test]
    fn unsolved_positions_without_a_node_limit_cost_the_nodes_searched() {
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
        let never = Interruption::default();
        let fails = |ended: Ended| ended.1.expect_err("it fails");
        let broken = || Ok(InOrder { broken: true, ..InOrder::default() });
        let broken = fails(run_local(1, &never, Stop::AtLimit, usize::MAX, broken));
        assert_eq!(broken, WorkError::Task("cannot search position first (line 1): it died".to_owned()).into());
        let missing = || Err(SolverError("no such program".to_owned()));
        let missing = fails(run_local(1, &never, Stop::AtLimit, usize::MAX, missing));
        assert_eq!(missing, WorkError::Refused("cannot start the engine: no such program".to_owned()).into());
    }

    #[test]
    fn work_before_an_interruption_counts() {
        let stop = Interruption::default();
        let own = stop.clone();
        let make = move || Ok(InOrder { stop: Some(own.clone()), ..InOrder::default() });
        let (rows, ended) = run_local(1, &stop, Stop::AtLimit, usize::MAX, make);
        assert_eq!((rows.len(), ended.expect("no failure").positions), (0, 0), "an interrupted search does not count");
    }

    #[test]
    fn the_caller_can_end_the_run() {
        let (_, ended) = run_local(2, &Interruption::default(), Stop::AtLimit, 1, || Ok(InOrder::default()));
        assert_eq!(ended, Err(RunError::Stopped(1)));
    }

    const TACTICS: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+; id \"mate\";\n\
        r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7+; c0 \"Qxf7+=10\";\n\
        4k3/8/8/8/8/8/8/4K3 w - - id \"no task\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; hmvc 3; fmvn 40;\n";

    #[test]
    fn rows_of_other_machines_are_those_of_this_one_in_the_same_order() {
        let suite = parse_suite("some.epd", TACTICS.as_bytes()).expect("a suite");
        let mut other = Parameters::default();
        other.switch_all_off();
        let run_on = |executor: &mut dyn Executor<SuiteWorker>| {
            let conditions = SuiteConditions { limits: Limits::nodes(3000), stop: Stop::AtLimit };
            let setup = |parameters: &Parameters| SuiteSetup {
                searcher: SuiteEngine::engine(parameters, 1, 1, executor).expect("data"),
                conditions: conditions.clone(),
            };
            let setups: Vec<SuiteSetup> = [&Parameters::default(), &other].map(setup).to_vec();
            let mut found: Vec<Vec<SuiteRow>> = vec![Vec::new(); setups.len()];
            let stop = Interruption::default();
            let summaries = run(&stop, &suite, &setups, executor, &|text| panic!("{text}"), &mut |setup, _, row| {
                found[setup].push(SuiteRow { ms: 0, ..row.clone() });
                true
            });
            let counts: Vec<_> = summaries.expect("no fault").iter().map(|s| (s.positions, s.skipped)).collect();
            assert_eq!(counts, [(3, 1); 2]);
            found
        };
        let local = run_on(&mut SuiteWorker::threads(2, &Interruption::default()));
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Loopback::connect(Box::new(SuiteWorker::default()), folder.path().to_owned(), 4);
        assert_eq!(run_on(&mut connection.executor()), local);
        assert_ne!(local[0], local[1], "the settings differ");
    }

    #[test]
    fn tasks_are_cut_without_gaps_and_the_same_again() {
        for (nodes, depth, target_duration, largest) in [
            (Some(100_000), None, Some(5), 20),
            (None, Some(9), Some(5), 1),
            (Some(10), None, Some(5), 46),
            (Some(10), None, None, 1),
        ] {
            let limits = Limits { nodes, depth, ..Limits::default() };
            let conditions = SuiteConditions { limits, ..SuiteConditions::default() };
            let setup = SuiteSetup { searcher: SuiteEngine::Local, conditions };
            let slices = cut(&[setup.clone(), setup.clone()], 1500, target_duration.map(Duration::from_secs));
            assert_eq!(slices.iter().map(|(_, range)| range.len()).max(), Some(largest), "{nodes:?}");
            let all: Vec<_> =
                slices.iter().flat_map(|(setup, range)| range.clone().map(move |i| (*setup, i))).collect();
            assert!(all.into_iter().eq((0..2).flat_map(|setup| (0..1500).map(move |i| (setup, i)))));
        }
    }
}
