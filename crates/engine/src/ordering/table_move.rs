//! The table's move first.

use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "table move",
    about: "Table move first.",
    idea: "The best or refuting move of an earlier, shallower search of this position is the most likely one. It \
        is searched before other moves are generated.",
    risk: "No table move exists after a fail low, and that of a much shallower search may be poor.",
    reads: "table. Other rules use the table's move even if this is off.",
    papers: "`slate-atkin1977`, `the1992`.",
};

crate::params! {
    /// the table's move comes first; off: it is ordered like any other
    on = true;
}

crate::source::in_force! {}

#[cfg(test)]
mod tests {
    use crate::node::NodeType;
    use crate::position::{Game, pack};
    use crate::rules::search::Search as _;
    use crate::score::{Bound, Depth, Score, Window};
    use crate::table::Entry;
    use crate::testing;

    #[test]
    fn the_table_s_move_comes_first_only_if_enabled() {
        let game = Game::new();
        let mv = game.parse_uci("g2g4").expect("legal");
        for on in [true, false] {
            let mut s = testing::searcher_with(|p| p.table_move.on = on);
            let (score, depth, bound) = (Score::ZERO, Depth::ONE_PLY, Bound::Lower);
            let entry = Entry { mv: pack(mv), ..testing::entry(score, bound, depth) };
            let place = testing::place(Window::FULL, 4, 1, NodeType::Pv);
            s.table.store(s.table_key(game.position(), place.window, place.budget), place.ply, entry);
            let n = s.facts(game.position(), place);
            assert_eq!(n.table_move, Some(mv), "other rules know it");
            assert_eq!(s.first_move(&n), on.then_some(mv));
        }
    }
}
