//! Which part of a trace is shown when it is too large.

use std::collections::{BinaryHeap, HashSet};

use crate::trace::{NodeId, Trace, TraceError};

/// The nodes whose children are shown: all, or those with the most moves below until there are `nodes_max` nodes.
pub fn largest(trace: &Trace, nodes_max: usize) -> Result<Option<HashSet<NodeId>>, TraceError> {
    if trace.len() <= nodes_max as u64 {
        return Ok(None);
    }
    let mut open = HashSet::new();
    let mut waiting: BinaryHeap<(u64, NodeId)> = trace.roots().map(|root| (u64::MAX, root)).collect();
    let mut shown = waiting.len();
    while let Some((_, id)) = waiting.pop()
        && shown < nodes_max
    {
        let node = trace.node(id)?;
        let below = node.searches().filter_map(|(_, search)| Some((search.size, search.child?)));
        for (size, child) in below {
            shown += 1;
            if size > 1 {
                waiting.push((size, child));
            }
        }
        open.insert(id);
    }
    Ok(Some(open))
}
