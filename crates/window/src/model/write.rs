//! A model as the text of a file.

use serde_json::{Map, Value, json};

use super::object::TEXT_KEYS;
use super::{Model, Node, pawns};

impl Model {
    /// The text of a file that holds this model, without unknown keys.
    pub fn to_text(&self) -> String {
        let mut file = Map::new();
        let texts = [&self.name, &self.title, &self.fen, &self.introduction, &self.remarks];
        for (key, text) in TEXT_KEYS.into_iter().zip(texts) {
            file.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
        }
        let nodes: Vec<Value> = self.nodes.iter().skip(1).map(of_node).collect();
        file.insert("nodes".to_owned(), Value::Array(nodes));
        Value::Object(file).to_string()
    }
}

fn of_node(node: &Node) -> Value {
    let mut value = json!({"key": node.key, "line": node.line, "score": pawns(node.score)});
    if node.guess != node.score {
        value["static"] = json!(pawns(node.guess));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_data::EXAMPLES;

    #[test]
    fn a_model_is_read_back_as_it_was_written() {
        let named = r#"{"name": "n", "title": "t", "introduction": "i\nj\n", "remarks": "r", "fen": "8/8/8/8/8/8/8/K1k5 w - - 0 1", "nodes": [
            {"key": "A", "line": "1.Ka2", "score": 0.3, "static": -15}, {"key": "B", "score": -0.125}, {"key": "AG", "line": "1.Ka2 Kc2"}]}"#;
        for text in EXAMPLES.iter().copied().chain([named]) {
            let model = Model::parse(text).expect("a model");
            assert_eq!(Model::parse(&model.to_text()).expect("a model"), model);
        }
    }
}
