//! A model with the settings of its search, as the user or a trace gives them. A trace holds its model, so its comparison can be computed.

use quarterply_engine::params::Parameters;

use super::{ModelComparison, ModelSearch, ModelSearchError, ModelSearchSettings, minimax_values};
use crate::View;
use crate::model::Model;
use crate::session::NODES_SHOWN;
use crate::trace::{Trace, TraceHeader};

/// A model with the settings of its search.
#[derive(Clone, Debug)]
pub struct ModelSetup {
    /// The model.
    pub model: Model,
    /// All parameters.
    pub parameters: Parameters,
    /// The name of the profile they started from.
    pub profile: String,
    /// The last iteration in plies; `None` for the depth of the model.
    pub depth: Option<u32>,
}

impl ModelSetup {
    /// That of a recording; `None` if chess was searched.
    ///
    /// # Errors
    /// [`ModelSearchError`] if this program cannot read the model or the parameters of the trace.
    pub fn of(trace: &Trace) -> Result<Option<ModelSetup>, ModelSearchError> {
        let header = trace.header();
        if header.model.is_empty() {
            return Ok(None);
        }
        let model = Model::parse(&header.model)?;
        let parameters = header.parameters().map_err(ModelSearchError::Parameters)?;
        let depth = depth_limit(header).unwrap_or(trace.summary().depth);
        Ok(Some(ModelSetup { model, parameters, profile: header.profile.clone(), depth: Some(depth) }))
    }

    fn settings(&self) -> ModelSearchSettings<'_> {
        ModelSearchSettings { parameters: &self.parameters, profile: &self.profile, depth: self.depth }
    }

    /// Searches the model: its page, and the lines of its comparison.
    pub fn search(&self) -> Result<(View, Vec<String>), ModelSearchError> {
        let search = self.model.search(self.settings())?;
        let comparison = search.comparison()?;
        Ok((search.view_with(&comparison)?, comparison.to_string().lines().map(str::to_owned).collect()))
    }

    /// A recording together with the textbook search.
    fn recorded(&self, trace: Trace) -> Result<ModelSearch<'_>, ModelSearchError> {
        let (playable, minimax) = (self.model.playable()?, minimax_values(&self.model));
        Ok(ModelSearch { run: self.model.run(), trace, settings: self.settings(), playable, minimax })
    }

    /// The comparison of a recording, as `window model --engine` prints it.
    pub fn comparison(&self, trace: Trace) -> Result<ModelComparison, ModelSearchError> {
        self.recorded(trace)?.comparison()
    }

    /// The page of a recording, as `window model --engine` makes it.
    pub fn view(&self, trace: Trace) -> Result<View, ModelSearchError> {
        self.recorded(trace)?.view()
    }
}

impl View {
    /// The page of any recording: of a model with its comparison, of chess with at most about [`NODES_SHOWN`] nodes.
    ///
    /// # Errors
    /// [`ModelSearchError`] if this program cannot read the trace.
    pub fn of_recording(trace: Trace) -> Result<View, ModelSearchError> {
        match ModelSetup::of(&trace)? {
            Some(setup) => setup.view(trace),
            None => Ok(View::of_trace(&trace, NODES_SHOWN)?),
        }
    }
}

/// The depth that was asked for; a mate may have ended the search before.
fn depth_limit(header: &TraceHeader) -> Option<u32> {
    header.limits.split(", ").find_map(|limit| limit.strip_prefix("depth ")).and_then(|depth| depth.parse().ok())
}
