//! Audits of moves that quiescence skips (see `search/audit.rs`). Without an audit, every function here is empty.

use super::Quiet;
use crate::node::NodeType;
use crate::ordering::{PickedMove, Picker, Stage};
use crate::rules::Rule;
use crate::rules::search::Search as _;
use crate::score::Window;
use crate::search::watch::{Mode, PruningKind};
use crate::search::{Searcher, Stopped};

impl<M: Mode> Searcher<M> {
    /// A rule left a move out: would it have beaten alpha?
    #[inline(always)]
    pub(super) fn audit_quiet(&mut self, q: &Quiet<'_>, picked: &PickedMove) -> Result<(), Stopped> {
        if self.has_audits()
            && let Some(rule) = self.audited_rule()
        {
            self.audit_capture(q, picked, rule)?;
        }
        Ok(())
    }

    /// A rule left this evasion out, and all quiet ones after it.
    #[inline(always)]
    pub(super) fn audit_evasions(&mut self, q: &Quiet<'_>, first: &PickedMove, picker: &Picker) -> Result<(), Stopped> {
        if self.has_audits()
            && let Some(rule) = self.audited_rule()
        {
            self.audit_capture(q, first, rule)?;
            let checks = q.position.check_info();
            let mut rest = picker.clone();
            while let Some(picked) = rest.next(self.sources(q.position, &checks, q.ply), &self.tree) {
                if picked.stage != Stage::Quiet {
                    break;
                }
                self.audit_capture(q, &picked, rule)?;
            }
        }
        Ok(())
    }

    fn audit_capture(&mut self, q: &Quiet<'_>, picked: &PickedMove, rule: Rule) -> Result<(), Stopped> {
        if !self.is_audited(q, PruningKind::Quiescence, rule) {
            return Ok(());
        }
        // Nodes that are searched aside keep no line.
        let kind = if q.kind == NodeType::Pv { NodeType::Cut } else { q.kind };
        let window = Window::above(q.window.alpha);
        let found = self.run_audit(|s| {
            s.count()?;
            let child = s.make(q.position, q.ply, picked.mv, picked.gives_check);
            let score = -s.quiescence(&child, -window, q.ply.next(), kind, q.level + 1)?;
            s.unmake();
            Ok(score)
        })?;
        self.emit_audit(PruningKind::Quiescence, rule, found > q.window.alpha);
        Ok(())
    }
}
