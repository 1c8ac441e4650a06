//! One ply for every move; late ones are first searched less deep by the chance that they matter.

use super::BaseCost;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::{Coefficients, Rule, learned_cost};
use crate::score::Depth;

/// The rule that reports the reductions.
pub(super) const RULE: Rule = Rule::LearnedCost;

/// The cost of a move before extensions.
#[inline]
pub(super) fn base_cost(p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> BaseCost {
    BaseCost { base: Depth::ONE_PLY, reduction: learned_cost::cost(&p.learned_cost, &learned.learned_cost, n, c) }
}

/// The reason for a reduction.
pub(super) fn reason(p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> learned_cost::Reason {
    learned_cost::reason(&p.learned_cost, &learned.learned_cost, n, c)
}
