//! The folded tree for Graphviz.

use super::ShowError;
use super::outline::{Fold, Outline, OutlineLine, outline};
use super::tree::listed;
use crate::trace::{Decision, NodeId, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::words::grouped;
use std::io::Write;

/// Writes the tree below a node as a directed graph.
pub fn write(
    out: &mut dyn Write,
    trace: &Trace,
    id: NodeId,
    position: &Position,
    fold: &Fold,
) -> Result<(), ShowError> {
    let outline = outline(trace, id, position, fold)?;
    writeln!(out, "digraph search {{")?;
    writeln!(out, "  rankdir=LR; node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=10];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    let mut dot = Dot { out, trace, extra: 0 };
    dot.node(&outline)?;
    writeln!(dot.out, "}}")?;
    Ok(())
}

struct Dot<'a> {
    out: &'a mut dyn Write,
    trace: &'a Trace,
    /// Number of boxes so far that are not nodes.
    extra: usize,
}

impl Dot<'_> {
    fn node(&mut self, outline: &Outline) -> Result<(), ShowError> {
        let node = &outline.node;
        let value = words::value(node);
        let mut label = format!(
            "{value} in {}\ndepth {}, {}",
            words::window(node.window),
            words::plies(node.depth),
            words::several(node.nodes, "node")
        );
        if let Some(by) = &node.ended {
            label.push('\n');
            label.push_str(&self.trace.words(by));
        }
        writeln!(self.out, "  n{} [label={}];", node.id, quoted(&label))?;
        for line in &outline.lines {
            self.line(node.id, line)?;
        }
        Ok(())
    }

    fn line(&mut self, parent: NodeId, line: &OutlineLine) -> Result<(), ShowError> {
        match line {
            OutlineLine::Branch(branch) => {
                let colour = match branch.mv.as_ref().and_then(|mv| mv.decision()) {
                    Some(Decision::Cutoff) => "orange3",
                    Some(Decision::Best) => "green4",
                    Some(Decision::NotBest) => "gray40",
                    None => "steelblue",
                };
                let edge = format!("label={}, color={colour}, fontcolor={colour}", quoted(&branch.title));
                match &branch.below {
                    Some(below) => {
                        writeln!(self.out, "  n{parent} -> n{} [{edge}];", below.node.id)?;
                        self.node(below)
                    }
                    None => self.note(parent, &words::several(branch.nodes, "node"), &edge),
                }
            }
            OutlineLine::Deepened(words) => self.note(parent, words, "style=dotted"),
            OutlineLine::Skipped { words, moves, .. } => {
                self.note(parent, &format!("{}\n{words}", listed(moves)), "style=dashed, label=skipped")
            }
            OutlineLine::Folded { searches, nodes } => {
                let text = format!("{} more, {}", grouped(*searches), words::several(*nodes, "node"));
                self.note(parent, &text, "style=dotted")
            }
            OutlineLine::Never { moves, why } => {
                self.note(parent, &format!("{}\n{why}", listed(moves)), "style=dotted")
            }
            OutlineLine::Unrecorded(nodes) => self.note(parent, &format!("{} more", grouped(*nodes)), "style=dotted"),
        }
    }

    fn note(&mut self, parent: NodeId, text: &str, edge: &str) -> Result<(), ShowError> {
        self.extra += 1;
        let extra = self.extra;
        writeln!(self.out, "  x{extra} [shape=plaintext, fontcolor=gray40, label={}];", quoted(text))?;
        writeln!(self.out, "  n{parent} -> x{extra} [{edge}];")?;
        Ok(())
    }
}

/// A string as Graphviz reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
