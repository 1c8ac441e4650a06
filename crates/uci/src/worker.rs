//! The thread that searches. It owns the engine during a task and returns it with the last line. A panic in a search ends that search
//! only.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, thread};

use quarterply_engine::clock::{Instant, Limits};
use quarterply_engine::evaluator::phase;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::search::pool::{Control, Engine, STACK};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};

use crate::info::BestMove;
use crate::output::Output;
use crate::perft;
use crate::reporter::{OutputFormat, ReportedLine, Reporter};
use crate::settings::UciSettings;
use crate::strength::Handicap;

/// Runs the bench at a depth (`None`: the usual one) with these settings until it is stopped, and writes its lines.
pub type Bench = Arc<dyn Fn(&UciSettings, Option<u32>, &Control, &mut dyn FnMut(&str)) + Send + Sync>;

/// Draws the openings of a request of OpenBench and passes them on one by one, until the receiver breaks. The error is what is wrong with
/// the request.
pub type Genfens = Arc<dyn Fn(&str, &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<(), String> + Send + Sync>;

/// Something to do with the engine.
pub enum SearchTask {
    /// Search for the best move.
    Search {
        game: Game,
        limits: Box<Limits>,
        output_format: OutputFormat,
        /// Play weaker than possible.
        handicap: Option<Handicap>,
    },
    /// Count the leaves of the tree of legal moves.
    Perft {
        game: Game,
        /// Depth of the leaves (plies).
        depth: u32,
        output_format: OutputFormat,
    },
    /// Search the bench positions with a separate engine.
    Bench {
        bench: Bench,
        settings: Box<UciSettings>,
        /// Depth (plies), if not the usual one.
        depth: Option<u32>,
    },
    /// Draw openings.
    Genfens {
        genfens: Genfens,
        /// The text after the word `genfens`.
        request: String,
    },
}

/// A task under way.
pub struct SearchJob {
    /// The engine, on loan.
    pub engine: Box<Engine>,
    /// The task.
    pub task: SearchTask,
    /// Stops it.
    pub control: Control,
    /// Where a search keeps what it has written.
    pub reported: ReportedLine,
}

/// A report of the thread.
pub enum WorkerReport {
    /// A task has ended.
    Finished(Finished),
    /// A panic has ended a task, and the engine is lost with it. The last line has the best move known.
    Lost(String),
}

/// The end of a task.
pub struct Finished {
    /// The engine, given back.
    pub engine: Box<Engine>,
    /// The last line: `bestmove` after a search, empty after a bench. The error is the reason why the task cannot be carried out.
    pub end: Result<String, String>,
}

/// Starts the thread. It ends when the sender of jobs or the receiver of reports is dropped.
pub fn start<T: Send + 'static>(
    output: Output,
    report: Sender<T>,
    wrap: impl Fn(WorkerReport) -> T + Send + 'static,
) -> io::Result<Sender<SearchJob>> {
    let (sender, jobs): (Sender<SearchJob>, Receiver<SearchJob>) = channel();
    thread::Builder::new().name("search".into()).stack_size(STACK).spawn(move || {
        for job in jobs {
            if report.send(wrap(carry_out(job, &output))).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Carries out a task to its end.
pub fn carry_out(SearchJob { mut engine, task, control, reported }: SearchJob, output: &Output) -> WorkerReport {
    let mut known = None;
    let context = SearchContext { control: &control, output, reported: &reported };
    let worked = catch_unwind(AssertUnwindSafe(|| work(&mut engine, &task, &context, &mut known)));
    match worked {
        Ok(end) => WorkerReport::Finished(Finished { engine, end }),
        // The engine may be in any state, so it is dropped.
        Err(_) => WorkerReport::Lost(last_line_after_panic(&task, known)),
    }
}

/// The last line of a task that a panic has ended: the best move known so far, or any move.
fn last_line_after_panic(task: &SearchTask, known: Option<Move>) -> String {
    match task {
        SearchTask::Search { game, output_format, .. } => {
            let moves = game.position().legal_moves();
            let best = known.filter(|mv| moves.contains(mv)).or_else(|| moves.first().copied());
            BestMove { best: best.map(|mv| UciMove::from_move(mv, output_format.castling)), ponder: None }.to_string()
        }
        SearchTask::Perft { .. } => "info string perft ended without a count".to_owned(),
        SearchTask::Bench { .. } => "info string bench ended without a node count".to_owned(),
        SearchTask::Genfens { .. } => "info string the openings are incomplete".to_owned(),
    }
}

/// State of the search thread, used by all jobs.
struct SearchContext<'a> {
    control: &'a Control,
    output: &'a Output,
    reported: &'a ReportedLine,
}

/// Carries out a task; `known` is the best move of a search so far. Returns the last line, or the reason why it cannot be carried out.
fn work(
    engine: &mut Engine,
    task: &SearchTask,
    context: &SearchContext<'_>,
    known: &mut Option<Move>,
) -> Result<String, String> {
    let SearchContext { control, output, reported } = *context;
    Ok(match task {
        SearchTask::Search { game, limits, output_format, handicap } => {
            let position = game.position();
            let start = Instant::now();
            let (root, phase) = (position.chess().clone(), phase(position.board()));
            let mut reporter = Reporter::new(output.clone(), *output_format, root, phase, reported.clone());
            let mut outcome = engine.search(game, limits, control, &mut |event| {
                if matches!(event, ProgressEvent::Current { .. }) {
                    reporter.clock(start.elapsed());
                }
                let flow = reporter.on_event(event);
                if let ProgressEvent::Iteration([report, ..]) = event {
                    *known = report.line.first().copied().or(*known);
                }
                flow
            });
            if let Some(shortage) = engine.take_shortage() {
                output.remark(shortage);
            }
            let mut evaluate = |position: &Position| engine.evaluate(position);
            let choose =
                |handicap: Handicap| handicap.choose(&mut outcome.lines, game, &limits.search_moves, &mut evaluate);
            let chosen = handicap.and_then(choose).unwrap_or(0);
            let answer = reporter.close(&outcome, chosen);
            with_reply(answer, engine, position, output_format.castling).to_string()
        }
        SearchTask::Perft { game, depth, output_format } => {
            perft::divide(game, *depth, output_format.castling, output, control)
        }
        SearchTask::Bench { bench, settings, depth } => {
            bench(settings, *depth, control, &mut |line| output.block(line));
            String::new()
        }
        SearchTask::Genfens { genfens, request } => {
            let mut stopped = false;
            genfens(request, &mut |fen| {
                stopped = control.stopped() || output.broken();
                if stopped {
                    return ControlFlow::Break(());
                }
                output.remark(format_args!("genfens {fen}"));
                ControlFlow::Continue(())
            })?;
            if stopped {
                "info string the openings are incomplete: the command was stopped".to_owned()
            } else {
                String::new()
            }
        }
    })
}

/// Adds the move to ponder on that the table has, if the line of the answer ends with its move.
fn with_reply(answer: BestMove, engine: &Engine, position: &Position, castling: CastlingMode) -> BestMove {
    let BestMove { best: Some(best), ponder: None } = &answer else { return answer };
    let reply = best.to_move(position.chess()).ok().and_then(|mv| engine.expected_reply(position, mv));
    BestMove { ponder: reply.map(|mv| UciMove::from_move(mv, castling)), ..answer }
}

#[cfg(test)]
mod tests {
    use super::*;

    use quarterply_engine::params::Parameters;

    /// A search that ended soon, or whose best move had failed high, gave no move to ponder on.
    #[test]
    fn an_answer_without_a_reply_gets_that_of_the_table() {
        let game = Game::new();
        let mut engine = Engine::new(Parameters::default());
        let found = engine.search_within(&game, &Limits::nodes(3000));
        let best = found.best.expect("a move");
        let uci = |mv: Move| UciMove::from_move(mv, CastlingMode::Standard);
        let complete = |answer: BestMove| with_reply(answer, &engine, game.position(), CastlingMode::Standard);
        let answer = complete(BestMove { best: Some(uci(best)), ponder: None });
        let reply = answer.ponder.expect("the table has a reply");
        assert_eq!(answer.best, Some(uci(best)));
        assert!(reply.to_move(game.position().play(best).chess()).is_ok(), "{reply}");
        for other in [BestMove { best: Some(uci(best)), ponder: Some(UciMove::Null) }, BestMove::default()] {
            assert_eq!(complete(other), other, "nothing is missing, or no move can be played");
        }
    }
}
