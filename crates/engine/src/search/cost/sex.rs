//! Search by interestingness: the first search at the cost of the move's kind, a repeated one at that of a ply.

use super::BaseCost;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::{Coefficients, Rule, sex};
use crate::score::Depth;

/// The rule that reports the costs.
pub(super) const RULE: Rule = Rule::Sex;

/// The cost of a move before extensions.
#[inline(always)]
pub(super) fn base_cost(p: &Parameters, _: &Coefficients, n: &Node<'_>, c: &Candidate) -> BaseCost {
    let first = sex::decrement(&p.sex, n, c).depth();
    let base = first.min(sex::repeated(&p.sex));
    BaseCost { base, reduction: (first - base).max(Depth::ZERO) }
}

/// The reason for a cost.
pub(super) fn reason(p: &Parameters, _: &Coefficients, n: &Node<'_>, c: &Candidate) -> sex::Reason {
    sex::decrement(&p.sex, n, c).reason()
}
