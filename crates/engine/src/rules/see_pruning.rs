//! Pruning by static exchange evaluation.

use super::{Description, Skip};
use crate::history::LIMIT;
use crate::node::{Candidate, Node, Stage};
use crate::score::{Depth, Score};
use crate::words::pawns;

pub(crate) const RULE: Description = Description {
    name: "see pruning",
    about: "Pruning by static exchange evaluation: moves that lose material near the leaves are skipped.",
    idea: "Near the leaves a move with a bad static exchange value is skipped. The allowed loss of a quiet move grows \
        with the square of the reduced depth, that of a capture with the depth. History and checks change it.",
    risk: "Sacrifices; static exchange evaluation ignores pins and overloading.",
    reads: "position, depth, history, and the move's number for the reduction.",
    papers: "current practice.",
};

crate::params! {
    /// skip moves that lose material by static exchange
    on = true;
    /// greatest reduced depth for quiet moves (plies)
    quiet_depth_max = 6 in 1..=20 by 1, neutral 8;
    /// allowed loss of a quiet move times the whole part of the squared reduced depth (pawns/100)
    quiet_slope = 22 in 0..=200 by 2, neutral 24;
    /// greatest depth for captures (plies)
    noisy_depth_max = 6 in 1..=20 by 1;
    /// allowed loss of a capture per ply of depth (pawns/100)
    noisy_slope = 85 in 0..=300 by 5, neutral 90;
    /// added to the allowed loss of a quiet move at history 16384, in proportion at other values (pawns/100)
    quiet_history = -10 in -100..=400 by 10, neutral 0;
    /// added to the allowed loss of a capture at history 16384, in proportion at other values (pawns/100)
    noisy_history = -50 in -100..=400 by 10, neutral 0;
    /// added to the allowed loss of a move that gives check (pawns/100)
    check_margin = 240 in 0..=1000 by 20, neutral 100;
}

crate::reason! {
    allowed "allowed loss": Score,
    "it {} by static exchange",
    match allowed {
        Score::ZERO => "loses material".to_owned(),
        allowed if allowed < Score::ZERO => format!("gains less than {}", pawns(-allowed)),
        allowed => format!("loses more than {}", pawns(allowed)),
    }
}

/// Leaves out a move that loses too much on its square.
pub fn skip(p: &Params, n: &Node<'_>, c: &Candidate) -> Skip {
    if !p.on || c.stage < Stage::Quiet || n.in_check && c.quiet {
        return Skip::No;
    }
    let Some(allowed) = allowed(p, n, c) else { return Skip::No };
    if c.see_ge(n, -allowed) { Skip::No } else { Skip::This }
}

/// The loss allowed, or `None` where the rule does not apply.
fn allowed(p: &Params, n: &Node<'_>, c: &Candidate) -> Option<Score> {
    let ply = Depth::ONE_PLY.0;
    let slope = if c.quiet { p.quiet_history } else { p.noisy_history };
    let further = slope * c.history / LIMIT + if c.gives_check { p.check_margin } else { 0 };
    let loss = |usual: i32| Score((usual + further).max(0));
    if c.quiet {
        let reduced = c.reduced_depth(n);
        let applies = reduced <= Depth::plies(p.quiet_depth_max);
        return applies.then(|| loss(p.quiet_slope * (reduced.0 * reduced.0 / (ply * ply))));
    }
    (n.depth <= Depth::plies(p.noisy_depth_max)).then(|| loss(p.noisy_slope * n.depth.0 / ply))
}

/// The reason for a skip.
pub(crate) fn reason(p: &Params, n: &Node<'_>, c: &Candidate) -> Reason {
    Reason { allowed: allowed(p, n, c).unwrap_or(Score::ZERO) }
}
