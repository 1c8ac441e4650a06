//! Classic history, without gravity.

use super::extras::{Learner, NodeResult, Params as All, RatedMove, RatingView};
use crate::history::{CELLS, LIMIT, PERCENT, cell};
use crate::position::is_quiet;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "classic history",
    about: "Classic history, without gravity.",
    idea: "The history heuristic in its original form: the counter of a side's from-square and to-square grows by \
        the square of the depth with each cutoff. Failures deduct nothing; counters are aged at every iteration, \
        and all are halved when one is full.",
    risk: "Frequently searched moves grow regardless of their value; in a large tree the counters are close to \
        noise.",
    reads: "side to move; learned statistics.",
    papers: "`schaeffer1983`, `schaeffer1989`.",
};

crate::params! {
    /// order quiet moves by counters that grow by the square of the depth, added to the other histories
    on = false;
    /// weight of the counter (1/64)
    weight = 128 in 0..=512 by 8;
    /// share of the counters kept at a new iteration (percent)
    kept = 75 in 0..=100 by 5;
}

const WEIGHT_UNIT: i32 = 64;

crate::history::heap_table! {
    /// Counters by side, from and to.
    pub struct ClassicHistory([i32; CELLS]) = 0;
}

impl Learner for ClassicHistory {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let (turn, weight) = (view.position.turn(), view.p.classic_history.weight);
        view.add_to_quiets(moves, |mv| self.0[cell(turn, mv)] * weight / WEIGHT_UNIT);
    }

    fn update(&mut self, _: &All, result: &NodeResult<'_>) {
        let Some(mv) = result.cut.filter(|&mv| is_quiet(mv)) else { return };
        let depth = result.depth.whole().max(1);
        let counter = &mut self.0[cell(result.position.turn(), mv)];
        *counter += depth * depth;
        if *counter > LIMIT {
            self.0.iter_mut().for_each(|counter| *counter /= 2);
        }
    }

    fn iterate(&mut self, p: &All) {
        let kept = p.classic_history.kept;
        self.0.iter_mut().for_each(|counter| *counter = *counter * kept / PERCENT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::score::Score;

    const FEN: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

    fn fixture() -> OrderingFixture {
        OrderingFixture::new(FEN).with(|p| {
            p.classic_history.on = true;
            p.classic_history.kept = 50;
            p.quiet_checks.on = false;
        })
    }

    #[test]
    fn a_cutoff_counts_by_the_square_of_its_depth_and_a_failure_nothing() {
        let mut fixture = fixture();
        let gain = |fixture: &OrderingFixture| fixture.added("h2h4");
        fixture.deep(3).update(PLY, Score(10), Some("h2h4"), &["g2g3"]);
        assert_eq!((gain(&fixture), fixture.added("g2g3")), (2 * 9, 0), "three plies, twice the counter");
        fixture.deep(5).update(PLY, Score(10), Some("h2h4"), &[]);
        assert_eq!(gain(&fixture), 2 * (9 + 25));
        fixture.deep(5).update(PLY, Score(10), None, &["h2h4"]);
        assert_eq!(gain(&fixture), 2 * (9 + 25), "no cutoff");
    }

    #[test]
    fn counters_age_with_each_iteration_and_are_halved_when_one_is_full() {
        let mut fixture = fixture();
        fixture.deep(8).update(PLY, Score(10), Some("h2h4"), &[]);
        fixture.extras().iterate();
        assert_eq!(fixture.added("h2h4"), 64, "half of it is kept");
        for _ in 0..300 {
            fixture.deep(8).update(PLY, Score(10), Some("g2g3"), &[]);
        }
        assert!(fixture.added("g2g3") <= 2 * crate::history::LIMIT);
        assert_eq!(fixture.added("h2h4"), 32, "halved with the others");
    }
}
