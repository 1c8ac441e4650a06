//! Enhanced transposition cutoff.

use super::Description;
use super::search::{Search, Stopped};
use super::table::HALFMOVES_MAX;
use crate::node::Node;
use crate::score::{Depth, Score};
use crate::words::{plies, score};
use shakmaty::Move;

pub(crate) const RULE: Description = Description {
    name: "enhanced transposition",
    about: "Enhanced transposition cutoff: table entries of the next positions end a node.",
    idea: "Before any move is searched, probe the table for the positions after all moves: if one has a \
        sufficient bound, the node is cut. A move with a good bound of insufficient depth is searched first.",
    risk: "A table access for each move. Moves that repeat a position are skipped, since the table does not know \
        repetitions.",
    reads: "window, table.",
    papers: "`plaat1994`, `plaat1996`.",
};

crate::params! {
    /// probe the table for the positions after all moves before a move is searched
    on = false;
    /// least depth (plies)
    depth_min = 6 in 2..=20 by 1;
    /// allowed deficit of an entry's depth (1/1024 ply)
    slack = 0 in 0..=2048 by 64;
    /// if the table has no move, begin with one whose entry reaches beta at too little depth
    suggest = true;
}

crate::reason! {
    value: Score,
    beta: Score,
    entry_depth "entry depth": Depth,
    depth: Depth,
    "a move leads to a position with the table score {} >= beta {}, from depth {} >= {}",
    score(value), score(beta), plies(entry_depth), plies(depth)
}

/// A move with the table's result for the position after it.
#[derive(Clone, Copy)]
struct ChildEntry {
    mv: Move,
    score: Score,
    depth: Depth,
}

/// A value of beta or better, if a move leads to a position that is known well enough.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let applies = p.on && !n.is_pv() && !n.is_exclusion() && n.plies() >= p.depth_min;
    if !applies || n.position.halfmoves() >= HALFMOVES_MAX {
        return Ok(None);
    }
    let Some(found) = deepest(s, n) else { return Ok(None) };
    let needed = n.depth - Depth::ONE_PLY - Depth(p.slack);
    if found.depth >= needed {
        s.report_reason(|| Reason { value: found.score, beta: n.window.beta, entry_depth: found.depth, depth: needed });
        return Ok(Some(found.score));
    }
    if p.suggest {
        n.suggested = Some(found.mv);
    }
    Ok(None)
}

/// The move to the position that is known to be worth beta or more from the deepest search.
fn deepest<S: Search>(s: &mut S, n: &Node<'_>) -> Option<ChildEntry> {
    let budget = n.budget.deduct(s.budget(), n.position.turn(), Depth::ONE_PLY);
    // The difference that window and budget make to the key of a position.
    let extra = s.table_key(n.position, -n.window, budget) ^ n.position.key();
    let below = n.ply.next();
    let mut best: Option<ChildEntry> = None;
    for mv in s.moves_at(n.position) {
        let hint = n.position.key_hint(mv) ^ s.key_salt(mv);
        let Some(entry) = s.probe_table(hint ^ extra, below) else { continue };
        let found = ChildEntry { mv, score: -entry.score, depth: entry.depth };
        let deeper = best.is_none_or(|best| found.depth > best.depth);
        if entry.bound.is_upper() && n.window.fails_high(found.score) && deeper && leads_to(s, n, mv, hint) {
            best = Some(found);
        }
    }
    best
}

/// Returns true if the position after the move has this key and is new on the line.
fn leads_to<S: Search>(s: &mut S, n: &Node<'_>, mv: Move, key: u64) -> bool {
    let child = s.make(n.position, n.ply, mv, true);
    let leads = child.key() == key && !s.is_draw(&child, n.ply.next());
    s.unmake();
    leads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::clock::{Clock, Limits};
    use crate::node::{NodeType, Place};
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::rules::reason::RuleReason as _;
    use crate::score::{Bound, Ply, Window};
    use crate::search::Searcher;
    use crate::search::watch::{Mode, SearchEvent, Watch, Watched};
    use crate::testing;

    /// The result of the rule at depth 8 if the position after a knight's move is in the table, and the move that it suggests.
    fn cut_by_child(
        game: &Game,
        mv: &str,
        entry: (i32, Bound, i32),
        change: impl Fn(&mut Parameters),
    ) -> (Option<Score>, Option<Move>) {
        let mut parameters = Parameters::default();
        parameters.enhanced_transposition.on = true;
        change(&mut parameters);
        cut_in(&mut testing::searcher(parameters), game, mv, entry)
    }

    /// The same in this searcher.
    fn cut_in<M: Mode>(
        s: &mut Searcher<M>,
        game: &Game,
        mv: &str,
        entry: (i32, Bound, i32),
    ) -> (Option<Score>, Option<Move>) {
        s.begin(game, &Limits::default(), Clock::unlimited());
        s.evaluator.begin(game.position());
        let (score, bound, plies) = entry;
        let child = game.position().play(game.parse_uci(mv).expect(mv));
        let entry = testing::entry(Score(score), bound, Depth::plies(plies));
        s.table.store(child.key(), Ply(2), entry);
        let budget = Budget::even(Depth::plies(8));
        let mut n = s.facts(game.position(), Place::new(Window::reaching(Score(50)), budget, Ply(1), NodeType::Cut));
        let p = s.params().enhanced_transposition;
        (cut(s, &p, &mut n).expect("nothing stops it"), n.suggested)
    }

    #[test]
    fn a_known_bad_position_for_the_opponent_decides_the_node() {
        let game = Game::new();
        let mv = Some(game.parse_uci("g1f3").expect("legal"));
        for (name, entry, value, suggested) in [
            ("bad enough and deep enough", (-50, Bound::Upper, 7), Some(Score(50)), None),
            ("exact", (-70, Bound::Exact, 9), Some(Score(70)), None),
            ("not deep enough", (-50, Bound::Upper, 6), None, mv),
            ("not bad enough", (-49, Bound::Upper, 7), None, None),
            ("only a lower bound", (-50, Bound::Lower, 7), None, None),
        ] {
            assert_eq!(cut_by_child(&game, "g1f3", entry, |_| {}), (value, suggested), "{name}");
        }
        let known = (-50, Bound::Upper, 7);
        let off = |p: &mut Parameters| p.enhanced_transposition.on = false;
        assert_eq!(cut_by_child(&game, "g1f3", known, off), (None, None));
        let deep = |p: &mut Parameters| p.enhanced_transposition.depth_min = 9;
        assert_eq!(cut_by_child(&game, "g1f3", known, deep), (None, None), "too shallow a node");
        let quiet = |p: &mut Parameters| p.enhanced_transposition.suggest = false;
        assert_eq!(cut_by_child(&game, "g1f3", (-50, Bound::Upper, 6), quiet), (None, None));
        let slack = |p: &mut Parameters| p.enhanced_transposition.slack = 1024;
        assert_eq!(cut_by_child(&game, "g1f3", (-50, Bound::Upper, 6), slack), (Some(Score(50)), None));
    }

    #[test]
    fn a_position_that_repeats_is_left_alone() {
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        let game = testing::after("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves);
        assert_eq!(cut_by_child(&game, "g1f3", (-50, Bound::Upper, 7), |_| {}), (None, None));
        assert_eq!(cut_by_child(&game, "b1c3", (-50, Bound::Upper, 7), |_| {}).0, Some(Score(50)), "this one is new");
    }

    /// The reasons for cutoffs of this rule.
    #[derive(Default)]
    struct Reasons(Vec<Reason>);

    impl Watch for Reasons {
        fn event(&mut self, event: SearchEvent<'_>) {
            if let SearchEvent::Reason(numbers) = event {
                self.0.extend(Reason::read(numbers.as_slice()));
            }
        }
    }

    /// Recordings showed the needed depth without the slack.
    #[test]
    fn the_reason_has_the_needed_depth_less_the_slack() {
        let mut parameters = Parameters::default();
        (parameters.enhanced_transposition.on, parameters.enhanced_transposition.slack) = (true, 1024);
        let mut reasons = Reasons::default();
        let mut s = Searcher::watched(parameters, testing::table(), Watched::by(&mut reasons), None);
        let (value, _) = cut_in(&mut s, &Game::new(), "g1f3", (-50, Bound::Upper, 6));
        drop(s);
        let plies = Depth::plies(6);
        let expected = Reason { value: Score(50), beta: Score(50), entry_depth: plies, depth: plies };
        assert_eq!((value, reasons.0), (Some(Score(50)), vec![expected]));
    }
}
