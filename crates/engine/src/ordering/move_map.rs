//! Neural MoveMap.

use super::extras::{MoveSet, RatedMove, RatingView};
use super::network::{NAT, Network, Sparse, seen_by};
use crate::position::Position;
use crate::score::Depth;
use crate::source::Description;
use shakmaty::{Move, Square};
use std::sync::LazyLock;

pub(crate) const SOURCE: Description = Description {
    name: "Neural MoveMap",
    about: "Neural MoveMap: a network with the pieces as inputs.",
    idea: "A small neural network predicts how likely a move from one square to another is the best one; the result \
        is added to the history score. The inputs are six planes of pieces, own and enemy with opposite signs, as the \
        side to move sees them. The outputs are the 1792 pairs of squares that a queen or a knight connects, computed \
        for legal moves only. The network was trained on the quiet moves of self-play games.",
    risk: "Slow compared with a history table: limited to nodes with enough depth. Positions that differ from those of \
        the games are rated badly.",
    reads: "position.",
    papers: "`kocsis2002`.",
};

crate::params! {
    /// order quiet moves by a network with the pieces as inputs
    on = false;
    /// least depth (plies)
    depth_min = 6 in 1..=20 by 1;
    /// score for each factor e in the predicted odds of a move (history counts)
    weight = 3000 in 0..=32000 by 250;
    /// only on the principal variation
    pv_only = false;
}

/// A piece of a role on a square, own or enemy.
pub const INPUTS: usize = ROLES * SQUARES;
/// Pairs of squares that a queen or a knight can connect.
pub const OUTPUTS: usize = 1792;
/// Hidden units of the network that is built in.
pub const HIDDEN: usize = 24;

const ROLES: usize = 6;
const SQUARES: usize = 64;

static BUILT_IN: &[u8] = include_bytes!("networks/move_map.bin");
static NETWORK: LazyLock<Option<Network>> = LazyLock::new(|| Network::parse(BUILT_IN, INPUTS, OUTPUTS).ok()); // a test reads it

/// The number of each pair of squares, by from and to.
static UNITS: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let mut next = 0;
    let numbered = Square::ALL.into_iter().flat_map(|from| Square::ALL.into_iter().map(move |to| (from, to)));
    numbered
        .map(|(from, to)| {
            let number = next;
            next += u16::from(connected(from, to));
            number
        })
        .collect()
});

/// Returns true if a queen or a knight can move from one square to the other.
fn connected(from: Square, to: Square) -> bool {
    let files = (from.file() as i32 - to.file() as i32).abs();
    let ranks = (from.rank() as i32 - to.rank() as i32).abs();
    let straight = files == 0 || ranks == 0 || files == ranks;
    from != to && (straight || files * ranks == 2)
}

/// The pieces: 1 own, -1 enemy.
pub fn inputs(position: &Position) -> Sparse {
    let turn = position.turn();
    let piece = |(square, piece): (Square, shakmaty::Piece)| {
        let input = (piece.role as usize - 1) * SQUARES + seen_by(turn, square) as usize;
        (input as u16, if piece.color == turn { 1 } else { -1 })
    };
    position.board().iter().take(SQUARES).map(piece).collect()
}

/// The unit of a move: castling is that of king and rook.
pub fn units(position: &Position, mv: Move) -> Sparse {
    let turn = position.turn();
    let (from, to) = (seen_by(turn, mv.from().unwrap_or(mv.to())), seen_by(turn, mv.to()));
    let mut units = Sparse::new();
    if connected(from, to) {
        units.push((UNITS[from as usize * SQUARES + to as usize], 1));
    }
    units
}

/// Rates quiet moves by the network.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    let p = &view.p.move_map;
    let applies = view.set == MoveSet::Quiet
        && view.context.depth >= Depth::plies(p.depth_min)
        && (!p.pv_only || view.context.kind == crate::node::NodeType::Pv);
    let Some(network) = NETWORK.as_ref().filter(|_| applies && moves.len() > 1) else { return };
    let hidden = network.hidden(&inputs(view.position));
    for rated in moves {
        rated.score += network.value(&hidden, &units(view.position, rated.mv)) * p.weight / NAT;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pair_that_a_piece_can_connect_has_a_unit_of_its_own() {
        let pairs = || Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| (from, to)));
        let numbers: HashSet<u16> = pairs()
            .filter(|(from, to)| connected(*from, *to))
            .map(|(from, to)| UNITS[from as usize * SQUARES + to as usize])
            .collect();
        assert_eq!((numbers.len(), numbers.into_iter().max()), (OUTPUTS, Some(OUTPUTS as u16 - 1)));
    }

    #[test]
    fn both_sides_see_the_same_of_mirrored_positions() {
        let white = OrderingFixture::new("r3k3/pp3ppp/2n5/3q4/8/2N2B2/PP3PPP/3R2K1 w - - 0 1");
        let black = OrderingFixture::new("3r2k1/pp3ppp/2n2b2/8/3Q4/2N5/PP3PPP/R3K3 b - - 0 1");
        let seen = |fixture: &OrderingFixture| {
            let mut sparse = inputs(fixture.game.position());
            sparse.sort_unstable();
            sparse
        };
        assert_eq!(seen(&white), seen(&black));
        assert_eq!(seen(&white).len(), white.game.position().board().occupied().count());
        let units = |fixture: &OrderingFixture, uci: &str| units(fixture.game.position(), fixture.mv(uci));
        for (one, other) in [("c3b5", "c6b4"), ("f3e4", "f6e5"), ("d1c1", "d8c8")] {
            assert_eq!(units(&white, one), units(&black, other), "{one}");
        }
        assert_ne!(units(&white, "c3b5"), units(&white, "c3a4"));
    }

    #[test]
    fn the_built_in_network_is_asked_at_its_depth() {
        assert!(NETWORK.is_some(), "the file fits");
        let fen = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8";
        let mut fixture = OrderingFixture::new(fen).with(|p| p.move_map.on = true);
        let moves = ["c1g5", "g1h1", "a1b1", "c3b1"];
        let order = |fixture: &OrderingFixture| fixture.added_to(&moves);
        fixture.context().depth = Depth::plies(5);
        assert_eq!(order(&fixture), vec![0; 4], "not deep enough");
        fixture.context().depth = Depth::plies(6);
        let scores = order(&fixture);
        assert!(scores[0] > scores[3], "a bishop comes out before a knight goes home: {scores:?}");
    }
}
