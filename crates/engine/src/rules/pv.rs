//! Principal-variation extension.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::Depth;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "principal variation",
    about: "Principal-variation extension.",
    family: Family::Extension,
    switches: &["pv.on"],
    idea: "The line both sides are expected to play deserves more depth than the rest. Three forms: every move at \
        such a node costs a little less; each so many moves that the table knew and the line followed, one costs \
        much less (Rebel); and while most nodes went into the best move at the root, the line from the table that \
        follows it costs less (Levy 2003).",
    risk: "The line that looks best now gets deeper than its rivals and is refuted late.",
    reads: "expected node type, path (moves of the table in a row), effort at the root.",
    papers: "`schroder-rebel`, `levy2003`.",
};

crate::extension_params! {
    []
    /// make moves on the principal variation cheaper
    on = false;
    /// extension of every move there (quarter plies)
    quarters = 0 in 0..=4 by 1;
    /// moves of the table in a row after which one is extended (moves)
    run = 4 in 2..=12 by 1;
    /// extension of that one (quarter plies)
    run_quarters = 4 in 0..=4 by 1;
    /// share of the nodes that the best move of the root must have taken (percent)
    stable_share = 80 in 50..=100 by 2;
    /// extension of the table's line after it then (quarter plies)
    stable_quarters = 2 in 0..=4 by 1;
}

pub use super::reason::Plain as Reason;
pub(crate) use super::reason::plain as reason;

/// Taken off the cost of a move on the principal variation.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    if !p.on || !n.is_pv() {
        return Depth::ZERO;
    }
    let mut quarters = p.quarters;
    if c.from_table {
        let run = n.table_run + 1;
        if run % p.run == 0 {
            quarters += p.run_quarters;
        }
        if run > i32::from(n.ply.0) && n.root_share >= p.stable_share {
            quarters += p.stable_quarters;
        }
    }
    -Depth::quarters(quarters)
}
