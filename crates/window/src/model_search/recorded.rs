//! Recordings of models read from traces. A trace holds the model and the parameters, so its comparison can be computed.

use quarterply_engine::params::Parameters;

use super::{ModelComparison, ModelSearch, ModelSearchError, ModelSearchSettings, worths};
use crate::View;
use crate::model::Model;
use crate::trace::{Trace, TraceHeader};

/// The model and the parameters of a recording.
#[derive(Clone, Debug)]
pub struct RecordedModel {
    model: Model,
    parameters: Parameters,
    profile: String,
    depth: u32,
}

impl RecordedModel {
    /// The model of a recording; `None` if chess was searched.
    ///
    /// # Errors
    /// [`ModelSearchError`] if this program cannot read the model or the parameters of the trace.
    pub fn of(trace: &Trace) -> Result<Option<RecordedModel>, ModelSearchError> {
        let header = trace.header();
        if header.model.is_empty() {
            return Ok(None);
        }
        let model = Model::parse(&header.model)?;
        let parameters = header.parameters().map_err(ModelSearchError::Parameters)?;
        let (profile, depth) = (header.profile.clone(), depth_limit(header).unwrap_or(trace.summary().depth));
        Ok(Some(RecordedModel { model, parameters, profile, depth }))
    }

    /// The recording together with the textbook search.
    fn search(&self, trace: Trace) -> Result<ModelSearch<'_>, ModelSearchError> {
        let settings =
            ModelSearchSettings { parameters: &self.parameters, profile: &self.profile, depth: Some(self.depth) };
        let (playable, worth) = (self.model.playable()?, worths(&self.model));
        Ok(ModelSearch { run: self.model.run(), trace, settings, playable, worth })
    }

    /// The comparison of the recording, as `window model --engine` prints it.
    ///
    /// # Errors
    /// [`ModelSearchError`].
    pub fn comparison(&self, trace: Trace) -> Result<ModelComparison, ModelSearchError> {
        self.search(trace)?.comparison()
    }

    /// The page of the recording, as `window model --engine` makes it.
    ///
    /// # Errors
    /// [`ModelSearchError`].
    pub fn view(&self, trace: Trace) -> Result<View, ModelSearchError> {
        self.search(trace)?.view()
    }
}

/// The depth that was asked for; a mate may have ended the search before.
fn depth_limit(header: &TraceHeader) -> Option<u32> {
    header.limits.split(", ").find_map(|limit| limit.strip_prefix("depth ")).and_then(|depth| depth.parse().ok())
}
