//! The events of quiescence. Without an observer, every function here is empty.

use super::Quiet;
use crate::ordering::PickedMove;
use crate::position::{NO_MOVE, is_quiet};
use crate::rules::Rule;
use crate::score::{Depth, Score};
use crate::search::Searcher;
use crate::search::events::{EventSource, order};
use crate::search::watch::{ConsideredMove, Detail, EventNode, Mode, NodeFacts, RuleAction, SearchEvent, Valuation};

impl EventSource for Quiet<'_> {
    fn event_node<M: Mode>(&self, searcher: &Searcher<M>) -> EventNode {
        let Quiet { ply, window, .. } = *self;
        let mv = searcher.earlier(ply, 1).last;
        EventNode { ply, depth: Depth::ZERO, window, key: self.position.key(), mv, nodes: searcher.nodes() }
    }
}

impl<M: Mode> Searcher<M> {
    /// A node was entered.
    #[inline(always)]
    pub(super) fn quiet_entered(&mut self, q: &Quiet<'_>) {
        if self.emits(Detail::Nodes) {
            let facts = NodeFacts {
                kind: q.kind,
                level: Some(q.level),
                budget: (Depth::ZERO, Depth::ZERO),
                in_check: q.position.in_check(),
                entry: q.entry,
                table_key: q.position.key(),
                excluded: NO_MOVE,
            };
            self.emit_entered(q.event_node(self), &facts);
        }
    }

    /// The side to move was offered to stop here.
    #[inline(always)]
    pub(super) fn quiet_valued(&mut self, q: &Quiet<'_>, raw: Score, corrected: Score) {
        let valuation = Valuation { raw: Some(raw), corrected, estimate: q.stand_pat, improving: false };
        self.emit_at(Detail::Nodes, q, |at| SearchEvent::Valued(at, valuation));
    }

    /// A rule ended the node.
    #[inline(always)]
    pub(super) fn quiet_ended(&mut self, q: &Quiet<'_>, rule: Rule, score: Score) -> Score {
        self.quiet_ruled(q, rule, RuleAction::Cut(score));
        self.watch_left(q, score);
        score
    }

    /// A rule acted.
    #[inline(always)]
    pub(super) fn quiet_ruled(&mut self, q: &Quiet<'_>, rule: Rule, action: RuleAction) {
        self.watch_rule(q, rule, action);
        self.audit_acted(rule);
    }

    /// The picker returned a move.
    #[inline(always)]
    pub(super) fn quiet_considered(&mut self, q: &Quiet<'_>, picked: &PickedMove, number: i32) {
        if self.emits(Detail::Everything) {
            let &PickedMove { mv, stage, gives_check, .. } = picked;
            let history = if is_quiet(mv) { 0 } else { self.histories.captures.count(q.position.turn(), mv) };
            let considered = ConsideredMove {
                mv,
                stage,
                order: order(picked),
                history,
                gives_check,
                number,
                killer_or_counter: false,
            };
            let at = q.event_node(self);
            self.mode.emit(SearchEvent::Considered(at, &considered));
        }
    }
}
