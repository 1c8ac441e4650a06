//! A model on the server: its scores and the parameters can be changed, and each change is searched at once.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::search::pool::Control;
use serde::Deserialize;
use serde_json::{Value, json};

use super::State as Shared;
use super::answers::Refused;
use crate::model::{Model, pawns};
use crate::real::{How, RealError};
use crate::view::View;

/// A model with what it is searched with.
#[derive(Clone, Debug)]
pub struct Played {
    /// The model.
    pub model: Model,
    /// All parameters.
    pub parameters: Parameters,
    /// The name of the profile they started from.
    pub profile: String,
    /// The last iteration in plies; the depth of the model when left out.
    pub depth: Option<u32>,
}

impl Played {
    /// Searches the model: the page of it, and the lines of its closing.
    ///
    /// # Errors
    /// [`RealError`].
    pub fn search(&self) -> Result<(View, Vec<String>), RealError> {
        let how = How { parameters: &self.parameters, profile: &self.profile, depth: self.depth };
        let real = self.model.search(how, &Control::default())?;
        let closing = real.closing()?.to_string();
        Ok((real.view()?, closing.lines().map(str::to_owned).collect()))
    }

    /// Data for the page before any change.
    fn told(&self) -> Value {
        let nodes = self.model.nodes().iter().skip(1).map(|node| {
            let leaf = node.children.is_empty();
            let score = pawns(if leaf { node.score } else { node.guess });
            json!({"key": node.key, "line": node.line, "leaf": leaf, "score": score})
        });
        json!({"profile": self.profile, "nodes": nodes.collect::<Vec<_>>()})
    }

    /// The model and the parameters with what was asked for.
    fn changed(&self, wanted: &ModelBody) -> Result<Played, String> {
        let mut changed = self.clone();
        for (key, &score) in &wanted.scores {
            if !changed.model.rescore(key, score) {
                return Err(format!("the model has no node with key `{key}`: load the page again"));
            }
        }
        for setting in wanted.set.split_whitespace() {
            let (name, value) = setting
                .split_once('=')
                .ok_or(format!("`{setting}` is not a valid setting: expected rule.parameter=value"))?;
            changed.parameters.parse(name, value).map_err(|error: ParameterError| error.to_string())?;
        }
        Ok(changed)
    }
}

/// Request of the page: scores in pawns by key, and settings as for `--set`, separated by spaces. Both are relative to the model and
/// the parameters that the server was started with.
#[derive(Deserialize)]
pub struct ModelBody {
    #[serde(default)]
    scores: BTreeMap<String, f64>,
    #[serde(default)]
    set: String,
}

fn played(state: &Shared) -> Result<&Played, Refused> {
    state.played.as_ref().ok_or_else(|| Refused::conflict("no model is served: start with --model FILE"))
}

/// The model, or nothing if none is served.
pub async fn told(State(state): State<Shared>) -> Json<Value> {
    Json(state.played.as_ref().map_or(Value::Null, Played::told))
}

/// Searches the model with other scores or parameters and shows that tree.
pub async fn change(
    State(state): State<Shared>,
    body: Result<Json<ModelBody>, JsonRejection>,
) -> Result<Json<Value>, Refused> {
    let Json(wanted) = body.map_err(|error| Refused::bad(error.body_text()))?;
    let changed = played(&state)?.changed(&wanted).map_err(Refused::bad)?;
    let searched = tokio::task::spawn_blocking(move || changed.search()).await;
    let failed =
        |_| Refused::conflict("cannot search: internal error; please report it with the model and the settings");
    let (view, closing) = searched.map_err(failed)?.map_err(|error| Refused::bad(error.to_string()))?;
    state.show(view);
    Ok(Json(json!({"closing": closing})))
}
