//! Which static evaluation a searcher uses: the classical terms now, a network once there is one.

use crate::eval::{self, Breakdown, Params, PawnTable, View};
use crate::position::Position;
use crate::score::Score;

/// The static evaluation of one search thread, with its caches.
pub enum Evaluator {
    /// The sum of chess terms in `eval`.
    Classical {
        /// What is remembered of pawns and material.
        pawns: PawnTable,
        /// How much each group of terms counts.
        style: Params,
    },
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new(&Params::DEFAULT)
    }
}

impl Evaluator {
    /// The classical evaluation in this style.
    pub fn new(style: &Params) -> Evaluator {
        Evaluator::Classical { pawns: PawnTable::new(), style: *style }
    }

    /// Changes the style.
    pub fn set_style(&mut self, new: &Params) {
        match self {
            Evaluator::Classical { style, .. } => *style = *new,
        }
    }

    /// The value for the side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        eval::fade(self.raw(position), position.halfmoves())
    }

    /// The value before the 50-move counter fades it: what may be stored under the position's key.
    #[inline]
    pub fn raw(&mut self, position: &Position) -> Score {
        match self {
            Evaluator::Classical { pawns, style } => eval::evaluate(&view(position, style), pawns),
        }
    }

    /// Empties the caches.
    pub fn clear(&mut self) {
        match self {
            Evaluator::Classical { pawns, .. } => *pawns = PawnTable::new(),
        }
    }
}

/// What the evaluation reads of a position.
fn view<'a>(position: &'a Position, style: &'a Params) -> View<'a> {
    View {
        board: position.board(),
        turn: position.turn(),
        psq: position.psq(),
        phase: position.phase(),
        pawn_key: position.pawn_key(),
        halfmoves: position.halfmoves(),
        castles: position.castling_rights(),
        style,
    }
}

/// Every term of the evaluation of a position, in the usual style.
pub fn breakdown(position: &Position) -> Breakdown {
    breakdown_in(position, &Params::DEFAULT)
}

/// Every term of the evaluation of a position in this style.
pub fn breakdown_in(position: &Position, style: &Params) -> Breakdown {
    eval::breakdown(&view(position, style))
}
