//! A model to fill in: it has every key, with placeholders for lines and scores.

use super::LONGEST_KEY;
use serde_json::{Value, json};
use thiserror::Error;

/// The most nodes a template may have.
const NODES_MAX: u64 = 10_000;
/// The first letters of the moves of the side to move at the root, and of the other side.
const LETTERS: [char; 2] = ['A', 'G'];
/// The most moves of one node: the second side's letters end with Z.
const WIDTH_MAX: u32 = 20;
/// Moves in a pair.
const PAIR: usize = 2;

/// Reason why a shape is rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShapeError {
    /// Not a shape.
    #[error(
        "`{0}` is not a valid shape: expected the number of moves at each ply such as 2x2x2, each from 1 to {WIDTH_MAX}"
    )]
    Form(String),
    /// Too large.
    #[error("`{0}` is not a valid shape: expected up to {NODES_MAX} nodes and {LONGEST_KEY} plies")]
    TooLarge(String),
}

/// The JSON text of a model of this shape, such as `2x2x2`.
///
/// # Errors
/// [`ShapeError`] naming the shape.
pub fn template(shape: &str) -> Result<String, ShapeError> {
    let width =
        |part: &str| part.parse().ok().filter(|width| !part.starts_with('+') && (1..=WIDTH_MAX).contains(width));
    let widths: Option<Vec<u32>> = shape.split('x').map(width).collect();
    let widths = widths.ok_or_else(|| ShapeError::Form(shape.to_owned()))?;
    let mut row: u64 = 1;
    let mut all: u64 = 0;
    for &width in &widths {
        row = row.saturating_mul(u64::from(width));
        all = all.saturating_add(row);
    }
    if all > NODES_MAX || widths.len() > LONGEST_KEY {
        return Err(ShapeError::TooLarge(shape.to_owned()));
    }
    let mut nodes = Vec::new();
    list(&widths, "", "", &mut nodes);
    Ok(file(shape, &nodes))
}

/// Adds the children of `key`, each followed by its own.
fn list(widths: &[u32], key: &str, line: &str, nodes: &mut Vec<Value>) {
    let ply = key.chars().count();
    let Some(&width) = widths.get(ply) else { return };
    let first = LETTERS[ply % LETTERS.len()];
    for letter in (first..='Z').take(width as usize) {
        let key = format!("{key}{letter}");
        let number = if ply.is_multiple_of(PAIR) { format!("{}.", ply / PAIR + 1) } else { String::new() };
        let gap = if line.is_empty() { "" } else { " " };
        let line = format!("{line}{gap}{number}{letter}");
        nodes.push(json!({ "key": key, "line": line, "score": 0.0 }));
        list(widths, &key, &line, nodes);
    }
}

/// One node a line, so that it can be edited.
fn file(shape: &str, nodes: &[Value]) -> String {
    let lines: Vec<String> = nodes.iter().map(|node| format!("  {node}")).collect();
    format!("{{\n \"name\": \"{shape}\",\n \"title\": \"\",\n \"nodes\": [\n{}\n ]\n}}\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    #[test]
    fn templates_are_models() {
        for (shape, nodes, depth) in [("2x2x2", 14, 3), ("1", 1, 1), ("3x1x2x1", 18, 4), ("20x20", 420, 2)] {
            let model = Model::parse(&template(shape).expect(shape)).expect(shape);
            assert_eq!((model.nodes().len() - 1, model.depth()), (nodes, depth), "{shape}");
        }
        let model = Model::parse(&template("2x2x2").expect("a shape")).expect("a model");
        assert_eq!(model.nodes()[3].line, "1.A G 2.A");
    }

    #[test]
    fn bad_shapes_are_refused() {
        for shape in ["", "2x", "0x2", "2x21", "axb", "2X2", "-1", "+2x2"] {
            assert_eq!(template(shape), Err(ShapeError::Form(shape.to_owned())), "{shape}");
        }
        assert!(matches!(template("10x10x10x10x10"), Err(ShapeError::TooLarge(_))));
    }
}
