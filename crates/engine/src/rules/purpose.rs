//! The purposes for which nodes are searched.

use super::Rule;

macro_rules! purposes {
    ($($name:ident $text:literal $question:literal $([$rule:ident $($same_position:ident)?])?,)*) => {
        /// Why a node is searched.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Purpose {
            $(#[doc = $question] $name,)*
        }

        impl Purpose {
            /// All purposes, in order.
            pub const ALL: &'static [Purpose] = &[$(Purpose::$name,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Purpose::$name => $text,)*
                }
            }

            /// The question that the search answers.
            pub const fn question(self) -> &'static str {
                match self {
                    $(Purpose::$name => $question,)*
                }
            }

            /// The rule that starts this search; `None` if it searches a move of the node.
            pub const fn rule(self) -> Option<Rule> {
                match self {
                    $($(Purpose::$name => Some(Rule::$rule),)?)*
                    _ => None,
                }
            }

            /// Returns true if the position of the node is searched again, without a move.
            pub const fn same_position(self) -> bool {
                match self {
                    $($($(Purpose::$name => stringify!($same_position).len() > 0,)?)?)*
                    _ => false,
                }
            }
        }
    };
}

// The name, the question (also its documentation), and for the search of a rule in brackets: the rule, and
// `same_position` if it searches the position of the node.
purposes! {
    First "first move" "the first move of its node, with the window of the node",
    NullWindow "null window" "is the move better than the best so far? (null window)",
    Reduced "reduced" "is the move better than the best so far? (null window, reduced depth)",
    ReSearchMiddle "re-search, deeper" "the reduced search beat alpha, so a re-search between reduced and full depth",
    ReSearchFull "re-search, full depth" "a search of less depth beat alpha, so a re-search at full depth",
    ReSearchOpen "re-search, open window" "the move is better than the best so far, so a re-search with an open window",
    Quiescence "quiescence" "only captures, checks and evasions are tried",
    NullMove "null move" "is passing good enough? (null move)" [NullMove],
    NullVerification "null move verification" "does the null move's cutoff hold without null moves?" [NullMove same_position],
    Razoring "razoring" "can captures lift a hopeless position? (razoring)" [Razoring same_position],
    ProbCutQuiet "probcut, captures" "does a capture exceed beta by a margin, in quiescence? (probcut)" [ProbCut],
    ProbCut "probcut" "does the capture exceed beta by the margin in a shallow search too? (probcut)" [ProbCut],
    MultiCut "multi-cut" "is it one of several moves that reach beta? (multi-cut)" [MultiCut],
    InternalIterativeDeepening "internal iterative deepening" "which move should come first? (internal iterative deepening)" [IterativeDeepening same_position],
    Exclusion "without the table move" "what is the position worth without its table move? (singular)" [Singular same_position],
}
