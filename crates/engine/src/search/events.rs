//! The events of the node loop. Without an observer, every function here is empty.

use super::Searcher;
use super::watch::{ConsideredMove, Detail, EventNode, Mode, NodeFacts, RuleAction, SearchEvent, Valuation};
use crate::node::{Candidate, Node, Place};
use crate::ordering::{PickedMove, Stage};
use crate::position::Position;
use crate::rules::reason::RuleReason;
use crate::rules::search::Search as _;
use crate::rules::{Rule, Skip};
use crate::score::Score;
use crate::table::Entry;
use crate::tree::Tree;

/// A node of the node loop or of quiescence.
pub(crate) trait EventSource {
    /// The node as its events name it.
    fn event_node<M: Mode>(&self, searcher: &Searcher<M>) -> EventNode;
}

impl EventSource for Node<'_> {
    fn event_node<M: Mode>(&self, searcher: &Searcher<M>) -> EventNode {
        let Node { ply, depth, window, previous, .. } = *self;
        EventNode { ply, depth, window, key: self.position.key(), mv: previous, nodes: searcher.nodes() }
    }
}

impl<M: Mode> Searcher<M> {
    /// Returns true if events of this kind are requested.
    #[inline(always)]
    pub(crate) fn emits(&self, detail: Detail) -> bool {
        M::WATCHED && self.mode.detail() >= detail
    }

    /// Emits an event of this node, if events of this kind are requested.
    #[inline(always)]
    pub(crate) fn emit_at<'e>(
        &mut self,
        detail: Detail,
        n: &impl EventSource,
        event: impl FnOnce(EventNode) -> SearchEvent<'e>,
    ) {
        if self.emits(detail) {
            let at = n.event_node(self);
            self.mode.emit(event(at));
        }
    }

    /// A node was entered.
    #[inline(always)]
    pub(crate) fn watch_entered(&mut self, n: &Node<'_>) {
        if self.emits(Detail::Nodes) {
            let facts = NodeFacts {
                kind: n.kind,
                level: None,
                budget: n.budget.sides(),
                in_check: n.in_check,
                entry: n.entry,
                table_key: self.table_key(n.position, n.window, n.budget),
                excluded: n.excluded,
            };
            self.emit_entered(n.event_node(self), &facts);
        }
    }

    pub(super) fn emit_entered(&mut self, at: EventNode, facts: &NodeFacts) {
        self.mode.emit(SearchEvent::Entered(at, facts));
        if let Some(script) = self.tree.script() {
            self.mode.emit(SearchEvent::Scripted(script));
        }
    }

    /// A node was left.
    #[inline(always)]
    pub(crate) fn watch_left(&mut self, n: &impl EventSource, score: Score) {
        self.emit_at(Detail::Nodes, n, |at| SearchEvent::Left(at, score));
    }

    /// A node without moves and facts, of quiescence if it has a `level`: entered, ended by a rule for its reason, and left.
    #[inline(always)]
    pub(crate) fn watch_end<R: RuleReason>(
        &mut self,
        position: &Position,
        place: Place,
        level: Option<i32>,
        (rule, reason): (Rule, R),
        score: Score,
    ) {
        if self.emits(Detail::Nodes) {
            let Place { window, budget, ply, kind } = place;
            let at = EventNode {
                ply,
                depth: budget.left(&self.params().budget),
                window,
                key: position.key(),
                mv: self.earlier(ply, 1).last,
                nodes: self.nodes(),
            };
            let facts = NodeFacts {
                kind,
                level,
                budget: budget.sides(),
                in_check: position.in_check(),
                entry: None,
                table_key: self.table_key(position, window, budget),
                excluded: self.frame(ply).excluded,
            };
            self.emit_entered(at, &facts);
            if self.emits(Detail::Everything) {
                self.mode.emit(SearchEvent::Reason(&reason.numbers()));
                self.mode.emit(SearchEvent::Ruled(at, rule, RuleAction::Cut(score)));
            }
            self.mode.emit(SearchEvent::Left(at, score));
        }
    }

    /// The static value of a node is known.
    #[inline(always)]
    pub(crate) fn watch_value(&mut self, n: &Node<'_>) {
        self.emit_at(Detail::Nodes, n, |at| {
            let valuation =
                Valuation { raw: n.raw_eval, corrected: n.static_eval, estimate: n.eval, improving: n.improving };
            SearchEvent::Valued(at, valuation)
        });
    }

    /// A rule is called.
    #[inline(always)]
    pub(crate) fn watch_called(&mut self, rule: Rule) {
        if self.emits(Detail::Everything) {
            self.mode.emit(SearchEvent::RuleCalled(rule));
        }
    }

    /// A rule acted at a node.
    #[inline(always)]
    pub(crate) fn watch_rule(&mut self, n: &impl EventSource, rule: Rule, action: RuleAction) {
        self.emit_at(Detail::Everything, n, |at| SearchEvent::Ruled(at, rule, action));
    }

    /// The picker returned a move.
    #[inline(always)]
    pub(crate) fn watch_considered(&mut self, n: &Node<'_>, c: &Candidate, order: Option<i32>) {
        if self.emits(Detail::Everything) {
            let considered = ConsideredMove {
                mv: c.mv,
                stage: c.stage,
                order,
                history: c.history,
                gives_check: c.gives_check,
                number: c.number,
                killer_or_counter: c.killer_or_counter,
            };
            let at = n.event_node(self);
            self.mode.emit(SearchEvent::Considered(at, &considered));
        }
    }

    /// A rule skipped a move.
    #[inline(always)]
    pub(crate) fn watch_skip(&mut self, n: &Node<'_>, c: &Candidate, rule: Rule, skip: Skip) {
        if self.emits(Detail::Everything) {
            let action = match skip {
                Skip::No | Skip::This => RuleAction::Skipped(c.mv),
                Skip::Rest => RuleAction::SkippedRest(c.mv),
                Skip::RestButChecks => RuleAction::SkippedRestButChecks(c.mv),
            };
            self.watch_rule(n, rule, action);
        }
        self.audit_acted(rule);
    }

    /// A result was passed to the table under `key`; reports whether the table stored it.
    #[inline(always)]
    pub(crate) fn watch_stored(&mut self, n: &impl EventSource, key: u64, expected: &Entry) {
        if self.emits(Detail::Everything) {
            let at = n.event_node(self);
            let kept = self.probe_table(key, at.ply).is_some_and(|found| same_result(&found, expected));
            if kept {
                self.mode.emit(SearchEvent::Stored(at, key));
            }
        }
    }
}

/// Returns true if `found` equals `expected`, except for the move, which may be older, and the rounding of stored depths.
fn same_result(found: &Entry, expected: &Entry) -> bool {
    const DEPTH_GRAIN: i32 = 16;
    let lost = expected.depth.0 - found.depth.0;
    found.score == expected.score && found.bound == expected.bound && (0..DEPTH_GRAIN).contains(&lost)
}

/// The ordering score of a picked move; `None` for the table move.
pub(crate) fn order(picked: &PickedMove) -> Option<i32> {
    (picked.stage != Stage::Table).then(|| picked.score())
}
