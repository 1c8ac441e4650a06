//! Razoring.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use crate::node::Node;
use crate::score::{Depth, Score, Window};
use crate::words::{pawns, score};

pub(crate) const RULE: Description = Description {
    name: "razoring",
    about: "Razoring: nodes far below alpha near the leaves are left to quiescence.",
    idea: "Near the leaves, if the static evaluation is far below alpha, only captures and checks can reach it: \
        if quiescence search does not exceed alpha either, its value ends the node.",
    risk: "Quiet winning moves at low depth are lost; quiet checks in the first plies of quiescence help.",
    reads: "window, static evaluation.",
    papers: "`birmingham-kent1977`, `heinz1998`.",
};

crate::params! {
    /// replace nodes far below alpha by quiescence search
    on = false;
    /// greatest depth (plies)
    depth_max = 3 in 1..=8 by 1;
    /// margin at any depth (pawns/100)
    base = 220 in 0..=800 by 10;
    /// margin per ply of depth squared (pawns/100)
    slope = 230 in 0..=500 by 10, neutral 180;
}

crate::reason! {
    evaluation: Score,
    margin: Score,
    alpha: Score,
    value: Score,
    "{} + {} = {} <= alpha {}, and captures reach only {}",
    score(evaluation), pawns(margin), score(evaluation + margin), score(alpha), score(value)
}

/// The value of quiescence, if the evaluation is far below alpha and quiescence agrees.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || n.is_pv() || n.in_check || n.is_exclusion() || n.plies() > p.depth_max || n.window_decisive() {
        return Ok(None);
    }
    let margin = margin(p, n.depth);
    if n.eval + margin > n.window.alpha {
        return Ok(None);
    }
    s.watch_sub_search(n, Purpose::Razoring, None, n.depth);
    let score = s.quiescence(n.position, Window::above(n.window.alpha), n.ply, n.kind, 0)?;
    let hopeless = score <= n.window.alpha && !score.is_decisive();
    if hopeless {
        s.report_reason(|| Reason { evaluation: n.eval, margin, alpha: n.window.alpha, value: score });
    }
    Ok(hopeless.then_some(score))
}

/// How far below alpha the evaluation has to be.
fn margin(p: &Params, depth: Depth) -> Score {
    let squared = i64::from(depth.0) * i64::from(depth.0) / i64::from(Depth::ONE_PLY.0);
    Score(p.base + (i64::from(p.slope) * squared / i64::from(Depth::ONE_PLY.0)) as i32)
}
