//! By the chance to be played: the first search at the cost of its bits, a repeated one at that of a ply.

use super::BaseCost;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::{Coefficients, Rule, realization};
use crate::score::Depth;

/// The rule that reports the costs.
pub(super) const RULE: Rule = Rule::Realization;

/// The cost of a move before extensions.
#[inline(always)]
pub(super) fn base_cost(p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> BaseCost {
    let first = realization::decrement(&p.realization, &learned.realization, &p.sex, n, c).cost;
    let base = first.min(realization::repeated(&p.realization));
    BaseCost { base, reduction: (first - base).max(Depth::ZERO) }
}

/// The reason for a cost.
pub(super) fn reason(p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> realization::Reason {
    realization::decrement(&p.realization, &learned.realization, &p.sex, n, c).reason()
}
