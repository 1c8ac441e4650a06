//! The UCI server.
//!
//! One thread reads lines, one searches, and this one answers: it is never busy for long, so that `isready` and `stop` are
//! processed at once. A search works on a copy of the game and of the options; changes by the GUI meanwhile apply to the next
//! search. A `go`, `bench` or `genfens` during a search waits if `stop` was received before, and is ignored otherwise; `isready` and
//! `ucinewgame` wait only after `stop`.
//!
//! This thread also keeps the time. It stops a search whose time is used up. If the search does not end soon after, because the
//! machine is too busy to run its threads, this thread answers with the move of the last line that was written.

mod display;
mod running;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use quarterply_engine::clock::{Allotment, Instant, Limits, Turn};
use quarterply_engine::evaluator::explain;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{FenError, Game, MoveError};
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Color};
use thiserror::Error;

use crate::command::{Command, CommandError, Go, PositionText, parse};
use crate::info::BestMove;
use crate::limits;
use crate::output::Output;
use crate::reporter::{self, OutputFormat};
use crate::settings::{Loader, OptionError, UciSettings};
use crate::strength::Handicap;
use crate::worker::{self, Bench, Finished, Genfens, SearchJob, SearchTask, WorkerReport};
use display::HELP;
use running::Running;

/// Greatest depth of `go perft` (plies).
const PERFT_MAX: i64 = 64;

/// The answer to `go` without a valid position.
const NULL_MOVE: Option<UciMove> = Some(UciMove::Null);

/// Message after a panic in a search.
const SEARCH_PANICKED: &str =
    "a defect of this program ended the search; please report what it wrote to standard error";

/// Functions that the program around the server provides.
pub struct ServerHost {
    /// The engine's name with its version.
    pub name: String,
    /// Its author.
    pub author: String,
    /// The parameters at the start.
    pub parameters: Parameters,
    /// The bench.
    pub bench: Bench,
    /// Reads profiles from files.
    pub profiles: Arc<Loader>,
    /// True if the parameters are among the listed options from the start.
    pub show_parameters: bool,
    /// The openings of `genfens`.
    pub genfens: Genfens,
}

/// A request that cannot be carried out. Over UCI it becomes an `info string`, on the command line an error.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RequestError {
    /// The line is not a command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The option cannot be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The position is not valid.
    #[error("cannot set up the position: {0}; send a legal one")]
    Fen(FenError),
    /// A move of the game cannot be played.
    #[error("cannot set up the position: {0}; send legal moves")]
    Move(MoveError),
    /// A word between `position` and `moves` belongs to neither: the word, and what to write instead.
    #[error("cannot set up the position: `{0}` is not part of a position; {1}")]
    NotPart(String, String),
    /// There is nothing to search or to evaluate: the action, and why the position was refused.
    #[error("cannot {0}: the last position was refused ({1}); send a legal one")]
    NoPosition(&'static str, String),
    /// A search is running; the line.
    #[error("`{0}` is ignored: a search is running; send `stop` first")]
    Busy(String),
    /// No openings.
    #[error("{0}")]
    Genfens(String),
    /// A one-shot search would not end: the line and the remedy.
    #[error("cannot run `{0}` here: it would never end; {1}")]
    Endless(String, &'static str),
}

impl RequestError {
    /// Why a position was refused, without the action and the remedy.
    fn reason(&self) -> String {
        match self {
            RequestError::Fen(error) => error.to_string(),
            RequestError::Move(error) => error.to_string(),
            RequestError::NotPart(word, _) => format!("`{word}` is not part of a position"),
            other => other.to_string(),
        }
    }
}

/// An event for the server.
enum ServerEvent {
    /// A line, and when it was read.
    Line(String, Instant),
    End,
    Search(WorkerReport),
    /// The time of the running search is over.
    Late,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Go,
    Quit,
}

/// The time on a clock at the start of a search, and the measured duration of the search.
#[derive(Clone, Copy)]
struct ClockReading {
    left: Duration,
    increment: Duration,
    took: Duration,
}

/// Where tasks are carried out.
enum Jobs {
    /// On the search thread.
    Thread(Sender<SearchJob>),
    /// On the server's thread, before the next line is read; the function receives the control of each.
    Inline(Box<dyn FnMut(&Control) + Send>),
}

struct Server {
    output: Output,
    host: ServerHost,
    settings: UciSettings,
    game: Game,
    /// Why the last `position` was refused, if it was: the reason alone. `game` is then not the position of the GUI.
    refused: Option<String>,
    /// The game that the last search was about.
    game_searched: Game,
    engine: Option<Box<Engine>>,
    jobs: Jobs,
    events: Receiver<ServerEvent>,
    backlog: VecDeque<ServerEvent>,
    running: Option<Running>,
    /// When the current line was read.
    received: Instant,
    /// The last search that was timed by a clock; its duration is set when it has been answered.
    clock_reading: Option<ClockReading>,
    debug: bool,
    /// True after a panic in a search.
    search_panicked: bool,
    /// The error of the last task, until it is reported.
    failure: Option<RequestError>,
}

/// Serves UCI until `quit`, the end of the input, or until the output is closed.
///
/// A panic in a search does not end the server: it plays the best known move and starts a new search thread for the next search.
///
/// # Errors
/// The threads cannot be started, or an answer cannot be written; a closed output is not an error.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    host: ServerHost,
) -> io::Result<()> {
    let (sender, events) = channel();
    let mut server = Server::threaded(Output::new(output), host, sender.clone(), events)?;
    thread::Builder::new().name("input".into()).spawn(move || read_lines(input, &sender))?;
    server.serve_events();
    server.check_output()
}

/// Carries out UCI lines one after the other, each search to its end.
///
/// # Errors
/// The first line that cannot be carried out; the lines after it are not read.
pub fn run_lines(lines: &[String], output: impl Write + Send + 'static, host: ServerHost) -> Result<(), LineError> {
    let (sender, events) = channel();
    let mut server = Server::threaded(Output::new(output), host, sender, events)?;
    for line in lines {
        server.received = Instant::now();
        let handled = require_end(line).and_then(|()| server.handle_line(line));
        let flow = handled.map_err(|error| LineError::RequestError { line: line.clone(), error })?;
        server.await_end();
        if let Some(end) = server.running.as_ref().and_then(Running::pause_end) {
            thread::sleep(end.saturating_duration_since(Instant::now()));
        }
        server.answer();
        if let Some(error) = server.failure.take() {
            return Err(LineError::RequestError { line: line.clone(), error });
        }
        if server.search_panicked {
            return Err(io::Error::other(SEARCH_PANICKED).into());
        }
        server.check_output()?;
        if flow == Flow::Quit {
            break;
        }
    }
    Ok(())
}

/// Refuses a `go` that needs another line to end: as an argument, none can follow before its end.
fn require_end(line: &str) -> Result<(), RequestError> {
    let Ok(Some(Command::Go(go))) = parse(line) else { return Ok(()) };
    let endless = |remedy| RequestError::Endless(line.trim().to_owned(), remedy);
    limits::remedy(&go).map_or(Ok(()), |remedy| Err(endless(remedy)))
}

/// A server for a program without threads: each line is carried out to the end of its search. An answer that must wait
/// for `stop` or `ponderhit` is given with the line that allows it. Weak play does not wait before its answer.
pub struct InlineServer(Server);

impl InlineServer {
    /// A server that writes to `output`. `begin` receives the control of each search before it starts, so that it can be stopped.
    pub fn new(
        output: impl Write + Send + 'static,
        host: ServerHost,
        begin: impl FnMut(&Control) + Send + 'static,
    ) -> InlineServer {
        let (_, events) = channel();
        InlineServer(Server::new(Output::new(output), host, Jobs::Inline(Box::new(begin)), events))
    }

    /// Carries out a line; returns false after `quit`.
    pub fn handle_line(&mut self, line: &str) -> bool {
        self.0.carry_out(line, Instant::now()) == Flow::Go
    }
}

/// Reason why lines given as arguments were not all carried out.
#[derive(Debug, Error)]
pub enum LineError {
    /// One of them cannot be.
    #[error("in the line `{line}`")]
    RequestError {
        /// The line.
        line: String,
        /// The fault.
        #[source]
        error: RequestError,
    },
    /// The search thread cannot be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The byte order mark in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn read_lines(mut input: impl BufRead, sender: &Sender<ServerEvent>) {
    let mut bytes = Vec::new();
    let mut mark = BYTE_ORDER_MARK;
    while matches!(input.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
        let line = String::from_utf8_lossy(bytes.strip_prefix(mark).unwrap_or(&bytes)).into_owned();
        mark = &[];
        if sender.send(ServerEvent::Line(line, Instant::now())).is_err() {
            return;
        }
        bytes.clear();
    }
    // This fails only if the receiver has ended.
    let _ = sender.send(ServerEvent::End);
}

impl Server {
    /// A server with a search thread.
    fn threaded(
        output: Output,
        host: ServerHost,
        sender: Sender<ServerEvent>,
        events: Receiver<ServerEvent>,
    ) -> io::Result<Server> {
        let jobs = Jobs::Thread(worker::start(output.clone(), sender, ServerEvent::Search)?);
        Ok(Server::new(output, host, jobs, events))
    }

    fn new(output: Output, host: ServerHost, jobs: Jobs, events: Receiver<ServerEvent>) -> Server {
        let mut settings = UciSettings::new(host.parameters.clone()).with_files(Arc::clone(&host.profiles));
        settings.always_listed = host.show_parameters;
        Server {
            jobs,
            settings,
            output,
            host,
            game: Game::new(),
            refused: None,
            game_searched: Game::new(),
            engine: None,
            events,
            backlog: VecDeque::new(),
            running: None,
            received: Instant::now(),
            clock_reading: None,
            debug: false,
            search_panicked: false,
            failure: None,
        }
    }

    /// The error of an answer that could not be written; a closed pipe is not one.
    fn check_output(&self) -> io::Result<()> {
        match self.output.take_error() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let reason = format!("cannot write the answer: {error}; check where the output goes");
                Err(io::Error::new(error.kind(), reason))
            }
            _ => Ok(()),
        }
    }

    /// The main loop.
    fn serve_events(&mut self) {
        while !self.output.broken() {
            let Some(event) = self.backlog.pop_front().or_else(|| self.next_event()) else { break };
            let mut flow = Flow::Go;
            match event {
                ServerEvent::Line(line, received) => flow = self.carry_out(&line, received),
                ServerEvent::Late => self.on_timeout(),
                ServerEvent::Search(report) => self.on_event(report),
                ServerEvent::End => flow = Flow::Quit,
            }
            self.report_failure();
            // Its pause may have ended meanwhile.
            self.answer();
            if flow == Flow::Quit {
                break;
            }
        }
        self.interrupt();
        self.report_failure();
    }

    /// Reports the error of the last task, if there was one.
    fn report_failure(&mut self) {
        if let Some(failure) = self.failure.take() {
            self.output.remark(failure);
        }
    }

    /// The next event: a line, the end of a search, or the end of its time.
    fn next_event(&self) -> Option<ServerEvent> {
        let Some(deadline) = self.running.as_ref().and_then(Running::deadline) else { return self.events.recv().ok() };
        match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(ServerEvent::Late),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The time of the running search is over: stops it, or answers with its last line if it was stopped before.
    fn on_timeout(&mut self) {
        /// How often to check for a line that is just being written.
        const AGAIN: Duration = Duration::from_millis(1);
        let Some(running) = &mut self.running else { return };
        if running.last_line.is_some() {
            self.answer();
            return;
        }
        if !running.control.stopped() {
            running.control.stop();
            return;
        }
        let Some(castling) = running.fallback_notation else {
            running.due = None;
            return;
        };
        let Some(line) = running.reported.close() else {
            running.due = running.due.map(|due| due + AGAIN);
            return;
        };
        running.answered = true;
        running.stopping = true;
        let root = self.game_searched.position().chess();
        let answer = reporter::answer(root, castling, line.first().copied(), line.get(1).copied());
        self.output.line(answer);
        self.note_time();
    }

    /// Carries out a line that was read at this time; reports why it cannot be.
    fn carry_out(&mut self, line: &str, received: Instant) -> Flow {
        self.received = received;
        self.handle_line(line).unwrap_or_else(|error| {
            self.output.remark(error);
            Flow::Go
        })
    }

    fn handle_line(&mut self, line: &str) -> Result<Flow, RequestError> {
        if self.debug {
            self.output.remark(format_args!("received: {}", line.trim()));
        }
        let Some(command) = self.read(line)? else { return Ok(Flow::Go) };
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Register => {}
            Command::NewGame => self.new_game(),
            Command::Position(setup) => self.position(&setup)?,
            Command::Go(go) => self.go(&go, line)?,
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Display => self.output.block(display::board(&self.game)),
            Command::Eval => self.eval()?,
            Command::Bench(depth) => self.bench(depth, line)?,
            Command::Genfens(request) => self.genfens(request, line)?,
            Command::Help => self.output.block(HELP),
            Command::Quit => return Ok(Flow::Quit),
        }
        self.failure.take().map_or(Ok(Flow::Go), Err)
    }

    fn introduce(&self) {
        let mut text = format!("id name {}\nid author {}\n", self.host.name, self.host.author);
        for option in self.settings.list() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{option}");
        }
        self.output.block(format_args!("{text}uciok"));
    }

    fn ready(&mut self) {
        self.await_stopped();
        if self.running.is_none() {
            // No clock runs now, but it may when the table is first used.
            self.engine().touch_table();
        }
        self.output.line("readyok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), RequestError> {
        for remark in self.settings.set(name, value)? {
            self.output.remark(remark);
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.await_stopped();
        self.settings.forget_game();
        self.clock_reading = None;
        if self.running.is_none() {
            self.engine();
        }
    }

    /// The engine, created on first use, with all option changes applied. Call only while no search runs.
    fn engine(&mut self) -> &mut Engine {
        let parameters = &self.settings.parameters;
        let engine = self.engine.get_or_insert_with(|| Box::new(Engine::new(parameters.clone())));
        for remark in self.settings.apply(engine) {
            self.output.remark(remark);
        }
        engine
    }

    fn castling(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.settings.chess960)
    }

    fn output_format(&self) -> OutputFormat {
        OutputFormat { castling: self.castling(), wdl: self.settings.show_wdl, lines: self.settings.lines }
    }

    /// Reads a line. An incomplete `position` counts as a refused one.
    fn read(&mut self, line: &str) -> Result<Option<Command>, CommandError> {
        parse(line).inspect_err(|error| {
            if let CommandError::Incomplete { command: "position", what, .. } = error {
                self.refused = Some(format!("it needs {what}"));
            }
        })
    }

    fn eval(&self) -> Result<(), RequestError> {
        if let Some(reason) = &self.refused {
            return Err(RequestError::NoPosition("evaluate", reason.clone()));
        }
        self.output.block(explain(self.game.position(), &self.settings.parameters.evaluation_choice()));
        Ok(())
    }

    /// Sets up a position. If it is refused, the old one stays for `d`, but is neither searched nor evaluated.
    fn position(&mut self, setup: &PositionText) -> Result<(), RequestError> {
        let set_up = self.set_up(setup);
        self.refused = set_up.as_ref().err().map(RequestError::reason);
        self.game = set_up?;
        Ok(())
    }

    fn set_up(&self, setup: &PositionText) -> Result<Game, RequestError> {
        self.look_at_skipped(&setup.skipped)?;
        let mut game = match &setup.fen {
            Some(fen) => {
                let read = Game::from_fen_lossy(fen, Some(self.castling()));
                let (game, dropped) = read.map_err(RequestError::Fen)?;
                if let Some(dropped) = dropped {
                    self.output.remark(format_args!("{dropped}, or set UCI_Chess960 if it is of Chess960"));
                }
                game
            }
            None => Game::new(),
        };
        game.play_line(&setup.moves).map_err(RequestError::Move)?;
        Ok(game)
    }

    /// Refuses skipped words that show another position than the rest of the line, and names others.
    fn look_at_skipped(&self, skipped: &[String]) -> Result<(), RequestError> {
        for word in skipped {
            let remedy = match word.as_str() {
                "fen" => "leave out `startpos` or `fen`".to_owned(),
                _ if word.parse::<UciMove>().is_ok() => format!("write `position startpos moves {word}`"),
                _ => continue,
            };
            return Err(RequestError::NotPart(word.clone(), remedy));
        }
        if !skipped.is_empty() {
            self.output.remark(format_args!("`{}` is not part of a position and is skipped", skipped.join(" ")));
        }
        Ok(())
    }

    fn go(&mut self, go: &Go, line: &str) -> Result<(), RequestError> {
        let began = self.received;
        self.require_idle(line)?;
        if let Some(reason) = &self.refused {
            let error = RequestError::NoPosition("search", reason.clone());
            if go.perft.is_some() {
                return Err(error);
            }
            self.output.remark(error);
            self.answer_without_search(go, NULL_MOVE);
            return Ok(());
        }
        self.engine();
        let output_format = self.output_format();
        let (mut limits, remarks) = limits::of(go, &self.game, self.settings.lines, self.settings.overhead);
        for remark in remarks {
            self.output.remark(remark);
        }
        if let Some(depth) = go.perft {
            let depth = depth.clamp(0, PERFT_MAX) as u32;
            self.launch(SearchTask::Perft { game: self.game.clone(), depth, output_format }, Running::default());
            return Ok(());
        }
        if self.game.position().legal_moves().is_empty() {
            self.output.line(reporter::over(self.game.position().in_check()));
            self.answer_without_search(go, None);
            return Ok(());
        }
        let here = Turn::of(self.game.position());
        let turn = here.color;
        let (infinite, pondering) = (limits::endless(go), limits.ponder);
        let mut running = Running { infinite, pondering, control: Control::new(pondering), ..Running::default() };
        self.learn_delay(&limits, turn);
        // If nodes replace time, the time limit does not apply.
        let timed = self.engine().parameters().clock.nodes_per_ms == 0;
        let allotment = self.engine().allotment(&limits, here);
        running.hard = allotment.filter(|_| timed).map(|allotment| allotment.hard);
        if !pondering {
            limits.since = Some(began);
            running.begin(began);
        }
        let handicap = self.settings.limit_strength.then(|| Handicap::of(self.settings.elo, self.settings.seed));
        match handicap {
            Some(handicap) => {
                running.pause =
                    allotment.map_or(Duration::ZERO, |allowed| self.pause(handicap, &limits, turn, allowed));
                handicap.restrict(&mut limits);
            }
            // A weakened search chooses its move at the end, so no other thread can answer for it.
            None => running.fallback_notation = Some(output_format.castling),
        }
        self.game_searched = self.game.clone();
        let task = SearchTask::Search { game: self.game.clone(), limits: Box::new(limits), output_format, handicap };
        self.launch(task, running);
        Ok(())
    }

    /// How long a weaker player thinks: by the clock, or within a fixed time if nothing else limits the search.
    fn pause(&self, handicap: Handicap, limits: &Limits, turn: Color, allowed: Allotment) -> Duration {
        let others = limits.nodes.is_some() || limits.depth.is_some() || limits.mate.is_some();
        match limits.movetime {
            Some(_) if others => Duration::ZERO,
            Some(_) => handicap.pause_within(allowed.soft, &self.game),
            None if limits.time.get(turn).is_some() => handicap.pause(allowed, &self.game),
            None => Duration::ZERO,
        }
    }

    /// Answers a `go` without a search, after `stop` or `ponderhit` if the command requires that.
    fn answer_without_search(&mut self, go: &Go, best: Option<UciMove>) {
        let infinite = limits::endless(go);
        let last_line = Some(BestMove { best, ponder: None }.to_string());
        self.running = Some(Running { infinite, pondering: go.ponder, last_line, ..Running::default() });
        self.answer();
    }

    /// Compares the time that our last move took on the GUI's clock with the time measured here: the rest is transmission delay.
    fn learn_delay(&mut self, limits: &Limits, turn: Color) {
        let now = *limits.time.get(turn);
        if let (Some(last), Some(left)) = (self.clock_reading.take(), now)
            && !last.took.is_zero()
            && is_next_move(&self.game_searched, &self.game)
        {
            let deducted = (last.left + last.increment).saturating_sub(left);
            self.engine().note_delay(deducted.saturating_sub(last.took));
        }
        let increment = *limits.increment.get(turn);
        self.clock_reading = now.map(|left| ClockReading { left, increment, took: Duration::ZERO });
    }

    /// Notes how long the search took that has just been answered.
    fn note_time(&mut self) {
        if let (Some(clock_reading), Some(running)) = (&mut self.clock_reading, &self.running)
            && let Some(began) = running.began
        {
            clock_reading.took = began.elapsed();
        }
    }

    /// Waits for a search that is stopping: changes of the settings apply to the engine that it returns.
    fn await_stopped(&mut self) {
        if self.running.as_ref().is_some_and(|running| running.stopping) {
            self.await_end();
        }
    }

    /// Ensures that no search is running: waits for a search that is stopping, returns an error for any other.
    fn require_idle(&mut self, line: &str) -> Result<(), RequestError> {
        match &self.running {
            Some(running) if !running.stopping => Err(RequestError::Busy(line.trim().to_owned())),
            _ => {
                self.await_end();
                Ok(())
            }
        }
    }

    fn launch(&mut self, task: SearchTask, mut running: Running) {
        let Some(engine) = self.engine.take() else { return };
        let job = SearchJob { engine, task, control: running.control.clone(), reported: running.reported.clone() };
        match &mut self.jobs {
            Jobs::Thread(jobs) => {
                self.running = Some(running);
                if let Err(lost) = jobs.send(job) {
                    // The search thread is gone: an answer prevents the GUI from waiting for ever.
                    self.engine = Some(lost.0.engine);
                    self.running = None;
                    self.output.remark("error: the search thread has ended; restart the engine");
                    self.output.line(BestMove::default());
                }
            }
            Jobs::Inline(begin) => {
                begin(&running.control);
                running.pause = Duration::ZERO; // no other thread could end it
                self.running = Some(running);
                let report = worker::carry_out(job, &self.output);
                self.on_event(report);
            }
        }
    }

    fn on_event(&mut self, report: WorkerReport) {
        match report {
            WorkerReport::Finished(finished) => self.finish(finished),
            WorkerReport::Lost(last_line) => {
                self.output.remark(format_args!("error: {SEARCH_PANICKED}"));
                self.search_panicked = true;
                // The next search gets a new engine.
                self.settings.renew();
                self.close(last_line);
            }
        }
    }

    /// A task has ended and the engine is back.
    fn finish(&mut self, finished: Finished) {
        self.engine = Some(finished.engine);
        if let Err(reason) = &finished.end {
            self.failure = Some(RequestError::Genfens(reason.clone()));
        }
        self.close(finished.end.unwrap_or_default());
    }

    /// A task has ended with this line.
    fn close(&mut self, last_line: String) {
        if let Some(running) = &mut self.running {
            running.last_line = Some(last_line);
        }
        self.answer();
    }

    /// Gives the answer of the search if there is one and the GUI may have it.
    fn answer(&mut self) {
        let Some(running) = &self.running else { return };
        if running.withheld() || running.is_pausing() {
            return;
        }
        if let Some(last_line) = &running.last_line {
            if !running.answered && !last_line.is_empty() {
                self.output.line(last_line);
                self.note_time();
            }
            self.running = None;
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.stopping = true;
            running.due = Some(Instant::now());
            running.control.stop();
        }
        self.answer();
    }

    fn ponder_hit(&mut self) {
        if let Some(running) = &mut self.running
            && running.pondering
        {
            running.pondering = false;
            running.begin(self.received);
            running.control.ponder_hit();
        }
        self.answer();
    }

    /// Waits until no search is running. Lines that arrive meanwhile are kept for later.
    fn await_end(&mut self) {
        while self.running.as_ref().is_some_and(|running| running.last_line.is_none()) {
            match self.next_event() {
                Some(ServerEvent::Search(report)) => self.on_event(report),
                Some(ServerEvent::Late) => self.on_timeout(),
                Some(other) => self.backlog.push_back(other),
                None => return,
            }
        }
        self.answer();
    }

    fn interrupt(&mut self) {
        self.stop();
        self.await_end();
    }

    /// Prints openings, each in a separate `info string`.
    fn genfens(&mut self, request: String, line: &str) -> Result<(), RequestError> {
        self.require_idle(line)?;
        self.engine();
        let genfens = Genfens::clone(&self.host.genfens);
        self.launch(SearchTask::Genfens { genfens, request }, Running::default());
        Ok(())
    }

    fn bench(&mut self, depth: Option<u32>, line: &str) -> Result<(), RequestError> {
        self.require_idle(line)?;
        self.engine();
        let bench = Bench::clone(&self.host.bench);
        self.launch(SearchTask::Bench { bench, settings: Box::new(self.settings.clone()), depth }, Running::default());
        Ok(())
    }
}

/// Returns true if the same player is to move in the same game, one move later.
fn is_next_move(before: &Game, now: &Game) -> bool {
    let (earlier, moves) = (before.moves(), now.moves());
    earlier.len() + 2 == moves.len() && moves.starts_with(earlier) && before.start_fen() == now.start_fen()
}

#[cfg(test)]
mod tests;
