//! Pawn structure, with a small cache.
//!
//! Everything here is a function of the pawns alone (the cover of a king: of pawns and king), so the table may answer for
//! another position with the same pawns.

use shakmaty::{Bitboard, Color, Square};

use super::cover::cover;
use super::groups::*;
use super::material::{Counts, MaterialEntry, MaterialTable};
use super::pair::Pair;
use super::trace::{Trace, weigh};
use crate::geometry::{adjacent_files, fill_files, from_edge};
use crate::side::{Black, ConstColor, White};

/// Entries of the table; a power of two.
const ENTRIES: usize = 1 << 13;
const RANK_1: Bitboard = Bitboard(0xff);

/// The cached values of a set of pawns.
#[derive(Clone)]
pub struct PawnEntry {
    /// The pawns this is about, by colour (0 black, 1 white).
    pawns: [Bitboard; 2],
    /// Structure, seen by each colour.
    pub score: [Pair; 2],
    /// Passed pawns.
    pub passed: [Bitboard; 2],
    /// Squares that pawns attack or may attack when they advance.
    pub span: [Bitboard; 2],
    /// Files with pawns, as whole files.
    pub files: [Bitboard; 2],
    /// Cover of each king, for the king's square last seen.
    cover: [Option<(Square, Pair)>; 2],
}

impl PawnEntry {
    /// Computes the entry of these pawns.
    pub fn new<T: Trace>(pawns: [Bitboard; 2], trace: &mut T) -> PawnEntry {
        let mut entry = PawnEntry {
            pawns,
            score: [Pair::ZERO; 2],
            passed: [passed::<Black>(pawns), passed::<White>(pawns)],
            span: [span::<Black>(pawns[0]), span::<White>(pawns[1])],
            files: pawns.map(fill_files),
            cover: [None; 2],
        };
        entry.score = [structure::<Black, T>(&entry, trace), structure::<White, T>(&entry, trace)];
        entry
    }

    /// Cover of this side's king on `king`; cached until the king moves.
    #[inline(always)]
    pub fn cover<S: ConstColor, T: Trace>(&mut self, king: Square, trace: &mut T) -> Pair {
        match self.cover[S::US] {
            Some((square, value)) if square == king && !T::ACTIVE => value,
            _ => {
                let value = cover::<S, T>(self.pawns[S::US], self.pawns[S::THEM], king, trace);
                self.cover[S::US] = Some((king, value));
                value
            }
        }
    }

    /// All pawns of both colours.
    #[inline(always)]
    pub fn all(&self) -> Bitboard {
        self.pawns[0] | self.pawns[1]
    }
}

/// A cache of entries by pawn key. Entries are verified by the pawns themselves, so a wrong answer is impossible.
#[derive(Clone)]
pub struct PawnTable {
    entries: Box<[PawnEntry; ENTRIES]>,
    /// What depends on the numbers of pieces, pawns among them.
    material: MaterialTable,
}

impl Default for PawnTable {
    /// A table with the entry of the board without pawns only.
    fn default() -> PawnTable {
        let empty = PawnEntry::new([Bitboard::EMPTY; 2], &mut ());
        let entries: Box<[PawnEntry]> = vec![empty; ENTRIES].into_boxed_slice();
        PawnTable {
            entries: entries.try_into().unwrap_or_else(|_| unreachable!("the vector has ENTRIES entries")),
            material: MaterialTable::new(),
        }
    }
}

impl PawnTable {
    /// The entries for these pawns (0 black, 1 white) and numbers of pieces, computed when they are not there.
    #[inline(always)]
    pub fn entries(&mut self, key: u64, pawns: [Bitboard; 2], counts: Counts) -> (&mut PawnEntry, &MaterialEntry) {
        let entry = &mut self.entries[key as usize & (ENTRIES - 1)];
        if entry.pawns != pawns {
            *entry = PawnEntry::new(pawns, &mut ());
        }
        (entry, self.material.entry(counts))
    }
}

/// Passed pawns: no enemy pawn is ahead on the same or a neighbouring file, and no own pawn is ahead.
fn passed<S: ConstColor>(pawns: [Bitboard; 2]) -> Bitboard {
    let (ours, theirs) = (pawns[S::US], pawns[S::THEM]);
    ours.into_iter()
        .filter(|&sq| (S::front_span(sq) & theirs).is_empty() && (S::front_file(sq) & ours).is_empty())
        .collect()
}

/// Squares that these pawns attack or may attack when they advance.
fn span<S: ConstColor>(pawns: Bitboard) -> Bitboard {
    pawns.into_iter().fold(Bitboard::EMPTY, |span, sq| span | (S::front_span(sq) & adjacent_files(sq)))
}

/// One side's structure.
fn structure<S: ConstColor, T: Trace>(entry: &PawnEntry, trace: &mut T) -> Pair {
    let (ours, theirs) = (entry.pawns[S::US], entry.pawns[S::THEM]);
    let mut score = weigh::<S, T>(trace, ISLAND.at(0), islands(entry.files[S::US]));
    for sq in ours {
        let pawn = Pawn::new::<S>(sq, ours, theirs);
        score += pawn.weaknesses::<S, T>(trace);
        score += pawn.strengths::<S, T>(trace);
        if entry.passed[S::US].contains(sq) {
            score += pawn.as_passed::<S, T>(entry.passed[S::US], trace);
        } else if pawn.helped() {
            score += weigh::<S, T>(trace, CANDIDATE.at(pawn.rank), 1);
        }
    }
    score
}

/// Groups of neighbouring files among whole files.
fn islands(files: Bitboard) -> i32 {
    let row = files & RANK_1;
    // A group begins where the file towards a is empty.
    (row & !Bitboard((row & !Bitboard(1 << 7)).0 << 1)).count() as i32
}

/// How one pawn stands among the others.
struct Pawn {
    sq: Square,
    rank: usize,
    /// No enemy pawn before it on its file.
    open: bool,
    /// An own pawn before it on its file.
    doubled: bool,
    /// Enemy pawns that it attacks.
    levers: Bitboard,
    /// Enemy pawn on the square before it.
    ram: Bitboard,
    /// Enemy pawns that attack the square before it.
    guards: Bitboard,
    /// Enemy pawns ahead of it on the adjacent files.
    hinder: Bitboard,
    /// Own pawns that defend it.
    defenders: Bitboard,
    /// Own neighbours on its rank.
    phalanx: Bitboard,
    /// Own pawns on the adjacent files.
    neighbours: Bitboard,
    /// Own pawns on the adjacent files that are not ahead of it.
    helpers: Bitboard,
}

impl Pawn {
    fn new<S: ConstColor>(sq: Square, ours: Bitboard, theirs: Bitboard) -> Pawn {
        let here = Bitboard::from_square(sq);
        let stop = S::up(here);
        let adjacent = adjacent_files(sq) & Bitboard::from_rank(sq.rank());
        let neighbours = ours & adjacent_files(sq);
        Pawn {
            sq,
            rank: S::rank(sq),
            open: (theirs & S::front_file(sq)).is_empty(),
            doubled: (ours & S::front_file(sq)).any(),
            levers: theirs & S::pawn_attacks(here),
            ram: theirs & stop,
            guards: theirs & S::pawn_attacks(stop),
            hinder: theirs & S::front_span(sq) & adjacent_files(sq),
            defenders: neighbours & S::down(adjacent),
            phalanx: neighbours & adjacent,
            neighbours,
            helpers: neighbours & !S::front_span(sq),
        }
    }

    fn weaknesses<S: ConstColor, T: Trace>(&self, trace: &mut T) -> Pair {
        let mut score = Pair::ZERO;
        let open = i32::from(self.open);
        if self.neighbours.is_empty() {
            score += weigh::<S, T>(trace, ISOLATED.at(from_edge(self.sq.file())), 1);
            score += weigh::<S, T>(trace, ISOLATED_OPEN.at(0), open);
        } else if self.helpers.is_empty() && (self.guards | self.ram).any() {
            score += weigh::<S, T>(trace, BACKWARD.at(0), 1);
            score += weigh::<S, T>(trace, BACKWARD_OPEN.at(0), open);
        }
        score + weigh::<S, T>(trace, DOUBLED.at(0), i32::from(self.doubled))
    }

    fn strengths<S: ConstColor, T: Trace>(&self, trace: &mut T) -> Pair {
        let mut score = Pair::ZERO;
        for (group, holds) in
            [(PHALANX, self.phalanx.any()), (DEFENDED, self.defenders.any()), (BLOCKED, self.ram.any())]
        {
            if holds {
                score += weigh::<S, T>(trace, group.at(self.rank), 1);
            }
        }
        score + weigh::<S, T>(trace, LEVER.at(0), self.levers.count() as i32)
    }

    /// What a passed pawn owes to other pawns.
    fn as_passed<S: ConstColor, T: Trace>(&self, passed: Bitboard, trace: &mut T) -> Pair {
        let mut score = weigh::<S, T>(trace, PASSED.at(self.rank), 1);
        let rear = Bitboard::from_rank(self.sq.rank()) | S::up(Bitboard::from_rank(self.sq.rank()));
        if (passed & self.neighbours & rear).any() {
            score += weigh::<S, T>(trace, PASSED_PAIR.at(self.rank), 1);
        }
        if self.defenders.any() {
            score += weigh::<S, T>(trace, PASSED_DEFENDED.at(self.rank), 1);
        }
        score
    }

    /// Returns true if no pawn is before it, and its helpers are at least as many as the enemy pawns that hinder it.
    fn helped(&self) -> bool {
        self.open && !self.doubled && self.helpers.count() >= self.hinder.count()
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
    use super::super::EvaluationCounts;
    use super::*;
    use shakmaty::Board;

    fn entry(placement: &str) -> PawnEntry {
        PawnEntry::new(pawns_of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap()), &mut ())
    }

    #[test]
    fn passed_pawns_by_example() {
        for (name, placement, white, black) in [
            ("free", "8/8/8/3P4/8/8/8/8", "d5", ""),
            ("stopped from beside", "8/2p5/8/3P4/8/8/8/8", "", ""),
            ("front one of two", "8/8/8/3P4/3P4/8/8/8", "d5", ""),
            ("past its neighbour", "8/8/8/3Pp3/8/8/8/8", "d5", "e5"),
            ("opposed", "8/3p4/8/3P4/8/8/8/8", "", ""),
        ] {
            let e = entry(placement);
            let squares = |b: Bitboard| b.into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" ");
            assert_eq!((squares(e.passed[1]).as_str(), squares(e.passed[0]).as_str()), (white, black), "{name}");
        }
    }

    /// White's uses of a group.
    fn uses(placement: &str, group: Group) -> Vec<(usize, i16)> {
        let mut counted = EvaluationCounts::new(Color::White, 0);
        structure::<White, _>(&entry(placement), &mut counted);
        let all = counted.weights.iter().map(|used| (usize::from(used.place), used.count));
        let ours = all.filter(|(place, _)| (group.first..group.first + group.len).contains(place));
        ours.map(|(place, count)| (place - group.first, count)).collect()
    }

    #[test]
    fn each_weight_is_used_as_described() {
        for (name, placement, group, expected) in [
            ("isolated", "8/8/8/8/8/3P4/8/8", ISOLATED, vec![(3, 1)]),
            ("not isolated", "8/8/8/8/4P3/3P4/8/8", ISOLATED, vec![]),
            ("open", "8/8/8/8/8/3P4/8/8", ISOLATED_OPEN, vec![(0, 1)]),
            ("closed", "8/3p4/8/8/8/3P4/8/8", ISOLATED_OPEN, vec![]),
            ("the rear one is doubled", "8/8/8/3P4/8/3P4/8/8", DOUBLED, vec![(0, 1)]),
            ("backward", "8/8/2p5/4P3/8/3P4/8/8", BACKWARD, vec![]),
            ("backward before a guard", "8/8/8/2p1P3/8/3P4/8/8", BACKWARD, vec![(0, 1)]),
            ("still helped", "8/8/8/2p5/8/3P4/4P3/8", BACKWARD, vec![]),
            ("phalanx", "8/8/8/8/3PP3/8/8/8", PHALANX, vec![(3, 2)]),
            ("defended", "8/8/8/3P4/4P3/8/8/8", DEFENDED, vec![(4, 1)]),
            ("rammed", "8/8/3p4/3P4/8/8/8/8", BLOCKED, vec![(4, 1)]),
            ("lever", "8/8/2p1p3/3P4/8/8/8/8", LEVER, vec![(0, 2)]),
            ("candidate", "8/2p5/8/8/3PP3/8/8/8", CANDIDATE, vec![(3, 1)]),
            ("no candidate: outnumbered", "8/2p1p3/8/8/3PP3/8/8/8", CANDIDATE, vec![]),
            ("no candidate: opposed", "8/2pp4/8/8/2PP4/8/8/8", CANDIDATE, vec![]),
            ("passed", "8/8/3P4/8/8/8/8/8", PASSED, vec![(5, 1)]),
            ("pair", "8/8/3PP3/8/8/8/8/8", PASSED_PAIR, vec![(5, 2)]),
            ("pair one ahead", "8/8/4P3/3P4/8/8/8/8", PASSED_PAIR, vec![(4, 1)]),
            ("passed and defended", "8/8/4P3/3P4/8/8/8/8", PASSED_DEFENDED, vec![(5, 1)]),
            ("islands", "8/8/8/8/8/8/PP1P2PP/8", ISLAND, vec![(0, 3)]),
            ("edge files are not neighbours", "8/8/8/8/8/8/P6P/8", ISLAND, vec![(0, 2)]),
        ] {
            assert_eq!(uses(placement, group), expected, "{name}");
        }
    }

    #[test]
    fn spans_are_the_squares_that_pawns_can_come_to_attack() {
        let e = entry("8/8/8/8/3P4/8/8/8");
        let expected: Bitboard = (4..8).flat_map(|rank| [2, 4].map(|file| Square::new(rank * 8 + file))).collect();
        assert_eq!((e.span[1], e.span[0]), (expected, Bitboard::EMPTY));
        assert_eq!(e.files[1], Bitboard::from_file(shakmaty::File::D));
    }

    #[test]
    fn good_structures_are_worth_more() {
        for (name, better, worse) in [
            ("phalanx over isolated", "8/8/8/8/3PP3/8/8/8", "8/8/8/8/2P1P3/8/8/8"),
            ("chain over doubled", "8/8/8/3P4/4P3/8/8/8", "8/8/8/4P3/4P3/8/8/8"),
            ("far passed pawn", "8/8/4P3/8/8/8/8/8", "8/8/8/8/4P3/8/8/8"),
        ] {
            let (b, w) = (entry(better).score[1], entry(worse).score[1]);
            assert!(b.mg() + b.eg() > w.mg() + w.eg(), "{name}: {b:?} {w:?}");
        }
    }
}
