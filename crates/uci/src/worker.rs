//! The thread that searches. It owns the engine while it works and hands it back with its last words. A defect in a
//! search ends that search only.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, thread};

use quarterply_engine::clock::{Instant, Limits};
use quarterply_engine::evaluator::phase;
use quarterply_engine::position::Game;
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::Move;
use shakmaty::uci::UciMove;

use crate::info::BestMove;
use crate::output::Output;
use crate::perft;
use crate::reporter::{Manner, ReportedLine, Reporter};
use crate::settings::UciSettings;
use crate::strength::Handicap;

/// Room for the recursion of a search.
const STACK: usize = 64 << 20;

/// Runs the bench at a depth (`None`: the usual one) with these settings until it is stopped, and writes its lines.
pub type Bench = Arc<dyn Fn(&UciSettings, Option<u32>, &Control, &mut dyn FnMut(&str)) + Send + Sync>;

/// Something to do with the engine.
pub enum Task {
    /// Search for the best move.
    Search {
        /// The position with its history.
        game: Game,
        /// When to end.
        limits: Box<Limits>,
        /// How to write.
        manner: Manner,
        /// Play weaker than possible.
        handicap: Option<Handicap>,
    },
    /// Count the leaves of the tree of legal moves.
    Perft {
        /// The position.
        game: Game,
        /// Depth of the leaves (plies).
        depth: u32,
        /// How to write.
        manner: Manner,
    },
    /// Search the bench positions with a separate engine.
    Bench {
        /// What does it.
        bench: Bench,
        /// The options.
        settings: Box<UciSettings>,
        /// Depth (plies), if not the usual one.
        depth: Option<u32>,
    },
}

/// A task under way.
pub struct Job {
    /// The engine, on loan.
    pub engine: Box<Engine>,
    /// What to do.
    pub task: Task,
    /// How to be stopped.
    pub control: Control,
    /// Where a search keeps what it has written.
    pub told: ReportedLine,
}

/// What the thread reports.
pub enum Report {
    /// A task has ended.
    Finished(Finished),
    /// A defect has ended a task, and the engine is lost with it. The line that tells the end is made of what was known.
    Lost(String),
}

/// The end of a task.
pub struct Finished {
    /// The engine, given back.
    pub engine: Box<Engine>,
    /// The line that tells the end: `bestmove` after a search, nothing after a bench.
    pub last_words: String,
}

/// Starts the thread. It ends when the sender of jobs or the receiver of reports is dropped.
pub fn start<T: Send + 'static>(
    output: Output,
    report: Sender<T>,
    wrap: impl Fn(Report) -> T + Send + 'static,
) -> io::Result<Sender<Job>> {
    let (sender, jobs): (Sender<Job>, Receiver<Job>) = channel();
    thread::Builder::new().name("search".into()).stack_size(STACK).spawn(move || {
        for job in jobs {
            if report.send(wrap(carry_out(job, &output))).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Does a task to its end.
pub fn carry_out(Job { mut engine, task, control, told }: Job, output: &Output) -> Report {
    let mut known = None;
    let context = SearchContext { control: &control, output, told: &told };
    let worked = catch_unwind(AssertUnwindSafe(|| work(&mut engine, &task, &context, &mut known)));
    match worked {
        Ok(last_words) => Report::Finished(Finished { engine, last_words }),
        // The engine may be in any state, so nobody gets it back.
        Err(_) => Report::Lost(will(&task, known)),
    }
}

/// The last words of a task that a defect has ended: the best move known so far, or any move.
fn will(task: &Task, known: Option<Move>) -> String {
    match task {
        Task::Search { game, manner, .. } => {
            let moves = game.position().legal_moves();
            let best = known.filter(|mv| moves.contains(mv)).or_else(|| moves.first().copied());
            BestMove { best: best.map(|mv| UciMove::from_move(mv, manner.castling)), ponder: None }.to_string()
        }
        Task::Perft { .. } => "info string the count is lost".to_owned(),
        Task::Bench { .. } => "info string the bench is lost".to_owned(),
    }
}

/// State of the search thread, used by all jobs.
struct SearchContext<'a> {
    control: &'a Control,
    output: &'a Output,
    told: &'a ReportedLine,
}

/// Does a task; `known` is the best move of a search so far.
fn work(engine: &mut Engine, task: &Task, context: &SearchContext<'_>, known: &mut Option<Move>) -> String {
    let SearchContext { control, output, told } = *context;
    match task {
        Task::Search { game, limits, manner, handicap } => {
            let position = game.position();
            let start = Instant::now();
            let (root, phase) = (position.chess().clone(), phase(position.board()));
            let mut reporter = Reporter::new(output.clone(), *manner, root, phase, told.clone());
            let outcome = engine.search(game, limits, control, &mut |event| {
                if matches!(event, ProgressEvent::Current { .. }) {
                    reporter.clock(start.elapsed());
                }
                let heard = reporter.hear(event);
                if let ProgressEvent::Iteration([report, ..]) = event {
                    *known = report.line.first().copied().or(*known);
                }
                heard
            });
            let chosen = handicap.and_then(|handicap| handicap.choose(&outcome.lines, game)).unwrap_or(0);
            reporter.close(&outcome, chosen).to_string()
        }
        Task::Perft { game, depth, manner } => perft::divide(game, *depth, manner.castling, output, control),
        Task::Bench { bench, settings, depth } => {
            bench(settings, *depth, control, &mut |line| output.block(line));
            String::new()
        }
    }
}
