//! The reason for a rule's decision: typed numbers, named in the rule's file, and the sentence they form.
//!
//! A rule declares its numbers with [`reason!`](crate::reason!) and implements `Display` for the sentence; both are next to its
//! parameters. The search reports a reason right before the decision, and only to an observer. A trace stores it as a list of plain
//! [`Numbers`].

use super::{Candidate, Node};
use crate::score::{Bound, Depth, Score};
use arrayvec::ArrayVec;
use std::fmt;

/// As many numbers as any rule gives.
pub const NUMBERS_MAX: usize = 20;

/// The numbers of a reason in the order of [`Rule::numbers`](super::Rule::numbers): scores in pawns/100, depths in 1/1024 ply, switches as 1 or 0.
pub type Numbers = ArrayVec<i32, NUMBERS_MAX>;

/// The numbers that a rule computed before it acted. `Display` is the sentence; it is empty if the rule's name is enough.
pub trait RuleReason: Sized + fmt::Display {
    /// The labels of the numbers, in order.
    const LABELS: &'static [&'static str];

    /// The numbers, in the order of the labels.
    fn numbers(&self) -> Numbers;

    /// The reason that has these numbers; `None` if they are not of this kind.
    fn read(numbers: &[i32]) -> Option<Self>;

    /// The meanings of the terms of the sentence, by label, if the amount is a sum of terms.
    fn terms() -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// A quantity that a reason gives as a whole number: the type is its unit.
pub trait Unit: Copy {
    /// As a number.
    fn number(self) -> i32;
    /// From its number.
    fn of(number: i32) -> Self;
}

macro_rules! units {
    ($($type:ty: $value:ident => $number:expr, $of:expr;)*) => {
        $(impl Unit for $type {
            #[inline]
            fn number(self) -> i32 {
                let $value = self;
                $number
            }

            #[inline]
            fn of($value: i32) -> $type {
                $of
            }
        })*
    };
}

units! {
    i32: x => x, x;
    bool: x => i32::from(x), x > 0;
    Score: x => x.0, Score(x);
    Depth: x => x.0, Depth(x);
    Bound: x => i32::from(x.is_lower()) - i32::from(x.is_upper()), bound_of(x);
}

/// -1 for upper, 0 for exact, 1 for lower.
fn bound_of(number: i32) -> Bound {
    match number.signum() {
        -1 => Bound::Upper,
        0 => Bound::Exact,
        _ => Bound::Lower,
    }
}

/// Declares the reason of a rule, the struct `Reason`: `field: Type,` for each number, or `field "label": Type,` if its label is not the
/// name of the field. The type is the unit: `Score`, `Depth`, `Bound`, `bool`, or `i32` for counts. A format string with its arguments at
/// the end is the sentence; without one the file has an `impl Display for Reason`. `@terms NAME` at the beginning names the function behind
/// [`RuleReason::terms`].
#[macro_export]
macro_rules! reason {
    (@label $field:ident) => { stringify!($field) };
    (@label $field:ident $label:literal) => { $label };
    ($($field:ident $($label:literal)?: $type:ty,)* $sentence:literal $(, $argument:expr)* $(,)?) => {
        $crate::reason! { $($field $($label)?: $type,)* }

        impl std::fmt::Display for Reason {
            #[allow(unused_variables, reason = "some numbers are not part of the sentence")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let Reason { $($field,)* } = *self;
                write!(f, $sentence $(, $argument)*)
            }
        }
    };
    (@terms $terms:ident $($fields:tt)*) => { $crate::reason! { @declare [$terms] $($fields)* } };
    ($($field:ident $($label:literal)?: $type:ty,)*) => {
        $crate::reason! { @declare [] $($field $($label)?: $type,)* }
    };
    (@declare [$($terms:ident)?] $($field:ident $($label:literal)?: $type:ty,)*) => {
        /// The numbers that a decision of the rule depends on.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Reason {
            $(#[doc = $crate::reason!(@label $field $($label)?)] pub $field: $type,)*
        }

        impl $crate::rules::reason::RuleReason for Reason {
            const LABELS: &'static [&'static str] = &[$($crate::reason!(@label $field $($label)?),)*];

            fn numbers(&self) -> $crate::rules::reason::Numbers {
                $crate::rules::reason::Numbers::from_iter([$($crate::rules::reason::Unit::number(self.$field),)*])
            }

            fn read(numbers: &[i32]) -> Option<Reason> {
                let &[$($field,)*] = numbers else { return None };
                Some(Reason { $($field: $crate::rules::reason::Unit::of($field),)* })
            }

            $(fn terms() -> Vec<(&'static str, String)> {
                $terms()
            })?
        }
    };
}

// The reason of a rule whose name is enough.
crate::reason! { "" }

/// The `reason` of a rule that changes costs and whose name is enough.
pub(crate) fn plain<P>(_: &P, _: &Node<'_>, _: &Candidate) -> Reason {
    Reason {}
}

/// The sentence of a reason of type `R` given as numbers; `None` if they are not of this kind, or nothing is to be said.
pub(super) fn sentence<R: RuleReason>(numbers: &[i32]) -> Option<String> {
    let text = R::read(numbers)?.to_string();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
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
    fn every_rule_with_numbers_has_words() {
        for &rule in Rule::ALL {
            let labels = rule.numbers();
            let words = rule.explain(&vec![1; labels.len()]);
            assert!(words.is_some() || labels.is_empty(), "{}", rule.name());
            assert_eq!(rule.explain(&vec![1; labels.len() + 1]), None, "{}: numbers of something else", rule.name());
        }
    }

    #[test]
    fn units_are_read_back() {
        fn same<U: Unit + PartialEq>(unit: U) -> bool {
            U::of(unit.number()) == unit
        }
        assert!([Bound::Upper, Bound::Exact, Bound::Lower].into_iter().all(same));
        assert!([true, false].into_iter().all(same) && same(Score(-31_990)) && same(Depth(-512)) && same(7));
    }

    #[test]
    fn rules_explain_themselves() {
        for (rule, numbers, expected) in SENTENCES {
            assert_eq!(rule.explain(numbers).as_deref().unwrap_or_default(), *expected, "{}", rule.name());
        }
    }

    /// Numbers of a rule and what they say.
    const SENTENCES: &[(Rule, &[i32], &str)] = &[
        (Rule::Draw, &[], "repetition, fifty moves or insufficient material"),
        (Rule::Leaf, &[0, -338], "the line ends here, worth -3.38 to the side to move"),
        (Rule::Leaf, &[1, 50], "the tree has no null moves: worth +0.50 by the static score before the null move"),
        (Rule::MateDistance, &[31_990, 31_990], "no mate from here is shorter than the one already found"),
        (
            Rule::Table,
            &[34, 1, 5376, 6144, 768, 11, 12],
            "at least +0.34 >= beta +0.12, from depth 5.25 >= 6 - 0.75 slack",
        ),
        (Rule::Table, &[9, -1, 6144, 6144, 0, 11, 12], "at most +0.09 <= alpha +0.11, from depth 6 >= 6"),
        (
            Rule::EnhancedTransposition,
            &[50, 40, 8192, 7168],
            "a move leads to a position with the table score +0.50 >= beta +0.40, from depth 8 >= 7",
        ),
        (Rule::Hindsight, &[3072, -20, 160], "the previous move was reduced by 3, and the side to move gained -0.20"),
        (Rule::IterativeReduction, &[6144, 4096], "no table move at depth 6"),
        (
            Rule::ReverseFutility,
            &[312, 78, 3072, 0, 0, 0, 234, 51, 0],
            "+3.12 - 2.34 = +0.78 >= beta +0.51 (3 plies x 0.78)",
        ),
        (
            Rule::ReverseFutility,
            &[300, 80, 2560, 70, 12, 0, 142, 51, 24],
            "+3.00 - 1.42 = +1.58 >= beta +0.51 (2.5 plies x 0.80 - 0.70 improving + 0.12 uncertain: evaluation corrected by 0.24)",
        ),
        (
            Rule::ReverseFutility,
            &[312, 78, 3072, 0, 0, -20, 214, 51, 0],
            "+3.12 - 2.14 = +0.98 >= beta +0.51 (3 plies x 0.78 - 0.20 history of the move before)",
        ),
        (Rule::UpcomingRepetition, &[-30, -12], "a move repeats a position: at least a draw, which is >= beta -0.12"),
        (Rule::Razoring, &[-300, 220, 10, -280], "-3.00 + 2.20 = -0.80 <= alpha +0.10, and captures reach only -2.80"),
        (Rule::NullMove, &[90, 4352, 87, 51, 0], "a null move scores +0.87 >= beta +0.51, at a depth reduced by 4.25"),
        (
            Rule::NullMove,
            &[90, 4352, 87, 51, 1],
            "a null move scores +0.87 >= beta +0.51, at a depth reduced by 4.25, verified without null moves",
        ),
        (
            Rule::ProbCut,
            &[51, 190, 4096, 260, 0],
            "a capture scores +2.60 >= beta +0.51 + 1.90, at a depth reduced by 4",
        ),
        (
            Rule::ProbCut,
            &[51, 400, 4096, 470, 1],
            "the table score is +4.70 >= beta +0.51 + 4.00, at a depth reduced by 4",
        ),
        (Rule::MultiCut, &[3, 5, 2048, 51], "3 of 5 moves reach beta +0.51, at a depth reduced by 2"),
        (Rule::Singular, &[40, 20, 60, 51], "even without the table move +0.60 >= beta +0.51"),
        (Rule::Futility, &[20, 150, 0, 7330, 320, 1], "+0.20 + 1.50 = +1.70 <= alpha +3.20 (threshold at depth 1)"),
        (
            Rule::Futility,
            &[20, 190, 1024, 256, 320, 0],
            "+0.20 + 1.90 = +2.10 <= alpha +3.20 (reduced depth 1, history 256)",
        ),
        (
            Rule::LateMovePruning,
            &[9, 8, 3072, 0],
            "9 quiet moves before it >= 8 allowed at depth 3, the evaluation does not improve",
        ),
        (Rule::HistoryPruning, &[-9000, -7000, 1024], "history -9000 < -7000 at reduced depth 1"),
        (Rule::SeePruning, &[90], "it loses more than 0.90 by static exchange"),
        (Rule::SeePruning, &[0], "it loses material by static exchange"),
        (Rule::SeePruning, &[-50], "it gains less than 0.50 by static exchange"),
        (Rule::Explosion, &[1536, 1024], "extension of 1.5 requested, 1 granted"),
        (Rule::Explosion, &[0, 0, 4, 4, 1], "4 captures tried, 4 allowed at this ply of quiescence"),
        (Rule::Explosion, &[0, 0, 7, 6, 0], "7 plies of quiescence, only recaptures from ply 6 on"),
        (
            Rule::LateMoveReduction,
            &[1946, 0, 0, 1280, 0, 0, 0, 0, -1024, 0, 0, 0, 256, 0, 0, 0, 0, 0, 2048, 24],
            "base -1.9, cut node -1.25, killer or countermove +1, history -0.25, limited from -2.4 to -2",
        ),
        (
            Rule::LateMoveReduction,
            &[1946, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -102, 0, 0, 0, 0, 0, 0, 1844, 20],
            "base -1.9, uncertain +0.1 (evaluation corrected by 0.20)",
        ),
        (Rule::AttackLayer, &[90, 60, 0], "the evaluation +0.90 >= beta +0.60, and standing pat is allowed"),
        (Rule::AttackLayer, &[90, 60, 1280], "only forcing moves are searched, and this one costs 1.25"),
        (Rule::ClassicSingular, &[80, 60], "it scores +0.80, and every other move more than 0.60 less"),
        (Rule::Threat, &[130, -240], "the evaluation is +1.30, a null move scores -2.40"),
        (
            Rule::DeepSearch,
            &[130, -340, 10, 11],
            "the evaluation +1.30 >= beta +0.11, but a null move scores -3.40 only, alpha is +0.10",
        ),
        (Rule::Delta, &[20, 100, 180, 320], "+0.20 + 1.00 captured + 1.80 margin = +3.00 <= alpha +3.20"),
        (Rule::StandPat, &[78, 51], "the evaluation +0.78 >= beta +0.51"),
        (Rule::Evasions, &[3, 3], "3 evasions searched before it, 3 allowed"),
        (
            Rule::LearnedCost,
            &[5120, 1536, 1024],
            "it matters with probability 3.1 %: 5 bits, reduced by 1, limited from 1.5",
        ),
        (Rule::LearnedCost, &[1024, 512, 512], "it matters with probability 50.0 %: 1 bits, reduced by 0.5"),
        (Rule::Check, &[], ""),
        (Rule::Futility, &[1, 2], ""),
    ];
}
