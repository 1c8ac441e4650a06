//! The objects of a model file. Unknown keys are skipped with their values, and remembered by name.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;

/// Keys of a model and of a node.
pub const MODEL_KEYS: [&str; 6] = ["name", "title", "fen", "introduction", "remarks", "nodes"];
/// Those of a model whose values are texts.
pub const TEXT_KEYS: [&str; 5] = ["name", "title", "fen", "introduction", "remarks"];
pub const NODE_KEYS: [&str; 4] = ["key", "line", "score", "static"];

/// A model or a node as it is written in a file.
#[derive(Debug, Default)]
pub struct Object<const IS_MODEL: bool> {
    /// The values of the known keys, without the nodes.
    pub known: Map<String, Value>,
    /// The nodes of a model.
    pub nodes: Vec<Object<false>>,
    /// The unknown keys; one may be misspelled.
    pub others: BTreeSet<String>,
}

impl<'de, const IS_MODEL: bool> Deserialize<'de> for Object<IS_MODEL> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object<IS_MODEL>, D::Error> {
        from.deserialize_map(ObjectReader)
    }
}

struct ObjectReader<const IS_MODEL: bool>;

impl<'de, const IS_MODEL: bool> Visitor<'de> for ObjectReader<IS_MODEL> {
    type Value = Object<IS_MODEL>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if IS_MODEL { "an object with `nodes`" } else { "a node with a `key`" })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<IS_MODEL>, A::Error> {
        let keys: &[&str] = if IS_MODEL { &MODEL_KEYS } else { &NODE_KEYS };
        let mut found = Object::default();
        let mut nodes = None;
        while let Some(key) = map.next_key::<String>()? {
            if IS_MODEL && key == "nodes" {
                if nodes.replace(map.next_value()?).is_some() {
                    return Err(A::Error::duplicate_field("nodes"));
                }
            } else if keys.contains(&key.as_str()) {
                found.known.insert(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
                found.others.insert(key);
            }
        }
        if IS_MODEL {
            found.nodes = nodes.ok_or_else(|| A::Error::missing_field("nodes"))?;
        }
        Ok(found)
    }
}
