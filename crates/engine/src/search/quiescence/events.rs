//! The events of quiescence. Without a watcher, every function here is empty.

use super::Quiet;
use crate::ordering::PickedMove;
use crate::position::{NO_MOVE, is_quiet};
use crate::rules::Rule;
use crate::score::{Depth, Score};
use crate::search::Searcher;
use crate::search::events::order;
use crate::search::watch::{
    ConsideredMove, Detail, EventNode, Mode, MoveResult, NodeFacts, Purpose, RuleAction, SearchEvent, SubSearch,
    Valuation,
};
use crate::table::Entry;
use shakmaty::Move;

impl<M: Mode> Searcher<M> {
    pub(super) fn quiet_at(&self, q: &Quiet<'_>) -> EventNode {
        EventNode {
            ply: q.ply,
            depth: Depth::ZERO,
            window: q.window,
            key: q.position.key(),
            mv: self.earlier(q.ply, 1).last,
            nodes: self.made(),
        }
    }

    /// Emits an event of this node, if events of this kind are requested.
    #[inline(always)]
    fn emit_quiet<'e>(&mut self, detail: Detail, q: &Quiet<'_>, event: impl FnOnce(EventNode) -> SearchEvent<'e>) {
        if self.emits(detail) {
            let at = self.quiet_at(q);
            self.mode.emit(event(at));
        }
    }

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
            let at = self.quiet_at(q);
            self.emit_entered(at, &facts);
        }
    }

    /// The side to move was offered to stop here.
    #[inline(always)]
    pub(super) fn quiet_valued(&mut self, q: &Quiet<'_>, raw: Score, corrected: Score) {
        let valuation = Valuation { raw: Some(raw), corrected, estimate: q.stand_pat, improving: false };
        self.emit_quiet(Detail::Nodes, q, |at| SearchEvent::Valued(at, valuation));
    }

    /// A rule ended the node.
    #[inline(always)]
    pub(super) fn quiet_ended(&mut self, q: &Quiet<'_>, rule: Rule, score: Score) -> Score {
        self.quiet_ruled(q, rule, RuleAction::Cut(score));
        self.quiet_left(q, score);
        score
    }

    /// A rule acted.
    #[inline(always)]
    pub(super) fn quiet_ruled(&mut self, q: &Quiet<'_>, rule: Rule, action: RuleAction) {
        self.emit_quiet(Detail::Everything, q, |at| SearchEvent::Ruled(at, rule, action));
        self.audit_acted(rule);
    }

    /// The picker handed out a move.
    #[inline(always)]
    pub(super) fn quiet_considered(&mut self, q: &Quiet<'_>, picked: &PickedMove, number: i32) {
        if self.emits(Detail::Everything) {
            let &PickedMove { mv, stage, gives_check, .. } = picked;
            let history = if is_quiet(mv) { 0 } else { self.histories.captures.count(q.position.turn(), mv) };
            let considered =
                ConsideredMove { mv, stage, order: order(picked), history, gives_check, number, refuter: false };
            let at = self.quiet_at(q);
            self.mode.emit(SearchEvent::Considered(at, &considered));
        }
    }

    /// A move is about to be searched; quiescence counts no depth.
    #[inline(always)]
    pub(super) fn quiet_searching(&mut self, q: &Quiet<'_>, mv: Move) {
        let sub_search = SubSearch { purpose: Purpose::Quiescence, mv: Some(mv), cost: Depth::ZERO };
        self.emit_quiet(Detail::Everything, q, |at| SearchEvent::Searching(at, sub_search));
    }

    /// A move was searched.
    #[inline(always)]
    pub(super) fn quiet_move_searched(&mut self, q: &Quiet<'_>, mv: Move, score: Score) {
        self.emit_quiet(Detail::Nodes, q, |at| SearchEvent::MoveSearched(at, MoveResult::of(mv, score, q.window)));
    }

    /// A result was handed to the table.
    #[inline(always)]
    pub(super) fn quiet_stored(&mut self, q: &Quiet<'_>, entry: &Entry) {
        if self.emits(Detail::Everything) {
            self.watch_stored(self.quiet_at(q), q.position.key(), entry);
        }
    }

    /// The node was left.
    #[inline(always)]
    pub(super) fn quiet_left(&mut self, q: &Quiet<'_>, score: Score) {
        self.emit_quiet(Detail::Nodes, q, |at| SearchEvent::Left(at, score));
    }
}
