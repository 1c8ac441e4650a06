//! One ply for every move; late moves are first searched less deep.

use super::BaseCost;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::{Coefficients, Rule, late_move_reduction};
use crate::score::Depth;

/// The rule that reports the reductions.
pub(super) const RULE: Rule = Rule::LateMoveReduction;

/// The cost of a move before extensions.
#[inline(always)]
pub(super) fn base_cost(p: &Parameters, _: &Coefficients, n: &Node<'_>, c: &Candidate) -> BaseCost {
    BaseCost { base: Depth::ONE_PLY, reduction: late_move_reduction::cost(&p.late_move_reduction, n, c) }
}

/// The reason for a reduction.
pub(super) fn reason(p: &Parameters, _: &Coefficients, n: &Node<'_>, c: &Candidate) -> late_move_reduction::Reason {
    late_move_reduction::reason(&p.late_move_reduction, n, c)
}
