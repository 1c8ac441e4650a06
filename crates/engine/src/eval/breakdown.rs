//! The table of terms.

use std::fmt;

use shakmaty::Color;

use super::endings::KnownEnding;
use super::pair::Pair;
use super::scale::WHOLE;
use super::squares::PHASE_MAX;
use super::trace::{Blend, Term, Trace};
use crate::score::Score;

const TERMS: usize = Term::ALL.len();
/// Centipawns in a pawn, for display.
const PAWN: f64 = 100.0;

/// Every term of an evaluation, and how they were put together. Its `Display` is the table that `eval` prints.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// By term and colour (0 black, 1 white), seen by that colour.
    pub terms: [[Pair; 2]; TERMS],
    /// How the sum was blended; `None` in a known ending.
    pub blend: Option<Blend>,
    /// The known ending, if it is one.
    pub known: Option<KnownEnding>,
    /// Side to move.
    turn: Color,
    /// The evaluation, seen by the side to move.
    pub score: Score,
}

impl Breakdown {
    pub(super) fn new(turn: Color) -> Breakdown {
        Breakdown { terms: [[Pair::ZERO; 2]; TERMS], blend: None, known: None, turn, score: Score::ZERO }
    }

    /// The evaluation, seen by White.
    pub fn white(&self) -> Score {
        if self.turn.is_white() { self.score } else { -self.score }
    }
}

impl Trace for Breakdown {
    const ACTIVE: bool = true;

    fn note(&mut self, term: Term, color: Color, value: Pair) {
        self.terms[term as usize][color as usize] += value;
    }

    fn blend(&mut self, blend: Blend) {
        self.blend = Some(blend);
    }

    fn known(&mut self, known: KnownEnding) {
        self.known = Some(known);
    }
}

fn cells(value: Pair) -> String {
    format!("{:7.2} {:7.2}", f64::from(value.mg()) / PAWN, f64::from(value.eg()) / PAWN)
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{:-<14}+{:-<17}+{:-<17}+{:-<17}", "", "", "", "");
        writeln!(f, "{:<13} | {:^15} | {:^15} | {:^15}", "Term", "White", "Black", "Total")?;
        writeln!(f, "{:<13} | {h} | {h} | {h}", "", h = format_args!("{:>7} {:>7}", "mg", "eg"))?;
        writeln!(f, "{line}")?;
        if let Some(KnownEnding { name, white }) = self.known {
            writeln!(f, "Known ending: {name}, {:+.2} for White", f64::from(white) / PAWN)?;
        }
        if let Some(blend) = self.blend {
            for &term in Term::ALL {
                let [black, white] = self.terms[term as usize];
                let (name, total) = (term.name(), cells(white - black));
                writeln!(f, "{name:<13} | {} | {} | {total}", cells(white), cells(black))?;
            }
            writeln!(f, "{line}")?;
            writeln!(f, "{:<13} | {:15} | {:15} | {}", "Sum", "", "", cells(blend.total))?;
            writeln!(f)?;
            writeln!(f, "Phase         {}/{PHASE_MAX} ({PHASE_MAX}: middlegame, 0: endgame)", blend.phase)?;
            writeln!(f, "Endgame scale {}/{WHOLE}", blend.scale)?;
            writeln!(f, "Blended       {:+.2} for White", f64::from(blend.white) / PAWN)?;
            writeln!(f, "Tempo         {:+.2} for the side to move", f64::from(blend.tempo) / PAWN)?;
        }
        let (white, own) = (f64::from(self.white().0) / PAWN, f64::from(self.score.0) / PAWN);
        write!(f, "Final         {white:+.2} for White, {own:+.2} for the side to move ({})", self.turn)
    }
}
