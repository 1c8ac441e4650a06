//! Mate-distance pruning.

use super::Description;
use super::search::{Search, Stopped};
use crate::node::Node;
use crate::score::Score;

pub(crate) const RULE: Description = Description {
    name: "mate distance",
    about: "Mate-distance pruning: nodes that cannot improve a known mate are ended.",
    idea: "A mate closer to the root cannot be improved at this ply. The window is limited to the mates that are \
        still possible; if it is empty, the node is cut.",
    risk: "none, it is sound.",
    reads: "window, ply.",
    papers: "`moreland-notes`.",
};

crate::params! {
    /// end nodes that cannot improve a mate already found
    on = true;
}

crate::reason! {
    alpha: Score,
    beta: Score,
    "no mate from here is shorter than the one already found"
}

/// Narrows the window to the mates that are still possible here.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || n.ply.is_root() {
        return Ok(None);
    }
    n.window.alpha = n.window.alpha.max(Score::mated_in(n.ply));
    n.window.beta = n.window.beta.min(Score::mate_in(n.ply.next()));
    let decided = n.window.alpha >= n.window.beta;
    if decided {
        s.report_reason(|| Reason { alpha: n.window.alpha, beta: n.window.beta });
    }
    Ok(decided.then_some(n.window.alpha))
}
