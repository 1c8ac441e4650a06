//! Principal-variation extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::Depth;

pub(crate) const RULE: Description = Description {
    name: "principal variation",
    about: "Principal-variation extension: moves on the principal variation are searched deeper.",
    idea: "Less depth is deducted for moves on the principal variation. There are three forms. The first extends \
        every move of an expected PV node. The second extends every fourth (`run`) consecutive table move on the \
        variation (Rebel). The third extends the table moves after the best root move while that takes most of the \
        nodes (Levy 2003).",
    risk: "The best line so far is searched deeper than its alternatives, so that its refutation is found late.",
    reads: "expected node type, path (consecutive table moves), share of the nodes of the best root move.",
    papers: "`schroder-rebel`, `levy2003`.",
};

crate::extension_params! {
    []
    /// extend moves on the principal variation
    on = false;
    /// extension of every move there (quarter plies)
    quarters = 0 in 0..=4 by 1;
    /// length of a series of consecutive table moves of which the last is extended (moves)
    run = 4 in 2..=12 by 1;
    /// extension of that last move (quarter plies)
    run_quarters = 4 in 0..=4 by 1;
    /// share of all nodes that the best root move must have taken for `stable_quarters` (percent)
    stable_share = 80 in 50..=100 by 2;
    /// extension of the table moves that follow such a root move (quarter plies)
    stable_quarters = 2 in 0..=4 by 1;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of a move on the principal variation.
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
