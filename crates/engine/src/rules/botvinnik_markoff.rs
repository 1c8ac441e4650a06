//! Botvinnik-Markoff extension.
//!
//! *Idea*: If passing is refuted by the same move as two plies ago, the threat was there all the time and the moves between only put it
//! off: the node's moves cost less, so that the threat does not slip over the horizon.
//! *Risk*: Known only where the null move was tried at both nodes, and refuted by a move that the search remembers.
//! *Reads*: path (the threat two plies ago).
//! *Papers*: `romstad-notes`, `moreland-notes`.
//! *Measured*: ECM, 20 000 nodes, on: 544 solved (+1 -4 against 547 with it off), nodes to the solution x1.00 (0.99 ..
//! 1.01), -12.2 Elo (-24.2 .. -0.1) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Node};
use crate::score::Depth;
use shakmaty::Move;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "Botvinnik-Markoff",
    about: "Botvinnik-Markoff extension.",
    family: Family::Extension,
    switches: &["botvinnik_markoff.on"],
};

crate::extension_params! {
    [gated cut_share all_share]
    /// make moves cheaper where a threat persists
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// the same piece may be threatened by another move
    same_target = true, neutral true;
}

pub use super::reason::Plain as Why;
pub(crate) use super::reason::plain as why;

/// Taken off the cost of every move while a threat persists.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let persists = |(now, before): (Move, Move)| now == before || p.same_target && same_target(now, before);
    if p.on && n.threat.zip(n.threat_before).is_some_and(persists) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// Do both take the same piece where it stands?
fn same_target(now: Move, before: Move) -> bool {
    now.capture().is_some() && now.capture() == before.capture() && now.to() == before.to()
}
