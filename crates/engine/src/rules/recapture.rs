//! Recapture extension.
//!
//! *Idea*: Taking back on the square of the last capture is forced more often than not; classical engines give it half a ply.
//! *Risk*: Exchanges that lead nowhere; only if the exchange does not lose and, if wanted, only on the principal variation.
//! *Reads*: position, path (the last capture).
//! *Papers*: `moreland-notes`, `davidtabibi2010`.
//! *Measured*: ECM, 20 000 nodes, on: 491 solved (+67 -69 against 493 with it off), nodes to the solution x1.01 (0.94 .. 1.08);
//! default profile, 2026-11-21, bench 3983230, `docs/results/rules.md`.

use crate::score::{Depth, Score};
use crate::node::{Candidate, Node};

crate::params! {
    /// make recaptures cheaper
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// only on the principal variation
    pv_only = true;
}

pub(crate) use super::reason::plain as why;
pub use super::reason::Plain as Why;

/// Taken off the cost of a capture on the square of the last capture.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    let applies = p.on && c.mv.is_capture() && n.captured_on == Some(c.mv.to()) && (n.is_pv() || !p.pv_only);
    if applies && c.see_ge(n, Score::ZERO) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
