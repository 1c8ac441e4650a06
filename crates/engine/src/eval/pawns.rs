//! Pawn structure, and the small table that remembers it.
//!
//! Everything here is a function of the pawns alone (the shelter: of pawns, king square and castling rights), so the
//! table may answer for another position with the same pawns.

use shakmaty::{Bitboard, Color, Square, attacks};

use super::geometry::{files_beside, fill_files};
use super::material::MaterialTable;
use super::pair::{Pair, pair};
use super::shelter::{Shelter, shelter};
use super::side::{Black, Side, White};
use super::weights::*;

/// Entries of the table; a power of two.
const ENTRIES: usize = 1 << 13;
/// The rank from which a blocked pawn may count as passed when a neighbour can free it.
const FIFTH: usize = 4;

/// What is known about a set of pawns.
#[derive(Clone)]
pub struct PawnEntry {
    /// The pawns this is about, by colour (0 black, 1 white).
    pawns: [Bitboard; 2],
    /// Structure, seen by each colour.
    pub score: [Pair; 2],
    /// Passed pawns and candidates.
    pub passed: [Bitboard; 2],
    /// Squares that pawns attack or may attack when they advance.
    pub span: [Bitboard; 2],
    /// Files with pawns, as whole files.
    pub files: [Bitboard; 2],
    /// Shelter of each king, for the king and castling rights last seen.
    shelter: [Shelter; 2],
}

impl PawnEntry {
    /// Computes the entry of these pawns.
    fn new(pawns: [Bitboard; 2]) -> PawnEntry {
        let mut entry = PawnEntry {
            pawns,
            score: [Pair::ZERO; 2],
            passed: [Bitboard::EMPTY; 2],
            span: [Bitboard::EMPTY; 2],
            files: pawns.map(fill_files),
            shelter: [Shelter::NONE; 2],
        };
        structure::<White>(&mut entry);
        structure::<Black>(&mut entry);
        entry
    }

    /// Shelter of this side's king on `king` with these castling rights; remembered until either changes.
    #[inline(always)]
    pub fn shelter<S: Side>(&mut self, king: Square, castles: Bitboard) -> Pair {
        let known = self.shelter[S::US];
        let castles = castles & S::rank_mask(0);
        if known.is_for(king, castles) {
            return known.value;
        }
        let value = shelter::<S>(self.pawns[S::US], self.pawns[S::THEM], king, castles);
        self.shelter[S::US] = Shelter { king: Some(king), castles, value };
        value
    }

    /// All pawns of both colours.
    #[inline(always)]
    pub fn all(&self) -> Bitboard {
        self.pawns[0] | self.pawns[1]
    }
}

/// Remembers entries by pawn key. Entries are verified by the pawns themselves, so a wrong answer is impossible.
#[derive(Clone)]
pub struct PawnTable {
    entries: Box<[PawnEntry; ENTRIES]>,
    /// What depends on the numbers of pieces, pawns among them.
    pub(super) material: MaterialTable,
}

impl Default for PawnTable {
    fn default() -> PawnTable {
        PawnTable::new()
    }
}

impl PawnTable {
    /// A table that knows only the board without pawns.
    pub fn new() -> PawnTable {
        let empty = PawnEntry::new([Bitboard::EMPTY; 2]);
        let entries: Box<[PawnEntry]> = vec![empty; ENTRIES].into_boxed_slice();
        PawnTable {
            entries: entries.try_into().unwrap_or_else(|_| unreachable!("the vector has ENTRIES entries")),
            material: MaterialTable::new(),
        }
    }

    /// The entry for these pawns (0 black, 1 white), computed when it is not there.
    #[inline(always)]
    pub fn entry(&mut self, key: u64, pawns: [Bitboard; 2]) -> &mut PawnEntry {
        let entry = &mut self.entries[key as usize & (ENTRIES - 1)];
        if entry.pawns != pawns {
            *entry = PawnEntry::new(pawns);
        }
        entry
    }
}

/// Fills in one side's structure.
fn structure<S: Side>(entry: &mut PawnEntry) {
    let (ours, theirs) = (entry.pawns[S::US], entry.pawns[S::THEM]);
    let mut score = Pair::ZERO;
    for sq in ours {
        let pawn = Pawn::new::<S>(sq, ours, theirs);
        score += pawn.score();
        if pawn.passed::<S>(ours, theirs) {
            entry.passed[S::US] |= Bitboard::from_square(sq);
        }
        entry.span[S::US] |= S::front_span(sq) & files_beside(sq);
    }
    entry.score[S::US] = score;
}

/// How one pawn stands among the others.
struct Pawn {
    sq: Square,
    rank: usize,
    opposed: bool,
    stoppers: Bitboard,
    blocked: Bitboard,
    lever: Bitboard,
    lever_push: Bitboard,
    support: Bitboard,
    phalanx: Bitboard,
    neighbours: Bitboard,
    doubled: bool,
    backward: bool,
}

impl Pawn {
    fn new<S: Side>(sq: Square, ours: Bitboard, theirs: Bitboard) -> Pawn {
        let here = Bitboard::from_square(sq);
        let stop = S::up(here);
        let neighbours = ours & files_beside(sq);
        let beside = files_beside(sq) & Bitboard::from_rank(sq.rank());
        let lever = theirs & S::pawn_attacks(here);
        let lever_push = theirs & S::pawn_attacks(stop);
        let blocked = theirs & stop;
        // Neighbours level with the pawn or behind it could still defend it.
        let companions = neighbours & !S::front_span(sq);
        Pawn {
            sq,
            rank: S::rank(sq),
            opposed: (theirs & S::front_file(sq)).any(),
            stoppers: theirs & S::front_span(sq),
            blocked,
            lever,
            lever_push,
            support: neighbours & S::down(beside),
            phalanx: neighbours & beside,
            neighbours,
            doubled: (ours & S::down(here)).any(),
            backward: companions.is_empty() && (lever_push | blocked).any(),
        }
    }

    fn score(&self) -> Pair {
        let mut score = Pair::ZERO;
        if (self.support | self.phalanx).any() {
            let phalanx = i32::from(self.phalanx.any());
            let value =
                CONNECTED[self.rank] * (2 + phalanx - i32::from(self.opposed)) + DEFENDED * self.support.count() as i32;
            score += pair(value, value * CONNECTED_ENDGAME[self.rank] / CONNECTED_ENDGAME_DIVISOR);
        } else if self.neighbours.is_empty() {
            score -= ISOLATED + EXPOSED * i32::from(!self.opposed);
        } else if self.backward {
            score -= BACKWARD + EXPOSED * i32::from(!self.opposed);
        }
        if self.support.is_empty() {
            score -= DOUBLED * i32::from(self.doubled);
            score -= DOUBLE_LEVER * i32::from(self.lever.more_than_one());
        }
        score
    }

    /// Is it passed, or will it be after exchanges on its way that it does not lose?
    fn passed<S: Side>(&self, ours: Bitboard, theirs: Bitboard) -> bool {
        let only_levers = (self.stoppers & !self.lever).is_empty();
        let only_pushes = (self.stoppers & !(self.lever | self.lever_push)).is_empty()
            && self.phalanx.count() >= self.lever_push.count();
        let freed = self.blocked.any() && self.stoppers == self.blocked && self.rank >= FIFTH && {
            let pushes = S::up(self.support) & !theirs;
            pushes.into_iter().any(|sq| !(theirs & attacks::pawn_attacks(S::COLOR, sq)).more_than_one())
        };
        (only_levers || only_pushes || freed) && (ours & S::front_file(self.sq)).is_empty()
    }
}

/// The pawns of a board by colour number.
#[inline(always)]
pub fn pawns_of(board: &shakmaty::Board) -> [Bitboard; 2] {
    let pawns = board.pawns();
    [pawns & board.by_color(Color::Black), pawns & board.by_color(Color::White)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Board;

    fn entry(placement: &str) -> PawnEntry {
        PawnEntry::new(pawns_of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap()))
    }

    #[test]
    fn passed_pawns_by_example() {
        for (name, placement, white, black) in [
            ("free", "8/8/8/3P4/8/8/8/8", "d5", ""),
            ("stopped from beside", "8/2p5/8/3P4/8/8/8/8", "", ""),
            ("rear one of two", "8/8/8/3P4/3P4/8/8/8", "d5", ""),
            ("may take its stopper", "8/8/4p3/3P4/8/8/8/8", "d5", "e6"),
            ("opposed", "8/3p4/8/3P4/8/8/8/8", "", ""),
        ] {
            let e = entry(placement);
            let squares = |b: Bitboard| b.into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" ");
            assert_eq!((squares(e.passed[1]).as_str(), squares(e.passed[0]).as_str()), (white, black), "{name}");
        }
    }

    #[test]
    fn good_structures_are_worth_more() {
        for (name, better, worse) in [
            ("phalanx over isolated", "8/8/8/8/3PP3/8/8/8", "8/8/8/8/2P1P3/8/8/8"),
            ("chain over doubled", "8/8/8/3P4/4P3/8/8/8", "8/8/8/4P3/4P3/8/8/8"),
            ("advanced phalanx", "8/8/3PP3/8/8/8/8/8", "8/8/8/8/3PP3/8/8/8"),
            ("closed over exposed", "4p3/4p3/8/8/8/4P3/8/8", "8/8/8/8/8/4P3/8/8"),
        ] {
            let (b, w) = (entry(better).score[1], entry(worse).score[1]);
            assert!(b.mg() > w.mg() && b.eg() > w.eg(), "{name}: {b:?} {w:?}");
        }
    }

    #[test]
    fn a_remembered_entry_equals_a_new_one() {
        let mut table = PawnTable::new();
        for placement in ["8/pp3p1p/6p1/8/3P4/2P5/P4PPP/8", "8/8/3p4/3P4/8/8/8/8", "8/8/8/8/8/8/8/8"] {
            let pawns = pawns_of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap());
            for _ in 0..2 {
                let found = table.entry(1, pawns).clone();
                let fresh = PawnEntry::new(pawns);
                assert_eq!((found.score, found.passed, found.span), (fresh.score, fresh.passed, fresh.span));
            }
        }
    }
}
