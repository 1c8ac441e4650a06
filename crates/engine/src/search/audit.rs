//! Audits: a pruned or reduced search is repeated without the rule, to see whether it would have mattered.
//!
//! A [`Watch`](super::watch::Watch) selects the searches and receives the results as events. An audit has no effect on the main search: its moves are
//! not counted, histories and corrections are not updated, its results go into a separate table, and killers, cutoff counts and
//! the other frame data are restored. So the search gives the same result as without audits, to the node. There are no nested
//! audits. In a search without an observer none of this is compiled.

use super::cost::MoveCost;
use super::events::EventSource;
use super::watch::{AuditResult, LateMove, Mode, PruningKind, SearchEvent};
use super::{CHECK_INTERVAL, Searcher, Stopped};
use crate::node::{Candidate, Frame, Node, Place};
use crate::ordering::{Picker, QuietFacts, Stage};
use crate::position::{Position, pack};
use crate::rules::search::Search as _;
use crate::rules::{Family, Rule, Skip, late_move_reduction, learned_cost};
use crate::score::{Depth, Ply, Score, Window};
use crate::table::{Entry, Table};
use std::sync::Arc;

/// Rules that ended or reduced a node.
#[derive(Clone, Copy, Default)]
struct NodePruning {
    /// The rule that ended it before its moves.
    ended: Option<Rule>,
    /// The rule that took depth off it.
    reduced: Option<Rule>,
}

/// The state of audits.
#[derive(Default)]
pub(crate) struct Audits {
    /// True while an audit is in progress.
    pub(super) running: bool,
    /// Moves it has made.
    nodes: u64,
    /// The rule that is off at nodes of this ply.
    disabled: Option<(Ply, Rule)>,
    /// The nodes of the line, as rules acted at them.
    notes: Vec<NodePruning>,
    /// The rule that skipped the last move.
    acted: Option<Rule>,
    /// The frames as they were.
    frames: Vec<Frame>,
    /// The results of audits.
    pub(super) table: Option<Arc<Table>>,
}

impl<M: Mode> Searcher<M> {
    /// Gives audits a table for their results; without one they store nothing.
    pub fn set_audit_table(&mut self, table: Arc<Table>) {
        self.audits.table = Some(table);
    }

    /// Returns true if an audit is possible.
    #[inline(always)]
    pub(super) fn has_audits(&self) -> bool {
        M::WATCHED && self.mode.has_audit()
    }

    /// Returns true if this rule is off at this ply.
    #[inline(always)]
    pub(crate) fn is_disabled(&self, ply: Ply, rule: Rule) -> bool {
        M::WATCHED && self.audits.disabled == Some((ply, rule))
    }

    /// Stores a result in the table of the search, or during an audit in that of audits.
    #[inline(always)]
    pub(crate) fn store_entry(&self, key: u64, ply: Ply, entry: Entry) {
        if self.in_audit() {
            if let Some(table) = &self.audits.table {
                table.store(key, ply, entry);
            }
            return;
        }
        self.table.store(key, ply, entry);
    }

    /// Counts a move of an audit and checks, at intervals, whether to stop.
    #[cold]
    pub(super) fn count_audit_node(&mut self) -> Result<(), Stopped> {
        self.audits.nodes += 1;
        if self.audits.nodes.is_multiple_of(CHECK_INTERVAL) {
            self.stop_seen |= self.control.stopped() || self.clock.expired(self.nodes());
        }
        if self.stop_seen { Err(Stopped) } else { Ok(()) }
    }

    /// Clears the state of a search that was stopped.
    pub(super) fn begin_audits(&mut self) {
        if self.has_audits() {
            let table = self.audits.table.take();
            self.audits = Audits { table, ..Audits::default() };
        }
    }

    /// Notes the rule that applies to a move.
    #[inline(always)]
    pub(crate) fn audit_acted(&mut self, rule: Rule) {
        if self.has_audits() {
            self.audits.acted = Some(rule);
        }
    }

    /// A node is entered: rules may prune or reduce it.
    #[inline(always)]
    pub(super) fn audit_entered(&mut self) {
        if self.has_audits() && !self.audits.running {
            self.audits.notes.push(NodePruning::default());
        }
    }

    /// The note of the last node that was entered, unless this is an audit already.
    #[inline(always)]
    fn noted(&mut self) -> Option<&mut NodePruning> {
        if self.has_audits() && !self.audits.running { self.audits.notes.last_mut() } else { None }
    }

    /// A rule ends the node.
    #[inline(always)]
    pub(super) fn audit_ended(&mut self, rule: Rule) {
        if let Some(note) = self.noted() {
            note.ended = Some(rule);
        }
    }

    /// A rule changes the depth of the node.
    #[inline(always)]
    pub(super) fn audit_deepened(&mut self, rule: Rule, amount: Depth) {
        if amount < Depth::ZERO
            && let Some(note) = self.noted()
        {
            note.reduced = Some(rule);
        }
    }

    /// Called with the `score` of a node. If a rule ended or reduced the node, audits whether its bound is the same without the rule.
    /// Nodes with an open window are not audited: they keep the line.
    pub(super) fn audit_left(&mut self, n: &Node<'_>, place: Place, score: Score) -> Result<(), Stopped> {
        if !self.has_audits() || self.audits.running {
            return Ok(());
        }
        let NodePruning { ended, reduced } = self.audits.notes.pop().unwrap_or_default();
        let ended = ended.filter(|rule| rule.family() != Family::Known);
        let kind = ended.map(|rule| (PruningKind::Node, rule)).or(reduced.map(|rule| (PruningKind::Depth, rule)));
        let Some((kind, rule)) = kind.filter(|_| !n.is_pv()) else { return Ok(()) };
        if !self.is_audited(n, kind, rule) {
            return Ok(());
        }
        self.audits.disabled = Some((n.ply, rule));
        let found = self.run_audit(|s| s.search(n.position, place))?;
        self.audits.disabled = None;
        self.emit_audit(kind, rule, place.window.fails_high(found) != place.window.fails_high(score));
        Ok(())
    }

    /// Audits the moves that a rule skipped: this one, or also later quiet ones. Does one beat alpha?
    pub(super) fn audit_skip(
        &mut self,
        n: &Node<'_>,
        c: &Candidate,
        skip: Skip,
        facts: &QuietFacts,
        picker: &Picker,
    ) -> Result<(), Stopped> {
        let Some(rule) = self.audited_rule() else { return Ok(()) };
        self.audit_move(n, c, rule)?;
        if skip == Skip::This {
            return Ok(());
        }
        let checks = n.position.check_info();
        let mut rest = picker.clone();
        let mut quiets = c.quiets_before + 1;
        while let Some(picked) = rest.next(self.sources(n.position, &checks, n.ply), &self.tree) {
            if picked.stage != Stage::Quiet {
                break;
            }
            let kept = skip == Skip::RestButChecks && picked.gives_check;
            if !kept && pack(picked.mv) != n.excluded {
                let c = self.candidate(n, facts, picked, c.number, quiets);
                self.audit_move(n, &c, rule)?;
            }
            quiets += 1;
        }
        Ok(())
    }

    fn audit_move(&mut self, n: &Node<'_>, c: &Candidate, rule: Rule) -> Result<(), Stopped> {
        if !self.is_audited(n, PruningKind::Move, rule) {
            return Ok(());
        }
        let found = self.run_audit(|s| s.try_unreduced(n, c))?;
        self.emit_audit(PruningKind::Move, rule, found > n.window.alpha);
        Ok(())
    }

    /// Audits a move whose reduced search failed low: does the full search beat alpha?
    pub(super) fn audit_reduction(
        &mut self,
        n: &Node<'_>,
        child: &Position,
        move_cost: MoveCost,
    ) -> Result<(), Stopped> {
        let rule = self.cost_model_at(n).rule();
        if !self.has_audits() || self.audits.running || !self.is_audited(n, PruningKind::Reduction, rule) {
            return Ok(());
        }
        let found = self.run_audit(|s| s.search_unreduced(n, child, move_cost))?;
        self.emit_audit(PruningKind::Reduction, rule, found > n.window.alpha);
        Ok(())
    }

    /// Before a late move is searched: if the observer selects it, tests whether the move beats alpha without a reduction.
    #[inline(always)]
    pub(super) fn audit_late_move(&mut self, n: &Node<'_>, c: &Candidate) -> Result<(), Stopped> {
        let p = self.params();
        if self.has_audits() && !self.audits.running && learned_cost::applies(&p.learned_cost, n, c) {
            let formula = late_move_reduction::cost(&p.late_move_reduction, n, c);
            let at = n.event_node(self);
            if self.mode.auditor().is_some_and(|watch| watch.selects_late_move(at)) {
                let features = learned_cost::features(n, c);
                let found = self.run_audit(|s| s.try_unreduced(n, c))?;
                let mattered = found > n.window.alpha;
                let late = LateMove { features, formula, mattered, nodes: self.audits.nodes };
                self.mode.emit(SearchEvent::Sampled(at, &late));
            }
        }
        Ok(())
    }

    /// The value of a move, with a null window above alpha and not reduced.
    fn try_unreduced(&mut self, n: &Node<'_>, c: &Candidate) -> Result<Score, Stopped> {
        let move_cost = self.move_cost(n, c);
        self.count()?;
        let child = self.make_at_cost(n, c, move_cost);
        let score = self.search_unreduced(n, &child, move_cost)?;
        self.unmake();
        Ok(score)
    }

    /// The value of a move that has been made, with a null window above alpha and not reduced.
    fn search_unreduced(&mut self, n: &Node<'_>, child: &Position, move_cost: MoveCost) -> Result<Score, Stopped> {
        self.step(n, child, Window::above(n.window.alpha), move_cost.full(), Depth::ZERO, n.kind.child())
    }

    /// Returns true if the decision of a rule at this node is to be audited.
    pub(super) fn is_audited(&mut self, n: &impl EventSource, kind: PruningKind, rule: Rule) -> bool {
        let at = n.event_node(self);
        self.mode.auditor().is_some_and(|watch| watch.audits(at, kind, rule))
    }

    /// Runs a search outside the main search.
    pub(super) fn run_audit(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        self.audits.frames.clone_from(&self.frames);
        let seldepth = self.seldepth;
        let line = self.orders.extras.as_ref().map(|extras| extras.line());
        self.audits.running = true;
        self.audits.nodes = 0;
        let score = look(self)?;
        self.audits.running = false;
        self.seldepth = seldepth;
        std::mem::swap(&mut self.audits.frames, &mut self.frames);
        if let (Some(extras), Some(line)) = (&mut self.orders.extras, line) {
            extras.restore(line);
        }
        Ok(score)
    }

    pub(super) fn emit_audit(&mut self, kind: PruningKind, rule: Rule, mattered: bool) {
        self.mode.emit(SearchEvent::Audited(AuditResult { kind, rule, mattered, nodes: self.audits.nodes }));
    }

    /// The rule that skipped the last move, unless this is an audit already.
    pub(super) fn audited_rule(&mut self) -> Option<Rule> {
        self.audits.acted.take().filter(|_| !self.audits.running)
    }
}

#[cfg(test)]
mod tests;
