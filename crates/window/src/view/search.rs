//! A recorded search for the page.
//!
//! A trace has one record for each node, in the order in which nodes were left; the page wants rows in the order in which they
//! were entered, seen by the side that moved, with the moves that were not searched in between. A trace with more nodes
//! than wanted is cut where the subtrees are small.

use std::collections::{BinaryHeap, HashMap, HashSet};

use quarterply_engine::ordering::Stage;
use quarterply_engine::position::{CheckInfo, Position, is_quiet, pack};
use quarterply_engine::score::{Bound, Depth, Score};
use quarterply_engine::search::node::Kind as Expected;
use quarterply_engine::shakmaty::san::{San, SanPlus, Suffix};
use quarterply_engine::shakmaty::{CastlingMode, Color, Move, MoveList};

use super::{About, Builder, Deed, Judged, Kind, NO_AMOUNT, NO_ROW, NO_SCORE, Row, Said, Type, View, flag};
use crate::trace::{
    Decision, Fate, IterationInfo, MoveCode, MoveRecord, NodeId, NodeRecord, Purpose, Rest, Search, Searched, Spoken,
    Step, TableHit, Trace, TraceError,
};

/// Told the nodes read so far.
pub type Progress<'a> = dyn FnMut(u64) + 'a;

/// Nodes between two reports of progress.
const REPORT_EVERY: u64 = 1 << 14;

/// What the searches of a move are for, by [`Purpose`] and one more.
const PURPOSES: &[&str] = &[
    "",
    "the first move of its node, with the whole window",
    "is it better than the best so far? (null window)",
    "the same question at reduced depth",
    "the reduced search was promising, so again at a depth between",
    "the cheaper search was promising, so again at full depth",
    "better than the best so far, so again with an open window",
    "only captures, checks and evasions are tried",
    "is passing good enough? (null move)",
    "does the null move's cutoff hold without null moves?",
    "can captures lift a hopeless position? (razoring)",
    "does a capture exceed beta by a margin, in quiescence? (probcut)",
    "does it so in a shallow search? (probcut)",
    "is it one of several moves that reach beta? (multi-cut)",
    "which move should come first? (internal iterative deepening)",
    "what is the position worth without its table move? (singular)",
];

impl View {
    /// The tree of a recorded search with at most about `nodes_max` of its nodes, those with the largest subtrees.
    ///
    /// # Errors
    /// [`TraceError`] when the trace is damaged.
    pub fn of_trace(trace: &Trace, nodes_max: usize, progress: &mut Progress<'_>) -> Result<View, TraceError> {
        let game = trace.game()?;
        let position = game.position();
        let open = largest(trace, nodes_max)?;
        let mut story = Story {
            trace,
            open,
            builder: Builder::new(about(trace, position)),
            names: HashMap::new(),
            mode: game.castling_mode(),
            rows: vec![NO_ROW; usize::try_from(trace.len()).unwrap_or(0)],
            progress,
            read: 0,
        };
        let summary = trace.summary();
        story.builder.push(Row { value: score(Score(summary.score)), flags: flag::LINE, ..Row::default() }, &[]);
        let last = last_exact(trace);
        for iteration in &summary.iterations {
            if let Some(root) = iteration.root {
                story.pass(root, iteration, position, last == Some(root))?;
            }
        }
        let mut view = story.builder.finish();
        if let Some(root) = view.rows.first_mut() {
            root.nodes = root.nodes.max(u32::try_from(summary.made).unwrap_or(u32::MAX));
        }
        Ok(view)
    }
}

/// The root of the last iteration with a value inside its window: it has a principal variation.
fn last_exact(trace: &Trace) -> Option<NodeId> {
    let inside = |info: &&IterationInfo| {
        info.line == 0 && info.score.is_some_and(|score| score > info.window.0 && score < info.window.1)
    };
    let exact = trace.summary().iterations.iter().rev().filter(inside).find_map(|info| info.root);
    exact.or_else(|| trace.last_root())
}

/// The nodes whose children are shown: all, or those with the most moves below until there are `nodes_max` nodes.
fn largest(trace: &Trace, nodes_max: usize) -> Result<Option<HashSet<NodeId>>, TraceError> {
    if trace.len() <= nodes_max as u64 {
        return Ok(None);
    }
    let mut open = HashSet::new();
    let mut waiting: BinaryHeap<(u64, NodeId)> = trace.roots().map(|root| (u64::MAX, root)).collect();
    let mut shown = waiting.len();
    while let Some((_, id)) = waiting.pop()
        && shown < nodes_max
    {
        let node = trace.node(id)?;
        let below = node.searches().filter_map(|(_, search)| Some((search.size, search.child?)));
        for (size, child) in below {
            shown += 1;
            if size > 1 {
                waiting.push((size, child));
            }
        }
        open.insert(id);
    }
    Ok(Some(open))
}

fn about(trace: &Trace, position: &Position) -> About {
    let (header, summary) = (trace.header(), trace.summary());
    let mut remarks = Vec::new();
    if !header.limits.is_empty() {
        remarks.push(format!("Limits of the search: {}.", header.limits));
    }
    if !header.filter.is_empty() {
        remarks.push(format!("Recorded only: {}.", header.filter));
    }
    if !header.parameters.is_empty() {
        let changed: Vec<String> = header.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        remarks.push(format!("Parameters that differ from the default: {}.", changed.join(", ")));
    }
    About {
        nodes: summary.made,
        left_out: summary.left_out,
        profile: header.profile.clone(),
        depth: summary.depth,
        value: summary.score,
        line: line_of(trace, position),
        remarks,
        purposes: PURPOSES.to_vec(),
        ..About::search(position.fen())
    }
}

/// The principal variation in SAN, as far as it is legal.
fn line_of(trace: &Trace, position: &Position) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for text in &trace.summary().line {
        let uci = text.parse::<quarterply_engine::shakmaty::uci::UciMove>();
        let Some(mv) = uci.ok().and_then(|uci| uci.to_move(position.chess()).ok()) else { break };
        words.push(SanPlus::from_move(position.chess().clone(), mv).to_string());
        position = position.play(mv);
    }
    words.join(" ")
}

/// Rows in the making.
struct Story<'a> {
    trace: &'a Trace,
    /// Nodes whose children are shown; all if `None`.
    open: Option<HashSet<NodeId>>,
    builder: Builder,
    names: HashMap<(San, Option<Suffix>, u16), u16>,
    mode: CastlingMode,
    /// The row of each node; [`NO_ROW`] if it has none yet.
    rows: Vec<u32>,
    progress: &'a mut Progress<'a>,
    read: u64,
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

/// A position with what naming its moves takes, made when first asked for.
struct Scene<'a> {
    position: &'a Position,
    moves: Option<MoveList>,
    checks: Option<CheckInfo>,
}

impl<'a> Scene<'a> {
    fn new(position: &'a Position) -> Scene<'a> {
        Scene { position, moves: None, checks: None }
    }

    fn moves(&mut self) -> &MoveList {
        self.moves.get_or_insert_with(|| self.position.legal_moves())
    }

    fn gives_check(&mut self, mv: Move) -> bool {
        let info = self.checks.get_or_insert_with(|| self.position.check_info());
        self.position.gives_check(info, mv)
    }

    /// The move with its suffix.
    fn san(&mut self, mv: Move) -> (San, Option<Suffix>) {
        let san = San::disambiguate(mv, self.moves());
        let suffix = self.gives_check(mv).then(|| {
            let mated = self.position.play(mv).legal_moves().is_empty();
            if mated { Suffix::Checkmate } else { Suffix::Check }
        });
        (san, suffix)
    }
}

impl Story<'_> {
    fn node(&mut self, id: NodeId) -> Result<NodeRecord, TraceError> {
        self.read += 1;
        if self.read.is_multiple_of(REPORT_EVERY) {
            (self.progress)(self.read);
        }
        self.trace.node(id)
    }

    fn name(&mut self, scene: &mut Scene<'_>, mv: Move) -> u16 {
        let (san, suffix) = scene.san(mv);
        if let Some(&known) = self.names.get(&(san, suffix, pack(mv))) {
            return known;
        }
        let uci = mv.to_uci(self.mode).to_string();
        let number = self.builder.mv(&SanPlus { san, suffix }.to_string(), &uci);
        self.names.insert((san, suffix, pack(mv)), number);
        number
    }

    fn code(&mut self, scene: &mut Scene<'_>, code: MoveCode) -> u16 {
        code.in_position(scene.position).map_or(0, |mv| self.name(scene, mv))
    }

    /// One search of the root.
    fn pass(
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
            depth: iteration.depth - iteration.reduction,
            nodes: count(node.made),
            alpha: score(node.window.alpha),
            beta: score(node.window.beta),
            guess: node.value.map_or(NO_SCORE, |value| score(value.corrected)),
            value: node.score.map_or(NO_SCORE, score),
            ..place.row()
        };
        let row = Row { flags: row.flags | check_flag(&node), ..row };
        let at = self.push(root, with_facts(row, &node), &[]);
        self.finish_node(at, &node, position, place)
    }

    fn push(&mut self, id: NodeId, row: Row, said: &[Said<'_>]) -> usize {
        let at = self.builder.push(row, said);
        if let Some(place) = usize::try_from(id).ok().and_then(|id| self.rows.get_mut(id)) {
            *place = at as u32;
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
        let mut scene = Scene::new(position);
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
                row.left_out = count(node.size - 1);
            }
            return Ok(());
        }
        self.steps(node, &mut scene, place)
    }

    fn table(&mut self, at: usize, hit: &TableHit, scene: &mut Scene<'_>) {
        let mv = hit.mv.map_or(0, |mv| self.code(scene, mv));
        let from = hit.origin.and_then(|origin| origin.node).and_then(|id| usize::try_from(id).ok());
        let from = from.and_then(|id| self.rows.get(id).copied()).unwrap_or(NO_ROW);
        let Some(row) = self.builder.row(at) else { return };
        row.flags |= flag::KNOWN;
        row.hit_bound = match hit.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        row.hit_value = score(hit.score);
        row.hit_depth = hit.depth.0;
        row.hit_mv = mv;
        row.hit_from = from;
    }

    fn steps(&mut self, node: &NodeRecord, scene: &mut Scene<'_>, place: Place) -> Result<(), TraceError> {
        let best = node.best().map(|best| best.mv);
        for step in &node.steps {
            match step {
                Step::Deepened { .. } => {}
                Step::Probe { mv, search } => self.probe(*mv, search, scene, place)?,
                Step::Move(record) => match &record.fate {
                    Fate::Skipped { by, rest } => self.skipped(node, record, by, *rest, scene, place),
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
        scene: &mut Scene<'_>,
        place: Place,
    ) -> Result<(), TraceError> {
        let stays = search.purpose.stays();
        let mut row = of_search(search, place.below(false), !stays);
        row.flags |= match search.purpose {
            _ if stays => flag::ASIDE,
            Purpose::NullMove => flag::NULL,
            _ => 0,
        };
        row.mv = mv.map_or(0, |mv| self.code(scene, mv));
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
        scene: &mut Scene<'_>,
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
            row.stage = stage(record.stage);
            row.order = record.order.unwrap_or(NO_AMOUNT);
            row.judged = match searched.judged {
                Some(judged) if last => decided(judged.decision),
                _ if last => Judged::Nothing,
                _ => Judged::Again,
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
            let row = Row { flags: row.flags | flag::FOLDED, left_out: count(search.left_out), ..row };
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
            depth: node.depth.0,
            alpha: score(alpha),
            beta: score(beta),
            guess: node.value.filter(|_| !node.in_check).map_or(NO_SCORE, |value| seen(value.corrected)),
            flags: row.flags | check_flag(&node) | if node.left_out > 0 { flag::FOLDED } else { 0 },
            left_out: count(node.left_out),
            ..row
        };
        let row = with_budget(with_facts(row, &node), &node, position.turn());
        let at = self.push(id, row, ledger);
        self.finish_node(at, &node, position, place)
    }

    /// A move that a rule left out, and those that went with it.
    fn skipped(
        &mut self,
        node: &NodeRecord,
        record: &MoveRecord,
        by: &Spoken,
        rest: Rest,
        scene: &mut Scene<'_>,
        place: Place,
    ) {
        let below = place.below(false);
        let words = [said(by, Deed::Skipped, Depth::ZERO)];
        let mv = self.code(scene, record.mv);
        let row = Row {
            kind: Kind::Unsearched,
            mv,
            stage: stage(record.stage),
            order: record.order.unwrap_or(NO_AMOUNT),
            ..below.row()
        };
        self.builder.push(row, &words);
        if rest == Rest::None {
            return;
        }
        let handed: HashSet<MoveCode> = node.moves().map(|record| record.mv).collect();
        let quiet: Vec<Move> =
            scene.moves().iter().copied().filter(|&mv| is_quiet(mv) && !handed.contains(&MoveCode::of(mv))).collect();
        let checks_too = rest == Rest::Quiets;
        let left: Vec<Move> = quiet.into_iter().filter(|&mv| checks_too || !scene.gives_check(mv)).collect();
        let names: Vec<u16> = left.into_iter().map(|mv| self.name(scene, mv)).collect();
        if !names.is_empty() {
            self.builder.push_rest(below.row(), &names, &words);
        }
    }

    /// A move of which nothing more is known.
    fn unknown(&mut self, node: &NodeRecord, record: &MoveRecord, scene: &mut Scene<'_>, place: Place) {
        let why = if node.excluded == Some(record.mv) {
            "Left out on purpose: the question is what the position is worth without it."
        } else {
            "The search was stopped here."
        };
        let (mv, why) = (self.code(scene, record.mv), self.builder.text(why));
        self.builder.push(Row { kind: Kind::Unsearched, mv, why, ..place.below(false).row() }, &[]);
    }
}

fn pass_name(iteration: &IterationInfo) -> String {
    let mut name = format!("depth {}", Depth(iteration.depth).whole());
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
        cost: if search.purpose == Purpose::Quiescence { NO_AMOUNT } else { search.cost.0 },
        value: search.score.map_or(NO_SCORE, score),
        purpose: search.purpose as u8 + 1,
        kind: if search.purpose == Purpose::Quiescence { Kind::Quiet } else { Kind::Node },
        ..place.row()
    }
}

fn with_facts(row: Row, node: &NodeRecord) -> Row {
    let improving = node.value.is_some_and(|value| value.improving);
    Row {
        expected: of_kind(Some(node.expected)),
        found: of_kind(node.actual()),
        flags: row.flags | if improving { flag::IMPROVING } else { 0 },
        ..row
    }
}

/// The budget of the other side, where the sides have budgets of their own.
fn with_budget(row: Row, node: &NodeRecord, turn: Color) -> Row {
    let [white, black] = node.budget;
    if white == black {
        return row;
    }
    let (own, other) = if turn == Color::White { (white, black) } else { (black, white) };
    Row { depth: own.0, other: other.0, ..row }
}

/// Legal moves that no one handed out, in a node of the main search that its moves decided.
fn unreached(node: &NodeRecord, scene: &mut Scene<'_>) -> u8 {
    let cut = node.moves().any(|record| record.decision() == Some(Decision::Cutoff));
    if node.is_quiescence() || !cut {
        return 0;
    }
    let rest = node.moves().any(|record| matches!(&record.fate, Fate::Skipped { rest, .. } if *rest != Rest::None));
    let handed = node.moves().count();
    let legal = scene.moves().len();
    if rest { 0 } else { u8::try_from(legal.saturating_sub(handed)).unwrap_or(u8::MAX) }
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

fn of_kind(kind: Option<Expected>) -> Type {
    match kind {
        None => Type::Unknown,
        Some(Expected::Pv) => Type::Pv,
        Some(Expected::Cut) => Type::Cut,
        Some(Expected::All) => Type::All,
    }
}

/// One more than the place of a stage: 0 stands for none.
fn stage(stage: Stage) -> u8 {
    stage as u8 + 1
}

fn score(score: Score) -> i16 {
    i16::try_from(score.0).unwrap_or(NO_SCORE)
}

fn count(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
