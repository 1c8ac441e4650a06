//! Material and squares as one table, so that a move changes one sum.

use shakmaty::{Board, Color, Role, Square};

use super::groups::*;
use super::pair::Pair;
use super::trace::{Term, Trace};
use super::weights::WEIGHTS;

const ROLES: usize = 7;
const SQUARES: usize = 64;
const FILES: usize = 8;
const HALF: usize = 4;

/// Weight of a piece in the game phase, by role number.
pub const PHASE: [i32; ROLES] = [0, 0, 1, 1, 2, 4, 0];
/// Phase of the opening position.
pub const PHASE_MAX: i32 = 24;

/// Piece and square together, by colour (0 black, 1 white), role number and square; White minus Black.
pub static PSQ: [[[Pair; SQUARES]; ROLES]; 2] = {
    let mut table = [[[Pair::ZERO; SQUARES]; ROLES]; 2];
    let mut role = Role::Pawn as usize;
    while role < ROLES {
        let mut sq = 0;
        while sq < SQUARES {
            let mut value = WEIGHTS[square_place(role, sq)];
            if role < Role::King as usize {
                value = value.plus(WEIGHTS[VALUE.at(role - Role::Pawn as usize)]);
            }
            table[1][role][sq] = value;
            // The mirrored square for Black, with the sign turned.
            table[0][role][sq ^ (SQUARES - FILES)] = value.negative();
            sq += 1;
        }
        role += 1;
    }
    table
};

/// Place of the weight of a role on a square, seen by White.
const fn square_place(role: usize, sq: usize) -> usize {
    let (rank, file) = (sq / FILES, sq % FILES);
    let from_edge = if file < HALF { file } else { FILES - 1 - file };
    PAWN_SQUARE.first + (role - Role::Pawn as usize) * HALF_BOARD + rank * HALF + from_edge
}

/// Writes down every piece and its square.
pub fn trace<T: Trace>(board: &Board, trace: &mut T) {
    for (sq, piece) in board {
        let (value, square) = places(piece.color, piece.role, sq);
        if let Some(value) = value {
            trace.weigh(value, piece.color, 1);
        }
        trace.weigh(square, piece.color, 1);
        trace.note(Term::Material, piece.color, value_of(piece.role));
        trace.note(Term::Squares, piece.color, WEIGHTS[square]);
    }
}

/// Places of the weights of a piece (none for the king) and of its square.
fn places(color: Color, role: Role, sq: Square) -> (Option<usize>, usize) {
    let sq = if color.is_white() { sq } else { sq.flip_vertical() };
    let piece = (role != Role::King).then(|| VALUE.at(role as usize - Role::Pawn as usize));
    (piece, square_place(role as usize, sq as usize))
}

/// The material value of a piece, without its square.
pub fn value_of(role: Role) -> Pair {
    if role == Role::King { Pair::ZERO } else { WEIGHTS[VALUE.at(role as usize - Role::Pawn as usize)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_mirrored_left_to_right_and_top_to_bottom() {
        for role in Role::ALL {
            for sq in Square::ALL {
                let here = PSQ[1][role as usize][sq as usize];
                assert_eq!(PSQ[1][role as usize][sq.flip_horizontal() as usize], here, "{role:?} {sq}");
                assert_eq!(PSQ[0][role as usize][sq.flip_vertical() as usize], -here, "{role:?} {sq}");
                let (piece, square) = places(Color::White, role, sq);
                let sum = piece.map_or(Pair::ZERO, |place| WEIGHTS[place]) + WEIGHTS[square];
                assert_eq!(sum, here, "{role:?} {sq}");
                assert_eq!(places(Color::Black, role, sq.flip_vertical()), (piece, square));
            }
        }
    }
}
