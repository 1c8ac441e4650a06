//! The objects of a model file. Keys that mean nothing are skipped with whatever stands behind them, and remembered by name.

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

/// A model as it is written in a file.
#[derive(Debug, Default)]
pub struct ModelObject {
    /// What stands behind the keys that mean something, without the nodes.
    pub known: Map<String, Value>,
    pub nodes: Vec<NodeObject>,
    /// The keys that mean nothing; one may be misspelled.
    pub others: BTreeSet<String>,
}

/// A node as it is written in a file.
#[derive(Debug, Default)]
pub struct NodeObject {
    pub known: Map<String, Value>,
    pub others: BTreeSet<String>,
}

impl<'de> Deserialize<'de> for ModelObject {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ModelObject, D::Error> {
        from.deserialize_map(ModelReader)
    }
}

impl<'de> Deserialize<'de> for NodeObject {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<NodeObject, D::Error> {
        from.deserialize_map(NodeReader)
    }
}

struct ModelReader;
struct NodeReader;

impl<'de> Visitor<'de> for ModelReader {
    type Value = ModelObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ModelObject, A::Error> {
        let mut found = ModelObject::default();
        let mut nodes = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "nodes" {
                keep(&mut map, key, &MODEL_KEYS, &mut found.known, &mut found.others)?;
            } else if nodes.replace(map.next_value()?).is_some() {
                return Err(A::Error::duplicate_field("nodes"));
            }
        }
        found.nodes = nodes.ok_or_else(|| A::Error::missing_field("nodes"))?;
        Ok(found)
    }
}

impl<'de> Visitor<'de> for NodeReader {
    type Value = NodeObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node with a `key`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeObject, A::Error> {
        let mut found = NodeObject::default();
        while let Some(key) = map.next_key::<String>()? {
            keep(&mut map, key, &NODE_KEYS, &mut found.known, &mut found.others)?;
        }
        Ok(found)
    }
}

/// Reads what stands behind a key, or skips it.
fn keep<'de, A: MapAccess<'de>>(
    map: &mut A,
    key: String,
    keys: &[&str],
    known: &mut Map<String, Value>,
    others: &mut BTreeSet<String>,
) -> Result<(), A::Error> {
    if keys.contains(&key.as_str()) {
        known.insert(key, map.next_value()?);
    } else {
        map.next_value::<IgnoredAny>()?;
        others.insert(key);
    }
    Ok(())
}
