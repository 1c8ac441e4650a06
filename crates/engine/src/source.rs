//! The list of the sources of move order: one entry each.
//!
//! A source is a file with a header, parameters, functions and tests, like a rule, and an entry here. It changes the
//! order in which moves are searched, but no value: a search without selective rules gives the same value with every
//! order. The exception is de Man's oracle, which changes the values of root moves on purpose.
//!
//! | list | file | what it is | when it is used |
//! |---|---|---|---|
//! | `tables` | `history/NAME.rs` | a [`QuietTable`](crate::history::QuietTable) that learns; the weighted sum of all is a move's history, by which it is pruned and reduced as well | each quiet move |
//! | `bonuses` | `ordering/NAME.rs` | `bonus`: added for what is seen in the position or the path | each quiet move |
//! | `stages` | `ordering/NAME.rs` | parameters of the picker, of quiescence or of the root | where it is named |
//! | `learners` | `ordering/NAME.rs` | a [`Learner`](crate::ordering::extras::Learner): learns, and rates the moves of a node | a second pass over a node's moves |
//! | `extras` | `ordering/NAME.rs` | `rate`: rates the moves of a node by what it sees | a second pass over a node's moves |
//!
//! Learners and extras cost one branch for each list of moves while all of them are off.

/// The description of a source of move order or of a rule; declared in its file as `SOURCE` or `RULE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Description {
    /// The name shown to people.
    pub name: &'static str,
    /// A description, in a sentence.
    pub about: &'static str,
    /// The idea, in a few sentences.
    pub idea: &'static str,
    /// When the rule is wrong, and its cost.
    pub risk: &'static str,
    /// The facts that it depends on.
    pub reads: &'static str,
    /// Keys of `docs/papers.md`.
    pub papers: &'static str,
}

/// Passes all sources to the named macro, after the tokens given with it. `ordering/sources.rs` makes [`OrderingSource`] of them,
/// `history.rs` the tables, `ordering.rs` the weights, `extras.rs` the second pass, and `params.rs` the groups of parameters.
///
/// An entry is the source's name as an [`OrderingSource`] and as a type, if it has one, and its module. The rest is its [`Description`].
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
            }
            extras {
                MoveMap move_map;
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

/// Declares the parameters of a source as they are in force: while it is switched off, those that are named have the given values.
macro_rules! in_force {
    ($($field:ident: $off:expr),*) => {
        impl Params {
            /// The parameters as the picker reads them.
            pub fn in_force(self) -> Params {
                if self.on { self } else { Params { $($field: $off,)* ..self } }
            }
        }
    };
}
pub(crate) use in_force;
