//! Material and piece-square values, and the signed table that make-move adds up.

use super::pair::{Pair, pair};

const ROLES: usize = 7;
const SQUARES: usize = 64;
const HALF: usize = 4;
const RANKS: usize = 8;
/// Turns a square number over to the other side of the board.
const FLIP: usize = 56;

/// What a piece is worth by itself (pawns/100), by role number (`Role as usize`: pawn 1 to king 6; 0 is unused).
pub const VALUE: [Pair; ROLES] =
    [Pair::ZERO, pair(60, 100), pair(368, 400), pair(388, 430), pair(600, 650), pair(1192, 1260), Pair::ZERO];

/// Worth of a piece's square (pawns/100) by role number, rank from the owner's home, and file from the edge (a or h
/// first): the board is taken as symmetric between its wings.
pub const HALF_BOARD: [[[Pair; HALF]; RANKS]; ROLES] = [
    [[Pair::ZERO; HALF]; RANKS],
    // pawn
    [
        [pair(0, 0), pair(0, 0), pair(0, 0), pair(0, 0)],
        [pair(0, -7), pair(2, -3), pair(7, 3), pair(8, 3)],
        [pair(-8, -4), pair(-2, -4), pair(8, -2), pair(12, 2)],
        [pair(-5, -1), pair(-5, -3), pair(6, -4), pair(15, -4)],
        [pair(4, 4), pair(-2, 4), pair(-1, -1), pair(6, -5)],
        [pair(-2, 9), pair(-5, 7), pair(-1, 8), pair(5, 12)],
        [pair(-4, 2), pair(2, 2), pair(-3, 8), pair(-2, 11)],
        [pair(0, 0), pair(0, 0), pair(0, 0), pair(0, 0)],
    ],
    // knight
    [
        [pair(-82, -45), pair(-43, -31), pair(-35, -23), pair(-34, -10)],
        [pair(-36, -31), pair(-20, -24), pair(-13, -9), pair(-7, 4)],
        [pair(-29, -19), pair(-8, -13), pair(3, -3), pair(6, 13)],
        [pair(-16, -16), pair(4, -2), pair(18, 6), pair(22, 14)],
        [pair(-15, -20), pair(7, -7), pair(21, 5), pair(24, 18)],
        [pair(-4, -24), pair(11, -20), pair(27, -8), pair(26, 9)],
        [pair(-31, -32), pair(-13, -24), pair(3, -22), pair(16, 5)],
        [pair(-94, -48), pair(-39, -41), pair(-26, -26), pair(-13, -9)],
    ],
    // bishop
    [
        [pair(-24, -26), pair(-3, -14), pair(-5, -17), pair(-11, -6)],
        [pair(-7, -17), pair(5, -6), pair(9, -7), pair(2, 0)],
        [pair(-3, -8), pair(9, -1), pair(-1, 0), pair(8, 5)],
        [pair(-2, -9), pair(5, -2), pair(12, 0), pair(18, 8)],
        [pair(-6, -8), pair(13, -1), pair(11, -5), pair(15, 7)],
        [pair(-8, -13), pair(3, 2), pair(1, 2), pair(5, 3)],
        [pair(-8, -15), pair(-7, -9), pair(2, 0), pair(0, 0)],
        [pair(-23, -22), pair(-2, -19), pair(-7, -17), pair(-11, -11)],
    ],
    // rook
    [
        [pair(-15, -4), pair(-9, -6), pair(-6, -5), pair(-1, -4)],
        [pair(-11, -5), pair(-6, -4), pair(-4, -1), pair(2, -1)],
        [pair(-12, 2), pair(-5, -3), pair(-1, -1), pair(1, -2)],
        [pair(-8, -2), pair(-3, 0), pair(-2, -2), pair(-2, 2)],
        [pair(-12, -1), pair(-6, 3), pair(-2, 2), pair(1, -1)],
        [pair(-10, 3), pair(-1, 1), pair(3, -1), pair(6, 3)],
        [pair(-1, 3), pair(6, 3), pair(8, 7), pair(9, 1)],
        [pair(-8, 8), pair(-8, 2), pair(0, 8), pair(4, 6)],
    ],
    // queen
    [
        [pair(1, -32), pair(-2, -27), pair(-2, -21), pair(2, -12)],
        [pair(-1, -26), pair(2, -15), pair(4, -10), pair(5, -2)],
        [pair(-1, -18), pair(3, -8), pair(6, -4), pair(4, 2)],
        [pair(1, -11), pair(3, -1), pair(4, 6), pair(4, 11)],
        [pair(0, -14), pair(6, -3), pair(6, 5), pair(3, 10)],
        [pair(-2, -18), pair(5, -8), pair(4, -5), pair(4, 1)],
        [pair(-2, -23), pair(3, -13), pair(5, -10), pair(4, -4)],
        [pair(-1, -34), pair(-1, -24), pair(0, -20), pair(-1, -17)],
    ],
    // king
    [
        [pair(47, -51), pair(73, -31), pair(46, -13), pair(13, -16)],
        [pair(50, -27), pair(61, -5), pair(30, 11), pair(4, 12)],
        [pair(12, -10), pair(40, 10), pair(0, 28), pair(-23, 31)],
        [pair(-3, -4), pair(9, 22), pair(-15, 30), pair(-34, 30)],
        [pair(-9, -6), pair(3, 26), pair(-30, 41), pair(-47, 42)],
        [pair(-22, -8), pair(-12, 29), pair(-42, 35), pair(-64, 38)],
        [pair(-38, -30), pair(-23, 5), pair(-49, 4), pair(-64, 10)],
        [pair(-52, -46), pair(-39, -24), pair(-58, -18), pair(-80, -15)],
    ],
];

/// Material plus square (pawns/100) by colour (0 black, 1 white), role number and square number, seen by White:
/// white pieces count positive, black ones negative.
pub static PSQ: [[[Pair; SQUARES]; ROLES]; 2] = {
    let mut table = [[[Pair::ZERO; SQUARES]; ROLES]; 2];
    let mut role = 1;
    while role < ROLES {
        let mut sq = 0;
        while sq < SQUARES {
            let file = sq % RANKS;
            let edge = if file < HALF { file } else { RANKS - 1 - file };
            let value = VALUE[role].plus(HALF_BOARD[role][sq / RANKS][edge]);
            table[1][role][sq] = value;
            table[0][role][sq ^ FLIP] = pair(-value.mg(), -value.eg());
            sq += 1;
        }
        role += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Color, Role, Square};

    #[test]
    fn colours_cancel_on_mirrored_squares() {
        for role in Role::ALL {
            for sq in Square::ALL {
                let white = PSQ[Color::White as usize][role as usize][sq as usize];
                let black = PSQ[Color::Black as usize][role as usize][sq.flip_vertical() as usize];
                assert_eq!(white + black, Pair::ZERO, "{role:?} {sq}");
            }
        }
    }

    #[test]
    fn material_follows_the_usual_order() {
        for pair in VALUE[Role::Pawn as usize..=Role::Queen as usize].windows(2) {
            assert!(pair[0].mg() < pair[1].mg() && pair[0].eg() < pair[1].eg());
        }
    }
}
