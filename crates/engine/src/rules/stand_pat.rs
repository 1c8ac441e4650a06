//! Stand pat: the side to move may stop capturing.
//!
//! *Idea*: Nobody is forced to capture: unless in check, the evaluation is a lower bound of what quiescence finds, and where it reaches
//! beta the node is done.
//! *Risk*: Zugzwang, and threats that the evaluation does not see.
//! *Reads*: window, static evaluation.
//! *Papers*: current practice.
//! *Measured*: no choice, and never off: without it quiescence would be a search of forced captures.

use super::{Family, RuleInfo};
use crate::score::Score;
use crate::words::score;
use std::fmt;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "stand pat",
    about: "The side to move may stop in quiescence.",
    family: Family::Quiescence,
    switches: &[],
};

crate::reason! {
    /// evaluation
    evaluation: Score,
    /// beta
    beta: Score,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} >= beta {}", score(self.evaluation), score(self.beta))
    }
}
