//! Any UCI engine as a solver of suites and as a player.
//!
//! Some engines ignore node limits or check them rarely. An engine that reports more nodes than its limit gets a `stop`.

use crate::game::{Choice, MoveInfo, Pace, Player, PlayerError};
use crate::solver::{Solver, SolverError, SolverEvent, SolverResult};
use crate::timeouts::{SearchTimes, Timeouts};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::score::{Bound, Ply, Score};
use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_uci::client::{Client, ClientError, ClientStart, MessageSink, SearchTimeout};
use quarterply_uci::info::{Info, OptionKind, ScoreValue};
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop;
use shakmaty::uci::UciMove;
use std::ops::ControlFlow;
use std::time::Duration;

/// Longest mate that a score can hold (moves).
const MATE_MAX: i32 = 120;

/// Settings that all players of a match share. Options of a player override them.
#[derive(Clone, Debug)]
pub struct PlayerDefaults {
    /// Transposition table in MiB.
    pub hash: usize,
    /// Threads.
    pub threads: usize,
    /// Time that players keep in reserve for delays outside of them, if they have an option for it.
    pub overhead: Option<Duration>,
    /// Directories of endgame tables.
    pub tables: Option<String>,
    /// How long players may take.
    pub timeouts: Timeouts,
    /// Players are waited for only as long as this is not set.
    pub stop: Stop,
    /// Receives messages about players during games.
    pub messages: MessageSink,
    /// Names of the options of texts, which can name files, that may be set; all if `None`.
    pub texts: Option<Vec<String>>,
}

impl Default for PlayerDefaults {
    fn default() -> PlayerDefaults {
        PlayerDefaults {
            hash: TABLE_DEFAULT,
            threads: 1,
            overhead: None,
            tables: None,
            timeouts: Timeouts::default(),
            stop: Stop::default(),
            messages: MessageSink::default(),
            texts: None,
        }
    }
}

impl PlayerDefaults {
    /// Options that are set where an engine has them.
    fn preferences(&self) -> Vec<(&'static str, String)> {
        let mut all = vec![("Hash", self.hash.to_string()), ("Threads", self.threads.to_string())];
        all.extend(self.overhead.map(|time| ("Move Overhead", time.as_millis().to_string())));
        all.extend(self.tables.clone().map(|path| ("SyzygyPath", path)));
        all
    }
}

/// How to start an engine.
#[derive(Clone, Debug)]
pub struct EngineSetup {
    /// The program.
    pub launch: Launch,
    /// Its name in results; the name that it sends if `None`.
    pub name: Option<String>,
    /// Options that it must have.
    pub options: Vec<(String, String)>,
    /// All other settings.
    pub defaults: PlayerDefaults,
}

/// Returns true if the list of text options that may be set does not have this name. Without a list, all may be set.
pub(crate) fn is_forbidden(texts: Option<&Vec<String>>, name: &str) -> bool {
    texts.is_some_and(|texts| !texts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name)))
}

/// Why an option of texts must not be set.
pub(crate) fn forbidden(name: &str) -> String {
    format!(
        "option `{name}` is a text and can name a file; allow it in the engines of the worker with texts = [\"{name}\"]"
    )
}

/// A running engine.
pub struct UciEngine {
    pub(crate) client: Client,
    name: String,
    timeouts: Timeouts,
    search_times: SearchTimes,
    margin: Duration,
    remarks: MoveInfo,
    /// The preferences that it has no option for, or another value of, in words.
    pub unused_settings: Vec<String>,
}

/// Returns true for the value that an engine without such an option may be expected to have.
fn is_usual(name: &str, value: &str) -> bool {
    match name {
        "Hash" => value == TABLE_DEFAULT.to_string(),
        "Threads" => value == "1",
        _ => false,
    }
}

impl UciEngine {
    /// Starts the engine and sets its options.
    pub fn start(setup: &EngineSetup) -> Result<UciEngine, ClientError> {
        let PlayerDefaults { timeouts, stop, messages, texts, .. } = &setup.defaults;
        let label = setup.name.clone().unwrap_or_else(|| setup.launch.label());
        let (first_answer, timeout, stop) = (timeouts.first_answer, timeouts.start, stop.clone());
        let start = ClientStart { label: &label, first_answer, timeout, stop };
        let mut client = Client::start_with(&setup.launch, &start)?;
        (client.grace, client.messages) = (timeouts.grace, messages.clone());
        let mut unused_settings = Vec::new();
        for (name, wanted) in setup.defaults.preferences() {
            let Some(option) = client.option(name) else {
                if !is_usual(name, &wanted) {
                    unused_settings.push(format!("{name} {wanted} is not set, because it has no such option"));
                }
                continue;
            };
            // Settings for all engines can exceed the range of one of them.
            let value =
                wanted.parse().map_or_else(|_| wanted.clone(), |number| option.kind.nearest(number).to_string());
            if value != wanted {
                unused_settings.push(format!("{name} is {value}, because its range does not include {wanted}"));
            }
            client.set_option(name, Some(&value))?;
        }
        for (name, value) in &setup.options {
            let is_text = client.option(name).is_some_and(|option| matches!(option.kind, OptionKind::Text { .. }));
            if is_text && is_forbidden(texts.as_ref(), name) {
                return Err(ClientError::Refused { engine: client.name().to_owned(), reason: forbidden(name) });
            }
            client.set_option(name, Some(value))?;
        }
        // Large tables and networks take their time, but only now.
        client.ready()?;
        client.timeout = timeouts.answer;
        let name = setup.name.clone().unwrap_or_else(|| client.name().to_owned());
        let (search_times, margin, remarks) = (SearchTimes::default(), Duration::ZERO, MoveInfo::default());
        Ok(UciEngine { client, name, timeouts: *timeouts, search_times, margin, remarks, unused_settings })
    }
}

impl Solver for UciEngine {
    fn new_game(&mut self) -> Result<(), SolverError> {
        self.client.new_game().map_err(|e| SolverError(e.to_string()))
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        watch: &mut dyn FnMut(SolverEvent) -> ControlFlow<()>,
    ) -> Result<SolverResult, SolverError> {
        self.client.position(game).map_err(|e| SolverError(e.to_string()))?;
        let by_clock = |time| SearchTimeout::from(time + self.timeouts.answer);
        let timeout = limits.movetime.map_or_else(|| self.search_times.timeout(limits, &self.timeouts), by_clock);
        let mut latest = LatestInfo::default();
        let answer = self.client.go(limits, timeout, &mut |info| {
            latest.note(info);
            let exceeded = limits.nodes.is_some_and(|limit| latest.nodes > limit);
            let watched = latest.sighting(info, game).map_or(ControlFlow::Continue(()), &mut *watch);
            if exceeded { ControlFlow::Break(()) } else { watched }
        });
        let answer = answer.map_err(|e| SolverError(e.to_string()))?;
        if answer.late {
            let (name, time) = (&self.name, answer.time.as_secs());
            let text = format!("{name}: no bestmove within {time} s; wait longer with --timeout SECONDS");
            return Err(SolverError(text));
        }
        self.search_times.note(latest.nodes, answer.time);
        Ok(SolverResult {
            best: answer.best,
            score: latest.score,
            depth: latest.depth,
            nodes: latest.nodes,
            time: answer.time,
        })
    }
}

/// The newest figures: engines do not repeat all of them on every line.
#[derive(Default)]
struct LatestInfo {
    depth: u32,
    nodes: u64,
    score: Option<Score>,
}

impl LatestInfo {
    fn note(&mut self, info: &Info) {
        self.depth = info.depth.filter(|depth| *depth > 0).unwrap_or(self.depth);
        self.nodes = info.nodes.unwrap_or(self.nodes).max(self.nodes);
        if is_first(info) {
            self.score = info.value.map(score).or(self.score);
        }
    }

    /// The best move of a line. After a fail low it is not known yet which move is best.
    fn sighting(&self, info: &Info, game: &Game) -> Option<SolverEvent> {
        let best = info.line.first().filter(|_| is_first(info) && info.bound != Some(Bound::Upper));
        match best.map(|uci| uci.to_move(game.position().chess())) {
            Some(Ok(mv)) => Some(SolverEvent::Best { mv, depth: self.depth, nodes: self.nodes, score: self.score }),
            _ => info.depth.map(SolverEvent::Iteration),
        }
    }
}

/// Returns true if this is the best of several lines, or the only one.
fn is_first(info: &Info) -> bool {
    info.number.is_none_or(|number| number == 1)
}

fn score(value: ScoreValue) -> Score {
    match value {
        ScoreValue::Centipawns(amount) => Score(amount).as_eval(),
        ScoreValue::Mate(moves) if moves > 0 => Score::mate_in(Ply(2 * moves.min(MATE_MAX) as u16 - 1)),
        ScoreValue::Mate(moves) => Score::mated_in(Ply(2 * moves.max(-MATE_MAX).unsigned_abs() as u16)),
    }
}

impl Player for UciEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.client.new_game().map_err(fault)
    }

    /// Learning the opening may take an engine a moment, and so may waking up.
    fn prepare(&mut self, opening: &Game, pace: &Pace) -> Result<(), PlayerError> {
        self.margin = pace.margin();
        self.client.position(opening).and_then(|()| self.client.ready()).map_err(fault)
    }

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        let time = limits.movetime.or(*limits.time.get(game.position().turn()));
        let by_clock = |time| SearchTimeout::from(time + self.margin);
        let timeout = time.map_or_else(|| self.search_times.timeout(limits, &self.timeouts), by_clock);
        // Whatever is left of an earlier search comes before the answer to this.
        self.client.position(game).and_then(|()| self.client.ready()).map_err(fault)?;
        let mut latest = LatestInfo::default();
        let answer = self.client.go(limits, timeout, &mut |info| {
            latest.note(info);
            let exceeded = limits.nodes.is_some_and(|limit| latest.nodes > limit);
            if exceeded { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let (text, time) = match answer {
            // The referee judges those that are late by the clock.
            Ok(answer) if answer.late && time.is_none() => {
                let timeout = Duration::from_secs(answer.time.as_secs()); // for people
                return Err(PlayerError::Hung { waiting: "bestmove".to_owned(), timeout });
            }
            Ok(answer) => {
                self.search_times.note(latest.nodes, answer.time);
                let written = |mv| UciMove::from_move(mv, game.castling_mode()).to_string();
                (answer.best.map_or(answer.text, written), Some(answer.time))
            }
            // The referee judges what cannot be played.
            Err(ClientError::Illegal { text, .. }) => (text, None),
            Err(error) => return Err(fault(error)),
        };
        self.remarks = MoveInfo { time, offers_draw: false };
        Ok(Choice { text, score: latest.score, depth: latest.depth, nodes: latest.nodes })
    }

    fn remarks(&self) -> MoveInfo {
        self.remarks
    }
}

/// The fault of the player for an error of its engine.
fn fault(error: ClientError) -> PlayerError {
    match error {
        ClientError::Start { program, reason } => PlayerError::Start { command: program, reason },
        ClientError::NotUci { ref program, .. } => {
            PlayerError::Start { command: program.clone(), reason: error.to_string() }
        }
        ClientError::Ended { status, waiting, words, .. } => PlayerError::Crashed { status, waiting, words },
        ClientError::HungUp { waiting, .. } => PlayerError::Disconnected { waiting },
        ClientError::Timeout { waiting, timeout, .. } => PlayerError::Hung { waiting, timeout },
        ClientError::Answer { text, .. } => PlayerError::InvalidAnswer { text },
        // A stopped game does not report which player caused the stop.
        ClientError::Stopped { .. } => PlayerError::Disconnected { waiting: "an answer".to_owned() },
        ClientError::Illegal { .. }
        | ClientError::NoOption { .. }
        | ClientError::Value { .. }
        | ClientError::Refused { .. } => PlayerError::Refused { text: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;

    #[test]
    fn values_become_scores() {
        for (value, expected) in [
            (ScoreValue::Centipawns(35), Score(35)),
            (ScoreValue::Centipawns(i32::MAX), Score::EVAL_MAX),
            (ScoreValue::Mate(1), Score::mate_in(Ply(1))),
            (ScoreValue::Mate(3), Score::mate_in(Ply(5))),
            (ScoreValue::Mate(0), Score::mated_in(Ply(0))),
            (ScoreValue::Mate(-2), Score::mated_in(Ply(4))),
            (ScoreValue::Mate(i32::MAX), Score::mate_in(Ply(239))),
            (ScoreValue::Mate(i32::MIN), Score::mated_in(Ply(240))),
        ] {
            assert_eq!(score(value), expected, "{value}");
        }
    }

    #[test]
    fn lines_become_sightings() {
        let game = Game::new();
        let mut latest = LatestInfo::default();
        let mut seen = Vec::new();
        for text in [
            "info depth 4 nodes 100 score cp 10 pv e2e4 e7e5",
            "info depth 5 currmove d2d4 currmovenumber 2",
            "info depth 5 multipv 2 nodes 150 score cp 5 pv g1f3",
            "info depth 5 nodes 200 score cp -20 upperbound pv e2e4",
            "info depth 5 nodes 300 score cp 12 lowerbound pv d2d4",
            "info nodes 400 score mate 2 pv d2d4",
            "info depth 5 score cp 12 pv e2e5",
            "info string hello",
        ] {
            let info: Info = text.parse().expect(text);
            latest.note(&info);
            seen.push(latest.sighting(&info, &game).map(|sighting| match sighting {
                SolverEvent::Best { mv, depth, nodes, .. } => (mv.to_string(), depth, nodes),
                SolverEvent::Iteration(depth) => (String::new(), depth, 0),
            }));
        }
        let best = |text: &str, depth, nodes| Some((text.to_owned(), depth, nodes));
        let expected = [
            best("e2-e4", 4, 100),
            best("", 5, 0),
            best("", 5, 0),
            best("", 5, 0),
            best("d2-d4", 5, 300),
            best("d2-d4", 5, 400),
            best("", 5, 0),
            None,
        ];
        assert_eq!(seen, expected);
    }
}
