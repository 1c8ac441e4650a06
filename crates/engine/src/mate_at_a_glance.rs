//! Mate at a glance: detects mates by a queen next to the king, and by a queen or rook on its back rank, without a search. After an idea of
//! Birmingham and Kent (`birmingham-kent1980`), as `levy1989` used it.
//!
//! The test is exact for two patterns. In the first, a queen moves next to the king to a square that another piece supports and on which
//! only the king could recapture. In the second, a queen or rook gives check along the back rank, and no piece can capture it or stand
//! between. In both, no flight square is left. Other mates are not detected.

use crate::position::Position;
use shakmaty::{Bitboard, Board, Color, Rank, Role, Square, attacks};

/// Could `attacker`, if it were to move, mate in one of these ways? Its king must not be in check.
pub fn mates(position: &Position, attacker: Color) -> bool {
    queen_mates(position, attacker) || back_rank_mates(position, attacker)
}

/// Mates by a queen next to the king.
fn queen_mates(position: &Position, attacker: Color) -> bool {
    let board = position.board();
    let king = position.king(!attacker);
    let near = attacks::king_attacks(king) & !board.by_color(attacker);
    board.by_piece(Role::Queen.of(attacker)).into_iter().any(|from| {
        let reach = attacks::queen_attacks(from, board.occupied()) & near;
        reach.into_iter().any(|to| mates_adjacent(board, attacker, from, to, king, position.king(attacker)))
    })
}

fn mates_adjacent(board: &Board, attacker: Color, from: Square, to: Square, king: Square, own_king: Square) -> bool {
    let mut after = board.clone();
    let Some(queen) = after.remove_piece_at(from) else { return false };
    after.set_piece_at(to, queen);
    let occupied = after.occupied();
    let takers = after.attacks_to(to, !attacker, occupied).without(king);
    if takers.any() || after.attacks_to(to, attacker, occupied).is_empty() {
        return false;
    }
    if after.attacks_to(own_king, !attacker, occupied).any() {
        return false; // the queen is pinned
    }
    no_flight(&after, attacker, king)
}

/// Returns true if the king has no flight square.
fn no_flight(board: &Board, attacker: Color, king: Square) -> bool {
    // It may not step back along a line through its own square.
    let seen_through = board.occupied().without(king);
    let flights = attacks::king_attacks(king) & !board.by_color(!attacker);
    flights.into_iter().all(|square| board.attacks_to(square, attacker, seen_through).any())
}

/// With a queen or rook on the king's back rank.
fn back_rank_mates(position: &Position, attacker: Color) -> bool {
    let board = position.board();
    let king = position.king(!attacker);
    let back = attacker.fold_wb(Rank::Eighth, Rank::First);
    let heavy = board.rooks_and_queens() & board.by_color(attacker);
    if king.rank() != back || heavy.is_empty() {
        return false;
    }
    let squares = Bitboard::from_rank(back) & !board.by_color(attacker);
    heavy.into_iter().any(|from| {
        let diagonal = board.queens().contains(from);
        let reach = if diagonal {
            attacks::queen_attacks(from, board.occupied())
        } else {
            attacks::rook_attacks(from, board.occupied())
        };
        (reach & squares).into_iter().any(|to| mates_along(board, attacker, from, to, king, position.king(attacker)))
    })
}

fn mates_along(board: &Board, attacker: Color, from: Square, to: Square, king: Square, own_king: Square) -> bool {
    let mut after = board.clone();
    let Some(piece) = after.remove_piece_at(from) else { return false };
    after.set_piece_at(to, piece);
    let occupied = after.occupied();
    let between = attacks::between(to, king);
    if (between & occupied).any() || after.attacks_to(own_king, !attacker, occupied).any() {
        return false; // it gives no check, or it is pinned
    }
    let takers = after.attacks_to(to, !attacker, occupied);
    let king_takes = takers.contains(king) && after.attacks_to(to, attacker, occupied.without(king)).is_empty();
    if takers.without(king).any() || king_takes {
        return false;
    }
    // Pawns cannot come back to their own back rank.
    let helpers = !after.pawns() & !Bitboard::from(king);
    let stands_between = |square| (after.attacks_to(square, !attacker, occupied) & helpers).any();
    !between.into_iter().any(stands_between) && no_flight(&after, attacker, king)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;
    use shakmaty::Position as _;

    #[test]
    fn a_supported_queen_next_to_the_king_mates() {
        for (fen, mates) in [
            ("6k1/5ppp/6P1/7Q/8/8/8/6K1 w - - 0 1", false),
            ("6k1/5p1p/5P1Q/8/8/8/8/6K1 w - - 0 1", true),
            ("6k1/5p1p/5P1Q/8/8/8/6b1/6K1 w - - 0 1", true),
            ("6k1/5p1p/7Q/8/8/8/8/6K1 w - - 0 1", false),
            ("5rk1/5p1p/5P1Q/8/8/8/8/6K1 w - - 0 1", true),
            ("5bk1/5p1p/5P1Q/8/8/8/8/6K1 w - - 0 1", false),
            ("5rk1/5p1p/5P1Q/6r1/8/8/8/1K6 w - - 0 1", false),
        ] {
            let game = game(fen);
            assert_eq!(queen_mates(game.position(), Color::White), mates, "{fen}");
        }
    }

    #[test]
    fn a_check_along_the_back_rank_mates() {
        for (name, fen, mates) in [
            ("a rook, pawns in front of the king", "6k1/5ppp/8/8/8/8/8/2R3K1 w - - 0 1", true),
            ("a queen", "6k1/5ppp/8/8/8/8/8/2Q3K1 w - - 0 1", true),
            ("an air hole", "6k1/5pp1/7p/8/8/8/8/2R3K1 w - - 0 1", false),
            ("a rook stands between", "r5k1/5ppp/8/8/8/8/8/2R3K1 w - - 0 1", false),
            ("a knight can come between", "6k1/4nppp/8/8/8/8/8/1R4K1 w - - 0 1", false),
            ("a bishop can take it", "6k1/5ppp/8/5b2/8/8/8/2R3K1 w - - 0 1", false),
            ("the king can take it", "6k1/5ppp/8/8/8/8/8/5R1K w - - 0 1", false),
            ("the rook is pinned along the first rank", "6k1/5ppp/8/8/8/8/8/r1R3K1 w - - 0 1", false),
            ("pinned on a diagonal", "6k1/5ppp/8/8/1b6/2R5/8/4K3 w - - 0 1", false),
            ("the king is not on its back rank", "8/5ppp/6k1/8/8/8/8/2R3K1 w - - 0 1", false),
            ("a line with nothing to flee to", "k7/8/1K6/8/8/8/8/7R w - - 0 1", true),
        ] {
            assert_eq!(back_rank_mates(game(fen).position(), Color::White), mates, "{name}");
        }
        let black = game("2r3k1/8/8/8/8/8/5PPP/6K1 b - - 0 1");
        assert!(back_rank_mates(black.position(), Color::Black) && super::mates(black.position(), Color::Black));
    }

    #[test]
    fn a_reported_mate_is_mate() {
        // A walk through many games: whatever is called a mate is one.
        let mut seen = 0;
        let starts = [
            "r1bqk2r/ppp2ppp/2np1n2/2b1p2Q/2B1P3/3P1N2/PPP2PPP/RNB1K2R w KQkq - 0 1",
            "3r2k1/2r2ppp/8/8/8/8/2R2PPP/3R2K1 w - - 0 1",
        ];
        for seed in 0..400usize {
            let mut game = game(starts[seed % 2]);
            for ply in 0..60 {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                let turn = game.position().turn();
                if !game.position().in_check() && super::mates(game.position(), turn) {
                    seen += 1;
                    let mated = moves.iter().any(|mv| {
                        let after = game.position().play(*mv);
                        after.chess().is_checkmate()
                    });
                    assert!(mated, "{}", game.fen());
                }
                game.play(moves[(seed * 7919 + ply * 104_729) % moves.len()]);
            }
        }
        assert!(seen > 5, "only {seen} mates were met");
    }
}
