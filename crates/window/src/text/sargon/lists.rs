//! The lists of nodes from which the principal variation is read, with an asterisk for each move that was best so far.

use std::collections::{HashMap, HashSet};

use quarterply_engine::score::Score;

use super::PV_MARK;
use crate::model::Model;
use crate::run::{ModelRun, principal_variation};

/// Columns from the end of the longest key to the arrows.
const ARROW_GAP: usize = 5;

/// Minimax without alpha-beta, in the order of the search.
struct Minimax<'a> {
    model: &'a Model,
    /// Every node after those below it.
    order: Vec<usize>,
    /// The first move of each node.
    firsts: Vec<usize>,
    /// The moves that were best so far.
    best_list: Vec<usize>,
}

impl<'a> Minimax<'a> {
    fn of(model: &'a Model) -> Minimax<'a> {
        let mut minimax = Minimax { model, order: Vec::new(), firsts: Vec::new(), best_list: Vec::new() };
        minimax.value(0);
        minimax
    }

    /// The value of a node for the side that moved to it.
    fn value(&mut self, place: usize) -> Score {
        let nodes = self.model.nodes();
        let mut children = nodes[place].children.clone();
        if nodes[place].ply + 1 < self.model.depth() {
            children.sort_by_key(|&child| -nodes[child].guess);
        }
        let mut best = None;
        for child in children {
            let value = self.value(child);
            self.order.push(child);
            if best.is_none() {
                self.firsts.push(child);
            }
            if best.is_none_or(|best| value > best) {
                best = Some(value);
                self.best_list.push(child);
            }
        }
        best.map_or(nodes[place].score, |best| -best)
    }
}

/// All nodes in minimax order; the same with the asterisks that do not depend on scores; with those of minimax and the
/// principal variation; with those of the search, which alpha-beta reduces.
pub fn lists(run: &ModelRun<'_>) -> String {
    let minimax = Minimax::of(run.model);
    let line = principal_variation(run.model.nodes(), &minimax.best_list);
    let list = |stars: &[usize], line: &[usize]| list(run.model, &minimax.order, stars, line);
    [
        ("Nodes in minimax order", list(&[], &[])),
        ("First moves, always asterisked", list(&minimax.firsts, &[])),
        ("Best moves so far, without alpha-beta", list(&minimax.best_list, &line)),
        ("Best moves so far, with alpha-beta", list(&run.best_list, &run.pv)),
    ]
    .map(|(heading, list)| format!("{heading}\n{list}"))
    .join("\n")
}

/// One key a line; arrows number the nodes of the principal variation, which is read from the end of the list.
fn list(model: &Model, order: &[usize], stars: &[usize], line: &[usize]) -> String {
    let stars: HashSet<usize> = stars.iter().copied().collect();
    let numbers: HashMap<usize, usize> = line.iter().copied().zip(1..).collect();
    let width = usize::from(model.depth()) + ARROW_GAP;
    let rows = order.iter().map(|place| {
        let mark = if stars.contains(place) { format!(" {PV_MARK}") } else { String::new() };
        let key = format!("{}{mark}", model.nodes()[*place].key);
        numbers.get(place).map_or_else(|| format!("{key}\n"), |number| format!("{key:<width$}<---- {number}\n"))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_data::EXAMPLES;

    /// Scores of the leaves AGA, AGB, AHA, AHB, BGA, BGB, BHA, BHB.
    fn model(scores: [i32; 8]) -> Model {
        let keys = ["AGA", "AGB", "AHA", "AHB", "BGA", "BGB", "BHA", "BHB"];
        let mut nodes: Vec<String> =
            ["A", "B", "AG", "AH", "BG", "BH"].map(|key| format!(r#"{{"key": "{key}"}}"#)).into();
        nodes.extend(keys.iter().zip(scores).map(|(key, score)| format!(r#"{{"key": "{key}", "score": {score}}}"#)));
        Model::parse(&format!("{{\"nodes\": [{}]}}", nodes.join(","))).expect("a model")
    }

    fn without_alpha_beta(model: &Model) -> String {
        let minimax = Minimax::of(model);
        list(model, &minimax.order, &minimax.best_list, &principal_variation(model.nodes(), &minimax.best_list))
    }

    /// The three lists with arrows of the chapter, which are about scores that it leaves open.
    #[test]
    fn the_lists_of_the_chapter() {
        for (scores, expected) in [
            (
                [4, 3, 5, 2, 1, 0, 1, 0],
                "AGA *   <---- 3\nAGB\nAG *    <---- 2\nAHA *\nAHB\nAH\nA *     <---- 1\nBGA *\nBGB\nBG *\nBHA *\nBHB\nBH\nB\n",
            ),
            (
                [4, 3, 5, 2, 2, 3, 1, 2],
                "AGA *   <---- 3\nAGB\nAG *    <---- 2\nAHA *\nAHB\nAH\nA *     <---- 1\nBGA *\nBGB *\nBG *\nBHA *\nBHB *\nBH *\nB\n",
            ),
            (
                [4, 3, 1, 2, 5, 6, 6, 7],
                "AGA *\nAGB\nAG *\nAHA *\nAHB *\nAH *\nA *\nBGA *\nBGB *   <---- 3\nBG *    <---- 2\nBHA *\nBHB *\nBH\nB *     <---- 1\n",
            ),
        ] {
            assert_eq!(without_alpha_beta(&model(scores)), expected, "{scores:?}");
        }
        let model = Model::parse(EXAMPLES[0]).expect("an example");
        let minimax = Minimax::of(&model);
        assert_eq!(
            list(&model, &minimax.order, &minimax.firsts, &[]),
            "AGA *\nAGB\nAG *\nAHA *\nAHB\nAH\nA *\nBGA *\nBGB\nBG *\nBHA *\nBHB\nBH\nB\n"
        );
    }
}
