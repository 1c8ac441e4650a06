//! Stand pat: the side to move may decline all captures.

use super::Description;
use crate::score::Score;
use crate::words::score;

pub(crate) const RULE: Description = Description {
    name: "stand pat",
    about: "Stand pat: the side to move may decline captures in quiescence.",
    idea: "The side to move need not capture: unless in check, the static evaluation is a lower bound of the value \
        of quiescence, and the node ends if it reaches beta.",
    risk: "Zugzwang, and threats that the evaluation does not see.",
    reads: "window, static evaluation.",
    papers: "current practice.",
};

crate::reason! {
    evaluation: Score,
    beta: Score,
    "the evaluation {} >= beta {}", score(evaluation), score(beta)
}
