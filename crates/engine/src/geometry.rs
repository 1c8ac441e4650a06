//! Board geometry: masks and distances that the terms of the evaluation share, as tables computed at compile time.

use shakmaty::{Bitboard, Board, Color, File, Square, attacks};

const FILES: usize = 8;
const SQUARES: usize = 64;
const LAST: usize = 7;

/// Squares of file a.
const FILE_A: u64 = 0x0101_0101_0101_0101;
/// Squares of rank 1.
const RANK_1: u64 = 0xff;

/// Every square of a file.
#[inline(always)]
pub fn file_of(sq: Square) -> Bitboard {
    Bitboard::from_file(sq.file())
}

/// Every square of the files next to the one `sq` stands on.
#[inline(always)]
pub fn adjacent_files(sq: Square) -> Bitboard {
    Bitboard(ADJACENT_FILES[sq.file() as usize])
}

/// Every square on files up to two away from the one `sq` stands on.
#[inline(always)]
pub fn files_around(sq: Square) -> Bitboard {
    Bitboard(AROUND[sq.file() as usize])
}

/// Distance of a file from the nearer edge of the board, 0 to 3.
#[inline(always)]
pub fn from_edge(file: File) -> usize {
    let f = file as usize;
    f.min(LAST - f)
}

/// King moves between two squares.
#[inline(always)]
pub fn distance(a: Square, b: Square) -> i32 {
    i32::from(DISTANCE[a as usize][b as usize])
}

/// Every square on the files of `squares`.
#[inline(always)]
pub fn fill_files(squares: Bitboard) -> Bitboard {
    let mut b = squares.0;
    b |= (b << 8) | (b >> 8);
    b |= (b << 16) | (b >> 16);
    b |= b.rotate_left(32);
    Bitboard(b)
}

/// The pieces of either colour that alone stand between `king` and a slider of `attacker`.
#[inline(always)]
pub fn shields(board: &Board, king: Square, attacker: Color) -> Bitboard {
    let snipers = ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
        | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()))
        & board.by_color(attacker);
    let mut shields = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            shields |= between;
        }
    }
    shields
}

const ADJACENT_FILES: [u64; FILES] = files_apart(1, 1);
const AROUND: [u64; FILES] = files_apart(0, 2);

/// By file: every square of the files that are at least `least` and at most `most` files away.
const fn files_apart(least: usize, most: usize) -> [u64; FILES] {
    let mut table = [0; FILES];
    let mut f = 0;
    while f < FILES {
        let mut other = 0;
        while other < FILES {
            if least <= f.abs_diff(other) && f.abs_diff(other) <= most {
                table[f] |= FILE_A << other;
            }
            other += 1;
        }
        f += 1;
    }
    table
}

const DISTANCE: [[u8; SQUARES]; SQUARES] = {
    let mut table = [[0; SQUARES]; SQUARES];
    let mut a = 0;
    while a < SQUARES {
        let mut b = 0;
        while b < SQUARES {
            let files = (a % FILES).abs_diff(b % FILES);
            let ranks = (a / FILES).abs_diff(b / FILES);
            table[a][b] = if files > ranks { files } else { ranks } as u8;
            b += 1;
        }
        a += 1;
    }
    table
};

/// By colour (0 black, 1 white): the squares in front of a pawn on its file.
pub static FRONT_FILE: [[u64; SQUARES]; 2] = fronts(false);
/// By colour (0 black, 1 white): the squares in front of a pawn on its file and the adjacent files, free of enemy pawns if the
/// pawn is passed.
pub static FRONT_SPAN: [[u64; SQUARES]; 2] = fronts(true);

const fn fronts(with_adjacent: bool) -> [[u64; SQUARES]; 2] {
    let mut table = [[0; SQUARES]; 2];
    let mut sq = 0;
    while sq < SQUARES {
        let file = sq % FILES;
        let rank = sq / FILES;
        let mut files = FILE_A << file;
        if with_adjacent {
            files |= ADJACENT_FILES[file];
        }
        let mut below = 0;
        let mut above = 0;
        let mut r = 0;
        while r < FILES {
            if r < rank {
                below |= RANK_1 << (r * FILES);
            } else if r > rank {
                above |= RANK_1 << (r * FILES);
            }
            r += 1;
        }
        table[0][sq] = files & below;
        table[1][sq] = files & above;
        sq += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_by_example() {
        assert_eq!(FRONT_FILE[1][Square::E6 as usize], Bitboard::from_iter([Square::E7, Square::E8]).0);
        assert_eq!(FRONT_FILE[0][Square::E3 as usize], Bitboard::from_iter([Square::E2, Square::E1]).0);
        assert_eq!(Bitboard(FRONT_SPAN[1][Square::A6 as usize]).count(), 4);
        assert_eq!(Bitboard(FRONT_SPAN[0][Square::E2 as usize]).count(), 3);
    }

    #[test]
    fn distances_and_files_by_example() {
        assert_eq!(distance(Square::A1, Square::H8), 7);
        assert_eq!(distance(Square::C3, Square::D5), 2);
        assert_eq!(from_edge(File::H), 0);
        assert_eq!(from_edge(File::D), 3);
        assert_eq!(fill_files(Bitboard::from_square(Square::C4)), Bitboard::from_file(File::C));
        assert_eq!(adjacent_files(Square::A5), Bitboard::from_file(File::B));
        assert!(files_around(Square::G1).contains(Square::E5) && !files_around(Square::G1).contains(Square::D5));
        assert_eq!(files_around(Square::A1).count(), 24);
    }
}
