//! Multi-cut.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use crate::history::Killers;
use crate::node::{Node, NodeType};
use crate::ordering::Picker;
use crate::score::{Depth, Score, Window};
use crate::words::{plies, score};

pub(crate) const RULE: Description = Description {
    name: "multi-cut",
    about: "Multi-cut: a node where several moves reach beta in shallow searches is ended.",
    idea: "If several of the first moves reach beta in a reduced search of an expected cut node, one of them will \
        probably reach it at full depth. An expected cut node is recognised by its type, by a lower bound of at least \
        beta in the table, or by either.",
    risk: "The moves may reach beta for a common reason that a deeper search refutes.",
    reads: "window, table, expected node type, move order.",
    papers: "`bjornsson-marsland2001`, `davidtabibi2010`, `eiriksson2011`.",
};

crate::params! {
    /// cut when several moves reach beta in reduced searches
    on = false;
    /// least depth (plies)
    depth_min = 4 in 0..=12 by 1;
    /// reduction of the trial searches (plies)
    reduction = 2 in 0..=7 by 1;
    /// moves tried; 0 turns the rule off (moves)
    moves = 6 in 0..=31 by 1;
    /// moves that have to reach beta; 0, or more than `moves`, turns the rule off (moves)
    cuts = 3 in 0..=7 by 1;
    /// recognise cut nodes by their expected type
    by_kind = true;
    /// recognise cut nodes by a lower bound of at least beta in the table
    by_table = true;
}

crate::reason! {
    cuts: i32,
    tried: i32,
    reduction: Depth,
    beta: Score,
    "{cuts} of {tried} moves reach beta {}, at a depth reduced by {}", score(beta), plies(reduction)
}

/// Beta, if enough moves reach it in reduced searches.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let possible = p.on && p.moves > 0 && p.cuts > 0 && p.cuts <= p.moves;
    if !possible || n.is_pv() || n.in_check || n.is_exclusion() || n.plies() < p.depth_min.max(1) || n.window_decisive()
    {
        return Ok(None);
    }
    if !expected_cut(p, n) {
        return Ok(None);
    }
    let mut picker = Picker::all(s.first_move(n), s.quiet_facts(n));
    let checks = n.position.check_info();
    let cost = Depth::ONE_PLY + Depth::plies(p.reduction);
    let mut cuts = 0;
    for tried in 1..=p.moves {
        let Some(picked) = picker.next(s.sources(n.position, &checks, n.ply), s.tree()) else { break };
        let budget = n.budget.deduct(s.budget(), n.position.turn(), cost);
        s.watch_sub_search(n, Purpose::MultiCut, Some(picked.mv), cost);
        let score = s.search_move(n, picked, Window::reaching(n.window.beta), budget, NodeType::All)?;
        if score >= n.window.beta {
            cuts += 1;
            if cuts == p.cuts {
                s.report_reason(|| Reason { cuts, tried, reduction: cost - Depth::ONE_PLY, beta: n.window.beta });
                return Ok(Some(n.window.beta));
            }
        }
    }
    s.frame_mut(n.ply.next()).killers = Killers::NONE;
    Ok(None)
}

fn expected_cut(p: &Params, n: &Node<'_>) -> bool {
    let by_kind = p.by_kind && n.kind == NodeType::Cut;
    let by_table = p.by_table && n.entry.is_some_and(|e| e.bound.is_lower() && e.score >= n.window.beta);
    by_kind || by_table
}
