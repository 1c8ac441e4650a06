//! Futility pruning of moves.

use super::{Description, Skip};
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};
use crate::see;
use crate::words::{pawns, plies, score};

pub(crate) const RULE: Description = Description {
    name: "futility",
    about: "Futility pruning: quiet moves that gain too little near the leaves are skipped.",
    idea: "Near the leaves a quiet move without check rarely improves the evaluation by more than a threshold. If the \
        evaluation plus the threshold does not exceed alpha, the move is skipped. There are two forms. The 2010 paper \
        has three thresholds for depths 1 to 3. The modern form has a margin that grows with the reduced depth and \
        the move's history; it can also skip captures, with the value of the captured piece added to the margin.",
    risk: "Moves that attack or defend something decisive.",
    reads: "window, static evaluation, history.",
    papers: "`heinz1998`, `davidtabibi2010`.",
};

crate::params! {
    /// skip quiet moves that cannot reach alpha
    on = true;
    /// the modern form; off: the thresholds of the 2010 paper
    modern = true;
    /// modern form: greatest reduced depth (plies)
    depth_max = 8 in 1..=16 by 1;
    /// modern form: margin at any depth (pawns/100)
    base = 0 in 0..=400 by 5, neutral 90;
    /// modern form: margin per ply of reduced depth (pawns/100)
    slope = 115 in 0..=300 by 5, neutral 100;
    /// modern form: history that adds one pawn/100 to the margin (history counts)
    history_divisor = 288 in 32..=2048 by 32, neutral 256;
    /// modern form: also skip captures whose gain does not lift the evaluation above alpha
    noisy = false;
    /// modern form: greatest reduced depth for captures (plies)
    noisy_depth_max = 6 in 1..=16 by 1;
    /// modern form: margin of a capture at any depth (pawns/100)
    noisy_base = 200 in 0..=600 by 10;
    /// modern form: margin of a capture per ply of reduced depth (pawns/100)
    noisy_slope = 150 in 0..=400 by 10;
    /// modern form: capture history that adds one pawn/100 to the margin (history counts)
    noisy_history_divisor = 64 in 16..=2048 by 16;
    /// paper form: greatest depth; 0 turns it off (plies)
    depth = 3 in 0..=3 by 1;
    /// paper form: threshold at depth 1 (pawns/100)
    threshold_1 = 150 in 0..=1023 by 8;
    /// paper form: threshold at depth 2 (pawns/100)
    threshold_2 = 400 in 0..=1023 by 8;
    /// paper form: threshold at depth 3 (pawns/100)
    threshold_3 = 750 in 0..=1023 by 8;
}

crate::reason! {
    evaluation: Score,
    margin: Score,
    reduced "reduced depth": Depth,
    history: i32,
    alpha: Score,
    threshold "threshold at depth": i32,
    "{} + {} = {} <= alpha {} ({})",
    score(evaluation), pawns(margin), score(evaluation + margin), score(alpha),
    match threshold {
        0 => format!("reduced depth {}, history {history}", plies(reduced)),
        depth => format!("threshold at depth {depth}"),
    }
}

/// Skips the quiet moves from here on, if this one cannot reach alpha: those after it have a worse history.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate) -> Skip {
    if !p.on || n.in_check || c.gives_check || n.window_decisive() {
        return Skip::No;
    }
    if !c.quiet {
        let beyond = noisy_margin(p, n, c).is_some_and(|margin| n.static_eval + margin <= n.window.alpha);
        return if beyond { Skip::This } else { Skip::No };
    }
    if c.mv.is_promotion() {
        return Skip::No;
    }
    match threshold(p, n.plies(), c.reduced_depth(n), c.history) {
        Some(threshold) if n.static_eval + threshold <= n.window.alpha => Skip::RestButChecks,
        _ => Skip::No,
    }
}

/// The most that a capture may gain, including the captured piece; `None` if the rule does not apply.
fn noisy_margin(p: &Params, n: &Node<'_>, c: &Candidate) -> Option<Score> {
    let reduced = c.reduced_depth(n);
    let applies = p.noisy && p.modern && reduced <= Depth::plies(p.noisy_depth_max);
    let by_depth = p.noisy_base + p.noisy_slope * reduced.0 / Depth::ONE_PLY.0;
    applies.then(|| Score(by_depth + see::gain(c.mv) + c.history / p.noisy_history_divisor))
}

/// The most that a quiet move may gain; `None` if the rule does not apply.
fn threshold(p: &Params, plies: i32, reduced: Depth, history: i32) -> Option<Score> {
    if p.modern {
        let applies = reduced <= Depth::plies(p.depth_max);
        let margin = p.base + p.slope * reduced.0 / Depth::ONE_PLY.0 + history / p.history_divisor;
        return applies.then_some(Score(margin));
    }
    const THIRD: i32 = 3;
    match plies {
        d if d > p.depth => None,
        1 => Some(Score(p.threshold_1)),
        2 => Some(Score(p.threshold_2)),
        THIRD => Some(Score(p.threshold_3)),
        _ => None,
    }
}

/// The reason for a skip.
pub(crate) fn reason(p: &Params, n: &Node<'_>, c: &Candidate) -> Reason {
    let reduced = c.reduced_depth(n);
    let margin = if c.quiet { threshold(p, n.plies(), reduced, c.history) } else { noisy_margin(p, n, c) };
    let margin = margin.unwrap_or(Score::ZERO);
    let threshold = if p.modern { 0 } else { n.plies() };
    Reason { evaluation: n.static_eval, margin, reduced, history: c.history, alpha: n.window.alpha, threshold }
}
