//! Internal iterative reduction.

use super::Description;
use crate::node::{Node, NodeType};
use crate::score::Depth;
use crate::words::plies;

pub(crate) const RULE: Description = Description {
    name: "internal iterative reduction",
    about: "Internal iterative reduction: nodes without a table move are searched less deeply.",
    idea: "Without a table move the move order is poor and a deep search is expensive. Such nodes are searched \
        with less depth; the next visit finds a table move.",
    risk: "The gain shrinks with more time per move; restricted to nodes at which the move order matters.",
    reads: "table, expected node type.",
    papers: "`schroder2020`.",
};

crate::params! {
    /// reduce nodes without a table move
    on = true;
    /// least depth (plies)
    depth_min = 5 in 2..=12 by 1, neutral 4;
    /// depth deducted on the principal variation (1/1024 ply)
    pv = 896 in 0..=3072 by 128, neutral 1024;
    /// depth deducted at expected cut nodes (1/1024 ply)
    cut = 768 in 0..=3072 by 128, neutral 1024;
}

crate::reason! {
    depth: Depth,
    least "least depth": Depth,
    "no table move at depth {}", plies(depth)
}

/// Depth to add to the node: negative or nothing.
pub fn extend(p: &Params, n: &Node<'_>) -> Depth {
    if !p.on || n.table_move.is_some() || n.is_exclusion() || n.plies() < p.depth_min {
        return Depth::ZERO;
    }
    match n.kind {
        NodeType::Pv => -Depth(p.pv),
        NodeType::Cut => -Depth(p.cut),
        NodeType::All => Depth::ZERO,
    }
}

/// The reason for a reduction.
pub(crate) fn reason(p: &Params, n: &Node<'_>) -> Reason {
    Reason { depth: n.depth, least: Depth::plies(p.depth_min) }
}
