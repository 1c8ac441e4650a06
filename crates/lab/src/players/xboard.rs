//! Programs that speak the protocol of xboard and WinBoard (CECP), version 2 or the older one, as players.
//!
//! An engine of this protocol keeps the game itself: it is shown the opening move by move, told to play, and from then on each
//! move of the opponent makes it think. It may resign, offer a draw or claim a result; the referee decides what that is worth.

mod features;
mod notation;
mod said;

use super::seat::Machine;
use super::{Terms, Waits};
use crate::game::{Choice, Pace, Player, PlayerError, Remarks, Verdict};
use features::Features;
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::{End, Line, Process, Silence};
use said::{Said, Thought};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};
use std::time::{Duration, Instant};

/// An engine that has not introduced itself after this time knows the older protocol only. The protocol says two seconds, but a
/// busy machine may need more for starting a program, and engines of the older protocol mostly say at once that they do not
/// understand.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// GNU Chess 6 locks itself up at the start until more lines come, one at a time; the busier the machine, the more. So often an
/// engine that says nothing of itself is nudged.
const NUDGE: Duration = Duration::from_millis(20);
/// The first nudge comes after this time.
const NUDGE_FIRST: Duration = Duration::from_millis(300);
/// It asks for nothing but what we want anyway: no thinking on our time.
const NUDGE_LINE: &str = "easy";
/// How long an engine that was told to quit may take to end.
const FAREWELL: Duration = Duration::from_millis(500);
/// The kind of chess with free places of kings and rooks.
const FREE_CASTLING: &str = "fischerandom";
/// What an engine owes us when it is its turn.
const MOVE: &str = "move";
/// Tells it to stop thinking and move.
const MOVE_NOW: &str = "?";

/// A running engine.
pub struct XboardEngine {
    process: Process,
    name: String,
    features: Features,
    /// Has it said anything of its features?
    introduced: bool,
    /// Has it said that it knows no newer protocol?
    is_old: bool,
    waits: Waits,
    margin: Duration,
    pings: u32,
    /// The moves the engine knows of.
    known: Vec<Move>,
    /// Does it answer moves, or only take them in?
    playing: bool,
    /// The last move or position it was told, which it may call illegal.
    told: String,
    /// Its own last move, which some engines write twice.
    moved: String,
    /// It ended the game or complained when nobody asked.
    outburst: Option<PlayerError>,
    hears_offer: bool,
    offers_draw: bool,
    remarks: Remarks,
}

impl XboardEngine {
    /// Starts the engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError`] that says why it does not run.
    pub fn start(launch: &Launch, options: &[(String, String)], terms: &Terms) -> Result<XboardEngine, PlayerError> {
        let name = launch.program.display().to_string();
        let failed = |e: std::io::Error| PlayerError::Start { command: name.clone(), reason: e.to_string() };
        let process = Process::start(launch).map_err(failed)?;
        let mut engine = XboardEngine {
            process,
            name,
            features: Features::default(),
            introduced: false,
            is_old: false,
            waits: terms.waits,
            margin: Duration::ZERO,
            pings: 0,
            known: Vec::new(),
            playing: false,
            told: String::new(),
            moved: String::new(),
            outburst: None,
            hears_offer: false,
            offers_draw: false,
            remarks: Remarks::default(),
        };
        engine.introduce()?;
        engine.configure(options, terms)?;
        engine.settle()?;
        Ok(engine)
    }

    /// Asks for the features. An engine that says nothing knows none.
    fn introduce(&mut self) -> Result<(), PlayerError> {
        self.say("xboard")?;
        self.say("protover 2")?;
        let start = Instant::now();
        let mut nudge = start + NUDGE_FIRST;
        while self.features.done != Some(true) && !self.is_old {
            let patience =
                if self.features.done.is_some() { self.waits.start } else { INTRODUCTION.min(self.waits.start) };
            let deadline = start + patience;
            let next = if self.introduced { deadline } else { deadline.min(nudge) };
            match self.process.next(next) {
                Ok(line) => self.note(&line.text)?,
                Err(Silence::Timeout) if next < deadline => {
                    nudge += NUDGE;
                    self.say(NUDGE_LINE)?;
                }
                Err(Silence::Timeout) if self.features.done.is_none() => break,
                Err(silence) => return Err(self.broken(silence, "feature done=1", patience)),
            }
        }
        if let Some(name) = &self.features.name {
            self.name.clone_from(name);
        }
        Ok(())
    }

    fn configure(&mut self, options: &[(String, String)], terms: &Terms) -> Result<(), PlayerError> {
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
            let command = self.option(name, value).ok_or_else(|| self.no_option(name))?;
            self.say(&command)?;
        }
        Ok(())
    }

    /// The command that sets an option. Table and threads have commands of their own.
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
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        PlayerError::Refused { text: format!("{} has no option {name}; its options are: {known}", self.name) }
    }

    /// Takes in a line that answers nothing we wait for.
    fn note(&mut self, line: &str) -> Result<(), PlayerError> {
        match Said::read(line) {
            Said::Feature(text) => {
                self.introduced = true;
                for (name, value) in features::pairs(text) {
                    let verdict = if self.features.take(name, value) { "accepted" } else { "rejected" };
                    self.say(&format!("{verdict} {name}"))?;
                }
            }
            Said::Resign => self.outburst = Some(PlayerError::Resigned),
            Said::Result(claim) => self.outburst = Some(PlayerError::Claimed { claim, text: line.to_owned() }),
            Said::DrawOffer => self.offers_draw = true,
            Said::Illegal(text) if self.was_told(text) => self.outburst = Some(refusal(line)),
            Said::Illegal(text) | Said::Complaint(text) if text.contains("protover") => self.is_old = !self.introduced,
            Said::Complaint(text) if self.is_about_position(text) => self.outburst = Some(refusal(line)),
            // Unknown commands are complained about, too; those we could do without.
            Said::Illegal(_) | Said::Complaint(_) => {}
            Said::Move(_) | Said::Pong(_) | Said::Thinking(_) | Said::Chatter => {}
        }
        Ok(())
    }

    /// Is this the move we told it last?
    fn was_told(&self, text: &str) -> bool {
        !text.is_empty() && self.told.split_whitespace().last() == Some(text)
    }

    /// Does it complain about the position or the move it was told?
    fn is_about_position(&self, text: &str) -> bool {
        let about = text.rsplit(':').next().unwrap_or(text).trim();
        text.to_ascii_lowercase().starts_with("illegal position")
            || about.starts_with("setboard")
            || self.was_told(about)
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        self.process.say(line).map_err(|silence| self.broken(silence, "a command", self.waits.answer))
    }

    fn broken(&mut self, silence: Silence, waiting: &str, patience: Duration) -> PlayerError {
        let waiting = waiting.to_owned();
        match silence {
            Silence::Timeout => PlayerError::Hung { waiting, patience },
            Silence::Closed => match self.process.end() {
                End::HungUp => PlayerError::Disconnected { waiting },
                End::Exited(status) => {
                    PlayerError::Crashed { status: status.to_string(), waiting, words: self.process.last_words() }
                }
            },
        }
    }

    /// Waits until everything said so far has been dealt with, as far as the engine can tell us.
    fn settle(&mut self) -> Result<(), PlayerError> {
        if !self.features.ping {
            return self.listen();
        }
        self.pings += 1;
        let number = self.pings.to_string();
        self.say(&format!("ping {number}"))?;
        let patience = self.waits.answer;
        let deadline = Instant::now() + patience;
        loop {
            let line = self.process.next(deadline).map_err(|silence| self.broken(silence, "pong", patience))?;
            if Said::read(&line.text) == Said::Pong(&number) {
                self.process.heard();
                return Ok(());
            }
            self.note(&line.text)?;
        }
    }

    /// Takes in what was said in the meantime.
    fn listen(&mut self) -> Result<(), PlayerError> {
        let now = Instant::now();
        while let Some(line) = self.process.arrived() {
            self.note(&line.text)?;
            // One that never stops talking must not keep us here.
            if line.at > now {
                break;
            }
        }
        Ok(())
    }

    /// Shows the engine a position and the moves that led to it.
    fn show(&mut self, game: &Game) -> Result<(), PlayerError> {
        let refuse = |text: &str| Err(PlayerError::Refused { text: text.to_owned() });
        if game.castling_mode() == CastlingMode::Chess960 {
            if !self.features.variants.iter().any(|variant| variant == FREE_CASTLING) {
                return refuse("it does not play Chess960 (no feature variants=\"fischerandom\")");
            }
            self.say(&format!("variant {FREE_CASTLING}"))?;
        }
        self.say("force")?;
        let start = game.start_fen();
        if start != Game::new().start_fen() {
            if !self.features.setboard {
                return refuse(
                    "it cannot be shown a position (no feature setboard=1); use openings that begin with moves",
                );
            }
            self.told = format!("setboard {start}");
            self.say(&format!("setboard {start}"))?;
        }
        self.known.clear();
        self.tell(game)
    }

    /// Tells the moves that it does not know yet.
    fn tell(&mut self, game: &Game) -> Result<(), PlayerError> {
        let mut replay = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
        for (index, mv) in game.moves().iter().enumerate() {
            if index >= self.known.len() {
                self.told = notation::write(&replay, *mv, &self.features);
                self.say(&self.told.clone())?;
                self.known.push(*mv);
            }
            replay.play(*mv);
        }
        Ok(())
    }

    fn set_pace(&mut self, pace: &Pace) -> Result<(), PlayerError> {
        match pace {
            Pace::Clock(control) => self.say(&notation::level(control.moves, control.base, control.increment)),
            Pace::Movetime { time, .. } => self.say(&format!("st {}", time.as_secs().max(1))),
            Pace::Depth(depth) => {
                // The engine may not run out of its own idea of time before it reaches the depth.
                self.say(&format!("st {}", self.waits.search.as_secs().max(1)))?;
                self.say(&format!("sd {depth}"))
            }
            Pace::Nodes(_) => Err(PlayerError::Refused { text: "the protocol of xboard has no node limit".to_owned() }),
        }
    }

    /// Tells the clocks, and whether a draw is on offer.
    fn tell_clocks(&mut self, game: &Game, limits: &Limits) -> Result<(), PlayerError> {
        let turn = game.position().turn();
        if let (true, Some(own), Some(other)) = (self.features.time, limits.time.get(turn), limits.time.get(!turn)) {
            self.say(&format!("time {}", notation::centiseconds(*own)))?;
            self.say(&format!("otim {}", notation::centiseconds(*other)))?;
        }
        if std::mem::take(&mut self.hears_offer) && self.features.draw {
            self.say("draw")?;
        }
        Ok(())
    }

    /// Makes it think; the moment from which it does.
    fn start_thinking(&mut self, game: &Game) -> Result<Instant, PlayerError> {
        let answers = self.playing && self.known.len() + 1 == game.moves().len();
        if answers {
            let start = Instant::now();
            self.tell(game)?;
            return Ok(start);
        }
        if self.playing {
            self.say("force")?;
        }
        self.tell(game)?;
        if self.features.colors {
            self.say(game.position().turn().fold_wb("white", "black"))?;
        }
        self.playing = true;
        let start = Instant::now();
        self.say("go")?;
        Ok(start)
    }

    /// Listens to it thinking until it moves.
    fn await_move(&mut self, game: &Game, turn: &Turn) -> Result<(String, Thought, Duration), PlayerError> {
        let patience = turn.patience;
        let mut thought = Thought::default();
        let mut deadline = turn.start + patience;
        let (mut late, mut hurried) = (false, false);
        loop {
            let Line { text, at } = match self.process.next(deadline) {
                Ok(line) => line,
                Err(Silence::Timeout) if !late => {
                    late = true;
                    deadline = Instant::now() + self.waits.grace;
                    self.say(MOVE_NOW)?;
                    continue;
                }
                Err(silence) => return Err(self.broken(silence, MOVE, patience + self.waits.grace)),
            };
            match Said::read(&text) {
                Said::Move("") => return Err(PlayerError::Garbage { text }),
                Said::Move(mv) if mv == self.moved && notation::read(game, mv).is_none() => {}
                // Without a clock there is nothing else that this could lose by.
                Said::Move(_) if late && !turn.timed => {
                    return Err(PlayerError::Hung { waiting: MOVE.to_owned(), patience });
                }
                Said::Move(mv) => return Ok((mv.to_owned(), thought, at.saturating_duration_since(turn.start))),
                Said::Thinking(newer) => {
                    thought = Thought { nodes: newer.nodes.max(thought.nodes), ..newer };
                    // Some engines know no limit of depth.
                    if turn.depth.is_some_and(|depth| newer.depth > depth) && !hurried {
                        hurried = true;
                        self.say(MOVE_NOW)?;
                    }
                }
                _ => self.note(&text)?,
            }
            if let Some(outburst) = self.outburst.take() {
                return Err(outburst);
            }
        }
    }
}

/// What an engine has for its move.
struct Turn {
    start: Instant,
    patience: Duration,
    /// Does a clock run?
    timed: bool,
    depth: Option<u32>,
}

/// It does not accept what it was told.
fn refusal(line: &str) -> PlayerError {
    PlayerError::Refused { text: line.to_owned() }
}

impl Machine for XboardEngine {
    fn quit(self: Box<Self>) {
        self.process.leave("quit", FAREWELL);
    }

    fn is_reusable(&self) -> bool {
        self.features.reuse
    }
}

impl Player for XboardEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        for command in ["new", "force", "post", "easy"] {
            self.say(command)?;
        }
        self.settle()?;
        // What it had to say about the last game comes too late.
        self.outburst = None;
        self.playing = false;
        self.offers_draw = false;
        self.hears_offer = false;
        self.known.clear();
        self.moved.clear();
        Ok(())
    }

    fn prepare(&mut self, opening: &Game, pace: &Pace) -> Result<(), PlayerError> {
        self.margin = pace.margin();
        self.show(opening)?;
        self.set_pace(pace)?;
        self.settle()?;
        self.outburst.take().map_or(Ok(()), Err)
    }

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        // What is left of its last move comes before the clock starts.
        self.settle()?;
        if let Some(outburst) = self.outburst.take() {
            return Err(outburst);
        }
        let time = limits.movetime.or(*limits.time.get(game.position().turn()));
        let patience = time.map_or(self.waits.search, |time| time + self.margin);
        self.tell_clocks(game, limits)?;
        let start = self.start_thinking(game)?;
        let turn = Turn { start, patience, timed: time.is_some(), depth: limits.depth };
        let (text, thought, taken) = self.await_move(game, &turn)?;
        self.process.heard();
        self.moved.clone_from(&text);
        let mv = notation::read(game, &text);
        self.known.extend(mv);
        self.remarks = Remarks { time: Some(taken), offers_draw: std::mem::take(&mut self.offers_draw) };
        let text = mv.map_or(text, |mv| UciMove::from_move(mv, game.castling_mode()).to_string());
        Ok(Choice { text, score: thought.score, depth: thought.depth, nodes: thought.nodes })
    }

    fn remarks(&self) -> Remarks {
        self.remarks
    }

    fn hear_draw_offer(&mut self) {
        self.hears_offer = true;
    }

    fn game_over(&mut self, _game: &Game, verdict: &Verdict) {
        // One that is gone will be noticed when the next game begins.
        let _ = self.say("force");
        let _ = self.say(&format!("result {} {{{}}}", verdict.result(), verdict.ending));
    }
}
