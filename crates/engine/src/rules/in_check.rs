//! Check-evasion extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::Depth;

pub(crate) const RULE: Description = Description {
    name: "in check",
    about: "Check-evasion extension: replies to a check are searched deeper.",
    idea: "An alternative to the check extension: every evasion costs less, instead of the checking move. \
        Evasions of a check that was already extended can be excluded.",
    risk: "Long series of checks; the explosion limits bound them. If `check` is on and `once` is off, a check is \
        extended twice.",
    reads: "position, path (extension of the move before).",
    papers: "`moreland-notes`, `beal-smith1995`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend answers to a check
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// not if the checking move was extended
    once = true, neutral true;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of an answer to a check.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let applies = p.on && n.in_check && !(p.once && n.extended_by > Depth::ZERO);
    if applies { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
