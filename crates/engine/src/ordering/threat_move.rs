//! Moves against the threat that refuted the null move.

use super::extras::{MoveSet, RatedMove, RatingView};
use crate::source::Description;
use shakmaty::{Bitboard, Move, Role, Square, attacks};

pub(crate) const SOURCE: Description = Description {
    name: "threat move",
    about: "Moves against the threat that refuted the null move.",
    idea: "If the null move fails low, the opponent's refutation is a threat: moves that capture its piece, move \
        its target away, block its path or guard its target are searched early.",
    risk: "The threat is from a shallow search, and often one of several.",
    reads: "window (of the null move), position.",
    papers: "`donninger1993`, `practice`.",
};

crate::params! {
    /// moves against the refutation of the null move come early
    on = false;
    /// bonus for moving the piece that the threat would take (history counts)
    escape = 12000 in 0..=99999 by 1000;
    /// bonus for blocking the path of the threat (history counts)
    block = 8000 in 0..=99999 by 1000;
    /// bonus for guarding the target square of the threat (history counts)
    guard = 6000 in 0..=99999 by 1000;
    /// bonus for taking the piece that threatens (counts; 10 equal a pawn/100 of the victim)
    take = 3000 in 0..=20000 by 250;
}

/// Rates the moves that meet the threat.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    let Some(threat) = view.context.threat else { return };
    let p = &view.p.threat_move;
    let (Some(from), target) = (threat.from(), threat.to()) else { return };
    let way = attacks::between(from, target);
    for rated in moves {
        rated.score += match view.set {
            MoveSet::Noisy if rated.mv.to() == from => p.take,
            MoveSet::Noisy => 0,
            MoveSet::Quiet => quiet(p, view, threat, (way, target), rated.mv),
        };
    }
}

fn quiet(p: &Params, view: &RatingView<'_>, threat: Move, (way, target): (Bitboard, Square), mv: Move) -> i32 {
    let mover = mv.from().filter(|_| !mv.is_castle());
    if threat.is_capture() && mover == Some(target) {
        return p.escape;
    }
    let Some(from) = mover.filter(|_| mv.role() != Role::King) else { return 0 };
    if way.contains(mv.to()) {
        return p.block;
    }
    let occupied = view.position.board().occupied().without(from).with(mv.to());
    let piece = mv.promotion().unwrap_or(mv.role()).of(view.position.turn());
    let guarded = attacks::attacks(mv.to(), piece, occupied).contains(target);
    let before = attacks::attacks(from, mv.role().of(view.position.turn()), view.position.board().occupied());
    if guarded && !before.contains(target) { p.guard } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;

    #[test]
    fn the_threat_is_escaped_blocked_guarded_against_or_taken() {
        // Black's rook on a8 wants to take the knight on a2; the bishop can take the rook.
        let fen = "r5k1/5ppp/8/8/4B3/8/N4PPP/2R3K1 w - - 0 1";
        let black = OrderingFixture::new("r5k1/5ppp/8/8/4B3/8/N4PPP/2R3K1 b - - 0 1");
        let mut fixture = OrderingFixture::new(fen).with(|p| p.threat_move.on = true);
        assert_eq!(fixture.added("a2c3"), 0, "no threat is known");
        fixture.context().threat = Some(black.mv("a8a2"));
        let p = super::Params::DEFAULT;
        for (uci, bonus) in [
            ("a2c3", p.escape),
            ("c1a1", p.guard),
            ("c1c2", p.guard),
            ("c1b1", 0),
            ("e4a8", p.take),
            ("e4b1", p.guard),
            ("e4f5", 0),
            ("h2h3", 0),
        ] {
            assert_eq!(fixture.added(uci), bonus, "{uci}");
        }
        let block = OrderingFixture::new("r5k1/5ppp/8/8/8/3B4/N4PPP/2R3K1 w - - 0 1").with(|p| p.threat_move.on = true);
        let mut block = block;
        block.context().threat = Some(black.mv("a8a2"));
        assert_eq!(block.added("d3a6"), p.block);
        block.context().threat = Some(black.mv("a8d8"));
        assert_eq!(block.added("a2c3"), 0, "nothing would be taken");
    }
}
