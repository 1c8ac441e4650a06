//! Refutation table.

use super::extras::{Learner, NodeContext, NodeResult, Params as All, RatedMove, RatingView};
use crate::position::{NO_MOVE, pack};
use crate::score::Ply;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "refutation table",
    about: "Refutation table: the lines of the last iteration.",
    idea: "The table stores the move that was best or cut after each line from the root. The next iteration tries it \
        first if the transposition table has lost it. The key is the line, not the position.",
    risk: "Redundant if the transposition table keeps the position; useful if that is tiny, and for MultiPV \
        lines.",
    reads: "path (all moves from the root); statistics of this search.",
    papers: "`akl-newborn1977`, `fink1982`.",
};

crate::params! {
    /// if the table has no move, follow the line of the last iteration
    on = false;
    /// length of the stored lines (plies)
    plies = 8 in 1..=32 by 1;
}

const SLOTS: usize = 1 << 14;
const TAG_SHIFT: u32 = 32;

#[derive(Clone, Copy)]
struct Refutation {
    tag: u32,
    mv: u16,
}

crate::history::heap_table! {
    /// The best or refuting move after each line, by a hash of the line.
    pub struct RefutationTable([Refutation; SLOTS]) = Refutation { tag: 0, mv: NO_MOVE };
}

fn place(context: &NodeContext) -> (usize, u32) {
    (context.line as usize % SLOTS, (context.line >> TAG_SHIFT) as u32)
}

impl RefutationTable {
    /// The move to search first at a node, packed; [`NO_MOVE`] if none is known.
    pub(super) fn suggested(&self, p: &Params, context: &NodeContext, ply: Ply) -> u16 {
        let (slot, tag) = place(context);
        let step = self.0[slot];
        if ply.index() <= p.plies as usize && step.tag == tag { step.mv } else { NO_MOVE }
    }
}

impl Learner for RefutationTable {
    fn rate(&self, _: &RatingView<'_>, _: &mut [RatedMove]) {} // its move is the first of all: it needs no rating

    fn update(&mut self, p: &All, result: &NodeResult<'_>) {
        if let Some(mv) = result.best.filter(|_| result.ply.index() <= p.refutation_table.plies as usize) {
            let (slot, tag) = place(&result.context);
            self.0[slot] = Refutation { tag, mv: pack(mv) };
        }
    }

    fn begin(&mut self, _: &All) {
        self.0.fill(Refutation { tag: 0, mv: NO_MOVE });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::position::{NO_MOVE, pack};
    use crate::score::Score;

    #[test]
    fn the_line_that_was_best_is_followed_from_the_same_moves_only() {
        let mut fixture = OrderingFixture::new("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").with(|p| {
            p.refutation_table.on = true;
            p.refutation_table.plies = 2;
        });
        fixture.context().line = 77 << 40;
        fixture.update(PLY, Score(10), Some("h2h4"), &[]);
        let mv = pack(fixture.mv("h2h4"));
        assert_eq!(fixture.extras().suggested(PLY), mv);
        fixture.context().line = 78 << 40;
        assert_eq!(fixture.extras().suggested(PLY), NO_MOVE, "another line");
        fixture.context().line = 77 << 40;
        fixture.extras().begin();
        fixture.context().line = 77 << 40;
        assert_eq!(fixture.extras().suggested(PLY), NO_MOVE, "another search");
        fixture.at(PLY.next()).line = 77 << 40;
        fixture.update(PLY.next(), Score(10), Some("h2h4"), &[]);
        assert_eq!(fixture.extras().suggested(PLY.next()), NO_MOVE, "too far from the root");
    }
}
