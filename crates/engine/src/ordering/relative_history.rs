//! Relative history.

use super::extras::{Learner, NodeResult, Params as All, RatedMove, RatingView};
use crate::history::{CELLS, PERCENT, cell};
use crate::position::is_quiet;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "relative history",
    about: "Relative history: the share of a move's searches that cut.",
    idea: "Moves are ordered by the share of cutoffs among their searches, not by the number of cutoffs: moves that \
        are rarely searched but often cut come before frequent ones. A prior number of searches with the usual share \
        prevents a single cutoff from giving a perfect share.",
    risk: "The share ignores depth: cutoffs near the leaves count as much as deep ones.",
    reads: "side to move; learned statistics.",
    papers: "`winands2006`, `hartmann1988`.",
};

crate::params! {
    /// quiet moves are ordered by the share of their searches that cut
    on = false;
    /// score of a move that always cuts (history counts)
    scale = 16384 in 0..=99999 by 512;
    /// prior number of searches of a move (searches)
    visits = 4 in 1..=64 by 1;
    /// share of the prior searches that cut (percent)
    prior = 25 in 0..=100 by 5;
    /// searches without a cutoff count everywhere; off: only those before a cutoff in the same node
    every_failure = true, neutral true;
}

/// Counters are halved together when one reaches this.
const FULL: u32 = 1 << 20;

#[derive(Clone, Copy, Default)]
struct TriedAndBest {
    hits: u32,
    failures: u32,
}

crate::history::heap_table! {
    /// Cutoffs and failures by side, from and to.
    pub struct RelativeHistory([TriedAndBest; CELLS]) = TriedAndBest::default();
}

/// The share of searches that cut, of `scale`.
fn share(p: &Params, tally: TriedAndBest) -> i32 {
    let visits = i64::from(p.visits);
    let (hits, failures) = (i64::from(tally.hits), i64::from(tally.failures));
    let percent = i64::from(PERCENT);
    let good = hits * percent + visits * i64::from(p.prior);
    (i64::from(p.scale) * good / ((hits + failures + visits) * percent)) as i32
}

impl Learner for RelativeHistory {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let turn = view.position.turn();
        view.add_to_quiets(moves, |mv| share(&view.p.relative_history, self.0[cell(turn, mv)]));
    }

    fn update(&mut self, p: &All, result: &NodeResult<'_>) {
        let mut full = false;
        if let Some(mv) = result.cut.filter(|&mv| is_quiet(mv)) {
            let tally = &mut self.0[cell(result.position.turn(), mv)];
            tally.hits += 1;
            full |= tally.hits >= FULL;
        }
        if p.relative_history.every_failure || result.cut.is_some() {
            for &mv in result.quiets {
                let tally = &mut self.0[cell(result.position.turn(), mv)];
                tally.failures += 1;
                full |= tally.failures >= FULL;
            }
        }
        if full {
            self.0.iter_mut().for_each(|t| *t = TriedAndBest { hits: t.hits / 2, failures: t.failures / 2 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use super::*;
    use crate::params::Parameters;
    use crate::score::{Depth, Score};

    #[test]
    fn the_share_is_that_of_real_and_prior_searches() {
        let p = Params { scale: 1000, visits: 4, prior: 25, ..Params::DEFAULT };
        for (hits, failures, expected) in
            [(0, 0, 250), (1, 0, 400), (0, 4, 125), (96, 0, 970), (0, 96, 10), (3, 3, 400)]
        {
            assert_eq!(share(&p, TriedAndBest { hits, failures }), expected, "{hits} {failures}");
        }
    }

    /// Counters that are full are halved together, so that shares stay and later searches still count.
    #[test]
    fn full_counters_keep_their_shares() {
        let mut fixture =
            OrderingFixture::new("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").with(|p| p.relative_history.on = true);
        let (cut, tried, context) = (fixture.mv("h2h4"), fixture.mv("g2g3"), *fixture.context());
        let (depth, best, position) = (Depth::ONE_PLY, Some(cut), fixture.game.position());
        let result =
            NodeResult { context, position, ply: PLY, depth, score: Score(10), best, cut: best, quiets: &[tried] };
        let [cut, tried] = [cut, tried].map(|mv| cell(position.turn(), mv));
        for (hits, failures, halved) in [(FULL - 2, FULL - 2, false), (FULL - 1, 40, true), (40, FULL - 1, true)] {
            let mut history = RelativeHistory::default();
            (history.0[cut].hits, history.0[cut].failures, history.0[tried].failures) = (hits, 30, failures);
            history.update(&Parameters::DEFAULT.extras(), &result);
            let share = if halved { 2 } else { 1 };
            let found = (history.0[cut].hits, history.0[cut].failures, history.0[tried].failures);
            assert_eq!(found, ((hits + 1) / share, 30 / share, (failures + 1) / share), "{hits} {failures}");
        }
    }

    #[test]
    fn rare_and_good_comes_before_frequent_and_poor() {
        for every_failure in [true, false] {
            let mut fixture = OrderingFixture::new("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").with(|p| {
                p.relative_history.on = true;
                p.relative_history.every_failure = every_failure;
            });
            for _ in 0..5 {
                fixture.update(PLY, Score(10), Some("h2h4"), &[]);
            }
            for _ in 0..20 {
                fixture.update(PLY, Score(10), Some("g2g3"), &[]);
            }
            assert!(fixture.added("g2g3") > fixture.added("h2h4"));
            for _ in 0..60 {
                fixture.update(PLY, Score(10), None, &["g2g3"]);
            }
            assert_eq!(fixture.added("g2g3") < fixture.added("h2h4"), every_failure, "nodes without a cutoff");
        }
    }
}
