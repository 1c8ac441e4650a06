//! Solvers of single positions: our engine in this process, or (in [`crate::external`]) any UCI engine.

use crate::player::resize;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::Move;
use std::ops::ControlFlow;
use std::time::Duration;
use thiserror::Error;

/// News from a running search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverEvent {
    /// The best move at the root.
    Best {
        /// The move.
        mv: Move,
        /// Depth of the iteration (plies).
        depth: u32,
        /// Nodes so far.
        nodes: u64,
        /// Its value, if known.
        score: Option<Score>,
    },
    /// An iteration of this depth (plies) is under way.
    Iteration(u32),
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverResult {
    /// The move to play; `None` when there is no legal move.
    pub best: Option<Move>,
    /// Its value, if known.
    pub score: Option<Score>,
    /// Depth reached (plies).
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Why a search failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SolverError(pub String);

impl SolverError {
    /// The message with the position that was searched, unless it names this position already.
    pub fn in_position(&self, fen: &str) -> String {
        if self.0.contains(fen) { self.0.clone() } else { format!("{self}, in {fen}") }
    }
}

/// Searches positions and reports its best move during the search.
pub trait Solver {
    /// Forgets everything about earlier positions.
    fn new_game(&mut self) -> Result<(), SolverError>;

    /// Lets `control` stop the searches from now on. Solvers that cannot be stopped so ignore it.
    fn set_control(&mut self, _control: &Control) {}

    /// Searches until a limit is reached or `watch` breaks off.
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        watch: &mut dyn FnMut(SolverEvent) -> ControlFlow<()>,
    ) -> Result<SolverResult, SolverError>;
}

/// Our engine in this process.
pub struct EngineSolver {
    engine: Engine,
    /// Stops its searches.
    control: Control,
}

impl EngineSolver {
    /// An engine with this table size in MiB and this number of threads.
    pub fn new(parameters: Parameters, hash: usize, threads: usize) -> Result<EngineSolver, SolverError> {
        let mut engine = Engine::new(parameters);
        resize(&mut engine, hash).map_err(|e| SolverError(e.to_string()))?;
        engine.set_threads(threads);
        Ok(EngineSolver { engine, control: Control::default() })
    }

    /// Searches with other parameters from the next game on.
    pub fn set_parameters(&mut self, parameters: Parameters) {
        self.engine.set_parameters(parameters);
    }
}

impl Solver for EngineSolver {
    fn new_game(&mut self) -> Result<(), SolverError> {
        self.engine.new_game();
        Ok(())
    }

    fn set_control(&mut self, control: &Control) {
        self.control = control.clone();
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        watch: &mut dyn FnMut(SolverEvent) -> ControlFlow<()>,
    ) -> Result<SolverResult, SolverError> {
        let mut listener = |event: &ProgressEvent<'_>| sighting(event).map_or(ControlFlow::Continue(()), &mut *watch);
        // A search ends its control; the next one needs its own.
        let outcome = self.engine.search(game, limits, &self.control.child(), &mut listener);
        Ok(SolverResult {
            best: outcome.best,
            score: Some(outcome.report.score),
            depth: outcome.report.depth,
            nodes: outcome.nodes,
            time: outcome.time,
        })
    }
}

/// The solver's event for an event of a search.
fn sighting(event: &ProgressEvent<'_>) -> Option<SolverEvent> {
    match *event {
        ProgressEvent::Best { mv, depth, nodes, score } => {
            Some(SolverEvent::Best { mv, depth, nodes, score: Some(score) })
        }
        ProgressEvent::Current { depth, .. } => Some(SolverEvent::Iteration(depth)),
        ProgressEvent::Iteration([SearchReport { line, depth, nodes, score, .. }, ..]) => {
            let best = |mv: &Move| SolverEvent::Best { mv: *mv, depth: *depth, nodes: *nodes, score: Some(*score) };
            line.first().map(best)
        }
        ProgressEvent::Iteration(_) | ProgressEvent::Bound(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_position_once() {
        let fen = Game::new().fen();
        for (message, expected) in [
            ("X ended".to_owned(), format!("X ended, in {fen}")),
            (
                format!("X answered `e2e5`, which is illegal in {fen}"),
                format!("X answered `e2e5`, which is illegal in {fen}"),
            ),
        ] {
            assert_eq!(SolverError(message).in_position(&fen), expected);
        }
    }
}
