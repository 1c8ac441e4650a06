//! The recorder writes the events of a search into a trace.

use super::encode::Encode;
use super::filter::{Filter, Until};
use super::format::{
    IterationInfo, KILLER_OR_COUNTER, RawEntry, RawEvent, RawNode, RawSearch, RawValue, RuleName, TraceHeader,
    TraceSummary,
};
use super::node::MoveCode;
use super::origin::Origins;
use super::partial::{PartSchedule, PartialTraces, SharedIteration};
use super::write::{Sink, Writer};
use quarterply_engine::ordering::Stage;
use quarterply_engine::position::pack;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score};
use quarterply_engine::search::pool::Control;
use quarterply_engine::search::watch::{
    ConsideredMove, EventNode, Iteration, MoveResult, NodeFacts, Numbers, RuleAction, SearchEvent, SubSearch,
    Valuation, Watch,
};
use quarterply_engine::shakmaty::CastlingMode;
use std::io;

/// A node that has been entered and not been left.
#[derive(Clone, Default)]
struct OpenNode {
    node: RawNode,
    events: Vec<u8>,
    /// Moves the search had made when the node was entered.
    entered: u64,
    /// Recorded and unrecorded nodes below.
    recorded: u64,
    unrecorded: u64,
    /// Purpose, move and cost of the search of its child.
    sub_search: Option<SubSearch>,
    /// Moves of the filter's line that led here.
    matched: usize,
    /// True if it is recorded for itself, not only for a node below.
    keep: bool,
    /// True if a move was best here.
    has_best: bool,
}

impl OpenNode {
    /// Returns true if it is recorded: for itself, for a node below, or as a root.
    fn is_kept(&self) -> bool {
        self.keep || self.recorded > 0 || self.node.purpose == 0
    }

    /// Called when a move is best or cuts: true if it exceeds an earlier best move; always false in quiescence.
    fn beats_best(&mut self) -> bool {
        self.node.level.is_none() && std::mem::replace(&mut self.has_best, true)
    }
}

/// The totals of a subtree for its parent.
#[derive(Clone, Copy, Default)]
struct SubtreeSum {
    size: u64,
    unrecorded: u64,
    nodes: u64,
    score: Option<i32>,
}

/// Writes every node of a search that its filter allows into a trace, and counts the others.
pub struct Recorder {
    writer: Writer,
    filter: Filter,
    /// True if castling is written as king takes rook.
    chess960: bool,
    /// Open nodes; those beyond `depth` are kept for their memory.
    stack: Vec<OpenNode>,
    depth: usize,
    /// Open nodes that are not recorded, below the last one on the stack.
    muted: u64,
    muted_sum: SubtreeSum,
    muted_at: u64,
    /// The numbers of the next decision; empty if a rule gives none.
    numbers: Numbers,
    has_numbers: bool,
    origins: Origins,
    iterations: Vec<IterationInfo>,
    /// True if the running iteration is recorded.
    iteration_admitted: bool,
    /// Nodes accepted so far.
    accepted: u64,
    nodes: u64,
    /// Ends the search at an event of the filter.
    control: Control,
    /// True after such an event.
    reached: bool,
    /// When the recording so far is sent; `None` if it is not requested.
    parts: Option<PartSchedule>,
}

/// The rules as a trace names them.
fn rule_names() -> Vec<RuleName> {
    let labels = |rule: &Rule| rule.numbers().iter().map(|&label| label.to_owned()).collect();
    Rule::ALL.iter().map(|rule| RuleName { name: rule.name().to_owned(), labels: labels(rule) }).collect()
}

impl Recorder {
    /// Begins a trace. The rules and the filter are put into the header; the control ends the search where the filter says so. `parts` are
    /// sent while the search runs, with what the last iteration found.
    ///
    /// # Errors
    /// The error of the system if the header cannot be written.
    pub(crate) fn new(
        out: Box<dyn Sink>,
        header: TraceHeader,
        filter: Filter,
        control: Control,
        parts: Option<(PartialTraces, SharedIteration)>,
    ) -> io::Result<Recorder> {
        let mode = if header.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let schedule = parts.as_ref().map(|(parts, finished)| PartSchedule::new(parts, finished.clone(), mode));
        let parts = parts.map(|(parts, _)| parts);
        let header = TraceHeader { rules: rule_names(), filter: filter.to_string(), ..header };
        Ok(Recorder {
            writer: Writer::new(out, &header, parts)?,
            filter,
            chess960: header.chess960,
            stack: Vec::new(),
            depth: 0,
            muted: 0,
            muted_sum: SubtreeSum::default(),
            muted_at: 0,
            numbers: Numbers::default(),
            has_numbers: false,
            origins: Origins::default(),
            iterations: Vec::new(),
            iteration_admitted: true,
            accepted: 0,
            nodes: 0,
            control,
            reached: false,
            parts: schedule,
        })
    }

    /// Sends the recording so far, with its open nodes closed like those of a stopped search.
    fn send_part(&mut self) {
        let Some(parts) = &self.parts else { return };
        let outcome = parts.summary(self.nodes);
        let open = self.stack[..self.depth].to_vec();
        let before = (self.iterations.clone(), self.muted, self.muted_sum);
        self.writer.begin_part();
        self.close_all();
        let summary = self.summary(outcome);
        self.writer.send_part(summary);
        (self.iterations, self.muted, self.muted_sum) = before;
        self.depth = open.len();
        self.stack.splice(..open.len(), open);
    }

    /// Closes the nodes of a stopped search.
    fn close_all(&mut self) {
        while self.muted > 0 {
            self.left_muted(None, self.nodes);
        }
        while self.depth > 0 {
            self.close(None, self.nodes);
        }
    }

    /// The outcome of a search, completed with what was recorded.
    fn summary(&self, outcome: TraceSummary) -> TraceSummary {
        let unrecorded = self.iterations.iter().map(|iteration| iteration.unrecorded).sum();
        TraceSummary { iterations: self.iterations.clone(), recorded: self.writer.next_id(), unrecorded, ..outcome }
    }

    /// Closes the nodes of a stopped search and completes the trace. The caller gives the outcome's line, value, depth
    /// and node count; everything else in the summary is filled in.
    ///
    /// # Errors
    /// The first failure to write, also one from long before.
    pub(crate) fn finish(mut self, outcome: TraceSummary) -> io::Result<(Box<dyn Sink>, TraceSummary)> {
        self.close_all();
        let summary = self.summary(outcome);
        Ok((self.writer.finish(summary.clone())?, summary))
    }

    /// Returns true if an event of the filter has ended the search.
    pub(crate) fn is_event_reached(&self) -> bool {
        self.reached
    }

    /// Stops the search if the filter waits for this event of a recorded node. Later events are not recorded: all open nodes stay as they
    /// are and are closed at the end like those of any stopped search.
    #[inline]
    fn end_at(&mut self, is_it: impl Fn(&Until) -> bool) {
        if !self.filter.until.is_empty() && self.open().is_some() && self.filter.until.iter().any(is_it) {
            self.reached = true;
            self.control.stop();
        }
    }

    /// The node that the search is in, if it is recorded.
    #[inline]
    fn open(&mut self) -> Option<&mut OpenNode> {
        if self.muted > 0 || self.depth == 0 || self.reached {
            return None;
        }
        self.stack.get_mut(self.depth - 1)
    }

    #[inline]
    fn event(&mut self, event: &RawEvent<&[i32]>) {
        if let Some(open) = self.open() {
            event.encode(&mut open.events);
        }
    }

    /// How many moves of the filter's line lead to the new node, and whether it is kept for itself; `None` if it is not recorded.
    fn admits(&mut self, at: &EventNode, facts: &NodeFacts, sub_search: Option<&SubSearch>) -> Option<(usize, bool)> {
        let filter = &self.filter;
        if !self.iteration_admitted
            || self.reached
            || filter.plies.is_some_and(|plies| at.ply.0 > plies)
            || filter.nodes.is_some_and(|nodes| self.accepted >= nodes)
            || (filter.main_only && facts.level.is_some())
        {
            return None;
        }
        let parent = self.depth.checked_sub(1).map(|top| &self.stack[top]);
        let matched = parent.map_or(0, |parent| parent.matched);
        let matched = match (filter.line.get(matched), sub_search) {
            (Some(&next), Some(sub_search)) if !sub_search.purpose.same_position() => {
                (sub_search.mv.map(MoveCode::of) == Some(next)).then_some(matched + 1)?
            }
            _ => matched,
        };
        if let Some(every) = filter.sample
            && at.ply.0 > 1
            && parent.is_some_and(|parent| parent.node.ply == 1)
            && !spread(at.nodes).is_multiple_of(every)
        {
            return None;
        }
        let keep = filter.key.is_none_or(|key| key == at.key || parent.is_some_and(|parent| parent.keep));
        Some((matched, keep))
    }

    fn push(&mut self, at: &EventNode, facts: &NodeFacts, sub_search: Option<SubSearch>, matched: usize, keep: bool) {
        self.accepted += u64::from(keep);
        if self.depth == self.stack.len() {
            self.stack.push(OpenNode::default());
        }
        let table = facts.entry.map(|entry| {
            let origin = self.origins.find(facts.table_key);
            RawEntry {
                score: entry.score.0,
                bound: bound_code(entry.bound),
                depth: entry.depth.0,
                mv: entry.mv,
                eval: entry.eval.map(|eval| eval.0),
                // `close` turns the node into a distance, when the number of this one is known.
                origin,
            }
        });
        let node = RawNode {
            ply: at.ply.0,
            iteration: self.iterations.len().saturating_sub(1) as u32,
            purpose: sub_search.map_or(0, |sub_search| sub_search.purpose as u8 + 1),
            mv: sub_search.and_then(|sub_search| sub_search.mv).map_or(0, pack),
            kind: facts.kind as u8,
            level: facts.level.map(|level| level as u16),
            in_check: facts.in_check,
            depth: at.depth.0,
            depth_out: at.depth.0,
            budget: sides(facts.budget, at.depth),
            window: (at.window.alpha.0, at.window.beta.0),
            excluded: facts.excluded,
            table,
            ..RawNode::default()
        };
        let open = &mut self.stack[self.depth];
        self.depth += 1;
        let mut events = std::mem::take(&mut open.events);
        events.clear();
        *open = OpenNode { node, events, entered: at.nodes, matched, keep, ..OpenNode::default() };
    }

    /// Takes the last node off the stack, writes it if it is kept, and reports it to its parent.
    fn close(&mut self, score: Option<i32>, nodes: u64) {
        self.depth -= 1;
        let open = &mut self.stack[self.depth];
        let kept = open.is_kept();
        let node = &mut open.node;
        node.nodes = nodes - open.entered;
        node.score = score;
        let mut sum = SubtreeSum { size: open.recorded, unrecorded: open.unrecorded, nodes: node.nodes, score };
        if kept {
            node.size = open.recorded + 1;
            node.unrecorded = open.unrecorded;
            let id = self.writer.next_id();
            if let Some((_, from)) = node.table.as_mut().and_then(|entry| entry.origin.as_mut())
                && *from > 0
            {
                *from = (id + 1).saturating_sub(*from);
            }
            sum.size += 1;
            self.writer.node(node, &open.events);
        } else {
            sum.unrecorded += 1;
        }
        self.report(sum, kept.then(|| self.writer.next_id().saturating_sub(1)));
    }

    /// Adds the totals of a subtree to its parent, those of a root to its iteration.
    fn report(&mut self, sum: SubtreeSum, id: Option<u64>) {
        if self.depth == 0 {
            if let Some(iteration) = self.iterations.last_mut() {
                iteration.root = id;
                iteration.nodes = sum.nodes;
                iteration.unrecorded += sum.unrecorded;
                iteration.score = sum.score;
            }
            return;
        }
        let open = &mut self.stack[self.depth - 1];
        open.recorded += sum.size;
        open.unrecorded += sum.unrecorded;
        let Some(SubSearch { purpose, mv, cost }) = open.sub_search.take() else { return };
        let score = sum.score.map(|score| if purpose.same_position() { score } else { -score });
        let SubtreeSum { size, unrecorded, nodes, .. } = sum;
        let search = RawSearch { purpose: purpose as u8, cost: cost.0, size, unrecorded, nodes, score };
        let event: RawEvent<&[i32]> = if purpose.rule().is_some() {
            RawEvent::Probed { mv: mv.map_or(0, pack), search }
        } else {
            RawEvent::Tried { search }
        };
        event.encode(&mut open.events);
    }

    /// A node that is not recorded was left.
    fn left_muted(&mut self, score: Option<i32>, nodes: u64) {
        self.muted -= 1;
        if self.muted == 0 && !self.reached {
            let sum = SubtreeSum { nodes: nodes - self.muted_at, score, ..self.muted_sum };
            self.report(sum, None);
        }
    }
}

fn bound_code(bound: Bound) -> u8 {
    match bound {
        Bound::Upper => 0,
        Bound::Exact => 1,
        Bound::Lower => 2,
    }
}

/// Both budgets, where they are not simply the depth.
fn sides((white, black): (Depth, Depth), depth: Depth) -> Option<(i32, i32)> {
    (white != depth || black != depth).then_some((white.0, black.0))
}

/// A pseudo-random number of 32 bits.
fn spread(number: u64) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    const HALF: u32 = 32;
    number.wrapping_mul(FACTOR) >> HALF
}

impl Watch for Recorder {
    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Iterated(iteration) => self.iterated(iteration),
            SearchEvent::Entered(at, facts) => self.entered(at, facts),
            SearchEvent::Scripted(script) if self.muted == 0 => {
                let moves: Vec<i32> = script.moves().map(|mv| i32::from(pack(mv))).collect();
                RawEvent::Only { moves: moves.as_slice() }.encode(&mut self.stack[self.depth - 1].events);
            }
            SearchEvent::Valued(_, Valuation { raw, corrected, estimate, improving }) => {
                if let Some(open) = self.open() {
                    let (raw, corrected, estimate) = (raw.map(|raw| raw.0), corrected.0, estimate.0);
                    open.node.value = Some(RawValue { raw, corrected, estimate, improving });
                }
            }
            SearchEvent::Reason(numbers) if self.muted == 0 => {
                self.numbers.clone_from(numbers);
                self.has_numbers = true;
            }
            SearchEvent::Ruled(_, rule, verdict) => self.ruled(rule, verdict),
            SearchEvent::Considered(_, considered) => {
                let &ConsideredMove { mv, stage, order, history, gives_check, number, killer_or_counter } = considered;
                let stage = if killer_or_counter && stage == Stage::Quiet { KILLER_OR_COUNTER } else { stage as u8 };
                let (mv, number) = (pack(mv), number as u16);
                self.event(&RawEvent::Considered { mv, stage, order, history, gives_check, number });
            }
            SearchEvent::TotalCost(_, _, cost) => self.event(&RawEvent::TotalCost { cost: cost.0 }),
            SearchEvent::Searching(at, sub_search) => {
                self.nodes = at.nodes;
                if let Some(mv) = sub_search.mv {
                    let chess960 = self.chess960;
                    self.end_at(|until| matches!(until, Until::Move(text) if *text == MoveCode::of(mv).uci(chess960)));
                }
                if let Some(open) = self.open() {
                    open.sub_search = Some(sub_search);
                }
            }
            SearchEvent::MoveSearched(at, result) => self.move_result(at, result),
            SearchEvent::Stored(_, key) => self.stored(key),
            SearchEvent::Left(at, score) => self.left(at, score),
            SearchEvent::Scripted(_) | SearchEvent::Reason(_) => {}
            SearchEvent::RuleCalled(_) | SearchEvent::Audited(_) | SearchEvent::Sampled(..) => {}
        }
    }
}

impl Recorder {
    fn iterated(&mut self, iteration: Iteration) {
        if self.reached {
            return;
        }
        self.iteration_admitted = self.filter.includes_iteration(iteration.depth.whole().max(0) as u32);
        self.iterations.push(IterationInfo {
            depth: iteration.depth.0,
            reduction: iteration.reduction.0,
            line: iteration.line as u32,
            attempt: iteration.attempt,
            voter: iteration.voter as u32,
            ..IterationInfo::default()
        });
    }

    fn entered(&mut self, at: EventNode, facts: &NodeFacts) {
        self.nodes = at.nodes;
        if self.depth == 0
            && self.muted == 0
            && let Some(iteration) = self.iterations.last_mut()
        {
            iteration.window = (at.window.alpha.0, at.window.beta.0);
        }
        if self.muted == 0 {
            let sub_search = self.open().and_then(|open| open.sub_search);
            if let Some((matched, keep)) = self.admits(&at, facts, sub_search.as_ref()) {
                self.push(&at, facts, sub_search, matched, keep);
                // The node of the position itself is the last that is recorded.
                return self.end_at(|until| *until == Until::Key(at.key));
            }
            self.muted_at = at.nodes;
            self.muted_sum = SubtreeSum::default();
        }
        self.muted += 1;
        self.muted_sum.unrecorded += 1;
    }

    fn ruled(&mut self, rule: Rule, verdict: RuleAction) {
        if self.muted > 0 || self.depth == 0 || self.reached {
            return;
        }
        let numbers = if std::mem::take(&mut self.has_numbers) { self.numbers.as_slice() } else { &[] };
        let code = rule as u8;
        let event = match verdict {
            RuleAction::Cut(_) => RawEvent::Ended { rule: code, numbers },
            RuleAction::Skipped(_) => RawEvent::Skipped { rule: code, rest: 0, numbers },
            RuleAction::SkippedRest(_) => RawEvent::Skipped { rule: code, rest: 1, numbers },
            RuleAction::SkippedRestButChecks(_) => RawEvent::Skipped { rule: code, rest: 2, numbers },
            RuleAction::CostChanged(_, cost) => RawEvent::CostChanged { rule: code, cost: cost.0, numbers },
            RuleAction::Deepened(amount) => RawEvent::Deepened { rule: code, amount: amount.0, numbers },
        };
        event.encode(&mut self.stack[self.depth - 1].events);
        self.end_at(|until| *until == Until::Rule(rule));
    }

    fn move_result(&mut self, at: EventNode, result: MoveResult) {
        let (decision, mv, score) = match result {
            MoveResult::Cutoff(mv, score) => (0, mv, score),
            MoveResult::Best(mv, score) => (1, mv, score),
            MoveResult::NotBest(mv, score) => (2, mv, score),
            MoveResult::Again(..) => return,
        };
        let raised = at.ply.is_root() && decision < 2;
        let again = raised && self.iterations.last().is_some_and(|iteration| iteration.best != 0);
        if raised && let Some(iteration) = self.iterations.last_mut() {
            iteration.best = pack(mv);
        }
        self.event(&RawEvent::Decision { decision, score: score.0 });
        let below = !at.ply.is_root() && decision < 2 && self.open().is_some_and(OpenNode::beats_best);
        if again || below {
            self.end_at(|until| matches!(until, Until::Alpha(from, to) if (*from..=*to).contains(&at.ply.0)));
        }
    }

    fn stored(&mut self, key: u64) {
        let iteration = self.iterations.len().saturating_sub(1) as u32;
        let next = self.writer.next_id();
        let node = match self.open() {
            Some(open) => {
                open.node.stored = true;
                // Nothing is recorded between a store and the end of its node, so this will be its number.
                if open.is_kept() { next + 1 } else { 0 }
            }
            None => 0,
        };
        self.origins.note(key, iteration, node);
    }

    fn left(&mut self, at: EventNode, score: Score) {
        self.nodes = at.nodes;
        if self.muted > 0 {
            return self.left_muted(Some(score.0), at.nodes);
        }
        if let Some(open) = self.open() {
            let node = &mut open.node;
            node.depth_out = at.depth.0;
            node.raised = at.window.alpha.0 - node.window.0;
            node.lowered = node.window.1 - at.window.beta.0;
            self.close(Some(score.0), at.nodes);
            if self.writer.is_flushed() && self.parts.as_mut().is_some_and(PartSchedule::is_due) {
                self.send_part();
            }
        }
    }
}
