//! Guard pruning.

use super::{Description, Skip};
use crate::node::{Candidate, Node};
use crate::ordering::guard;
use shakmaty::Role;

pub(crate) const RULE: Description = Description {
    name: "guard pruning",
    about: "Guard pruning: quiet moves to squares that are not guarded are skipped.",
    idea: "Near the leaves a quiet move to a square that is not guarded, in the sense of the guard heuristic, is \
        skipped: the piece would be lost.",
    risk: "Sacrifices; the strengths of attackers are added, no exchange is played out. Moves that give \
        check are exempt.",
    reads: "position.",
    papers: "`ke-parng1993`.",
};

crate::params! {
    /// skip quiet moves to squares that are not guarded
    on = false;
    /// greatest depth (plies)
    depth_max = 2 in 1..=8 by 1;
    /// allowed deficit of guard (strength; a pawn has 9, a king 1)
    margin = 0 in 0..=20 by 1;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Skips a quiet move that puts a piece where the enemy is stronger.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate) -> Skip {
    let applies = p.on && c.quiet && !n.in_check && !c.gives_check && n.plies() <= p.depth_max;
    let piece = !c.mv.is_castle() && c.mv.role() != Role::King;
    let loose = |from| !guard::is_safe(p.margin, n.position.board(), n.position.turn(), c.mv.to(), from);
    if applies && piece && c.mv.from().is_some_and(loose) { Skip::This } else { Skip::No }
}
