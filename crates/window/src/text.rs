//! A run as text: a log in the order of events, and a diagram of the tree with every decision at its node.

mod sargon;
mod summary;

pub use sargon::sargon;
pub use summary::{Cut, LEGEND, cuts, one_ply_owner, pairs, two_ply_owner, verdict};

use std::fmt::Write as _;

use quarterply_engine::search::classic::Decision;

use crate::run::{Evaluation, ModelEvent, ModelRun, shown};

/// Marks the nodes of the principal variation.
const PV_MARK: &str = "*";
/// Stands for the line of the root, which has no moves.
const ROOT_LINE: &str = "(root)";

/// The log of a run: every created node, every evaluation with the comparisons it went through.
pub fn log(run: &ModelRun<'_>) -> String {
    let mut text = String::new();
    for event in &run.events {
        // Writing to a string cannot fail.
        let _ = match event {
            ModelEvent::Created { node } => {
                let node = run.node(*node);
                writeln!(text, "created {:>3}  {}", node.number, line_or_root(&node.line))
            }
            ModelEvent::Evaluated(evaluated) => writeln!(text, "{}", evaluation(run, evaluated)),
        };
    }
    let _ = writeln!(text, "line {}  value {}", run.pv_line(), shown(run.value));
    text
}

/// One evaluation: first the value against the two-ply threshold, then the negated value against the one-ply one.
fn evaluation(run: &ModelRun<'_>, e: &Evaluation) -> String {
    let node = run.node(e.node);
    let (value, negated) = (shown(e.result.value), shown(-e.result.value));
    let (two_ply, one_ply) = (shown(e.two_ply()), shown(e.one_ply()));
    let head = format!("ply {}  {}", node.ply, node.line);
    let of = |owner: Option<usize>| owner.map_or(String::new(), |owner| format!(" ({})", run.node(owner).line));
    let (two, one) = (of(two_ply_owner(run, e)), of(one_ply_owner(run, e)));
    match e.result.decision {
        Decision::Cutoff => format!("{head}\n    cutoff? {value} >= {two_ply}{two}: yes, the move before is refuted"),
        Decision::Best => format!(
            "{head}\n    cutoff? {value} < {two_ply}{two}: no\n    best?   {negated} < {one_ply}{one}: yes\n    {} is best so far",
            node.line
        ),
        Decision::NotBest => {
            format!("{head}\n    cutoff? {value} < {two_ply}{two}: no\n    best?   {negated} >= {one_ply}{one}: no")
        }
    }
}

/// The tree, one node a line. Evaluated nodes have `(order): value [A,M] comparison result`; those of the principal variation have an
/// asterisk before their line.
pub fn diagram(run: &ModelRun<'_>) -> String {
    let mut text = format!("{ROOT_LINE} {}\n", shown(run.value));
    branch(run, 0, "", &mut text);
    text
}

fn branch(run: &ModelRun<'_>, place: usize, indent: &str, text: &mut String) {
    let children = &run.node(place).children;
    for (index, &child) in children.iter().enumerate() {
        let last = index + 1 == children.len();
        let (arm, below) = if last { ("`- ", "   ") } else { ("|- ", "|  ") };
        let mark = if run.pv.contains(&child) { PV_MARK } else { "" };
        let verdict = run.evaluation(child).map_or(String::new(), decision_text);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{indent}{arm}{mark}{}{verdict}", run.node(child).line);
        branch(run, child, &format!("{indent}{below}"), text);
    }
}

/// Both thresholds and the comparison that decided, all seen from the same side as the value.
pub(crate) fn decision_text(e: &Evaluation) -> String {
    let (value, two_ply, best) = (shown(e.result.value), shown(e.result.window.beta), shown(e.result.window.alpha));
    let (comparison, result) = match e.result.decision {
        Decision::Cutoff => (format!("{value}>={two_ply}"), "ALPHA BETA CUTOFF"),
        Decision::Best => (format!("{value}>{best}"), "NEW BEST"),
        Decision::NotBest => (format!("{value}<={best}"), "discard"),
    };
    format!(" ({}): {value} [{two_ply},{best}] {comparison} {result}", e.order)
}

/// The steps that find the principal variation: the best list is scanned once, from its end to its start.
pub fn scan(run: &ModelRun<'_>) -> String {
    let mut text = String::new();
    let list: Vec<&str> = run.best_list.iter().map(|&place| run.node(place).key.as_str()).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "best list: {}", list.join(" "));
    let _ = writeln!(text, "scanned from its end; a key is taken if it is one longer than the line and continues it");
    let mut line = "";
    for &key in list.iter().rev() {
        let (length, required) = (key.chars().count(), line.chars().count() + 1);
        let verdict = if length != required {
            format!("length {length}, wanted is {required}")
        } else if !key.starts_with(line) {
            format!("length {length}, but it does not continue {line}")
        } else {
            let after = if line.is_empty() { String::new() } else { format!(" and it continues {line}") };
            line = key;
            format!("length {length}{after}: taken")
        };
        let _ = writeln!(text, "  {key:<width$}  {verdict}", width = usize::from(run.model.depth()));
    }
    let _ = writeln!(text, "line {}  value {}", run.pv_line(), shown(run.value));
    text
}

fn line_or_root(line: &str) -> &str {
    if line.is_empty() { ROOT_LINE } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    /// Two moves with two replies each; the second move is refuted by its first reply.
    const FORK: &str = r#"{"nodes": [
        {"key": "A", "line": "1.a"}, {"key": "AG", "line": "1.a g", "score": -2}, {"key": "AH", "line": "1.a h", "score": -1},
        {"key": "B", "line": "1.b"}, {"key": "BG", "line": "1.b g", "score": -1}, {"key": "BH", "line": "1.b h", "score": -9}
    ]}"#;

    #[test]
    fn the_log_lists_every_comparison() {
        let model = Model::parse(FORK).expect("valid model");
        assert_eq!(
            log(&model.run()),
            "created   0  (root)\n\
             created   1  1.a\n\
             created   2  1.b\n\
             created   3  1.a g\n\
             ply 2  1.a g\n    cutoff? -2.000 < MAX: no\n    best?   2.000 < MAX: yes\n    1.a g is best so far\n\
             created   4  1.a h\n\
             ply 2  1.a h\n    cutoff? -1.000 < MAX: no\n    best?   1.000 < 2.000 (1.a g): yes\n    1.a h is best so far\n\
             ply 1  1.a\n    cutoff? 1.000 < MAX: no\n    best?   -1.000 < MAX: yes\n    1.a is best so far\n\
             created   5  1.b g\n\
             ply 2  1.b g\n    cutoff? -1.000 >= -1.000 (1.a): yes, the move before is refuted\n\
             line 1.a h  value 1.000\n"
        );
    }

    #[test]
    fn the_scan_lists_the_keys_taken() {
        let model = Model::parse(FORK).expect("valid model");
        let text = scan(&model.run());
        assert_eq!(
            text,
            "best list: AG AH A\n\
             scanned from its end; a key is taken if it is one longer than the line and continues it\n  \
             A   length 1: taken\n  AH  length 2 and it continues A: taken\n  AG  length 2, wanted is 3\n\
             line 1.a h  value 1.000\n"
        );
    }

    #[test]
    fn the_diagram_shows_decisions_and_the_line() {
        let model = Model::parse(FORK).expect("valid model");
        assert_eq!(
            diagram(&model.run()),
            "(root) 1.000\n\
             |- *1.a (3): 1.000 [MAX,-MAX] 1.000>-MAX NEW BEST\n\
             |  |- 1.a g (1): -2.000 [MAX,-MAX] -2.000>-MAX NEW BEST\n\
             |  `- *1.a h (2): -1.000 [MAX,-2.000] -1.000>-2.000 NEW BEST\n\
             `- 1.b\n   |- 1.b g (4): -1.000 [-1.000,-MAX] -1.000>=-1.000 ALPHA BETA CUTOFF\n   `- 1.b h\n"
        );
    }
}
