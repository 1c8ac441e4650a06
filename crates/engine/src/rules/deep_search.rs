//! Deep-search extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};
use crate::words::score;

pub(crate) const RULE: Description = Description {
    name: "deep search",
    about: "Deep-search extension: nodes near the leaves under a serious threat are searched deeper.",
    idea: "If the static evaluation near the leaves is at least beta, but the score of the null move plus a minor \
        piece does not exceed alpha, there is a serious threat beyond the horizon. The moves of the node then cost \
        less.",
    risk: "Near the leaves there are many such nodes. The null move is tried on the principal variation only with \
        `null_move.pv_threats`; with a null window alpha and beta are neighbours, and the two conditions are one.",
    reads: "static evaluation, window, depth.",
    papers: "`donninger1993`.",
};

crate::extension_params! {
    [cut_share]
    /// extend moves near the leaves where passing would lose a piece
    on = false;
    /// extension (quarter plies)
    quarters = 4 in 0..=4 by 1;
    /// greatest depth (plies)
    depth_max = 3 in 1..=12 by 1;
    /// least distance of the null move's score below alpha (pawns/100)
    minor = 320 in 0..=600 by 10;
    /// only with an open window
    open_only = false;
}

crate::reason! {
    evaluation: Score,
    passing "value of passing": Score,
    alpha: Score,
    beta: Score,
    "the evaluation {} >= beta {}, but a null move scores {} only, alpha is {}",
    score(evaluation), score(beta), score(passing), score(alpha)
}

/// Deducted from the cost of every move of such a node.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let applies = p.on && n.plies() <= p.depth_max && (n.is_pv() || !p.open_only) && n.static_eval >= n.window.beta;
    let falls = |passing: Score| passing + Score(p.minor) <= n.window.alpha;
    if applies && n.null_score.is_some_and(falls) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// The reason.
pub(crate) fn reason(_: &Params, n: &Node<'_>, _: &Candidate) -> Reason {
    let passing = n.null_score.unwrap_or_default();
    Reason { evaluation: n.static_eval, passing, alpha: n.window.alpha, beta: n.window.beta }
}
