//! Threat extension.

use super::Description;
use crate::node::{Candidate, Node, NodeType};
use crate::score::{Depth, Score};
use crate::words::score;

pub(crate) const RULE: Description = Description {
    name: "threat",
    about: "Threat extension: moves against a threat are searched deeper.",
    idea: "If the null move loses much, the opponent has a threat: the moves of the node cost less, so that the \
        search can find a defence. A mate threat is the extreme case; Deep Thought used null moves that fail low \
        in this way.",
    risk: "In sharp positions almost every move is a threat. Threats are known only from null moves.",
    reads: "static evaluation, window (of the null move), expected node type.",
    papers: "`anantharaman1988`, `donninger1993`.",
};

crate::extension_params! {
    [gated cut_share]
    /// extend moves at nodes where the null move loses much, except expected all nodes
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// least loss by the null move, against the static evaluation (pawns/100)
    margin = 200 in 50..=600 by 10;
}

crate::reason! {
    evaluation: Score,
    passing "value of passing": Score,
    "the evaluation is {}, a null move scores {}", score(evaluation), score(passing)
}

/// Deducted from the cost of every move of a threatened node.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let threatened = |passing: Score| n.kind != NodeType::All && passing <= n.static_eval - Score(p.margin);
    if p.on && n.null_score.is_some_and(threatened) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// The reason.
pub(crate) fn reason(_: &Params, n: &Node<'_>, _: &Candidate) -> Reason {
    Reason { evaluation: n.static_eval, passing: n.null_score.unwrap_or_default() }
}
