//! One-reply extension.
//!
//! *Idea*: A move that is the only legal one costs less: nothing has to be decided.
//! *Risk*: With a series of forced moves the search follows one line only. Replies are counted only in check, so that a series is one of
//! checks, which end somewhere; beyond that the limits of `explosion` apply.
//! *Reads*: position only.
//! *Papers*: `moreland-notes`, `davidtabibi2010`.
//! *Measured*: ECM, 20 000 nodes, off: 491 solved (+45 -47 against 493 with it on), nodes to the solution x1.02 (0.97 .. 1.08);
//! default profile, 2026-11-21, bench 3983230, `docs/results/rules.md`.

use crate::score::Depth;
use crate::node::{Candidate, Node};

crate::params! {
    /// make the only legal move cheaper
    on = true;
    /// extension of the only legal reply to a check (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// extension of the better of only two replies to a check (quarter plies)
    two_quarters = 0 in 0..=4 by 1;
}

pub(crate) use super::reason::plain as why;
pub use super::reason::Plain as Why;

/// Taken off the cost of the only legal move. Legal moves are counted only in check, where they are few.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    match n.replies {
        Some(1) if p.on => -Depth::quarters(p.quarters),
        Some(2) if p.on && c.number == 1 => -Depth::quarters(p.two_quarters),
        _ => Depth::ZERO,
    }
}
