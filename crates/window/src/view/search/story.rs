//! The rows of a recorded search, one node after the other.

use std::collections::HashSet;

use quarterply_engine::node::NodeType as Expected;
use quarterply_engine::position::Position;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::{CastlingMode, Color, Move};

use super::Progress;
use super::names::Names;
use super::scene::{NamedMoves, skips_others, unreached};
use crate::places::{Places, Source};
use crate::show::unseen::{Unseen, unseen};
use crate::trace::{
    Decision, Fate, IterationInfo, MoveCode, MoveRecord, NodeId, NodeRecord, Purpose, Search, Searched, Spoken, Step,
    TableHit, Trace, TraceError,
};
use crate::view::{
    About, Budget, Builder, Deed, Hit, Judged, Kind, MoveNumber, Omitted, Order, Outcome, Row, Said, Scores, Type,
    View, flag,
};

/// Nodes between two reports of progress.
const REPORT_EVERY: u64 = 1 << 14;

/// Builds the rows of a view from a trace.
pub struct RowBuilder<'a> {
    trace: &'a Trace,
    /// Nodes whose children are shown; all if `None`.
    open: Option<HashSet<NodeId>>,
    builder: Builder,
    names: Names,
    mode: CastlingMode,
    /// The row of each node; `None` if it has none yet.
    rows: Vec<Option<u32>>,
    progress: &'a mut Progress<'a>,
    read: u64,
    places: Places,
}

/// Where a row is to stand.
#[derive(Clone, Copy)]
struct Place {
    level: u16,
    ply: u16,
    /// Is it on the principal variation?
    line: bool,
}

impl Place {
    fn below(self, line: bool) -> Place {
        Place { level: self.level + 1, ply: self.ply + 1, line: self.line && line }
    }

    fn row(self) -> Row {
        Row { level: self.level, ply: self.ply, flags: if self.line { flag::LINE } else { 0 }, ..Row::default() }
    }
}

impl<'a> RowBuilder<'a> {
    /// Begins with the row that stands for the whole search. Children are shown of the nodes in `open`, or of all.
    pub fn new(
        trace: &'a Trace,
        open: Option<HashSet<NodeId>>,
        about: About,
        mode: CastlingMode,
        progress: &'a mut Progress<'a>,
    ) -> RowBuilder<'a> {
        let mut builder = Builder::new(about);
        let value = score(Score(trace.summary().score));
        let scores = Scores { value, ..Scores::default() };
        builder.push(Row { scores, flags: flag::LINE, ..Row::default() }, &[]);
        let rows = vec![None; usize::try_from(trace.len()).unwrap_or(0)];
        RowBuilder {
            trace,
            open,
            builder,
            names: Names::default(),
            mode,
            rows,
            progress,
            read: 0,
            places: Places::default(),
        }
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
        if self.read.is_multiple_of(REPORT_EVERY) {
            (self.progress)(self.read);
        }
        let node = self.trace.node(id)?;
        self.places.add(&node);
        Ok(node)
    }

    fn name(&mut self, scene: &mut NamedMoves<'_>, mv: Move) -> Option<MoveNumber> {
        let (san, suffix) = scene.san(mv);
        let (builder, mode) = (&mut self.builder, self.mode);
        self.names
            .number(mv, &san, suffix, || builder.mv(&SanPlus { san, suffix }.to_string(), &mv.to_uci(mode).to_string()))
    }

    fn code(&mut self, scene: &mut NamedMoves<'_>, code: MoveCode) -> Option<MoveNumber> {
        code.in_position(scene.position).and_then(|mv| self.name(scene, mv))
    }

    /// One search of the root.
    pub fn pass(
        &mut self,
        root: NodeId,
        iteration: &IterationInfo,
        position: &Position,
        last: bool,
    ) -> Result<(), TraceError> {
        let node = self.node(root)?;
        let place = Place { level: 1, ply: 0, line: last };
        let why = self.builder.text(&pass_name(iteration));
        let row = Row {
            kind: Kind::Pass,
            why,
            budget: Budget { depth: Some(iteration.depth - iteration.reduction), ..Budget::default() },
            nodes: count(node.made),
            scores: Scores {
                alpha: score(node.window.alpha),
                beta: score(node.window.beta),
                guess: node.value.and_then(|value| score(value.corrected)),
                value: node.score.and_then(score),
            },
            ..place.row()
        };
        let row = Row { flags: row.flags | check_flag(&node), ..row };
        let at = self.push(root, with_facts(row, &node), &[]);
        self.finish_node(at, &node, position, place)
    }

    fn push(&mut self, id: NodeId, row: Row, said: &[Said<'_>]) -> usize {
        let at = self.builder.push(row, said);
        if let Some(place) = usize::try_from(id).ok().and_then(|id| self.rows.get_mut(id)) {
            *place = Some(at as u32);
        }
        at
    }

    /// What comes after a node's row: what its rules said, its table entry, its moves.
    fn finish_node(
        &mut self,
        at: usize,
        node: &NodeRecord,
        position: &Position,
        place: Place,
    ) -> Result<(), TraceError> {
        for step in &node.steps {
            if let Step::Deepened { by, amount } = step {
                self.builder.add_mark(&said(by, Deed::Deepened, *amount));
            }
        }
        if let Some(by) = &node.ended {
            self.builder.add_mark(&said(by, Deed::Cut, Depth::ZERO));
        }
        let mut scene = NamedMoves::new(position);
        if let Some(hit) = node.table {
            self.table(at, &hit, &mut scene);
        }
        let unreached = unreached(node, &mut scene);
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
        self.steps(node, &mut scene, place)
    }

    fn table(&mut self, at: usize, hit: &TableHit, scene: &mut NamedMoves<'_>) {
        let mv = hit.mv.and_then(|mv| self.code(scene, mv));
        let from = hit.origin.and_then(|origin| origin.node).and_then(|id| usize::try_from(id).ok());
        let from = from.and_then(|id| self.rows.get(id).copied().flatten());
        let Some(row) = self.builder.row(at) else { return };
        row.hit = Some(Hit { bound: hit.bound, value: score(hit.score), mv, depth: hit.depth.0, from });
    }

    fn steps(&mut self, node: &NodeRecord, scene: &mut NamedMoves<'_>, place: Place) -> Result<(), TraceError> {
        let best = node.best().map(|best| best.mv);
        let unseen = if skips_others(node) { unseen(scene.position, node) } else { Unseen::default() };
        for (index, step) in node.steps.iter().enumerate() {
            match step {
                Step::Deepened { .. } => {}
                Step::Probe { mv, search } => self.probe(*mv, search, scene, place)?,
                Step::Move(record) => match &record.fate {
                    Fate::Skipped { by, .. } => {
                        let others = unseen.skipped.iter().find(|(place, _)| *place == index);
                        self.skipped(record, by, others.map_or(&[], |(_, moves)| moves), scene, place);
                    }
                    Fate::Searched(searched) => {
                        self.searched(record, searched, best == Some(record.mv), scene, place)?;
                    }
                    Fate::Unknown => self.unknown(node, record, scene, place),
                },
            }
        }
        Ok(())
    }

    /// A search that a rule made for itself.
    fn probe(
        &mut self,
        mv: Option<MoveCode>,
        search: &Search,
        scene: &mut NamedMoves<'_>,
        place: Place,
    ) -> Result<(), TraceError> {
        let stays = search.purpose.stays();
        let mut row = of_search(search, place.below(false), !stays);
        row.flags |= match search.purpose {
            _ if stays => flag::ASIDE,
            Purpose::NullMove => flag::NULL,
            _ => 0,
        };
        row.mv = mv.and_then(|mv| self.code(scene, mv));
        let below = mv.and_then(|mv| mv.in_position(scene.position)).map(|mv| scene.position.play(mv));
        let below = if row.flags & flag::NULL != 0 { scene.position.play_null() } else { below };
        self.child(search, row, &[], below.as_ref().unwrap_or(scene.position), place.below(false))
    }

    /// A move that was searched, once or again and again.
    fn searched(
        &mut self,
        record: &MoveRecord,
        searched: &Searched,
        best: bool,
        scene: &mut NamedMoves<'_>,
        place: Place,
    ) -> Result<(), TraceError> {
        let Some(mv) = record.mv.in_position(scene.position) else { return Ok(()) };
        let name = self.name(scene, mv);
        let position = scene.position.play(mv);
        for (index, search) in searched.tries.iter().enumerate() {
            let last = index + 1 == searched.tries.len();
            let below = place.below(best && last);
            let mut row = of_search(search, below, index == 0);
            row.mv = name;
            row.order = order(record);
            row.outcome.judged = match searched.judged {
                judged if last => judged.map(|judged| decided(judged.decision)),
                _ => Some(Judged::Again),
            };
            if index > 0 {
                row.flags |= flag::AGAIN;
            }
            let ledger: Vec<Said<'_>> = match index {
                0 => searched.ledger.iter().map(|line| said(&line.by, Deed::Priced, line.cost)).collect(),
                _ => Vec::new(),
            };
            self.child(search, row, &ledger, &position, below)?;
        }
        Ok(())
    }

    /// The row of a search with all that is below it, as far as it was recorded.
    fn child(
        &mut self,
        search: &Search,
        row: Row,
        ledger: &[Said<'_>],
        position: &Position,
        place: Place,
    ) -> Result<(), TraceError> {
        let Some(id) = search.child else {
            let omitted = Omitted::Nodes(count(search.left_out));
            let row = Row { flags: row.flags | flag::FOLDED, omitted, ..row };
            self.builder.push(row, ledger);
            return Ok(());
        };
        let node = self.node(id)?;
        let seen = |value: Score| score(if search.purpose.stays() { value } else { -value });
        let (alpha, beta) = match search.purpose.stays() {
            true => (node.window.alpha, node.window.beta),
            false => (-node.window.beta, -node.window.alpha),
        };
        let row = Row {
            kind: if node.is_quiescence() { Kind::Quiet } else { Kind::Node },
            budget: budget(row.budget, &node, position.turn()),
            scores: Scores {
                alpha: score(alpha),
                beta: score(beta),
                guess: node.value.filter(|_| !node.in_check).and_then(|value| seen(value.corrected)),
                ..row.scores
            },
            flags: row.flags | check_flag(&node) | if node.left_out > 0 { flag::FOLDED } else { 0 },
            omitted: Omitted::Nodes(count(node.left_out)),
            ..row
        };
        let at = self.push(id, with_facts(row, &node), ledger);
        self.finish_node(at, &node, position, place)
    }

    /// A move that a rule left out, and those that went with it.
    fn skipped(&mut self, record: &MoveRecord, by: &Spoken, others: &[Move], scene: &mut NamedMoves<'_>, place: Place) {
        let below = place.below(false);
        let words = [said(by, Deed::Skipped, Depth::ZERO)];
        let mv = self.code(scene, record.mv);
        let row = Row { kind: Kind::Unsearched, mv, order: order(record), ..below.row() };
        self.builder.push(row, &words);
        if !others.is_empty() {
            let names: Vec<_> = others.iter().map(|&mv| self.name(scene, mv)).collect();
            self.builder.push_rest(below.row(), &names, &words);
        }
    }

    /// A move of which nothing more is known.
    fn unknown(&mut self, node: &NodeRecord, record: &MoveRecord, scene: &mut NamedMoves<'_>, place: Place) {
        let why = if node.excluded == Some(record.mv) {
            "Left out on purpose: this search finds the value of the position without it."
        } else {
            "The search was stopped here."
        };
        let (mv, why) = (self.code(scene, record.mv), self.builder.text(why));
        self.builder.push(Row { kind: Kind::Unsearched, mv, why, ..place.below(false).row() }, &[]);
    }
}

fn pass_name(iteration: &IterationInfo) -> String {
    let mut name = format!("depth {}", Depth(iteration.depth).whole());
    if iteration.voice > 0 {
        name += &format!(", voter {}", iteration.voice + 1);
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
fn of_search(search: &Search, place: Place, made: bool) -> Row {
    Row {
        nodes: count(search.made + u64::from(made)).max(1),
        budget: Budget { cost: (search.purpose != Purpose::Quiescence).then_some(search.cost.0), ..Budget::default() },
        scores: Scores { value: search.score.and_then(score), ..Scores::default() },
        purpose: Some(search.purpose),
        kind: if search.purpose == Purpose::Quiescence { Kind::Quiet } else { Kind::Node },
        ..place.row()
    }
}

fn with_facts(row: Row, node: &NodeRecord) -> Row {
    let improving = node.value.is_some_and(|value| value.improving);
    Row {
        outcome: Outcome { expected: Some(of_kind(node.expected)), found: node.actual().map(of_kind), ..row.outcome },
        flags: row.flags | if improving { flag::IMPROVING } else { 0 },
        ..row
    }
}

/// The depth left, and that of the other side if the sides have separate budgets.
fn budget(charged: Budget, node: &NodeRecord, turn: Color) -> Budget {
    let [white, black] = node.budget;
    if white == black {
        return Budget { depth: Some(node.depth.0), ..charged };
    }
    let (own, other) = if turn == Color::White { (white, black) } else { (black, white) };
    Budget { depth: Some(own.0), other: Some(other.0), ..charged }
}

fn said(by: &Spoken, deed: Deed, amount: Depth) -> Said<'_> {
    Said { rule: by.rule, deed, amount: amount.0, numbers: &by.numbers }
}

fn check_flag(node: &NodeRecord) -> u16 {
    if node.in_check { flag::CHECK } else { 0 }
}

fn decided(decision: Decision) -> Judged {
    match decision {
        Decision::Cutoff => Judged::Cutoff,
        Decision::Best => Judged::Best,
        Decision::NotBest => Judged::NotBest,
    }
}

fn of_kind(kind: Expected) -> Type {
    match kind {
        Expected::Pv => Type::Pv,
        Expected::Cut => Type::Cut,
        Expected::All => Type::All,
    }
}

fn order(record: &MoveRecord) -> Order {
    Order { source: Some(Source::of(record)), score: record.order }
}

fn score(score: Score) -> Option<i16> {
    i16::try_from(score.0).ok()
}

fn count(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
