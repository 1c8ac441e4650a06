//! Late-move pruning by count.

use super::{Description, Skip};
use crate::node::{Candidate, Node};
use crate::score::Depth;
use crate::words::plies;

pub(crate) const RULE: Description = Description {
    name: "late move pruning",
    about: "Late-move pruning: late quiet moves near the leaves are skipped.",
    idea: "Near the leaves, if many quiet moves have failed low, the remaining ones probably fail low as well.",
    risk: "Depends on the move order; harmful if that is poor.",
    reads: "move order, whether the evaluation improves.",
    papers: "current practice.",
};

crate::params! {
    /// skip quiet moves late in the order
    on = true;
    /// greatest depth (plies)
    depth_max = 10 in 1..=20 by 1, neutral 8;
    /// quiet moves allowed at any depth (1/16 moves)
    base = 76 in 0..=320 by 4, neutral 48;
    /// quiet moves allowed per ply of depth squared (1/16 moves)
    slope = 48 in 0..=64 by 1, neutral 16;
    /// share allowed when the evaluation does not improve (percent)
    worsening = 85 in 10..=100 by 5, neutral 50;
    /// exempt moves that give check
    exempt_checks = true;
}

crate::reason! {
    before "quiet moves before": i32,
    limit: i32,
    depth: Depth,
    improving: bool,
    "{before} quiet moves before it >= {limit} allowed at depth {}, the evaluation {}",
    plies(depth), if improving { "improves" } else { "does not improve" }
}

/// Skips all quiet moves once enough have been tried.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate) -> Skip {
    let applies = p.on && !n.in_check && n.plies() <= p.depth_max && c.quiet;
    if !applies || c.quiets_before < limit(p, n.depth, n.improving) || (p.exempt_checks && c.gives_check) {
        Skip::No
    } else if p.exempt_checks {
        Skip::RestButChecks
    } else {
        Skip::Rest
    }
}

/// How many quiet moves are tried.
fn limit(p: &Params, depth: Depth, improving: bool) -> i32 {
    const UNIT: i64 = 16;
    const PERCENT: i64 = 100;
    let (depth, ply) = (i64::from(depth.0), i64::from(Depth::ONE_PLY.0));
    let count = i64::from(p.base) + i64::from(p.slope) * depth * depth / (ply * ply);
    let share = if improving { PERCENT } else { i64::from(p.worsening) };
    (count * share / (PERCENT * UNIT)) as i32
}

/// The reason for a skip.
pub(crate) fn reason(p: &Params, n: &Node<'_>, c: &Candidate) -> Reason {
    let limit = limit(p, n.depth, n.improving);
    Reason { before: c.quiets_before, limit, depth: n.depth, improving: n.improving }
}
