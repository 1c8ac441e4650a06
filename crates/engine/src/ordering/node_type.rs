//! Order by node type and depth.

use super::extras::{MoveSet, NodeContext, RatedMove, RatingView};
use crate::node::NodeType;
use crate::score::Depth;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "node type",
    about: "Order by node type and depth.",
    idea: "At an expected cut node one refutation is enough and should be cheap: quiet checks get a malus there, \
        because their subtrees are extended. At an expected all node the order hardly matters: near the leaves its \
        quiet moves are ordered by killers and butterfly history only, which is faster.",
    risk: "The expected node type may be wrong.",
    reads: "expected node type, depth.",
    papers: "`practice`.",
};

crate::params! {
    /// the order depends on the type and the depth of the node
    on = false;
    /// malus of a quiet check at an expected cut node (history counts)
    cut_check = 4000 in 0..=20000 by 250;
    /// depth below which quiet moves of an expected all node are ordered by killers and butterfly history only (plies)
    cheap_below = 4 in 0..=20 by 1;
}

/// Returns true if the quiet moves of this node are ordered by killers and butterfly history only.
pub(super) fn is_cheap(p: &Params, context: &NodeContext) -> bool {
    p.on && context.kind == NodeType::All && context.depth < Depth::plies(p.cheap_below)
}

/// Scores checks at cut nodes lower.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    if view.set == MoveSet::Quiet && view.context.kind == NodeType::Cut {
        for rated in moves.iter_mut().filter(|rated| rated.gives_check) {
            rated.score -= view.p.node_type.cut_check;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;
    use crate::node::NodeType;
    use crate::score::Depth;

    const FEN: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

    #[test]
    fn checks_are_put_back_where_one_refutation_is_enough() {
        let mut fixture = OrderingFixture::new(FEN).with(|p| p.node_type.on = true);
        for (kind, amount) in [(NodeType::Cut, -4000), (NodeType::All, 0), (NodeType::Pv, 0)] {
            fixture.context().kind = kind;
            assert_eq!((fixture.added("a1a8"), fixture.added("h2h4")), (amount, 0), "{kind:?}");
        }
    }

    #[test]
    fn all_nodes_near_the_leaves_are_ordered_cheaply() {
        let mut fixture = OrderingFixture::new(FEN).with(|p| {
            p.node_type.on = true;
            p.quiet_checks.on = false;
        });
        // A pawn-structure counter says h2h4, which the cheap order does not ask.
        let (mv, context) = (fixture.mv("h2h4"), fixture.facts.context);
        let shares = crate::history::Params { bonus_slope: 1, ..crate::history::Params::DEFAULT };
        fixture.histories.update_quiet(&shares, &context, mv, 400);
        let other = crate::history::Context { pawn_key: context.pawn_key + 1, ..context };
        fixture.histories.update_quiet(&shares, &other, mv, -400);
        fixture.facts.killers.push(fixture.mv("g2g3"));
        for (kind, plies, cheap) in [(NodeType::All, 3, true), (NodeType::All, 4, false), (NodeType::Cut, 3, false)] {
            (fixture.context().kind, fixture.context().depth) = (kind, Depth::plies(plies));
            let order = fixture.all(None);
            assert_eq!(order[0].0, "g2g3", "killers lead in any case");
            assert_eq!(order[1].0 != "h2h4", cheap, "{kind:?} {plies}");
        }
    }
}
