//! Static evaluation: a sum of chess terms, each with a middlegame and an endgame value, blended by the material left.
//!
//! Every term is a function of one side, compiled for both colours ([`side`]), so that the evaluation of a position and
//! of its mirror image are equal. All share one set of attack tables ([`info`]). The same code fills the table of terms
//! when it is given a [`Breakdown`] to write to ([`trace`]).
//!
//! Origin: most terms and weights, the imbalance table and the formula of king danger follow those of the classical evaluation of
//! Stockfish 11 (`stockfish11`, GPL-3.0) closely, rescaled to pawns/100. They are to be replaced by terms of our own with weights
//! fitted to our own games.

mod breakdown;
mod endings;
mod geometry;
mod info;
mod king;
mod kpk;
mod material;
mod pair;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod shelter;
mod side;
mod space;
mod squares;
mod style;
mod threats;
mod trace;
pub mod weights;

#[cfg(test)]
mod tests;

use shakmaty::{Bitboard, Board, Color};

pub use breakdown::Breakdown;
pub use pair::{Pair, pair};
pub use pawns::PawnTable;
pub use style::Params;
pub use trace::{Blend, Term};

use crate::score::Score;
use info::Info;
pub use material::Counts;
use material::MaterialEntry;
use pawns::{PawnEntry, pawns_of};
pub(crate) use side::{Black, Side, White};
use style::share;
use trace::Trace;
use weights::*;

/// What the evaluation reads of a position.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The pieces; each side has one king.
    pub board: &'a Board,
    /// Side to move.
    pub turn: Color,
    /// Material and squares, White minus Black.
    pub psq: Pair,
    /// Sum of [`weights::PHASE`] over the pieces.
    pub phase: i32,
    /// Numbers of pieces.
    pub counts: Counts,
    /// A key of the pawns; any function of them will do.
    pub pawn_key: u64,
    /// Half moves since the last capture or pawn move.
    pub halfmoves: u32,
    /// Rooks that may still castle.
    pub castles: Bitboard,
    /// How much each group of terms counts.
    pub style: &'a Params,
}

impl<'a> View<'a> {
    /// A view with `psq` and `phase` computed from scratch, no castling rights, a fresh 50-move counter and the usual style.
    pub fn from_board(board: &'a Board, turn: Color, pawn_key: u64) -> View<'a> {
        let mut psq = Pair::ZERO;
        let mut phase = 0;
        for (sq, piece) in board {
            psq += PSQ[piece.color as usize][piece.role as usize][sq as usize];
            phase += PHASE[piece.role as usize];
        }
        let counts = Counts::of(board);
        View {
            board,
            turn,
            psq,
            phase,
            counts,
            pawn_key,
            halfmoves: 0,
            castles: Bitboard::EMPTY,
            style: &Params::DEFAULT,
        }
    }
}

/// The static value of a position, seen by the side to move.
#[inline]
pub fn evaluate(view: &View, pawns: &mut PawnTable) -> Score {
    run(view, pawns, &mut ())
}

/// The same evaluation with every term written down.
pub fn breakdown(view: &View) -> Breakdown {
    let mut breakdown = Breakdown::new(view.turn);
    let score = run(view, &mut PawnTable::new(), &mut breakdown);
    breakdown.finish(score)
}

fn run<T: Trace>(view: &View, table: &mut PawnTable, trace: &mut T) -> Score {
    if let Some(known) = endings::known(view) {
        trace.known(known.name, known.white);
        return finish(view, known.white, 0);
    }
    let material = table.material.entry(view.counts);
    let entry = table.entry(view.pawn_key, pawns_of(view.board));
    let mut total = base(view, &material, entry, trace);
    let phase = view.phase.min(PHASE_MAX);
    let mut scale = SCALE_NORMAL;
    let rough = (total.mg() + total.eg()) / 2;
    if rough.abs() < view.style.lazy_margin + view.style.lazy_slope * phase {
        let mut info = Info::new(view);
        total += terms(view, &mut info, entry, phase, trace);
        let chances = scale::chances(&info, entry, total);
        trace.note(Term::Chances, Color::White, chances);
        total += chances;
        scale = scale::scale(&info, &material, entry, total.eg());
    }
    let white = (total.mg() * phase + total.eg() * (PHASE_MAX - phase) * scale / SCALE_NORMAL) / PHASE_MAX;
    trace.blend(Blend { total, phase, scale, white, tempo: view.style.tempo });
    finish(view, white, view.style.tempo)
}

/// Material, squares, imbalance and pawn structure: what is known without looking at the pieces' attacks.
#[inline(always)]
fn base<T: Trace>(view: &View, material: &MaterialEntry, entry: &PawnEntry, trace: &mut T) -> Pair {
    if T::ACTIVE {
        for (sq, piece) in view.board {
            let value = VALUE[piece.role as usize];
            let signed = PSQ[piece.color as usize][piece.role as usize][sq as usize];
            let own = if piece.color.is_white() { signed } else { -signed };
            trace.note(Term::Material, piece.color, value);
            trace.note(Term::Squares, piece.color, own - value);
        }
    }
    let mut net = view.psq;
    for (term, [black, white]) in [(Term::Imbalance, material.imbalance), (Term::Pawns, entry.score)] {
        trace.note(term, Color::White, white);
        trace.note(term, Color::Black, black);
        net += white - black;
    }
    net
}

/// The terms that need attack tables. Both sides' pieces come first: the rest reads what they attack.
#[inline(always)]
fn terms<T: Trace>(view: &View, info: &mut Info, entry: &mut PawnEntry, phase: i32, trace: &mut T) -> Pair {
    let mut total = pieces::pieces::<White, T>(info, entry, trace) - pieces::pieces::<Black, T>(info, entry, trace);
    total += king::<White, T>(view, info, entry, trace) - king::<Black, T>(view, info, entry, trace);
    total += threats::threats::<White, T>(info, trace) - threats::threats::<Black, T>(info, trace);
    total += passed::passed::<White, T>(info, entry, trace) - passed::passed::<Black, T>(info, entry, trace);
    total + space::space::<White, T>(info, phase, trace) - space::space::<Black, T>(info, phase, trace)
}

/// Shelter and danger of one king.
#[inline(always)]
fn king<S: Side, T: Trace>(view: &View, info: &Info, entry: &mut PawnEntry, trace: &mut T) -> Pair {
    let shelter = entry.shelter::<S>(info.us::<S>().king, view.castles);
    let counted = share(shelter, view.style.king_shelter);
    trace.note(Term::Shelter, S::COLOR, counted);
    counted + king::danger::<S, T>(info, shelter, trace)
}

/// Turns the value to the side to move.
#[inline(always)]
fn finish(view: &View, white: i32, tempo: i32) -> Score {
    Score(if view.turn.is_white() { white } else { -white } + tempo).as_eval()
}

/// A value faded with the 50-move counter. Kept apart from [`evaluate`], whose value depends on what a position's key covers and
/// may therefore be stored under it. A known win does not fade: values in the table from some moves ago, faded less, would look
/// better than any progress, and the winner would return to where it came from until the fifty moves are over.
#[inline(always)]
pub fn fade(value: Score, halfmoves: u32) -> Score {
    if value.0.abs() >= KNOWN_WIN {
        return value;
    }
    let left = FADE_HALFMOVES - (halfmoves as i32).min(FADE_HALFMOVES);
    Score(value.0 * left / FADE_HALFMOVES)
}
