//! Mate-threat extension.
//!
//! *Idea*: If passing is answered by mate, the side to move is under a threat it must parry: its moves cost less.
//! *Risk*: Mutual mate threats explode; the limits of `explosion` apply. Known only where the null move was tried.
//! *Reads*: window (through the null move's).
//! *Papers*: `donninger1993`, `moreland-notes`, `davidtabibi2010`.
//! *Measured*: ECM, 20 000 nodes, off: 492 solved (+13 -14 against 493 with it on), nodes to the solution x1.01 (1.00 .. 1.03);
//! default profile, 2026-11-21, bench 3983230, `docs/results/rules.md`.

use crate::score::Depth;
use crate::node::{Candidate, Node};

crate::params! {
    /// make moves cheaper when passing would be mated
    on = true;
    /// extension (quarter plies)
    quarters = 1 in 0..=4 by 1;
}

pub(crate) use super::reason::plain as why;
pub use super::reason::Plain as Why;

/// Taken off the cost of every move of a threatened node.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    if p.on && n.mate_threat { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
