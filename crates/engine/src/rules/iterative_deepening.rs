//! Internal iterative deepening.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use crate::node::{Node, NodeType, Place};
use crate::score::{Depth, Score};

pub(crate) const RULE: Description = Description {
    name: "internal iterative deepening",
    about: "Internal iterative deepening: a shallower search finds the first move.",
    idea: "At a node without a table move, a shallower search of the same node finds the first move.",
    risk: "The nodes are wasted if the first move was good anyway. On average the rule neither gains nor loses, but \
        prevents rare search explosions.",
    reads: "table, expected node type.",
    papers: "`anantharaman1991`.",
};

crate::params! {
    /// search for a first move where the table has none
    on = false;
    /// least depth on the principal variation (plies)
    depth_min = 5 in 2..=20 by 1;
    /// least depth at expected cut nodes (plies)
    cut_depth_min = 8 in 2..=40 by 1;
    /// reduction of the inner search (1/1024 ply)
    reduction = 2048 in 512..=8192 by 256;
}

pub use super::reason::Reason;

/// Fills in the table move by a shallower search. It never ends the node.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let least = match n.kind {
        NodeType::Pv => p.depth_min,
        NodeType::Cut => p.cut_depth_min,
        NodeType::All => return Ok(None),
    };
    if !p.on || n.table_move.is_some() || n.is_exclusion() || n.plies() < least {
        return Ok(None);
    }
    let budget = n.budget.deduct_both(Depth(p.reduction));
    s.watch_sub_search(n, Purpose::InternalIterativeDeepening, None, Depth(p.reduction));
    s.search(n.position, Place::new(n.window, budget, n.ply, n.kind))?;
    let key = s.table_key(n.position, n.window, n.budget);
    n.table_move = s.probe_table(key, n.ply).and_then(|e| n.position.unpack(e.mv));
    Ok(None)
}
