//! Two trees of one position laid side by side, line by line, with the place where they first differ.

use super::divergence::{Divergence, PathStep, event_name, events, key};
use super::{SearchComparison, compare};
use crate::show::{ShowError, position_of};
use crate::trace::{MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, Purpose, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::score::Depth;

/// The part of both trees that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlignmentExtent {
    /// Plies below the root; the way to the first difference is shown beyond.
    pub plies: usize,
    /// Moves of a node with less than this share of either tree are counted only (permille).
    pub share: u64,
}

impl Default for AlignmentExtent {
    fn default() -> AlignmentExtent {
        AlignmentExtent { plies: 4, share: 5 }
    }
}

/// One side of a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlignedSide {
    /// The value for the side that moved, with its bound; or the reason why there is none.
    pub value: String,
    /// Depth it was searched to.
    pub depth: Option<Depth>,
    /// Moves made for it.
    pub nodes: u64,
    /// Decisions of rules, in words.
    pub notes: Vec<String>,
}

/// The same line on both sides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlignedRow {
    /// Plies below the root.
    pub level: usize,
    /// The move, or the name of the search; for rows that were put together their number.
    pub name: String,
    /// Both sides; `None` where a side never came to it.
    pub sides: [Option<AlignedSide>; 2],
    /// True if they differ, here or below.
    pub differs: bool,
    /// True for the place where they first differ.
    pub first: bool,
}

/// Both trees.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Aligned {
    /// The rows in the order of the first tree; rows of the second tree alone follow at each node.
    pub rows: Vec<AlignedRow>,
    /// The place where they first differ.
    pub divergence: Divergence,
    /// The differences, counted.
    pub comparison: SearchComparison,
}

/// Lays the trees below two roots of the same position side by side.
pub fn align(traces: [&Trace; 2], roots: [u64; 2], extent: AlignmentExtent) -> Result<Aligned, ShowError> {
    const PERMILLE: u64 = 1000;
    let comparison = compare(traces, roots)?;
    let position = traces[0].game()?.position().clone();
    let nodes = [traces[0].node(roots[0])?, traces[1].node(roots[1])?];
    let least = nodes.iter().map(|node| node.nodes).max().unwrap_or(0) * extent.share / PERMILLE;
    let divergence = Divergence::between(traces)?;
    let path = divergence.path.as_deref();
    let mut aligner = Aligner { traces, extent, least: least.max(1), rows: Vec::new() };
    let sides = nodes.each_ref().map(|node| {
        let (value, depth, nodes) = (words::value(node), Some(node.depth), node.nodes);
        Some(AlignedSide { value, depth, nodes, notes: Vec::new() })
    });
    let first = path.is_some_and(<[PathStep]>::is_empty);
    let differs = path.is_some();
    aligner.rows.push(AlignedRow { level: 0, name: "root".to_owned(), sides, differs, first });
    let [one, other] = nodes;
    aligner.below([Some(one), Some(other)], &position, 1, path.unwrap_or_default())?;
    Ok(Aligned { rows: aligner.rows, divergence, comparison })
}

struct Aligner<'a> {
    traces: [&'a Trace; 2],
    extent: AlignmentExtent,
    /// Number of moves made in the smallest subtree with a separate row.
    least: u64,
    rows: Vec<AlignedRow>,
}

/// Something that either side may have done at a node: a search of a rule, or a move.
struct AlignedEntry<'a> {
    name: String,
    mv: Option<MoveCode>,
    /// The purpose of a search of a rule.
    probe: Option<Purpose>,
    sides: [Option<&'a NodeStep>; 2],
}

impl Aligner<'_> {
    /// Rows for everything below a pair of nodes. `path` is what is left of the way to the first difference, if that leads through here.
    fn below(
        &mut self,
        nodes: [Option<NodeRecord>; 2],
        position: &Position,
        level: usize,
        path: &[PathStep],
    ) -> Result<(), ShowError> {
        let entries = entries(&nodes, position);
        let leads = path.first().and_then(|step| on_path(&entries, step));
        let mut folded = (0u64, [0u64; 2], false);
        for (index, entry) in entries.iter().enumerate() {
            let on_way = leads == Some(index);
            let counts = entry.sides.map(|event| event.map_or(0, NodeStep::nodes));
            let differs = on_way || self.differs(entry);
            if !on_way && (level > self.extent.plies || counts.iter().all(|&count| count < self.least)) {
                folded = (folded.0 + 1, [folded.1[0] + counts[0], folded.1[1] + counts[1]], folded.2 || differs);
                continue;
            }
            let sides = [0, 1].map(|side| entry.sides[side].map(|event| self.side(side, event)));
            let first = on_way && path.len() == 1;
            self.rows.push(AlignedRow { level, name: entry.name.clone(), sides, differs, first });
            self.descend(entry, position, level, if on_way { path } else { &[] })?;
        }
        if folded.0 > 0 && level <= self.extent.plies {
            let side = |nodes: u64| Some(AlignedSide { nodes, ..AlignedSide::default() });
            let name = format!("{} more", folded.0);
            self.rows.push(AlignedRow { level, name, sides: folded.1.map(side), differs: folded.2, first: false });
        }
        Ok(())
    }

    /// Continues below an entry; the first step of `path`, if there is one, is the entry itself.
    fn descend(
        &mut self,
        entry: &AlignedEntry<'_>,
        position: &Position,
        level: usize,
        path: &[PathStep],
    ) -> Result<(), ShowError> {
        let (step, path) = path.split_first().map_or((None, path), |(step, rest)| (Some(step), rest));
        let child = |side: usize| -> Result<Option<NodeRecord>, ShowError> {
            let searches = entry.sides[side].map(NodeStep::searches).unwrap_or_default();
            // The place of a probe is its number among those with its move.
            let place = |step: &PathStep| if step.probe.is_some() { 0 } else { step.place };
            let through = step.filter(|_| !path.is_empty()).and_then(|step| searches.get(place(step)));
            let id = through.or(searches.last()).and_then(|search| search.child);
            Ok(id.map(|id| self.traces[side].node(id)).transpose()?)
        };
        let children = [child(0)?, child(1)?];
        let is_shown = level < self.extent.plies || !path.is_empty();
        let Some(any) = children.iter().flatten().next().filter(|_| is_shown) else { return Ok(()) };
        let below = position_of(any, position)?;
        self.below(children, &below, level + 1, path)
    }

    fn differs(&self, entry: &AlignedEntry<'_>) -> bool {
        let [Some(one), Some(other)] = entry.sides else { return true };
        if !same_outcome(one, other) || one.nodes() != other.nodes() {
            return true;
        }
        let score = |event: &NodeStep| event.searches().last().and_then(|search| search.score);
        score(one) != score(other)
    }

    fn side(&self, side: usize, event: &NodeStep) -> AlignedSide {
        let trace = self.traces[side];
        let mut notes = Vec::new();
        let value = match event {
            NodeStep::Deepened { .. } => String::new(),
            NodeStep::Probe { search, .. } => words::found(trace, search),
            NodeStep::Move(MoveRecord { outcome: MoveOutcome::Skipped { by, .. }, .. }) => {
                format!("skipped by {}", trace.words(by))
            }
            NodeStep::Move(MoveRecord { outcome: MoveOutcome::Unknown, .. }) => "stopped".to_owned(),
            NodeStep::Move(MoveRecord { outcome: MoveOutcome::Searched(searched), .. }) => {
                let breakdown = searched.breakdown.iter();
                notes.extend(
                    breakdown.map(|line| format!("{} {}", line.by.rule.name(), words::signed_plies(line.change()))),
                );
                let again = searched.tries.len();
                if again > 1 {
                    notes.push(format!("searched {again} times"));
                }
                searched
                    .value
                    .map_or_else(|| "stopped".to_owned(), |value| words::move_value(value.score, value.decision))
            }
        };
        let last = event.searches().last();
        let child = last.and_then(|search| search.child).and_then(|child| trace.node(child).ok());
        let depth = child.as_ref().filter(|child| !child.is_quiescence()).map(|child| child.depth);
        notes.extend(child.and_then(|child| child.ended).map(|by| format!("ended by {}", trace.words(&by))));
        AlignedSide { value, depth, nodes: event.nodes(), notes }
    }
}

/// Returns true if both sides searched the move at the same cost and equally often, or skipped it by the same rule.
fn same_outcome(one: &NodeStep, other: &NodeStep) -> bool {
    match (one, other) {
        (NodeStep::Probe { search: one, .. }, NodeStep::Probe { search: other, .. }) => {
            (one.purpose, one.cost) == (other.purpose, other.cost)
        }
        (NodeStep::Move(one), NodeStep::Move(other)) => match (&one.outcome, &other.outcome) {
            (MoveOutcome::Searched(one), MoveOutcome::Searched(other)) => {
                (one.deducted, one.tries.len()) == (other.deducted, other.tries.len())
            }
            (MoveOutcome::Skipped { by: one, .. }, MoveOutcome::Skipped { by: other, .. }) => one.rule == other.rule,
            (MoveOutcome::Unknown, MoveOutcome::Unknown) => true,
            _ => false,
        },
        _ => false,
    }
}

/// The events of both sides at a node, in the order of the first; those of the second alone come last.
fn entries<'a>(nodes: &'a [Option<NodeRecord>; 2], position: &Position) -> Vec<AlignedEntry<'a>> {
    let mut entries: Vec<AlignedEntry<'a>> = Vec::new();
    for (side, node) in nodes.iter().enumerate() {
        for step in node.iter().flat_map(events) {
            let (mv, probe) = key(step);
            let is_it =
                |entry: &&mut AlignedEntry<'_>| (entry.mv, entry.probe) == (mv, probe) && entry.sides[side].is_none();
            match entries.iter_mut().find(is_it) {
                Some(entry) => entry.sides[side] = Some(step),
                None => {
                    let mut sides = [None, None];
                    sides[side] = Some(step);
                    entries.push(AlignedEntry { name: event_name(step, position), mv, probe, sides });
                }
            }
        }
    }
    entries
}

/// The entry that a step of the path to the first difference leads to. Probes of one kind are counted; the picker returns a move only once.
fn on_path(entries: &[AlignedEntry<'_>], step: &PathStep) -> Option<usize> {
    let place = if step.probe.is_some() { step.place } else { 0 };
    let same = |(_, entry): &(usize, &AlignedEntry<'_>)| (entry.mv, entry.probe) == (step.mv, step.probe);
    entries.iter().enumerate().filter(same).map(|(index, _)| index).nth(place)
}
