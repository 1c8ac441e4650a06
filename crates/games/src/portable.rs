//! Engines and openings as plain data: what tasks hold.

use crate::player::EnginePlayer;
use crate::solver::EngineSolver;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_work::{Context, Digest, TaskError, WorkError};
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// An engine of this program as tasks contain it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineData {
    /// Parameters and learned coefficients that are not the default, by name.
    pub parameters: BTreeMap<String, i32>,
    /// The static evaluation.
    pub evaluation: Evaluation,
    /// Transposition table (MiB).
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Time kept in reserve for each move (milliseconds).
    pub overhead: u64,
}

/// A static evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// That of the program.
    Default,
    /// The weighted terms.
    Classical,
    /// A network, by the SHA-256 of its file.
    Network(Digest),
}

impl Evaluation {
    /// The evaluation that these parameters name. Its file is stored for the workers.
    ///
    /// # Errors
    /// The file cannot be read or stored.
    pub fn store(file: &EvalFile, store: &mut Store<'_>) -> Result<Evaluation, WorkError> {
        Ok(match file {
            EvalFile::Default => Evaluation::Default,
            EvalFile::Classical => Evaluation::Classical,
            EvalFile::Network { path, .. } => Evaluation::Network(store(Path::new(&**path))?),
        })
    }

    /// The file that it needs, if any.
    pub fn object(&self) -> Option<Digest> {
        match self {
            Evaluation::Network(digest) => Some(*digest),
            Evaluation::Default | Evaluation::Classical => None,
        }
    }
}

/// Makes a file available to tasks; see [`quarterply_work::Executor::store`].
pub type Store<'a> = dyn FnMut(&Path) -> Result<Digest, WorkError> + 'a;

/// Where games begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    fen: String,
    /// Moves from there, in UCI notation.
    moves: Vec<String>,
    chess960: bool,
}

impl Opening {
    /// The moves and the position from which they were played.
    pub fn of(game: &Game) -> Opening {
        let text = |mv: &shakmaty::Move| UciMove::from_move(*mv, game.castling_mode()).to_string();
        Opening {
            fen: game.start_fen(),
            moves: game.moves().iter().map(text).collect(),
            chess960: game.castling_mode().is_chess960(),
        }
    }

    /// The game so far.
    ///
    /// # Errors
    /// A message: the position or a move is invalid.
    pub fn game(&self) -> Result<Game, String> {
        let mode = CastlingMode::from_chess960(self.chess960);
        let mut game = Game::from_fen(&self.fen, mode).map_err(|error| error.to_string())?;
        game.play_line(&self.moves).map_err(|error| error.to_string())?;
        Ok(game)
    }
}

impl EngineData {
    /// An engine without overhead, with a table of `hash` MiB and this number of threads. Its network, if it has one, is stored.
    ///
    /// # Errors
    /// The network cannot be read or stored.
    pub fn new(
        parameters: &Parameters,
        hash: usize,
        threads: usize,
        store: &mut Store<'_>,
    ) -> Result<EngineData, WorkError> {
        let evaluation = Evaluation::store(&parameters.eval_file, store)?;
        let numbers = parameters.differing().map(|(entry, value)| (entry.name, value));
        let parameters = numbers.chain(parameters.differing_coefficients()).collect();
        Ok(EngineData { parameters, evaluation, hash, threads, overhead: 0 })
    }

    /// Its parameters, with the network from the store of this machine.
    ///
    /// # Errors
    /// This program does not have a parameter, or the network is not available.
    pub fn parameters(&self, context: &Context) -> Result<Parameters, TaskError> {
        let mut parameters = Parameters::default();
        for (name, value) in &self.parameters {
            parameters.restore(name, *value).map_err(|error| TaskError::Refused(error.to_string()))?;
        }
        parameters.choose(match &self.evaluation {
            Evaluation::Default => EvalFile::Default,
            Evaluation::Classical => EvalFile::Classical,
            Evaluation::Network(digest) => {
                let path = context.objects.path(digest).map_err(TaskError::Failed)?;
                EvalFile::open(&path.display().to_string()).map_err(|error| TaskError::Refused(error.to_string()))?
            }
        });
        Ok(parameters)
    }

    /// The engine as a player.
    ///
    /// # Errors
    /// See [`EngineData::parameters`]; or the table cannot be allocated.
    pub fn player(&self, name: &str, context: &Context) -> Result<EnginePlayer, TaskError> {
        let parameters = self.parameters(context)?;
        let player =
            EnginePlayer::new(name, parameters, self.hash).map_err(|error| TaskError::Unfit(error.to_string()))?;
        Ok(player.with(self.threads.max(1), Duration::from_millis(self.overhead), None))
    }

    /// The engine as a solver of positions.
    ///
    /// # Errors
    /// See [`EngineData::player`].
    pub fn solver(&self, context: &Context) -> Result<EngineSolver, TaskError> {
        let solver = EngineSolver::new(self.parameters(context)?, self.hash, self.threads.max(1));
        solver.map_err(|error| TaskError::Unfit(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_work::ObjectFolder;
    use std::sync::Arc;

    /// Coefficients are sent as values, because other machines do not have their files.
    #[test]
    fn an_engine_comes_back_with_its_parameters_and_coefficients() {
        let mut parameters = Parameters::default();
        parameters.set("null_move.on", 0).expect("a switch");
        parameters.restore("learned_cost.bias", 77).expect("a coefficient");
        let mut store = |path: &Path| -> Result<Digest, WorkError> { panic!("{}", path.display()) };
        let data = EngineData::new(&parameters, 1, 1, &mut store).expect("no files");
        let text = serde_json::to_string(&data).expect("plain data");
        let back: EngineData = serde_json::from_str(&text).expect(&text);
        let context = Context::new(Arc::new(ObjectFolder("/nowhere".into())));
        assert_eq!(back.parameters(&context).ok(), Some(parameters));
    }

    #[test]
    fn openings_come_back_with_their_moves() {
        let mut game = Game::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Chess960).expect("a FEN");
        game.play_uci("e1h1").expect("castling");
        let back = Opening::of(&game).game().expect("a game");
        assert_eq!((back.fen(), back.start_fen(), back.keys()), (game.fen(), game.start_fen(), game.keys()));
    }
}
