//! The butterfly heuristic: how often a move occurs.

use super::extras::{Learner, NodeResult, Params as All, RatedMove, RatingView};
use crate::history::{CELLS, LIMIT, cell};
use crate::position::is_quiet;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "occurrence",
    about: "Butterfly heuristic: the frequency of a move.",
    idea: "A counter for each side, from-square and to-square grows whenever the move is searched in the tree, \
        regardless of the result. Alone it is weak; it is the denominator of the relative history.",
    risk: "It reproduces the existing move order. A negative weight prefers rarely searched moves.",
    reads: "side to move; learned statistics.",
    papers: "`hartmann1988`.",
};

crate::params! {
    /// quiet moves are ordered by how often they occur in the tree
    on = false;
    /// weight of the count; all counts are halved when one reaches 16384 (1/64)
    weight = 32 in -256..=256 by 8;
}

const WEIGHT_UNIT: i32 = 64;

crate::history::heap_table! {
    /// How often each from and to of a side was searched.
    pub struct Occurrence([i32; CELLS]) = 0;
}

impl Learner for Occurrence {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let (turn, weight) = (view.position.turn(), view.p.occurrence.weight);
        view.add_to_quiets(moves, |mv| self.0[cell(turn, mv)] * weight / WEIGHT_UNIT);
    }

    fn update(&mut self, _: &All, result: &NodeResult<'_>) {
        let mut full = false;
        for &mv in result.quiets.iter().chain(result.cut.iter().filter(|&&mv| is_quiet(mv))) {
            let count = &mut self.0[cell(result.position.turn(), mv)];
            *count += 1;
            full |= *count > LIMIT;
        }
        if full {
            self.0.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::score::Score;

    #[test]
    fn every_searched_quiet_move_counts_one_whatever_its_result() {
        let mut fixture = OrderingFixture::new("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").with(|p| {
            p.occurrence.on = true;
            p.occurrence.weight = 64;
        });
        fixture.deep(9).update(PLY, Score(10), Some("h2h4"), &["g2g3"]);
        fixture.deep(1).update(PLY, Score(10), None, &["g2g3", "a1b1"]);
        assert_eq!(["h2h4", "g2g3", "a1b1", "a1c1"].map(|uci| fixture.added(uci)), [1, 2, 1, 0]);
        fixture = fixture.with(|p| {
            p.occurrence.on = true;
            p.occurrence.weight = -64;
        });
        assert_eq!(fixture.added("g2g3"), -2, "rarely tried first");
    }
}
