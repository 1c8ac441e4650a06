//! Two trees of one position laid side by side, line by line, with the first place where they part.

use super::{Comparison, compare};
use crate::show::{ShowError, name, position_of};
use crate::trace::{Fate, MoveCode, MoveRecord, NodeRecord, Search, Step, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::score::Depth;

/// What is shown of both trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Plies below the root; the way to the first difference is shown beyond.
    pub plies: usize,
    /// Moves of a node with less than this share of either tree are counted only (permille).
    pub share: u64,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { plies: 4, share: 5 }
    }
}

/// One side of a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Side {
    /// The value for the side that moved, with what it proves; or why there is none.
    pub value: String,
    /// Depth it was searched to.
    pub depth: Option<Depth>,
    /// Moves made for it.
    pub made: u64,
    /// The rules that had a say, in words.
    pub notes: Vec<String>,
}

/// The same line on both sides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// Plies below the root.
    pub level: usize,
    /// The move, or what was searched; for rows that were put together how many they are.
    pub name: String,
    /// Both sides; `None` where a side never came to it.
    pub sides: [Option<Side>; 2],
    /// Do they differ, here or below?
    pub differs: bool,
    /// Is it the first node where they part?
    pub first: bool,
}

/// Both trees.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Aligned {
    /// The rows in the order of the first tree; what only the second has follows at each node.
    pub rows: Vec<Row>,
    /// The line to the first node where they part; empty if that is the root, `None` if they never part.
    pub first: Option<Vec<String>>,
    /// What differs, counted.
    pub comparison: Comparison,
}

/// Lays the trees below two roots of the same position side by side.
///
/// # Errors
/// What is wrong with the traces.
pub fn align(traces: [&Trace; 2], roots: [u64; 2], extent: Extent) -> Result<Aligned, ShowError> {
    const PERMILLE: u64 = 1000;
    let comparison = compare(traces, roots)?;
    let position = traces[0].game()?.position().clone();
    let nodes = [traces[0].node(roots[0])?, traces[1].node(roots[1])?];
    let least = nodes.iter().map(|node| node.made).max().unwrap_or(0) * extent.share / PERMILLE;
    let mut aligner = Aligner { traces, extent, least: least.max(1), rows: Vec::new(), first: None };
    let sides = [0, 1].map(|side| Some(root_side(&nodes[side])));
    let parts = !alike(&nodes[0], &nodes[1]);
    aligner.rows.push(Row { name: "root".to_owned(), sides, differs: parts, ..Row::default() });
    let [one, other] = nodes;
    aligner.below([Some(one), Some(other)], &position, 1, parts.then(Vec::new))?;
    Ok(Aligned { rows: aligner.rows, first: aligner.first, comparison })
}

fn root_side(node: &NodeRecord) -> Side {
    Side { value: words::value(node), depth: Some(node.depth), made: node.made, notes: Vec::new() }
}

/// Nodes whose whole story is the same, as far as what they amount to tells.
fn alike(one: &NodeRecord, other: &NodeRecord) -> bool {
    (one.score, one.made, one.size, one.depth_out, &one.ended)
        == (other.score, other.made, other.size, other.depth_out, &other.ended)
}

struct Aligner<'a> {
    traces: [&'a Trace; 2],
    extent: Extent,
    /// Moves made in the smallest subtree that has a row of its own.
    least: u64,
    rows: Vec<Row>,
    first: Option<Vec<String>>,
}

/// Something that either side may have done at a node: a search of a rule, or a move.
struct Entry<'a> {
    name: String,
    sides: [Option<What<'a>>; 2],
}

#[derive(Clone, Copy)]
enum What<'a> {
    Probe(&'a Search),
    Move(&'a MoveRecord),
}

impl What<'_> {
    fn made(self) -> u64 {
        match self {
            What::Probe(search) => search.made,
            What::Move(record) => record.made(),
        }
    }

    fn last(&self) -> Option<&Search> {
        match self {
            What::Probe(search) => Some(search),
            What::Move(record) => record.searched().and_then(|searched| searched.tries.last()),
        }
    }
}

impl Aligner<'_> {
    /// Rows for everything below a pair of nodes. `way` is the line so far while the first difference is still looked for here.
    fn below(
        &mut self,
        nodes: [Option<NodeRecord>; 2],
        position: &Position,
        level: usize,
        way: Option<Vec<String>>,
    ) -> Result<(), ShowError> {
        let entries = entries(&nodes, position);
        // The first of them that differs leads to where the trees part, if both sides searched it alike from outside.
        let leads = way.as_ref().and_then(|_| entries.iter().position(|entry| self.differs(entry)));
        if let (Some(way), None) = (&way, leads) {
            self.part(way.clone());
        }
        let mut folded = (0u64, [0u64; 2], false);
        for (index, entry) in entries.iter().enumerate() {
            let on_way = leads == Some(index);
            let made = entry.sides.map(|what| what.map_or(0, What::made));
            let differs = self.differs(entry);
            if !on_way && (level > self.extent.plies || made.iter().all(|made| *made < self.least)) {
                folded = (folded.0 + 1, [folded.1[0] + made[0], folded.1[1] + made[1]], folded.2 || differs);
                continue;
            }
            let sides = [0, 1].map(|side| entry.sides[side].map(|what| self.side(side, what)));
            self.rows.push(Row { level, name: entry.name.clone(), sides, differs, first: false });
            let mut line = way.clone().unwrap_or_default();
            line.push(entry.name.clone());
            self.descend(entry, position, level, on_way.then_some(line))?;
        }
        if folded.0 > 0 && level <= self.extent.plies {
            let side = |made: u64| Some(Side { made, ..Side::default() });
            let name = format!("{} more", folded.0);
            self.rows.push(Row { level, name, sides: folded.1.map(side), differs: folded.2, first: false });
        }
        Ok(())
    }

    /// Goes on below an entry.
    fn descend(
        &mut self,
        entry: &Entry<'_>,
        position: &Position,
        level: usize,
        way: Option<Vec<String>>,
    ) -> Result<(), ShowError> {
        let child = |side: usize| -> Result<Option<NodeRecord>, ShowError> {
            let id = entry.sides[side].as_ref().and_then(What::last).and_then(|search| search.child);
            Ok(id.map(|id| self.traces[side].node(id)).transpose()?)
        };
        let children = [child(0)?, child(1)?];
        let same = entry.sides[0].is_some_and(|one| entry.sides[1].is_some_and(|other| same_fate(one, other)));
        let both = children.iter().all(Option::is_some);
        // Where one side left the move out, searched it otherwise or ended the node by a rule, the trees part at the row itself.
        let way = match way {
            Some(line) if !same || !both => {
                self.part(line);
                None
            }
            way => way,
        };
        let wanted = level < self.extent.plies || way.is_some();
        let Some(any) = children.iter().flatten().next().filter(|_| wanted) else { return Ok(()) };
        let below = position_of(any, position)?;
        let ended = children.iter().flatten().any(|node| node.ended.is_some());
        if let (Some(line), true) = (&way, ended) {
            self.part(line.clone());
            return Ok(());
        }
        self.below(children, &below, level + 1, way)
    }

    /// The trees part at the last row.
    fn part(&mut self, line: Vec<String>) {
        if self.first.is_none() {
            self.first = Some(line);
            if let Some(row) = self.rows.last_mut() {
                row.first = true;
            }
        }
    }

    fn differs(&self, entry: &Entry<'_>) -> bool {
        let [Some(one), Some(other)] = entry.sides else { return true };
        if !same_fate(one, other) || one.made() != other.made() {
            return true;
        }
        let score = |what: What<'_>| what.last().and_then(|search| search.score);
        score(one) != score(other)
    }

    fn side(&self, side: usize, what: What<'_>) -> Side {
        let trace = self.traces[side];
        let mut notes = Vec::new();
        let value = match what {
            What::Probe(search) => words::found(trace, search),
            What::Move(MoveRecord { fate: Fate::Skipped { by, .. }, .. }) => {
                format!("left out by {}", words::spoken(by, trace.labels(by.rule)))
            }
            What::Move(MoveRecord { fate: Fate::Unknown, .. }) => "stopped".to_owned(),
            What::Move(MoveRecord { fate: Fate::Searched(searched), .. }) => {
                let ledger = searched.ledger.iter();
                notes.extend(ledger.map(|line| format!("{} {}", line.by.rule.name(), words::signed_plies(line.cost))));
                let again = searched.tries.len();
                if again > 1 {
                    notes.push(format!("searched {again} times"));
                }
                searched
                    .judged
                    .map_or_else(|| "stopped".to_owned(), |judged| words::worth(judged.score, judged.decision))
            }
        };
        let child = what.last().and_then(|search| search.child).and_then(|child| trace.node(child).ok());
        let depth = child.as_ref().filter(|child| !child.is_quiescence()).map(|child| child.depth);
        notes.extend(
            child
                .and_then(|child| child.ended)
                .map(|by| format!("ended by {}", words::spoken(&by, trace.labels(by.rule)))),
        );
        Side { value, depth, made: what.made(), notes }
    }
}

/// Was the same done with a move: searched at the same price as often, or left out by the same rule?
fn same_fate(one: What<'_>, other: What<'_>) -> bool {
    match (one, other) {
        (What::Probe(one), What::Probe(other)) => (one.purpose, one.cost) == (other.purpose, other.cost),
        (What::Move(one), What::Move(other)) => match (&one.fate, &other.fate) {
            (Fate::Searched(one), Fate::Searched(other)) => {
                (one.charged, one.tries.len()) == (other.charged, other.tries.len())
            }
            (Fate::Skipped { by: one, .. }, Fate::Skipped { by: other, .. }) => one.rule == other.rule,
            (Fate::Unknown, Fate::Unknown) => true,
            _ => false,
        },
        _ => false,
    }
}

/// What both sides did at a node, in the order of the first; what only the second did comes last.
fn entries<'a>(nodes: &'a [Option<NodeRecord>; 2], position: &Position) -> Vec<Entry<'a>> {
    let mut entries: Vec<(Option<MoveCode>, u8, Entry<'a>)> = Vec::new();
    for (side, node) in nodes.iter().enumerate() {
        for step in node.iter().flat_map(|node| &node.steps) {
            let (mv, purpose, title, what) = match step {
                Step::Deepened { .. } => continue,
                Step::Probe { mv, search } => {
                    let title = mv.map_or(String::new(), |mv| format!(" {}", name(position, Some(mv))));
                    (*mv, search.purpose as u8 + 1, format!("{}{title}", search.purpose.name()), What::Probe(search))
                }
                Step::Move(record) => (Some(record.mv), 0, name(position, Some(record.mv)), What::Move(record)),
            };
            let known = entries
                .iter_mut()
                .find(|(code, sort, entry)| *code == mv && *sort == purpose && entry.sides[side].is_none());
            match known {
                Some((_, _, entry)) => entry.sides[side] = Some(what),
                None => {
                    let mut sides = [None, None];
                    sides[side] = Some(what);
                    entries.push((mv, purpose, Entry { name: title, sides }));
                }
            }
        }
    }
    entries.into_iter().map(|(_, _, entry)| entry).collect()
}
