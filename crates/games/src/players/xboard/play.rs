//! A game with an engine of xboard.

use super::line::{EngineLine, ThinkingOutput};
use super::{XboardEngine, notation};
use crate::game::{Choice, GameVerdict, MoveInfo, Pace, Player, PlayerError};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_uci::process::{ProcessLine, ReceiveError};
use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;
use std::time::{Duration, Instant};

/// The kind of chess with free places of kings and rooks.
const FREE_CASTLING: &str = "fischerandom";
/// The output expected from an engine on its turn.
const MOVE: &str = "move";
/// The command to stop the search and move.
const MOVE_NOW: &str = "?";

impl XboardEngine {
    /// Sends a position and the moves that led to it.
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
                    "it does not accept positions (no feature setboard=1); use openings that begin with moves",
                );
            }
            self.last_sent = format!("setboard {start}");
            self.say(&format!("setboard {start}"))?;
        }
        self.known.clear();
        self.tell_move(game)
    }

    /// Sends the moves that the engine has not received yet.
    fn tell_move(&mut self, game: &Game) -> Result<(), PlayerError> {
        for line in self.new_moves(game) {
            self.say(&line)?;
            self.last_sent = line;
        }
        game.moves().clone_into(&mut self.known);
        Ok(())
    }

    /// The lines for the moves that the engine has not received yet.
    fn new_moves(&self, game: &Game) -> Vec<String> {
        let mut replay = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
        let mut new_moves = Vec::new();
        for (index, mv) in game.moves().iter().enumerate() {
            if index >= self.known.len() {
                new_moves.push(notation::write(&replay, *mv, &self.features));
            }
            replay.play(*mv);
        }
        new_moves
    }

    fn set_pace(&mut self, pace: &Pace) -> Result<(), PlayerError> {
        match pace {
            Pace::Clock(control) => self.say(&notation::level(control.moves, control.base, control.increment)),
            Pace::Movetime { time, .. } => self.say(&format!("st {}", time.as_secs().max(1))),
            Pace::Depth(depth) => {
                // Otherwise the engine could reach its internal time limit before the depth.
                self.say(&format!("st {}", self.timeouts.search.as_secs().max(1)))?;
                self.say(&format!("sd {depth}"))
            }
            Pace::Nodes(_) => Err(PlayerError::Refused { text: "the protocol of xboard has no node limit".to_owned() }),
        }
    }

    /// Sends the clocks, and the draw offer if there is one.
    fn tell_clocks(&mut self, game: &Game, limits: &Limits) -> Result<(), PlayerError> {
        let turn = game.position().turn();
        if let (true, Some(own), Some(other)) = (self.features.time, limits.time.get(turn), limits.time.get(!turn)) {
            self.say(&format!("time {}", notation::centiseconds(*own)))?;
            self.say(&format!("otim {}", notation::centiseconds(*other)))?;
        }
        if std::mem::take(&mut self.has_draw_offer) && self.features.draw {
            self.say("draw")?;
        }
        Ok(())
    }

    /// Starts a search; returns the time of its start.
    fn start_thinking(&mut self, game: &Game) -> Result<Instant, PlayerError> {
        if let [reply] = &self.new_moves(game)[..]
            && self.playing
        {
            // The clock starts when the line is ready.
            self.last_sent.clone_from(reply);
            game.moves().clone_into(&mut self.known);
            let start = Instant::now();
            self.say(reply)?;
            return Ok(start);
        }
        if self.playing {
            self.say("force")?;
        }
        self.tell_move(game)?;
        if self.features.colors {
            self.say(game.position().turn().fold_wb("white", "black"))?;
        }
        self.playing = true;
        let start = Instant::now();
        self.say("go")?;
        Ok(start)
    }

    /// Reads its output until it moves.
    fn await_move(
        &mut self,
        game: &Game,
        turn: &MoveLimits,
    ) -> Result<(String, ThinkingOutput, Duration), PlayerError> {
        let timeout = turn.timeout;
        let mut thought = ThinkingOutput::default();
        let mut deadline = turn.start + timeout;
        let (mut late, mut hurried) = (false, false);
        loop {
            let ProcessLine { text, at } = match self.process.next(deadline) {
                Ok(line) => line,
                Err(ReceiveError::Timeout) if !late => {
                    late = true;
                    deadline = Instant::now() + self.timeouts.grace;
                    self.say(MOVE_NOW)?;
                    continue;
                }
                Err(silence) => return Err(self.broken(silence, MOVE, timeout + self.timeouts.grace)),
            };
            match EngineLine::read(&text) {
                EngineLine::Move("") => return Err(PlayerError::InvalidAnswer { text }),
                EngineLine::Move(mv) if mv == self.moved && notation::read(game, mv).is_none() => {}
                // Without a clock, this is the only limit that it can exceed.
                EngineLine::Move(_) if late && !turn.timed => {
                    return Err(PlayerError::Hung { waiting: MOVE.to_owned(), timeout });
                }
                EngineLine::Move(mv) => return Ok((mv.to_owned(), thought, at.saturating_duration_since(turn.start))),
                EngineLine::Thinking(newer) => {
                    thought = ThinkingOutput { nodes: newer.nodes.max(thought.nodes), ..newer };
                    // Some engines ignore the limit of depth.
                    if turn.depth.is_some_and(|depth| newer.depth > depth) && !hurried {
                        hurried = true;
                        self.say(MOVE_NOW)?;
                    }
                }
                _ => self.note(&text)?,
            }
            if let Some(pending_error) = self.pending_error.take() {
                return Err(pending_error);
            }
        }
    }

    /// Unsolicited output. Before the engine's first move, a claim or a resignation refers to the previous game.
    fn before_moving(&mut self) -> Result<(), PlayerError> {
        match self.pending_error.take() {
            Some(pending_error) if pending_error.is_breakdown() || !self.moved.is_empty() => Err(pending_error),
            _ => Ok(()),
        }
    }
}

/// The limits of an engine's move.
struct MoveLimits {
    start: Instant,
    timeout: Duration,
    /// True if a clock is running.
    timed: bool,
    depth: Option<u32>,
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
        // An error reported during the last game is obsolete.
        self.pending_error = None;
        self.playing = false;
        self.offers_draw = false;
        self.has_draw_offer = false;
        self.known.clear();
        self.moved.clear();
        Ok(())
    }

    fn prepare(&mut self, opening: &Game, pace: &Pace) -> Result<(), PlayerError> {
        self.margin = pace.margin();
        self.show(opening)?;
        self.set_pace(pace)?;
        self.settle()?;
        self.before_moving()
    }

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        // The remaining output of the last move is read before the clock starts.
        self.settle()?;
        self.before_moving()?;
        let time = limits.movetime.or(*limits.time.get(game.position().turn()));
        // The search output of these engines is not reliable, so the limit applies to the whole search.
        let untimed = || self.search_times.timeout(limits, &self.timeouts).standstill.unwrap_or(self.timeouts.search);
        let timeout = time.map_or_else(untimed, |time| time + self.margin);
        self.tell_clocks(game, limits)?;
        let start = self.start_thinking(game)?;
        let turn = MoveLimits { start, timeout, timed: time.is_some(), depth: limits.depth };
        let (text, thought, taken) = self.await_move(game, &turn)?;
        self.search_times.note(thought.nodes, taken);
        self.process.acknowledged();
        self.moved.clone_from(&text);
        let mv = notation::read(game, &text);
        self.known.extend(mv);
        self.remarks = MoveInfo { time: Some(taken), offers_draw: std::mem::take(&mut self.offers_draw) };
        let text = mv.map_or(text, |mv| UciMove::from_move(mv, game.castling_mode()).to_string());
        Ok(Choice { text, score: thought.score, depth: thought.depth, nodes: thought.nodes })
    }

    fn remarks(&self) -> MoveInfo {
        self.remarks
    }

    fn receive_draw_offer(&mut self) {
        self.has_draw_offer = true;
    }

    fn game_over(&mut self, _game: &Game, verdict: &GameVerdict) {
        // An engine that has ended is noticed when the next game begins.
        let _ = self.say("force");
        let _ = self.say(&format!("result {} {{{}}}", verdict.result(), verdict.ending));
    }
}
