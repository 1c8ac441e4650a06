//! Stand pat: the side to move may stop capturing.

use super::{Family, RuleInfo};
use crate::score::Score;
use crate::words::score;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "stand pat",
    about: "Stand pat: the side to move may decline captures in quiescence.",
    family: Family::Quiescence,
    switches: &[],
    idea: "Nobody is forced to capture: unless in check, the evaluation is a lower bound of what quiescence finds, \
        and where it reaches beta the node is done.",
    risk: "Zugzwang, and threats that the evaluation does not see.",
    reads: "window, static evaluation.",
    papers: "current practice.",
};

crate::reason! {
    evaluation: Score,
    beta: Score,
    "{} >= beta {}", score(evaluation), score(beta)
}
