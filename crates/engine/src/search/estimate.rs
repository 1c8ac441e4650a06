//! The value of a position before it is searched: the corrected static evaluation, or a better value from the table.

use super::Searcher;
use super::watch::Mode;
use crate::eval::{self, is_known_win};
use crate::position::Position;
use crate::score::{Ply, Score, Window};
use crate::table::Entry;

/// Returns true if the evaluation is the result of a known ending: searches neither correct it nor derive corrections from it.
#[inline(always)]
pub(crate) fn is_known(position: &Position, raw: Score) -> bool {
    is_known_win(raw) || eval::known(position.board(), position.turn()).is_some()
}

/// The values of a position that is not searched yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// The evaluation, as it is stored.
    pub raw: Score,
    /// The correction from other searches of similar positions.
    pub correction: Score,
    /// The evaluation, damped by the 50-move counter and corrected.
    pub corrected: Score,
    /// The same, or the value of the table if that is more accurate.
    pub best: Score,
}

impl<M: Mode> Searcher<M> {
    /// Estimates the position at the end of the line; the side to move is not in check.
    #[inline(always)]
    pub(crate) fn estimate(&mut self, position: &Position, entry: Option<Entry>, ply: Ply) -> Estimate {
        let raw = entry.and_then(|e| e.eval).unwrap_or_else(|| self.raw(position));
        let correction = if is_known(position, raw) {
            Score::ZERO
        } else {
            self.corrections.correction(&self.params().correction, position, &self.preceding(ply))
        };
        let corrected = (self.damped(raw, position) + correction).as_eval();
        let is_more_accurate = |e: &Entry| {
            self.params().table.on && !e.score.is_decisive() && e.bound.decides(e.score, Window::above(corrected))
        };
        let best = entry.filter(is_more_accurate).map_or(corrected, |e| e.score);
        Estimate { raw, correction, corrected, best }
    }

    /// At the maximum ply: the evaluation, or a draw score if in check.
    pub(crate) fn static_or_draw(&mut self, position: &Position) -> Score {
        if position.in_check() {
            return Score::DRAW;
        }
        let raw = self.raw(position);
        self.damped(raw, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::NO_PRECEDING;
    use crate::params::Parameters;
    use crate::score::Depth;
    use crate::testing;

    /// Corrections from other positions made the score of a drawn pawn ending half a pawn, and would make that of a known win random.
    #[test]
    fn a_known_result_is_not_corrected_and_a_guess_is() {
        for (fen, corrected) in [
            ("8/8/8/3k4/8/2K5/6bb/8 b - - 0 1", false),
            ("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", false),
            ("8/8/8/3k2p1/8/2K3P1/6bb/8 b - - 0 1", true),
        ] {
            let game = testing::game(fen);
            let mut s = testing::searcher(Parameters::default());
            s.evaluator.begin(game.position());
            let before = s.estimate(game.position(), None, Ply(0));
            assert_eq!(before.correction, Score::ZERO, "{fen}");
            let p = s.params().correction;
            for _ in 0..20 {
                s.corrections.update(&p, game.position(), &NO_PRECEDING, Score(300), Depth::plies(8));
            }
            let after = s.estimate(game.position(), None, Ply(0));
            assert_eq!(after.correction > Score::ZERO, corrected, "{fen}: {after:?}");
            assert_eq!(after.corrected, before.corrected + after.correction, "{fen}");
        }
    }
}
