//! Static evaluation: a sum of chess terms, each with a middlegame and an endgame value, blended by the material left.
//!
//! Every term is a short function of one side, compiled for both colours (`side`), so that the evaluation of a position and
//! of its mirror image are equal. A term counts something and multiplies it by a weight; which weights there are is declared in
//! [`groups`], and their values, fitted to games that this program played against itself, are in [`weights`]. All terms share one
//! set of attack tables (`info`). The same code fills the table of terms, and the counts behind it, when it is given something
//! to write to ([`Trace`], [`Breakdown`], [`EvaluationCounts`]).

mod breakdown;
mod counted;
mod cover;
mod endings;
pub mod groups;
mod info;
mod king;
mod kpk;
mod material;
mod pair;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod space;
pub(crate) mod squares;
mod style;
pub(crate) mod sums;
mod threats;
mod trace;
pub mod weights;

#[cfg(test)]
mod tests;

use shakmaty::{Bitboard, Board, Color};

pub use breakdown::Breakdown;
pub use counted::{EvaluationCounts, WeightCount};
pub use endings::{KNOWN_WIN, KnownEnding, known};
pub use material::Counts;
pub use pair::{Pair, pair};
pub use pawns::PawnTable;
pub use scale::{SCALE_MAX, WHOLE};
pub use squares::PHASE_MAX;
pub use style::Params;
pub use sums::Sums;
pub use trace::{Blend, Term, Trace};

use crate::position::Position;
use crate::score::Score;
use crate::side::{Black, ConstColor, White};
use groups::{MAY_CASTLE_LONG, MAY_CASTLE_SHORT, ORDINARY, TEMPO};
use info::Info;
use material::MaterialEntry;
use pawns::{PawnEntry, pawns_of};
use style::share;
use trace::weigh;

/// Half moves without progress at which the score would reach zero (half moves).
const DAMPING_HALFMOVES: i32 = 220;

/// The facts of a position that the evaluation reads.
#[derive(Clone, Copy)]
pub struct EvalView<'a> {
    /// The pieces; each side has one king.
    pub board: &'a Board,
    /// Side to move.
    pub turn: Color,
    /// The sums over the pieces.
    pub sums: Sums,
    /// A key of the pawns; any function of them will do.
    pub pawn_key: u64,
    /// Rooks that may still castle.
    pub castles: Bitboard,
    /// How much each group of terms counts.
    pub style: &'a Params,
}

impl<'a> EvalView<'a> {
    /// The facts of a position with these sums.
    pub fn of(position: &'a Position, sums: Sums, style: &'a Params) -> EvalView<'a> {
        EvalView {
            board: position.board(),
            turn: position.turn(),
            sums,
            pawn_key: position.pawn_key(),
            castles: position.castling_rights(),
            style,
        }
    }
}

/// The static value of a position, seen by the side to move.
#[inline]
pub fn evaluate(view: &EvalView, pawns: &mut PawnTable) -> Score {
    run(view, pawns, &mut ())
}

/// The same evaluation with every term written down.
pub fn breakdown(view: &EvalView) -> Breakdown {
    let mut breakdown = Breakdown::new(view.turn);
    breakdown.score = run(view, &mut PawnTable::default(), &mut breakdown);
    breakdown
}

/// The counts of the evaluation in a position, without the weights, for a fit of the weights. `pawns` is scratch.
pub fn count(view: &EvalView, pawns: &mut PawnTable) -> EvaluationCounts {
    let mut counted = EvaluationCounts::new(view.turn, view.sums.phase.min(PHASE_MAX));
    run(view, pawns, &mut counted);
    counted
}

fn run<T: Trace>(view: &EvalView, table: &mut PawnTable, trace: &mut T) -> Score {
    if let Some(known) = known(view.board, view.turn) {
        trace.known(known);
        return known.score(view.turn);
    }
    sum(view, table, trace)
}

/// The value of a position whose result is not known: all terms, blended.
#[inline(always)]
fn sum<T: Trace>(view: &EvalView, table: &mut PawnTable, trace: &mut T) -> Score {
    let (entry, material) = table.entries(view.pawn_key, pawns_of(view.board), view.sums.counts);
    let mut total = base(view, material, entry, trace);
    let mut info = Info::new(view);
    total += terms(view, &mut info, entry, trace);
    let phase = view.sums.phase.min(PHASE_MAX);
    let scale = scale::scale(&info, material, entry, total.eg(), trace);
    let white = blend(total, phase, scale);
    let tempo = tempo(view, phase, trace);
    trace.blend(Blend { total, phase, scale, white, tempo });
    finish(view, white, tempo)
}

/// The two halves by phase, the endgame half by its scale.
#[inline(always)]
fn blend(total: Pair, phase: i32, scale: i32) -> i32 {
    (total.mg() * phase * WHOLE + total.eg() * (PHASE_MAX - phase) * scale) / (PHASE_MAX * WHOLE)
}

/// The tempo bonus, from White's view.
#[inline(always)]
fn tempo<T: Trace>(view: &EvalView, phase: i32, trace: &mut T) -> i32 {
    const PERCENT: i32 = 100;
    trace.weigh(TEMPO.at(0), view.turn, 1);
    blend(ORDINARY[TEMPO.at(0)], phase, WHOLE) * view.style.tempo / PERCENT
}

/// Material, squares, imbalance and pawn structure: what is known without looking at the pieces' attacks.
#[inline(always)]
fn base<T: Trace>(view: &EvalView, material: &MaterialEntry, entry: &mut PawnEntry, trace: &mut T) -> Pair {
    if T::ACTIVE {
        squares::trace(view.board, trace);
        // A trace needs the single terms again: the tables cache sums only.
        material::imbalance::<White, T>(&material.armies, trace);
        material::imbalance::<Black, T>(&material.armies, trace);
        *entry = PawnEntry::new(pawns_of(view.board), trace);
    }
    let mut net = view.sums.psq;
    for (term, [black, white]) in [(Term::Imbalance, material.imbalance), (Term::Pawns, entry.score)] {
        trace.note(term, Color::White, white);
        trace.note(term, Color::Black, black);
        net += white - black;
    }
    net
}

/// The terms that need attack tables. Both sides' pieces come first: the rest reads what they attack.
#[inline(always)]
fn terms<T: Trace>(view: &EvalView, info: &mut Info, entry: &mut PawnEntry, trace: &mut T) -> Pair {
    let mut total = pieces::pieces::<White, T>(info, entry, trace) - pieces::pieces::<Black, T>(info, entry, trace);
    total += cover::<White, T>(view, info, entry, trace) - cover::<Black, T>(view, info, entry, trace);
    total += king::danger::<Black, T>(info, entry, trace) - king::danger::<White, T>(info, entry, trace);
    total += threats::threats::<White, T>(info, trace) - threats::threats::<Black, T>(info, trace);
    total += passed::passed::<White, T>(info, entry, trace) - passed::passed::<Black, T>(info, entry, trace);
    total + space::space::<White, T>(info, trace) - space::space::<Black, T>(info, trace)
}

/// The pawns before a king, and the hope to castle.
#[inline(always)]
fn cover<S: ConstColor, T: Trace>(view: &EvalView, info: &Info, entry: &mut PawnEntry, trace: &mut T) -> Pair {
    let king = info.us::<S>().king;
    let mut score = entry.cover::<S, T>(king, trace);
    let rooks = view.castles & S::rank_mask(0);
    if rooks.any() {
        let short = rooks.into_iter().any(|rook| rook.file() > king.file());
        let long = rooks.into_iter().any(|rook| rook.file() < king.file());
        score += weigh::<S, T>(trace, MAY_CASTLE_SHORT.at(0), i32::from(short));
        score += weigh::<S, T>(trace, MAY_CASTLE_LONG.at(0), i32::from(long));
    }
    let score = share(score, info.style.king_shelter);
    trace.note(Term::Shelter, S::COLOR, score);
    score
}

/// Turns the value to the side to move.
#[inline(always)]
fn finish(view: &EvalView, white: i32, tempo: i32) -> Score {
    Score(if view.turn.is_white() { white } else { -white } + tempo).as_eval()
}

/// Returns true if this is the value of an ending that is known to be won. Such a value is neither scaled nor corrected.
#[inline(always)]
pub fn is_known_win(value: Score) -> bool {
    value.0.abs() >= KNOWN_WIN
}

/// A value damped by the 50-move counter. Kept apart from [`evaluate`], whose value depends on what a position's key covers and
/// may therefore be stored under it. A known win is not damped: values in the table from some moves ago, damped less, would look
/// better than any progress, and the winner would return to where it came from until the fifty moves are over.
#[inline(always)]
pub fn damp(value: Score, halfmoves: u32) -> Score {
    if is_known_win(value) {
        return value;
    }
    let left = DAMPING_HALFMOVES - (halfmoves as i32).min(DAMPING_HALFMOVES);
    Score(value.0 * left / DAMPING_HALFMOVES)
}
