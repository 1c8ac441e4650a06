//! ProbCut.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use super::table::HALFMOVES_MAX;
use crate::node::{Node, NodeType, Place};
use crate::ordering::{PickedMove, Picker};
use crate::score::{Bound, Depth, Score, Window};
use crate::table::Entry;
use crate::words::{pawns, plies, score};

pub(crate) const RULE: Description = Description {
    name: "probcut",
    about: "ProbCut: a shallow search far above beta ends the node.",
    idea: "A shallow search that exceeds beta by a margin predicts that the deep search will reach beta. Only \
        captures with a sufficient exchange value are tried: first with quiescence, then with a search some plies \
        shallower. A table score far above beta can replace that search.",
    risk: "The prediction is statistical.",
    reads: "window, static evaluation, table, capture history.",
    papers: "`buro1995` for the idea; margin and depth are parameters, not the regression of that paper, and \
        captures only are current practice.",
};

crate::params! {
    /// cut when a capture exceeds beta by a margin in a shallow search
    on = true;
    /// least depth (plies)
    depth_min = 5 in 3..=16 by 1;
    /// lead over beta that the shallow search must reach (pawns/100)
    margin = 170 in 0..=600 by 10, neutral 190;
    /// deduction from the margin when the evaluation is improving (pawns/100)
    improving = 30 in 0..=200 by 10, neutral 50;
    /// reduction of the shallow search (1/1024 ply)
    reduction = 4096 in 1024..=8192 by 256;
    /// a table score below beta plus the margin prevents the attempt if its depth is at most this much below the node's (1/1024 ply)
    table_reduction = 3072 in 0..=8192 by 256;
    /// lead over beta from which a table score of at least the depth of the shallow search replaces it, even below
    /// `depth_min`; 0: off (pawns/100)
    table_lead = 0 in 0..=800 by 20;
}

crate::reason! {
    beta: Score,
    margin: Score,
    reduction: Depth,
    value: Score,
    by_table "by the table": bool,
    "{} {} >= beta {} + {}, at a depth reduced by {}",
    if by_table { "the table score is" } else { "a capture scores" },
    score(value), score(beta), pawns(margin), plies(reduction)
}

/// A value above beta, if a capture holds in quiescence and in the shallow search.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || n.is_pv() || n.is_exclusion() || n.window_decisive() {
        return Ok(None);
    }
    if let Some(entry) = n.entry.filter(|entry| replaces_search(p, n, entry)) {
        let lead = Score(p.table_lead);
        s.report_reason(|| reason(p, n, lead, entry.score, true));
        return Ok(Some(n.window.beta + lead));
    }
    if n.in_check || n.plies() < p.depth_min {
        return Ok(None);
    }
    let target = n.window.beta + margin(p, n.improving);
    let refuted = n.entry.is_some_and(|e| e.depth >= n.depth - Depth(p.table_reduction) && e.score < target);
    if refuted {
        return Ok(None);
    }
    let checks = n.position.check_info();
    let mut picker = Picker::noisy(s.first_move(n));
    while let Some(picked) = picker.next(s.sources(n.position, &checks, n.ply), s.tree()) {
        if !n.position.see_ge(picked.mv, target - n.static_eval) {
            continue;
        }
        let score = attempt(s, n, picked, target, Depth(p.reduction))?;
        if score >= target {
            s.store_in_table(n, score, n.depth - Depth(p.reduction) + Depth::ONE_PLY, Bound::Lower, Some(picked.mv));
            let lead = target - n.window.beta;
            s.report_reason(|| reason(p, n, lead, score, false));
            return Ok(Some(if score.is_decisive() { score } else { score - lead }));
        }
    }
    Ok(None)
}

fn attempt<S: Search>(
    s: &mut S,
    n: &Node<'_>,
    picked: PickedMove,
    target: Score,
    reduction: Depth,
) -> Result<Score, Stopped> {
    let window = -Window::reaching(target);
    s.watch_sub_search(n, Purpose::ProbCutQuiet, Some(picked.mv), n.depth);
    s.count()?;
    let child = s.make(n.position, n.ply, picked.mv, picked.gives_check);
    s.frame_mut(n.ply).reduction = Depth::ZERO;
    let mut score = -s.quiescence(&child, window, n.ply.next(), NodeType::Cut, 0)?;
    if score >= target {
        let budget = n.budget.deduct(s.budget(), n.position.turn(), reduction);
        s.watch_sub_search(n, Purpose::ProbCut, Some(picked.mv), reduction);
        score = -s.search(&child, Place::new(window, budget, n.ply.next(), n.kind.child()))?;
    }
    s.unmake();
    Ok(score)
}

/// Returns true if the table's value is so far above beta that it replaces the shallow search.
fn replaces_search(p: &Params, n: &Node<'_>, entry: &Entry) -> bool {
    p.table_lead > 0
        && entry.depth >= n.depth - Depth(p.reduction)
        && entry.bound != Bound::Upper
        && entry.score >= n.window.beta + Score(p.table_lead)
        && !entry.score.is_decisive()
        && n.position.halfmoves() < HALFMOVES_MAX
}

/// The reason for a cut.
fn reason(p: &Params, n: &Node<'_>, margin: Score, value: Score, by_table: bool) -> Reason {
    Reason { beta: n.window.beta, margin, reduction: Depth(p.reduction), value, by_table }
}

/// Lead over beta to show.
fn margin(p: &Params, improving: bool) -> Score {
    Score((p.margin - if improving { p.improving } else { 0 }).max(1))
}
