//! What quiescence tells an observer. Every function here is empty when nobody watches.

use super::Quiet;
use crate::ordering::Picked;
use crate::position::{NO_MOVE, is_quiet};
use crate::rules::Rule;
use crate::score::{Depth, Score};
use crate::search::Searcher;
use crate::search::observer::{At, Considered, Errand, Facts, Judgement, Observer, Purpose, Valuation, Verdict};
use crate::search::watch::order;
use crate::table::Entry;
use shakmaty::Move;

impl<O: Observer> Searcher<O> {
    pub(super) fn quiet_at(&self, q: &Quiet<'_>) -> At {
        At {
            ply: q.ply,
            depth: Depth::ZERO,
            window: q.window,
            key: q.position.key(),
            mv: self.earlier(q.ply, 1).last,
            nodes: self.made(),
        }
    }

    /// A node was entered.
    #[inline(always)]
    pub(super) fn quiet_entered(&mut self, q: &Quiet<'_>) {
        if O::WATCHES {
            let facts = Facts {
                kind: q.kind,
                level: Some(q.level),
                budget: (Depth::ZERO, Depth::ZERO),
                in_check: q.position.in_check(),
                entry: q.entry,
                table_key: q.position.key(),
                excluded: NO_MOVE,
            };
            self.observer.entered(self.quiet_at(q), &facts);
        }
    }

    /// The side to move was offered to stop here.
    #[inline(always)]
    pub(super) fn quiet_valued(&mut self, q: &Quiet<'_>, raw: Score, corrected: Score) {
        if O::WATCHES {
            let valuation = Valuation { raw: Some(raw), corrected, estimate: q.stand_pat, improving: false };
            self.observer.valued(self.quiet_at(q), valuation);
        }
    }

    /// A rule ended the node.
    #[inline(always)]
    pub(super) fn quiet_ended(&mut self, q: &Quiet<'_>, rule: Rule, score: Score) -> Score {
        self.quiet_ruled(q, rule, Verdict::Cut(score));
        self.quiet_left(q, score);
        score
    }

    /// A rule spoke.
    #[inline(always)]
    pub(super) fn quiet_ruled(&mut self, q: &Quiet<'_>, rule: Rule, verdict: Verdict) {
        if O::WATCHES {
            self.observer.ruled(self.quiet_at(q), rule, verdict);
            self.audit_spoke(rule);
        }
    }

    /// The picker handed out a move.
    #[inline(always)]
    pub(super) fn quiet_considered(&mut self, q: &Quiet<'_>, picked: &Picked, number: i32) {
        if O::WATCHES {
            let &Picked { mv, stage, gives_check, .. } = picked;
            let history = if is_quiet(mv) { 0 } else { self.histories.capture(q.position.turn(), mv) };
            let considered =
                Considered { mv, stage, order: order(picked), history, gives_check, number, refuter: false };
            self.observer.considered(self.quiet_at(q), &considered);
        }
    }

    /// A move is about to be searched; quiescence counts no depth.
    #[inline(always)]
    pub(super) fn quiet_searching(&mut self, q: &Quiet<'_>, mv: Move) {
        if O::WATCHES {
            let errand = Errand { purpose: Purpose::Quiescence, mv: Some(mv), cost: Depth::ZERO };
            self.observer.searching(self.quiet_at(q), errand);
        }
    }

    /// A move was searched.
    #[inline(always)]
    pub(super) fn quiet_judged(&mut self, q: &Quiet<'_>, mv: Move, score: Score) {
        if O::WATCHES {
            self.observer.judged(self.quiet_at(q), Judgement::of(mv, score, q.window));
        }
    }

    /// A result was handed to the table.
    #[inline(always)]
    pub(super) fn quiet_stored(&mut self, q: &Quiet<'_>, entry: &Entry) {
        if O::WATCHES {
            self.watch_stored(self.quiet_at(q), q.position.key(), entry);
        }
    }

    /// The node was left.
    #[inline(always)]
    pub(super) fn quiet_left(&mut self, q: &Quiet<'_>, score: Score) {
        if O::WATCHES {
            self.observer.left(self.quiet_at(q), score);
        }
    }
}
