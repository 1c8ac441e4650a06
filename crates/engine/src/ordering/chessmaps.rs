//! Chessmaps.

use super::extras::{Learner, MoveSet, NodeResult, Params as All, RatedMove, RatingView};
use super::network::{NAT, Network, Sparse, seen_by};
use crate::position::{Position, is_quiet};
use crate::score::{Depth, MAX_PLY};
use crate::source::Description;
use shakmaty::{Bitboard, Move, Role, Square, attacks};
use std::sync::LazyLock;

pub(crate) const SOURCE: Description = Description {
    name: "Chessmaps",
    about: "Chessmaps: a network with the control of squares as inputs.",
    idea: "A small neural network predicts in which of eleven sectors of the board control is valuable. Its inputs \
        are the side that controls each square and the places of the kings. A quiet move is rated by the control that \
        it adds and gives up. The sectors are pairs of ranks on each wing and three areas between them. A move that \
        adds control in a sector where the last quiet cutoff move of this ply did so gets a bonus. The network has \
        sixteen hidden units. Unlike that of the paper, it was trained on the quiet moves of self-play games to \
        predict the move played.",
    risk: "Slow, because the attackers of every square are counted: limited to nodes with enough depth. Control is the \
        only input.",
    reads: "position, path (the last cutoff move of this ply).",
    papers: "`greer1999`, `greer2000`.",
};

crate::params! {
    /// order quiet moves by a network with the control of squares as inputs
    on = false;
    /// least depth (plies)
    depth_min = 6 in 1..=20 by 1;
    /// score for each factor e in the predicted odds of a move (history counts)
    weight = 3000 in 0..=32000 by 250;
    /// bonus for control in sectors of the ply's last cutoff move (history counts)
    killer_sector = 500 in 0..=8000 by 100;
    /// only on the principal variation
    pv_only = false;
}

/// The control of each square, then the parts of the board where the kings are, own and enemy.
pub const INPUTS: usize = SQUARES + 2 * FILE_GROUPS;
/// The sectors of the board.
pub const OUTPUTS: usize = 2 * WING_SECTORS + CENTRE_SECTORS;
/// Hidden units of the network that is built in.
pub const HIDDEN: usize = 16;

const SQUARES: usize = 64;
const FILE_GROUPS: usize = 3;
/// Sectors of each wing: pairs of ranks.
const WING_SECTORS: usize = 4;
/// Sectors of the two files in the middle.
const CENTRE_SECTORS: usize = 3;
/// Which of them a rank belongs to.
const CENTRE_OF_RANK: [usize; 8] = [0, 0, 0, 1, 1, 2, 2, 2];
/// Queen's side, middle, king's side.
const GROUP_OF_FILE: [usize; 8] = [0, 0, 0, 1, 1, 2, 2, 2];

static BUILT_IN: &[u8] = include_bytes!("networks/chessmaps.bin");
static NETWORK: LazyLock<Option<Network>> = LazyLock::new(|| Network::parse(BUILT_IN, INPUTS, OUTPUTS).ok()); // a test reads it

fn file_group(square: usize) -> usize {
    GROUP_OF_FILE[square % GROUP_OF_FILE.len()]
}

/// The sector of a square, as the mover sees it: those of the queen's side first, then the middle, then the king's side.
fn sector(square: usize) -> usize {
    let rank = square / CENTRE_OF_RANK.len();
    match file_group(square) {
        0 => rank / 2,
        1 => WING_SECTORS + CENTRE_OF_RANK[rank],
        _ => WING_SECTORS + CENTRE_SECTORS + rank / 2,
    }
}

/// Control of every square (1 own, -1 enemy) and the places of the kings.
pub fn inputs(position: &Position) -> Sparse {
    let (board, turn) = (position.board(), position.turn());
    let count = |square, side| board.attacks_to(square, side, board.occupied()).count();
    let control = Square::ALL.into_iter().filter_map(|square| {
        let factor = count(square, turn).cmp(&count(square, !turn)) as i8;
        (factor != 0).then_some((seen_by(turn, square) as u16, factor))
    });
    let kings = [turn, !turn].into_iter().enumerate().map(|(which, side)| {
        let group = file_group(seen_by(turn, position.king(side)) as usize);
        ((SQUARES + which * FILE_GROUPS + group) as u16, 1)
    });
    control.chain(kings).collect()
}

/// The change of the number of squares that the moved piece controls in each sector; nothing for castling.
pub fn units(position: &Position, mv: Move) -> Sparse {
    let (board, turn) = (position.board(), position.turn());
    let Some(from) = mv.from().filter(|_| !mv.is_castle()) else { return Sparse::new() };
    let role = mv.promotion().unwrap_or(mv.role());
    let without = board.occupied().without(from);
    let reach = |role: Role, square, occupied| attacks::attacks(square, role.of(turn), occupied);
    let mut gains = [0i8; OUTPUTS];
    let mut add = |squares: Bitboard, factor: i8| {
        squares.into_iter().for_each(|square| gains[sector(seen_by(turn, square) as usize)] += factor);
    };
    add(reach(role, mv.to(), without.with(mv.to())), 1);
    add(reach(mv.role(), from, board.occupied()), -1);
    gains.iter().enumerate().filter(|(_, gain)| **gain != 0).map(|(sector, &gain)| (sector as u16, gain)).collect()
}

/// The sectors where a move adds control, as bits.
fn gaining(units: &Sparse) -> u16 {
    units.iter().filter(|(_, gain)| *gain > 0).fold(0, |bits, (sector, _)| bits | 1 << sector)
}

crate::history::heap_table! {
    /// The sectors in which the last cutoff of each ply added control, as bits.
    pub struct Chessmaps([u16; MAX_PLY + 2]) = 0;
}

impl Learner for Chessmaps {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let p = &view.p.chessmaps;
        let applies = view.set == MoveSet::Quiet
            && view.context.depth >= Depth::plies(p.depth_min)
            && (!p.pv_only || view.context.kind == crate::node::NodeType::Pv);
        let Some(network) = NETWORK.as_ref().filter(|_| applies && moves.len() > 1) else { return };
        let hidden = network.hidden(&inputs(view.position));
        let marked = self.0[view.ply.index()];
        for rated in moves {
            let units = units(view.position, rated.mv);
            let bonus = if gaining(&units) & marked != 0 { p.killer_sector } else { 0 };
            rated.score += network.value(&hidden, &units) * p.weight / NAT + bonus;
        }
    }

    fn update(&mut self, _: &All, result: &NodeResult<'_>) {
        if let Some(mv) = result.cut.filter(|&mv| is_quiet(mv)) {
            self.0[result.ply.index()] = gaining(&units(result.position, mv));
        }
    }

    fn begin(&mut self, _: &All) {
        self.0.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use super::*;
    use crate::score::Score;

    #[test]
    fn both_sides_see_the_same_of_mirrored_positions() {
        let white = OrderingFixture::new("r3k3/pp3ppp/2n5/3q4/8/2N2B2/PP3PPP/3R2K1 w - - 0 1");
        let black = OrderingFixture::new("3r2k1/pp3ppp/2n2b2/8/3Q4/2N5/PP3PPP/R3K3 b - - 0 1");
        let sorted = |mut sparse: Sparse| {
            sparse.sort_unstable();
            sparse
        };
        let seen = |fixture: &OrderingFixture| sorted(inputs(fixture.game.position()));
        assert_eq!(seen(&white), seen(&black));
        let units = |fixture: &OrderingFixture, uci: &str| sorted(units(fixture.game.position(), fixture.mv(uci)));
        for (one, other) in [("c3b5", "c6b4"), ("f3e4", "f6e5"), ("g1f1", "g8f8"), ("d1c1", "d8c8")] {
            assert_eq!(units(&white, one), units(&black, other), "{one}");
        }
    }

    #[test]
    fn a_move_gives_up_what_it_saw_and_gains_what_it_sees() {
        let fixture = OrderingFixture::new("4k3/8/8/8/8/8/8/N3K3 w - - 0 1");
        // From a1 the knight sees b3 and c2, from b3 a1, a5, c1, c5, d2 and d4.
        let gains = units(fixture.game.position(), fixture.mv("a1b3"));
        let expected: &[(u16, i8)] = &[(0, 2 - 1), (1, -1), (2, 2), (4, 1), (5, 1)];
        assert_eq!(gains.as_slice(), expected);
        let control = inputs(fixture.game.position());
        let of = |square: Square| control.iter().find(|(input, _)| *input == square as u16).map(|(_, factor)| *factor);
        let found = [Square::B3, Square::D2, Square::D7, Square::H5].map(of);
        assert_eq!(found, [Some(1), Some(1), Some(-1), None]);
        let kings: Vec<u16> = control.iter().map(|(input, _)| *input).filter(|&input| input >= 64).collect();
        assert_eq!(kings, [65, 68], "both in the middle");
    }

    /// The partition that did best in the publication.
    #[test]
    fn sectors_are_those_of_the_publication() {
        let mut board = String::new();
        for rank in (0..8).rev() {
            let names = (0..8).map(|file| char::from(b"abcdefghijk"[sector(8 * rank + file)]));
            board.extend(names.chain(['/']));
        }
        assert_eq!(board, "dddggkkk/dddggkkk/cccggjjj/cccffjjj/bbbffiii/bbbeeiii/aaaeehhh/aaaeehhh/");
        assert_eq!(OUTPUTS, 11);
    }

    #[test]
    fn the_built_in_network_is_used_at_its_depth_and_marks_sectors() {
        assert!(NETWORK.is_some(), "the file fits");
        let fen = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8";
        let mut fixture = OrderingFixture::new(fen).with(|p| p.chessmaps.on = true);
        let moves = ["c1g5", "h2h4", "c3d5", "a1b1"];
        let order = |fixture: &OrderingFixture| fixture.added_to(&moves);
        fixture.context().depth = Depth::plies(5);
        assert_eq!(order(&fixture), vec![0; 4], "not deep enough");
        fixture.context().depth = Depth::plies(6);
        let scores = order(&fixture);
        assert!(scores.iter().any(|&score| score != scores[0]), "{scores:?}");
        fixture.update(PLY, Score(10), Some("c3d5"), &[]);
        let marked = order(&fixture);
        assert_eq!(marked[2], scores[2] + Params::DEFAULT.killer_sector, "its own sectors");
    }
}
