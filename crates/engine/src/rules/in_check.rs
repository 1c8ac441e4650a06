//! Check-evasion extension.
//!
//! *Idea*: The other form of the check extension: not the move that gives check costs less, but every answer to it. Where the check
//! itself was extended already, its answers need not be.
//! *Risk*: Long series of checks are followed to their end; the explosion limits end them. Both forms at once extend twice.
//! *Reads*: position, path (what the move before was extended by).
//! *Papers*: `moreland-notes`, `beal-smith1995`.
//! *Measured*: ECM, 20 000 nodes, on: 539 solved (+38 -46 against 547 with it off), nodes to the solution x1.03 (0.98 ..
//! 1.09), -20.9 Elo (-61.0 .. +18.7) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::Depth;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "in check",
    about: "Check-evasion extension.",
    family: Family::Extension,
    switches: &["in_check.on"],
};

crate::extension_params! {
    [cut_share all_share]
    /// make answers to a check cheaper
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// not after a move that was extended
    once = true, neutral true;
}

pub use super::reason::Plain as Why;
pub(crate) use super::reason::plain as why;

/// Taken off the cost of an answer to a check.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let applies = p.on && n.in_check && !(p.once && n.extended_by > Depth::ZERO);
    if applies { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}
