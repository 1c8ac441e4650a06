//! Which static evaluation a searcher uses: the classical terms now, a network once there is one.

use crate::eval::{self, Breakdown, PawnTable, View};
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
    Classical(PawnTable),
}

impl Default for Source {
    fn default() -> Source {
        Source::Classical(PawnTable::new())
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
            Source::Classical(pawns) => eval::evaluate(&view(position), pawns),
        })
    }

    /// Empties the caches.
    pub fn clear(&mut self) {
        *self = Evaluator::default();
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
