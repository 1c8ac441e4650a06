//! Reverse futility pruning (static null move).

use super::Description;
use super::search::{Search, Stopped};
use crate::history::LIMIT;
use crate::node::Node;
use crate::score::{Depth, Score};
use crate::words::{in_plies, pawns, score};
use std::fmt;

pub(crate) const RULE: Description = Description {
    name: "reverse futility",
    about: "Reverse futility (static null move): nodes far above beta near the leaves are ended.",
    idea: "Near the leaves, a node fails high without a search if the static evaluation exceeds beta by a margin \
        that grows with the remaining depth.",
    risk: "Wrong in zugzwang and where a quiet threat is not evaluated.",
    reads: "window, static evaluation and its correction, history of the move before.",
    papers: "`heinz1998`, current practice.",
};

crate::params! {
    /// fail high when the evaluation is far above beta
    on = true;
    /// greatest depth (plies)
    depth_max = 6 in 1..=20 by 1, neutral 8;
    /// margin per ply of depth (pawns/100)
    slope = 70 in 10..=200 by 5, neutral 80;
    /// deduction from the margin when the evaluation is improving (pawns/100)
    improving = 95 in 0..=200 by 5, neutral 70;
    /// margin added for an uncertain evaluation (percent of its correction)
    uncertain = 90 in 0..=200 by 10, neutral 50;
    /// margin added if the history of the opponent's last move is 16384, in proportion at other values (pawns/100)
    history = 20 in -100..=200 by 5, neutral 0;
    /// weight of the evaluation against beta in the returned value (1/8)
    blend = 4 in 0..=8 by 1;
    /// not at nodes that were on a principal variation
    exempt_pv = true;
}

crate::reason! {
    evaluation: Score,
    slope: Score,
    depth: Depth,
    improving: Score,
    uncertain: Score,
    history: Score,
    margin: Score,
    beta: Score,
    corrected "corrected by": Score,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason { evaluation, slope, depth, improving, uncertain, history, margin, beta, corrected } = *self;
        let lowered = evaluation - margin;
        write!(f, "{} - {} = {} >= beta {} ", score(evaluation), pawns(margin), score(lowered), score(beta))?;
        let base = by_depth(slope.0, depth) - improving;
        let whole = base.max(Score::ZERO) + uncertain + history;
        // The amounts below 0 that count as 0.
        let [open, close] = if whole < Score::ZERO { ["max(0, ", ")"] } else { ["", ""] };
        write!(f, "({open}")?;
        let [base_open, base_close] = if base < Score::ZERO { ["max(0, ", ")"] } else { ["", ""] };
        write!(f, "{base_open}{} x {}", in_plies(depth), pawns(slope))?;
        if improving != Score::ZERO {
            write!(f, " - {} improving", pawns(improving))?;
        }
        f.write_str(base_close)?;
        if uncertain != Score::ZERO {
            write!(f, " + {} uncertain: evaluation corrected by {}", pawns(uncertain), pawns(corrected))?;
        }
        if history != Score::ZERO {
            let sign = if history < Score::ZERO { '-' } else { '+' };
            write!(f, " {sign} {} history of the move before", pawns(Score(history.0.abs())))?;
        }
        write!(f, "{close})")
    }
}

const BLEND_UNIT: i32 = 8;
const PERCENT: i32 = 100;

/// A value between beta and the evaluation, if the evaluation is far enough above beta.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || n.is_pv() || n.in_check || n.is_exclusion() || n.plies() > p.depth_max || (p.exempt_pv && n.was_pv) {
        return Ok(None);
    }
    if n.window_decisive() || n.eval.is_decisive() || !n.position.has_pieces(n.position.turn()) {
        return Ok(None);
    }
    let enough = n.eval - margin(p, n) >= n.window.beta;
    let value = Score((n.eval.0 * p.blend + n.window.beta.0 * (BLEND_UNIT - p.blend)) / BLEND_UNIT);
    if enough {
        s.report_reason(|| reason(p, n));
    }
    Ok(enough.then_some(value))
}

/// How far above beta the evaluation has to be after the move that led here.
fn margin(p: &Params, n: &Node<'_>) -> Score {
    let base = by_depth(p.slope, n.depth) - Score(if n.improving { p.improving } else { 0 });
    (base.max(Score::ZERO) + n.uncertainty * p.uncertain / PERCENT + by_history(p, n)).max(Score::ZERO)
}

/// The part of the margin that grows with the depth.
fn by_depth(slope: i32, depth: Depth) -> Score {
    Score(slope * depth.0 / Depth::ONE_PLY.0)
}

/// The part of the margin from the history of the move before.
fn by_history(p: &Params, n: &Node<'_>) -> Score {
    Score(p.history * n.previous_history / LIMIT)
}

/// The reason for a cut.
fn reason(p: &Params, n: &Node<'_>) -> Reason {
    Reason {
        evaluation: n.eval,
        slope: Score(p.slope),
        depth: n.depth,
        improving: Score(if n.improving { p.improving } else { 0 }),
        uncertain: n.uncertainty * p.uncertain / PERCENT,
        history: by_history(p, n),
        margin: margin(p, n),
        beta: n.window.beta,
        corrected: n.uncertainty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_the_reason_add_up_to_the_margin() {
        let reason = |plies, improving, uncertain, history, margin| {
            let [slope, evaluation, beta] = [70, 200, 10].map(Score);
            let [improving, uncertain, history, margin] = [improving, uncertain, history, margin].map(Score);
            let depth = Depth::plies(plies);
            Reason { evaluation, slope, depth, improving, uncertain, history, margin, beta, corrected: Score(4) }
                .to_string()
        };
        for (text, terms) in [
            (
                reason(3, 95, 2, 0, 117),
                "(3 plies x 0.70 - 0.95 improving + 0.02 uncertain: evaluation corrected by 0.04)",
            ),
            (
                reason(1, 95, 2, 0, 2),
                "(max(0, 1 ply x 0.70 - 0.95 improving) + 0.02 uncertain: evaluation corrected by 0.04)",
            ),
            (
                reason(1, 95, 0, -6, 0),
                "(max(0, max(0, 1 ply x 0.70 - 0.95 improving) - 0.06 history of the move before))",
            ),
            (reason(1, 0, 0, 6, 76), "(1 ply x 0.70 + 0.06 history of the move before)"),
        ] {
            assert!(text.ends_with(terms), "{text}");
        }
    }
}
