//! The folded tree as text for a terminal.

use super::ShowError;
use super::outline::{Branch, Fold, OutlineLine, outline};
use crate::trace::{ChildSearch, Decision, NodeId, NodeRecord, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::score::{Bound, Depth};
use quarterply_engine::words::grouped;
use std::io::Write;

/// The style of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Limits of the folding.
    pub fold: Fold,
    /// Colours by ANSI codes, for a terminal.
    pub colours: bool,
}

/// Moves of a group that are named; the others are counted.
const NAMED_MAX: usize = 8;

/// ANSI codes of colours.
mod ink {
    pub const PLAIN: &str = "";
    pub const STRONG: &str = "\x1b[1m";
    pub const FAINT: &str = "\x1b[2m";
    pub const CUT: &str = "\x1b[33m";
    pub const BEST: &str = "\x1b[32m";
    pub const RULE: &str = "\x1b[36m";
}

/// Writes the tree below a node.
pub fn write(
    out: &mut dyn Write,
    trace: &Trace,
    id: NodeId,
    position: &Position,
    style: &Style,
) -> Result<(), ShowError> {
    let outline = outline(trace, id, position, &style.fold)?;
    let mut writer = TreeWriter { out, trace, colours: style.colours };
    writeln!(writer.out, "{}", position.fen())?;
    writer.head(&outline.node)?;
    writer.lines(&outline.lines, "")
}

struct TreeWriter<'a> {
    out: &'a mut dyn Write,
    trace: &'a Trace,
    colours: bool,
}

impl TreeWriter<'_> {
    fn paint(&self, ink: &str, text: &str) -> String {
        const RESET: &str = "\x1b[0m";
        if self.colours && !ink.is_empty() { format!("{ink}{text}{RESET}") } else { text.to_owned() }
    }

    fn head(&mut self, node: &NodeRecord) -> Result<(), ShowError> {
        let value = words::value(node);
        let iteration = &self.trace.summary().iterations[node.iteration];
        let widened = match iteration.attempt {
            0 => String::new(),
            attempt => format!(", window {}", attempt + 1),
        };
        let voter = match iteration.voter {
            0 => String::new(),
            number => format!(", voter {}", number + 1),
        };
        let head = format!(
            "iteration {}{voter}{widened}  depth {}  window {}  value {value}  {}",
            words::plies(Depth(iteration.depth)),
            words::plies(node.depth),
            words::window(node.window),
            words::several(node.nodes, "node")
        );
        writeln!(self.out, "{}", self.paint(ink::STRONG, &head))?;
        Ok(())
    }

    fn lines(&mut self, lines: &[OutlineLine], indent: &str) -> Result<(), ShowError> {
        for (index, line) in lines.iter().enumerate() {
            let last = index + 1 == lines.len();
            let (arm, further) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let text = self.line(line);
            writeln!(self.out, "{}{text}", self.paint(ink::FAINT, &format!("{indent}{arm}")))?;
            if let OutlineLine::Branch(Branch { below: Some(below), .. }) = line {
                self.lines(&below.lines, &format!("{indent}{further}"))?;
            }
        }
        Ok(())
    }

    fn line(&self, line: &OutlineLine) -> String {
        match line {
            OutlineLine::Branch(branch) => self.branch(branch),
            OutlineLine::Deepened(words) => self.paint(ink::RULE, words),
            OutlineLine::Skipped { words, moves, .. } => {
                format!("{} {}", self.paint(ink::FAINT, &format!("x {}", listed(moves))), self.paint(ink::RULE, words))
            }
            OutlineLine::Folded { searches, nodes } => {
                let text = format!("... {} more, {}", grouped(*searches), words::several(*nodes, "node"));
                self.paint(ink::FAINT, &text)
            }
            OutlineLine::Never { moves, why } => self.paint(ink::FAINT, &format!("- {} {why}", listed(moves))),
            OutlineLine::Unrecorded(nodes) => self.paint(ink::FAINT, &format!("... {} more", grouped(*nodes))),
        }
    }

    fn branch(&self, branch: &Branch) -> String {
        let mut parts = vec![self.title(branch)];
        parts.push(self.paint(ink::FAINT, &words::several(branch.nodes, "node")));
        let child = branch.below.as_ref().map(|below| &below.node);
        if branch.mv.is_none() || child.is_some_and(|child| !child.is_quiescence()) {
            parts.extend(child.map(|child| format!("depth {}", words::plies(child.depth))));
        }
        if let Some(searched) = branch.mv.as_ref().and_then(|mv| mv.searched()) {
            let breakdown = searched
                .breakdown
                .iter()
                .map(|line| format!("{} {}", line.by.rule.name(), words::signed_plies(line.change())));
            let breakdown: Vec<String> = breakdown.collect();
            if !breakdown.is_empty() {
                parts.push(self.paint(ink::RULE, &format!("({})", breakdown.join(", "))));
            }
            parts.extend(self.tries(&searched.tries));
        }
        parts.extend(child.and_then(|child| self.ending(child)));
        parts.join("  ")
    }

    /// The move, its value for the side that made it, and the decision. A cutoff proves a lower bound only, a move that is not better
    /// an upper bound only.
    fn title(&self, branch: &Branch) -> String {
        let decision = branch.mv.as_ref().and_then(|mv| mv.decision());
        let (ink, verdict) = match decision {
            Some(Decision::Cutoff) => (ink::CUT, " cutoff"),
            Some(Decision::Best) => (ink::BEST, " best"),
            Some(Decision::NotBest) => (ink::PLAIN, ""),
            None => (ink::RULE, ""),
        };
        let value = match (branch.search.score, decision) {
            (Some(score), Some(decision)) => words::move_value(score, decision),
            _ => words::found(self.trace, &branch.search),
        };
        self.paint(ink, &format!("{} {value}{verdict}", branch.title))
    }

    /// The searches before the last one.
    fn tries(&self, tries: &[ChildSearch]) -> Option<String> {
        let (last, before) = tries.split_last()?;
        if before.is_empty() {
            return None;
        }
        // A search is repeated if it fails high. Without its node, that is all that is known of its bound.
        let value = |search: &ChildSearch| match (search.child, search.score) {
            (None, Some(score)) => words::proven(score, Bound::Lower),
            _ => words::found(self.trace, search),
        };
        let step = |search: &ChildSearch| format!("{} {}", search.purpose.name(), value(search));
        let steps: Vec<String> = before.iter().map(step).collect();
        Some(format!("[{}, then {}]", steps.join(", "), last.purpose.name()))
    }

    /// The rule that ended the node of a search.
    fn ending(&self, child: &NodeRecord) -> Option<String> {
        let by = child.ended.as_ref()?;
        Some(self.paint(ink::RULE, &format!("= {}", self.trace.words(by))))
    }
}

/// The first names of a list, and the number of the others.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.len().min(NAMED_MAX);
    let mut text = names[..shown].join(" ");
    if names.len() > shown {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}
