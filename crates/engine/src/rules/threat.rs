//! Threat extension.
//!
//! *Idea*: If passing would cost much, the opponent threatens something: the moves of the node cost less, so that there is time to see
//! whether the threat can be met. The mate threat is its extreme; Deep Thought used null moves that fail low in this way.
//! *Risk*: In sharp positions almost everything is a threat. Known only where the null move was tried.
//! *Reads*: static evaluation, window (through the null move's), expected node type.
//! *Papers*: `anantharaman1988`, `donninger1993`.
//! *Measured*: ECM, 20 000 nodes, on: 547 solved (+32 -32 against 547 with it off), nodes to the solution x1.00 (0.97 ..
//! 1.02), -26.1 Elo (-64.8 .. +12.0) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::{Family, RuleInfo};
use crate::node::{Candidate, Kind, Node};
use crate::score::{Depth, Score};
use crate::words::score;
use std::fmt;

/// The rule.
pub const RULE: RuleInfo =
    RuleInfo { name: "threat", about: "Threat extension.", family: Family::Extension, switches: &["threat.on"] };

crate::extension_params! {
    [gated cut_share]
    /// make moves cheaper where passing would cost much
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// what passing must cost at least (pawns/100)
    margin = 200 in 50..=600 by 10;
}

crate::reason! {
    /// evaluation
    evaluation: Score,
    /// value of passing
    passing: Score,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the evaluation is {}, passing is worth {}", score(self.evaluation), score(self.passing))
    }
}

/// Taken off the cost of every move of a threatened node.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    let threatened = |passing: Score| n.kind != Kind::All && passing <= n.static_eval - Score(p.margin);
    if p.on && n.null_score.is_some_and(threatened) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// The reason.
pub(crate) fn why(_: &Params, n: &Node<'_>, _: &Candidate) -> Why {
    Why { evaluation: n.static_eval, passing: n.null_score.unwrap_or_default() }
}
