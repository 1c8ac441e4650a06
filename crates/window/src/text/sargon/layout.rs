//! The tree drawn with characters. Each node has a separate row between the first and the second half of its moves, and
//! each ply a column. Diagonals lead from a node to a bar that joins its moves. A tree of 2x2x2 comes out as the original drew it.

use crate::model::{Model, Node};

/// The column at which the branches of the root begin; its label begins at the left margin.
const ROOT_COLUMN: usize = 2;
/// Rows from a node to one of its moves, if no other node is between them.
const OWN_GAP: usize = 3;
/// The same for the root, whose label is wide.
const ROOT_GAP: usize = 5;
/// Rows between other nodes that follow each other.
const OTHER_GAP: usize = 2;
/// The most columns between a ply and the next, as between the root and its moves in the original. From there the bar goes on.
const REACH_MAX: usize = 10;

/// The drawing: characters with their places. Later characters replace earlier ones.
pub struct Canvas {
    lines: Vec<Vec<char>>,
    /// The row of each node, by its place in the model.
    rows: Vec<usize>,
    /// The column of each ply.
    columns: Vec<usize>,
    /// The ply of each node.
    plies: Vec<usize>,
}

impl Canvas {
    /// The bars and diagonals of a model.
    pub fn of(model: &Model) -> Canvas {
        let nodes = model.nodes();
        let rows = rows(nodes);
        let mut reach = vec![REACH_MAX; usize::from(model.depth()) + 1];
        for (place, node) in nodes.iter().enumerate() {
            for outer in [node.children.first(), node.children.last()].into_iter().flatten() {
                let below = &mut reach[usize::from(node.ply) + 1];
                *below = (*below).min(rows[*outer].abs_diff(rows[place]));
            }
        }
        let mut columns = vec![ROOT_COLUMN];
        for (ply, reach) in reach.iter().enumerate().skip(1) {
            columns.push(columns[ply - 1] + reach);
        }
        let lines = vec![Vec::new(); rows.iter().max().map_or(0, |last| last + 1)];
        let plies = nodes.iter().map(|node| usize::from(node.ply)).collect();
        let mut canvas = Canvas { lines, rows, columns, plies };
        for (place, node) in nodes.iter().enumerate() {
            if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
                canvas.branch(place, first, last);
            }
        }
        canvas
    }

    /// The column of the bar that joins nodes of a ply. At the last one it is below the second character of their labels.
    fn bar(&self, ply: usize) -> usize {
        self.columns[ply] + usize::from(ply + 1 == self.columns.len())
    }

    /// The diagonals from a node towards its outer moves, and the bar that joins these.
    fn branch(&mut self, place: usize, first: usize, last: usize) {
        let ply = self.plies[place];
        let (row, column) = (self.rows[place], self.columns[ply]);
        let (top, bottom) = (self.rows[first], self.rows[last]);
        let (bar, reach) = (self.bar(ply + 1), self.columns[ply + 1] - column);
        // A single move is drawn above its node: the bar leads up to it from the end of the diagonal.
        let end = if bottom > row { bottom } else { row - reach + 1 };
        for between in top + 1..end {
            self.put(between, bar, '|');
        }
        for step in 1..bar - column {
            if row > top + step {
                self.put(row - step, column + step, '/');
            }
            if row + step < bottom {
                self.put(row + step, column + step, '\\');
            }
        }
    }

    /// Writes the label of a node, with the mark directly before it. The label of the root begins at the margin.
    pub fn label(&mut self, place: usize, mark: &str, label: &str) {
        let (row, ply) = (self.rows[place], self.plies[place]);
        let column = if ply == 0 { 0 } else { self.columns[ply] - mark.chars().count() };
        for (index, character) in mark.chars().chain(label.chars()).enumerate() {
            self.put(row, column + index, character);
        }
    }

    fn put(&mut self, row: usize, column: usize, character: char) {
        let line = &mut self.lines[row];
        if line.len() <= column {
            line.resize(column + 1, ' ');
        }
        line[column] = character;
    }

    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| line.iter().chain(&['\n'])).collect()
    }
}

/// The row of each node, by its place.
fn rows(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    downwards(nodes, 0, &mut order);
    let mut rows = vec![0; nodes.len()];
    for pair in order.windows(2) {
        let own = |node: usize, other: usize| nodes[node].children.contains(&other);
        let gap = match (own(pair[0], pair[1]) || own(pair[1], pair[0]), pair.contains(&0)) {
            (true, true) => ROOT_GAP,
            (true, false) => OWN_GAP,
            (false, _) => OTHER_GAP,
        };
        rows[pair[1]] = rows[pair[0]] + gap;
    }
    rows
}

/// Adds the nodes of a subtree from the upper to the lower end of the picture.
fn downwards(nodes: &[Node], place: usize, order: &mut Vec<usize>) {
    let children = &nodes[place].children;
    let (above, below) = children.split_at(children.len().div_ceil(2));
    above.iter().for_each(|&child| downwards(nodes, child, order));
    order.push(place);
    below.iter().for_each(|&child| downwards(nodes, child, order));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(nodes: &str) -> String {
        let model = Model::parse(&format!("{{\"nodes\": [{nodes}]}}")).expect("a model");
        let mut canvas = Canvas::of(&model);
        for (place, node) in model.nodes().iter().enumerate() {
            canvas.label(place, "", if place == 0 { "(root)" } else { &node.key });
        }
        canvas.text()
    }

    #[test]
    fn three_moves_and_an_early_leaf() {
        let nodes = r#"{"key": "A"}, {"key": "B"}, {"key": "BG"}, {"key": "BH"}, {"key": "C"}"#;
        assert_eq!(
            picture(nodes),
            "       A\n       |\n       |  BG\n       | / |\n       |/  |\n       B   |\n      /|\\  |\n     / | \\ |\n    /  |  BH\n   /   |\n\
             (root) |\n   \\   |\n    \\  |\n     \\ |\n      \\|\n       C\n"
        );
    }

    #[test]
    fn a_single_move_stands_above_its_node() {
        let nodes = r#"{"key": "A"}, {"key": "AG"}, {"key": "AGA"}"#;
        assert_eq!(
            picture(nodes),
            "             AGA\n            /\n           /\n          AG\n         /\n        /\n       A\n      /\n     /\n    /\n   /\n(root)\n"
        );
    }
}
