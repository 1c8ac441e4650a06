//! Delta pruning in quiescence.

use super::Description;
use crate::score::Score;
use crate::words::{pawns, score};

pub(crate) const RULE: Description = Description {
    name: "delta",
    about: "Delta pruning: captures in quiescence that cannot raise the evaluation to alpha are skipped.",
    idea: "A capture that gives no check rarely gains more than the captured piece and a positional margin. If \
        even this gain does not lift the evaluation to alpha, the capture is skipped.",
    risk: "Captures that open an attack, and late endings, in which material has other values.",
    reads: "window, static evaluation.",
    papers: "current practice.",
};

crate::reason! {
    evaluation: Score,
    captured: Score,
    margin: Score,
    alpha: Score,
    "{} + {} captured + {} margin = {} <= alpha {}",
    score(evaluation), pawns(captured), pawns(margin), score(evaluation + captured + margin), score(alpha)
}

impl Reason {
    /// The highest value that the capture can lead to.
    #[inline(always)]
    pub fn upper_bound(&self) -> Score {
        self.evaluation + self.captured + self.margin
    }
}
