//! Our engine in this process as a player: no pipe, no second process.

use crate::game::{Choice, MoveInfo, Player, PlayerError};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::table::TableError;
use quarterply_engine::tablebase::Tablebase;
use quarterply_uci::memory;
use shakmaty::uci::UciMove;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// An engine that plays by the limits it is given.
pub struct EnginePlayer {
    engine: Engine,
    name: String,
    overhead: Duration,
    /// What stops a search.
    flags: Vec<Arc<AtomicBool>>,
    /// The time of the last move by its clock, if nodes replace time.
    counted: Option<Duration>,
}

impl EnginePlayer {
    /// A player called `name` with a table of `hash` MiB.
    pub fn new(name: &str, parameters: Parameters, hash: usize) -> Result<EnginePlayer, TableError> {
        let mut engine = Engine::new(parameters);
        resize(&mut engine, hash)?;
        Ok(EnginePlayer { engine, name: name.to_owned(), overhead: Duration::ZERO, flags: Vec::new(), counted: None })
    }

    /// The same player with more threads, endgame tables, and this much time kept in reserve for what is not search.
    #[must_use]
    pub fn with(mut self, threads: usize, overhead: Duration, tables: Option<Arc<Tablebase>>) -> EnginePlayer {
        self.engine.set_threads(threads);
        self.engine.set_tablebase(tables);
        EnginePlayer { overhead, ..self }
    }
}

/// Gives an engine a table of `hash` MiB, unless that is more than the memory of this machine: the system would grant it, and end the
/// process when it is used.
pub(crate) fn resize(engine: &mut Engine, hash: usize) -> Result<(), TableError> {
    static MEMORY: LazyLock<Option<u64>> = LazyLock::new(memory::mebibytes);
    match *MEMORY {
        Some(there) if hash as u64 > there => {
            Err(TableError { mebibytes: hash, reason: format!("this machine has {there} MiB of memory") })
        }
        _ => engine.resize(hash),
    }
}

impl Player for EnginePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.engine.new_game();
        Ok(())
    }

    fn stop_on(&mut self, flags: &[Arc<AtomicBool>]) {
        self.flags = flags.to_vec();
    }

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        let limits = Limits { overhead: self.overhead, ..limits.clone() };
        let control = Control::with_stop_flags(&self.flags);
        let outcome = self.engine.search(game, &limits, &control, &mut |_| ControlFlow::Continue(()));
        self.counted = (self.engine.parameters().clock.nodes_per_ms > 0).then_some(outcome.time);
        let best = outcome.best.ok_or_else(|| PlayerError::Refused {
            text: "cannot choose a move: the position has no legal move".to_owned(),
        })?;
        Ok(Choice {
            text: UciMove::from_move(best, game.castling_mode()).to_string(),
            score: Some(outcome.report.score),
            depth: outcome.report.depth,
            nodes: outcome.nodes,
        })
    }

    fn remarks(&self) -> MoveInfo {
        MoveInfo { time: self.counted, offers_draw: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, Pace, play};
    use shakmaty::{ByColor, Color};

    #[test]
    fn a_flag_ends_the_search_of_a_move() {
        let mut player = EnginePlayer::new("", Parameters::default(), 1).expect("a small table");
        let flag: Arc<AtomicBool> = Arc::default();
        player.stop_on(&[Arc::clone(&flag)]);
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(player.choose(&Game::new(), &Limits::depth(100)).expect("a move").depth < 100);
    }

    #[test]
    fn where_nodes_stand_for_time_a_game_by_the_clock_repeats() {
        let game = || {
            let player = |name, nodes_per_ms| {
                let mut parameters = Parameters::default();
                parameters.clock.nodes_per_ms = nodes_per_ms;
                EnginePlayer::new(name, parameters, 1).expect("a small table")
            };
            let (mut white, mut black) = (player("white", 20), player("black", 10));
            let pace: Pace = "2+0.02".parse().expect("a time control");
            play(ByColor { white: &mut white, black: &mut black }, &Game::new(), pace, &mut [])
        };
        let (first, again) = (game(), game());
        assert!(!matches!(first.verdict.ending, Ending::TimeLoss | Ending::Failure(_)), "{:?}", first.verdict);
        for (number, (one, other)) in first.played.iter().zip(&again.played).enumerate() {
            let nodes_per_ms = if number % 2 == 0 { 20 } else { 10 };
            assert_eq!((one.mv, one.time, one.left), (other.mv, other.time, other.left), "{number}");
            assert_eq!(one.time, Duration::from_micros(one.choice.nodes * 1000 / nodes_per_ms), "{number}");
        }
        assert_eq!(first.played.len(), again.played.len());
    }

    #[test]
    fn a_table_larger_than_the_memory_of_the_machine_is_refused() {
        let Some(there) = memory::mebibytes() else { return };
        let found = EnginePlayer::new("large", Parameters::default(), there as usize + 1);
        let error = found.err().expect("there is less memory").to_string();
        assert!(error.contains(&format!("this machine has {there} MiB of memory")), "{error}");
    }

    #[test]
    fn the_player_plays_by_its_limits_and_wins_a_won_game() {
        let player = |name| EnginePlayer::new(name, Parameters::default(), 1).expect("a small table");
        let (mut white, mut black) = (player("white"), player("black"));
        let opening = Game::standard("7k/8/8/8/8/1R6/R7/K7 w - - 0 1").expect("a good FEN");
        let record = play(ByColor { white: &mut white, black: &mut black }, &opening, Pace::Nodes(2000), &mut []);
        assert_eq!((record.verdict.winner, &record.verdict.ending), (Some(Color::White), &Ending::Checkmate));
        assert_eq!(record.names.white, "white");
        assert!(record.played.iter().all(|played| played.choice.nodes <= 2100), "{:?}", record.played);
    }
}
