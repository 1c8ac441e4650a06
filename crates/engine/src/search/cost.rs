//! The cost of a move and its breakdown, which lists the parts of the cost.
//!
//! A [`CostModel`] gives the cost of a move and the reduction of its first search. Rules of extension lower the cost within limits. An
//! extension that only lowers the reduction cannot go beyond it; one that exempts removes all of it. The sum of the breakdown is the depth
//! that is deducted for the first search of the move. To add an extension, add its line to `extensions!`.

use super::Searcher;
use super::watch::{Detail, Mode, RuleAction, SearchEvent};
use crate::hint::switch;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::class::Class;
use crate::rules::reason::{Numbers, RuleReason};
use crate::rules::{self, Coefficients, Rule, explosion, late_move_reduction, learned_cost, realization, sex};
use crate::score::Depth;
use arrayvec::ArrayVec;

/// The cost of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MoveCost {
    /// The cost of a search in full by the cost model.
    pub base: Depth,
    /// Taken off by the rules of extension, within limits.
    pub extension: Depth,
    /// Added for the first, reduced search; never negative.
    pub reduction: Depth,
}

impl MoveCost {
    /// The cost of a search that is not reduced.
    #[inline(always)]
    pub fn full(self) -> Depth {
        self.base - self.extension
    }

    /// The cost of the first search: the sum of the breakdown.
    #[inline(always)]
    pub fn first(self) -> Depth {
        self.full() + self.reduction
    }

    /// True if the extension is two plies or more.
    #[inline(always)]
    pub fn is_double(self) -> bool {
        self.extension >= Depth::plies(2)
    }

    /// A ply, and more for the first search.
    #[inline(always)]
    fn ply(reduction: Depth) -> MoveCost {
        MoveCost { base: Depth::ONE_PLY, reduction, ..MoveCost::default() }
    }

    /// The first search at one cost, a repeated one at another, if that is less.
    #[inline(always)]
    fn repeated(first: Depth, repeated: Depth) -> MoveCost {
        let base = first.min(repeated);
        MoveCost { base, reduction: (first - base).max(Depth::ZERO), ..MoveCost::default() }
    }
}

/// How costs of moves are computed: chosen by the parameters, the same for a whole search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CostModel {
    /// One ply for every move, more for the first search of late ones.
    Uniform,
    /// The same, but by the chance that a late move matters.
    Learned,
    /// By the kind of move: search by interestingness.
    Sex,
    /// By the chance to be played.
    Realization,
    /// Two plies for every move: with everything else off, twice the cost is half the depth.
    #[cfg(test)]
    Doubled,
}

impl CostModel {
    /// The model that the parameters select.
    pub fn of(p: &Parameters) -> CostModel {
        if p.realization.on {
            CostModel::Realization
        } else if p.sex.on {
            CostModel::Sex
        } else if p.learned_cost.on {
            CostModel::Learned
        } else {
            CostModel::Uniform
        }
    }

    /// The cost of a move before extensions.
    #[inline(always)]
    fn base_cost(self, p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> MoveCost {
        match self {
            CostModel::Uniform => MoveCost::ply(late_move_reduction::cost(&p.late_move_reduction, n, c)),
            CostModel::Learned => MoveCost::ply(learned_cost::cost(&p.learned_cost, &learned.learned_cost, n, c)),
            CostModel::Sex => MoveCost::repeated(sex::decrement(&p.sex, n, c).depth(), sex::repeated(&p.sex)),
            CostModel::Realization => {
                let first = realization::decrement(&p.realization, &learned.realization, &p.sex, n, c).cost;
                MoveCost::repeated(first, Depth(p.realization.repeated))
            }
            #[cfg(test)]
            CostModel::Doubled => MoveCost { base: Depth::plies(2), ..MoveCost::default() },
        }
    }

    /// The rule under which the difference to one ply is reported.
    pub(super) fn rule(self) -> Rule {
        match self {
            CostModel::Uniform => Rule::LateMoveReduction,
            CostModel::Learned => Rule::LearnedCost,
            CostModel::Sex => Rule::Sex,
            CostModel::Realization => Rule::Realization,
            #[cfg(test)]
            CostModel::Doubled => Rule::LateMoveReduction,
        }
    }

    /// The numbers behind that difference.
    fn reason(self, p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> Numbers {
        match self {
            CostModel::Uniform => late_move_reduction::reason(&p.late_move_reduction, n, c).numbers(),
            CostModel::Learned => learned_cost::reason(&p.learned_cost, &learned.learned_cost, n, c).numbers(),
            CostModel::Sex => sex::decrement(&p.sex, n, c).reason().numbers(),
            CostModel::Realization => {
                realization::decrement(&p.realization, &learned.realization, &p.sex, n, c).reason().numbers()
            }
            #[cfg(test)]
            CostModel::Doubled => Numbers::default(),
        }
    }

    /// The cost model of one node: some do not apply near the leaves.
    #[inline(always)]
    pub(super) fn at(self, p: &Parameters, n: &Node<'_>) -> CostModel {
        match self {
            CostModel::Realization if !realization::applies(&p.realization, n) => CostModel::Uniform,
            model => model,
        }
    }
}

macro_rules! extensions {
    ($($module:ident $name:ident $class:ident,)*) => {
        const EXTENSIONS: usize = [$(Rule::$name,)*].len();

        /// Reports the lines of the breakdown of extensions, one for each rule: negative if it makes the move cheaper. One that exempts the
        /// move removes the whole `reduction`.
        #[inline(always)]
        fn extensions(p: &Parameters, n: &Node<'_>, c: &Candidate, reduction: Depth, mut report: impl FnMut(CostPart)) {
            $({
                let own = &p.$module;
                let cost = if switch(own.on, rules::$module::Params::DEFAULT.on) {
                    Class::$class.allow(own.conditions(), n, rules::$module::cost(own, n, c))
                } else {
                    Depth::ZERO
                };
                let exempt = own.exempt && cost < Depth::ZERO;
                report(if exempt {
                    CostPart { rule: Rule::$name, cost: -reduction, reduction_only: true }
                } else {
                    CostPart { rule: Rule::$name, cost, reduction_only: own.reduction_only }
                });
            })*
        }

        /// The numbers behind such a line.
        fn why_extended(rule: Rule, p: &Parameters, n: &Node<'_>, c: &Candidate) -> Numbers {
            match rule {
                $(Rule::$name => rules::$module::reason(&p.$module, n, c).numbers(),)*
                _ => Numbers::default(),
            }
        }

        impl Rule {
            /// Its class, if it is an extension.
            pub const fn class(self) -> Option<Class> {
                match self {
                    $(Rule::$name => Some(Class::$class),)*
                    _ => None,
                }
            }
        }
    };
}

/// One extension's line of the breakdown.
#[derive(Clone, Copy)]
struct CostPart {
    rule: Rule,
    cost: Depth,
    /// Returns true if it is deducted from the reduction only.
    reduction_only: bool,
}

// The file, the rule, and its class.
extensions! {
    check Check Neutral,
    in_check InCheck Neutral,
    one_reply OneReply LossSeeking,
    recapture Recapture Neutral,
    passed_pawn PassedPawn Neutral,
    mate_threat MateThreat WinSeeking,
    capture Capture Neutral,
    pawn_ending PawnEnding Neutral,
    threat Threat LossSeeking,
    deep_search DeepSearch LossSeeking,
    botvinnik_markoff BotvinnikMarkoff LossSeeking,
    pv Pv Neutral,
    classic_singular ClassicSingular Neutral,
    singular Singular Neutral,
}

impl<M: Mode> Searcher<M> {
    /// The cost of a move by the cost model, before extensions.
    pub(crate) fn cost_before_extensions(&self, n: &Node<'_>, c: &Candidate) -> Depth {
        self.cost_model_at(n).base_cost(self.params(), &self.learned, n, c).first()
    }

    /// Compares the moves of a node, if the cost model requires that.
    #[inline(always)]
    pub(crate) fn prepare_costs(&mut self, n: &mut Node<'_>) {
        match self.cost_model {
            CostModel::Sex => self.compare_quiets(n),
            CostModel::Realization => self.compute_chances(n),
            _ => {}
        }
    }

    /// The cost model of this node.
    #[inline(always)]
    pub(super) fn cost_model_at(&self, n: &Node<'_>) -> CostModel {
        self.cost_model.at(self.params(), n)
    }

    /// The cost of a move, with extensions and reduction.
    pub(crate) fn move_cost(&mut self, n: &Node<'_>, c: &Candidate) -> MoveCost {
        let p = self.params();
        let before = self.cost_model_at(n).base_cost(p, &self.learned, n, c);
        let (mut requested, mut exempted) = (Depth::ZERO, Depth::ZERO);
        extensions(p, n, c, before.reduction, |line| {
            if line.cost == Depth::ZERO {
                // Most rules do not change most moves.
            } else if line.reduction_only && line.cost < Depth::ZERO {
                exempted -= line.cost;
            } else {
                requested -= line.cost; // a cost above one ply is not an exemption
            }
        });
        let extension = explosion::limit(&p.explosion, n, requested);
        let cost = MoveCost { extension, reduction: (before.reduction - exempted).max(Depth::ZERO), ..before };
        if self.emits(Detail::Everything) || cfg!(debug_assertions) {
            self.report_breakdown(n, c, before.reduction, cost);
        }
        cost
    }

    /// Reports every line of the breakdown, and compares its sum with the cost.
    fn report_breakdown(&mut self, n: &Node<'_>, c: &Candidate, reduction: Depth, cost: MoveCost) {
        let mut lines = ArrayVec::<CostPart, EXTENSIONS>::new();
        extensions(self.params(), n, c, reduction, |line| lines.push(line));
        let mut total = Depth::ONE_PLY;
        let model = self.cost_model_at(n);
        self.watch_called(model.rule());
        lines.iter().for_each(|line| self.watch_called(line.rule));
        let mut line = |s: &mut Self, rule: Rule, cost: Depth, reason: &dyn Fn(&Self) -> Numbers| {
            if cost != Depth::ZERO {
                total += cost;
                s.report_line(n, c, rule, cost, reason);
            }
        };
        line(self, model.rule(), cost.base - Depth::ONE_PLY, &|s| model.reason(s.params(), &s.learned, n, c));
        let mut requested = Depth::ZERO;
        for &CostPart { rule, cost, .. } in &lines {
            line(self, rule, cost, &|s| why_extended(rule, s.params(), n, c));
            requested -= cost;
        }
        if requested > Depth::ZERO {
            self.watch_called(Rule::Explosion);
        }
        let granted = cost.extension + reduction - cost.reduction;
        line(self, Rule::Explosion, requested - granted, &|_| {
            explosion::Reason::Extension { requested, granted }.numbers()
        });
        line(self, model.rule(), reduction, &|s| model.reason(s.params(), &s.learned, n, c));
        debug_assert!(total == cost.first() && cost.reduction >= Depth::ZERO, "the breakdown adds up to the cost");
        self.emit_at(Detail::Everything, n, |at| SearchEvent::TotalCost(at, c.mv, total));
    }

    /// Reports one line of the breakdown.
    fn report_line(&mut self, n: &Node<'_>, c: &Candidate, rule: Rule, cost: Depth, reason: &dyn Fn(&Self) -> Numbers) {
        if self.emits(Detail::Everything) {
            let numbers = reason(self);
            self.mode.emit(SearchEvent::Reason(&numbers));
            self.watch_rule(n, rule, RuleAction::CostChanged(c.mv, cost));
        }
    }
}

#[cfg(test)]
mod tests;
