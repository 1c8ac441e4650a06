//! Recordings of models read from traces: a trace holds the model and the parameters, so its closing can be computed.

use quarterply_engine::params::Parameters;

use super::{Closing, How, Real, RealError, worths};
use crate::View;
use crate::model::Model;
use crate::trace::{Header, Trace};

/// The model and the parameters of a recording.
#[derive(Clone, Debug)]
pub struct RecordedModel {
    model: Model,
    parameters: Parameters,
    profile: String,
    depth: u32,
}

impl RecordedModel {
    /// The model behind a recording; `None` if chess was searched.
    ///
    /// # Errors
    /// [`RealError`] if the model or the parameters of the trace mean nothing to this program.
    pub fn of(trace: &Trace) -> Result<Option<RecordedModel>, RealError> {
        let header = trace.header();
        if header.model.is_empty() {
            return Ok(None);
        }
        let model = Model::parse(&header.model)?;
        let parameters = header.parameters().map_err(RealError::Parameters)?;
        let (profile, depth) = (header.profile.clone(), wanted(header).unwrap_or(trace.summary().depth));
        Ok(Some(RecordedModel { model, parameters, profile, depth }))
    }

    /// The recording together with the textbook search.
    fn real(&self, trace: Trace) -> Result<Real<'_>, RealError> {
        let how = How { parameters: &self.parameters, profile: &self.profile, depth: Some(self.depth) };
        let (staged, worth) = (self.model.staged()?, worths(&self.model));
        Ok(Real { run: self.model.run(), trace, bytes: Vec::new(), how, staged, worth })
    }

    /// The closing of the recording, as `window model --engine` prints it.
    ///
    /// # Errors
    /// [`RealError`].
    pub fn closing(&self, trace: Trace) -> Result<Closing, RealError> {
        self.real(trace)?.closing()
    }

    /// The page of the recording, as `window model --engine` makes it.
    ///
    /// # Errors
    /// [`RealError`].
    pub fn view(&self, trace: Trace) -> Result<View, RealError> {
        self.real(trace)?.view()
    }
}

/// The depth that was asked for; a mate may have ended the search before.
fn wanted(header: &Header) -> Option<u32> {
    header.limits.split(", ").find_map(|limit| limit.strip_prefix("depth ")).and_then(|depth| depth.parse().ok())
}
