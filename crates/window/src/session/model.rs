//! A model whose scores and parameters the page can change. Each change is searched at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::profile;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{RequestError, SessionAnswer, json_of};
use super::{Session, lock};
use crate::model::{Model, ModelError, pawns};
use crate::model_search::{ModelSearchError, ModelSetup};
use crate::view::View;

impl ModelSetup {
    /// Data for the page before any change.
    fn facts(&self) -> Value {
        let nodes = self.model.nodes().iter().skip(1).map(|node| {
            let leaf = node.children.is_empty();
            let score = pawns(if leaf { node.score } else { node.guess });
            json!({"key": node.key, "line": node.line, "leaf": leaf, "score": score})
        });
        json!({"profile": self.profile, "nodes": nodes.collect::<Vec<_>>()})
    }

    /// The model and the parameters with the requested changes.
    fn changed(&self, body: &ModelBody) -> Result<ModelSetup, String> {
        let mut changed = self.clone();
        for (key, &score) in &body.scores {
            if !changed.model.rescore(key, score) {
                return Err(format!("cannot change `{key}`: the model has no such node; load the page again"));
            }
        }
        for setting in body.set.split_whitespace() {
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

/// Request of the page to show one of the models that are part of the program.
#[derive(Deserialize)]
pub struct OpenBody {
    name: String,
}

/// Data for the page about the model that can be changed; nothing if there is none.
pub fn facts(session: &Session) -> Value {
    session.played().map_or(Value::Null, |played| played.facts())
}

/// The models that are part of the program, by file name, with their titles.
pub fn list() -> Value {
    let models = quarterply_data::MODELS.iter().filter_map(|(name, text)| {
        let model = Model::parse(text).ok()?;
        Some(json!({"name": name, "title": model.title.or(model.name)}))
    });
    models.collect()
}

/// Shows a model that is part of the program as the default profile searches it; one without chess positions as the textbook does.
pub fn open(session: &Session, body: &OpenBody) -> SessionAnswer {
    let found = quarterply_data::MODELS.iter().find(|(name, _)| *name == body.name);
    let (_, text) = found.ok_or_else(|| {
        RequestError::bad(format!(
            "cannot open model `{}`: the program has none of that name; load the page again",
            body.name
        ))
    })?;
    let model = Model::parse(text).map_err(RequestError::bad)?;
    let played =
        ModelSetup { model, parameters: Parameters::default(), profile: profile::BUILTIN[0].to_owned(), depth: None };
    let (view, played) = match played.search() {
        Ok((view, _)) => (view, Some(Arc::new(played))),
        Err(ModelSearchError::Model(ModelError::NoPosition)) => (View::of_model(&played.model.run()), None),
        Err(error) => return Err(RequestError::bad(error)),
    };
    *lock(&session.played) = played;
    session.show(view);
    json_of(json!({}))
}

/// Searches the model with other scores or parameters and shows that tree.
pub fn change(session: &Session, body: &ModelBody) -> SessionAnswer {
    let played = session.played().ok_or_else(|| {
        RequestError::conflict(
            "cannot change a model: none is shown; open one with chess positions, or start with --model FILE",
        )
    })?;
    let changed = played.changed(body).map_err(RequestError::bad)?;
    let (view, comparison) = changed.search().map_err(RequestError::bad)?;
    session.show(view);
    json_of(json!({"closing": comparison}))
}
