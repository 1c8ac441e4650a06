//! The re-search ladder: a reduced search that beats alpha is repeated at rising depth (`tsuruoka2002`, `winands-bjornsson2008`).

use super::observer::{Judgement, Observer, Purpose};
use super::price::Price;
use super::{Searcher, Stopped};
use crate::node::{Candidate, Kind, Node};
use crate::position::Position;
use crate::score::{Depth, Score, Window};

crate::params! {
    /// put a search of middle depth between the reduced and the full one
    middle = true;
    /// least mean of reduced and full cost that calls for the middle search (1/1024 ply)
    middle_min = 1792 in 1024..=4096 by 64;
    /// lead over the best value so far that makes the full search deeper (pawns/100)
    deeper_margin = 60 in 0..=400 by 5;
    /// depth added then (1/1024 ply)
    deeper = 512 in 0..=1024 by 64;
    /// lead over the best value so far below which the full search is shallower (pawns/100)
    shallower_margin = 8 in 0..=100 by 2;
    /// depth taken off then (1/1024 ply)
    shallower = 512 in 0..=1024 by 64;
}

impl<O: Observer> Searcher<O> {
    /// Searches a move that has been made: first as cheaply as its price allows, then as deep as the result demands.
    pub(crate) fn climb(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        child: &Position,
        price: Price,
    ) -> Result<Score, Stopped> {
        let full = price.full();
        if c.number == 1 {
            let kind = if n.is_pv() { Kind::Pv } else { n.kind.child() };
            self.watch_errand(n, Purpose::First, Some(c.mv), price.first());
            return self.step(n, child, n.window, price.first(), price.reduction, kind);
        }
        let null = Window::above(n.window.alpha);
        let mut score;
        if price.reduction > Depth::ZERO {
            self.watch_errand(n, Purpose::Reduced, Some(c.mv), price.first());
            score = self.step(n, child, null, price.first(), price.reduction, Kind::Cut)?;
            if score > n.window.alpha {
                score = self.climb_higher(n, c, child, price, score)?;
            }
        } else {
            self.watch_errand(n, Purpose::Scout, Some(c.mv), full);
            score = self.step(n, child, null, full, Depth::ZERO, n.kind.child())?;
        }
        if !n.is_pv() || score <= n.window.alpha {
            return Ok(score);
        }
        if n.window.fails_high(score) && !n.ply.is_root() {
            // Only searches with an open window keep a line: what stands below is that of another move.
            self.clear_line(n.ply.next());
            return Ok(score);
        }
        self.again(n, c, full, Purpose::Open);
        self.step(n, child, n.window, full, Depth::ZERO, Kind::Pv)
    }

    /// After a reduced search with value `score` above alpha: the middle and the full null-window search.
    fn climb_higher(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        child: &Position,
        price: Price,
        mut score: Score,
    ) -> Result<Score, Stopped> {
        let p = self.params().ladder;
        let full = price.full();
        let null = Window::above(n.window.alpha);
        let middle = (full + price.reduction + full) / 2;
        if p.middle && middle > Depth(p.middle_min) {
            self.again(n, c, middle, Purpose::Middle);
            score = self.step(n, child, null, middle, middle - full, Kind::Cut)?;
            if score <= n.window.alpha {
                return Ok(score);
            }
        }
        let mut cost = full;
        if score > n.best + Score(p.deeper_margin) {
            cost -= Depth(p.deeper);
        } else if score < n.best + Score(p.shallower_margin) {
            cost += Depth(p.shallower);
        }
        if cost >= full + price.reduction {
            return Ok(score);
        }
        self.again(n, c, cost, Purpose::Full);
        self.step(n, child, null, cost, Depth::ZERO, n.kind.child())
    }

    fn step(
        &mut self,
        n: &Node<'_>,
        child: &Position,
        window: Window,
        cost: Depth,
        reduction: Depth,
        kind: Kind,
    ) -> Result<Score, Stopped> {
        self.frame_mut(n.ply).reduction = reduction;
        let budget = n.budget.charge(&self.params().budget, n.position.turn(), cost);
        Ok(-self.search(child, -window, budget, n.ply.next(), kind)?)
    }

    fn again(&mut self, n: &Node<'_>, c: &Candidate, cost: Depth, purpose: Purpose) {
        if O::WATCHES {
            self.observer.judged(self.at(n), Judgement::Again(c.mv, cost));
            self.watch_errand(n, purpose, Some(c.mv), cost);
        }
    }
}
