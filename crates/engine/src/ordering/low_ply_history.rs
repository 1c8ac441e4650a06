//! History near the root.

use super::extras::{Learner, NodeResult, Params as All, RatedMove, RatingView};
use crate::history::{LIMIT, MoveIndex, SQUARES, gravity};
use crate::position::is_quiet;
use crate::source::Description;
use shakmaty::Color;

pub(crate) const SOURCE: Description = Description {
    name: "low-ply history",
    about: "History near the root.",
    idea: "Nodes near the root are few and important, but nodes near the leaves dominate counters shared by \
        all plies. The first plies have separate counters for each ply, cleared for every search.",
    risk: "Few updates: useful only after several iterations.",
    reads: "path (ply); statistics of this search.",
    papers: "`practice`.",
};

crate::params! {
    /// separate counters for the first plies of the tree
    on = false;
    /// greatest distance from the root with separate counters (plies)
    plies = 4 in 1..=8 by 1;
    /// weight of the counter (1/64)
    weight = 128 in 0..=512 by 8;
    /// bonus and malus per ply of depth (history counts)
    slope = 150 in 10..=600 by 10;
    /// greatest bonus and malus (history counts)
    bonus_max = 1600 in 100..=8000 by 50;
}

const PLIES_MAX: usize = 9;
const WEIGHT_UNIT: i32 = 64;

type FromTo = [i16; SQUARES * SQUARES];

crate::history::heap_table! {
    /// Counters by ply, from and to; the side to move follows from the ply.
    pub struct LowPlyHistory([FromTo; PLIES_MAX]) = [0; SQUARES * SQUARES];
}

fn from_to(mv: shakmaty::Move) -> usize {
    MoveIndex::of(Color::White, mv).from_to()
}

impl Learner for LowPlyHistory {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let p = &view.p.low_ply_history;
        if view.ply.index() <= p.plies as usize {
            let row = &self.0[view.ply.index()];
            view.add_to_quiets(moves, |mv| i32::from(row[from_to(mv)]) * p.weight / WEIGHT_UNIT);
        }
    }

    fn update(&mut self, p: &All, result: &NodeResult<'_>) {
        let p = &p.low_ply_history;
        let Some(cut) = result.cut.filter(|_| result.ply.index() <= p.plies as usize) else { return };
        let amount = (p.slope * result.depth.whole()).min(p.bonus_max);
        let row = &mut self.0[result.ply.index()];
        if is_quiet(cut) {
            gravity(&mut row[from_to(cut)], amount, LIMIT);
        }
        for &mv in result.quiets {
            gravity(&mut row[from_to(mv)], -amount, LIMIT);
        }
    }

    fn begin(&mut self, _: &All) {
        self.0.fill([0; SQUARES * SQUARES]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::score::{Ply, Score};

    #[test]
    fn each_of_the_first_plies_has_its_own_counters() {
        let fixture = |plies: i32, ply: Ply| {
            let mut fixture = OrderingFixture::new("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").with(|p| {
                p.low_ply_history.on = true;
                p.low_ply_history.weight = 64;
                p.low_ply_history.plies = plies;
            });
            fixture.deep(4).update(ply, Score(10), Some("h2h4"), &["g2g3"]);
            fixture
        };
        let mut here = fixture(2, PLY);
        assert_eq!((here.added("h2h4"), here.added("g2g3")), (600, -600));
        here.extras().begin();
        assert_eq!(here.added("h2h4"), 0, "new with every search");
        assert_eq!(fixture(2, Ply(1)).added("h2h4"), 0, "another ply");
        assert_eq!(fixture(1, PLY).added("h2h4"), 0, "too far from the root");
    }
}
