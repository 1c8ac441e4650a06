//! Model trees: small game trees with imposed values, read from JSON and checked.

mod boards;
mod object;
mod playable;
mod template;
mod write;

use object::{MODEL_KEYS, NODE_KEYS, Object, TEXT_KEYS};
pub use playable::{PlayableModel, hundredths};
pub use template::{ShapeError, template};

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use quarterply_engine::position::FenError;
use quarterply_engine::score::Score;
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

/// Scores are whole eighths of a pawn.
const EIGHTHS: f64 = 8.0;
/// The eighth of a level position in the historical byte, where smaller is better for the mover.
const LEVEL_BYTE: f64 = 128.0;
/// The largest score in eighths; one more would be taken for an open threshold in the historical byte.
const LARGEST: f64 = 126.0;
/// The longest key a model may have, in plies.
const LONGEST_KEY: usize = 64;

/// Why a model was refused.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ModelError {
    #[error("cannot read `{}`: {reason}; check the path and the permissions", path.display())]
    Unreadable { path: PathBuf, reason: io::Error },
    #[error("{}: {reason}", path.display())]
    InFile { path: PathBuf, reason: Box<ModelError> },
    #[error("not a model: {0}; expected {{\"nodes\": [{{\"key\": \"A\", \"line\": \"1.e4\", \"score\": 0.25}}, ...]}}")]
    Malformed(#[from] serde_json::Error),
    #[error(
        "cannot read node {place}{key}: {reason}; expected {{\"key\": \"A\", \"line\": \"1.e4\", \"score\": 0.25}}"
    )]
    Node { place: usize, key: String, reason: serde_json::Error },
    #[error("the model has no nodes; list at least one child of the root")]
    Empty,
    #[error("node {place} has an empty key; the root is not listed")]
    RootListed { place: usize },
    #[error("node {place} repeats the key `{key}` of an earlier node")]
    Repeated { place: usize, key: String },
    #[error("node {place} with key `{key}` has no parent: list `{parent}` too")]
    Orphan { place: usize, key: String, parent: String },
    #[error("the model has no fen, so its lines cannot be played; give it a key `fen`")]
    NoPosition,
    #[error("the fen of the model: {0}")]
    Position(FenError),
    #[error(
        "node with key `{key}`: `{text}` is not a legal move in {fen}; write the moves of the line as in `1.e4 e5 2.Nf3`"
    )]
    Move { key: String, text: String, fen: String },
    #[error(
        "node with key `{key}`: `{line}` does not continue {parent} by one move; give each key the line of the key before it and one move more"
    )]
    Astray { key: String, line: String, parent: String },
    #[error("nodes with keys `{other}` and `{key}` are the same move `{line}`; keep one of them")]
    SameMove { key: String, other: String, line: String },
    #[error("node {place} is {plies} plies deep; models may have up to {LONGEST_KEY}")]
    TooDeep { place: usize, plies: usize },
}

#[derive(Debug, Deserialize)]
struct NodeFile {
    key: String,
    #[serde(default)]
    line: String,
    score: Option<f64>,
    #[serde(rename = "static")]
    guess: Option<f64>,
}

/// A node of a checked model; the root by default.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Node {
    /// One character per ply; empty at the root.
    pub key: String,
    /// The moves as they are shown; the key where none are given.
    pub line: String,
    /// Number of the node: a property of the model, not of a run.
    pub number: usize,
    /// Distance from the root.
    pub ply: u16,
    /// The value of a leaf, in eighths, for the side that moved to it.
    pub score: Score,
    /// Score that orders it among its siblings.
    pub guess: Score,
    /// Indices of its children in the list of nodes, in listing order.
    pub children: Vec<usize>,
}

/// A checked model tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// Its name.
    pub name: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The position it was taken from; never used by the search.
    pub fen: Option<String>,
    /// Text above the board in [`crate::text::sargon`], in place of the title; it may have several lines.
    pub introduction: Option<String>,
    /// Text below the principal variation there; it may have several lines.
    pub remarks: Option<String>,
    /// A sentence for each unknown key of the file, and for each text that is not a string.
    pub warnings: Vec<String>,
    nodes: Vec<Node>,
    depth: u16,
}

impl Model {
    /// Reads and checks a model file.
    ///
    /// # Errors
    /// [`ModelError`] naming the file and the offending node.
    pub fn read(path: &Path) -> Result<Model, ModelError> {
        let bytes = fs::read(path).map_err(|reason| ModelError::Unreadable { path: path.to_owned(), reason })?;
        let text = String::from_utf8_lossy(&bytes);
        Model::parse(&text).map_err(|error| ModelError::InFile { path: path.to_owned(), reason: Box::new(error) })
    }

    /// Reads and checks the text of a model.
    ///
    /// # Errors
    /// [`ModelError`] naming the offending node.
    pub fn parse(text: &str) -> Result<Model, ModelError> {
        let mut file: Object<true> = serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
        if file.nodes.is_empty() {
            return Err(ModelError::Empty);
        }
        let mut nodes = vec![Node::default()];
        let mut warnings: Vec<String> = file.others.iter().map(|key| unknown(key, "the model", &MODEL_KEYS)).collect();
        let [name, title, fen, introduction, remarks] =
            TEXT_KEYS.map(|key| text_of(&mut file.known, key, &mut warnings));
        for (index, node) in std::mem::take(&mut file.nodes).into_iter().enumerate() {
            let place = index + 1;
            let key = node.known.get("key").and_then(Value::as_str);
            let key = key.map_or(String::new(), |key| format!(" with key `{key}`"));
            let owner = format!("node {place}{key}");
            warnings.extend(node.others.iter().map(|key| unknown(key, &owner, &NODE_KEYS)));
            let node: NodeFile = serde_json::from_value(Value::Object(node.known))
                .map_err(|reason| ModelError::Node { place, key, reason })?;
            nodes.push(Node::checked(node, place)?);
        }
        link(&mut nodes)?;
        number(&mut nodes);
        let depth = nodes.iter().map(|node| node.ply).max().unwrap_or(0);
        Ok(Model { name, title, fen, introduction, remarks, warnings, nodes, depth })
    }

    /// All nodes; the root is first, the others follow as listed.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Sets the score of a node in pawns: the value of a leaf, the static evaluation of any other node. Returns false if the key does
    /// not exist.
    pub fn rescore(&mut self, key: &str, score: f64) -> bool {
        let Some(node) = self.nodes.iter_mut().skip(1).find(|node| node.key == key) else { return false };
        let score = eighths(score);
        if node.children.is_empty() && node.guess != node.score {
            node.score = score; // its guess is its own
        } else {
            (node.score, node.guess) = (score, score);
        }
        true
    }

    /// The length of the longest key.
    pub fn depth(&self) -> u16 {
        self.depth
    }

    /// All nodes by number.
    pub fn by_number(&self) -> Vec<&Node> {
        let mut nodes: Vec<&Node> = self.nodes.iter().collect();
        nodes.sort_by_key(|node| node.number);
        nodes
    }
}

impl Node {
    /// Checks a node without its relatives. `place` is its place in the list, from 1.
    fn checked(file: NodeFile, place: usize) -> Result<Node, ModelError> {
        let plies = file.key.chars().count();
        if plies == 0 {
            return Err(ModelError::RootListed { place });
        }
        if plies > LONGEST_KEY {
            return Err(ModelError::TooDeep { place, plies });
        }
        let score = file.score.unwrap_or(0.0);
        Ok(Node {
            ply: plies as u16,
            score: eighths(score),
            guess: eighths(file.guess.unwrap_or(score)),
            line: if file.line.is_empty() { file.key.clone() } else { file.line },
            key: file.key,
            ..Node::default()
        })
    }
}

/// A text that only people read. A value of another type is ignored with a warning.
fn text_of(known: &mut Map<String, Value>, key: &str, warnings: &mut Vec<String>) -> Option<String> {
    match known.remove(key)? {
        Value::String(text) => Some(text),
        Value::Null => None,
        _ => {
            warnings.push(format!("`{key}` in the model is not a string and was ignored"));
            None
        }
    }
}

/// The warning about an unknown key; it suggests a known key that is similar.
fn unknown(key: &str, owner: &str, known: &[&str]) -> String {
    /// Least similarity of a suggestion, from 0 to 1.
    const ALIKE: f64 = 0.85;
    let alike = |known: &str| strsim::jaro_winkler(known, key);
    let nearest = known.iter().copied().max_by(|one, other| alike(one).total_cmp(&alike(other)));
    let meant = nearest.filter(|known| alike(known) > ALIKE);
    let meant = meant.map_or(String::new(), |known| format!("; did you mean `{known}`?"));
    format!("`{key}` in {owner} is not a known key and was ignored{meant}")
}

/// Gives every node its children.
fn link(nodes: &mut [Node]) -> Result<(), ModelError> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, node) in nodes.iter().enumerate() {
        if places.insert(node.key.clone(), place).is_some() {
            return Err(ModelError::Repeated { place, key: node.key.clone() });
        }
    }
    for place in 1..nodes.len() {
        let mut parent = nodes[place].key.clone();
        parent.pop();
        let Some(&above) = places.get(&parent) else {
            return Err(ModelError::Orphan { place, key: nodes[place].key.clone(), parent });
        };
        nodes[above].children.push(place);
    }
    Ok(())
}

/// Numbers the nodes: the children of a node in a row, then the subtree of each child in turn.
fn number(nodes: &mut [Node]) {
    let mut next = 1;
    let mut waiting = vec![0];
    while let Some(place) = waiting.pop() {
        let children = nodes[place].children.clone();
        for &child in &children {
            nodes[child].number = next;
            next += 1;
        }
        waiting.extend(children.into_iter().rev());
    }
}

/// Pawns as whole eighths, rounded upwards and limited.
fn eighths(pawns: f64) -> Score {
    let eighths = LEVEL_BYTE - (LEVEL_BYTE - EIGHTHS * pawns).floor();
    Score(eighths.clamp(-LARGEST, LARGEST) as i32)
}

/// Eighths as pawns.
pub(crate) fn pawns(score: Score) -> f64 {
    f64::from(score.0) / EIGHTHS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(nodes: &str) -> Result<Model, ModelError> {
        Model::parse(&format!("{{\"nodes\": [{nodes}]}}"))
    }

    #[test]
    fn scores_round_upwards_to_eighths() {
        for (score, shown) in [
            (0.1, 0.125),
            (-0.1, 0.0),
            (3.3, 3.375),
            (-3.3, -3.25),
            (16.0, 15.75),
            (-16.0, -15.75),
            (1e300, 15.75),
            (-1e300, -15.75),
            (0.0, 0.0),
            (5.125, 5.125),
        ] {
            assert_eq!(pawns(eighths(score)), shown, "{score}");
        }
    }

    #[test]
    fn numbers_depend_on_sibling_order_only() {
        let depth_first = model(r#"{"key":"A"},{"key":"AG"},{"key":"AH"},{"key":"B"},{"key":"BG"},{"key":"AGA"}"#);
        let by_ply = model(r#"{"key":"AGA"},{"key":"A"},{"key":"B"},{"key":"AG"},{"key":"BG"},{"key":"AH"}"#);
        for model in [depth_first, by_ply] {
            let model = model.expect("valid model");
            let keys: Vec<&str> = model.by_number().iter().map(|node| node.key.as_str()).collect();
            assert_eq!(keys, ["", "A", "B", "AG", "AH", "AGA", "BG"]);
            assert_eq!(model.depth(), 3);
        }
    }

    #[test]
    fn the_static_score_orders_and_the_score_counts() {
        let model =
            model(r#"{"key":"A","score":1},{"key":"B","score":2,"static":-3},{"key":"C"}"#).expect("valid model");
        let pairs: Vec<(i32, i32)> = model.nodes()[1..].iter().map(|node| (node.score.0, node.guess.0)).collect();
        assert_eq!(pairs, [(8, 8), (16, -24), (0, 0)]);
    }

    /// Models of other programs may have more keys.
    #[test]
    fn unknown_keys_are_ignored_with_a_warning() {
        let plain = r#"{"nodes": [{"key":"A","score":1},{"key":"B","score":2}]}"#;
        let more = r#"{"shape": "2", "note": ["x"], "nodes": [{"key":"A","score":1,"colour":"red"},{"key":"B","score":2,"Score":9}]}"#;
        let (plain, more) = (Model::parse(plain).expect("valid"), Model::parse(more).expect("valid"));
        assert_eq!(plain.run().to_json(), more.run().to_json());
        assert_eq!(plain.warnings, Vec::<String>::new());
        assert_eq!(
            more.warnings,
            [
                "`note` in the model is not a known key and was ignored",
                "`shape` in the model is not a known key and was ignored",
                "`colour` in node 1 with key `A` is not a known key and was ignored",
                "`Score` in node 2 with key `B` is not a known key and was ignored; did you mean `score`?",
            ]
        );
    }

    /// Numbers out of range, deep nesting and other types are skipped.
    #[test]
    fn the_value_of_an_unknown_key_may_be_anything() {
        let plain = model(r#"{"key":"A","score":1},{"key":"AG","score":2}"#).expect("valid");
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        for extra in ["null", "1e999999", "-0", "\"\"", "{\"nodes\": [{\"key\": 5}]}", "[[], {}, [null, true]]", &deep]
        {
            let nodes = format!(r#"{{"note":{extra},"key":"A","score":1,"x":{extra}}},{{"key":"AG","score":2}}"#);
            let text = format!(r#"{{"shape":{extra},"nodes":[{nodes}],"note":{extra}}}"#);
            let found = Model::parse(&text).unwrap_or_else(|error| panic!("{extra:.40}: {error}"));
            assert_eq!((found.nodes(), found.warnings.len()), (plain.nodes(), 4), "{extra:.40}");
        }
        for text in ["5", "[]", "{\"x\": 1}", "true"] {
            let text = format!(r#"{{"name":{text},"title":{text},"fen":{text},"nodes":[{{"key":"A"}}]}}"#);
            let found = Model::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((found.name, found.title, found.fen), (None, None, None));
            assert_eq!(found.warnings[1], "`title` in the model is not a string and was ignored");
        }
        let null = Model::parse(r#"{"name":null,"nodes":[{"key":"A"}]}"#).expect("valid");
        assert_eq!(null.warnings, Vec::<String>::new());
    }

    #[test]
    fn scores_can_be_changed_by_key() {
        let text = r#"{"key":"A","score":1,"static":2},{"key":"AG","score":3},{"key":"AH","score":3,"static":-1}"#;
        let mut model = model(text).expect("valid model");
        let pairs = |model: &Model| model.nodes()[1..].iter().map(|n| (n.score.0, n.guess.0)).collect::<Vec<_>>();
        assert_eq!(pairs(&model), [(8, 16), (24, 24), (24, -8)]);
        for (key, score) in [("A", -1.0), ("AG", 0.1), ("AH", 99.0)] {
            assert!(model.rescore(key, score), "{key}");
        }
        assert_eq!(pairs(&model), [(-8, -8), (1, 1), (126, -8)], "a leaf keeps its static score");
        assert!(!model.rescore("B", 1.0) && !model.rescore("", 1.0));
    }

    #[test]
    fn refusals_name_the_node() {
        for (name, nodes, expected) in [
            ("no nodes", "", "no nodes"),
            ("root listed", r#"{"key":"A"},{"key":""}"#, "node 2 has an empty key"),
            ("twice", r#"{"key":"A"},{"key":"B"},{"key":"A"}"#, "node 3 repeats the key `A`"),
            ("orphan", r#"{"key":"A"},{"key":"BG"}"#, "node 2 with key `BG` has no parent: list `B`"),
            ("no key", r#"{"line":"1.e4"}"#, "missing field `key`"),
            ("text for a number", r#"{"key":"A","score":"3"}"#, "cannot read node 1 with key `A`: invalid type"),
            ("unfinished", r#"{"key":"A""#, "not a model"),
        ] {
            let error = model(nodes).expect_err(name).to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
        let deep: Vec<String> = (1..70).map(|plies| format!("{{\"key\":\"{}\"}}", "A".repeat(plies))).collect();
        assert!(model(&deep.join(",")).expect_err("too deep").to_string().contains("65 plies deep"));
        let missing = Model::read(Path::new("no-such-model.json")).expect_err("missing file").to_string();
        assert!(missing.contains("no-such-model.json"), "{missing}");
    }
}
