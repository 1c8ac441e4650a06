//! Mate killers.

use super::extras::{Learner, NodeResult, Params as All, RatedMove, RatingView};
use crate::position::{NO_MOVE, is_quiet, pack};
use crate::score::{MAX_PLY, Score};
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "mate killers",
    about: "Mate killers: moves that mated at a sibling node.",
    idea: "A quiet move that mates by force at one node often mates at its siblings: the latest of each ply is \
        searched before ordinary killers. If the null move is refuted by mate, the refutation is stored for the \
        opponent's ply.",
    risk: "One wasted search at every node of the ply after the threat has disappeared.",
    reads: "path (ply); statistics of this search.",
    papers: "`akl-newborn1977`, `practice`.",
};

crate::params! {
    /// a quiet move that mated at this ply comes before the killers
    on = false;
    /// bonus of the mate killer (history counts)
    bonus = 48000 in 0..=99999 by 1000;
}

crate::history::heap_table! {
    /// The quiet move that last mated at each ply.
    pub struct MateKillers([u16; MAX_PLY + 2]) = NO_MOVE;
}

impl Learner for MateKillers {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let killer = self.0[view.ply.index()];
        view.add_to_quiets(moves, |mv| if pack(mv) == killer { view.p.mate_killers.bonus } else { 0 });
    }

    fn update(&mut self, _: &All, result: &NodeResult<'_>) {
        if let Some(mv) = result.cut.filter(|&mv| is_quiet(mv))
            && result.score.is_terminal()
            && result.score > Score::ZERO
        {
            self.0[result.ply.index()] = pack(mv);
        }
    }

    fn begin(&mut self, _: &All) {
        self.0.fill(NO_MOVE);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::score::{Ply, Score};

    #[test]
    fn only_a_mate_by_a_quiet_move_is_remembered_for_its_ply_and_search() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
        let mate = Score::mate_in(Ply(3));
        for (name, score, ply, again, first) in [
            ("a mate", mate, PLY, false, true),
            ("a good move", Score(300), PLY, false, false),
            ("a mate of the other side", -mate, PLY, false, false),
            ("a mate at another ply", mate, Ply(3), false, false),
            ("a mate in the search before", mate, PLY, true, false),
        ] {
            let mut fixture = OrderingFixture::new(fen).with(|p| {
                p.mate_killers.on = true;
                p.quiet_checks.on = false;
            });
            fixture.update(ply, score, Some("h2h4"), &[]);
            fixture.facts.killers.push(fixture.mv("g1f1"));
            if again {
                fixture.extras().begin();
            }
            assert_eq!(fixture.place(if first { "h2h4" } else { "g1f1" }), 0, "{name}");
        }
    }
}
