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
/// `history.rs`, weights and modules in `ordering.rs`, the second pass in `extras.rs`, the parameters' groups in `params.rs`.
///
/// An entry is what the source is, its name as a [`Source`] and as a type, if it has one, its file, and its name for people.
macro_rules! sources {
    ($make:ident $($before:tt)*) => {
        $make! {
            $($before)*
            tables {
                /// Butterfly history: how a quiet move fared anywhere.
                Butterfly butterfly "butterfly history";
                /// Continuation history: how a quiet move fared after earlier moves.
                Continuation continuation "continuation history";
                /// Pawn-structure history: how a quiet move fared where the pawns stood alike.
                PawnHistory pawn_history "pawn-structure history";
            }
            bonuses {
                /// Killers: what refuted a sister node.
                Killers killers "killers";
                /// Countermove: what refuted the same move elsewhere.
                Countermove countermove "countermove";
                /// Quiet checks that lose nothing.
                QuietChecks quiet_checks "quiet checks";
                /// Lesser attackers: pieces leave squares that something cheaper attacks.
                LesserAttackers lesser_attackers "lesser attackers";
            }
            stages {
                /// The table's move first.
                TableMove table_move "table move";
                /// Most valuable victim, least valuable attacker.
                MvvLva mvv_lva "MVV-LVA";
                /// Capture history: how captures fared.
                CaptureHistory capture_history "capture history";
                /// Exchange evaluation: captures that lose are told from those that win.
                ExchangeOrder exchange_order "exchange evaluation";
                /// Losing captures after the quiet moves.
                LosingCaptures losing_captures "losing captures";
                /// The order of moves in quiescence.
                QuiescenceOrder quiescence_order "quiescence order";
                /// The order of moves at the root.
                RootOrder root_order "root order";
                /// De Man's oracle: preferences of root moves by shifted windows.
                RootOracle root_oracle "root oracle";
            }
            learners {
                /// Mate killers: what mated at a sister node.
                MateKillers mate_killers "mate killers";
                /// Classic history, without gravity.
                ClassicHistory classic_history "classic history";
                /// The butterfly heuristic: how often a move occurs.
                Occurrence occurrence "occurrence";
                /// Relative history: the share of a move's searches that cut.
                RelativeHistory relative_history "relative history";
                /// History near the root.
                LowPlyHistory low_ply_history "low-ply history";
                /// Last best reply: what refuted this very move.
                LastBestReply last_best_reply "last best reply";
                /// Refutation table: the lines of the last iteration.
                RefutationTable refutation_table "refutation table";
                /// Chessmaps: a network that sees who controls the board.
                Chessmaps chessmaps "Chessmaps";
                /// Neural MoveMap: a network that sees the pieces.
                MoveMap move_map "Neural MoveMap";
            }
            extras {
                /// Take the piece that has just moved.
                LastMoved last_moved "last-moved piece";
                /// Meet the threat that refuted passing.
                ThreatMove threat_move "threat move";
                /// Guard heuristic: who controls the squares of a move.
                Guard guard "guard";
                /// Piece-square order: what a move's squares are worth.
                PieceSquare piece_square "piece-square order";
                /// Order by node type and depth.
                NodeType node_type "node type";
            }
        }
    };
}
pub(crate) use sources;

macro_rules! registry {
    (
        tables { $($(#[doc = $td:literal])+ $table:ident $table_module:ident $table_text:literal;)* }
        $($list:ident { $($(#[doc = $doc:literal])+ $name:ident $module:ident $text:literal;)* })*
    ) => {
        /// Everything that says which move comes first.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Source {
            $($(#[doc = $td])+ $table,)*
            $($($(#[doc = $doc])+ $name,)*)*
        }

        impl Source {
            /// All sources, in order.
            pub const ALL: &'static [Source] = &[$(Source::$table,)* $($(Source::$name,)*)*];

            /// The name shown to people.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Source::$table => $table_text,)*
                    $($(Source::$name => $text,)*)*
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
