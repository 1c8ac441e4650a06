//! Static exchange evaluation: does a move gain at least a given value on its square?
//!
//! It ignores pins, overloading and in-between checks. Ordering and pruning use it; it is never a bound of a score.

use crate::position::Position;
use crate::score::Score;
use shakmaty::{Bitboard, Board, Color, Move, Role, Square, attacks};
use std::cell::Cell;

/// Exchange values by role (pawns/100), pawn to king.
const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

/// Roles in the order in which they join an exchange.
const BY_VALUE: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The exchange value of a role (pawns/100).
#[inline(always)]
pub const fn value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

/// The immediate gain of `mv`: the captured piece, and for a promotion the new piece instead of the pawn (pawns/100).
#[inline]
pub fn gain(mv: Move) -> i32 {
    let captured = mv.capture().map_or(0, value);
    let promoted = mv.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
    captured + promoted
}

/// White's material less Black's (pawns/100).
pub fn balance(position: &Position) -> Score {
    let board = position.board();
    let count = |role: Role, color: Color| (board.by_role(role) & board.by_color(color)).count() as i32;
    let of = |role: Role| value(role) * (count(role, Color::White) - count(role, Color::Black));
    Score(BY_VALUE.into_iter().map(of).sum())
}

/// The known bounds of the exchange that one move starts. A query is computed only if earlier results do not decide it.
#[derive(Clone, Debug)]
pub struct Exchange {
    at_least: Cell<Score>,
    below: Cell<Score>,
}

impl Exchange {
    /// The bounds from an earlier test: its threshold, and whether the exchange reaches it.
    #[inline(always)]
    pub const fn known(tested: Option<(Score, bool)>) -> Exchange {
        let (at_least, below) = match tested {
            Some((threshold, true)) => (threshold, Score::INFINITE),
            Some((threshold, false)) => (Score(-Score::INFINITE.0), threshold),
            None => (Score(-Score::INFINITE.0), Score::INFINITE),
        };
        Exchange { at_least: Cell::new(at_least), below: Cell::new(below) }
    }

    /// Returns true if the exchange of `mv`, always the same move, is worth at least `threshold`.
    #[inline(always)]
    pub fn reaches(&self, position: &Position, mv: Move, threshold: Score) -> bool {
        if threshold <= self.at_least.get() {
            return true;
        }
        if threshold >= self.below.get() {
            return false;
        }
        let reached = position.see_ge(mv, threshold);
        if reached { &self.at_least } else { &self.below }.set(threshold);
        reached
    }
}

impl Position {
    /// Returns true if the exchange started by `mv` wins at least `threshold` for the mover.
    pub fn see_ge(&self, mv: Move, threshold: Score) -> bool {
        let Some(from) = mv.from() else { return threshold <= Score::ZERO };
        if mv.is_castle() {
            return threshold <= Score::ZERO;
        }
        let to = mv.to();
        let mut balance = gain(mv) - threshold.0;
        if balance < 0 {
            return false;
        }
        let on_square = mv.promotion().unwrap_or(mv.role());
        balance -= value(on_square);
        if balance >= 0 {
            return true;
        }
        let board = self.board();
        let mut occupied = board.occupied().without(from).with(to);
        if mv.is_en_passant() {
            occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
        }
        exchange(board, to, occupied, !self.turn(), balance)
    }
}

/// The most that the side to move wins by one exchange or promotion; zero if none gains anything.
pub fn best_exchange(position: &Position) -> Score {
    let mut best = 0;
    for mv in position.legal_moves() {
        let reaches = |value: i32| position.see_ge(mv, Score(value));
        let mut most = gain(mv);
        if most <= best || !reaches(best + 1) {
            continue;
        }
        best += 1;
        while best < most {
            let middle = (best + most + 1) / 2;
            if reaches(middle) {
                best = middle;
            } else {
                most = middle - 1;
            }
        }
    }
    Score(best)
}

/// Plays out the captures on `to`; `balance` is seen by the side that made the last capture and is negative.
fn exchange(board: &Board, to: Square, mut occupied: Bitboard, mut side: Color, mut balance: i32) -> bool {
    let mover = !side;
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut attackers = all_attackers(board, to, occupied) & occupied;
    loop {
        let own = attackers & board.by_color(side);
        let Some((role, from)) = least_valuable(board, own) else { break };
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        occupied = occupied.without(from);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        attackers &= occupied;
        side = !side;
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    side != mover
}

fn all_attackers(board: &Board, to: Square, occupied: Bitboard) -> Bitboard {
    board.attacks_to(to, Color::White, occupied) | board.attacks_to(to, Color::Black, occupied)
}

fn least_valuable(board: &Board, own: Bitboard) -> Option<(Role, Square)> {
    if own.is_empty() {
        return None;
    }
    BY_VALUE.iter().find_map(|&role| (own & board.by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_best_exchange_is_that_of_the_most_valuable_unprotected_piece() {
        for (name, fen, expected) in [
            ("nothing to take", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0),
            ("a protected pawn", "4k3/8/2p5/3p4/8/8/3R4/4K3 w - - 0 1", 0),
            ("a pawn and a knight", "4k3/8/8/p2n4/8/8/3R4/R3K3 w - - 0 1", 320),
            ("a queen by a protected rook", "3rk3/8/8/3q4/8/8/3R4/4K3 w - - 0 1", 950 - 500),
            ("a promotion", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", 950 - 100),
            ("a queen that is pinned to nothing", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 950),
        ] {
            assert_eq!(best_exchange(testing::game(fen).position()), Score(expected), "{name}");
        }
    }

    #[test]
    fn a_remembered_exchange_answers_as_a_new_one() {
        let fen = "r2q1rk1/pb1nbppp/1p2pn2/2ppN3/3P1B2/2PBPQ2/PP1N1PPP/R4RK1 w - - 0 11";
        let game = testing::game(fen);
        let position = game.position();
        const THRESHOLDS: [i32; 9] = [0, -330, 100, -90, 330, -950, 320, 1, 0];
        for mv in position.legal_moves() {
            for first in THRESHOLDS.map(Score) {
                let tested = Some((first, position.see_ge(mv, first)));
                for exchange in [Exchange::known(None), Exchange::known(tested)] {
                    for threshold in THRESHOLDS.map(Score) {
                        let remembered = exchange.reaches(position, mv, threshold);
                        assert_eq!(remembered, position.see_ge(mv, threshold), "{mv} {threshold:?} after {first:?}");
                    }
                }
            }
        }
    }
}
