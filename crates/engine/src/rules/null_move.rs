//! Null-move pruning.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use crate::node::{Node, NodeType, Place};
use crate::score::{Depth, Score, Window};
use crate::words::{plies, score};

pub(crate) const RULE: Description = Description {
    name: "null move",
    about: "Null-move pruning: a node where even a pass reaches beta is ended.",
    idea: "If the side to move still reaches beta after passing, in a search of reduced depth, a real move will \
        reach it as well. The form of the 2010 paper has four parameters (use, R, adaptivity, adaptivity depth). In \
        the modern form, R grows with the depth and with the margin of the static evaluation over beta. If the \
        null-move search fails low, its score and its refutation are used by the threat extensions.",
    risk: "Zugzwang: the null move is not tried without pieces and never twice in a row. A deep cutoff is verified \
        by a search to the depth of the null-move search, without null moves in the first three quarters of that \
        depth (current practice). The verification of 2002, one ply shallower at any depth, is not implemented.",
    reads: "window, static evaluation, table (an upper bound below beta prevents the null move), path (no two in a row, none \
        while verifying).",
    papers: "`beal1989`, `donninger1993`, `heinz1999`, `davidtabibi2010`.",
};

crate::params! {
    /// try the null move before other moves
    on = true;
    /// the modern form; off: the four parameters of the 2010 paper
    modern = true;
    /// least depth (plies)
    depth_min = 2 in 1..=10 by 1;
    /// modern form: base reduction (1/1024 ply)
    base = 2304 in 1024..=8192 by 128, neutral 3072;
    /// modern form: reduction per ply of depth (1/1024 ply)
    slope = 336 in 0..=768 by 16, neutral 256;
    /// modern form: lead of the evaluation over beta that adds one ply (pawns/100)
    lead_divisor = 180 in 50..=800 by 10, neutral 200;
    /// modern form: greatest addition by the lead (1/1024 ply)
    lead_max = 1792 in 0..=8192 by 256, neutral 3072;
    /// modern form: greatest deficit of the static evaluation to beta at depth 0; if negative, a required lead
    /// (pawns/100)
    margin_base = -90 in -100..=400 by 10, neutral 0;
    /// modern form: decrease of this deficit per ply of depth (pawns/100)
    margin_slope = 1 in -20..=40 by 1, neutral 0;
    /// paper form: reduction R (plies)
    reduction = 3 in 0..=7 by 1;
    /// paper form: one ply less reduction near the leaves
    adaptive = true;
    /// paper form: greatest depth with the smaller reduction (plies)
    adaptive_depth = 6 in 0..=7 by 1;
    /// verify cutoffs by a search without null moves
    verify = true;
    /// least depth of a verified cutoff (plies)
    verify_depth_min = 8 in 1..=64 by 1, neutral 12;
    /// also try the null move on the principal variation, only to detect threats
    pv_threats = false;
}

crate::reason! {
    evaluation: Score,
    reduction: Depth,
    value: Score,
    beta: Score,
    verified: bool,
    "a null move scores {} >= beta {}, at a depth reduced by {}{}",
    score(value), score(beta), plies(reduction), if verified { ", verified without null moves" } else { "" }
}

/// A score of at least beta if the null move fails high. If it fails low, stores its score and its refutation in the
/// node.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || !applies(p, n) || n.ply < *s.null_from() {
        return Ok(None);
    }
    let cost = Depth::ONE_PLY + reduction(p, n.depth, n.eval - n.window.beta);
    s.watch_sub_search(n, Purpose::NullMove, None, cost);
    let Some(child) = s.make_null(n.position, n.ply)? else { return Ok(None) };
    let budget = n.budget.deduct_both(cost);
    s.frame_mut(n.ply.next()).best = None;
    let score =
        -s.search(&child, Place::new(-Window::reaching(n.window.beta), budget, n.ply.next(), NodeType::Cut.child()))?;
    s.unmake();
    if score < n.window.beta {
        n.mate_threat = score.is_terminal() && score < Score::ZERO;
        n.null_score = Some(score);
        s.note_threat(n);
        return Ok(None);
    }
    if n.is_pv() {
        return Ok(None); // its value is wanted, and a pass does not prove it
    }
    let score = if score.is_decisive() { n.window.beta } else { score };
    if !p.verify || n.plies() < p.verify_depth_min {
        s.report_reason(|| reason(n, cost, score, false));
        return Ok(Some(score));
    }
    let verified = verified(s, n, cost)?;
    if verified {
        s.report_reason(|| reason(n, cost, score, true));
    }
    Ok(verified.then_some(score))
}

/// Returns true if the cutoff holds without null moves in the next plies.
fn verified<S: Search>(s: &mut S, n: &Node<'_>, cost: Depth) -> Result<bool, Stopped> {
    const SHARE: (i32, i32) = (3, 4);
    let budget = n.budget.deduct_both(cost);
    let left = (n.depth - cost).whole().max(0);
    let before = *s.null_from();
    *s.null_from() = crate::score::Ply(n.ply.0 + 1 + (left * SHARE.0 / SHARE.1) as u16);
    s.watch_sub_search(n, Purpose::NullVerification, None, cost);
    let score = s.search(n.position, Place::new(Window::reaching(n.window.beta), budget, n.ply, NodeType::Cut))?;
    *s.null_from() = before;
    Ok(score >= n.window.beta)
}

fn applies(p: &Params, n: &Node<'_>) -> bool {
    let allowed = (!n.is_pv() || p.pv_threats)
        && !n.in_check
        && !n.is_exclusion()
        && n.previous.is_some()
        && n.plies() >= p.depth_min;
    if !allowed || n.window_decisive() || !n.position.has_pieces(n.position.turn()) {
        return false;
    }
    let hopeless = n.entry.is_some_and(|e| e.bound.is_upper() && e.score < n.window.beta);
    if hopeless {
        return false;
    }
    if !p.modern {
        return true;
    }
    let lack = Score(p.margin_base - p.margin_slope * n.plies());
    n.eval >= n.window.beta && n.static_eval + lack >= n.window.beta
}

/// R, in 1/1024 ply; `lead` is how far the evaluation is above beta.
pub fn reduction(p: &Params, depth: Depth, lead: Score) -> Depth {
    if p.modern {
        let by_lead = (lead.0 * Depth::ONE_PLY.0 / p.lead_divisor).clamp(0, p.lead_max);
        return Depth(p.base + p.slope * depth.0 / Depth::ONE_PLY.0 + by_lead);
    }
    let near_leaves = p.adaptive && depth.whole() <= p.adaptive_depth;
    Depth::plies((p.reduction - i32::from(near_leaves)).max(0))
}

/// The reason for a cut.
fn reason(n: &Node<'_>, cost: Depth, value: Score, verified: bool) -> Reason {
    Reason { evaluation: n.eval, reduction: cost - Depth::ONE_PLY, value, beta: n.window.beta, verified }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_reduction_is_smaller_near_the_leaves() {
        let p = Params { modern: false, ..Params::DEFAULT };
        assert_eq!(reduction(&p, Depth::plies(7), Score(500)), Depth::plies(3));
        assert_eq!(reduction(&p, Depth::plies(6), Score(500)), Depth::plies(2));
        let fixed = Params { adaptive: false, ..p };
        assert_eq!(reduction(&fixed, Depth::plies(2), Score(0)), Depth::plies(3));
        let none = Params { reduction: 0, ..p };
        assert_eq!(reduction(&none, Depth::plies(2), Score(0)), Depth::ZERO, "never negative");
    }

    #[test]
    fn the_modern_reduction_grows_with_depth_and_lead() {
        let p = Params { base: 3072, slope: 256, lead_divisor: 200, lead_max: 3072, ..Params::DEFAULT };
        for (plies, lead, more) in
            [(4, 0, 0), (12, 0, 2048), (4, 300, 1536), (4, -300, 0), (4, 600, 3072), (4, 20_000, 3072)]
        {
            assert_eq!(reduction(&p, Depth::plies(plies), Score(lead)), Depth(4096 + more), "{plies} {lead}");
        }
    }
}
