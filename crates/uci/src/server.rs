//! The conversation with a GUI.
//!
//! One thread reads lines, one searches, and this one answers: it is never busy for long, so that `isready` and `stop` are
//! heard at once. A search works on its own copy of the game and of the options; whatever the GUI changes meanwhile counts
//! for the next one. A `go` or `bench` during a search waits if the search has been told to stop and is ignored
//! otherwise.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use quarterply_engine::evaluator::breakdown_in;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{FenError, Game, MoveError};
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::CastlingMode;
use thiserror::Error;

use crate::command::{Command, CommandError, Go, Setup, parse};
use crate::limits;
use crate::output::Output;
use crate::reporter::{self, Manner};
use crate::settings::{OptionError, Settings};
use crate::strength::Handicap;
use crate::worker::{self, Finished, Job, Report, Task};

/// Greatest depth of `go perft` (plies).
const PERFT_MAX: i64 = 64;

/// What is said when a defect has ended a search.
const LOST: &str = "a defect of this program ended the search; please report what it wrote to standard error";

/// Runs the bench at a depth (`None`: the usual one) with these settings and writes its lines.
pub type Bench = Box<dyn FnMut(&Settings, Option<u32>, &mut dyn FnMut(&str)) + Send>;

/// What the program around the server provides.
pub struct Host {
    /// The engine's name with its version.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// The parameters at the start.
    pub parameters: Parameters,
    /// The bench.
    pub bench: Bench,
}

/// A request that cannot be carried out. Over UCI it becomes an `info string`, on the command line an error.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The line is no command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The option cannot be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The position is none.
    #[error("{0}; the old position stays")]
    Fen(FenError),
    /// A move of the game cannot be played.
    #[error("{0}; the old position stays")]
    Move(MoveError),
    /// A search is running.
    #[error("{0} is ignored: a search is running")]
    Busy(&'static str),
    /// A one-shot search would not end.
    #[error("`{0}` would never end here: give it a depth, nodes or a time")]
    Endless(String),
}

/// What wakes the server up.
enum News {
    Line(String),
    End,
    Search(Report),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Go,
    Quit,
}

/// A search that the GUI has not had the answer of.
struct Running {
    control: Control,
    infinite: bool,
    pondering: bool,
    stopping: bool,
    last_words: Option<String>,
}

impl Running {
    /// The answer must wait for `stop` or `ponderhit`, however long it has been known.
    fn withheld(&self) -> bool {
        !self.stopping && (self.infinite || self.pondering)
    }
}

struct Server {
    output: Output,
    host: Host,
    settings: Settings,
    game: Game,
    engine: Option<Box<Engine>>,
    jobs: Sender<Job>,
    news: Receiver<News>,
    backlog: VecDeque<News>,
    running: Option<Running>,
    debug: bool,
    /// A defect has ended a search.
    lost: bool,
}

/// Speaks UCI until `quit`, the end of the input, or until nobody reads the output.
///
/// A defect that ends a search ends nothing else: the best move known is played, and the next search begins anew.
///
/// # Errors
/// Only if the threads cannot be started.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static, host: Host) -> io::Result<()> {
    let (sender, news) = channel();
    let mut server = Server::new(Output::new(output), host, sender.clone(), news)?;
    thread::Builder::new().name("input".into()).spawn(move || read_lines(input, &sender))?;
    server.converse();
    Ok(())
}

/// Carries out UCI lines one after the other, each search to its end.
///
/// # Errors
/// The first line that cannot be carried out ends it all.
pub fn run_lines(lines: &[String], output: impl Write + Send + 'static, host: Host) -> Result<(), LineError> {
    let (sender, news) = channel();
    let mut server = Server::new(Output::new(output), host, sender, news)?;
    for line in lines {
        let flow = server.obey(line).map_err(|fault| LineError::Fault { line: line.clone(), fault })?;
        if let Some(running) = &server.running
            && running.withheld()
        {
            server.interrupt();
            return Err(LineError::Fault { line: line.clone(), fault: Fault::Endless(line.clone()) });
        }
        server.await_end();
        if server.lost {
            return Err(io::Error::other(LOST).into());
        }
        if flow == Flow::Quit {
            break;
        }
    }
    Ok(())
}

/// Why lines given as arguments were not all carried out.
#[derive(Debug, Error)]
pub enum LineError {
    /// One of them cannot be.
    #[error("in the line `{line}`")]
    Fault {
        /// The line.
        line: String,
        /// What is wrong with it.
        #[source]
        fault: Fault,
    },
    /// The search thread cannot be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn read_lines(mut input: impl BufRead, sender: &Sender<News>) {
    let mut bytes = Vec::new();
    while matches!(input.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
        let line = String::from_utf8_lossy(&bytes).into_owned();
        if sender.send(News::Line(line)).is_err() {
            return;
        }
        bytes.clear();
    }
    // Nobody is left to hear it if this fails.
    let _ = sender.send(News::End);
}

impl Server {
    fn new(output: Output, host: Host, sender: Sender<News>, news: Receiver<News>) -> io::Result<Server> {
        Ok(Server {
            jobs: worker::start(output.clone(), sender, News::Search)?,
            settings: Settings::new(host.parameters.clone()),
            output,
            host,
            game: Game::new(),
            engine: None,
            news,
            backlog: VecDeque::new(),
            running: None,
            debug: false,
            lost: false,
        })
    }

    /// The main loop.
    fn converse(&mut self) {
        while !self.output.broken() {
            let Some(news) = self.backlog.pop_front().or_else(|| self.news.recv().ok()) else { break };
            let flow = match news {
                News::Line(line) => self.obey(&line).unwrap_or_else(|fault| {
                    self.output.remark(fault);
                    Flow::Go
                }),
                News::Search(report) => {
                    self.hear(report);
                    Flow::Go
                }
                News::End => Flow::Quit,
            };
            if flow == Flow::Quit {
                break;
            }
        }
        self.interrupt();
    }

    fn obey(&mut self, line: &str) -> Result<Flow, Fault> {
        if self.debug {
            self.output.remark(format_args!("heard: {}", line.trim()));
        }
        let Some(command) = parse(line)? else { return Ok(Flow::Go) };
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Register => {}
            Command::NewGame => self.new_game(),
            Command::Position(setup) => self.game = self.set_up(&setup)?,
            Command::Go(go) => self.go(&go)?,
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Display => self.output.block(self.board()),
            Command::Eval => {
                let style = &self.settings.parameters.evaluation;
                self.output.block(breakdown_in(self.game.position(), style));
            }
            Command::Bench(depth) => self.bench(depth)?,
            Command::Help => self.output.block(HELP),
            Command::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::Go)
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
        if self.running.is_none() {
            self.engine();
        }
        self.output.line("readyok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), Fault> {
        for remark in self.settings.set(name, value)? {
            self.output.remark(remark);
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.settings.forget_game();
        if self.running.is_none() {
            self.engine();
        }
    }

    /// The engine, made when it is first needed and told of every change since. Only while no search runs.
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

    fn manner(&self) -> Manner {
        Manner { castling: self.castling(), wdl: self.settings.show_wdl, lines: self.settings.lines }
    }

    fn set_up(&self, setup: &Setup) -> Result<Game, Fault> {
        let mut game = match &setup.fen {
            Some(fen) => Game::from_fen(fen, self.castling()).map_err(Fault::Fen)?,
            None => Game::new(),
        };
        for text in &setup.moves {
            game.play_uci(text).map_err(Fault::Move)?;
        }
        Ok(game)
    }

    fn go(&mut self, go: &Go) -> Result<(), Fault> {
        self.claim("go")?;
        self.engine();
        let manner = self.manner();
        if let Some(depth) = go.perft {
            let depth = depth.clamp(0, PERFT_MAX) as u32;
            self.launch(Task::Perft { game: self.game.clone(), depth, manner }, false, false);
            return Ok(());
        }
        let (mut limits, remarks) = limits::of(go, &self.game, self.settings.lines, self.settings.overhead);
        for remark in remarks {
            self.output.remark(remark);
        }
        let infinite = limits::endless(&limits, self.game.position().turn());
        let pondering = limits.ponder;
        if self.game.position().legal_moves().is_empty() {
            self.output.line(reporter::over(self.game.position().in_check()));
            let last_words = Some(crate::info::BestMove::default().to_string());
            self.running =
                Some(Running { control: Control::default(), infinite, pondering, stopping: false, last_words });
            self.answer();
            return Ok(());
        }
        let handicap = self.settings.limit_strength.then(|| Handicap::of(self.settings.elo));
        if let Some(handicap) = handicap {
            handicap.restrict(&mut limits);
        }
        self.launch(
            Task::Search { game: self.game.clone(), limits: Box::new(limits), manner, handicap },
            infinite,
            pondering,
        );
        Ok(())
    }

    /// Makes sure that no search is running: waits for one that was told to stop, refuses otherwise.
    fn claim(&mut self, what: &'static str) -> Result<(), Fault> {
        match &self.running {
            Some(running) if !running.stopping => Err(Fault::Busy(what)),
            _ => {
                self.await_end();
                Ok(())
            }
        }
    }

    fn launch(&mut self, task: Task, infinite: bool, pondering: bool) {
        let Some(engine) = self.engine.take() else { return };
        let control = Control::new(pondering);
        let job = Job { engine, task, control: control.clone() };
        self.running = Some(Running { control, infinite, pondering, stopping: false, last_words: None });
        if let Err(lost) = self.jobs.send(job) {
            // The search thread is gone: say so rather than let the GUI wait for ever.
            self.engine = Some(lost.0.engine);
            self.running = None;
            self.output.remark("error: the search thread is gone");
            self.output.line(crate::info::BestMove::default());
        }
    }

    fn hear(&mut self, report: Report) {
        match report {
            Report::Finished(finished) => self.finish(finished),
            Report::Lost(last_words) => {
                self.output.remark(format_args!("error: {LOST}"));
                self.lost = true;
                // The next search gets a new engine.
                self.settings.renew();
                self.close(last_words);
            }
        }
    }

    /// A search has ended and the engine is back.
    fn finish(&mut self, finished: Finished) {
        self.engine = Some(finished.engine);
        self.close(finished.last_words);
    }

    /// A search has ended with these words.
    fn close(&mut self, last_words: String) {
        if let Some(running) = &mut self.running {
            running.last_words = Some(last_words);
        }
        self.answer();
    }

    /// Gives the answer of the search if there is one and the GUI may have it.
    fn answer(&mut self) {
        let Some(running) = &self.running else { return };
        if running.withheld() {
            return;
        }
        if let Some(last_words) = &running.last_words {
            self.output.line(last_words);
            self.running = None;
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.stopping = true;
            running.control.stop();
        }
        self.answer();
    }

    fn ponder_hit(&mut self) {
        if let Some(running) = &mut self.running
            && running.pondering
        {
            running.pondering = false;
            running.control.ponder_hit();
        }
        self.answer();
    }

    /// Waits until no search is running; what else comes in meanwhile is kept for later.
    fn await_end(&mut self) {
        while self.running.as_ref().is_some_and(|running| running.last_words.is_none()) {
            match self.news.recv() {
                Ok(News::Search(report)) => self.hear(report),
                Ok(other) => self.backlog.push_back(other),
                Err(_) => return,
            }
        }
        self.answer();
    }

    fn interrupt(&mut self) {
        self.stop();
        self.await_end();
    }

    fn bench(&mut self, depth: Option<u32>) -> Result<(), Fault> {
        self.claim("bench")?;
        let output = self.output.clone();
        (self.host.bench)(&self.settings, depth, &mut |line| output.block(line));
        Ok(())
    }

    fn board(&self) -> String {
        let position = self.game.position();
        let mut text = String::new();
        for (rank, row) in format!("{:?}", position.board()).lines().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {row}", RANKS - rank);
        }
        let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
        let _ = write!(
            text,
            "  a b c d e f g h\n\nFEN: {}\nKey: {:016x}\nCheckers: {}",
            self.game.fen(),
            position.key(),
            if checkers.is_empty() { "none".into() } else { checkers.join(" ") }
        );
        text
    }
}

/// Rows of a board.
const RANKS: usize = 8;

const HELP: &str = "\
Quarterply speaks UCI: uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, quit.
Besides these:
  d                show the board, its FEN, its key and the checking pieces
  eval             show the terms of the static evaluation
  go perft DEPTH   count the leaves of the tree of legal moves
  bench [DEPTH]    search fixed positions; the last line is the signature
Run `quarterply --help` in a shell for everything else.";
