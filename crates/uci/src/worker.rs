//! The thread that searches. It owns the engine while it works and hands it back with its last words.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;
use std::{io, thread};

use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::report::Event;
use quarterply_engine::search::pool::{Control, Engine};

use crate::output::Output;
use crate::perft;
use crate::reporter::{Manner, Reporter};
use crate::strength::Handicap;

/// Room for the recursion of a search.
const STACK: usize = 64 << 20;

/// Something to do with the engine.
pub enum Task {
    /// Search for the best move.
    Search {
        /// The position with its history.
        game: Game,
        /// When to end.
        limits: Limits,
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
}

/// A task under way.
pub struct Job {
    /// The engine, on loan.
    pub engine: Box<Engine>,
    /// What to do.
    pub task: Task,
    /// How to be stopped.
    pub control: Control,
}

/// What the thread reports.
pub enum Report {
    /// A task has ended.
    Finished(Finished),
    /// The thread has died of a defect, and the engine with it.
    Lost,
}

/// The end of a task.
pub struct Finished {
    /// The engine, given back.
    pub engine: Box<Engine>,
    /// The line that tells the end: `bestmove` after a search.
    pub last_words: String,
}

/// Starts the thread. It ends when the sender of jobs is dropped.
pub fn start<T: Send + 'static>(
    output: Output,
    report: Sender<T>,
    wrap: impl Fn(Report) -> T + Send + 'static,
) -> io::Result<Sender<Job>> {
    let (sender, jobs): (Sender<Job>, Receiver<Job>) = channel();
    thread::Builder::new().name("search".into()).stack_size(STACK).spawn(move || {
        let obituary = Obituary { report, wrap };
        for mut job in jobs {
            let last_words = work(&mut job.engine, job.task, &job.control, &output);
            if !obituary.send(Report::Finished(Finished { engine: job.engine, last_words })) {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Sends reports, and a last one if the thread panics: nobody shall wait for an answer that will not come.
struct Obituary<T, W: Fn(Report) -> T> {
    report: Sender<T>,
    wrap: W,
}

impl<T, W: Fn(Report) -> T> Obituary<T, W> {
    fn send(&self, report: Report) -> bool {
        self.report.send((self.wrap)(report)).is_ok()
    }
}

impl<T, W: Fn(Report) -> T> Drop for Obituary<T, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.send(Report::Lost);
        }
    }
}

fn work(engine: &mut Engine, task: Task, control: &Control, output: &Output) -> String {
    match task {
        Task::Search { game, limits, manner, handicap } => {
            let position = game.position();
            let start = Instant::now();
            let mut reporter = Reporter::new(output.clone(), manner, position.chess().clone(), position.phase());
            let outcome = engine.search(&game, &limits, control, &mut |event| {
                if matches!(event, Event::Current { .. }) {
                    reporter.clock(start.elapsed());
                }
                reporter.hear(event)
            });
            let lines = reporter.lines();
            let chosen = handicap.and_then(|handicap| handicap.choose(&lines, &game)).map(|index| &lines[index]);
            reporter.close(&outcome, chosen).to_string()
        }
        Task::Perft { game, depth, manner } => perft::divide(&game, depth, manner.castling, output, control),
    }
}
