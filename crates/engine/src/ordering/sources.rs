//! The registry of the sources of move order: one entry each.
//!
//! A source is a file with a header, parameters, functions and tests, as a rule is, and an entry here. It changes in which order moves are
//! searched, and no value: with the textbook's search every order gives the same value. The one exception is de Man's oracle, which is there
//! to change the values of root moves.
//!
//! | list | file | what it is | when it speaks |
//! |---|---|---|---|
//! | `tables` | `history/NAME.rs` | a [`QuietTable`](crate::history::QuietTable) that learns; the weighted sum of all is a move's history, by which it is pruned and reduced as well | each quiet move |
//! | `bonuses` | `ordering/NAME.rs` | `bonus`: added for what is seen in the position or the path | each quiet move |
//! | `stages` | `ordering/NAME.rs` | parameters of the picker, of quiescence or of the root | where it is named |
//! | `learners` | `ordering/NAME.rs` | a [`Learner`](super::extras::Learner): remembers, and rates the moves of a node | a second pass over a node's moves |
//! | `extras` | `ordering/NAME.rs` | `rate`: rates the moves of a node by what it sees | a second pass over a node's moves |
//!
//! Learners and extras cost one branch for each list of moves while all of them are off.

/// All sources, handed to the macro that is named, behind the tokens given with it: [`Source`] is made of them here, the tables in
/// `history.rs`, weights in `ordering.rs`, the second pass in `extras.rs`, the parameters' groups in `params.rs`.
///
/// An entry is the source's name as a [`Source`] and as a type, if it has one, and its module. The rest is its [`SourceInfo`].
macro_rules! sources {
    ($make:ident $($before:tt)*) => {
        $make! {
            $($before)*
            tables {
                Butterfly butterfly;
                Continuation continuation;
                PawnHistory pawn_history;
            }
            bonuses {
                Killers killers;
                Countermove countermove;
                QuietChecks quiet_checks;
                LesserAttackers lesser_attackers;
            }
            stages {
                TableMove table_move;
                MvvLva mvv_lva;
                CaptureHistory capture_history;
                ExchangeOrder exchange_order;
                LosingCaptures losing_captures;
                QuiescenceOrder quiescence_order;
                RootOrder root_order;
                RootOracle root_oracle;
            }
            learners {
                MateKillers mate_killers;
                ClassicHistory classic_history;
                Occurrence occurrence;
                RelativeHistory relative_history;
                LowPlyHistory low_ply_history;
                LastBestReply last_best_reply;
                RefutationTable refutation_table;
                Chessmaps chessmaps;
                MoveMap move_map;
            }
            extras {
                LastMoved last_moved;
                ThreatMove threat_move;
                Guard guard;
                PieceSquare piece_square;
                NodeType node_type;
            }
        }
    };
}
pub(crate) use sources;

/// What is known of a source of move order; declared in its file as `SOURCE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceInfo {
    /// The name shown to people.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
}

macro_rules! registry {
    (
        tables { $($table:ident $table_module:ident;)* }
        $($list:ident { $($name:ident $module:ident;)* })*
    ) => {
        /// Everything that says which move comes first.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Source {
            $(#[doc = concat!("See [`history::", stringify!($table_module), "`](crate::history::", stringify!($table_module), ").")] $table,)*
            $($(#[doc = concat!("See [`", stringify!($module), "`](super::", stringify!($module), ").")] $name,)*)*
        }

        impl Source {
            /// All sources, in order.
            pub const ALL: &'static [Source] = &[$(Source::$table,)* $($(Source::$name,)*)*];

            /// The declaration in its file.
            pub const fn info(self) -> &'static SourceInfo {
                match self {
                    $(Source::$table => &crate::history::$table_module::SOURCE,)*
                    $($(Source::$name => &super::$module::SOURCE,)*)*
                }
            }

            /// The name of its file, which is that of its group of parameters.
            pub const fn module(self) -> &'static str {
                match self {
                    $(Source::$table => stringify!($table_module),)*
                    $($(Source::$name => stringify!($module),)*)*
                }
            }

            /// The parameter that switches it off.
            pub const fn switch(self) -> &'static str {
                match self {
                    $(Source::$table => concat!(stringify!($table_module), ".on"),)*
                    $($(Source::$name => concat!(stringify!($module), ".on"),)*)*
                }
            }
        }

        /// The sources' files and their text, for the documentation that is made from their headers.
        pub(crate) const FILES: &[(&str, &str, &str)] = &[
            $((
                stringify!($table_module),
                concat!("history/", stringify!($table_module), ".rs"),
                include_str!(concat!("../history/", stringify!($table_module), ".rs")),
            ),)*
            $($((
                stringify!($module),
                concat!("ordering/", stringify!($module), ".rs"),
                include_str!(concat!(stringify!($module), ".rs")),
            ),)*)*
        ];
    };
}

sources!(registry);

impl Source {
    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        self.info().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Kind, Parameters};
    use crate::rules::Rule;
    use std::collections::HashSet;

    #[test]
    fn every_source_has_a_switch_that_comes_first_in_its_group() {
        for source in Source::ALL {
            let (group, name) = (source.module(), source.name());
            let first = Parameters::specs().find(|entry| entry.group == group).expect(name);
            assert_eq!((first.name.as_str(), first.spec.kind), (source.switch(), Kind::Switch), "{source:?}");
        }
    }

    #[test]
    fn no_source_is_called_like_another_or_like_a_rule() {
        let rules = Rule::ALL.iter().map(|rule| rule.module());
        let modules: HashSet<&str> = Source::ALL.iter().map(|source| source.module()).chain(rules).collect();
        let names: HashSet<&str> = Source::ALL.iter().map(|source| source.name()).collect();
        assert_eq!((modules.len(), names.len()), (Source::ALL.len() + Rule::ALL.len(), Source::ALL.len()));
    }

    #[test]
    fn every_file_of_sources_is_in_the_registry() {
        const HELPERS: [&str; 5] = ["sources.rs", "extras.rs", "network.rs", "ranks.rs", "testing.rs"];
        for folder in ["history", "ordering"] {
            let path = format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(path).expect("the folder of the sources") {
                let name = file.expect("a file").file_name().into_string().expect("an ASCII name");
                let known = HELPERS.contains(&name.as_str())
                    || !name.ends_with(".rs")
                    || FILES.iter().any(|(_, path, _)| *path == format!("{folder}/{name}"));
                assert!(known, "{folder}/{name} has no entry in ordering/sources.rs");
            }
        }
    }
}
