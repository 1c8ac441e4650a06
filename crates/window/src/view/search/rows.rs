//! The rows of a recorded search, one node after the other.

use std::collections::HashSet;

use quarterply_engine::position::Position;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::{CastlingMode, Color, Move};
use rustc_hash::FxHashMap;

use super::named_moves::{NamedMoves, skips_others, unreached};
use crate::move_sources::{MoveSource, MoveSources};
use crate::show::untried::{UntriedMoves, untried};
use crate::trace::{
    ChildSearch, IterationInfo, MoveCode, MoveOutcome, MoveRecord, NodeId, NodeRecord, NodeStep, Purpose, RuleReason,
    SearchedMove, TableHit, Trace, TraceError,
};
use crate::view::{
    MoveNumber, Omitted, RowDecision, RowKind, RowTableEntry, RuleAction, RuleDecision, TreeInfo, TreeRow, View,
    ViewBuilder, flag,
};

/// Builds the rows of a view from a trace.
pub struct RowBuilder<'a> {
    trace: &'a Trace,
    /// Nodes whose children are shown; all if `None`.
    open: Option<HashSet<NodeId>>,
    builder: ViewBuilder,
    /// Numbers of moves with their names: a tree of a million rows names a few thousand moves again and again.
    numbers: FxHashMap<(Move, SanPlus), Option<MoveNumber>>,
    mode: CastlingMode,
    /// The row of each node; `None` if it has none yet.
    rows: Vec<Option<u32>>,
    read: u64,
    places: MoveSources,
}

/// The place of a row.
#[derive(Clone, Copy)]
struct RowPlace {
    level: u16,
    ply: u16,
    /// True if it is on the principal variation.
    line: bool,
}

impl RowPlace {
    fn below(self, line: bool) -> RowPlace {
        RowPlace { level: self.level + 1, ply: self.ply + 1, line: self.line && line }
    }

    fn row(self) -> TreeRow {
        TreeRow {
            level: self.level,
            ply: self.ply,
            flags: if self.line { flag::LINE } else { 0 },
            ..TreeRow::default()
        }
    }
}

impl<'a> RowBuilder<'a> {
    /// Begins with the row of the whole search. Children are shown of the nodes in `open`, or of all.
    pub fn new(trace: &'a Trace, open: Option<HashSet<NodeId>>, about: TreeInfo, mode: CastlingMode) -> RowBuilder<'a> {
        let value = score(Score(about.value));
        let mut builder = ViewBuilder::new(about);
        builder.push(TreeRow { value, flags: flag::LINE, ..TreeRow::default() }, &[]);
        let rows = vec![None; usize::try_from(trace.len()).unwrap_or(0)];
        let (numbers, places) = (FxHashMap::default(), MoveSources::default());
        RowBuilder { trace, open, builder, numbers, mode, rows, read: 0, places }
    }

    /// Nodes read so far.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// The tree of all rows.
    pub fn finish(self) -> View {
        let mut view = self.builder.finish();
        view.about.places = self.places.tallies();
        view
    }

    fn node(&mut self, id: NodeId) -> Result<NodeRecord, TraceError> {
        self.read += 1;
        let node = self.trace.node(id)?;
        self.places.add(&node);
        Ok(node)
    }

    fn name(&mut self, named: &mut NamedMoves<'_>, mv: Move) -> Option<MoveNumber> {
        let name = named.san(mv);
        let (builder, mode) = (&mut self.builder, self.mode);
        let number = || builder.mv(&name.to_string(), &mv.to_uci(mode).to_string());
        *self.numbers.entry((mv, name)).or_insert_with(number)
    }

    fn code(&mut self, named: &mut NamedMoves<'_>, code: MoveCode) -> Option<MoveNumber> {
        code.in_position(named.position).and_then(|mv| self.name(named, mv))
    }

    /// Adds the rows of one search of the root.
    pub fn add_iteration(
        &mut self,
        root: NodeId,
        iteration: &IterationInfo,
        position: &Position,
        last: bool,
    ) -> Result<(), TraceError> {
        let node = self.node(root)?;
        let place = RowPlace { level: 1, ply: 0, line: last };
        let why = self.builder.text(&iteration_name(iteration));
        let row = TreeRow {
            kind: RowKind::Iteration,
            why,
            depth: Some(iteration.depth - iteration.reduction),
            nodes: count(node.nodes),
            alpha: score(node.window.alpha),
            beta: score(node.window.beta),
            guess: node.value.filter(|_| !node.in_check).and_then(|value| score(value.corrected)),
            value: node.score.and_then(score),
            ..place.row()
        };
        let row = TreeRow { flags: row.flags | check_flag(&node), ..row };
        let at = self.push(root, with_facts(row, &node), &[]);
        self.finish_node(at, &node, position, place)
    }

    fn push(&mut self, id: NodeId, row: TreeRow, decision: &[RuleDecision<'_>]) -> usize {
        let at = self.builder.push(row, decision);
        if let Some(place) = usize::try_from(id).ok().and_then(|id| self.rows.get_mut(id)) {
            *place = Some(at as u32);
        }
        at
    }

    /// Adds what follows the row of a node: the decisions of its rules, its table entry, its moves.
    fn finish_node(
        &mut self,
        at: usize,
        node: &NodeRecord,
        position: &Position,
        place: RowPlace,
    ) -> Result<(), TraceError> {
        for step in &node.steps {
            if let NodeStep::Deepened { by, amount } = step {
                self.builder.add_mark(&decision(by, RuleAction::Deepened, *amount));
            }
        }
        if let Some(by) = &node.ended {
            self.builder.add_mark(&decision(by, RuleAction::Cut, Depth::ZERO));
        }
        let mut named = NamedMoves::new(position);
        if let Some(hit) = node.table {
            self.table(at, &hit, &mut named);
        }
        let unreached = unreached(node, &mut named);
        if let Some(row) = self.builder.row(at) {
            row.unreached = unreached;
        }
        if self.open.as_ref().is_some_and(|open| !open.contains(&node.id)) {
            if node.size > 1
                && let Some(row) = self.builder.row(at)
            {
                row.flags |= flag::FOLDED;
                row.omitted = Omitted::Nodes(count(node.size - 1));
            }
            return Ok(());
        }
        self.steps(node, &mut named, place)
    }

    fn table(&mut self, at: usize, hit: &TableHit, named: &mut NamedMoves<'_>) {
        let mv = hit.mv.and_then(|mv| self.code(named, mv));
        let from = hit.origin.and_then(|origin| origin.node).and_then(|id| usize::try_from(id).ok());
        let from = from.and_then(|id| self.rows.get(id).copied().flatten());
        let Some(row) = self.builder.row(at) else { return };
        row.hit = Some(RowTableEntry { bound: hit.bound, value: score(hit.score), mv, depth: hit.depth.0, from });
    }

    fn steps(&mut self, node: &NodeRecord, named: &mut NamedMoves<'_>, place: RowPlace) -> Result<(), TraceError> {
        let best = node.best().map(|best| best.mv);
        let untried = if skips_others(node) { untried(named.position, node) } else { UntriedMoves::default() };
        for (index, step) in node.steps.iter().enumerate() {
            match step {
                NodeStep::Deepened { .. } => {}
                NodeStep::Probe { mv, search } => self.probe(*mv, search, named, place)?,
                NodeStep::Move(record) => match &record.outcome {
                    MoveOutcome::Skipped { by, .. } => self.skipped(record, by, untried.with(index), named, place),
                    MoveOutcome::Searched(searched) => {
                        self.searched(record, searched, best == Some(record.mv), named, place)?;
                    }
                    MoveOutcome::Unknown => self.unknown(node, record, named, place),
                },
            }
        }
        Ok(())
    }

    /// A search that a rule made for itself.
    fn probe(
        &mut self,
        mv: Option<MoveCode>,
        search: &ChildSearch,
        named: &mut NamedMoves<'_>,
        place: RowPlace,
    ) -> Result<(), TraceError> {
        let same_position = search.purpose.same_position();
        let mut row = of_search(search, place.below(false), !same_position);
        row.flags |= match search.purpose {
            _ if same_position => flag::ASIDE,
            Purpose::NullMove => flag::NULL_MOVE,
            _ => 0,
        };
        row.mv = mv.and_then(|mv| self.code(named, mv));
        let below = mv.and_then(|mv| mv.in_position(named.position)).map(|mv| named.position.play(mv));
        let below = if row.flags & flag::NULL_MOVE != 0 { named.position.play_null() } else { below };
        self.child(search, row, &[], below.as_ref().unwrap_or(named.position), place.below(false))
    }

    /// A move that was searched, once or again and again.
    fn searched(
        &mut self,
        record: &MoveRecord,
        searched: &SearchedMove,
        best: bool,
        named: &mut NamedMoves<'_>,
        place: RowPlace,
    ) -> Result<(), TraceError> {
        let Some(mv) = record.mv.in_position(named.position) else { return Ok(()) };
        let name = self.name(named, mv);
        let position = named.position.play(mv);
        let breakdown_index =
            searched.tries.iter().position(|search| Some(search.cost) == searched.deducted).unwrap_or(0);
        for (index, search) in searched.tries.iter().enumerate() {
            let last = index + 1 == searched.tries.len();
            let below = place.below(best && last);
            let mut row = of_search(search, below, index == 0);
            row.mv = name;
            (row.source, row.order) = (Some(MoveSource::of(record)), record.order);
            row.decision = match searched.value {
                value if last => value.map(|value| value.decision.into()),
                _ => Some(RowDecision::Again),
            };
            if index > 0 {
                row.flags |= flag::AGAIN;
            }
            let lines = searched.breakdown.iter().filter(|_| index == breakdown_index);
            let breakdown: Vec<RuleDecision<'_>> =
                lines.map(|line| decision(&line.by, RuleAction::CostChanged, line.cost)).collect();
            self.child(search, row, &breakdown, &position, below)?;
        }
        Ok(())
    }

    /// The row of a search with all that is below it, as far as it was recorded.
    fn child(
        &mut self,
        search: &ChildSearch,
        row: TreeRow,
        breakdown: &[RuleDecision<'_>],
        position: &Position,
        place: RowPlace,
    ) -> Result<(), TraceError> {
        let Some(id) = search.child else {
            let omitted = Omitted::Nodes(count(search.unrecorded));
            let row = TreeRow { flags: row.flags | flag::FOLDED, omitted, ..row };
            self.builder.push(row, breakdown);
            return Ok(());
        };
        let node = self.node(id)?;
        let seen = |value: Score| score(if search.purpose.same_position() { value } else { -value });
        let (alpha, beta) = match search.purpose.same_position() {
            true => (node.window.alpha, node.window.beta),
            false => (-node.window.beta, -node.window.alpha),
        };
        let (own, other) = separate_budgets(&node, position.turn());
        let row = TreeRow {
            kind: if node.is_quiescence() { RowKind::Quiet } else { RowKind::Node },
            depth: Some(node.depth.0),
            own,
            other,
            alpha: score(alpha),
            beta: score(beta),
            guess: node.value.filter(|_| !node.in_check).and_then(|value| seen(value.corrected)),
            flags: row.flags | check_flag(&node) | if node.unrecorded > 0 { flag::FOLDED } else { 0 },
            omitted: Omitted::Nodes(count(node.unrecorded)),
            ..row
        };
        let at = self.push(id, with_facts(row, &node), breakdown);
        self.finish_node(at, &node, position, place)
    }

    /// A move that a rule skipped, and those skipped with it.
    fn skipped(
        &mut self,
        record: &MoveRecord,
        by: &RuleReason,
        others: &[Move],
        named: &mut NamedMoves<'_>,
        place: RowPlace,
    ) {
        let below = place.below(false);
        let words = [decision(by, RuleAction::Skipped, Depth::ZERO)];
        let mv = self.code(named, record.mv);
        let (source, order) = (Some(MoveSource::of(record)), record.order);
        let row = TreeRow { kind: RowKind::Unsearched, mv, source, order, ..below.row() };
        self.builder.push(row, &words);
        if !others.is_empty() {
            let names: Vec<_> = others.iter().map(|&mv| self.name(named, mv)).collect();
            self.builder.push_rest(below.row(), &names, &words);
        }
    }

    /// A move of which nothing more is known.
    fn unknown(&mut self, node: &NodeRecord, record: &MoveRecord, named: &mut NamedMoves<'_>, place: RowPlace) {
        let why = if node.excluded == Some(record.mv) {
            "Excluded on purpose: this search finds the value of the position without it."
        } else {
            "The search was stopped here."
        };
        let (mv, why) = (self.code(named, record.mv), self.builder.text(why));
        self.builder.push(TreeRow { kind: RowKind::Unsearched, mv, why, ..place.below(false).row() }, &[]);
    }
}

fn iteration_name(iteration: &IterationInfo) -> String {
    let mut name = format!("depth {}", Depth(iteration.depth).whole());
    if iteration.voter > 0 {
        name += &format!(", voter {}", iteration.voter + 1);
    }
    if iteration.line > 0 {
        name += &format!(", line {}", iteration.line + 1);
    }
    if iteration.attempt > 0 {
        name += &format!(", window {}", iteration.attempt + 1);
    }
    name
}

/// What a parent knows of a search. The move counts as a node where it was made for this search.
fn of_search(search: &ChildSearch, place: RowPlace, made: bool) -> TreeRow {
    TreeRow {
        nodes: count(search.nodes + u64::from(made)),
        cost: (search.purpose != Purpose::Quiescence).then_some(search.cost.0),
        value: search.score.and_then(score),
        purpose: Some(search.purpose),
        kind: if search.purpose == Purpose::Quiescence { RowKind::Quiet } else { RowKind::Node },
        ..place.row()
    }
}

fn with_facts(row: TreeRow, node: &NodeRecord) -> TreeRow {
    let improving = node.value.is_some_and(|value| value.improving);
    TreeRow {
        expected: Some(node.expected),
        found: node.actual(),
        flags: row.flags | if improving { flag::IMPROVING } else { 0 },
        ..row
    }
}

/// The budgets of the side to move and of the other one, if they are separate.
fn separate_budgets(node: &NodeRecord, turn: Color) -> (Option<i32>, Option<i32>) {
    let [white, black] = node.budget.map(|left| left.0);
    let (own, other) = if turn == Color::White { (white, black) } else { (black, white) };
    let separate = |left| (own != other).then_some(left);
    (separate(own), separate(other))
}

fn decision(by: &RuleReason, action: RuleAction, amount: Depth) -> RuleDecision<'_> {
    RuleDecision { rule: by.rule, action, amount: amount.0, numbers: &by.numbers }
}

fn check_flag(node: &NodeRecord) -> u16 {
    if node.in_check { flag::CHECK } else { 0 }
}

fn score(score: Score) -> Option<i16> {
    i16::try_from(score.0).ok()
}

fn count(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
