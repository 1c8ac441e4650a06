//! Killers.

use super::{Quiet, QuietFacts, Sources};
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "killers",
    about: "Killer moves: refutations of sibling nodes.",
    idea: "A quiet move that refuted one node often refutes its siblings. The two latest killer moves of each ply \
        are searched before other quiet moves; they are cleared when a node of the ply above is entered.",
    risk: "Useless if the siblings differ: one wasted search at each node.",
    reads: "path (ply); learned statistics. Whether a move is a killer makes it more or less expensive in other rules \
        even if this is off.",
    papers: "`akl-newborn1977`.",
};

crate::params! {
    /// killers come before other quiet moves
    on = true;
    /// bonus of the latest killer (history counts)
    latest = 37000 in 0..=99999 by 1000, neutral 32000;
    /// bonus of the earlier killer (history counts)
    earlier = 31000 in 0..=99999 by 1000, neutral 24000;
    /// try killers before the other quiet moves are generated
    first = false;
}

crate::source::in_force! { latest: 0, earlier: 0, first: false }

/// The bonus of a killer.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, facts: &QuietFacts, quiet: &Quiet<'_>) -> i32 {
    let p = &sources.orders.weights.killers;
    match facts.killers.slot(quiet.packed) {
        Some(0) => p.latest,
        Some(_) => p.earlier,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;
    use super::*;

    /// Also where histories prefer others; one that cannot be played here, and the table's move, are passed over.
    #[test]
    fn killers_can_come_before_all_other_quiet_moves() {
        let fen = "6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1";
        for (first, table_move) in [(false, None), (true, None), (true, Some("g1h1"))] {
            let mut fixture = OrderingFixture::new(fen).with(|p| {
                p.killers = Params { on: true, latest: 0, earlier: 0, first };
            });
            let preferred = fixture.mv("h2h4");
            let (p, context) = (crate::history::Params::DEFAULT, fixture.facts.context);
            (0..50).for_each(|_| fixture.histories.update_quiet(&p, &context, preferred, 400));
            let elsewhere = OrderingFixture::new("6k1/8/8/8/8/8/8/R5K1 w - - 0 1").mv("a1a8");
            fixture.facts.killers.push(fixture.mv("g1h1"));
            fixture.facts.killers.push(elsewhere);
            let order = fixture.all(table_move);
            let place = |uci: &str| order.iter().position(|(text, _)| text == uci).expect(uci);
            assert_eq!(place("g1h1") < place("h2h4"), first, "{table_move:?}");
            assert_eq!(order.len(), fixture.game.position().legal_moves().len(), "each move once");
        }
    }
}
