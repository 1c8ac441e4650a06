//! A run in the words and the layout of *A Window into Sargon* (`forster2020` in docs/papers.md): heading, board, annotated
//! diagram, principal variation, remarks, detailed log, and the starred lists of its chapter on the principal variation.

mod layout;
mod lists;

use std::fmt::Write as _;

use quarterply_engine::score::Score;
use quarterply_engine::search::classic::Decision;

use super::{PV_MARK, ROOT_LINE};
use crate::board;
use crate::model::Model;
use crate::run::{Evaluation, ModelEvent, ModelRun, shown};
use crate::words;
use layout::Canvas;

/// Names of this form are headed as in the original; the rest of the name is the number of the example.
const NUMBERED: &str = "example-";

/// The whole text of a run. Parts that the model does not have (name, introduction or title, position, remarks) are omitted.
pub fn sargon(run: &ModelRun<'_>) -> String {
    let parts = [head(run.model), picture(run), conclusion(run), log(run), lists::lists(run)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Heading, introduction, side to move and board.
fn head(model: &Model) -> String {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let mut lines = Vec::new();
    if let Some(name) = given(&model.name) {
        let number = name.strip_prefix(NUMBERED).filter(|rest| rest.parse::<u32>().is_ok());
        let heading = number.map_or_else(|| name.clone(), |number| format!("Example number {number})"));
        lines.push(heading.clone());
        lines.push("-".repeat(heading.chars().count()));
    }
    lines.extend(given(&model.introduction).or_else(|| given(&model.title)));
    if let Ok(position) = model.position() {
        lines.push(format!("{} to move", words::side(position.turn())));
        lines.extend(board::ranks(&position));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The tree, the first move of each node above it and the root at the left, each node with its decision.
fn picture(run: &ModelRun<'_>) -> String {
    let nodes = run.model.nodes();
    let mut labels: Vec<String> = nodes.iter().map(|node| node.line.clone()).collect();
    ROOT_LINE.clone_into(&mut labels[0]);
    for evaluated in run.evaluations() {
        labels[evaluated.node].push_str(&annotation(evaluated));
    }
    let mut canvas = Canvas::of(run.model);
    for (place, label) in labels.iter().enumerate() {
        let mark = if run.pv.contains(&place) { PV_MARK } else { "" };
        canvas.label(place, mark, label);
    }
    canvas.text()
}

/// Order, value, both thresholds on the side of the value, and the comparison that decided.
fn annotation(e: &Evaluation) -> String {
    let (value, two_ply, best) = (shown(e.result.value), shown(e.result.window.beta), shown(e.result.window.alpha));
    let result = match e.result.decision {
        Decision::Cutoff => format!(">={two_ply} so ALPHA BETA CUTOFF"),
        // The original prints a space before an open threshold.
        Decision::Best if e.result.window.alpha == -Score::INFINITE => format!("> {best} so NEW BEST MOVE"),
        Decision::Best => format!(">{best} so NEW BEST MOVE"),
        Decision::NotBest => format!("<={best} so discard"),
    };
    format!(" ({}): {value} [{two_ply},{best}] {value}{result}", e.order)
}

fn conclusion(run: &ModelRun<'_>) -> String {
    let mut text = format!("PV = {}, note that the PV nodes are asterisked\n", run.pv_line());
    if let Some(remarks) = run.model.remarks.as_ref().filter(|remarks| !remarks.is_empty()) {
        text.push_str(remarks);
        text.push('\n');
    }
    text
}

/// Every creation, and every evaluation with its comparisons.
fn log(run: &ModelRun<'_>) -> String {
    let mut text = "Detailed log\n".to_owned();
    for event in &run.events {
        // Writing to a string cannot fail.
        let _ = match event {
            ModelEvent::Created { node } => {
                let node = run.node(*node);
                writeln!(text, "Position {}, \"{}\" created in tree", node.number, node.line)
            }
            ModelEvent::Evaluated(e) => writeln!(text, "{}", comparisons(run, e)),
        };
    }
    text
}

fn comparisons(run: &ModelRun<'_>, e: &Evaluation) -> String {
    let node = run.node(e.node);
    let (value, negated) = (shown(e.result.value), shown(-e.result.value));
    let (two_ply, one_ply) = (shown(e.two_ply()), shown(e.one_ply()));
    let eval = format!("Eval (ply {}), {}", node.ply, node.line);
    let no_cutoff = format!("No alpha beta cutoff because move value={value} < two lower ply value={two_ply}");
    match e.result.decision {
        Decision::Cutoff => {
            format!("{eval}\nAlpha beta cutoff because move value={value} >= two lower ply value={two_ply}")
        }
        Decision::Best => format!(
            "{eval}\n{no_cutoff}\nBest move because negated move value={negated} < one lower ply value={one_ply}\n(Confirming best move)"
        ),
        Decision::NotBest => format!(
            "{eval}\n{no_cutoff}\nNot best move because negated move value={negated} >= one lower ply value={one_ply}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        sargon(&Model::parse(json).expect("a model").run())
    }

    /// Without name, texts and position the text begins with the diagram, and nothing is between the line and the log.
    #[test]
    fn parts_that_a_model_lacks_are_left_out() {
        let bare = text(r#"{"nodes": [{"key": "A", "line": "1.a", "score": 1}, {"key": "B", "line": "1.b"}]}"#);
        let begin = "      *1.a (1): 1.000 [MAX,-MAX] 1.000> -MAX so NEW BEST MOVE\n      / |\n";
        assert!(bare.starts_with(begin), "{bare}");
        let middle =
            "\n\nPV = 1.a, note that the PV nodes are asterisked\n\nDetailed log\nPosition 0, \"\" created in tree\n";
        assert!(bare.contains(middle), "{bare}");
    }

    #[test]
    fn headings_are_numbers_or_names_and_the_title_stands_in_for_an_introduction() {
        let nodes = r#""nodes": [{"key": "A"}]"#;
        for (keys, expected) in [
            (
                r#""name": "example-12", "title": "t", "introduction": "i\nj","#,
                "Example number 12)\n------------------\ni\nj\n\n",
            ),
            (r#""name": "example-x", "title": "t", "introduction": "","#, "example-x\n---------\nt\n\n"),
            (r#""name": "","#, "      *A (1)"),
            (
                r#""name": "größe", "fen": "8/8/8/8/8/8/8/K1k5 b - - 0 1","#,
                "größe\n-----\nBlack to move\n........\n........\n........\n........\n........\n........\n........\nK.k.....\n\n",
            ),
        ] {
            let found = text(&format!("{{{keys} {nodes}}}"));
            assert!(found.starts_with(expected), "{keys}: {found}");
        }
    }
}
