//! Mate at a glance: can a queen mate next to the king, without a search? After an idea of Birmingham and Kent (1977), as `levy1989`
//! used it.
//!
//! Exact for what it looks at: a queen goes to a square beside the king that only the king could take back on and that another piece
//! of hers supports, and no flight square is left. Other mates are not seen.

use crate::position::Position;
use shakmaty::{Board, Color, Role, Square, attacks};

/// Could `attacker`, if it were to move, mate with a queen beside the king? Pieces of `attacker` must not be in check.
pub fn queen_mates(position: &Position, attacker: Color) -> bool {
    let board = position.board();
    let king = position.king(!attacker);
    let near = attacks::king_attacks(king) & !board.by_color(attacker);
    board.by_piece(Role::Queen.of(attacker)).into_iter().any(|from| {
        let reach = attacks::queen_attacks(from, board.occupied()) & near;
        reach.into_iter().any(|to| mates(board, attacker, from, to, king, position.king(attacker)))
    })
}

fn mates(board: &Board, attacker: Color, from: Square, to: Square, king: Square, own_king: Square) -> bool {
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
    // The king may not step back along a line through his own square.
    let seen_through = occupied.without(king);
    let flights = attacks::king_attacks(king) & !after.by_color(!attacker);
    flights.into_iter().all(|square| after.attacks_to(square, attacker, seen_through).any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use shakmaty::{CastlingMode, Position as _};

    fn game(fen: &str) -> Game {
        Game::from_fen(fen, CastlingMode::Standard).expect("a position")
    }

    #[test]
    fn a_supported_queen_beside_the_king_mates() {
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
    fn what_it_sees_is_mate() {
        // A walk through many games: whatever is called a mate is one.
        let mut seen = 0;
        for seed in 0..400usize {
            let mut game = game("r1bqk2r/ppp2ppp/2np1n2/2b1p2Q/2B1P3/3P1N2/PPP2PPP/RNB1K2R w KQkq - 0 1");
            for ply in 0..60 {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                let turn = game.position().turn();
                if !game.position().in_check() && queen_mates(game.position(), turn) {
                    seen += 1;
                    let mated = moves.iter().any(|mv| {
                        let after = game.position().play(*mv);
                        mv.role() == Role::Queen && after.chess().is_checkmate()
                    });
                    assert!(mated, "{}", game.fen());
                }
                game.play(moves[(seed * 7919 + ply * 104_729) % moves.len()]);
            }
        }
        assert!(seen > 5, "only {seen} mates were met");
    }
}
