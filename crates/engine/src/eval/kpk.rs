//! King and pawn against king, exactly: a table of won positions computed at first use.
//!
//! The won positions are the least set closed under "White has a move into the set" and "Black has a move, and every
//! move of his leads into the set"; everything outside is a draw. White is the side with the pawn, and by mirroring the
//! pawn stands on files a to d.

use std::sync::OnceLock;

use shakmaty::{Bitboard, Color, File, Rank, Square, attacks};

const SQUARES: usize = 64;
/// Pawn squares: files a to d, ranks 2 to 7.
const PAWNS: usize = 24;
const PAWN_FILES: usize = 4;
const SIZE: usize = 2 * PAWNS * SQUARES * SQUARES;
const WORD: usize = 64;

/// A position, mirrored so that White has the pawn on files a to d.
#[derive(Clone, Copy)]
struct Kpk {
    white_to_move: bool,
    white: Square,
    black: Square,
    pawn: Square,
}

/// Returns true if the position is won for the side with the pawn. Colours as on the board.
pub fn is_won(strong: Color, strong_king: Square, pawn: Square, weak_king: Square, turn: Color) -> bool {
    static TABLE: OnceLock<Box<[u64]>> = OnceLock::new();
    let table = TABLE.get_or_init(solve);
    let turned = |sq: Square| {
        let sq = if strong.is_white() { sq } else { sq.flip_vertical() };
        if pawn.file() > File::D { sq.flip_horizontal() } else { sq }
    };
    let position =
        Kpk { white_to_move: turn == strong, white: turned(strong_king), black: turned(weak_king), pawn: turned(pawn) };
    get(table, position.index())
}

#[inline]
fn get(table: &[u64], index: usize) -> bool {
    table[index / WORD] >> (index % WORD) & 1 != 0
}

/// Adds winning positions until nothing changes: pawn by pawn from the seventh rank down, because a pawn that advances comes to
/// positions that are known then.
fn solve() -> Box<[u64]> {
    let mut table = vec![0; SIZE / WORD].into_boxed_slice();
    for rank in [Rank::Seventh, Rank::Sixth, Rank::Fifth, Rank::Fourth, Rank::Third, Rank::Second] {
        for file in [File::A, File::B, File::C, File::D] {
            while grow(&mut table, Square::from_coords(file, rank)) {}
        }
    }
    table
}

/// Adds positions of this pawn that are won by what the table has; returns true if there were any.
fn grow(table: &mut [u64], pawn: Square) -> bool {
    let mut grew = false;
    for (white_to_move, white) in [false, true].into_iter().flat_map(|turn| Square::ALL.map(|white| (turn, white))) {
        for black in Square::ALL {
            let position = Kpk { white_to_move, white, black, pawn };
            let index = position.index();
            if !get(table, index) && position.legal() && position.wins(table) {
                table[index / WORD] |= 1 << (index % WORD);
                grew = true;
            }
        }
    }
    grew
}

impl Kpk {
    fn index(self) -> usize {
        let pawn = (self.pawn.rank() as usize - 1) * PAWN_FILES + self.pawn.file() as usize;
        ((usize::from(self.white_to_move) * PAWNS + pawn) * SQUARES + self.white as usize) * SQUARES
            + self.black as usize
    }

    fn pawn_hits(self, sq: Square) -> bool {
        attacks::pawn_attacks(Color::White, self.pawn).contains(sq)
    }

    fn legal(self) -> bool {
        self.white.distance(self.black) > 1
            && self.white != self.pawn
            && self.black != self.pawn
            && !(self.white_to_move && self.pawn_hits(self.black))
    }

    fn wins(self, table: &[u64]) -> bool {
        if self.white_to_move { self.white_wins(table) } else { self.black_loses(table) }
    }

    fn white_wins(self, table: &[u64]) -> bool {
        let next = Kpk { white_to_move: false, ..self };
        let walks =
            attacks::king_attacks(self.white) & !attacks::king_attacks(self.black) & !Bitboard::from_square(self.pawn);
        walks.into_iter().any(|white| get(table, Kpk { white, ..next }.index())) || self.push_wins(table, next)
    }

    fn push_wins(self, table: &[u64], next: Kpk) -> bool {
        let free = |sq: Square| sq != self.white && sq != self.black;
        let Some(step) = self.pawn.offset(8).filter(|sq| free(*sq)) else { return false };
        if step.rank() == Rank::Eighth {
            return self.black.distance(step) > 1 || self.white.distance(step) == 1;
        }
        if get(table, Kpk { pawn: step, ..next }.index()) {
            return true;
        }
        let jump = step.offset(8).filter(|sq| self.pawn.rank() == Rank::Second && free(*sq));
        jump.is_some_and(|pawn| get(table, Kpk { pawn, ..next }.index()))
    }

    fn black_loses(self, table: &[u64]) -> bool {
        let moves = attacks::king_attacks(self.black)
            & !attacks::king_attacks(self.white)
            & !attacks::pawn_attacks(Color::White, self.pawn);
        if moves.is_empty() {
            return self.pawn_hits(self.black);
        }
        let next = Kpk { white_to_move: true, ..self };
        // Taking the pawn draws, and the empty table says so: no position has a king on the pawn.
        moves.into_iter().all(|black| get(table, Kpk { black, ..next }.index()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Square::*;

    #[test]
    fn textbook_positions() {
        for (name, king, pawn, weak, turn, won) in [
            ("king before pawn, opposition", E6, E5, E8, Color::Black, true),
            ("sixth rank wins either way", E6, E5, E8, Color::White, true),
            ("no opposition", E4, E3, E6, Color::White, false),
            ("opposition held", E4, E3, E6, Color::Black, true),
            ("rook pawn, king in the corner", A6, A5, A8, Color::White, false),
            ("outside the square", A1, H5, A5, Color::White, true),
            ("stalemate trick", E6, E7, E8, Color::Black, false),
            ("pawn lost", A1, E4, E5, Color::Black, false),
        ] {
            assert_eq!(is_won(Color::White, king, pawn, weak, turn), won, "{name}");
            let f = Square::flip_vertical;
            assert_eq!(is_won(Color::Black, f(king), f(pawn), f(weak), turn.other()), won, "{name}, black");
            let h = Square::flip_horizontal;
            assert_eq!(is_won(Color::White, h(king), h(pawn), h(weak), turn), won, "{name}, mirrored");
        }
    }

    #[test]
    fn counts_agree_with_the_literature() {
        // The usual bitbase of this ending has 111 282 won entries of these 196 608.
        let won: u32 = solve().iter().map(|word| word.count_ones()).sum();
        assert_eq!(won, 111_282);
    }
}
