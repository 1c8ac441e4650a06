//! Watching the evaluation: the same code adds the terms up and, when asked, writes each of them down.

use shakmaty::Color;

use super::pair::Pair;

/// The terms of the evaluation, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Term {
    /// Piece values.
    Material,
    /// Piece-square values.
    Squares,
    /// Bishop pair, redundant pieces, pieces against pawns.
    Imbalance,
    /// Pawn structure.
    Pawns,
    /// Knights' small terms.
    Knights,
    /// Bishops' small terms.
    Bishops,
    /// Rooks' small terms.
    Rooks,
    /// Queens' small terms.
    Queens,
    /// Safe squares of all pieces.
    Mobility,
    /// Pawns before the king and against it.
    Shelter,
    /// Attack on the king.
    Danger,
    /// Attacked and hanging pieces.
    Threats,
    /// Passed pawns.
    Passed,
    /// Room behind the pawns.
    Space,
    /// How much there is to play for.
    Chances,
}

impl Term {
    /// Every term.
    pub const ALL: [Term; 15] = [
        Term::Material,
        Term::Squares,
        Term::Imbalance,
        Term::Pawns,
        Term::Knights,
        Term::Bishops,
        Term::Rooks,
        Term::Queens,
        Term::Mobility,
        Term::Shelter,
        Term::Danger,
        Term::Threats,
        Term::Passed,
        Term::Space,
        Term::Chances,
    ];

    /// Name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Term::Material => "Material",
            Term::Squares => "Squares",
            Term::Imbalance => "Imbalance",
            Term::Pawns => "Pawns",
            Term::Knights => "Knights",
            Term::Bishops => "Bishops",
            Term::Rooks => "Rooks",
            Term::Queens => "Queens",
            Term::Mobility => "Mobility",
            Term::Shelter => "King shelter",
            Term::Danger => "King danger",
            Term::Threats => "Threats",
            Term::Passed => "Passed pawns",
            Term::Space => "Space",
            Term::Chances => "Chances",
        }
    }
}

/// How a score was put together from its two halves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Blend {
    /// Sum of all terms, White minus Black.
    pub total: Pair,
    /// Weight of the middlegame half (0 to 24).
    pub phase: i32,
    /// Weight of the endgame half for drawish endings (0 to 64).
    pub scale: i32,
    /// The blend, seen by White (pawns/100).
    pub white: i32,
    /// Bonus of the side to move (pawns/100).
    pub tempo: i32,
}

/// A watcher of the evaluation.
pub trait Trace {
    /// Does it want to know anything?
    const ACTIVE: bool;
    /// A term has this value for this side, seen by that side.
    fn note(&mut self, term: Term, color: Color, value: Pair);
    /// The terms have been blended.
    fn blend(&mut self, blend: Blend);
    /// A known ending has this value, seen by White.
    fn known(&mut self, name: &'static str, white: i32);
}

/// Watches nothing and costs nothing.
impl Trace for () {
    const ACTIVE: bool = false;
    #[inline(always)]
    fn note(&mut self, _: Term, _: Color, _: Pair) {}
    #[inline(always)]
    fn blend(&mut self, _: Blend) {}
    #[inline(always)]
    fn known(&mut self, _: &'static str, _: i32) {}
}
