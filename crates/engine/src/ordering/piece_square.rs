//! Piece-square order.

use super::extras::{MoveSet, RatedMove, RatingView};
use super::network::{NAT, Network, Sparse, seen_by};
use crate::position::Position;
use crate::source::Description;
use shakmaty::{Color, Move, Role, Square};
use std::sync::LazyLock;

pub(crate) const SOURCE: Description = Description {
    name: "piece-square order",
    about: "Piece-square order: values of a move's squares.",
    idea: "A quiet move is rated by the value of its destination square for the piece minus that of its origin. The \
        tables are made for move ordering, one for each of four classes of the number of pieces, and trained on the \
        quiet moves of self-play games to predict the move played. The tables of the evaluation predict the value of \
        positions.",
    risk: "The value of a square does not depend on the other pieces.",
    reads: "position.",
    papers: "`schroder-rebel`.",
};

crate::params! {
    /// order quiet moves by the values of their squares
    on = false;
    /// score for each factor e in the predicted odds of a move (history counts)
    weight = 3000 in 0..=32000 by 250;
}

/// Classes of the number of pieces on the board.
pub const INPUTS: usize = 4;
/// Each piece on each square.
pub const OUTPUTS: usize = ROLES * SQUARES;
/// Hidden units of the network that is built in.
pub const HIDDEN: usize = 4;

const ROLES: usize = 6;
const SQUARES: usize = 64;
/// Numbers of pieces in a class.
const CLASS_PIECES: usize = 8;

static BUILT_IN: &[u8] = include_bytes!("networks/piece_square.bin");
static NETWORK: LazyLock<Option<Network>> = LazyLock::new(|| Network::parse(BUILT_IN, INPUTS, OUTPUTS).ok()); // a test reads it

/// The class of the number of pieces on the board: 2 to 8, 9 to 16, 17 to 24, or more.
pub fn inputs(position: &Position) -> Sparse {
    let class = (position.board().occupied().count().saturating_sub(1) / CLASS_PIECES).min(INPUTS - 1);
    [(class as u16, 1)].into_iter().collect()
}

/// The piece on its new square, and no more on its old one; nothing for castling, where two pieces move.
pub fn units(position: &Position, mv: Move) -> Sparse {
    let Some(from) = mv.from().filter(|_| !mv.is_castle()) else { return Sparse::new() };
    let turn = position.turn();
    [(unit(turn, mv.promotion().unwrap_or(mv.role()), mv.to()), 1), (unit(turn, mv.role(), from), -1)]
        .into_iter()
        .collect()
}

/// A piece on a square, as the mover sees it: its first rank is the first.
fn unit(turn: Color, role: Role, square: Square) -> u16 {
    ((role as usize - Role::Pawn as usize) * SQUARES + seen_by(turn, square) as usize) as u16
}

/// Rates quiet moves by what the squares gain.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    let Some(network) = NETWORK.as_ref().filter(|_| view.set == MoveSet::Quiet) else { return };
    let hidden = network.hidden(&inputs(view.position));
    for rated in moves {
        rated.score += network.value(&hidden, &units(view.position, rated.mv)) * view.p.piece_square.weight / NAT;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;
    use super::*;

    #[test]
    fn knights_go_to_the_middle_for_both_sides() {
        for (fen, good, bad) in [
            ("4k3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 w - - 0 1", "b1c3", "b1a3"),
            ("1n2k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1", "b8c6", "b8a6"),
        ] {
            let fixture = OrderingFixture::new(fen).with(|p| p.piece_square.on = true);
            let [good, bad] = [good, bad].map(|uci| fixture.added(uci));
            assert!(good > bad && good > 0, "{fen}: {good} {bad}");
        }
    }

    #[test]
    fn a_move_and_its_way_back_add_up_to_nothing() {
        let there = OrderingFixture::new("4k3/8/8/8/8/8/8/N3K3 w - - 0 1").with(|p| p.piece_square.on = true);
        let back = OrderingFixture::new("4k3/8/8/8/8/1N6/8/4K3 w - - 0 1").with(|p| p.piece_square.on = true);
        let there = there.added("a1b3");
        assert!(there != 0 && there == -back.added("b3a1"), "{there}");
    }

    #[test]
    fn a_move_is_a_piece_on_its_new_square_less_on_its_old_one() {
        let white = OrderingFixture::new("4k3/1P6/8/8/8/8/8/N3K2R w K - 0 1");
        let of = |fixture: &OrderingFixture, uci: &str| units(fixture.game.position(), fixture.mv(uci)).to_vec();
        let knight = |square: Square| (SQUARES + square as usize) as u16;
        assert_eq!(of(&white, "a1b3"), [(knight(Square::B3), 1), (knight(Square::A1), -1)]);
        let black = OrderingFixture::new("n3k2r/8/8/8/8/8/1p6/4K3 b k - 0 1");
        assert_eq!(of(&black, "a8b6"), of(&white, "a1b3"), "both sides see the same");
        assert_eq!(of(&white, "b7b8r"), of(&black, "b2b1r"));
        let rook = (3 * SQUARES + Square::B8 as usize) as u16;
        assert_eq!(of(&white, "b7b8r"), [(rook, 1), (Square::B7 as u16, -1)], "a new rook, no pawn");
        assert_eq!(of(&white, "e1g1"), [], "castling");
    }

    #[test]
    fn tables_change_with_the_number_of_pieces() {
        for (class, placement) in [
            (0, "4k3/8/8/8/8/8/8/4K3"),
            (0, "4k3/ppp5/8/8/8/8/PPP5/4K3"),
            (1, "4k3/pppp4/8/8/8/8/PPP5/4K3"),
            (2, "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3"),
            (2, "r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R"),
            (3, "r1bqk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R"),
            (3, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ] {
            let fixture = OrderingFixture::new(&format!("{placement} w - - 0 1"));
            assert_eq!(inputs(fixture.game.position()).as_slice(), [(class, 1)], "{placement}");
        }
    }
}
