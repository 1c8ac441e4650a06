//! The numbers behind a verdict: made by the rule that spoke, and only when somebody watches.
//!
//! A rule lists what its numbers are called in the constant `NUMBERS` of its file and hands them over in that order with
//! `Searcher::because`, right before its verdict is told. Scores are in pawns/100, depths in 1/1024 ply.

use crate::rules::{
    Rule, explosion, futility, hindsight, history_pruning, iterative_reduction, late_move_pruning, late_move_reduction,
    mate_distance, multi_cut, null_move, probcut, razoring, reverse_futility, see_pruning, singular, table,
};
use crate::search::quiescence;
use arrayvec::ArrayVec;

/// As many numbers as any rule gives.
pub const NUMBERS_MAX: usize = 14;

/// Numbers in the order of [`Rule::numbers`].
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Numbers(ArrayVec<i32, NUMBERS_MAX>);

impl Numbers {
    /// One number more; beyond [`NUMBERS_MAX`] it is dropped.
    #[inline]
    pub fn push(&mut self, number: i32) {
        let _ = self.0.try_push(number);
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[i32] {
        &self.0
    }
}

impl<const N: usize> From<[i32; N]> for Numbers {
    fn from(numbers: [i32; N]) -> Numbers {
        const { assert!(N <= NUMBERS_MAX) }
        Numbers(numbers.into_iter().collect())
    }
}

impl Rule {
    /// What the numbers behind this rule's verdicts are called; none if it gives none.
    pub const fn numbers(self) -> &'static [&'static str] {
        match self {
            Rule::MateDistance => mate_distance::NUMBERS,
            Rule::Table => table::NUMBERS,
            Rule::Hindsight => hindsight::NUMBERS,
            Rule::IterativeReduction => iterative_reduction::NUMBERS,
            Rule::ReverseFutility => reverse_futility::NUMBERS,
            Rule::Razoring => razoring::NUMBERS,
            Rule::NullMove => null_move::NUMBERS,
            Rule::ProbCut => probcut::NUMBERS,
            Rule::MultiCut => multi_cut::NUMBERS,
            Rule::Singular => singular::NUMBERS,
            Rule::LateMovePruning => late_move_pruning::NUMBERS,
            Rule::Futility => futility::NUMBERS,
            Rule::HistoryPruning => history_pruning::NUMBERS,
            Rule::SeePruning => see_pruning::NUMBERS,
            Rule::Explosion => explosion::NUMBERS,
            Rule::LateMoveReduction => late_move_reduction::NUMBERS,
            Rule::Delta => quiescence::DELTA_NUMBERS,
            Rule::StandPat => quiescence::STAND_PAT_NUMBERS,
            Rule::Evasions => quiescence::EVASION_NUMBERS,
            Rule::Draw
            | Rule::Horizon
            | Rule::Tablebase
            | Rule::IterativeDeepening
            | Rule::Check
            | Rule::OneReply
            | Rule::Recapture
            | Rule::PassedPawn
            | Rule::MateThreat => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_have_short_names_of_their_own() {
        for &rule in Rule::ALL {
            let names = rule.numbers();
            let different: HashSet<&str> = names.iter().copied().collect();
            assert_eq!(different.len(), names.len(), "{}", rule.name());
            assert!(names.len() <= NUMBERS_MAX && names.iter().all(|name| !name.is_empty()), "{}", rule.name());
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let mut numbers = Numbers::from([1; NUMBERS_MAX]);
        numbers.push(2);
        assert_eq!(numbers.as_slice(), [1; NUMBERS_MAX]);
    }
}
