//! Summary of a run of a model: cutoffs, their reasons, and the nodes saved.

use std::fmt::Write as _;

use quarterply_engine::search::classic::Decision;

use super::line_or_root;
use crate::board;
use crate::run::{Evaluation, ModelRun, shown};

/// The meaning of the marks of a diagram.
pub const LEGEND: &str = "\
(order): value [two-ply, one-ply] comparison  outcome; * principal variation
A value is for the side that made the last move. One that reaches the two-ply threshold cuts; one above the one-ply threshold is best.
";

/// A cutoff and what it saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The node whose value cut.
    pub by: usize,
    /// The node whose value it reached; `None` if the threshold was open.
    pub against: Option<usize>,
    /// The node that was refuted.
    pub refuted: usize,
    /// Leaves below it that were never evaluated, without those that earlier cutoffs saved.
    pub saved: usize,
}

/// Whose value a threshold is: the last node, among `start` and its siblings or those two plies further up and so on, that was best
/// before an evaluation.
fn owner(run: &ModelRun<'_>, start: usize, before: usize) -> Option<usize> {
    let nodes = run.model.nodes();
    let parent_of = |place: usize| nodes.iter().position(|node| node.children.contains(&place));
    let mut place = start;
    loop {
        let parent = parent_of(place)?;
        let best = run.evaluations().filter(|e| e.order < before && e.result.decision == Decision::Best);
        if let Some(found) = best.filter(|e| nodes[parent].children.contains(&e.node)).last() {
            return Some(found.node);
        }
        place = parent_of(parent)?;
    }
}

/// Whose value the two-ply threshold of an evaluation is.
pub fn two_ply_owner(run: &ModelRun<'_>, e: &Evaluation) -> Option<usize> {
    let parent = run.model.nodes().iter().position(|node| node.children.contains(&e.node))?;
    owner(run, parent, e.order)
}

/// Whose value its one-ply threshold is.
pub fn one_ply_owner(run: &ModelRun<'_>, e: &Evaluation) -> Option<usize> {
    owner(run, e.node, e.order)
}

/// Every cutoff in order.
pub fn cuts(run: &ModelRun<'_>) -> Vec<Cut> {
    let nodes = run.model.nodes();
    let cutting = run.evaluations().filter(|e| e.result.decision == Decision::Cutoff);
    let mut counted = vec![false; nodes.len()];
    let cuts_with_owners = cutting.filter_map(|e| {
        let refuted = nodes.iter().position(|node| node.children.contains(&e.node))?;
        let saved = saved(run, refuted, &mut counted);
        Some(Cut { by: e.node, against: two_ply_owner(run, e), refuted, saved })
    });
    cuts_with_owners.collect()
}

/// Leaves below a node that were never evaluated and are not `counted` yet: those that an earlier cutoff saved are.
fn saved(run: &ModelRun<'_>, place: usize, counted: &mut [bool]) -> usize {
    let children = &run.node(place).children;
    if children.is_empty() {
        let before = std::mem::replace(&mut counted[place], true);
        return usize::from(!before && run.evaluation(place).is_none());
    }
    children.iter().map(|&child| saved(run, child, counted)).sum()
}

/// The verdict in sentences.
pub fn verdict(run: &ModelRun<'_>) -> String {
    let leaves = run.model.nodes().iter().filter(|node| node.children.is_empty()).count();
    let saved = saved(run, 0, &mut vec![false; run.model.nodes().len()]);
    let mut text = String::new();
    for cut in cuts(run) {
        let name = |place: usize| line_or_root(&run.node(place).line).to_owned();
        let value = run.evaluation(cut.by).map_or(String::new(), |e| {
            let against = cut.against.map_or("an open threshold".to_owned(), name);
            format!("{} reaches {}, which {against} set", shown(e.result.value), shown(e.two_ply()))
        });
        let left = match cut.saved {
            0 => "nothing was left to save".to_owned(),
            1 => "1 leaf was saved".to_owned(),
            saved => format!("{saved} leaves were saved"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} refutes {}: {value}; {left}", name(cut.by), name(cut.refuted));
    }
    let evaluated = leaves - saved;
    let _ = writeln!(
        text,
        "{evaluated} of {leaves} leaves evaluated, {saved} saved; minimax evaluates all and finds the same value"
    );
    text
}

/// The tree twice, side by side: with the order in which nodes were created, and with that in which they were evaluated.
pub fn pairs(run: &ModelRun<'_>) -> String {
    /// Wide enough for two trees side by side.
    const WIDTH: usize = 400;
    let creation = |place: usize| run.created().position(|node| node == place);
    let evaluation = |place: usize| run.evaluation(place).map(|e| e.order);
    let left = tree(run, "created", &creation);
    let right = tree(run, "evaluated", &evaluation);
    board::side_by_side(&[left, right], WIDTH)
}

/// The tree with a number at every node that has one.
fn tree(run: &ModelRun<'_>, title: &str, number: &dyn Fn(usize) -> Option<usize>) -> Vec<String> {
    let mut lines = vec![title.to_owned()];
    let mut open = vec![(0, 0)];
    while let Some((place, level)) = open.pop() {
        let node = run.node(place);
        let order = number(place).map_or("  -".to_owned(), |order| format!("{order:>3}"));
        lines.push(format!("{order}  {}{}", "  ".repeat(level), line_or_root(&node.line)));
        open.extend(node.children.iter().rev().map(|&child| (child, level + 1)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use quarterply_data::EXAMPLES;

    fn named<'a>(run: &'a ModelRun<'_>, place: Option<usize>) -> Option<&'a str> {
        place.map(|place| run.node(place).key.as_str())
    }

    #[test]
    fn cutoffs_name_both_sides_and_what_they_save() {
        let model = Model::parse(EXAMPLES[3]).expect("an example");
        let run = model.run();
        let listed: Vec<_> = cuts(&run)
            .iter()
            .map(|cut| (run.node(cut.by).key.clone(), named(&run, cut.against).map(str::to_owned), cut.saved))
            .collect();
        // The second reply's first leaf equals what the first reply keeps; the second move is refuted by its first reply.
        assert_eq!(listed, [("AHA".to_owned(), Some("AG".to_owned()), 1), ("BG".to_owned(), Some("A".to_owned()), 2)]);
        let text = verdict(&run);
        assert!(text.contains("5 of 8 leaves evaluated, 3 saved"), "{text}");
    }

    #[test]
    fn a_leaf_is_saved_once_by_nested_cutoffs() {
        for (number, text) in (1..).zip(EXAMPLES) {
            let model = Model::parse(text).expect("an example");
            let run = model.run();
            let leaves = model.nodes().iter().enumerate().filter(|(_, node)| node.children.is_empty());
            let unevaluated = leaves.filter(|(place, _)| run.evaluation(*place).is_none()).count();
            assert_eq!(cuts(&run).iter().map(|cut| cut.saved).sum::<usize>(), unevaluated, "example {number}");
        }
        let deep = Model::parse(include_str!("../../../../data/models/deep-cutoff.json")).expect("a model");
        let run = deep.run();
        assert_eq!(cuts(&run).iter().map(|cut| cut.saved).collect::<Vec<_>>(), [1, 1, 0]);
    }

    /// Without cutoffs the summary of a model has no lines about them.
    #[test]
    fn without_cutoffs_nothing_is_saved() {
        let model = Model::parse(EXAMPLES[0]).expect("an example");
        let run = model.run();
        assert_eq!(verdict(&run).lines().count(), 1);
        assert!(verdict(&run).starts_with("8 of 8 leaves evaluated, 0 saved"));
    }

    /// Every threshold that is not open is the negated value of its owner, on the owner's side.
    #[test]
    fn thresholds_belong_to_their_owners() {
        for (number, text) in (1..).zip(EXAMPLES) {
            let model = Model::parse(text).expect("an example");
            let run = model.run();
            for e in run.evaluations() {
                for (threshold, owner) in [(e.two_ply(), two_ply_owner(&run, e)), (e.one_ply(), one_ply_owner(&run, e))]
                {
                    let value = owner.and_then(|owner| run.evaluation(owner)).map(|found| -found.result.value);
                    let open = quarterply_engine::score::Score::INFINITE;
                    assert_eq!(value.unwrap_or(open), threshold, "example {number}, evaluation {}", e.order);
                }
            }
        }
    }

    #[test]
    fn trees_of_creation_and_evaluation_stand_side_by_side() {
        let model = Model::parse(EXAMPLES[4]).expect("an example");
        let text = pairs(&model.run());
        let mut lines = text.lines();
        let head = lines.next().expect("a head");
        assert!(head.starts_with("created") && head.contains("evaluated"));
        let root = lines.next().expect("the root");
        assert!(root.starts_with("  0  (root)") && root.contains("  -  (root)"), "{root}");
        assert_eq!(text.trim_end().lines().count(), 1 + model.nodes().len());
    }
}
