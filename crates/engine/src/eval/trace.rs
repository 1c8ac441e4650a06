//! Watching the evaluation: the same code adds the terms up and, on request, records each of them.

use shakmaty::Color;

use super::endings::KnownEnding;
use super::groups::{INPUTS, ORDINARY};
use super::pair::Pair;
use crate::side::ConstColor;
use crate::words::named;

named! {
    /// The terms of the evaluation, in the order of the table.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Term {
        /// Piece values.
        Material "Material",
        /// Piece-square values.
        Squares "Squares",
        /// Bishop pair, second pieces, pieces with and against pawns.
        Imbalance "Imbalance",
        /// Pawn structure.
        Pawns "Pawns",
        /// Knights' small terms.
        Knights "Knights",
        /// Bishops' small terms.
        Bishops "Bishops",
        /// Rooks' small terms.
        Rooks "Rooks",
        /// Queens' small terms.
        Queens "Queens",
        /// Safe squares of all pieces.
        Mobility "Mobility",
        /// Pawns before the king and against it.
        Shelter "King shelter",
        /// Attack on the king.
        Danger "King danger",
        /// Attacked and hanging pieces.
        Threats "Threats",
        /// Passed pawns.
        Passed "Passed pawns",
        /// Room behind the pawns.
        Space "Space",
    }
}

/// How a score was put together from its two halves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Blend {
    /// Sum of all terms, White minus Black.
    pub total: Pair,
    /// Weight of the middlegame half (0 to 24).
    pub phase: i32,
    /// Weight of the endgame half: less where it is hard to win, more where it is easy (1/64).
    pub scale: i32,
    /// The blend, seen by White (pawns/100).
    pub white: i32,
    /// Bonus of the side to move (pawns/100).
    pub tempo: i32,
}

/// An observer of the evaluation. Everything but the blend is seen by the side it is about.
pub trait Trace {
    /// True if it records anything.
    const ACTIVE: bool;
    /// A term has this value for this side.
    fn note(&mut self, _: Term, _: Color, _: Pair) {}
    /// Adds `count` times the weight at this place for this side.
    fn weigh(&mut self, _place: usize, _: Color, _count: i32) {}
    /// Adds `count` times the danger input at this place, against the other side's king.
    fn endanger(&mut self, _place: usize, _: Color, _count: i32) {}
    /// Adds `count` times the part at this place to the scale, if this side is better.
    fn scale(&mut self, _place: usize, _: Color, _count: i32) {}
    /// If this side is better, the endgame is a draw whatever the weights are.
    fn no_winning_material(&mut self, _: Color) {}
    /// The terms have been blended.
    fn blend(&mut self, _: Blend) {}
    /// The ending is known.
    fn known(&mut self, _: KnownEnding) {}
}

/// Watches nothing and costs nothing.
impl Trace for () {
    const ACTIVE: bool = false;
}

/// `count` times the weight at `place` for this side, written down.
#[inline(always)]
pub fn weigh<S: ConstColor, T: Trace>(trace: &mut T, place: usize, count: i32) -> Pair {
    if T::ACTIVE {
        trace.weigh(place, S::COLOR, count);
    }
    ORDINARY[place] * count
}

/// `count` times the input of danger at `place` that this side brings (danger units), written down.
#[inline(always)]
pub fn endanger<S: ConstColor, T: Trace>(trace: &mut T, place: usize, count: i32) -> i32 {
    if T::ACTIVE {
        trace.endanger(place, S::COLOR, count);
    }
    INPUTS[place] * count
}
