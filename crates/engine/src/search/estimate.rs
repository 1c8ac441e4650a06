//! What a position is worth before it is searched: the static evaluation, corrected, or what the table knows better.

use super::Searcher;
use super::observer::Observer;
use crate::position::Position;
use crate::score::{Ply, Score, Window};
use crate::table::Entry;

/// The values of a position that is not searched yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// The evaluation, as it is stored.
    pub raw: Score,
    /// What was learned about it elsewhere in the search.
    pub correction: Score,
    /// The evaluation, faded by the 50-move counter and corrected.
    pub corrected: Score,
    /// The same, or the value of the table where that says more.
    pub best: Score,
}

impl<O: Observer> Searcher<O> {
    /// Estimates the position at the end of the line, in which nobody is in check.
    #[inline(always)]
    pub(crate) fn estimate(&mut self, position: &Position, entry: Option<Entry>, ply: Ply) -> Estimate {
        let raw = entry.and_then(|e| e.eval).unwrap_or_else(|| self.raw(position));
        let correction = self.corrections.correction(&self.params().correction, position, &self.trail(ply));
        let corrected = (self.faded(raw, position) + correction).as_eval();
        let says_more = |e: &Entry| {
            self.params().table.on && !e.score.is_decisive() && e.bound.decides(e.score, Window::above(corrected))
        };
        let best = entry.filter(says_more).map_or(corrected, |e| e.score);
        Estimate { raw, correction, corrected, best }
    }

    /// At the longest line there is: the evaluation, or a draw where it means nothing.
    pub(crate) fn static_or_draw(&mut self, position: &Position) -> Score {
        if position.in_check() {
            return Score::DRAW;
        }
        let raw = self.raw(position);
        self.faded(raw, position)
    }
}
