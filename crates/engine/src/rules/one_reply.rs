//! One-reply extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::Depth;

pub(crate) const RULE: Description = Description {
    name: "one reply",
    about: "One-reply extension: the only legal move is searched deeper.",
    idea: "The only legal move costs less: no alternatives are searched.",
    risk: "With a series of forced moves the search follows one line only. Unless `anywhere` is on, only \
        replies to checks are counted, so that the series ends with the checks. With `anywhere`, the only move outside check is \
        not extended directly after an extended move. The limits of `explosion` apply as well.",
    reads: "position, path (extension of the move before).",
    papers: "`moreland-notes`, `davidtabibi2010`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend the only legal move
    on = true;
    /// extension of the only legal move (quarter plies)
    quarters = 3 in 0..=4 by 1, neutral 2;
    /// extension of the first move if there are only two legal ones (quarter plies)
    two_quarters = 0 in 0..=4 by 1;
    /// also if not in check
    anywhere = false;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of the only legal move.
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

/// Returns true if the replies of this node are counted. In check there are few.
pub fn counts(p: &Params, n: &Node<'_>) -> bool {
    n.in_check || p.on && p.anywhere
}
