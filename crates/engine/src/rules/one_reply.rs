//! One-reply extension.
//!
//! *Idea*: A move that is the only legal one costs less: nothing has to be decided.
//! *Risk*: With a series of forced moves the search follows one line only. Unless `anywhere` is on, replies are counted only in check,
//! so that a series is one of checks, which end somewhere; beyond that the limits of `explosion` apply.
//! *Reads*: position, path (what the move before was extended by).
//! *Papers*: `moreland-notes`, `davidtabibi2010`.
//! *Measured*: ECM, 20 000 nodes, off: 522 solved (+20 -45 against 547 with it on), nodes to the solution x1.04 (1.00 ..
//! 1.09), +50.7 Elo (+12.4 .. +90.4) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::Depth;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "one reply",
    about: "One-reply extension.",
    family: Family::Extension,
    switches: &["one_reply.on"],
};

crate::extension_params! {
    [cut_share all_share]
    /// make the only legal move cheaper
    on = true;
    /// extension of the only legal reply to a check (quarter plies)
    quarters = 3 in 0..=4 by 1, neutral 2;
    /// extension of the better of only two replies to a check (quarter plies)
    two_quarters = 0 in 0..=4 by 1;
    /// count replies outside check too
    anywhere = false;
}

pub use super::reason::Plain as Why;
pub(crate) use super::reason::plain as why;

/// Taken off the cost of the only legal move.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    // Outside check not twice in a row. Where the move is singular too, the limits grant the larger of the two extensions alone.
    let chain = !n.in_check && n.extended_by > Depth::ZERO;
    let quarters = match n.replies {
        _ if !p.on || chain => return Depth::ZERO,
        Some(1) => p.quarters,
        Some(2) if c.number == 1 => p.two_quarters,
        _ => return Depth::ZERO,
    };
    -Depth::quarters(quarters)
}

/// Must the replies of this node be counted? In check they are few.
pub fn counts(p: &Params, n: &Node<'_>) -> bool {
    n.in_check || p.on && p.anywhere
}
