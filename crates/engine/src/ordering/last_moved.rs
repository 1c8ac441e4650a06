//! Captures of the piece that has just moved.

use super::extras::{MoveSet, RatedMove, RatingView};
use super::mvv_lva;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "last-moved piece",
    about: "Captures of the piece that has just moved.",
    idea: "The piece that has just moved or captured is often undefended or part of an exchange: captures on its \
        square are searched before other captures, with the cheapest piece first.",
    risk: "A more valuable capture may exist elsewhere.",
    reads: "path (the last move), position.",
    papers: "`practice`.",
};

crate::params! {
    /// captures of the piece that moved last come early
    on = false;
    /// bonus of such a capture (counts; 10 equal a pawn/100 of the victim)
    bonus = 3000 in 0..=20000 by 250;
    /// malus for the value of the capturing piece (counts per pawn/100)
    attacker = 1 in 0..=10 by 1;
}

/// Rates the captures on the square of the last move.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    let (MoveSet::Noisy, Some(last)) = (view.set, view.context.previous) else { return };
    let p = &view.p.last_moved;
    for rated in moves.iter_mut().filter(|rated| rated.mv.is_capture() && rated.mv.to() == last.to()) {
        rated.score += p.bonus - p.attacker * mvv_lva::attacker_value(rated.mv.role());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, names};

    /// Rook, bishop and pawn can take the knight that came to e5; the queen on a5 could be taken as well.
    const FEN: &str = "6k1/5ppp/8/q3n3/3P4/2R3B1/1P3PPP/4R1K1 w - - 0 1";

    #[test]
    fn the_piece_that_moved_last_is_taken_first_and_by_the_cheapest() {
        let mut fixture = OrderingFixture::new(FEN).with(|p| p.last_moved.on = true);
        let before = OrderingFixture::new("6k1/5ppp/6n1/q7/3P4/2R3B1/1P3PPP/4R1K1 b - - 0 1");
        let last = before.mv("g6e5");
        fixture.context().previous = Some(last);
        assert_eq!(names(&fixture.all(None))[..3], ["d4e5", "g3e5", "e1e5"]);
        fixture.context().previous = None;
        let order = fixture.all(None);
        assert_eq!(order.len(), OrderingFixture::new(FEN).all(None).len());
        assert_eq!(order, OrderingFixture::new(FEN).all(None), "nothing without a last move");
    }
}
