//! The classical evaluation of a line: the chess terms of `eval`, with what they remember of positions and keep of the line.

use crate::eval::{self, EvalView, Params, PawnTable, Sums};
use crate::position::Position;
use crate::score::{MAX_PLY, Score};
use shakmaty::{Board, Color, Move};

/// The sum of chess terms in `eval`, with the states of its line.
pub(super) struct Classical {
    /// Caches of pawn structures and material.
    pawns: PawnTable,
    /// How much each group of terms counts.
    style: Params,
    /// The sums, one for each ply from the root on; never empty.
    line: Vec<Sums>,
}

impl Classical {
    pub(super) fn new(style: &Params) -> Classical {
        let mut line = Vec::with_capacity(MAX_PLY + 1);
        line.push(Sums::default());
        Classical { pawns: PawnTable::new(), style: *style, line }
    }

    /// Takes over this style: whether it is another one.
    pub(super) fn restyle(&mut self, style: &Params) -> bool {
        let changed = self.style != *style;
        self.style = *style;
        changed
    }

    pub(super) fn begin(&mut self, board: &Board) {
        self.line.clear();
        self.line.push(Sums::of(board));
    }

    #[inline(always)]
    pub(super) fn push(&mut self, turn: Color, mv: Move) {
        self.line.push(self.here().after(turn, mv));
    }

    #[inline(always)]
    pub(super) fn push_null(&mut self) {
        self.line.push(self.here());
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.line.pop();
    }

    /// The state at the end of the line.
    #[inline(always)]
    fn here(&self) -> Sums {
        self.line.last().copied().unwrap_or_default()
    }

    /// The value of the position that the line has come to.
    #[inline]
    pub(super) fn value(&mut self, position: &Position) -> Score {
        let sums = self.here();
        debug_assert_eq!(sums, Sums::of(position.board()), "the line has not come to {}", position.fen());
        eval::evaluate(&EvalView::of(position, sums, &self.style), &mut self.pawns)
    }

    /// Empties the caches.
    pub(super) fn clear(&mut self) {
        self.pawns = PawnTable::new();
    }
}
