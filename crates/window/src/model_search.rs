//! The real search, with all rules, on a model tree.
//!
//! The tree replaces the chess tree ([`quarterply_engine::tree`]); otherwise it is an ordinary recorded search. The result is a
//! [`ModelComparison`]: the values of the textbook search and of the engine, the nodes skipped by rules, and, if rules changed the result,
//! which rules at which nodes.

mod comparison;
mod error;
mod outcomes;
mod setup;

use std::io;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::Control;
use thiserror::Error;

use crate::View;
use crate::model::{Model, ModelError, PlayableModel, hundredths};
use crate::run::ModelRun;
use crate::show::ShowError;
use crate::show::outline::Fold;
use crate::trace::record::{self, RecordError, RecordSetup};
use crate::trace::{Filter, NodeId, Trace, TraceError};
use crate::view::SearchInput;
use crate::why::switched_off;

pub use comparison::ModelComparison;
pub use error::{ValueError, ValueErrorKind};
pub use setup::ModelSetup;

/// Transposition table in MiB: the trees are small.
const HASH: usize = 1;
/// A fold that leaves everything open.
pub const OPEN: Fold = Fold { plies: u16::MAX, share: 0, moves: usize::MAX };

/// Reason why a model was not searched.
#[derive(Debug, Error)]
pub enum ModelSearchError {
    /// The lines of the model are not legal chess.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The search cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The recording cannot be followed.
    #[error(transparent)]
    Show(#[from] ShowError),
    /// The recording was made with parameters that this program does not have.
    #[error("cannot use the parameters of the trace: {0}; record it again")]
    Parameters(ParameterError),
}

/// Settings of a search.
#[derive(Clone, Copy, Debug)]
pub struct ModelSearchSettings<'a> {
    /// All parameters.
    pub parameters: &'a Parameters,
    /// Name of the parameters.
    pub profile: &'a str,
    /// The last iteration in plies; `None` for the depth of the model.
    pub depth: Option<u32>,
}

/// A model that was searched by the textbook and by the engine.
pub struct ModelSearch<'a> {
    /// The textbook's search.
    pub run: ModelRun<'a>,
    /// The engine's.
    pub trace: Trace,
    settings: ModelSearchSettings<'a>,
    playable: PlayableModel,
    /// Minimax value of each node for its side to move, in pawns/100.
    minimax: Vec<Score>,
}

impl Model {
    /// Searches the model as the engine searches chess, and records it.
    ///
    /// # Errors
    /// [`ModelSearchError`]; if lines are not legal chess, it names the key and the remedy.
    pub fn search<'a>(&'a self, settings: ModelSearchSettings<'a>) -> Result<ModelSearch<'a>, ModelSearchError> {
        let playable = self.playable()?;
        let trace = recorded(self, &playable, settings)?;
        Ok(ModelSearch { run: self.run(), trace, settings, minimax: minimax_values(self), playable })
    }
}

fn recorded(model: &Model, playable: &PlayableModel, settings: ModelSearchSettings<'_>) -> Result<Trace, RecordError> {
    let ModelSearchSettings { parameters, profile, depth } = settings;
    let limits = &Limits::depth(depth.unwrap_or(u32::from(model.depth())));
    let (game, filter) = (&playable.game, Filter::default());
    let setup = RecordSetup { game, parameters, profile, limits, hash: HASH, filter };
    record::in_memory(&setup, Some(playable.model.clone()), &Control::default(), None)
}

/// Minimax value of each node for its side to move.
fn minimax_values(model: &Model) -> Vec<Score> {
    let nodes = model.nodes();
    let mut minimax: Vec<Score> = nodes.iter().map(|node| -hundredths(node.score)).collect();
    let mut deepest_first: Vec<usize> = (0..nodes.len()).collect();
    deepest_first.sort_by_key(|&place| std::cmp::Reverse(nodes[place].ply));
    for place in deepest_first {
        if let Some(best) = nodes[place].children.iter().map(|&child| -minimax[child]).max() {
            minimax[place] = best;
        }
    }
    minimax
}

impl ModelSearch<'_> {
    /// The value that the engine found, in pawns/100.
    pub fn value(&self) -> Score {
        Score(self.trace.summary().score)
    }

    /// The position that was searched.
    pub fn position(&self) -> &Position {
        self.playable.game.position()
    }

    /// The root of the last iteration.
    ///
    /// # Errors
    /// [`ShowError`] if there is none.
    pub fn root(&self) -> Result<NodeId, ShowError> {
        self.trace.last_root().ok_or_else(|| ShowError::Write(io::Error::other("no iteration was finished")))
    }

    /// The engine's line, as the model writes it.
    fn line(&self) -> &str {
        let mode = self.trace.header().chess960;
        let mut place = 0;
        for uci in &self.trace.summary().line {
            let step = self.playable.steps[place].iter().find(|(step, _)| step.uci(mode) == *uci);
            let Some(&(_, child)) = step else { break };
            place = child;
        }
        self.run.node(place).line.as_str()
    }

    /// Every line of the model in UCI notation.
    fn lines(&self) -> Vec<String> {
        let mode = self.trace.header().chess960;
        let mut lines = vec![String::new(); self.run.model.nodes().len()];
        let mut open = vec![0];
        while let Some(place) = open.pop() {
            for &(step, child) in &self.playable.steps[place] {
                lines[child] = format!("{} {}", lines[place], step.uci(mode)).trim_start().to_owned();
                open.push(child);
            }
        }
        lines.into_iter().skip(1).collect()
    }

    /// The value that the engine finds with a rule off, in pawns/100.
    fn value_without(&self, rule: Rule) -> Result<Score, ModelSearchError> {
        let parameters = &switched_off(self.settings.parameters, rule);
        let trace = recorded(self.run.model, &self.playable, ModelSearchSettings { parameters, ..self.settings })?;
        Ok(Score(trace.summary().score))
    }

    /// The page, with the comparison among its remarks.
    pub fn view(&self) -> Result<View, ModelSearchError> {
        self.view_with(&self.comparison()?)
    }

    /// The page with a comparison that was made before.
    pub(crate) fn view_with(&self, comparison: &ModelComparison) -> Result<View, ModelSearchError> {
        let mut view = View::of_trace(&self.trace, crate::html::NODES_MAX)?;
        let model = self.run.model;
        let title = model.title.clone().or_else(|| model.name.clone()).unwrap_or_else(|| "a model".to_owned());
        view.about.title = format!("{title}, searched by the engine");
        view.about.lines = Some(self.lines());
        let (game, parameters) = (self.playable.game.clone(), self.settings.parameters.clone());
        view.basis = Some(SearchInput { game, parameters, playable: Some(self.playable.clone()) });
        view.about.remarks.extend(comparison.to_string().lines().map(str::to_owned));
        Ok(view)
    }
}
