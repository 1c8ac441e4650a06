//! The sources of the order of quiet moves: one entry each.
//!
//! A source is a file and an entry here, which declares its weights; they are parameters of the group `ordering`.
//!
//! - **Tables** are learnt: files under `history/` with a type that is a [`QuietTable`](crate::history::QuietTable). Their weighted
//!   sum is a move's history, by which it is pruned and reduced as well.
//! - **Bonuses** are seen in the position or the path: files under `ordering/` with a function `bonus`. They order, and no more.

/// All sources, handed to the macro that is named: the tables are made in `history.rs`, weights and bonuses in `ordering.rs`.
macro_rules! sources {
    ($make:ident) => {
        $make! {
            tables {
                butterfly Butterfly {
                    /// weight of the butterfly history (1/64)
                    butterfly = 128 in 0..=512 by 8;
                }
                continuation Continuation {
                    /// weight of the continuation history one ply back (1/64)
                    continuation_1 = 128 in 0..=512 by 8;
                    /// weight of the continuation history two plies back (1/64)
                    continuation_2 = 64 in 0..=512 by 8;
                    /// weight of the continuation history four plies back (1/64)
                    continuation_4 = 32 in 0..=512 by 8;
                }
                pawn PawnStructure {
                    /// weight of the pawn-structure history (1/64)
                    pawn = 64 in 0..=512 by 8;
                }
            }
            bonuses {
                refuters {
                    /// bonus of the latest killer (history counts)
                    killer_1 = 32000 in 0..=99999 by 1000;
                    /// bonus of the killer before (history counts)
                    killer_2 = 24000 in 0..=99999 by 1000;
                    /// bonus of the countermove (history counts)
                    counter = 16000 in 0..=99999 by 1000;
                }
                checks {
                    /// bonus of a quiet check that loses nothing on its square (history counts)
                    check = 8000 in 0..=99999 by 1000;
                }
            }
        }
    };
}
pub(crate) use sources;
