//! Our engine in this process as a player: no pipe, no second process.

use crate::game::{Choice, Player, PlayerError};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::table::TableError;
use quarterply_engine::tablebase::Tablebase;
use shakmaty::uci::UciMove;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// An engine that plays by the limits it is given.
pub struct EnginePlayer {
    engine: Engine,
    name: String,
    overhead: Duration,
}

impl EnginePlayer {
    /// A player called `name` with a table of `hash` MiB.
    pub fn new(name: &str, parameters: Parameters, hash: usize) -> Result<EnginePlayer, TableError> {
        let mut engine = Engine::new(parameters);
        engine.resize(hash)?;
        Ok(EnginePlayer { engine, name: name.to_owned(), overhead: Duration::ZERO })
    }

    /// The same player with more threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> EnginePlayer {
        self.engine.set_threads(threads);
        self
    }

    /// The same player, keeping this much of its time in reserve for what happens outside the search.
    #[must_use]
    pub fn with_overhead(self, overhead: Duration) -> EnginePlayer {
        EnginePlayer { overhead, ..self }
    }

    /// The same player with endgame tables.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<Arc<Tablebase>>) -> EnginePlayer {
        self.engine.set_tablebase(tables);
        self
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

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        let limits = Limits { overhead: self.overhead, ..limits.clone() };
        let outcome = self.engine.search(game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
        let best = outcome.best.ok_or_else(|| PlayerError::Refused { text: "there is no legal move".to_owned() })?;
        Ok(Choice {
            text: UciMove::from_move(best, game.castling_mode()).to_string(),
            score: Some(outcome.report.score),
            depth: outcome.report.depth,
            nodes: outcome.nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, Pace, play};
    use shakmaty::{ByColor, CastlingMode, Color};

    #[test]
    fn the_player_plays_by_its_limits_and_wins_a_won_game() {
        let player = |name| EnginePlayer::new(name, Parameters::default(), 1).expect("a small table");
        let (mut white, mut black) = (player("white"), player("black"));
        let opening = Game::from_fen("7k/8/8/8/8/1R6/R7/K7 w - - 0 1", CastlingMode::Standard).expect("a good FEN");
        let record = play(ByColor { white: &mut white, black: &mut black }, &opening, Pace::Nodes(2000), &mut []);
        assert_eq!((record.verdict.winner, &record.verdict.ending), (Some(Color::White), &Ending::Checkmate));
        assert_eq!(record.names.white, "white");
        assert!(record.played.iter().all(|played| played.choice.nodes <= 2100), "{:?}", record.played);
    }
}
