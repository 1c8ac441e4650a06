//! Capture extension.
//!
//! *Idea*: What changes the material must be followed to its end. Extending every capture was given up by those who tried it; a fraction
//! of a ply for captures that lose nothing is what is left of the idea.
//! *Risk*: Most captures are cheap to refute, and the tree grows with all of them.
//! *Reads*: position only.
//! *Papers*: `moreland-notes`.
//! *Measured*: ECM, 20 000 nodes, on: 542 solved (+49 -54 against 547 with it off), nodes to the solution x1.02 (0.96 ..
//! 1.08), -41.9 Elo (-85.1 .. +0.0) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};

/// The rule.
pub const RULE: RuleInfo =
    RuleInfo { name: "capture", about: "Capture extension.", family: Family::Extension, switches: &["capture.on"] };

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
