//! Drives another engine over UCI: the GUI's side of the conversation.
//!
//! ```no_run
//! # use quarterply_engine::{clock::Limits, position::Game};
//! # use quarterply_uci::{client::Client, launch::Launch};
//! # use std::{ops::ControlFlow, time::Duration};
//! let timeout = Duration::from_secs(10);
//! let mut engine = Client::start(&Launch::parse("stockfish")?, timeout)?;
//! engine.set_option("Hash", Some("64"))?;
//! engine.new_game()?;
//! engine.position(&Game::new())?;
//! let limits = Limits::nodes(500_000);
//! let answer = engine.go(&limits, timeout, &mut |info| {
//!     println!("{info}");
//!     ControlFlow::Continue(())
//! })?;
//! println!("{:?}", answer.best);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::words::nearest_of;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move, Position as _};
use thiserror::Error;

use crate::info::{BestMove, Declaration, Info, InfoError, milliseconds};
use crate::launch::Launch;
use crate::process::{Process, ProcessEnd, ProcessLine, ReceiveError, Stop};
use crate::settings::SHOW_PARAMETERS;

/// Time limit of the first answer to `uci`. After it, the program counts as one without the protocol.
pub const FIRST_ANSWER: Duration = Duration::from_secs(5);
/// Options that a message names at most.
const OPTIONS_NAMED: usize = 30;
/// Default time for an engine to answer after `stop`.
const GRACE: Duration = Duration::from_secs(5);
/// Time for an engine to end after `quit`.
const QUIT_TIME: Duration = Duration::from_millis(500);
/// A message is printed after this time without progress.
const REMARK_AFTER: Duration = Duration::from_secs(10);
/// The initial position, which is sent as `startpos`.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// An error of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ClientError {
    #[error("cannot start {program}: {reason}")]
    Start { program: String, reason: String },
    #[error("{engine} ended ({status}) while {waiting} was due{}", last_lines(.words))]
    Ended { engine: String, status: String, waiting: String, words: Vec<String> },
    #[error("{engine} closed its input or output while {waiting} was due")]
    HungUp { engine: String, waiting: String },
    #[error("{engine}: no {waiting} within {} s", .timeout.as_secs_f32())]
    Timeout { engine: String, waiting: String, timeout: Duration },
    #[error("the wait for {engine} was stopped")]
    Stopped { engine: String },
    #[error("{engine} answered `{text}`, which is illegal in {fen}")]
    Illegal { engine: String, text: String, fen: String },
    #[error("{engine}: {error}")]
    Answer { engine: String, text: String, error: InfoError },
    #[error(
        "cannot use `{program}` as a UCI engine: {seen}; if it speaks the protocol of xboard, make it a player of `match` as `xboard:{program}`"
    )]
    NotUci { program: String, seen: String },
    #[error("{engine} has no option `{name}`; {remedy}")]
    NoOption { engine: String, name: String, remedy: String },
    #[error("{engine}: {reason}")]
    Refused { engine: String, reason: String },
    #[error("{engine}: cannot set option {name} to `{value}`: expected {expected}")]
    Value { engine: String, name: String, value: String, expected: String },
}

/// The last lines of a program that has ended, as the end of a message; empty if there are none.
pub fn last_lines(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!("; its last lines on stderr: {}", words.join(" / ")) }
}

/// The end of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchAnswer {
    /// The move to play; `None` if the engine has none.
    pub best: Option<Move>,
    /// The word of the engine for the move or for no move, such as `0000`.
    pub text: String,
    /// The expected reply, if it is a legal one.
    pub ponder: Option<Move>,
    /// Last score line of `multipv 1`.
    pub info: Option<Info>,
    /// Time from `go` to the arrival of `bestmove`, on our clock.
    pub time: Duration,
    /// True if it came after `stop`, which was sent because the time limit was reached.
    pub late: bool,
}

/// How long a search may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchTimeout {
    /// In all.
    pub total: Duration,
    /// Without progress of depth and nodes, if that is limited.
    pub standstill: Option<Duration>,
}

impl From<Duration> for SearchTimeout {
    fn from(total: Duration) -> SearchTimeout {
        SearchTimeout { total, standstill: None }
    }
}

/// Shows messages about an engine to the user, from any thread. The default shows none.
#[derive(Clone, Default)]
pub struct MessageSink(Option<Arc<MessageFn>>);

/// Shows a text.
type MessageFn = dyn Fn(&str) + Send + Sync;

impl MessageSink {
    /// Messages to the user through `send`.
    pub fn new(send: impl Fn(&str) + Send + Sync + 'static) -> MessageSink {
        MessageSink(Some(Arc::new(send)))
    }

    /// Shows a message.
    pub fn send(&self, text: &str) {
        if let Some(send) = &self.0 {
            send(text);
        }
    }
}

impl std::fmt::Debug for MessageSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MessageSink").field(&self.0.is_some()).finish()
    }
}

/// How an engine is started.
#[derive(Clone, Debug)]
pub struct ClientStart<'a> {
    /// Its name in the log of dialogues.
    pub label: &'a str,
    /// Time for the first line of its answer to `uci`.
    pub first_answer: Duration,
    /// Time for every complete answer but that of a search.
    pub timeout: Duration,
    /// Ends every wait for the engine when it is set.
    pub stop: Stop,
}

/// A running engine. Dropping it ends its process and all that it started.
pub struct Client {
    process: Process,
    name: String,
    options: Vec<Declaration>,
    /// Time for every answer but that of a search.
    pub timeout: Duration,
    /// Time for an answer after `stop`.
    pub grace: Duration,
    game: Game,
    /// Searches that were abandoned and may still be answered.
    unanswered: usize,
    /// Receives messages to the user.
    pub messages: MessageSink,
}

impl Client {
    /// Starts an engine and waits for `uciok`. Every answer but that of a search must come within `timeout`.
    ///
    /// # Errors
    /// [`ClientError::Start`], [`ClientError::NotUci`], [`ClientError::Ended`] or [`ClientError::Timeout`].
    pub fn start(launch: &Launch, timeout: Duration) -> Result<Client, ClientError> {
        let start = ClientStart { label: &launch.label(), first_answer: FIRST_ANSWER, timeout, stop: Stop::default() };
        Client::start_with(launch, &start)
    }

    /// As [`Client::start`], with everything that can be chosen.
    ///
    /// # Errors
    /// As [`Client::start`], and [`ClientError::Stopped`].
    pub fn start_with(launch: &Launch, start: &ClientStart<'_>) -> Result<Client, ClientError> {
        let ClientStart { label, first_answer, timeout, stop } = start;
        let program = launch.program.display().to_string();
        let failed = |error: std::io::Error| ClientError::Start { program: program.clone(), reason: error.to_string() };
        let mut process = Process::start(launch, label).map_err(failed)?;
        process.set_stop(stop);
        let (options, game, timeout) = (Vec::new(), Game::new(), *timeout);
        let messages = MessageSink::default();
        let mut client =
            Client { process, name: program, options, timeout, grace: GRACE, game, unanswered: 0, messages };
        client.introduce(*first_answer)?;
        client.list_parameters()?;
        Ok(client)
    }

    /// Makes an engine of this program list its parameters among its options, once.
    fn list_parameters(&mut self) -> Result<(), ClientError> {
        if !self.has_option(SHOW_PARAMETERS) {
            return Ok(());
        }
        self.set_option(SHOW_PARAMETERS, Some("true"))?;
        self.options.clear();
        self.send("uci", "uciok")?;
        self.wait_for("uciok", Client::take_declaration)?;
        self.set_option(SHOW_PARAMETERS, Some("false"))
    }

    /// Sends the first `uci`. The wait ends early if the program does not answer in time or reports an error.
    fn introduce(&mut self, first_answer: Duration) -> Result<(), ClientError> {
        let not_uci = |client: &Client, seen: String| ClientError::NotUci { program: client.name.clone(), seen };
        self.send("uci", "uciok")?;
        let start = Instant::now();
        loop {
            let line = match self.next(start + first_answer.min(self.timeout), "uciok", self.timeout) {
                Err(ClientError::Timeout { .. }) if first_answer < self.timeout => {
                    return Err(not_uci(self, format!("no answer to `uci` within {} s", first_answer.as_secs_f32())));
                }
                other => other?.text,
            };
            if refuses_uci(&line) {
                return Err(not_uci(self, format!("it answers `uci` with `{}`", brief(&line))));
            }
            if line == "uciok" {
                self.process.acknowledged();
                return Ok(());
            }
            self.take_declaration(&line);
            if answers_uci(&line) {
                return self.wait_for("uciok", Client::take_declaration);
            }
        }
    }

    /// Takes in a line of the answer to `uci`.
    fn take_declaration(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = name.trim().to_owned();
        } else if let Ok(option) = Declaration::lenient(line) {
            self.options.push(option);
        }
    }

    /// Passes lines to `on_line` until one is `word`, which must arrive within the timeout for answers.
    fn wait_for(&mut self, word: &str, mut on_line: impl FnMut(&mut Client, &str)) -> Result<(), ClientError> {
        let deadline = Instant::now() + self.timeout;
        loop {
            let line = self.next(deadline, word, self.timeout)?.text;
            if line == word {
                self.process.acknowledged();
                return Ok(());
            }
            on_line(self, &line);
        }
    }

    /// The name that the engine sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its options.
    pub fn options(&self) -> &[Declaration] {
        &self.options
    }

    /// Its option of this name, whatever the case.
    pub fn option(&self, name: &str) -> Option<&Declaration> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns true if it has this option, whatever the case.
    pub fn has_option(&self, name: &str) -> bool {
        self.option(name).is_some()
    }

    /// Sets an option; a button takes no value.
    ///
    /// # Errors
    /// [`ClientError::NoOption`] if the engine did not declare it, [`ClientError::Value`] if it declared other values; otherwise
    /// [`ClientError::Ended`].
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        let Some(option) = self.option(name) else {
            let names: Vec<&str> = self.options.iter().map(|option| option.name.as_str()).collect();
            let remedy = option_remedy(name, &names);
            return Err(ClientError::NoOption { engine: self.name.clone(), name: name.to_owned(), remedy });
        };
        if let Some(expected) = value.and_then(|value| option.kind.refuses(value)) {
            let (engine, value) = (self.name.clone(), value.unwrap_or_default().to_owned());
            return Err(ClientError::Value { engine, name: option.name.clone(), value, expected });
        }
        let line = match value {
            Some(value) => format!("setoption name {} value {value}", option.name),
            None => format!("setoption name {}", option.name),
        };
        self.send(&line, "an option")
    }

    /// Waits until the engine has processed all lines sent so far.
    ///
    /// # Errors
    /// [`ClientError::Ended`] or [`ClientError::Timeout`].
    pub fn ready(&mut self) -> Result<(), ClientError> {
        self.send("isready", "readyok")?;
        self.wait_for("readyok", |engine, line| {
            // An answer to a search that was abandoned.
            if is_answer(line) {
                engine.unanswered = engine.unanswered.saturating_sub(1);
            }
        })
    }

    /// Announces a new game and waits until the engine is ready for it.
    ///
    /// # Errors
    /// As [`Client::ready`].
    pub fn new_game(&mut self) -> Result<(), ClientError> {
        self.send("ucinewgame", "readyok")?;
        self.ready()
    }

    /// Sends a position with the moves that led to it, and before it the castling mode if that has changed.
    ///
    /// # Errors
    /// [`ClientError::NoOption`] if the game is Chess960 and the engine is not; otherwise [`ClientError::Ended`].
    pub fn position(&mut self, game: &Game) -> Result<(), ClientError> {
        const CHESS960: &str = "UCI_Chess960";
        if self.game.castling_mode() != game.castling_mode() {
            let on = game.castling_mode() == CastlingMode::Chess960;
            self.set_option(CHESS960, Some(if on { "true" } else { "false" }))?;
        }
        let start = game.start_fen();
        let mut line = match start == START {
            true => "position startpos".to_owned(),
            false => format!("position fen {start}"),
        };
        for (index, mv) in game.moves().iter().enumerate() {
            let word = if index == 0 { " moves" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(line, "{word} {}", UciMove::from_move(*mv, game.castling_mode()));
        }
        self.game = game.clone();
        self.send(&line, "a position")
    }

    /// Searches. The listener receives every `info` line and may end the search.
    ///
    /// An engine that does not answer within `timeout` receives `stop`. If it then answers within its grace, the answer is marked
    /// as late.
    ///
    /// # Errors
    /// [`ClientError::Timeout`] when no move comes at all. Otherwise [`ClientError::Ended`], [`ClientError::HungUp`],
    /// [`ClientError::Illegal`] or [`ClientError::Answer`].
    pub fn go(
        &mut self,
        limits: &Limits,
        timeout: impl Into<SearchTimeout>,
        listener: &mut dyn FnMut(&Info) -> ControlFlow<()>,
    ) -> Result<SearchAnswer, ClientError> {
        self.forget_stale();
        let mut wait = Wait::begin(timeout.into());
        self.send(&go_line(limits, self.game.castling_mode()), DUE)?;
        let (mut stopped, mut last) = (false, None);
        loop {
            let Some(line) = self.listen(&mut wait)? else { continue };
            if is_answer(&line.text) {
                if self.unanswered > 0 {
                    self.unanswered -= 1;
                    continue;
                }
                self.process.acknowledged();
                let time = line.at.saturating_duration_since(wait.start);
                return self.answer(&line.text, last, time).map(|answer| SearchAnswer { late: wait.late, ..answer });
            }
            // Lines of other kinds are ignored.
            let Some(info) = Info::lenient(&line.text) else { continue };
            wait.note(&info, line.at);
            if listener(&info).is_break() && !stopped {
                stopped = true;
                self.send("stop", DUE)?;
            }
            if info.value.is_some() && info.number.is_none_or(|number| number == 1) {
                last = Some(info);
            }
        }
    }

    /// The next line of a search. `None` if a deadline passed first: a message was printed, or `stop` was sent.
    fn listen(&mut self, wait: &mut Wait) -> Result<Option<ProcessLine>, ClientError> {
        let timeout = wait.timeout();
        match self.next(wait.next_look(), DUE, timeout) {
            Err(ClientError::Timeout { .. }) if !wait.is_over() => {
                wait.reported = true;
                let (name, fen) = (&self.name, self.game.fen());
                let (word, most) = (REMARK_AFTER.as_secs(), timeout.as_secs());
                self.messages.send(&format!(
                    "{name} has made no progress for {word} s in {fen}; its search is stopped after {most} s (--timeout)"
                ));
                Ok(None)
            }
            Err(ClientError::Timeout { .. }) if !wait.late => {
                wait.late = true;
                wait.deadline = Instant::now() + self.grace;
                self.send("stop", DUE)?;
                Ok(None)
            }
            Err(ClientError::Timeout { engine, waiting, .. }) => {
                self.unanswered += 1;
                Err(ClientError::Timeout { engine, waiting, timeout: timeout + self.grace })
            }
            other => other.map(Some),
        }
    }

    /// Drops the lines that the engine has written since its last answer: they do not belong to the search that begins now.
    fn forget_stale(&mut self) {
        let now = Instant::now();
        while let Some(line) = self.process.try_next() {
            if is_answer(&line.text) {
                self.unanswered = self.unanswered.saturating_sub(1);
            }
            // An engine that writes without end must not block this loop.
            if line.at > now {
                return;
            }
        }
    }

    fn answer(&self, line: &str, info: Option<Info>, time: Duration) -> Result<SearchAnswer, ClientError> {
        let senseless = |error| ClientError::Answer { engine: self.name.clone(), text: brief(line), error };
        let answer: BestMove = line.parse().map_err(senseless)?;
        let position = self.game.position().chess();
        let best = match answer.best {
            None => None,
            Some(uci) => Some(uci.to_move(position).map_err(|_| ClientError::Illegal {
                engine: self.name.clone(),
                text: uci.to_string(),
                fen: self.game.fen(),
            })?),
        };
        let after = best.and_then(|mv| position.clone().play(mv).ok());
        let ponder = after.zip(answer.ponder).and_then(|(position, uci)| uci.to_move(&position).ok());
        let text = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok(SearchAnswer { best, text, ponder, info, time, late: false })
    }

    /// Asks the engine to end and waits a moment for it.
    pub fn quit(self) {
        self.process.quit("quit", QUIT_TIME);
    }

    fn send(&mut self, line: &str, waiting: &str) -> Result<(), ClientError> {
        self.process.send(line).map_err(|silence| self.failed(silence, waiting, self.timeout))
    }

    fn next(&mut self, deadline: Instant, waiting: &str, timeout: Duration) -> Result<ProcessLine, ClientError> {
        self.process.next(deadline).map_err(|silence| self.failed(silence, waiting, timeout))
    }

    fn failed(&mut self, silence: ReceiveError, waiting: &str, timeout: Duration) -> ClientError {
        let (engine, waiting) = (self.name.clone(), waiting.to_owned());
        match silence {
            ReceiveError::Timeout => ClientError::Timeout { engine, waiting, timeout },
            ReceiveError::Stopped => ClientError::Stopped { engine },
            ReceiveError::Closed => match self.process.end() {
                ProcessEnd::Exited(status) => {
                    let (status, words) = (status.to_string(), self.process.last_errors());
                    ClientError::Ended { engine, status, waiting, words }
                }
                ProcessEnd::HungUp => ClientError::HungUp { engine, waiting },
            },
        }
    }
}

/// The answer to `go`.
const DUE: &str = "bestmove";

/// Waiting for the end of a search.
struct Wait {
    start: Instant,
    /// When `stop` is sent; after that, when the engine counts as hung.
    deadline: Instant,
    timeout: SearchTimeout,
    /// Time of its last progress.
    moved: Instant,
    depth: u32,
    nodes: u64,
    /// True if the user has the message about missing progress.
    reported: bool,
    /// True if `stop` was sent because the time limit was reached.
    late: bool,
}

impl Wait {
    fn begin(timeout: SearchTimeout) -> Wait {
        let start = Instant::now();
        let deadline = start + timeout.total;
        Wait { start, deadline, timeout, moved: start, depth: 0, nodes: 0, reported: false, late: false }
    }

    /// The time limit that applies now.
    fn timeout(&self) -> Duration {
        self.timeout.standstill.map_or(self.timeout.total, |standstill| standstill.min(self.timeout.total))
    }

    /// The end of the time limit that applies now.
    fn end(&self) -> Instant {
        match self.timeout.standstill {
            Some(standstill) if !self.late => self.deadline.min(self.moved + standstill),
            _ => self.deadline,
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end()
    }

    /// Time of the next action if no line arrives. There is no message about searches with a clock.
    fn next_look(&self) -> Instant {
        let may_report = !self.reported && !self.late && self.timeout.standstill.is_some();
        if may_report { self.end().min(self.moved + REMARK_AFTER) } else { self.end() }
    }

    /// Notes how far the search is.
    fn note(&mut self, info: &Info, at: Instant) {
        let (depth, nodes) = (info.depth.unwrap_or(0), info.nodes.unwrap_or(0));
        if depth > self.depth || nodes > self.nodes {
            self.depth = self.depth.max(depth);
            self.nodes = self.nodes.max(nodes);
            self.moved = at;
            self.reported = false;
        }
    }
}

/// The remedy for the name of an option that an engine with these options does not have.
pub fn option_remedy(name: &str, names: &[&str]) -> String {
    let (name_lower, known) = (name.to_ascii_lowercase(), || names.iter().map(|name| (*name).to_owned()));
    let begins = known().find(|known| known.to_ascii_lowercase().starts_with(&format!("{name_lower} ")));
    match begins.or_else(|| nearest_of(name, known())) {
        Some(near) if near.contains(' ') => {
            format!("did you mean `{near}`? Put a setting with spaces in quotation marks: \"option.{near}=VALUE\"")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "it has no options".to_owned(),
        None => {
            let more = names.len().saturating_sub(OPTIONS_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("its options are {}{more}", names[..names.len().min(OPTIONS_NAMED)].join(", "))
        }
    }
}

/// Returns true if the line is part of an answer to `uci`. Greetings and other output are not.
fn answers_uci(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    matches!(first, "id" | "option" | "info")
}

/// Returns true if the line reports `uci` as an unknown command, as programs of the xboard protocol do.
fn refuses_uci(line: &str) -> bool {
    const REFUSALS: &[&str] =
        &["error", "unknown", "illegal", "invalid", "unrecognized", "unrecognised", "not found", "bad command"];
    let line = line.to_ascii_lowercase();
    let names = line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "uci");
    names && !answers_uci(&line) && REFUSALS.iter().any(|refusal| line.contains(refusal))
}

/// The beginning of a line that may be very long.
fn brief(line: &str) -> String {
    const WIDTH: usize = 80;
    line.chars().take(WIDTH).collect()
}

/// Returns true if the line answers a search.
fn is_answer(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// The `go` line with these limits.
pub fn go_line(limits: &Limits, castling: CastlingMode) -> String {
    let mut line = String::from("go");
    let mut send = |word: &str, value: Option<u64>| {
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = write!(line, " {word} {value}");
        }
    };
    let time = |time: Option<Duration>| time.map(milliseconds);
    let increment = |time: Duration| Some(milliseconds(time)).filter(|time| *time > 0);
    send("wtime", time(limits.time.white));
    send("btime", time(limits.time.black));
    send("winc", increment(limits.increment.white));
    send("binc", increment(limits.increment.black));
    send("movestogo", limits.moves_to_go.map(u64::from));
    send("depth", limits.depth.map(u64::from));
    send("nodes", limits.nodes);
    send("mate", limits.mate.map(u64::from));
    send("movetime", time(limits.movetime));
    if limits.ponder {
        line.push_str(" ponder");
    }
    if limits.infinite || line == "go" {
        line.push_str(" infinite");
    }
    if !limits.search_moves.is_empty() {
        line.push_str(" searchmoves");
        for mv in &limits.search_moves {
            // Writing to a string cannot fail.
            let _ = write!(line, " {}", UciMove::from_move(*mv, castling));
        }
    }
    line
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io;

    const TIMEOUT: Duration = Duration::from_secs(20);

    /// An engine written as a shell script: `answers` maps a first word to the reply.
    fn script(go: &str) -> io::Result<(tempfile::TempDir, Launch)> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("engine.sh");
        let text = format!(
            "while read -r word rest; do case $word in\n\
             uci) printf 'noise\\377\\n\\nuciok?\\noption\\nid\\n'; echo 'id name Script 1'; echo 'option name Hash type spin default 1 min 1 max 9'; echo uciok;;\n\
             isready) echo readyok;;\n\
             go) {go};;\n\
             quit) exit 0;;\n\
             esac; done"
        );
        std::fs::write(&path, text)?;
        let arguments = vec![path.display().to_string()];
        Ok((directory, Launch { arguments, ..Launch::program("sh") }))
    }

    fn search(go: &str, timeout: Duration, grace: Duration) -> Result<(SearchAnswer, Vec<Info>), ClientError> {
        let (_directory, launch) = script(go).expect("a script can be written");
        let mut client = Client::start(&launch, TIMEOUT)?;
        client.grace = grace;
        assert_eq!(client.name(), "Script 1");
        client.set_option("hash", Some("3"))?;
        client.new_game()?;
        client.position(&Game::new())?;
        let mut acknowledged = Vec::new();
        let answer = client.go(&Limits::default(), timeout, &mut |info| {
            acknowledged.push(info.clone());
            ControlFlow::Continue(())
        })?;
        client.quit();
        Ok((answer, acknowledged))
    }

    #[test]
    fn the_word_for_no_move_is_that_of_the_engine() {
        for word in ["0000", "(none)", "NULL"] {
            let (answer, _) = search(&format!("echo 'bestmove {word}'"), TIMEOUT, TIMEOUT).expect("a fine engine");
            assert_eq!((answer.best, answer.text.as_str()), (None, word));
        }
    }

    #[test]
    fn a_search_is_read_to_its_end() {
        let go = "echo 'info depth 1 score cp 9 pv e2e4'; echo noise; echo 'bestmove e2e4 ponder e7e5'";
        let (answer, acknowledged) = search(go, TIMEOUT, TIMEOUT).expect("a fine engine");
        assert_eq!(acknowledged.len(), 1);
        assert_eq!(answer.info, Some(acknowledged[0].clone()));
        assert_eq!(answer.best.map(|mv| mv.to_string()), Some("e2-e4".into()));
        assert!(answer.ponder.is_some());
    }

    #[test]
    fn faults_of_engines_are_named() {
        let brief = Duration::from_millis(200);
        for (go, timeout, expected) in [
            ("exit 3", TIMEOUT, "ended (exit status: 3)"),
            ("echo bestmove e2e5", TIMEOUT, "illegal in"),
            ("echo bestmove x", TIMEOUT, "`x` is not a valid bestmove"),
            (":", brief, "no bestmove within"),
            ("yes info depth 1", brief, "no bestmove within"),
            ("exec >&-; sleep 9", TIMEOUT, "closed its input or output while bestmove was due"),
            ("echo died of hunger >&2; exit 4", TIMEOUT, "died of hunger"),
        ] {
            let error = match search(go, timeout, brief) {
                Err(error) => error.to_string(),
                Ok(answer) => panic!("{go}: {answer:?}"),
            };
            assert!(error.contains(expected), "{go}: {error}");
        }
    }

    #[test]
    fn answers_to_other_searches_are_not_taken_for_this_one() {
        for (name, go) in [
            (
                "late answer to the first search",
                "n=$((n+1)); [ $n = 1 ] || { echo bestmove a2a3; echo bestmove e2e4; }",
            ),
            (
                "twice the same",
                "n=$((n+1)); [ $n = 1 ] || { echo bestmove a2a3; echo bestmove e2e4; echo bestmove e2e4; }",
            ),
        ] {
            let (_directory, launch) = script(go).expect("a script can be written");
            let mut client = Client::start(&launch, TIMEOUT).expect("a fine engine");
            client.grace = Duration::from_millis(50);
            let mut go = |timeout| client.go(&Limits::default(), timeout, &mut |_| ControlFlow::Continue(()));
            assert!(matches!(go(Duration::from_millis(50)), Err(ClientError::Timeout { .. })), "{name}");
            let answer = go(TIMEOUT).expect(name);
            assert_eq!((answer.best.map(|mv| mv.to_string()), answer.late), (Some("e2-e4".into()), false), "{name}");
        }
    }

    #[test]
    fn an_answer_after_stop_is_marked_as_late() {
        let timeout = Duration::from_millis(100);
        let (answer, _) = search("read -r word; echo bestmove e2e4", timeout, TIMEOUT).expect("an answer");
        assert!(answer.late && answer.time >= timeout, "{answer:?}");
        let (answer, _) = search("echo bestmove e2e4", TIMEOUT, TIMEOUT).expect("an answer");
        assert!(!answer.late && answer.time < TIMEOUT, "{answer:?}");
    }

    #[test]
    fn missing_options_and_programs_are_named() {
        let (_directory, launch) = script(":").expect("a script can be written");
        let mut client = Client::start(&launch, TIMEOUT).expect("a fine engine");
        assert!(matches!(client.set_option("Contempt", None), Err(ClientError::NoOption { .. })));
        assert!(client.has_option("HASH"));
        for value in ["10", "0", "x", ""] {
            let error = client.set_option("hash", Some(value)).expect_err(value).to_string();
            assert!(error.contains(&format!("`{value}`")) && error.contains("1 to 9"), "{error}");
        }
        let missing = Client::start(&Launch::program("/no/such/engine"), TIMEOUT);
        assert!(matches!(missing, Err(ClientError::Start { .. })));
        let silent = Client::start(&Launch::parse("sleep 9").expect("a command"), Duration::from_millis(50));
        assert!(matches!(silent, Err(ClientError::Timeout { .. })));
    }

    #[test]
    fn limits_become_go_lines() {
        let e2e4 = Game::new().parse_uci("e2e4").expect("legal");
        let mut clocks = Limits { moves_to_go: Some(3), ..Limits::default() };
        clocks.time.white = Some(Duration::from_millis(900));
        clocks.time.black = Some(Duration::ZERO);
        clocks.increment.white = Duration::from_millis(10);
        for (limits, expected) in [
            (Limits::default(), "go infinite"),
            (Limits { nodes: Some(5), depth: Some(4), ..Limits::default() }, "go depth 4 nodes 5"),
            (
                Limits { movetime: Some(Duration::from_secs(2)), ponder: true, ..Limits::default() },
                "go movetime 2000 ponder",
            ),
            (clocks, "go wtime 900 btime 0 winc 10 movestogo 3"),
            (Limits { depth: Some(1), search_moves: vec![e2e4], ..Limits::default() }, "go depth 1 searchmoves e2e4"),
        ] {
            assert_eq!(go_line(&limits, CastlingMode::Standard), expected);
        }
    }
}
