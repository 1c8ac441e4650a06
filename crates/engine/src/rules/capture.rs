//! Capture extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};

pub(crate) const RULE: Description = Description {
    name: "capture",
    about: "Capture extension: captures that lose nothing are searched deeper.",
    idea: "Changes of material should be resolved. Full extensions of all captures were tried and \
        abandoned; this rule extends captures that lose nothing by a fraction of a ply.",
    risk: "Most captures are easy to refute, and the tree grows with each of them.",
    reads: "position.",
    papers: "`moreland-notes`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend captures
    on = false;
    /// extension (quarter plies)
    quarters = 1 in 0..=4 by 1;
    /// only captures that do not lose material by static exchange
    safe = true, neutral true;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of a capture.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    let applies = p.on && c.mv.is_capture() && (!p.safe || c.see_ge(n, Score::ZERO));
    if applies { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
