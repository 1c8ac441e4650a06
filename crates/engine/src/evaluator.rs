//! Which static evaluation a searcher uses: the classical terms now, a network once there is one.
//!
//! What an evaluation keeps up to date move by move is a state for each ply of the line that is searched: [`Evaluator::begin`] sets the
//! first one, making a move pushes one, taking it back pops it. The same stack is the place of a network's accumulator.

mod sums;

use crate::eval::{self, Breakdown, Counted, Params, PawnTable, View};
use crate::position::Position;
use crate::score::{MAX_PLY, Score};
use shakmaty::{Board, Color, Move};
pub(crate) use sums::Sums;

/// The static evaluation of one search thread, with its caches and the states of its line.
pub struct Evaluator {
    source: Source,
    known: Known,
    /// One for each ply from the root on; never empty.
    line: Vec<Sums>,
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        let mut line = Vec::with_capacity(MAX_PLY + 1);
        line.push(Sums::default());
        Evaluator { source: Source::default(), known: Known::default(), line }
    }
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

    /// The value of any position for its side to move. A line begins here.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.begin(position);
        eval::fade(self.raw(position), position.halfmoves())
    }

    /// Begins a line with this position.
    pub fn begin(&mut self, position: &Position) {
        self.line.clear();
        self.line.push(Sums::of(position.board()));
    }

    /// The line goes on with a legal move of `turn`.
    #[inline(always)]
    pub fn push(&mut self, turn: Color, mv: Move) {
        self.line.push(self.here().after(turn, mv));
    }

    /// The line goes on with a null move.
    #[inline(always)]
    pub fn push_null(&mut self) {
        self.line.push(self.here());
    }

    /// Takes the last move of the line back.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.line.pop();
    }

    /// The state at the end of the line.
    #[inline(always)]
    fn here(&self) -> Sums {
        self.line.last().copied().unwrap_or_default()
    }

    /// The value of the position at the end of the line, before the 50-move counter fades it: what may be stored under its key.
    #[inline]
    pub fn raw(&mut self, position: &Position) -> Score {
        let sums = self.here();
        debug_assert_eq!(sums, Sums::of(position.board()), "the line has not come to {}", position.fen());
        let Evaluator { source, known, .. } = self;
        known.value(position.key(), || match source {
            Source::Classical { pawns, style } => eval::evaluate(&view(position, sums, style), pawns),
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
fn view<'a>(position: &'a Position, sums: Sums, style: &'a Params) -> View<'a> {
    View {
        board: position.board(),
        turn: position.turn(),
        psq: sums.psq,
        phase: sums.phase,
        counts: sums.counts,
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
    eval::breakdown(&view(position, Sums::of(position.board()), style))
}

/// Game phase: 24 with all pieces on the board, 0 with pawns only.
pub fn phase(board: &Board) -> i32 {
    Sums::of(board).phase
}

/// What the classical evaluation counts in a position; `pawns` is scratch.
pub fn count(position: &Position, pawns: &mut PawnTable) -> Counted {
    eval::count(&view(position, Sums::of(position.board()), &Params::DEFAULT), pawns)
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

    #[test]
    fn a_line_is_valued_as_its_last_position_by_itself() {
        let mut game = Game::new();
        let (mut line, mut alone) = (Evaluator::default(), Evaluator::default());
        line.begin(game.position());
        let first = line.raw(game.position());
        for text in ["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "f1e2", "e7e6", "e1g1"] {
            let turn = game.position().turn();
            let mv = game.play_uci(text).expect(text);
            line.push(turn, mv);
            assert_eq!(
                eval::fade(line.raw(game.position()), game.position().halfmoves()),
                alone.evaluate(game.position())
            );
        }
        let passed = game.position().play_null().expect("nobody is in check");
        line.push_null();
        assert_eq!(eval::fade(line.raw(&passed), passed.halfmoves()), alone.evaluate(&passed));
        for _ in 0..=game.moves().len() {
            line.pop();
        }
        line.clear();
        assert_eq!(line.raw(Game::new().position()), first);
    }
}
