//! Which static evaluation a searcher uses: the classical terms now, a network once there is one.

use crate::eval::{self, Breakdown, PawnTable, View};
use crate::position::Position;
use crate::score::Score;

/// The static evaluation of one search thread, with its caches.
pub enum Evaluator {
    /// The sum of chess terms in `eval`.
    Classical(PawnTable),
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::Classical(PawnTable::new())
    }
}

impl Evaluator {
    /// The value for the side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        eval::fade(self.raw(position), position.halfmoves())
    }

    /// The value before the 50-move counter fades it: what may be stored under the position's key.
    #[inline]
    pub fn raw(&mut self, position: &Position) -> Score {
        match self {
            Evaluator::Classical(pawns) => eval::evaluate(&view(position), pawns),
        }
    }

    /// Empties the caches.
    pub fn clear(&mut self) {
        match self {
            Evaluator::Classical(pawns) => *pawns = PawnTable::new(),
        }
    }
}

/// What the evaluation reads of a position.
fn view(position: &Position) -> View<'_> {
    View {
        board: position.board(),
        turn: position.turn(),
        psq: position.psq(),
        phase: position.phase(),
        counts: position.counts(),
        pawn_key: position.pawn_key(),
        halfmoves: position.halfmoves(),
        castles: position.castling_rights(),
    }
}

/// Every term of the evaluation of a position.
pub fn breakdown(position: &Position) -> Breakdown {
    eval::breakdown(&view(position))
}
