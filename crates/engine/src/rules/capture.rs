//! Capture extension.

use super::{Family, Header, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "capture",
    about: "Capture extension.",
    family: Family::Extension,
    switches: &["capture.on"],
    header: Header {
        idea: "What changes the material must be followed to its end. Extending every capture was given up by those \
            who tried it; a fraction of a ply for captures that lose nothing is what is left of the idea.",
        risk: "Most captures are cheap to refute, and the tree grows with all of them.",
        reads: "position only.",
        papers: "`moreland-notes`.",
    },
};

crate::extension_params! {
    [cut_share all_share]
    /// make captures cheaper
    on = false;
    /// extension (quarter plies)
    quarters = 1 in 0..=4 by 1;
    /// only captures that lose nothing on their square
    safe = true, neutral true;
}

pub use super::reason::Plain as Why;
pub(crate) use super::reason::plain as why;

/// Taken off the cost of a capture.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    let applies = p.on && c.mv.is_capture() && (!p.safe || c.see_ge(n, Score::ZERO));
    if applies { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
