//! Hindsight: corrects a reduction by the move's effect on the evaluation.

use super::Description;
use crate::node::Node;
use crate::score::{Depth, Score};
use crate::words::{plies, score};

pub(crate) const RULE: Description = Description {
    name: "hindsight",
    about: "Hindsight: the depth is corrected by the effect of the previous, reduced move.",
    idea: "A move is reduced before its effect is known. If the position did not become better for the side to \
        move, the reduction was too large, and depth is added; if the opponent of the side to move lost much, \
        depth is deducted.",
    risk: "The static evaluation may miss why the move was good or bad.",
    reads: "static evaluations along the path, the last reduction.",
    papers: "current practice.",
};

crate::params! {
    /// correct the depth of reduced nodes
    on = true;
    /// least reduction that may be taken back (1/1024 ply)
    deeper_reduction_min = 1536 in 0..=8192 by 256, neutral 3072;
    /// depth added (1/1024 ply)
    deeper = 768 in 0..=2048 by 128, neutral 1024;
    /// least reduction that may be increased (1/1024 ply)
    shallower_reduction_min = 2304 in 0..=8192 by 256, neutral 2048;
    /// loss of the opponent by its last move, the sum of both sides' evaluations, above which depth is deducted (pawns/100)
    shallower_margin = 120 in 0..=600 by 10, neutral 160;
    /// depth deducted then (1/1024 ply)
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
    correction(p, n.reduced_by, n.static_eval + theirs, n.depth)
}

/// `gain` is what the side to move has won since the position before: the sum of both sides' evaluations.
fn correction(p: &Params, reduction: Depth, gain: Score, depth: Depth) -> Depth {
    if reduction >= Depth(p.deeper_reduction_min) && gain <= Score::ZERO {
        Depth(p.deeper)
    } else if reduction >= Depth(p.shallower_reduction_min)
        && gain > Score(p.shallower_margin)
        && depth >= Depth::plies(2)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduced_move_that_did_no_harm_gets_depth_back() {
        let p = Params {
            deeper_reduction_min: 3072,
            deeper: 1000,
            shallower_reduction_min: 2048,
            shallower_margin: 160,
            shallower: 900,
            ..Params::DEFAULT
        };
        for (reduction, gain, plies, amount) in [
            (3072, -20, 6, 1000),
            (3072, 0, 1, 1000),
            (3071, -20, 6, 0),
            (3072, 1, 6, 0),
            (2048, 161, 2, -900),
            (2048, 160, 2, 0),
            (2047, 161, 2, 0),
            (2048, 161, 1, 0),
        ] {
            let found = correction(&p, Depth(reduction), Score(gain), Depth::plies(plies));
            assert_eq!(found, Depth(amount), "{reduction} {gain} {plies}");
        }
    }
}
