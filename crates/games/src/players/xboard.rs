//! Programs that speak the protocol of xboard and WinBoard (CECP), version 2 or the older one, as players.
//!
//! An engine of this protocol keeps the game itself. It receives the moves of the opening and the command to play; after that, each
//! move of the opponent starts a search. It may resign, offer a draw or claim a result; the referee checks claims and offers.

mod features;
mod line;
mod notation;
mod play;

use super::PlayerDefaults;
use super::restartable::StartedPlayer;
use crate::external::{forbidden, is_forbidden};
use crate::game::{MoveInfo, PlayerError};
use crate::timeouts::{SearchTimes, Timeouts};
use features::{DeclaredOption, Features};
use line::{EngineLine, rejects_xboard};
use quarterply_uci::client::option_remedy;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::{Process, ProcessEnd, ReceiveError};
use shakmaty::Move;
use std::time::{Duration, Instant};

/// An engine that has not sent its features after this time supports the older protocol only. The protocol specifies two seconds, but a
/// busy machine may need more to start a program. Most engines of the older protocol report an unknown command at once.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// GNU Chess 6 deadlocks at the start until it receives more lines, one at a time; the busier the machine, the more. An engine that has
/// not sent its features receives a line at this interval.
const EXTRA_LINE_INTERVAL: Duration = Duration::from_millis(20);
/// The first of these lines is sent after this time.
const EXTRA_LINE_FIRST: Duration = Duration::from_millis(300);
/// The line. It changes nothing: it turns pondering off, which is required anyway.
const EXTRA_LINE: &str = "easy";
/// The time limit for an answer to `uci`, of a program that does not introduce itself.
const UCI_ANSWER: Duration = Duration::from_secs(2);
/// The time limit for an engine to exit after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A running engine.
pub struct XboardEngine {
    process: Process,
    name: String,
    features: Features,
    /// True if it has sent a `feature` line.
    introduced: bool,
    /// True if it has rejected the newer protocol.
    is_old: bool,
    timeouts: Timeouts,
    search_times: SearchTimes,
    margin: Duration,
    pings: u32,
    /// The moves that the engine has received or played.
    known: Vec<Move>,
    /// True if it answers moves; false if it only records them.
    playing: bool,
    /// The last move or position that was sent; the engine may report it as illegal.
    last_sent: String,
    /// Its own last move, which some engines write twice.
    moved: String,
    /// An unsolicited end of the game or complaint.
    pending_error: Option<PlayerError>,
    has_draw_offer: bool,
    offers_draw: bool,
    remarks: MoveInfo,
}

impl XboardEngine {
    /// Starts the engine and sets its options. The log of dialogues calls it `label`.
    pub fn start(
        launch: &Launch,
        label: &str,
        options: &[(String, String)],
        terms: &PlayerDefaults,
    ) -> Result<XboardEngine, PlayerError> {
        let name = launch.program.display().to_string();
        let failed = |e: std::io::Error| PlayerError::Start { command: name.clone(), reason: e.to_string() };
        let mut process = Process::start(launch, label).map_err(failed)?;
        process.set_stop(&terms.stop);
        let mut engine = XboardEngine {
            process,
            name,
            features: Features::default(),
            introduced: false,
            is_old: false,
            timeouts: terms.timeouts,
            search_times: SearchTimes::default(),
            margin: Duration::ZERO,
            pings: 0,
            known: Vec::new(),
            playing: false,
            last_sent: String::new(),
            moved: String::new(),
            pending_error: None,
            has_draw_offer: false,
            offers_draw: false,
            remarks: MoveInfo::default(),
        };
        engine.introduce()?;
        engine.configure(options, terms)?;
        engine.settle()?;
        Ok(engine)
    }

    /// Requests the features. An engine that sends none has none.
    fn introduce(&mut self) -> Result<(), PlayerError> {
        self.say("xboard")?;
        self.say("protover 2")?;
        let start = Instant::now();
        let mut next_extra_line = start + EXTRA_LINE_FIRST;
        while self.features.done != Some(true) && !self.is_old {
            let timeout =
                if self.features.done.is_some() { self.timeouts.start } else { INTRODUCTION.min(self.timeouts.start) };
            let deadline = start + timeout;
            let next = if self.introduced { deadline } else { deadline.min(next_extra_line) };
            match self.process.next(next) {
                Ok(line) => {
                    self.note(&line.text)?;
                    if rejects_xboard(&line.text) {
                        self.refuse_uci()?;
                    }
                }
                Err(ReceiveError::Timeout) if next < deadline => {
                    next_extra_line += EXTRA_LINE_INTERVAL;
                    self.say(EXTRA_LINE)?;
                }
                Err(ReceiveError::Timeout) if self.features.done.is_none() => {
                    self.refuse_uci()?;
                    break;
                }
                Err(silence) => return Err(self.broken(silence, "feature done=1", timeout)),
            }
        }
        if let Some(name) = &self.features.name {
            self.name.clone_from(name);
        }
        Ok(())
    }

    /// Refuses a program that speaks UCI: as an engine of the older protocol it would lose every game, after a long wait for its move. An
    /// engine that has sent features is not asked.
    fn refuse_uci(&mut self) -> Result<(), PlayerError> {
        if self.introduced {
            return Ok(());
        }
        self.say("uci")?;
        let deadline = Instant::now() + UCI_ANSWER;
        loop {
            match self.process.next(deadline) {
                Ok(line) if line.text == "uciok" => return Err(PlayerError::NotXboard { program: self.name.clone() }),
                Ok(line) => self.note(&line.text)?,
                Err(ReceiveError::Timeout) => return Ok(()),
                Err(silence) => return Err(self.broken(silence, "feature done=1", UCI_ANSWER)),
            }
        }
    }

    fn configure(&mut self, options: &[(String, String)], terms: &PlayerDefaults) -> Result<(), PlayerError> {
        if self.features.memory {
            self.say(&format!("memory {}", terms.hash))?;
        }
        if self.features.smp {
            self.say(&format!("cores {}", terms.threads))?;
        }
        const TABLES: &str = "syzygy";
        if let Some(path) = terms.tables.as_ref().filter(|_| self.features.tables.iter().any(|kind| kind == TABLES)) {
            self.say(&format!("egtpath {TABLES} {path}"))?;
        }
        for (name, value) in options {
            let is_text = self.features.option(name).is_some_and(DeclaredOption::is_text);
            if is_text && is_forbidden(terms.texts.as_ref(), name) {
                return Err(PlayerError::Refused { text: forbidden(name) });
            }
            let command = self.option(name, value).ok_or_else(|| self.no_option(name))?;
            self.say(&command)?;
        }
        Ok(())
    }

    /// The command that sets an option. Table size and threads have separate commands.
    fn option(&self, name: &str, value: &str) -> Option<String> {
        let declared = self.features.option(name).map(|option| option.command(value));
        declared.or_else(|| match name.to_ascii_lowercase().as_str() {
            "hash" | "memory" if self.features.memory => Some(format!("memory {value}")),
            "threads" | "cores" if self.features.smp => Some(format!("cores {value}")),
            _ => None,
        })
    }

    fn no_option(&self, name: &str) -> PlayerError {
        let known: Vec<&str> = self.features.options.iter().map(|option| option.name.as_str()).collect();
        let remedy = option_remedy(name, &known);
        PlayerError::Refused { text: format!("{} has no option `{name}`; {remedy}", self.name) }
    }

    /// Processes a line that is not the expected answer.
    fn note(&mut self, line: &str) -> Result<(), PlayerError> {
        match EngineLine::read(line) {
            EngineLine::Feature(text) => {
                self.introduced = true;
                for (name, value) in features::pairs(text) {
                    let verdict = if self.features.take(name, value) { "accepted" } else { "rejected" };
                    self.say(&format!("{verdict} {name}"))?;
                }
            }
            EngineLine::Resign => self.pending_error = Some(PlayerError::Resigned),
            EngineLine::Result(claim) => {
                self.pending_error = Some(PlayerError::Claimed { claim, text: line.to_owned() })
            }
            EngineLine::DrawOffer => self.offers_draw = true,
            EngineLine::Illegal(text) if self.was_sent(text) => self.pending_error = Some(refusal(line)),
            EngineLine::Illegal(text) | EngineLine::Complaint(text) if text.contains("protover") => {
                self.is_old = !self.introduced
            }
            EngineLine::Complaint(text) if self.is_about_position(text) => self.pending_error = Some(refusal(line)),
            // The engine also reports unknown commands; they are not needed.
            EngineLine::Illegal(_) | EngineLine::Complaint(_) => {}
            EngineLine::Move(_) | EngineLine::Pong(_) | EngineLine::Thinking(_) | EngineLine::Chatter => {}
        }
        Ok(())
    }

    /// Returns true if this is the last move that was sent.
    fn was_sent(&self, text: &str) -> bool {
        !text.is_empty() && self.last_sent.split_whitespace().last() == Some(text)
    }

    /// Returns true if the text reports the last position or move as illegal.
    fn is_about_position(&self, text: &str) -> bool {
        let about = text.rsplit(':').next().unwrap_or(text).trim();
        text.to_ascii_lowercase().starts_with("illegal position")
            || about.starts_with("setboard")
            || self.was_sent(about)
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        self.process.send(line).map_err(|silence| self.broken(silence, "a command", self.timeouts.answer))
    }

    fn broken(&mut self, silence: ReceiveError, waiting: &str, timeout: Duration) -> PlayerError {
        let waiting = waiting.to_owned();
        match silence {
            ReceiveError::Timeout => PlayerError::Hung { waiting, timeout },
            // A stopped game does not report which player caused the stop.
            ReceiveError::Stopped => PlayerError::Disconnected { waiting },
            ReceiveError::Closed => match self.process.end() {
                ProcessEnd::HungUp => PlayerError::Disconnected { waiting },
                ProcessEnd::Exited(status) => {
                    PlayerError::Crashed { status: status.to_string(), waiting, words: self.process.last_errors() }
                }
            },
        }
    }

    /// Waits until the engine has processed all lines sent so far, if it supports `ping`.
    fn settle(&mut self) -> Result<(), PlayerError> {
        if !self.features.ping {
            return self.listen();
        }
        self.pings += 1;
        let number = self.pings.to_string();
        self.say(&format!("ping {number}"))?;
        let timeout = self.timeouts.answer;
        let deadline = Instant::now() + timeout;
        loop {
            let line = self.process.next(deadline).map_err(|silence| self.broken(silence, "pong", timeout))?;
            if EngineLine::read(&line.text) == EngineLine::Pong(&number) {
                self.process.acknowledged();
                return Ok(());
            }
            self.note(&line.text)?;
        }
    }

    /// Processes the lines that have arrived, without waiting.
    fn listen(&mut self) -> Result<(), PlayerError> {
        let now = Instant::now();
        while let Some(line) = self.process.try_next() {
            self.note(&line.text)?;
            // An engine that writes without end must not block this loop.
            if line.at > now {
                break;
            }
        }
        Ok(())
    }
}

/// The engine refuses the last command.
fn refusal(line: &str) -> PlayerError {
    PlayerError::Refused { text: line.to_owned() }
}

impl StartedPlayer for XboardEngine {
    fn quit(self: Box<Self>) {
        self.process.quit("quit", EXIT_TIMEOUT);
    }

    fn is_reusable(&self) -> bool {
        self.features.reuse
    }
}
