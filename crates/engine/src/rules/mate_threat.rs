//! Mate-threat extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::Depth;

pub(crate) const RULE: Description = Description {
    name: "mate threat",
    about: "Mate-threat extension: moves against a threat of mate are searched deeper.",
    idea: "If the null move is refuted by mate, the side to move is under a mate threat: its moves cost less.",
    risk: "Mutual mate threats explode: the limits of `explosion` apply. `depth_max` and `ply_max` are conditions of \
        DarkThought: only near the leaves, and only up to a distance from the root. The threat is known only if the \
        null move was tried at this node or, with `remembered`, at an earlier visit.",
    reads: "window (of the null move), table, ply, depth.",
    papers: "`donninger1993`, `heinz2000`, `moreland-notes`, `davidtabibi2010`.",
};

crate::extension_params! {
    [gated cut_share all_share]
    /// extend moves at nodes where the null move is refuted by mate
    on = true;
    /// extension (quarter plies)
    quarters = 1 in 0..=4 by 1;
    /// greatest depth (plies)
    depth_max = 64 in 1..=64 by 1;
    /// greatest distance from the root (percent of the root depth)
    ply_max = 400 in 50..=400 by 10;
    /// also if the table entry of the node records such a threat
    remembered = false;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of every move of a threatened node.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    const PERCENT: i32 = 100;
    let near = || n.plies() <= p.depth_max && i32::from(n.ply.0) * PERCENT <= p.ply_max * n.root_depth.whole();
    let remembered = || p.remembered && n.entry.is_some_and(|entry| entry.threat);
    if p.on && (n.mate_threat || remembered()) && near() { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
