//! Piece-square order.
//!
//! *Idea*: A move that takes a piece to a better square is a better move: what the squares are worth to the pieces after the move, less
//! what they were worth before, by the tables of our own evaluation in the game phase at hand.
//! *Risk*: The tables were fitted to what positions are worth, not to which moves cut.
//! *Reads*: position only.
//! *Papers*: `schroder-rebel`.
//! *Measured*: ECM, 20 000 nodes, on: 529 solved (+55 -73 against 547 with it off), nodes to the solution x0.99 (0.92 ..
//! 1.06), +8.7 Elo (-30.6 .. +48.2) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::extras::{Portion, Rated, View};
use crate::eval;
use shakmaty::{Move, Role, Square};

crate::params! {
    /// quiet moves are ordered by what their squares are worth
    on = false;
    /// weight of what is gained (history counts per pawn/100)
    weight = 32 in 0..=256 by 4;
}

/// Rates quiet moves by what the squares gain.
pub(super) fn rate(view: &View<'_>, moves: &mut [Rated]) {
    if view.portion != Portion::Quiet {
        return;
    }
    let (board, turn) = (view.position.board(), view.position.turn());
    let phase = eval::squares::phase(board);
    let worth = |role: Role, square: Square| eval::squares::worth(role.of(turn), square, phase);
    let gained = |mv: Move| match (mv, mv.from()) {
        (Move::Castle { .. }, _) | (_, None) => 0, // two pieces move: nothing is said
        (_, Some(from)) => worth(mv.promotion().unwrap_or(mv.role()), mv.to()) - worth(mv.role(), from),
    };
    for rated in moves {
        rated.score += gained(rated.mv) * view.p.piece_square.weight;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scene;

    #[test]
    fn knights_go_to_the_middle_for_both_sides() {
        for (fen, good, bad) in [
            ("4k3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 w - - 0 1", "b1c3", "b1a3"),
            ("1n2k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1", "b8c6", "b8a6"),
        ] {
            let scene = Scene::new(fen).with(|p| p.piece_square.on = true);
            assert!(scene.added(good) > scene.added(bad), "{fen}");
            let back = scene.added(good);
            assert!(back > 0, "{fen}: {back}");
        }
    }

    #[test]
    fn a_move_and_its_way_back_add_up_to_nothing() {
        let there = Scene::new("4k3/8/8/8/8/8/8/N3K3 w - - 0 1").with(|p| p.piece_square.on = true);
        let back = Scene::new("4k3/8/8/8/8/1N6/8/4K3 w - - 0 1").with(|p| p.piece_square.on = true);
        assert_eq!(there.added("a1b3"), -back.added("b3a1"));
    }
}
