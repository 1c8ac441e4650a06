//! ProbCut.
//!
//! *Idea*: A shallow search that exceeds beta by a margin predicts that the deep search will reach beta. Tried with captures
//! that win enough on their square: first quiescence, then a search some plies shallower.
//! *Risk*: The prediction is a statistical one.
//! *Reads*: window, static evaluation, table, capture history.
//! *Papers*: `buro1995` for the idea; margin and depth are parameters, not the regression of that paper, and captures only are current practice.
//! *Measured*: ECM, 20 000 nodes, off: 395 solved (+35 -34 against 394 with it on), nodes to the solution x1.00 (0.98 ..
//! 1.02), +24.4 Elo (-18.0 .. +67.4) in 200 games at 2 000 nodes a move; default profile, 2026-11-24, bench 2923100,
//! `docs/results/rules.md`.

use crate::ordering::{Picked, Picker};
use crate::score::{Bound, Depth, Score, Window};
use crate::node::{Kind, Node, Place};
use crate::search::observer::{Observer, Purpose};
use crate::search::{Searcher, Stopped};
use crate::words::{plies, score};
use std::fmt;

crate::params! {
    /// cut when a capture exceeds beta by a margin in a shallow search
    on = true;
    /// least depth (plies)
    depth_min = 5 in 3..=16 by 1;
    /// lead over beta the shallow search has to show (pawns/100)
    margin = 130 in 0..=600 by 10;
    /// margin taken off when the evaluation is improving (pawns/100)
    improving = 50 in 0..=200 by 10;
    /// how much shallower the search is (1/1024 ply)
    reduction = 4096 in 1024..=8192 by 256;
    /// least depth of a table value that refutes the attempt, below the node's own (1/1024 ply)
    table_reduction = 3072 in 0..=8192 by 256;
}

crate::reason! {
    /// beta
    beta: Score,
    /// margin
    margin: Score,
    /// reduction
    reduction: Depth,
    /// value
    value: Score,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Why { beta, margin, reduction, value } = *self;
        let (value, beta, margin, reduction) = (score(value), score(beta), margin.0, plies(reduction));
        write!(f, "a capture is worth {value} >= beta {beta} + {margin}, searched {reduction} less deep")
    }
}

/// A value above beta, if a capture holds in quiescence and in the shallow search.
pub fn cut<O: Observer>(s: &mut Searcher<O>, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let p = s.params().probcut;
    if !p.on || n.is_pv() || n.in_check || n.is_exclusion() || n.plies() < p.depth_min || n.window_decisive() {
        return Ok(None);
    }
    let target = n.window.beta + margin(&p, n.improving);
    let refuted = n.entry.is_some_and(|e| e.depth >= n.depth - Depth(p.table_reduction) && e.score < target);
    if refuted {
        return Ok(None);
    }
    let checks = n.position.check_info();
    let mut picker = Picker::noisy(s.first_move(n));
    while let Some(picked) = picker.next(s.sources(n.position, &checks, n.ply), &s.observer) {
        if !n.position.see_ge(picked.mv, target - n.static_eval) {
            continue;
        }
        let score = attempt(s, n, picked, target, Depth(p.reduction))?;
        if score >= target {
            s.remember(n, score, n.depth - Depth(p.reduction) + Depth::ONE_PLY, Bound::Lower, Some(picked.mv));
            let lead = target - n.window.beta;
            s.because(|| Why { beta: n.window.beta, margin: lead, reduction: Depth(p.reduction), value: score });
            return Ok(Some(if score.is_decisive() { score } else { score - lead }));
        }
    }
    Ok(None)
}

fn attempt<O: Observer>(
    s: &mut Searcher<O>,
    n: &Node<'_>,
    picked: Picked,
    target: Score,
    reduction: Depth,
) -> Result<Score, Stopped> {
    let window = -Window::reaching(target);
    s.watch_errand(n, Purpose::ProbCutQuiet, Some(picked.mv), n.depth);
    s.count()?;
    let child = s.make(n.position, n.ply, picked.mv, picked.gives_check);
    s.frame_mut(n.ply).reduction = Depth::ZERO;
    let mut score = -s.quiescence(&child, window, n.ply.next(), Kind::Cut, 0)?;
    if score >= target {
        let budget = n.budget.charge(&s.params().budget, n.position.turn(), reduction);
        s.watch_errand(n, Purpose::ProbCut, Some(picked.mv), reduction);
        score = -s.search(&child, Place::new(window, budget, n.ply.next(), n.kind.child()))?;
    }
    s.unmake();
    Ok(score)
}

/// Lead over beta to show.
pub fn margin(p: &Params, improving: bool) -> Score {
    Score((p.margin - if improving { p.improving } else { 0 }).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_asked_when_improving() {
        let p = Params::DEFAULT;
        assert!(margin(&p, true) < margin(&p, false));
        assert!(margin(&Params { margin: 0, ..p }, true) > Score::ZERO);
    }
}
