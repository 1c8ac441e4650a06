//! The start positions of Chess960 by their numbers.

use quarterply_engine::position::Game;
use shakmaty::CastlingMode;

/// How many start positions there are.
pub const START_POSITIONS: usize = 960;

/// Squares of one colour on a rank, for each bishop.
const BISHOP_SQUARES: usize = 4;
/// Squares left for the queen after the bishops.
const QUEEN_SQUARES: usize = 6;
/// On which of the five squares left the knights stand, by number.
const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// The start position with this number, as they are commonly counted: 518 is that of chess; numbers begin again after 959.
pub fn start_position(number: usize) -> Game {
    let rank = first_rank(number);
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{rank} w KQkq - 0 1", rank.to_lowercase());
    Game::from_fen(&fen, CastlingMode::Chess960).unwrap_or_default()
}

/// White's first rank: bishops, queen and knights are placed in turn, rooks and king take the three squares left.
fn first_rank(number: usize) -> String {
    let mut rank = [' '; 8];
    let rest = number % START_POSITIONS;
    let (rest, light) = (rest / BISHOP_SQUARES, rest % BISHOP_SQUARES);
    let (rest, dark) = (rest / BISHOP_SQUARES, rest % BISHOP_SQUARES);
    let (knights, queen) = (rest / QUEEN_SQUARES, rest % QUEEN_SQUARES);
    rank[2 * light + 1] = 'B';
    rank[2 * dark] = 'B';
    place(&mut rank, queen, 'Q');
    let [left, right] = KNIGHTS[knights];
    // The right knight first: it does not move the free squares on its left.
    place(&mut rank, right, 'N');
    place(&mut rank, left, 'N');
    for piece in ['R', 'K', 'R'] {
        place(&mut rank, 0, piece);
    }
    rank.iter().collect()
}

/// Puts a piece on the free square with this number, counted from the left.
fn place(rank: &mut [char; 8], free: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == ' ').nth(free) {
        *square = piece;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_those_in_use() {
        // FIDE Laws of Chess, Guidelines II, and the tables of start positions by R. Scharnagl.
        for (number, rank) in
            [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (534, "RNBKQBNR"), (959, "RKRNNQBB"), (1478, "RNBQKBNR")]
        {
            assert_eq!(first_rank(number), rank, "{number}");
        }
    }

    #[test]
    fn all_are_different_and_legal() {
        let ranks: HashSet<String> = (0..START_POSITIONS).map(|number| start_position(number).fen()).collect();
        assert_eq!(ranks.len(), START_POSITIONS);
        for rank in (0..START_POSITIONS).map(first_rank) {
            let find = |piece| rank.find(piece).expect("a king and rooks");
            assert!(find('R') < find('K') && find('K') < rank.rfind('R').expect("a rook"), "{rank}");
        }
    }
}
