//! Check extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};

pub(crate) const RULE: Description = Description {
    name: "check",
    about: "Check extension: moves that give check are searched deeper.",
    idea: "A check leaves few replies and can push a threat beyond the horizon, so less depth is deducted for a \
        checking move. The literature extends by three quarters of a ply. Checks that lose material by static exchange \
        evaluation get a share of the extension.",
    risk: "Long series of useless checks; `explosion` limits them.",
    reads: "position, depth.",
    papers: "`moreland-notes`, `davidtabibi2010`, `beal-smith1995`.",
};

crate::extension_params! {
    [cut_share(70) all_share]
    /// extend checks
    on = true;
    /// extension of a check (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// share of the extension for checks that lose material by static exchange (percent)
    losing_share = 0 in 0..=100 by 10;
    /// greatest depth at which checks are extended (plies)
    depth_max = 64 in 1..=64 by 1;
}

pub(crate) use super::reason::{Reason, plain as reason};

const PERCENT: i32 = 100;

/// Deducted from the cost of a move that gives check.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    if !p.on || !c.gives_check || n.plies() > p.depth_max {
        return Depth::ZERO;
    }
    let full = Depth::quarters(p.quarters);
    if c.see_ge(n, Score::ZERO) { -full } else { -(full * p.losing_share / PERCENT) }
}
