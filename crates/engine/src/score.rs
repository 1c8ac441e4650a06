//! Scores, depths, plies, windows and the budget: the units of the search.
//!
//! Mate arithmetic lives here and nowhere else.

use crate::whole::arithmetic;
use std::fmt;
use std::ops::{Div, Neg};

/// Longest line the search follows, in plies.
pub const MAX_PLY: usize = 246;

/// A value in centipawns, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Score(pub i32);

impl Score {
    /// A balanced position.
    pub const ZERO: Score = Score(0);
    /// A drawn game.
    pub const DRAW: Score = Score(0);
    /// The value of giving mate at ply 0.
    pub const MATE: Score = Score(32_000);
    /// Greater than every value a search returns.
    pub const INFINITE: Score = Score(32_001);
    /// Values beyond this are mates found by search.
    pub const MATE_FOUND: Score = Score(32_000 - 256);
    /// A tablebase win at ply 0; wins further down are worth their distance less.
    pub const TABLEBASE_WIN: Score = Score(31_000);
    /// Values beyond this are proven wins: mates or tablebase wins.
    pub const DECISIVE: Score = Score(31_000 - 256);
    /// The largest static evaluation.
    pub const EVAL_MAX: Score = Score(30_000);

    /// The value of being mated at `ply`.
    pub const fn mated_in(ply: Ply) -> Score {
        Score(-Score::MATE.0 + ply.0 as i32)
    }

    /// The value of giving mate at `ply`.
    pub const fn mate_in(ply: Ply) -> Score {
        Score(Score::MATE.0 - ply.0 as i32)
    }

    /// The value of a tablebase win reached at `ply`.
    pub const fn tablebase_win_in(ply: Ply) -> Score {
        Score(Score::TABLEBASE_WIN.0 - ply.0 as i32)
    }

    /// Returns true if this is a mate score, for either side.
    pub const fn is_terminal(self) -> bool {
        self.0.abs() > Score::MATE_FOUND.0
    }

    /// Returns true if this is a proven win or loss: a mate or a tablebase result.
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Score::DECISIVE.0
    }

    /// Returns true if this is a proven loss for the side to move.
    pub const fn is_lost(self) -> bool {
        self.0 < -Score::DECISIVE.0
    }

    /// Returns true if this is a proven win for the side to move.
    pub const fn is_won(self) -> bool {
        self.0 > Score::DECISIVE.0
    }

    /// Moves (not plies) to mate: positive when the side to move mates, negative when it is mated, `None` if no mate is known.
    pub const fn mate_moves(self) -> Option<i32> {
        if !self.is_terminal() {
            None
        } else if self.0 > 0 {
            Some((Score::MATE.0 - self.0 + 1) / 2)
        } else {
            Some(-((Score::MATE.0 + self.0) / 2))
        }
    }

    /// The form kept in the transposition table: proven results count from the node, not from the root.
    pub const fn to_table(self, ply: Ply) -> Score {
        if self.is_won() {
            Score(self.0 + ply.0 as i32)
        } else if self.is_lost() {
            Score(self.0 - ply.0 as i32)
        } else {
            self
        }
    }

    /// Undoes [`Score::to_table`] at the `ply` where the entry is read.
    pub const fn from_table(self, ply: Ply) -> Score {
        if self.is_won() {
            Score(self.0 - ply.0 as i32)
        } else if self.is_lost() {
            Score(self.0 + ply.0 as i32)
        } else {
            self
        }
    }

    /// The value limited to what a static evaluation may return.
    pub fn as_eval(self) -> Score {
        Score(self.0.clamp(-Score::EVAL_MAX.0, Score::EVAL_MAX.0))
    }
}

arithmetic!(Score: add sub neg mul);
arithmetic!(Depth: add sub neg mul);

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

/// An amount of search in 1/1024 ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Depth(pub i32);

impl Depth {
    /// Nothing.
    pub const ZERO: Depth = Depth(0);
    /// One ply.
    pub const ONE_PLY: Depth = Depth(1024);
    /// One quarter of a ply, the unit of the classical fractional extensions.
    pub const QUARTER: Depth = Depth(256);

    /// `n` whole plies.
    pub const fn plies(n: i32) -> Depth {
        Depth(n * Depth::ONE_PLY.0)
    }

    /// `n` quarters of a ply.
    pub const fn quarters(n: i32) -> Depth {
        Depth(n * Depth::QUARTER.0)
    }

    /// Whole plies, rounded down.
    #[inline(always)]
    pub const fn whole(self) -> i32 {
        self.0 >> Depth::ONE_PLY.0.trailing_zeros()
    }
}

impl Div<i32> for Score {
    type Output = Score;
    #[inline(always)]
    fn div(self, divisor: i32) -> Score {
        Score(self.0 / divisor)
    }
}

impl Div<i32> for Depth {
    type Output = Depth;
    #[inline(always)]
    fn div(self, divisor: i32) -> Depth {
        Depth(self.0 / divisor)
    }
}

/// Distance from the root in half moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Ply(pub u16);

impl Ply {
    /// The root.
    pub const ROOT: Ply = Ply(0);

    /// One ply further from the root.
    #[inline(always)]
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }

    /// As an index into per-ply tables.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns true if the side to move is that of the root.
    #[inline(always)]
    pub const fn is_even(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// Returns true at the root.
    #[inline(always)]
    pub const fn is_root(self) -> bool {
        self.0 == 0
    }
}

/// The search window: the search decides whether a node's value is at most `alpha`, at least `beta`, or which value between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// A value up to this fails low.
    pub alpha: Score,
    /// A value from this on fails high.
    pub beta: Score,
}

impl Window {
    /// Every value is inside.
    pub const FULL: Window = Window { alpha: Score(-32_001), beta: Score(32_001) };

    /// The window between two scores.
    #[inline(always)]
    pub const fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The null window that asks only whether a value exceeds `alpha`.
    #[inline(always)]
    pub const fn above(alpha: Score) -> Window {
        Window { alpha, beta: Score(alpha.0 + 1) }
    }

    /// The null window that asks only whether a value reaches `beta`.
    #[inline(always)]
    pub const fn reaching(beta: Score) -> Window {
        Window { alpha: Score(beta.0 - 1), beta }
    }

    /// Returns true if no value is strictly inside.
    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.beta.0 - self.alpha.0 <= 1
    }

    /// Returns true if `score` fails low here.
    #[inline(always)]
    pub fn fails_low(self, score: Score) -> bool {
        score <= self.alpha
    }

    /// Returns true if `score` fails high here.
    #[inline(always)]
    pub fn fails_high(self, score: Score) -> bool {
        score >= self.beta
    }

    /// Returns true if `score` is strictly inside.
    #[inline(always)]
    pub fn contains(self, score: Score) -> bool {
        score > self.alpha && score < self.beta
    }

    /// The bound that `score` is for the value of a node searched with this window.
    #[inline(always)]
    pub fn bound(self, score: Score) -> Bound {
        if self.fails_high(score) {
            Bound::Lower
        } else if self.fails_low(score) {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }
}

impl Neg for Window {
    type Output = Window;
    #[inline(always)]
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The relation of a stored score to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// The value is at most this.
    Upper,
    /// The value is at least this.
    Lower,
    /// The value is this.
    Exact,
}

impl Bound {
    /// Returns true if the true score is at least the stored one (lower or exact bound).
    #[inline(always)]
    pub const fn is_lower(self) -> bool {
        matches!(self, Bound::Lower | Bound::Exact)
    }

    /// Returns true if the true score is at most the stored one (upper or exact bound).
    #[inline(always)]
    pub const fn is_upper(self) -> bool {
        matches!(self, Bound::Upper | Bound::Exact)
    }

    /// The bound for the value of the other side.
    pub const fn flipped(self) -> Bound {
        match self {
            Bound::Upper => Bound::Lower,
            Bound::Lower => Bound::Upper,
            Bound::Exact => Bound::Exact,
        }
    }

    /// Returns true if `score` with this bound decides a search with `window`.
    #[inline(always)]
    pub fn decides(self, score: Score, window: Window) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => window.fails_high(score),
            Bound::Upper => window.fails_low(score),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_in_moves_with_sign() {
        for (score, moves) in [
            (Score::mate_in(Ply(1)), Some(1)),
            (Score::mate_in(Ply(3)), Some(2)),
            (Score::mate_in(Ply(4)), Some(2)),
            (Score::mated_in(Ply(0)), Some(0)),
            (Score::mated_in(Ply(2)), Some(-1)),
            (Score::mated_in(Ply(4)), Some(-2)),
            (Score(120), None),
            (Score::tablebase_win_in(Ply(5)), None),
        ] {
            assert_eq!(score.mate_moves(), moves, "{}", score.0);
        }
    }

    #[test]
    fn table_form_is_relative_to_the_node_and_back() {
        for raw in [0, 250, -31_990, 31_985, 30_990, -30_900] {
            for ply in [0, 3, 40] {
                let score = Score(raw);
                assert_eq!(score.to_table(Ply(ply)).from_table(Ply(ply)), score, "{raw} at {ply}");
            }
        }
        assert_eq!(Score::mate_in(Ply(7)).to_table(Ply(4)), Score::mate_in(Ply(3)));
        assert_eq!(Score::mated_in(Ply(7)).to_table(Ply(4)), Score::mated_in(Ply(3)));
    }

    #[test]
    fn mates_tablebase_wins_and_evaluations_are_distinguished_at_any_ply() {
        let last = Ply(MAX_PLY as u16);
        for (score, terminal, decisive) in [
            (Score::mate_in(last), true, true),
            (Score::TABLEBASE_WIN, false, true),
            (Score::tablebase_win_in(last), false, true),
            (Score::EVAL_MAX, false, false),
        ] {
            for score in [score, -score] {
                assert_eq!((score.is_terminal(), score.is_decisive()), (terminal, decisive), "{score:?}");
                assert_eq!((score.is_won(), score.is_lost()), (decisive && score.0 > 0, decisive && score.0 < 0));
            }
        }
    }

    #[test]
    fn a_window_negates_and_classifies_scores() {
        let w = Window::new(Score(10), Score(30));
        assert_eq!(-w, Window::new(Score(-30), Score(-10)));
        assert!(w.fails_low(Score(10)) && w.fails_high(Score(30)) && w.contains(Score(11)));
        assert_eq!(w.bound(Score(30)), Bound::Lower);
        assert_eq!(w.bound(Score(10)), Bound::Upper);
        assert_eq!(w.bound(Score(20)), Bound::Exact);
        assert!(Window::above(Score(4)).is_null() && Window::reaching(Score(4)).is_null());
    }

    #[test]
    fn depth_rounds_down() {
        assert_eq!(Depth(1023).whole(), 0);
        assert_eq!(Depth(-1).whole(), -1);
        assert_eq!(Depth::plies(3).whole(), 3);
        assert_eq!(Depth::quarters(4), Depth::ONE_PLY);
    }
}
