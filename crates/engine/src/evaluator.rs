//! Which static evaluation a searcher uses: the classical terms now, a network once there is one.

use crate::eval::{self, Breakdown, Counted, Params, PawnTable, View};
use crate::position::Position;
use crate::score::Score;

/// The static evaluation of one search thread, with its caches.
#[derive(Default)]
pub struct Evaluator {
    source: Source,
    known: Known,
}

/// Where values come from.
enum Source {
    /// The sum of chess terms in `eval`.
    Classical {
        /// What is remembered of pawns and material.
        pawns: PawnTable,
        /// How much each group of terms counts.
        style: Params,
    },
}

impl Default for Source {
    fn default() -> Source {
        Source::Classical { pawns: PawnTable::new(), style: Params::DEFAULT }
    }
}

/// Entries of the table of known values; a power of two.
const KNOWN: usize = 1 << 14;
const VALUE_MASK: u64 = 0xffff;

/// Values of positions met before: nodes that end before they search a move leave nothing in the transposition table, and are
/// met again in the next iteration. An entry is the key with the value in place of its low bits, which the index stands for.
struct Known(Box<[u64]>);

impl Default for Known {
    fn default() -> Known {
        Known(vec![0; KNOWN].into_boxed_slice())
    }
}

impl Known {
    /// The value under `key`, from `evaluate` when it is not known.
    #[inline(always)]
    fn value(&mut self, key: u64, evaluate: impl FnOnce() -> Score) -> Score {
        let entry = &mut self.0[key as usize % KNOWN];
        if (*entry ^ key) & !VALUE_MASK == 0 {
            return Score(i32::from(*entry as i16));
        }
        let score = evaluate();
        *entry = key & !VALUE_MASK | u64::from(score.0 as i16 as u16);
        score
    }
}

impl Evaluator {
    /// The classical evaluation in this style.
    pub fn new(style: &Params) -> Evaluator {
        let mut evaluator = Evaluator::default();
        evaluator.set_style(style);
        evaluator
    }

    /// Changes the style, and forgets the values of the old one; `false` if it is the same.
    pub fn set_style(&mut self, new: &Params) -> bool {
        let Source::Classical { style, .. } = &mut self.source;
        if style == new {
            return false;
        }
        *style = *new;
        self.known = Known::default();
        true
    }

    /// The value for the side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        eval::fade(self.raw(position), position.halfmoves())
    }

    /// The value before the 50-move counter fades it: what may be stored under the position's key.
    #[inline]
    pub fn raw(&mut self, position: &Position) -> Score {
        let Evaluator { source, known } = self;
        known.value(position.key(), || match source {
            Source::Classical { pawns, style } => eval::evaluate(&view(position, style), pawns),
        })
    }

    /// Empties the caches.
    pub fn clear(&mut self) {
        let Source::Classical { pawns, .. } = &mut self.source;
        *pawns = PawnTable::new();
        self.known = Known::default();
    }
}

/// What the evaluation reads of a position.
fn view<'a>(position: &'a Position, style: &'a Params) -> View<'a> {
    View {
        board: position.board(),
        turn: position.turn(),
        psq: position.psq(),
        phase: position.phase(),
        counts: position.counts(),
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

/// What the classical evaluation counts in a position; `pawns` is scratch.
pub fn count(position: &Position, pawns: &mut PawnTable) -> Counted {
    eval::count(&view(position, &Params::DEFAULT), pawns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::groups::{TEMPO, weighed};
    use crate::position::Game;

    #[test]
    fn a_new_style_forgets_the_values_of_the_old_one() {
        let game = Game::new();
        let mut evaluator = Evaluator::default();
        let usual = evaluator.evaluate(game.position());
        let brisk = Params { tempo: 2 * Params::DEFAULT.tempo, ..Params::DEFAULT };
        assert!(evaluator.set_style(&brisk) && !evaluator.set_style(&brisk));
        assert_eq!(evaluator.evaluate(game.position()), usual + Score(weighed(TEMPO.at(0), 1).mg()));
    }
}
