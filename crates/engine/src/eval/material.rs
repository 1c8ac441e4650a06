//! Imbalance: the bishop pair, second pieces, and pieces with and against pawns.
//!
//! All terms depend only on the numbers of pieces, so a small table caches them.

use shakmaty::{Color, Piece, Role};

use super::groups::*;
use super::info::piece_index;
use super::pair::Pair;
use super::trace::{Trace, weigh};
use crate::side::{Black, ConstColor, White};
use crate::whole::SPREAD;

/// Entries of the table; a power of two.
const ENTRIES: usize = 1 << 12;
/// Bits that hold a number of pieces.
const COUNT_BITS: u32 = 4;
const ROLES: usize = 7;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const COUNTED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Numbers of one side's pieces by role number; the first is not used.
pub type Army = [i32; ROLES];

/// The values that follow from the numbers of pieces.
#[derive(Clone, Copy)]
pub struct MaterialEntry {
    /// The numbers this is about.
    counts: Counts,
    /// By colour (0 black, 1 white).
    pub armies: [Army; 2],
    /// The imbalance by colour, from the view of that colour.
    pub imbalance: [Pair; 2],
}

/// Numbers of pieces, packed: five kinds of each colour, four bits each. A sum of [`Counts::unit`]s.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts(pub u64);

/// The count of one piece, by colour (0 black, 1 white) and role number.
const UNITS: [[u64; ROLES]; 2] = {
    let mut units = [[0; ROLES]; 2];
    let mut kind = 0;
    while kind < COUNTED.len() {
        let shift = COUNT_BITS * kind as u32;
        units[1][COUNTED[kind] as usize] = 1 << shift;
        units[0][COUNTED[kind] as usize] = 1 << (shift + COUNT_BITS * COUNTED.len() as u32);
        kind += 1;
    }
    units
};

impl Counts {
    /// The count of a piece.
    #[inline(always)]
    pub fn unit(piece: Piece) -> u64 {
        UNITS[piece.color as usize][piece.role as usize]
    }

    /// The numbers of one colour.
    fn army(self, color: Color) -> Army {
        let mut packed = self.0 >> if color.is_white() { 0 } else { COUNT_BITS * COUNTED.len() as u32 };
        let mut army = [0; ROLES];
        for role in COUNTED {
            army[role as usize] = (packed & COUNT_MASK) as i32;
            packed >>= COUNT_BITS;
        }
        army
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.0.wrapping_mul(SPREAD) >> (u64::BITS - ENTRIES.trailing_zeros())) as usize
    }
}

impl MaterialEntry {
    fn new(counts: Counts) -> MaterialEntry {
        let armies = [counts.army(Color::Black), counts.army(Color::White)];
        let imbalance = [imbalance::<Black, _>(&armies, &mut ()), imbalance::<White, _>(&armies, &mut ())];
        MaterialEntry { counts, armies, imbalance }
    }
}

/// The imbalance of one side's pieces with each other and against the enemy's.
pub fn imbalance<S: ConstColor, T: Trace>(armies: &[Army; 2], trace: &mut T) -> Pair {
    let (us, them) = (&armies[S::US], &armies[S::THEM]);
    let at = |army: &Army, role: Role| army[role as usize];
    let (pawns, theirs) = (at(us, Role::Pawn), at(them, Role::Pawn));
    let mut score = Pair::ZERO;
    if at(us, Role::Bishop) > 1 {
        score += weigh::<S, T>(trace, BISHOP_PAIR.at(0), 1);
        score += weigh::<S, T>(trace, BISHOP_PAIR_PAWN.at(0), pawns);
    }
    for role in PIECES {
        let count = at(us, role);
        score += weigh::<S, T>(trace, SECOND.at(piece_index(role)), (count - 1).max(0));
        score += weigh::<S, T>(trace, WITH_PAWN.at(piece_index(role)), count * pawns);
        score += weigh::<S, T>(trace, AGAINST_PAWN.at(piece_index(role)), count * theirs);
    }
    let minors = at(them, Role::Knight) + at(them, Role::Bishop);
    let (rooks, queens) = (at(us, Role::Rook), at(us, Role::Queen));
    score += weigh::<S, T>(trace, QUEEN_AGAINST_MINOR.at(0), queens * minors);
    score += weigh::<S, T>(trace, QUEEN_AGAINST_ROOK.at(0), queens * at(them, Role::Rook));
    score + weigh::<S, T>(trace, ROOK_AGAINST_MINOR.at(0), rooks * minors)
}

/// A cache of entries by the numbers of pieces, verified by them.
#[derive(Clone)]
pub struct MaterialTable {
    entries: Box<[MaterialEntry; ENTRIES]>,
}

impl MaterialTable {
    /// A table with the entry of bare kings only.
    pub fn new() -> MaterialTable {
        let bare = MaterialEntry::new(Counts(0));
        let entries = vec![bare; ENTRIES].into_boxed_slice();
        MaterialTable { entries: entries.try_into().unwrap_or_else(|_| unreachable!("the vector has ENTRIES entries")) }
    }

    /// The entry for these numbers, computed when it is not there.
    #[inline(always)]
    pub fn entry(&mut self, counts: Counts) -> &MaterialEntry {
        let entry = &mut self.entries[counts.slot()];
        if entry.counts != counts {
            *entry = MaterialEntry::new(counts);
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sums;
    use super::*;
    use shakmaty::Board;

    fn counts(placement: &str) -> Counts {
        Sums::of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap()).counts
    }

    #[test]
    fn the_numbers_are_read_by_colour_and_kind() {
        let counts = counts("rrqk4/ppp5/8/8/8/8/NBBPP3/QQQ4K");
        assert_eq!(counts.army(Color::White), [0, 2, 1, 2, 0, 3, 0]);
        assert_eq!(counts.army(Color::Black), [0, 3, 0, 0, 2, 1, 0]);
    }

    #[test]
    fn the_bishop_pair_is_worth_something_with_any_number_of_pawns() {
        for pawns in ["8", "P7", "PPP5", "PPPPPP2", "PPPPPPPP"] {
            let [pair, one] = ["2B1KB2", "2B1K3"].map(|pieces| format!("4k3/8/8/8/8/8/{pawns}/{pieces}"));
            let [pair, one] = [pair, one].map(|placement| MaterialEntry::new(counts(&placement)).imbalance[1]);
            assert!((pair - one).mg() + (pair - one).eg() > 0, "{pawns}: {:?}", pair - one);
        }
    }
}
