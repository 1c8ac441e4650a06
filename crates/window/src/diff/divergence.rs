//! The first event that is not the same in two searches of one position.
//!
//! Both trees are walked together in the order of events. Two nodes are equal if they were entered with the same depth, and the same
//! rules changed it by the same amounts. They also have the same searches and moves in the same order at the same costs, and returned the
//! same value and bound. The walk stops at the first place where they are not equal. Nothing before that place differs.

use super::{common_roots, iterations_in_common};
use crate::show::{ShowError, name, position_of, probe_name};
use crate::trace::{ChildSearch, MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, Purpose, Trace};
use quarterply_engine::position::Position;
use quarterply_engine::score::Depth;

/// One step of the way from a root to a place in the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// The move in short algebraic notation, or the search of a rule with its move.
    pub name: String,
    /// The move; `None` for a null move and a search without a move.
    pub mv: Option<MoveCode>,
    /// The move in UCI notation; empty if there is none.
    pub uci: String,
    /// The purpose of a separate search of a rule; `None` for a move of the node.
    pub probe: Option<Purpose>,
    /// Which of several: of a move its search, of a rule its probe with this move, from 0.
    pub place: usize,
}

/// The first difference of two searches of one position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Divergence {
    /// The way from the root to the place, in the last iteration that both finished; empty if it is the root, `None` if that iteration is
    /// the same in both.
    pub path: Option<Vec<PathStep>>,
    /// That iteration in each trace: its place among the searches of the root that were recorded.
    pub iterations: [usize; 2],
    /// The depth of the first iteration that differs, where the last one does not.
    pub earlier: Option<Depth>,
    /// True if one search finished an iteration that the other did not begin or finish.
    pub deeper: bool,
}

impl Divergence {
    /// Compares two traces of one position.
    pub fn between(traces: [&Trace; 2]) -> Result<Divergence, ShowError> {
        let Some((roots, _)) = common_roots(traces) else { return Ok(Divergence::default()) };
        let deeper = traces[0].summary().depth != traces[1].summary().depth;
        let path = path_between(traces, roots)?;
        let mut earlier = None;
        if path.is_none() {
            for (depth, roots) in iterations_in_common(traces) {
                if path_between(traces, roots)?.is_some() {
                    earlier = Some(depth);
                    break;
                }
            }
        }
        let iterations = [0, 1].map(|side| place_of(traces[side], roots[side]));
        Ok(Divergence { path, iterations, earlier, deeper })
    }

    /// The names of the steps to the place.
    pub fn line(&self) -> Option<Vec<&str>> {
        self.path.as_ref().map(|path| path.iter().map(|step| step.name.as_str()).collect())
    }

    /// The place of the first difference, in a sentence; `depth` is that of the last iteration that both finished.
    pub fn sentence(&self, depth: &str) -> String {
        match (self.line().as_deref(), self.earlier, self.deeper) {
            (Some([]), ..) => "The trees differ at the root itself.".to_owned(),
            (Some(line), ..) => format!("The trees first differ after {}.", line.join(" ")),
            (None, Some(earlier), _) => {
                let earlier = crate::words::plies(earlier);
                format!("The trees of iteration {depth} are the same; those of iteration {earlier} differ.")
            }
            (None, None, true) => {
                format!("The trees are the same up to iteration {depth}, the last that both finished.")
            }
            (None, None, false) => "The trees are the same.".to_owned(),
        }
    }
}

/// Which of the recorded searches of the root has this node.
fn place_of(trace: &Trace, root: u64) -> usize {
    let recorded = trace.summary().iterations.iter().filter_map(|iteration| iteration.root);
    recorded.take_while(|&other| other != root).count()
}

/// The way from two roots to the first place where the trees below them differ; `None` if they do not.
fn path_between(traces: [&Trace; 2], roots: [u64; 2]) -> Result<Option<Vec<PathStep>>, ShowError> {
    let position = traces[0].game()?.position().clone();
    let nodes = [traces[0].node(roots[0])?, traces[1].node(roots[1])?];
    let mut walk = DivergenceWalk { traces, path: Vec::new() };
    Ok(walk.nodes([&nodes[0], &nodes[1]], &position)?.then_some(walk.path))
}

struct DivergenceWalk<'a> {
    traces: [&'a Trace; 2],
    path: Vec<PathStep>,
}

impl DivergenceWalk<'_> {
    /// Compares two nodes of the same position and all below them. If anything differs, the path leads to the first place.
    fn nodes(&mut self, nodes: [&NodeRecord; 2], position: &Position) -> Result<bool, ShowError> {
        let [one, other] = nodes;
        if entry(one) != entry(other) {
            return Ok(true);
        }
        for (here, there) in events(one).zip(events(other)) {
            self.path.push(self.step(one, here, position));
            if key(here) != key(there) || self.events([here, there], position)? {
                return Ok(true);
            }
            self.path.pop();
        }
        let [ours, theirs] = nodes.map(|node| events(node).count());
        if ours != theirs {
            let longer = if ours > theirs { one } else { other };
            let next = events(longer).nth(ours.min(theirs));
            let next = next.map(|next| self.step(longer, next, position));
            self.path.extend(next);
            return Ok(true);
        }
        Ok(result(one) != result(other))
    }

    /// The step to an event of a node.
    fn step(&self, node: &NodeRecord, event: &NodeStep, position: &Position) -> PathStep {
        let (mv, probe) = key(event);
        let before = events(node).take_while(|other| !std::ptr::eq(*other, event));
        let place = before.filter(|other| probe.is_some() && key(other) == (mv, probe)).count();
        let uci = mv.map_or(String::new(), |mv| mv.uci(self.traces[0].header().chess960));
        PathStep { name: event_name(event, position), mv, uci, probe, place }
    }

    /// The same for two events with the same move; the last step of the path is theirs.
    fn events(&mut self, both: [&NodeStep; 2], position: &Position) -> Result<bool, ShowError> {
        match both {
            [NodeStep::Probe { search: one, .. }, NodeStep::Probe { search: other, .. }] => {
                self.searches([one, other], position)
            }
            [NodeStep::Move(one), NodeStep::Move(other)] => self.moves([one, other], position),
            _ => Ok(true),
        }
    }

    fn moves(&mut self, both: [&MoveRecord; 2], position: &Position) -> Result<bool, ShowError> {
        let (one, other) = match both.map(|record| &record.outcome) {
            [MoveOutcome::Searched(one), MoveOutcome::Searched(other)] => (one, other),
            [MoveOutcome::Skipped { by: one, rest: with }, MoveOutcome::Skipped { by: other, rest: others }] => {
                return Ok((one.rule, with) != (other.rule, others));
            }
            [MoveOutcome::Unknown, MoveOutcome::Unknown] => return Ok(false),
            _ => return Ok(true),
        };
        let step = self.path.len() - 1;
        for (place, pair) in one.tries.iter().zip(&other.tries).enumerate() {
            self.path[step].place = place;
            if self.searches([pair.0, pair.1], position)? {
                return Ok(true);
            }
        }
        self.path[step].place = one.tries.len().min(other.tries.len());
        Ok(one.tries.len() != other.tries.len())
    }

    fn searches(&mut self, both: [&ChildSearch; 2], position: &Position) -> Result<bool, ShowError> {
        let [one, other] = both;
        if (one.purpose, one.cost) != (other.purpose, other.cost) {
            return Ok(true);
        }
        let [Some(here), Some(there)] = both.map(|search| search.child) else {
            return Ok(
                (one.score, one.nodes) != (other.score, other.nodes) || one.child.is_some() != other.child.is_some()
            );
        };
        let nodes = [self.traces[0].node(here)?, self.traces[1].node(there)?];
        let below = position_of(&nodes[0], position)?;
        self.nodes([&nodes[0], &nodes[1]], &below)
    }
}

/// The compared inputs of a node, and the depth changes by rules.
fn entry(node: &NodeRecord) -> impl PartialEq {
    let deepened = node.steps.iter().filter_map(|step| match step {
        NodeStep::Deepened { by, amount } => Some((by.rule, *amount)),
        _ => None,
    });
    (node.depth, node.budget, node.is_quiescence(), deepened.collect::<Vec<_>>())
}

/// The result of a node: its value, its bound, and the rule that ended it.
fn result(node: &NodeRecord) -> impl PartialEq {
    (node.score.map(|score| (score, node.window.bound(score))), node.ended.as_ref().map(|by| by.rule))
}

/// Searches of rules and moves, in order.
pub(super) fn events(node: &NodeRecord) -> impl Iterator<Item = &NodeStep> {
    node.steps.iter().filter(|step| !matches!(step, NodeStep::Deepened { .. }))
}

/// Distinguishes the events of a node: the move, and for the search of a rule its purpose.
pub(super) fn key(step: &NodeStep) -> (Option<MoveCode>, Option<Purpose>) {
    match step {
        NodeStep::Deepened { .. } => (None, None),
        NodeStep::Probe { mv, search } => (*mv, Some(search.purpose)),
        NodeStep::Move(record) => (Some(record.mv), None),
    }
}

/// The move, or the separate search of a rule.
pub(super) fn event_name(event: &NodeStep, position: &Position) -> String {
    match key(event) {
        (mv, None) => name(position, mv),
        (mv, Some(purpose)) => probe_name(position, mv, purpose),
    }
}
