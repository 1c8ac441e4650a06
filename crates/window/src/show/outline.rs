//! A folded tree: large subtrees are open, small ones closed, skipped moves in groups.

use super::untried::untried;
use super::{ShowError, move_name, name, position_of, probe_name};
use crate::trace::{
    ChildSearch, Decision, MoveOutcome, MoveRecord, NodeId, NodeRecord, NodeStep, RuleReason, SearchedMove, Trace,
};
use crate::words;
use quarterply_engine::position::Position;

/// Limits of the folding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// Nodes deeper below the first one are closed (plies).
    pub plies: u16,
    /// Subtrees with a smaller share of the first node's moves are closed (permille).
    pub share: u64,
    /// Maximum number of moves of a node that are shown one by one.
    pub moves: usize,
}

impl Default for Fold {
    fn default() -> Fold {
        Fold { plies: 3, share: 10, moves: 12 }
    }
}

const PERMILLE: u64 = 1000;

/// A node with the lines below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    /// The node.
    pub node: NodeRecord,
    /// The lines below it, in order. Empty if it is closed.
    pub lines: Vec<OutlineLine>,
}

/// Something shown below a node.
#[derive(Clone, PartialEq, Debug)]
pub enum OutlineLine {
    /// A search made from the node: of a move, or of a rule.
    Branch(Branch),
    /// A rule changed the depth of the node: the words for it.
    Deepened(String),
    /// Moves skipped by one rule.
    Skipped {
        /// The rule.
        by: RuleReason,
        /// The words for it, with the numbers of the first of the moves.
        words: String,
        /// The moves, the first of them being the one that the rule examined.
        moves: Vec<String>,
    },
    /// Small searches folded into one line.
    Folded {
        /// Their number.
        searches: u64,
        /// Moves made in them.
        nodes: u64,
    },
    /// Moves that were not reached.
    Never {
        /// The moves.
        moves: Vec<String>,
        /// The reason.
        why: &'static str,
    },
    /// Nodes that were not recorded.
    Unrecorded(u64),
}

/// A search made from a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The move in short algebraic notation, or the name of the search of a rule.
    pub title: String,
    /// The move with its breakdown and its value; `None` if the search is a rule's own.
    pub mv: Option<MoveRecord>,
    /// The search that decided: the last of a move's.
    pub search: ChildSearch,
    /// Moves made for it in all.
    pub nodes: u64,
    /// Its node; `None` if it was not recorded.
    pub below: Option<Box<Outline>>,
}

/// Folds the tree below `id`, whose position is `position`.
pub fn outline(trace: &Trace, id: NodeId, position: &Position, fold: &Fold) -> Result<Outline, ShowError> {
    let node = trace.node(id)?;
    let least = (node.nodes * fold.share / PERMILLE).max(1);
    let maker = OutlineBuilder { trace, fold, least, top: node.ply };
    maker.node(node, position, true)
}

struct OutlineBuilder<'a> {
    trace: &'a Trace,
    fold: &'a Fold,
    /// Moves made in the smallest subtree that is opened.
    least: u64,
    top: u16,
}

impl OutlineBuilder<'_> {
    fn node(&self, node: NodeRecord, position: &Position, open: bool) -> Result<Outline, ShowError> {
        let lines = if open { self.lines(&node, position)? } else { Vec::new() };
        Ok(Outline { lines, node })
    }

    fn lines(&self, node: &NodeRecord, position: &Position) -> Result<Vec<OutlineLine>, ShowError> {
        let mut lines = Vec::new();
        let (mut shown, mut folded, mut folded_nodes) = (0, 0, 0);
        let untried = untried(position, node);
        for (place, step) in node.steps.iter().enumerate() {
            let (title, mv, search, nodes) = match step {
                NodeStep::Deepened { by, amount } => {
                    lines.push(OutlineLine::Deepened(words::deepened(by, *amount, self.trace.labels(by.rule))));
                    continue;
                }
                NodeStep::Probe { mv, search } => {
                    (probe_name(position, *mv, search.purpose), None, *search, search.nodes)
                }
                NodeStep::Move(mv) => match &mv.outcome {
                    MoveOutcome::Skipped { by, .. } => {
                        let moves = std::iter::once(name(position, Some(mv.mv)))
                            .chain(untried.with(place).iter().map(|&other| move_name(position, other)));
                        self.skipped(&mut lines, by, moves.collect());
                        continue;
                    }
                    MoveOutcome::Searched(SearchedMove { tries, .. }) => match tries.last() {
                        Some(&last) => (name(position, Some(mv.mv)), Some(mv), last, mv.nodes()),
                        None => continue,
                    },
                    MoveOutcome::Unknown => continue,
                },
            };
            let improved = mv.is_some_and(|mv| mv.decision() != Some(Decision::NotBest));
            if shown >= self.fold.moves && !improved || nodes < self.least && !improved && shown > 0 {
                folded += 1;
                folded_nodes += nodes;
                continue;
            }
            shown += 1;
            let below = self.below(&search, position, nodes)?;
            lines.push(OutlineLine::Branch(Branch { title, mv: mv.cloned(), search, nodes, below }));
        }
        if folded > 0 {
            lines.push(OutlineLine::Folded { searches: folded, nodes: folded_nodes });
        }
        if !untried.never.is_empty() && node.ended.is_none() && (shown > 0 || folded > 0) {
            let moves = untried.never.iter().map(|&mv| move_name(position, mv)).collect();
            lines.push(OutlineLine::Never { moves, why: why_never(node) });
        }
        if node.unrecorded > 0 {
            lines.push(OutlineLine::Unrecorded(node.unrecorded));
        }
        Ok(lines)
    }

    /// Adds skipped moves, to the line before if the same rule made it. If the numbers differ, the line names the move that they are of.
    fn skipped(&self, lines: &mut Vec<OutlineLine>, by: &RuleReason, moves: Vec<String>) {
        let own = self.trace.words(by);
        if let Some(OutlineLine::Skipped { by: before, words, moves: list }) = lines.last_mut()
            && before.rule == by.rule
        {
            if *words == self.trace.words(before) && *words != own {
                *words = format!("{words} (numbers of {})", list[0]);
            }
            list.extend(moves);
            return;
        }
        let words = own;
        lines.push(OutlineLine::Skipped { by: by.clone(), words, moves });
    }

    fn below(&self, search: &ChildSearch, position: &Position, nodes: u64) -> Result<Option<Box<Outline>>, ShowError> {
        let Some(id) = search.child else { return Ok(None) };
        let child = self.trace.node(id)?;
        let position = position_of(&child, position)?;
        let open = child.ply.saturating_sub(self.top) < self.fold.plies && nodes >= self.least;
        Ok(Some(Box::new(self.node(child, &position, open)?)))
    }
}

fn why_never(node: &NodeRecord) -> &'static str {
    let refuted = node.best().is_some_and(|best| best.decision() == Some(Decision::Cutoff));
    let cut = refuted || node.score.is_some_and(|score| node.window.fails_high(score));
    match (cut, node.is_quiescence()) {
        _ if node.score.is_none() => "the search was stopped",
        (true, _) => "not needed after the cutoff",
        (false, true) => "quiet, not searched in quiescence",
        (false, false) => "not searched",
    }
}
