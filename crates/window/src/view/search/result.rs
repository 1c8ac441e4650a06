//! The result of a recorded search: value and line of its last finished iteration, and the result of the next one so far.

use quarterply_engine::position::Position;
use quarterply_engine::score::{Bound, Depth, Score};
use quarterply_engine::shakmaty::uci::UciMove;

use crate::show::{line_names, move_name};
use crate::trace::{IterationInfo, NodeId, Trace, TraceError};
use crate::words;

/// Summary of a recorded search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchSummary {
    /// The settings of the search.
    pub label: String,
    /// Depth of the last finished iteration (plies).
    pub depth: u32,
    /// The value of the last finished iteration for the side to move, or that of the search if none finished.
    pub value: Score,
    /// The bound of the value.
    pub bound: Bound,
    /// The principal variation of the same iteration in SAN.
    pub line: String,
    /// The result of a later iteration until it was stopped, in a sentence; `None` if its value is the same.
    pub unfinished: Option<String>,
    /// Moves made in all.
    pub nodes: u64,
}

impl SearchSummary {
    /// Summarizes a recorded search.
    ///
    /// # Errors
    /// [`TraceError`] if the trace has no legal game or is damaged.
    pub fn of(label: &str, trace: &Trace) -> Result<SearchSummary, TraceError> {
        let (label, game, summary) = (label.to_owned(), trace.game()?, trace.summary());
        let (value, line) = (Score(summary.score), line_of(trace, game.position()));
        let (depth, bound, nodes) = (summary.depth, bound(trace), summary.nodes);
        let found = SearchSummary { label, depth, value, bound, line, unfinished: None, nodes };
        let Some(before) = superseded_iteration(trace) else { return Ok(found) };
        let unfinished = Some(unfinished(before.stopped, value, &found.line));
        let line = best_line(trace, before.root, game.position())?;
        Ok(SearchSummary { value: before.value, bound: Bound::Exact, line, unfinished, ..found })
    }

    /// The value with its bound.
    pub fn proven(&self) -> String {
        words::proven(self.value, self.bound)
    }

    /// Depth, value and line.
    pub(crate) fn outcome(&self) -> String {
        let unfinished = self.unfinished.as_ref().map_or(String::new(), |sentence| format!(". {sentence}"));
        format!("depth {}, value {}: {}{unfinished}", self.depth, self.proven(), self.line)
    }
}

/// The last finished iteration of a search that ended with another value, and the search of the root that found that.
struct SupersededIteration<'a> {
    root: NodeId,
    value: Score,
    stopped: &'a IterationInfo,
}

/// `None` if the value is that of a finished iteration or if its root was not recorded. Also `None` for a consultation, because each voter
/// has separate iterations.
fn superseded_iteration(trace: &Trace) -> Option<SupersededIteration<'_>> {
    let summary = trace.summary();
    if summary.iterations.iter().any(|info| info.voter > 0) {
        return None;
    }
    let last = summary.iterations.iter().rposition(|info| info.line == 0 && info.is_exact())?;
    let (root, value) = (summary.iterations[last].root?, Score(summary.iterations[last].score?));
    let later = || summary.iterations[last + 1..].iter().rev().filter(|info| info.line == 0);
    let stopped = later().find(|info| info.score == Some(summary.score)).or_else(|| later().next())?;
    (value.0 != summary.score).then_some(SupersededIteration { root, value, stopped })
}

/// The result of an iteration that was not finished.
fn unfinished(stopped: &IterationInfo, value: Score, line: &str) -> String {
    let found = words::proven(value, bound_in(stopped, value));
    let by = if line.is_empty() { String::new() } else { format!(" by {line}") };
    format!("Depth {} was not finished: so far {found}{by}.", Depth(stopped.depth).whole())
}

/// The bound of the value of the whole search, from the window of the iteration that found it.
fn bound(trace: &Trace) -> Bound {
    let summary = trace.summary();
    let iterations = || summary.iterations.iter().rev().filter(|info| info.line == 0);
    let finished = iterations().find(|info| info.score == Some(summary.score));
    let stopped = iterations().find(|info| info.score.is_none() && info.root.is_some());
    finished.or(stopped).map_or(Bound::Exact, |info| bound_in(info, Score(summary.score)))
}

fn bound_in(info: &IterationInfo, value: Score) -> Bound {
    match value.0 {
        value if value <= info.window.0 => Bound::Upper,
        value if value >= info.window.1 => Bound::Lower,
        _ => Bound::Exact,
    }
}

/// The principal variation in SAN, as far as it is legal.
fn line_of(trace: &Trace, position: &Position) -> String {
    let mut after = position.clone();
    let moves = trace.summary().line.iter().map_while(|text| {
        let mv = text.parse::<UciMove>().ok()?.to_move(after.chess()).ok()?;
        after = after.play(mv);
        Some(mv)
    });
    line_names(position, &moves.collect::<Vec<_>>()).join(" ")
}

/// The best moves from a root on, as far as their nodes were recorded and moves decided them.
fn best_line(trace: &Trace, root: NodeId, position: &Position) -> Result<String, TraceError> {
    let (mut node, mut position) = (trace.node(root)?, position.clone());
    let mut line = Vec::new();
    while let Some(best) = node.best() {
        let Some(mv) = best.mv.in_position(&position) else { break };
        line.push(move_name(&position, mv));
        position = position.play(mv);
        let Some(child) = best.last_child() else { break };
        node = trace.node(child)?;
    }
    Ok(line.join(" "))
}
