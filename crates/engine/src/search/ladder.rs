//! The re-search ladder: a reduced search that beats alpha is repeated at rising depth (`tsuruoka2002`, `winands-bjornsson2008`).

use super::cost::MoveCost;
use super::watch::{Detail, Mode, MoveResult, Purpose, SearchEvent};
use super::{Searcher, Stopped};
use crate::history::{MoveIndex, PERCENT, QuietTable as _};
use crate::node::{Candidate, Node, NodeType, Place};
use crate::position::Position;
use crate::rules::search::Search as _;
use crate::score::{Depth, Score, Window};

crate::params! {
    /// after a reduced search, first search at a depth between the reduced and the full one
    middle = true;
    /// least mean of reduced and full cost for this search (1/1024 ply)
    middle_min = 1792 in 1024..=4096 by 64;
    /// lead over the best value so far that makes the full search deeper (pawns/100)
    deeper_margin = 45 in 0..=400 by 5, neutral 60;
    /// depth added above `deeper_margin` (1/1024 ply)
    deeper = 448 in 0..=1024 by 64, neutral 512;
    /// lead over the best value so far below which the full search is shallower (pawns/100)
    shallower_margin = 0 in 0..=100 by 2, neutral 8;
    /// depth deducted below `shallower_margin` (1/1024 ply)
    shallower = 768 in 0..=1024 by 64, neutral 512;
    /// update of continuation history after a re-search: bonus if it fails high, malus if it fails low (percent of the
    /// usual ones)
    history_share = 0 in 0..=200 by 10;
}

impl<M: Mode> Searcher<M> {
    /// Searches a move that has been made: first at its cost, then as deep as the result requires.
    pub(crate) fn search_and_repeat(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        child: &Position,
        move_cost: MoveCost,
    ) -> Result<Score, Stopped> {
        let full = move_cost.full();
        if c.number == 1 {
            return self.search_first(n, c, child, move_cost);
        }
        let null = Window::above(n.window.alpha);
        let mut score;
        if move_cost.reduction > Depth::ZERO {
            self.watch_sub_search(n, Purpose::Reduced, Some(c.mv), move_cost.first());
            score = self.step(n, child, null, move_cost.first(), move_cost.reduction, NodeType::Cut)?;
            if score > n.window.alpha {
                score = self.re_search(n, c, child, move_cost, score)?;
                self.update_continuation(n, c, score);
            } else {
                self.audit_reduction(n, child, move_cost)?;
            }
        } else {
            self.watch_sub_search(n, Purpose::NullWindow, Some(c.mv), full);
            score = self.step(n, child, null, full, Depth::ZERO, n.kind.child())?;
        }
        if !n.is_pv() || score <= n.window.alpha {
            return Ok(score);
        }
        if n.window.fails_high(score) && !n.ply.is_root() {
            // Only searches with an open window keep a line: the stored line belongs to another move.
            self.clear_line(n.ply.next());
            return Ok(score);
        }
        self.report_re_search(n, c, full, Purpose::ReSearchOpen);
        self.step(n, child, n.window, full, Depth::ZERO, NodeType::Pv)
    }

    /// Searches the first move with the window of the node, and again at its full cost if it was reduced and beats alpha.
    fn search_first(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        child: &Position,
        move_cost: MoveCost,
    ) -> Result<Score, Stopped> {
        let kind = if n.is_pv() { NodeType::Pv } else { n.kind.child() };
        self.watch_sub_search(n, Purpose::First, Some(c.mv), move_cost.first());
        let score = self.step(n, child, n.window, move_cost.first(), move_cost.reduction, kind)?;
        if move_cost.reduction <= Depth::ZERO || score <= n.window.alpha {
            return Ok(score);
        }
        self.report_re_search(n, c, move_cost.full(), Purpose::ReSearchFull);
        self.step(n, child, n.window, move_cost.full(), Depth::ZERO, kind)
    }

    /// After a reduced search with value `score` above alpha: the middle and the full null-window search.
    fn re_search(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        child: &Position,
        move_cost: MoveCost,
        mut score: Score,
    ) -> Result<Score, Stopped> {
        let p = self.params().ladder;
        let full = move_cost.full();
        let null = Window::above(n.window.alpha);
        let middle = (full + move_cost.reduction + full) / 2;
        if p.middle && middle > Depth(p.middle_min) {
            self.report_re_search(n, c, middle, Purpose::ReSearchMiddle);
            score = self.step(n, child, null, middle, middle - full, NodeType::Cut)?;
            if score <= n.window.alpha {
                self.audit_reduction(n, child, move_cost)?;
                return Ok(score);
            }
        }
        let cost = full_search_cost(&p, full, score, n.best);
        if cost >= full + move_cost.reduction {
            return Ok(score);
        }
        self.report_re_search(n, c, cost, Purpose::ReSearchFull);
        self.step(n, child, null, cost, Depth::ZERO, n.kind.child())
    }

    /// Updates continuation history with the result of a re-search.
    fn update_continuation(&mut self, n: &Node<'_>, c: &Candidate, score: Score) {
        let share = self.params().ladder.history_share;
        if share == 0 || !c.quiet || self.in_audit() {
            return;
        }
        let p = self.params().history;
        let bonus = p.bonus(n.depth);
        let amount = match score {
            score if score <= n.window.alpha => -bonus.bad,
            score if n.window.fails_high(score) => bonus.good,
            _ => return,
        };
        let context = self.context(n.position, n.ply);
        let at = MoveIndex::of(context.turn, c.mv);
        self.histories.continuation.update(&p, &context, at, amount * share / PERCENT);
    }

    pub(super) fn step(
        &mut self,
        n: &Node<'_>,
        child: &Position,
        window: Window,
        cost: Depth,
        reduction: Depth,
        kind: NodeType,
    ) -> Result<Score, Stopped> {
        self.frame_mut(n.ply).reduction = reduction;
        let budget = n.budget.deduct(&self.params().budget, n.position.turn(), cost);
        Ok(-self.search(child, Place::new(-window, budget, n.ply.next(), kind))?)
    }

    fn report_re_search(&mut self, n: &Node<'_>, c: &Candidate, cost: Depth, purpose: Purpose) {
        self.emit_at(Detail::Nodes, n, |at| SearchEvent::MoveSearched(at, MoveResult::Again(c.mv, cost)));
        self.watch_sub_search(n, purpose, Some(c.mv), cost);
    }
}

/// The cost of the full search after a reduced one found `score`, if `best` is the best so far: less, for more depth, if it is far ahead.
fn full_search_cost(p: &Params, full: Depth, score: Score, best: Score) -> Depth {
    if score > best + Score(p.deeper_margin) {
        full - Depth(p.deeper)
    } else if score < best + Score(p.shallower_margin) {
        full + Depth(p.shallower)
    } else {
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::score::Ply;
    use crate::search::watch::{EventNode, Watch, Watched};
    use crate::testing;
    use shakmaty::Move;

    #[test]
    fn moves_far_ahead_are_searched_deeper_and_hardly_better_ones_less_deep() {
        let p = Params { deeper_margin: 60, deeper: 512, shallower_margin: 8, shallower: 256, ..Params::DEFAULT };
        let full = Depth::ONE_PLY;
        for (lead, cost) in [(61, 512), (60, 1024), (8, 1024), (7, 1280), (-5, 1280)] {
            assert_eq!(full_search_cost(&p, full, Score(100 + lead), Score(100)), Depth(cost), "{lead}");
        }
    }

    /// The searches that were made once more, of the first node only.
    #[derive(Default)]
    struct RepeatedCosts(Vec<Depth>);

    impl Watch for RepeatedCosts {
        fn event(&mut self, event: SearchEvent<'_>) {
            if let SearchEvent::MoveSearched(EventNode { ply: Ply(2), .. }, MoveResult::Again(_, cost)) = event {
                self.0.push(cost);
            }
        }
    }

    fn candidate(game: &Game, usual_reduction: Depth) -> Candidate {
        Candidate { number: 5, quiets_before: 4, usual_reduction, ..testing::candidate(game.position(), "h2h3") }
    }

    /// Searches h2h3 in the start position as this move of the node; the costs of all searches but the first.
    fn search_and_repeat(number: i32, kind: NodeType, window: Window, reduction: Depth) -> Vec<Depth> {
        let game = Game::new();
        let mut again = RepeatedCosts::default();
        let mut s = Searcher::watched(Parameters::default(), testing::table(), Watched::by(&mut again), None);
        s.root_depth = Depth::plies(6);
        let mut n = testing::node(&mut s, &game, testing::place(window, 6, 2, kind));
        n.best = Score(-900);
        let c = Candidate { number, ..candidate(&game, reduction) };
        let move_cost = MoveCost { base: Depth::ONE_PLY, extension: Depth::ZERO, reduction };
        let child = s.make(n.position, n.ply, c.mv, false);
        s.search_and_repeat(&n, &c, &child, move_cost).expect("nothing stops it");
        s.unmake();
        drop(s);
        again.0
    }

    #[test]
    fn a_repeated_search_updates_histories_with_its_result() {
        use crate::history::PieceTo;
        let game = Game::new();
        let mv: Move = game.parse_uci("h2h3").expect("legal");
        for (share, alpha, expected) in [(100, -900, 1), (100, 900, -1), (0, -900, 0), (0, 900, 0)] {
            let mut s = testing::searcher_with(|p| p.ladder.history_share = share);
            s.frame_mut(Ply(1)).piece_to = PieceTo::of(shakmaty::Color::Black, mv);
            let n = testing::node(&mut s, &game, testing::place(Window::above(Score(alpha)), 6, 2, NodeType::Cut));
            let c = candidate(&game, Depth::ZERO);
            s.update_continuation(&n, &c, Score(0));
            let context = s.context(n.position, n.ply);
            let at = MoveIndex::of(context.turn, mv);
            let learnt = s.histories.rows(&context).history(&s.orders.weights.quiet, at);
            assert_eq!(learnt.signum(), expected, "{share} {alpha}: {learnt}");
            let anywhere = s.histories.butterfly.count(context.turn, context.threatened, mv);
            assert_eq!(anywhere, 0, "only after the moves before");
        }
    }

    #[test]
    fn a_reduced_search_that_beats_alpha_is_verified() {
        let low = Window::above(Score(-900));
        let high = Window::above(Score(900));
        let open = Window::new(Score(-900), Score(900));
        let p = Params::DEFAULT;
        let deeper = Depth::ONE_PLY - Depth(p.deeper);
        let middle = Depth::ONE_PLY * 2;
        // A first move is searched again at once at full cost, with the same window.
        for (name, number, kind, window, reduction, costs) in [
            ("better, reduced", 5, NodeType::Cut, low, Depth::plies(2), vec![middle, deeper]),
            ("better, reduced a little", 5, NodeType::Cut, low, Depth::ONE_PLY, vec![deeper]),
            ("better, not reduced", 5, NodeType::Cut, low, Depth::ZERO, vec![]),
            ("no better", 5, NodeType::Cut, high, Depth::plies(2), vec![]),
            ("within an open window", 5, NodeType::Pv, open, Depth::ONE_PLY, vec![deeper, Depth::ONE_PLY]),
            ("within one, not reduced", 5, NodeType::Pv, open, Depth::ZERO, vec![Depth::ONE_PLY]),
            ("the first, reduced", 1, NodeType::Cut, low, Depth::plies(2), vec![Depth::ONE_PLY]),
            ("the first within an open window", 1, NodeType::Pv, open, Depth::plies(2), vec![Depth::ONE_PLY]),
            ("the first, not reduced", 1, NodeType::Pv, open, Depth::ZERO, vec![]),
            ("the first, no better", 1, NodeType::Cut, high, Depth::plies(2), vec![]),
        ] {
            assert_eq!(search_and_repeat(number, kind, window, reduction), costs, "{name}");
        }
    }
}
