//! The registry of rules: one line each.
//!
//! A rule speaks at one of four places: on entering a node (`extend`), before the moves (`cut`), at a move before it is made
//! (`skip`), or at a move before it is searched (`cost`). Adding one takes its file, a line here, a group in `params.rs` and a
//! call in `search/node.rs`.

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal,)*) => {
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
        }
    };
}

rules! {
    /// Repetition, fifty moves or insufficient material.
    Draw "draw",
    /// The line is as long as lines get.
    Horizon "horizon",
    /// A shorter mate is known.
    MateDistance "mate distance",
    /// The transposition table decides.
    Table "table",
    /// An endgame tablebase decides.
    Tablebase "tablebase",
    /// Depth corrected by hindsight.
    Hindsight "hindsight",
    /// Less depth without a table move.
    IterativeReduction "internal iterative reduction",
    /// A shallower search for a first move.
    IterativeDeepening "internal iterative deepening",
    /// Evaluation far above beta.
    ReverseFutility "reverse futility",
    /// Evaluation far below alpha.
    Razoring "razoring",
    /// Even passing is good enough.
    NullMove "null move",
    /// A capture is good enough in a shallow search.
    ProbCut "probcut",
    /// Several moves are good enough in a shallow search.
    MultiCut "multi-cut",
    /// One move stands out, or does not.
    Singular "singular",
    /// Too late in the order.
    LateMovePruning "late move pruning",
    /// Cannot reach alpha.
    Futility "futility",
    /// Never worked before.
    HistoryPruning "history pruning",
    /// Loses material on its square.
    SeePruning "see pruning",
    /// Gives check.
    Check "check",
    /// The only legal move.
    OneReply "one reply",
    /// Takes back.
    Recapture "recapture",
    /// A passed pawn nears promotion.
    PassedPawn "passed pawn",
    /// Passing would be mated.
    MateThreat "mate threat",
    /// Extensions have to end.
    Explosion "explosion limit",
    /// Late in the order.
    LateMoveReduction "late move reduction",
    /// Nothing to gain even with the captured piece.
    Delta "delta",
    /// The side to move may stop here.
    StandPat "stand pat",
    /// Enough evasions of a check were tried.
    Evasions "enough evasions",
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

pub mod header;

macro_rules! files {
    ($($name:ident)*) => {
        $(pub mod $name;)*

        /// The source of every rule, by the name of its file: documentation is made from their headers.
        const SOURCES: &[(&str, &str)] = &[$((stringify!($name), include_str!(concat!(stringify!($name), ".rs"))),)*];
    };
}

files! {
    check
    endgame
    explosion
    futility
    hindsight
    history_pruning
    iterative_deepening
    iterative_reduction
    late_move_pruning
    late_move_reduction
    mate_distance
    mate_threat
    multi_cut
    null_move
    one_reply
    passed_pawn
    probcut
    razoring
    recapture
    reverse_futility
    see_pruning
    singular
    table
}
