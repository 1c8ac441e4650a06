//! History pruning.

use super::{Description, Skip};
use crate::node::{Candidate, Node};
use crate::score::Depth;
use crate::words::plies;

pub(crate) const RULE: Description = Description {
    name: "history pruning",
    about: "History pruning: quiet moves with a bad history near the leaves are skipped.",
    idea: "A quiet move that failed elsewhere is skipped if its history is below a threshold that falls with the \
        reduced depth. Killers and the countermove are exempt.",
    risk: "Outdated history; gravity updates reduce the weight of old results.",
    reads: "history tables.",
    papers: "`letouzey2005`, current practice.",
};

crate::params! {
    /// skip quiet moves with a bad history
    on = true;
    /// greatest reduced depth (plies)
    depth_max = 5 in 1..=10 by 1, neutral 4;
    /// a move is skipped if its history is below minus this value, at reduced depth 0 (history counts)
    base = 2000 in 0..=16000 by 250;
    /// decrease of that threshold per ply of reduced depth (history counts)
    slope = 4250 in 500..=20000 by 250, neutral 5000;
}

crate::reason! {
    history: i32,
    least "least history": i32,
    reduced "reduced depth": Depth,
    "history {history} < {least} at reduced depth {}", plies(reduced)
}

/// Skips a quiet move that failed elsewhere.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate) -> Skip {
    if !p.on || !c.quiet || n.in_check || c.killer_or_counter {
        return Skip::No;
    }
    let reduced = c.reduced_depth(n);
    if reduced > Depth::plies(p.depth_max) {
        return Skip::No;
    }
    if c.history < threshold(p, reduced) { Skip::This } else { Skip::No }
}

/// The least history a move needs.
fn threshold(p: &Params, reduced: Depth) -> i32 {
    -p.base - p.slope * reduced.0 / Depth::ONE_PLY.0
}

/// The reason for a skip.
pub(crate) fn reason(p: &Params, n: &Node<'_>, c: &Candidate) -> Reason {
    let reduced = c.reduced_depth(n);
    Reason { history: c.history, least: threshold(p, reduced), reduced }
}
