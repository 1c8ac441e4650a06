//! Endgame tablebase cutoff.

use super::Description;
use super::search::{Search, Stopped};
use crate::node::Node;
use crate::score::{Bound, Depth, Score};
use crate::tablebase::wdl_score;

pub(crate) const RULE: Description = Description {
    name: "tablebase",
    about: "Endgame tablebases: positions with few pieces have their known result.",
    idea: "Tablebases have the result of positions with few pieces.",
    risk: "none as to the result; the distance to mate is not known, so won positions are not always won the \
        shortest way.",
    reads: "window, position, halfmove clock.",
    papers: "`man-syzygy`.",
};

pub use super::reason::Reason;

/// The tablebase's value, if it decides the window. On the principal variation losses and draws end the search; a win lifts alpha, and
/// the search goes on for a mate.
pub(crate) fn cut<S: Search>(s: &mut S, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let Some(tablebase) = s.tablebase() else { return Ok(None) };
    if n.ply.is_root() || n.is_exclusion() || n.position.halfmoves() != 0 {
        return Ok(None);
    }
    let pieces = n.position.board().occupied().count();
    if pieces > tablebase.max_pieces()
        || (pieces == tablebase.max_pieces() && n.plies() < tablebase.options().probe_depth)
    {
        return Ok(None);
    }
    let Some(wdl) = tablebase.probe_wdl(n.position.chess()) else { return Ok(None) };
    s.count_tablebase_hits(1);
    let score = wdl_score(wdl, n.ply);
    let bound = match () {
        () if score.is_won() => Bound::Lower,
        () if score.is_lost() => Bound::Upper,
        () => Bound::Exact,
    };
    let ends = bound.decides(score, n.window) || (n.is_pv() && score.is_lost());
    if !ends {
        if n.is_pv() {
            n.window.alpha = n.window.alpha.max(score);
            n.best = n.best.max(score);
        }
        return Ok(None);
    }
    s.store_in_table(n, score, n.depth + Depth::plies(2), bound, None);
    Ok(Some(score))
}
