//! Hindsight: corrects a reduction by the move's effect on the evaluation.

use super::Description;
use crate::node::Node;
use crate::score::{Depth, Score};
use crate::words::{plies, score};

pub(crate) const RULE: Description = Description {
    name: "hindsight",
    about: "Hindsight: the depth is corrected by the effect of the previous, reduced move.",
    idea: "A move is reduced before its effect is known. If the position did not become better for the side to move, \
        the reduction was too large, and depth is added; if the opponent's evaluation fell much, depth is deducted.",
    risk: "The static evaluation may miss why the move was good or bad.",
    reads: "static evaluations along the path, the last reduction.",
    papers: "current practice.",
};

crate::params! {
    /// correct the depth of reduced nodes
    on = true;
    /// least reduction after which depth is added (1/1024 ply)
    deeper_reduction_min = 1536 in 0..=8192 by 256, neutral 3072;
    /// depth added (1/1024 ply)
    deeper = 768 in 0..=2048 by 128, neutral 1024;
    /// least reduction after which depth is deducted (1/1024 ply)
    shallower_reduction_min = 2304 in 0..=8192 by 256, neutral 2048;
    /// loss of static evaluation by the opponent's last move above which depth is deducted (pawns/100)
    shallower_margin = 120 in 0..=600 by 10, neutral 160;
    /// depth deducted (1/1024 ply)
    shallower = 1280 in 0..=2048 by 128, neutral 1024;
}

crate::reason! {
    reduction: Depth,
    gain: Score,
    margin: Score,
    "the previous move was reduced by {}, and the side to move gained {}", plies(reduction), score(gain)
}

/// Depth to add to the node: positive, negative or nothing.
pub fn extend(p: &Params, n: &Node<'_>) -> Depth {
    if !p.on || n.in_check || n.is_exclusion() || n.ply.is_root() {
        return Depth::ZERO;
    }
    let Some(theirs) = n.eval_before else { return Depth::ZERO };
    // The gain of the side to move since the preceding position: the sum of both sides' evaluations.
    let gain = n.static_eval + theirs;
    if n.reduced_by >= Depth(p.deeper_reduction_min) && gain <= Score::ZERO {
        Depth(p.deeper)
    } else if n.reduced_by >= Depth(p.shallower_reduction_min)
        && gain > Score(p.shallower_margin)
        && n.depth >= Depth::plies(2)
    {
        -Depth(p.shallower)
    } else {
        Depth::ZERO
    }
}

/// The reason for a changed depth.
pub(crate) fn reason(p: &Params, n: &Node<'_>) -> Reason {
    let gain = n.static_eval + n.eval_before.unwrap_or(Score::ZERO);
    Reason { reduction: n.reduced_by, gain, margin: Score(p.shallower_margin) }
}
