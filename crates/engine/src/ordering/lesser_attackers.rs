//! Lesser attackers: moves of pieces that a cheaper piece attacks.

use super::{Quiet, Sources};
use crate::position::Position;
use crate::see;
use crate::source::Description;
use shakmaty::{Bitboard, Move, Role};

pub(crate) const SOURCE: Description = Description {
    name: "lesser attackers",
    about: "Lesser attackers: moves of pieces attacked by a cheaper one.",
    idea: "A piece attacked by a cheaper one is usually lost, defended or not: its moves are searched earlier, \
        and moves to squares attacked by a cheaper piece later.",
    risk: "Pinned attackers are not excluded, and a more valuable threat of the side to move is ignored.",
    reads: "position.",
    papers: "`practice`.",
};

crate::params! {
    /// moves away from cheaper attackers come early, and moves to squares that they attack come late
    on = false;
    /// bonus for leaving a square that a cheaper piece attacks, per pawn/100 of the piece (history counts)
    escape = 16 in 0..=100 by 2;
    /// malus for reaching such a square, per pawn/100 of the piece (history counts)
    loose = 10 in 0..=100 by 2;
}

crate::source::in_force! { escape: 0, loose: 0 }

/// Roles by their numbers; the first is not used.
const ROLES: usize = Role::King as usize + 1;

/// Squares that the opponent attacks with something that is cheaper than a piece, by its role.
#[derive(Clone, Copy, Default)]
pub(super) struct Cheaper([Bitboard; ROLES]);

impl Cheaper {
    /// The lesser attackers of a node; empty if they are not requested.
    #[inline(always)]
    pub fn of(sources: Sources<'_>) -> Cheaper {
        let p = &sources.orders.weights.lesser_attackers;
        if p.escape | p.loose == 0 { Cheaper::default() } else { Cheaper::seen(sources.position) }
    }

    fn seen(position: &Position) -> Cheaper {
        let board = position.board();
        let than_minor = position.attacked_by(board.pawns());
        let than_rook = than_minor | position.attacked_by(board.knights() | board.bishops());
        let than_queen = than_rook | position.attacked_by(board.rooks());
        let mut by_role = [Bitboard::EMPTY; ROLES]; // the king is never taken, and nothing is cheaper than a pawn
        by_role[Role::Knight as usize] = than_minor;
        by_role[Role::Bishop as usize] = than_minor;
        by_role[Role::Rook as usize] = than_rook;
        by_role[Role::Queen as usize] = than_queen;
        Cheaper(by_role)
    }

    #[inline(always)]
    fn than(&self, role: Role) -> Bitboard {
        self.0[role as usize]
    }
}

/// The bonus of a quiet move for the squares it leaves and reaches.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, _: &super::QuietFacts, quiet: &Quiet<'_>) -> i32 {
    let cheaper = quiet.cheaper.than(quiet.mv.role());
    if cheaper.is_empty() { 0 } else { rated(&sources.orders.weights.lesser_attackers, cheaper, quiet.mv) }
}

fn rated(p: &Params, cheaper: Bitboard, mv: Move) -> i32 {
    // Castling is a move of the king, which has no cheaper attackers.
    let left = mv.from().is_some_and(|from| cheaper.contains(from));
    let reached = cheaper.contains(mv.to());
    let per = if left { p.escape } else { 0 } - if reached { p.loose } else { 0 };
    per * see::value(mv.role())
}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::super::testing::OrderingFixture;
    use super::*;

    fn fixture(fen: &str) -> OrderingFixture {
        OrderingFixture::new(fen).with(|p| p.lesser_attackers.on = true)
    }

    fn bonuses(fixture: &OrderingFixture, moves: &[(&str, i32)]) {
        let cheaper = Cheaper::seen(fixture.game.position());
        for &(uci, bonus) in moves {
            let mv = fixture.mv(uci);
            assert_eq!(rated(&Params::DEFAULT, cheaper.than(mv.role()), mv), bonus, "{uci}");
        }
    }

    /// The pawn on e5 attacks the knight and the rook, the knight on c6 the queen and e7, the rook on h8 what is on the eighth rank.
    const FEN: &str = "4k2r/8/2n5/4p3/1Q1N1R2/8/4P2P/4K3 w - - 0 1";

    #[test]
    fn pieces_leave_squares_where_something_cheaper_attacks_and_do_not_go_there() {
        let p = Params::DEFAULT;
        let worth = see::value;
        bonuses(
            &fixture(FEN),
            &[
                ("d4f3", p.escape * worth(Role::Knight)),
                ("f4f1", p.escape * worth(Role::Rook)),
                ("f4f8", p.escape * worth(Role::Rook)),
                ("b4b1", p.escape * worth(Role::Queen)),
                ("b4f8", (p.escape - p.loose) * worth(Role::Queen)),
                ("b4e7", (p.escape - p.loose) * worth(Role::Queen)),
                ("e2e3", 0),
                ("e1f2", 0),
            ],
        );
        // The knight on b1 is not attacked, and the one on c5 is attacked by a bishop only, which is not cheaper.
        bonuses(
            &fixture("7k/8/8/2N5/2p5/b7/8/1N1RK3 w - - 0 1"),
            &[
                ("c5e4", 0),
                ("c5b3", -p.loose * worth(Role::Knight)),
                ("b1c3", 0),
                ("d1c1", -p.loose * worth(Role::Rook)),
            ],
        );
    }

    #[test]
    fn the_order_follows_unless_it_is_switched_off() {
        let on = fixture(FEN);
        let off = OrderingFixture::new(FEN).with(|p| p.lesser_attackers.on = false);
        assert!(on.place("b4b1") < on.place("e2e3") && on.place("d4f3") < on.place("e2e3"));
        let plain: Vec<_> = off.all(None);
        let first =
            |order: &[(String, Stage)]| order.iter().position(|(_, stage)| *stage == Stage::Quiet).expect("one");
        assert_ne!(on.all(None)[first(&on.all(None))..], plain[first(&plain)..]);
    }
}
