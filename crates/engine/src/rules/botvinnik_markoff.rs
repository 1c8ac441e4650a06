//! Botvinnik-Markoff extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::Depth;
use shakmaty::Move;

pub(crate) const RULE: Description = Description {
    name: "Botvinnik-Markoff",
    about: "Botvinnik-Markoff extension: nodes where a threat persists are searched deeper.",
    idea: "If the null move is refuted by the same move as two plies ago, the threat persists and the moves between \
        only delayed it. The node's moves then cost less, so that the threat is not pushed beyond the horizon.",
    risk: "Detected only if the null move was tried at both nodes and its refutation is stored.",
    reads: "path (the threat two plies ago).",
    papers: "`romstad-notes`, `moreland-notes`.",
};

crate::extension_params! {
    [gated cut_share all_share]
    /// extend moves at nodes where a threat persists
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// also if another move threatens the same piece
    same_target = true, neutral true;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of every move while a threat persists.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let persists = |(now, before): (Move, Move)| now == before || p.same_target && same_target(now, before);
    if p.on && n.threat.zip(n.threat_before).is_some_and(persists) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// Returns true if both capture the same piece on the same square.
fn same_target(now: Move, before: Move) -> bool {
    now.capture().is_some() && now.capture() == before.capture() && now.to() == before.to()
}
