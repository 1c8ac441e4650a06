//! The registry of rules: one entry each.
//!
//! A rule is a file under `rules/` with its declaration, parameters, functions, reason and tests. It is called at one of five places, each
//! with one signature. [`Node`] and [`Candidate`] hold the facts that it reads:
//!
//! | place | function | answer |
//! |---|---|---|
//! | on entering a node | `extend(&Params, &Node)` | depth to add |
//! | before the moves | `cut(&mut impl Search, &Params, &mut Node)` | a score that ends the node, or nothing |
//! | at a move, before it is made | `skip(&Params, &Node, &Candidate)` | search it, skip it, skip all the rest |
//! | at a move, before it is searched | `cost(&Params, &Node, &Candidate)` | reductions add, extensions subtract |
//! | in quiescence | called from `search/quiescence.rs` | differs |
//!
//! `reason` takes the arguments of `extend`, `skip` or `cost` and returns the reason for their answer; a `cut` reports its own. A new rule
//! needs its file, its `mod` line and its entry below, and its call: in `search/node.rs`, or for a cost in `search/cost.rs`.

use crate::node::{Candidate, Node};
pub use crate::source::Description;
use crate::words::named;

pub mod attack_layer;
pub mod botvinnik_markoff;
pub mod capture;
pub mod check;
pub mod class;
pub mod classic_singular;
pub mod deep_search;
pub mod delta;
pub mod description;
pub mod draw;
pub mod endgame;
pub mod enhanced_transposition;
pub mod evasions;
pub mod explosion;
pub mod futility;
pub mod guard_pruning;
pub mod hindsight;
pub mod history_pruning;
pub mod horizon;
pub mod in_check;
pub mod iterative_deepening;
pub mod iterative_reduction;
pub mod late_move_pruning;
pub mod late_move_reduction;
pub mod leaf;
pub mod learned_cost;
pub mod mate_distance;
pub mod mate_threat;
pub mod multi_cut;
pub mod null_move;
pub mod one_reply;
pub mod passed_pawn;
pub mod pawn_ending;
pub mod probcut;
pub mod purpose;
pub mod pv;
pub mod razoring;
pub mod realization;
pub mod reason;
pub mod recapture;
pub mod reverse_futility;
pub(crate) mod search;
pub mod see_pruning;
pub mod sex;
pub mod singular;
pub mod stand_pat;
pub mod table;
pub mod threat;
pub mod upcoming_repetition;
pub mod worth;

/// All rules, passed to the named macro: it defines [`Rule`] here, and the parameters' groups in `params.rs`.
///
/// An entry holds the rule's name in [`Rule`], its module, and its [`Family`]. In brackets are `params` if it has parameters, of which
/// `on` switches it off, and a parameter of quiescence that switches it off. The rest is its [`Description`].
macro_rules! rules {
    ($make:ident) => {
        $make! {
            Draw draw Known [];
            UpcomingRepetition upcoming_repetition Known [params];
            Horizon horizon Limit [];
            Table table Known [params];
            EnhancedTransposition enhanced_transposition Known [params];
            MateDistance mate_distance Known [params];
            Tablebase endgame Known [];
            IterativeDeepening iterative_deepening Reduction [params];
            IterativeReduction iterative_reduction Reduction [params];
            Hindsight hindsight Reduction [params];
            ReverseFutility reverse_futility NodeCut [params];
            Razoring razoring NodeCut [params];
            NullMove null_move NodeCut [params];
            ProbCut probcut NodeCut [params];
            MultiCut multi_cut NodeCut [params];
            Futility futility MoveSkipped [params];
            LateMovePruning late_move_pruning MoveSkipped [params];
            HistoryPruning history_pruning MoveSkipped [params];
            GuardPruning guard_pruning MoveSkipped [params];
            SeePruning see_pruning MoveSkipped [params "quiescence.see"];
            LateMoveReduction late_move_reduction Reduction [params];
            LearnedCost learned_cost Reduction [params];
            Sex sex Reduction [params];
            AttackLayer attack_layer Limit [params];
            Realization realization Reduction [params];
            Singular singular Extension [params];
            ClassicSingular classic_singular Extension [params];
            Check check Extension [params];
            InCheck in_check Extension [params];
            OneReply one_reply Extension [params];
            Recapture recapture Extension [params];
            PassedPawn passed_pawn Extension [params];
            MateThreat mate_threat Extension [params];
            Capture capture Extension [params];
            PawnEnding pawn_ending Extension [params];
            Threat threat Extension [params];
            DeepSearch deep_search Extension [params];
            BotvinnikMarkoff botvinnik_markoff Extension [params];
            Pv pv Extension [params];
            Explosion explosion Limit [params "quiescence.narrow"];
            Delta delta MoveSkipped ["quiescence.delta"];
            StandPat stand_pat Quiescence [];
            Evasions evasions MoveSkipped ["quiescence.evasions_limited"];
            Leaf leaf Known [];
        }
    };
}
pub(crate) use rules;

/// The learned coefficients of rules, as the search reads them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coefficients {
    /// The weights of the learned cost (1/1024 bit).
    pub learned_cost: learned_cost::Features,
    /// Those of realization probability.
    pub realization: realization::Learned,
}

macro_rules! registry {
    (@switches $module:ident [params $($other:literal)?]) => { &[concat!(stringify!($module), ".on") $(, $other)?] };
    (@switches $module:ident [$($switch:literal)?]) => { &[$($switch)?] };
    ($($name:ident $module:ident $family:ident $switches:tt;)*) => {
        /// The selective rules, and the other reasons that the search gives for its decisions.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {
            $(#[doc = concat!("[`", stringify!($module), "`]")] $name,)*
        }

        impl Rule {
            /// All rules, in order.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The description in its file.
            pub const fn info(self) -> &'static Description {
                match self {
                    $(Rule::$name => &$module::RULE,)*
                }
            }

            /// The kind of rule.
            pub const fn family(self) -> Family {
                match self {
                    $(Rule::$name => Family::$family,)*
                }
            }

            /// The parameters that switch it off; empty for rules that cannot be switched off.
            pub const fn switches(self) -> &'static [&'static str] {
                match self {
                    $(Rule::$name => registry!(@switches $module $switches),)*
                }
            }

            /// The name of its module, file and group of parameters.
            pub const fn module(self) -> &'static str {
                match self {
                    $(Rule::$name => stringify!($module),)*
                }
            }

            /// The labels of the numbers that explain its decisions; empty if there are none.
            pub const fn numbers(self) -> &'static [&'static str] {
                match self {
                    $(Rule::$name => <$module::Reason as reason::RuleReason>::LABELS,)*
                }
            }

            /// The meanings of the terms of its sentences, by label, if its change of depth is a sum; else empty.
            pub fn terms(self) -> Vec<(&'static str, String)> {
                match self {
                    $(Rule::$name => <$module::Reason as reason::RuleReason>::terms(),)*
                }
            }

            /// The sentence for the numbers behind a decision; `None` if they are not of this rule, or if its name is enough.
            pub fn explain(self, numbers: &[i32]) -> Option<String> {
                match self {
                    $(Rule::$name => reason::sentence::<$module::Reason>(numbers),)*
                }
            }
        }
    };
}

rules!(registry);

impl Rule {
    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        self.info().name
    }
}

named! {
    /// Groups of similar rules.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Family {
        /// The value is known without a search.
        Known "known result",
        /// A node ends before its moves.
        NodeCut "node cut",
        /// A move is not searched.
        MoveSkipped "move skipped",
        /// A move or node gets less depth.
        Reduction "reduction",
        /// A move gets more depth.
        Extension "extension",
        /// The way quiescence ends.
        Quiescence "quiescence",
        /// A limit that keeps a search finite.
        Limit "limit",
    }
}

/// The decision of a rule about a move before it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// Search it.
    No,
    /// Skip it.
    This,
    /// Skip it and all quiet moves after it.
    Rest,
    /// Skip it and all quiet moves after it, but those that give check.
    RestButChecks,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Parameters;
    use std::collections::HashSet;

    #[test]
    fn every_switch_is_a_parameter() {
        for &rule in Rule::ALL {
            for name in rule.switches() {
                assert!(Parameters::find(name).is_ok(), "{}: {name}", rule.name());
            }
        }
    }

    #[test]
    fn every_rule_has_a_name_and_a_file_of_its_own() {
        let names: HashSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        let files: HashSet<&str> = Rule::ALL.iter().map(|rule| rule.module()).collect();
        assert_eq!((names.len(), files.len()), (Rule::ALL.len(), Rule::ALL.len()));
    }

    #[test]
    fn every_file_of_rules_is_in_the_registry() {
        const HELPERS: [&str; 6] = ["class", "description", "purpose", "reason", "search", "worth"];
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules");
        for file in std::fs::read_dir(folder).expect("the folder of the rules") {
            let name = file.expect("a file").file_name().into_string().expect("an ASCII name");
            let module = name.strip_suffix(".rs").unwrap_or(&name);
            let known = HELPERS.contains(&module) || Rule::ALL.iter().any(|rule| rule.module() == module);
            assert!(known, "{name} has no entry in rules.rs");
        }
    }
}
