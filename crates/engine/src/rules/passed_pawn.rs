//! Passed-pawn extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};
use shakmaty::{Rank, Role};

pub(crate) const RULE: Description = Description {
    name: "passed pawn",
    about: "Passed-pawn extension: passed pawns near promotion are searched deeper.",
    idea: "A passed pawn that reaches the seventh rank, or the sixth near the leaves, may promote soon: less depth is \
        deducted for such a push.",
    risk: "Wasted where the evaluation already judges the promotion race. Pawns that are lost by static exchange \
        evaluation are not extended.",
    reads: "position, depth.",
    papers: "`moreland-notes`, `heinz2000` (the form without `passed_only` and `sixth_captures`), \
        `davidtabibi2010`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend pushes of advanced passed pawns
    on = true;
    /// extension of a passed pawn that reaches the seventh rank (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// extension of a passed pawn that reaches the sixth rank (quarter plies)
    sixth_quarters = 1 in 0..=4 by 1;
    /// greatest depth at which the sixth rank counts (plies)
    sixth_depth_max = 4 in 1..=64 by 1;
    /// only passed pawns; off: every pawn move to the sixth or seventh rank
    passed_only = true, neutral true;
    /// captures that bring a pawn to the sixth rank count too
    sixth_captures = true, neutral true;
    /// only pawns that are not lost by static exchange
    safe = true, neutral true;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of a move by a passed pawn that nears promotion.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    if !p.on || c.mv.role() != Role::Pawn || c.mv.is_promotion() {
        return Depth::ZERO;
    }
    let turn = n.position.turn();
    let to = c.mv.to();
    let quarters = match turn.fold_wb(to.rank(), to.rank().flip_vertical()) {
        Rank::Seventh => p.quarters,
        Rank::Sixth if n.plies() <= p.sixth_depth_max && (p.sixth_captures || !c.mv.is_capture()) => p.sixth_quarters,
        _ => 0,
    };
    let far = quarters > 0 && (!p.passed_only || n.position.is_passed(to, turn));
    if far && (!p.safe || c.see_ge(n, Score::ZERO)) { -Depth::quarters(quarters) } else { Depth::ZERO }
}
