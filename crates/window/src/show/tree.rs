//! The folded tree as text for a terminal.

use super::ShowError;
use super::outline::{Branch, Fold, Line, Outline, outline};
use crate::trace::{Decision, NodeId, NodeRecord, Search, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::score::Depth;
use quarterply_engine::words::grouped;
use std::io::Write;

/// How the tree is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// What is folded away.
    pub fold: Fold,
    /// Colours by ANSI codes, for a terminal.
    pub colours: bool,
}

/// Moves of a group that are named; the others are counted.
const NAMED_MAX: usize = 8;

#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Strong,
    Faint,
    Cut,
    Best,
    Rule,
}

impl Ink {
    const fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Strong => "\x1b[1m",
            Ink::Faint => "\x1b[2m",
            Ink::Cut => "\x1b[33m",
            Ink::Best => "\x1b[32m",
            Ink::Rule => "\x1b[36m",
        }
    }
}

/// Writes the tree below a node.
///
/// # Errors
/// What is wrong with the trace or the output.
pub fn write(
    out: &mut dyn Write,
    trace: &Trace,
    id: NodeId,
    position: &Position,
    style: &Style,
) -> Result<(), ShowError> {
    let outline = outline(trace, id, position, &style.fold)?;
    let mut writer = TreeWriter { out, trace, colours: style.colours };
    writer.head(&outline)?;
    writer.lines(&outline.lines, "")
}

struct TreeWriter<'a> {
    out: &'a mut dyn Write,
    trace: &'a Trace,
    colours: bool,
}

impl TreeWriter<'_> {
    fn paint(&self, ink: Ink, text: &str) -> String {
        const RESET: &str = "\x1b[0m";
        if self.colours && !ink.code().is_empty() { format!("{}{text}{RESET}", ink.code()) } else { text.to_owned() }
    }

    fn head(&mut self, outline: &Outline) -> Result<(), ShowError> {
        let node = &outline.node;
        let value = words::value(node);
        let iteration = &self.trace.summary().iterations[node.iteration];
        let widened = match iteration.attempt {
            0 => String::new(),
            attempt => format!(", window {}", attempt + 1),
        };
        let voter = match iteration.voice {
            0 => String::new(),
            number => format!(", voter {}", number + 1),
        };
        let head = format!(
            "iteration {}{voter}{widened}  depth {}  window {}  value {value}  {}",
            words::plies(Depth(iteration.depth)),
            words::plies(node.depth),
            words::window(node.window),
            words::several(node.made, "node")
        );
        writeln!(self.out, "{}", outline.fen)?;
        writeln!(self.out, "{}", self.paint(Ink::Strong, &head))?;
        Ok(())
    }

    fn lines(&mut self, lines: &[Line], indent: &str) -> Result<(), ShowError> {
        for (index, line) in lines.iter().enumerate() {
            let last = index + 1 == lines.len();
            let (arm, further) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let text = self.line(line);
            writeln!(self.out, "{}{text}", self.paint(Ink::Faint, &format!("{indent}{arm}")))?;
            if let Line::Branch(Branch { below: Some(below), .. }) = line {
                self.lines(&below.lines, &format!("{indent}{further}"))?;
            }
        }
        Ok(())
    }

    fn line(&self, line: &Line) -> String {
        match line {
            Line::Branch(branch) => self.branch(branch),
            Line::Deepened(words) => self.paint(Ink::Rule, words),
            Line::Skipped { words, moves, .. } => {
                format!("{} {}", self.paint(Ink::Faint, &format!("x {}", listed(moves))), self.paint(Ink::Rule, words))
            }
            Line::Folded { searches, made } => {
                let text = format!("... {} more, {}", grouped(*searches), words::several(*made, "node"));
                self.paint(Ink::Faint, &text)
            }
            Line::Never { moves, why } => self.paint(Ink::Faint, &format!("- {} {why}", listed(moves))),
            Line::LeftOut(nodes) => self.paint(Ink::Faint, &format!("... {} more", grouped(*nodes))),
        }
    }

    fn branch(&self, branch: &Branch) -> String {
        let mut parts = vec![self.title(branch)];
        parts.push(self.paint(Ink::Faint, &words::several(branch.made, "node")));
        let child = branch.below.as_ref().map(|below| &below.node);
        if branch.mv.is_none() || child.is_some_and(|child| !child.is_quiescence()) {
            parts.extend(child.map(|child| format!("depth {}", words::plies(child.depth))));
        }
        if let Some(searched) = branch.mv.as_ref().and_then(|mv| mv.searched()) {
            let ledger = searched
                .ledger
                .iter()
                .map(|line| format!("{} {}", line.by.rule.name(), words::signed_plies(line.cost)));
            let ledger: Vec<String> = ledger.collect();
            if !ledger.is_empty() {
                parts.push(self.paint(Ink::Rule, &format!("({})", ledger.join(", "))));
            }
            parts.extend(self.tries(&searched.tries));
        }
        parts.extend(child.and_then(|child| self.ending(child)));
        parts.join("  ")
    }

    /// The move, its value for the side that made it, and what that did. A cutoff proves no more than a least value, a move
    /// that is not better no more than a greatest.
    fn title(&self, branch: &Branch) -> String {
        let decision = branch.mv.as_ref().and_then(|mv| mv.decision());
        let (ink, verdict) = match decision {
            Some(Decision::Cutoff) => (Ink::Cut, " cutoff"),
            Some(Decision::Best) => (Ink::Best, " best"),
            Some(Decision::NotBest) => (Ink::Plain, ""),
            None => (Ink::Rule, ""),
        };
        let value = match (branch.search.score, decision) {
            (Some(score), Some(decision)) => words::worth(score, decision),
            _ => words::found(self.trace, &branch.search),
        };
        self.paint(ink, &format!("{} {value}{verdict}", branch.title))
    }

    /// The searches before the last one.
    fn tries(&self, tries: &[Search]) -> Option<String> {
        let (last, before) = tries.split_last()?;
        if before.is_empty() {
            return None;
        }
        let step = |search: &Search| format!("{} {}", search.purpose.name(), words::found(self.trace, search));
        let steps: Vec<String> = before.iter().map(step).collect();
        Some(format!("[{}, then {}]", steps.join(", "), last.purpose.name()))
    }

    /// The rule that ended the node of a search.
    fn ending(&self, child: &NodeRecord) -> Option<String> {
        let by = child.ended.as_ref()?;
        Some(self.paint(Ink::Rule, &format!("= {}", words::spoken(by, self.trace.labels(by.rule)))))
    }
}

/// The first names of a list, and how many there are beyond.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.len().min(NAMED_MAX);
    let mut text = names[..shown].join(" ");
    if names.len() > shown {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}
