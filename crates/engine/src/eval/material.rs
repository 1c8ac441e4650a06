//! What pieces are worth beside each other: pairs, redundancy, and pieces against pawns.
//!
//! A sum over all pairs of piece kinds, of one side and across the sides. It depends on the numbers of pieces alone, so
//! a small table remembers it.

use shakmaty::{Board, Color, Piece, Role};

use super::pair::{Pair, pair};
use super::weights::{IMBALANCE_DIVISOR, IMBALANCE_OWN, IMBALANCE_THEIRS, VALUE};

/// Kinds of the sum: the bishop pair, then pawn to queen.
pub const KINDS: usize = 6;
/// Entries of the table; a power of two.
const ENTRIES: usize = 1 << 12;
/// Bits that hold a number of pieces.
const COUNT_BITS: u32 = 4;
const ROLES: usize = 7;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const COUNTED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What the numbers of pieces say.
#[derive(Clone, Copy)]
pub struct MaterialEntry {
    /// The numbers this is about.
    counts: Counts,
    /// Imbalance by colour (0 black, 1 white), seen by that colour.
    pub imbalance: [Pair; 2],
    /// Middlegame value of the pieces without pawns, by colour.
    pub pieces: [i32; 2],
}

/// Numbers of pieces, packed: five kinds of each colour, four bits each. A sum of [`Counts::unit`]s.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts(pub u64);

/// What one piece adds, by colour (0 black, 1 white) and role number.
const UNITS: [[u64; ROLES]; 2] = {
    let mut units = [[0; ROLES]; 2];
    let mut kind = 0;
    while kind < COUNTED.len() {
        let shift = COUNT_BITS * (COUNTED.len() - 1 - kind) as u32;
        units[1][COUNTED[kind] as usize] = 1 << shift;
        units[0][COUNTED[kind] as usize] = 1 << (shift + COUNT_BITS * COUNTED.len() as u32);
        kind += 1;
    }
    units
};

impl Counts {
    /// What a piece adds.
    #[inline(always)]
    pub fn unit(piece: Piece) -> u64 {
        UNITS[piece.color as usize][piece.role as usize]
    }

    /// The numbers on a board.
    pub fn of(board: &Board) -> Counts {
        Counts(board.iter().map(|(_, piece)| Counts::unit(piece)).sum())
    }

    /// Numbers by kind for one colour.
    fn kinds(self, color: Color) -> [i32; KINDS] {
        let mut packed = self.0 >> if color.is_white() { 0 } else { COUNT_BITS * COUNTED.len() as u32 };
        let mut kinds = [0; KINDS];
        for role in COUNTED.into_iter().rev() {
            kinds[role as usize] = (packed & COUNT_MASK) as i32;
            packed >>= COUNT_BITS;
        }
        kinds[0] = i32::from(kinds[Role::Bishop as usize] > 1);
        kinds
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.0.wrapping_mul(SPREAD) >> (u64::BITS - ENTRIES.trailing_zeros())) as usize
    }
}

impl MaterialEntry {
    fn new(counts: Counts) -> MaterialEntry {
        let kinds = [counts.kinds(Color::Black), counts.kinds(Color::White)];
        let pieces =
            |own: &[i32; KINDS]| COUNTED[1..].iter().map(|role| own[*role as usize] * VALUE[*role as usize].mg()).sum();
        MaterialEntry {
            counts,
            imbalance: [imbalance(&kinds[0], &kinds[1]), imbalance(&kinds[1], &kinds[0])],
            pieces: [pieces(&kinds[0]), pieces(&kinds[1])],
        }
    }
}

/// The sum over all pairs of kinds.
fn imbalance(own: &[i32; KINDS], theirs: &[i32; KINDS]) -> Pair {
    let mut sum = 0;
    for (kind, count) in own.iter().enumerate() {
        let with_own: i32 = IMBALANCE_OWN[kind].iter().zip(own).map(|(weight, n)| weight * n).sum();
        let against: i32 = IMBALANCE_THEIRS[kind].iter().zip(theirs).map(|(weight, n)| weight * n).sum();
        sum += count * (with_own + against);
    }
    let value = sum / IMBALANCE_DIVISOR;
    pair(value, value)
}

/// Remembers entries by the numbers of pieces, verified by them.
#[derive(Clone)]
pub struct MaterialTable {
    entries: Box<[MaterialEntry; ENTRIES]>,
}

impl MaterialTable {
    /// A table that knows only bare kings.
    pub fn new() -> MaterialTable {
        let bare = MaterialEntry::new(Counts(0));
        let entries = vec![bare; ENTRIES].into_boxed_slice();
        MaterialTable { entries: entries.try_into().unwrap_or_else(|_| unreachable!("the vector has ENTRIES entries")) }
    }

    /// The entry for these numbers, computed when it is not there.
    #[inline(always)]
    pub fn entry(&mut self, counts: Counts) -> MaterialEntry {
        let entry = &mut self.entries[counts.slot()];
        if entry.counts != counts {
            *entry = MaterialEntry::new(counts);
        }
        *entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(placement: &str) -> MaterialEntry {
        MaterialTable::new().entry(Counts::of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap()))
    }

    fn net(placement: &str) -> i32 {
        let [black, white] = entry(placement).imbalance;
        (white - black).mg()
    }

    #[test]
    fn equal_material_is_balanced() {
        assert_eq!(net("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), 0);
    }

    #[test]
    fn the_numbers_are_read_by_colour_and_kind() {
        let counts = Counts::of(&Board::from_ascii_board_fen(b"rrqk4/ppp5/8/8/8/8/NBBPP3/QQQ4K").unwrap());
        assert_eq!(counts.kinds(Color::White), [1, 2, 1, 2, 0, 3]);
        assert_eq!(counts.kinds(Color::Black), [0, 3, 0, 0, 2, 1]);
    }

    #[test]
    fn pairs_and_pieces_by_example() {
        for (name, placement) in [
            ("bishop pair, few pawns", "r1nqk1nr/ppp5/8/8/8/8/PPP5/R1BQKB1R"),
            ("knight over three pawns", "4k3/pppppppp/8/8/8/8/PPPPP3/1N2K3"),
            ("queen over two rooks keeps minors", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/1N1QKB2"),
        ] {
            assert!(net(placement) > 0, "{name}: {}", net(placement));
        }
    }
}
