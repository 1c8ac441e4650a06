//! Transposition table cutoff.

use super::Description;
use super::search::{Search, Stopped};
use crate::node::Node;
use crate::position::is_quiet;
use crate::score::{Bound, Depth, Score, Window};
use crate::table::Entry;
use crate::words::{bounded, plies, score};

pub(crate) const RULE: Description = Description {
    name: "table",
    about: "Transposition table: results of earlier searches of the same position are used.",
    idea: "A stored bound from a search of sufficient depth ends the node if it decides the window. \
        With fractional depths, an entry that is shallower by a small slack is still used.",
    risk: "Repetitions and the fifty-move rule depend on the path, which the table does not store. The table \
        never cuts on the principal variation, so that lines are complete, and never near the fifty-move limit.",
    reads: "window, table, halfmove clock.",
    papers: "`slate-atkin1977`, `hyatt-mann2002`.",
};

crate::params! {
    /// use scores from the table; table moves are used even if this is off
    on = true;
    /// allowed deficit of an entry's depth (1/1024 ply)
    slack = 896 in 0..=2048 by 64, neutral 768;
    /// history bonus of a quiet table move when its entry fails high (percent of the usual bonus)
    reward = 90 in 0..=200 by 10, neutral 100;
}

crate::reason! {
    value: Score,
    bound: Bound,
    entry_depth "entry depth": Depth,
    depth: Depth,
    slack: Depth,
    alpha: Score,
    beta: Score,
    "{}{}, from depth {} >= {}{}",
    bounded(value, bound),
    if value >= beta {
        format!(" >= beta {}", score(beta))
    } else if value <= alpha {
        format!(" <= alpha {}", score(alpha))
    } else {
        " inside the window".to_owned()
    },
    plies(entry_depth), plies(depth),
    if slack == Depth::ZERO { String::new() } else { format!(" - {} slack", plies(slack)) }
}

/// Halfmoves without progress from which table values are not used.
pub(crate) const HALFMOVES_MAX: u32 = 90;

/// The table's value, if it decides the window.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let Some(entry) = n.entry else { return Ok(None) };
    let usable = p.on && !n.is_pv() && n.position.halfmoves() < HALFMOVES_MAX;
    if !usable || entry.depth + Depth(p.slack) < n.draft(s.budget()) || !entry.bound.decides(entry.score, n.window) {
        return Ok(None);
    }
    if let Some(mv) = n.table_move.filter(|&mv| is_quiet(mv) && n.window.fails_high(entry.score) && !s.in_audit()) {
        s.reward_quiet(n, mv, p.reward);
    }
    let draft = n.draft(s.budget());
    s.report_reason(|| reason(&entry, draft, Depth(p.slack), n.window));
    Ok(Some(entry.score))
}

/// The reason for a cut.
pub(crate) fn reason(entry: &Entry, depth: Depth, slack: Depth, window: Window) -> Reason {
    let Window { alpha, beta } = window;
    Reason { value: entry.score, bound: entry.bound, entry_depth: entry.depth, depth, slack, alpha, beta }
}
