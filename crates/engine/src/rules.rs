//! The registry of rules: one entry each.
//!
//! A rule is a file under `rules/` with its header, parameters, functions, reason and tests. It speaks at one of five places, each
//! with one signature; what it reads is in [`Node`] and [`Candidate`]:
//!
//! | place | function | answer |
//! |---|---|---|
//! | on entering a node | `extend(&Params, &Node)` | depth to add |
//! | before the moves | `cut(&mut Searcher, &mut Node)` | a score that ends the node, or nothing |
//! | at a move, before it is made | `skip(&Params, &Node, &Candidate)` | keep it, leave it out, leave all the rest out |
//! | at a move, before it is searched | `cost(&Params, &Node, &Candidate)` | reductions add, extensions subtract |
//! | in quiescence | called from `search/quiescence.rs` | differs |
//!
//! Beside `extend`, `skip` and `cost` stands `why`, which takes the same and gives the reason for the answer; a `cut` tells its
//! own. Adding a rule takes its file, its entry below, and its call: in `search/node.rs`, or for a cost in `search/price.rs`.

use crate::node::{Candidate, Node};

/// All rules, handed to the macro that is named: [`Rule`] is made of them here, the parameters' groups in `params.rs`.
///
/// An entry is what the rule is, its name as a [`Rule`], its file, its name for people, its family, and the switches that turn it
/// off: `on` is that of its own parameters; a rule without it has none of its own.
macro_rules! rules {
    ($make:ident) => {
        $make! {
            /// Draws by repetition, by fifty moves or for want of material.
            Draw draw "draw" Known [];
            /// A move that repeats a position.
            UpcomingRepetition upcoming_repetition "upcoming repetition" Known [on];
            /// The longest line there is.
            Horizon horizon "horizon" Limit [];
            /// Transposition table use.
            Table table "table" Known [on];
            /// Enhanced transposition cutoff.
            EnhancedTransposition enhanced_transposition "enhanced transposition" Known [on];
            /// Mate-distance pruning.
            MateDistance mate_distance "mate distance" Known [on];
            /// Endgame tablebases.
            Tablebase endgame "tablebase" Known [];
            /// Internal iterative deepening.
            IterativeDeepening iterative_deepening "internal iterative deepening" Reduction [on];
            /// Internal iterative reduction.
            IterativeReduction iterative_reduction "internal iterative reduction" Reduction [on];
            /// Hindsight: correct the depth by what the previous move's reduction overlooked.
            Hindsight hindsight "hindsight" Reduction [on];
            /// Reverse futility (static null move).
            ReverseFutility reverse_futility "reverse futility" NodeCut [on];
            /// Razoring.
            Razoring razoring "razoring" NodeCut [on];
            /// Null-move pruning.
            NullMove null_move "null move" NodeCut [on];
            /// ProbCut.
            ProbCut probcut "probcut" NodeCut [on];
            /// Multi-cut.
            MultiCut multi_cut "multi-cut" NodeCut [on];
            /// Futility pruning of moves.
            Futility futility "futility" MoveLeftOut [on];
            /// Late-move pruning by count.
            LateMovePruning late_move_pruning "late move pruning" MoveLeftOut [on];
            /// History pruning.
            HistoryPruning history_pruning "history pruning" MoveLeftOut [on];
            /// Pruning of quiet moves to squares that are not guarded.
            GuardPruning guard_pruning "guard pruning" MoveLeftOut [on];
            /// Pruning by static exchange evaluation.
            SeePruning see_pruning "see pruning" MoveLeftOut [on quiescence.see];
            /// Late-move reductions.
            LateMoveReduction late_move_reduction "late move reduction" Reduction [on];
            /// Learned cost: reductions by the chance that a late move matters.
            LearnedCost learned_cost "learned cost" Reduction [on];
            /// Search by interestingness.
            Sex sex "interestingness" Reduction [on];
            /// Attack layer.
            AttackLayer attack_layer "attack layer" Limit [on];
            /// Realization probability.
            Realization realization "realization probability" Reduction [on];
            /// Singular extension.
            Singular singular "singular" Extension [on];
            /// Singular extension in its first form.
            ClassicSingular classic_singular "classical singular" Extension [on];
            /// Check extension.
            Check check "check" Extension [on];
            /// Check-evasion extension.
            InCheck in_check "in check" Extension [on];
            /// One-reply extension.
            OneReply one_reply "one reply" Extension [on];
            /// Recapture extension.
            Recapture recapture "recapture" Extension [on];
            /// Passed-pawn extension.
            PassedPawn passed_pawn "passed pawn" Extension [on];
            /// Mate-threat extension.
            MateThreat mate_threat "mate threat" Extension [on];
            /// Capture extension.
            Capture capture "capture" Extension [on];
            /// Pawn-ending extension.
            PawnEnding pawn_ending "pawn ending" Extension [on];
            /// Threat extension.
            Threat threat "threat" Extension [on];
            /// Deep-search extension.
            DeepSearch deep_search "deep search" Extension [on];
            /// Botvinnik-Markoff extension.
            BotvinnikMarkoff botvinnik_markoff "Botvinnik-Markoff" Extension [on];
            /// Principal-variation extension.
            Pv pv "principal variation" Extension [on];
            /// Limits against search explosion.
            Explosion explosion "explosion limit" Limit [on quiescence.narrow];
            /// Captures in quiescence that cannot lift the evaluation to alpha.
            Delta delta "delta" MoveLeftOut [quiescence.delta];
            /// The side to move may stop in quiescence.
            StandPat stand_pat "stand pat" Quiescence [];
            /// Quiet evasions in quiescence, once enough were tried.
            Evasions evasions "enough evasions" MoveLeftOut [quiescence.evasions_limited];
            /// Ends of lines in model trees.
            Leaf leaf "model leaf" Known [];
        }
    };
}
pub(crate) use rules;

macro_rules! registry {
    ($($(#[doc = $doc:literal])+ $name:ident $module:ident $text:literal $family:ident [$($switch:tt)*];)*) => {
        $(pub mod $module;)*

        /// Every reason the search can give for what it did.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// All rules, in order.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The name shown to people.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$name => $text,)*
                }
            }

            /// The name of its file.
            pub const fn module(self) -> &'static str {
                match self {
                    $(Rule::$name => stringify!($module),)*
                }
            }

            /// What kind of rule it is.
            pub const fn family(self) -> Family {
                match self {
                    $(Rule::$name => Family::$family,)*
                }
            }

            /// The parameters that switch it off; none for what is not a choice.
            pub const fn switches(self) -> &'static [&'static str] {
                match self {
                    $(Rule::$name => switches!($module [$($switch)*]),)*
                }
            }

            /// What the numbers behind its verdicts are called; none if it gives none.
            pub const fn numbers(self) -> &'static [&'static str] {
                match self {
                    $(Rule::$name => <$module::Why as reason::Reason>::LABELS,)*
                }
            }

            /// What the numbers behind a verdict say; `None` if they are no numbers of this rule or its name says it all.
            pub fn explain(self, numbers: &[i32]) -> Option<String> {
                match self {
                    $(Rule::$name => reason::sentence::<$module::Why>(numbers),)*
                }
            }
        }

        /// The source of every rule, by the name of its file: documentation is made from their headers.
        const SOURCES: &[(&str, &str)] =
            &[$((stringify!($module), include_str!(concat!("rules/", stringify!($module), ".rs"))),)*];
    };
}

macro_rules! switches {
    ($module:ident [on $($group:ident . $switch:ident)*]) => {
        &[concat!(stringify!($module), ".on"), $(concat!(stringify!($group), ".", stringify!($switch)),)*]
    };
    ($module:ident [$($group:ident . $switch:ident)*]) => {
        &[$(concat!(stringify!($group), ".", stringify!($switch)),)*]
    };
}

pub mod class;
pub mod header;
pub mod reason;

rules!(registry);

macro_rules! families {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal,)*) => {
        /// Rules that do alike.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Family {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Family {
            /// What they are called, in order.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];
        }
    };
}

families! {
    /// The value is known without a search.
    Known "known result",
    /// A node ends before its moves.
    NodeCut "node cut",
    /// A move is not searched.
    MoveLeftOut "move left out",
    /// A move or node gets less depth.
    Reduction "reduction",
    /// A move gets more depth.
    Extension "extension",
    /// The way quiescence ends.
    Quiescence "quiescence",
    /// What keeps a search finite.
    Limit "limit",
}

/// What a rule says of a move before it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// Search it.
    No,
    /// Leave it out.
    This,
    /// Leave it and all quiet moves after it out.
    Rest,
    /// Leave it and all quiet moves after it out, but those that give check.
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
        const HELPERS: [&str; 3] = ["class", "header", "reason"];
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules");
        for file in std::fs::read_dir(folder).expect("the folder of the rules") {
            let name = file.expect("a file").file_name().into_string().expect("an ASCII name");
            let module = name.strip_suffix(".rs").unwrap_or(&name);
            let known = HELPERS.contains(&module) || Rule::ALL.iter().any(|rule| rule.module() == module);
            assert!(known, "{name} has no entry in rules.rs");
        }
    }
}
