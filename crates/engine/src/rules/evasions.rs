//! Enough evasions in quiescence.
//!
//! *Idea*: In check quiescence looks at evasions as well. Once a few were searched and one does not lose at once, quiet ones that are left
//! will hardly change whether the check was dangerous.
//! *Risk*: The only good evasion may come late in the order.
//! *Reads*: position, move order.
//! *Papers*: current practice.
//! *Measured*: ECM, 20 000 nodes, off: 527 solved (+28 -48 against 547 with it on), nodes to the solution x1.07 (1.03 ..
//! 1.11), -40.1 Elo (-82.9 .. +1.4) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use std::fmt;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "enough evasions",
    about: "Quiet evasions in quiescence, once enough were tried.",
    family: Family::MoveLeftOut,
    switches: &["quiescence.evasions_limited"],
};

crate::reason! {
    /// searched
    searched: i32,
    /// most
    most: i32,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} searched, {} allowed", self.searched, self.most)
    }
}
