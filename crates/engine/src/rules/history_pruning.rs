//! History pruning.
//!
//! *Idea*: Near the leaves a quiet move that has failed nearly everywhere else is left out.
//! *Risk*: Stale history; the tables forget by gravity.
//! *Reads*: history tables.
//! *Papers*: `letouzey2005`, current practice.
//! *Measured*: ECM, 20 000 nodes, off: 489 solved (+23 -27 against 493 with it on), nodes to the solution x1.02 (0.99 .. 1.05);
//! default profile, 2026-11-21, bench 3983230, `docs/results/rules.md`.

use super::Skip;
use crate::score::Depth;
use crate::node::{Candidate, Node};
use crate::search::observer::Numbers;

crate::params! {
    /// leave out quiet moves with a bad history
    on = true;
    /// greatest depth after reduction (plies)
    depth_max = 4 in 1..=10 by 1;
    /// history below which a move is left out at depth 0 (counts below zero)
    base = 2000 in 0..=16000 by 250;
    /// history below which a move is left out, per ply (counts below zero)
    slope = 5000 in 500..=20000 by 250;
}

/// What the numbers behind a verdict are called.
pub const NUMBERS: &[&str] = &["history", "least history", "reduced depth"];

/// Leaves out a quiet move that failed elsewhere.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate, reduced: Depth) -> Skip {
    if !p.on || !c.quiet || n.in_check || c.refuter || reduced > Depth::plies(p.depth_max) {
        return Skip::No;
    }
    if c.history < threshold(p, reduced) { Skip::This } else { Skip::No }
}

/// The least history a move needs.
pub fn threshold(p: &Params, reduced: Depth) -> i32 {
    -p.base - p.slope * reduced.0 / Depth::ONE_PLY.0
}

/// The numbers behind a skip.
pub(crate) fn why(p: &Params, c: &Candidate, reduced: Depth) -> Numbers {
    Numbers::from([c.history, threshold(p, reduced), reduced.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deeper_search_forgives_more() {
        let p = Params::DEFAULT;
        assert!(threshold(&p, Depth::plies(3)) < threshold(&p, Depth::plies(1)));
        assert_eq!(threshold(&p, Depth::ZERO), -p.base);
    }
}
