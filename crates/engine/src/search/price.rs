//! The price of a move and its ledger, which lists the parts of the price.
//!
//! A way of [`Pricing`] gives the cost of a move and the reduction of its first search. Rules of extension lower the cost within limits. An
//! extension that only lowers the reduction cannot go beyond it; one that exempts removes all of it. The sum of the ledger is the depth
//! that is deducted for the first search of the move. To add an extension, add its line to `extensions!`; to add a way of pricing, its file
//! under `price/` and its line in `ways!`.

mod learned;
mod realization;
mod sex;
mod uniform;

use super::Searcher;
use super::watch::{Detail, Mode, RuleAction, SearchEvent};
use crate::hint::switch;
use crate::node::{Candidate, Node};
use crate::params::Parameters;
use crate::rules::class::Class;
use crate::rules::reason::{Numbers, RuleReason};
use crate::rules::{self, Coefficients, Rule, explosion};
use crate::score::Depth;
use arrayvec::ArrayVec;

/// The cost of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Price {
    /// The cost of a search in full by the way of pricing.
    pub base: Depth,
    /// Taken off by the rules of extension, within limits.
    pub extension: Depth,
    /// Added for the first, reduced search; never negative.
    pub reduction: Depth,
}

impl Price {
    /// The cost of a search that is not reduced.
    #[inline(always)]
    pub fn full(self) -> Depth {
        self.base - self.extension
    }

    /// The cost of the first search: the sum of the ledger.
    #[inline(always)]
    pub fn first(self) -> Depth {
        self.full() + self.reduction
    }

    /// True if the extension is two plies or more.
    #[inline(always)]
    pub fn is_double(self) -> bool {
        self.extension >= Depth::plies(2)
    }
}

/// The cost of a move by a way of pricing, before extensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BaseCost {
    /// For a search in full.
    pub base: Depth,
    /// More for the first search; never negative.
    pub reduction: Depth,
}

macro_rules! ways {
    ($($(#[doc = $doc:literal])+ $(#[cfg($only:meta)])? $way:ident $module:ident,)*) => {
        /// How moves are priced: chosen by the parameters, the same for a whole search.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Pricing {
            $($(#[doc = $doc])+ $(#[cfg($only)])? $way,)*
        }

        impl Pricing {
            /// The cost of a move before extensions.
            #[inline(always)]
            fn base_cost(self, p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> BaseCost {
                match self {
                    $($(#[cfg($only)])? Pricing::$way => $module::base_cost(p, learned, n, c),)*
                }
            }

            /// The rule under which the difference to one ply is reported.
            pub(super) fn rule(self) -> Rule {
                match self {
                    $($(#[cfg($only)])? Pricing::$way => $module::RULE,)*
                }
            }

            /// The numbers behind that difference.
            fn reason(self, p: &Parameters, learned: &Coefficients, n: &Node<'_>, c: &Candidate) -> Numbers {
                match self {
                    $($(#[cfg($only)])? Pricing::$way => $module::reason(p, learned, n, c).numbers(),)*
                }
            }
        }
    };
}

ways! {
    /// One ply for every move, more for the first search of late ones.
    Uniform uniform,
    /// The same, but by the chance that a late move matters.
    Learned learned,
    /// By the kind of move: search by interestingness.
    Sex sex,
    /// By the chance to be played.
    Realization realization,
    /// Two plies for every move.
    #[cfg(test)]
    Doubled doubled,
}

impl Pricing {
    /// The way that the parameters select.
    pub fn of(p: &Parameters) -> Pricing {
        if p.realization.on {
            Pricing::Realization
        } else if p.sex.on {
            Pricing::Sex
        } else if p.learned_cost.on {
            Pricing::Learned
        } else {
            Pricing::Uniform
        }
    }

    /// How moves of one node are priced: some ways do not apply near the leaves.
    #[inline(always)]
    pub(super) fn at(self, p: &Parameters, n: &Node<'_>) -> Pricing {
        match self {
            Pricing::Realization if !rules::realization::applies(&p.realization, n) => Pricing::Uniform,
            way => way,
        }
    }
}

macro_rules! extensions {
    ($($module:ident $name:ident $class:ident,)*) => {
        const EXTENSIONS: usize = [$(Rule::$name,)*].len();

        /// Reports the lines of the ledger of extensions, one for each rule: negative if it makes the move cheaper. One that exempts the
        /// move removes the whole `reduction`.
        #[inline(always)]
        fn extensions(p: &Parameters, n: &Node<'_>, c: &Candidate, reduction: Depth, mut report: impl FnMut(LedgerLine)) {
            $({
                let own = &p.$module;
                let cost = if switch(own.on, rules::$module::Params::DEFAULT.on) {
                    Class::$class.allow(own.conditions(), n, rules::$module::cost(own, n, c))
                } else {
                    Depth::ZERO
                };
                let exempt = own.exempt && cost < Depth::ZERO;
                report(if exempt {
                    LedgerLine { rule: Rule::$name, cost: -reduction, reduction_only: true }
                } else {
                    LedgerLine { rule: Rule::$name, cost, reduction_only: own.reduction_only }
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

/// One extension's line of the ledger.
#[derive(Clone, Copy)]
struct LedgerLine {
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
    /// The cost of a move by the way of pricing, before extensions.
    pub(crate) fn cost_before_extensions(&self, n: &Node<'_>, c: &Candidate) -> Depth {
        let BaseCost { base, reduction } = self.pricing_at(n).base_cost(self.params(), &self.learned, n, c);
        base + reduction
    }

    /// Compares the moves of a node, if the way of pricing requires that.
    #[inline(always)]
    pub(crate) fn prepare_costs(&mut self, n: &mut Node<'_>) {
        match self.pricing {
            Pricing::Sex => self.compare_quiets(n),
            Pricing::Realization => self.compute_chances(n),
            _ => {}
        }
    }

    /// The way in which the moves of this node are priced.
    #[inline(always)]
    pub(super) fn pricing_at(&self, n: &Node<'_>) -> Pricing {
        self.pricing.at(self.params(), n)
    }

    /// Prices a move.
    pub(crate) fn price(&mut self, n: &Node<'_>, c: &Candidate) -> Price {
        let p = self.params();
        let BaseCost { base, reduction } = self.pricing_at(n).base_cost(p, &self.learned, n, c);
        let (mut requested, mut exempted) = (Depth::ZERO, Depth::ZERO);
        extensions(p, n, c, reduction, |line| {
            if line.cost == Depth::ZERO {
                // Most rules do not change most moves.
            } else if line.reduction_only && line.cost < Depth::ZERO {
                exempted -= line.cost;
            } else {
                requested -= line.cost; // a cost above one ply is not an exemption
            }
        });
        let extension = explosion::limit(&p.explosion, n, requested);
        let price = Price { base, extension, reduction: (reduction - exempted).max(Depth::ZERO) };
        if self.emits(Detail::Everything) || cfg!(debug_assertions) {
            self.keep_ledger(n, c, reduction, price);
        }
        price
    }

    /// Reports every line of the ledger, and compares its sum with the price.
    fn keep_ledger(&mut self, n: &Node<'_>, c: &Candidate, reduction: Depth, price: Price) {
        let mut lines = ArrayVec::<LedgerLine, EXTENSIONS>::new();
        extensions(self.params(), n, c, reduction, |line| lines.push(line));
        let mut total = Depth::ONE_PLY;
        let pricing = self.pricing_at(n);
        self.watch_called(pricing.rule());
        lines.iter().for_each(|line| self.watch_called(line.rule));
        let mut line = |s: &mut Self, rule: Rule, cost: Depth, reason: &dyn Fn(&Self) -> Numbers| {
            if cost != Depth::ZERO {
                total += cost;
                s.report_line(n, c, rule, cost, reason);
            }
        };
        line(self, pricing.rule(), price.base - Depth::ONE_PLY, &|s| pricing.reason(s.params(), &s.learned, n, c));
        let mut requested = Depth::ZERO;
        for &LedgerLine { rule, cost, .. } in &lines {
            line(self, rule, cost, &|s| why_extended(rule, s.params(), n, c));
            requested -= cost;
        }
        if requested > Depth::ZERO {
            self.watch_called(Rule::Explosion);
        }
        let granted = price.extension + reduction - price.reduction;
        line(self, Rule::Explosion, requested - granted, &|_| {
            explosion::Reason::Extension { requested, granted }.numbers()
        });
        line(self, pricing.rule(), reduction, &|s| pricing.reason(s.params(), &s.learned, n, c));
        debug_assert!(total == price.first() && price.reduction >= Depth::ZERO, "the ledger adds up to the price");
        self.emit_at(Detail::Everything, n, |at| SearchEvent::TotalCost(at, c.mv, total));
    }

    /// Reports one line of the ledger.
    fn report_line(&mut self, n: &Node<'_>, c: &Candidate, rule: Rule, cost: Depth, reason: &dyn Fn(&Self) -> Numbers) {
        if self.emits(Detail::Everything) {
            let numbers = reason(self);
            self.mode.emit(SearchEvent::Because(&numbers));
            self.watch_rule(n, rule, RuleAction::CostChanged(c.mv, cost));
        }
    }
}

/// A way of pricing for tests: with everything else off, twice the price is half the depth.
#[cfg(test)]
mod doubled {
    use super::{BaseCost, Candidate, Coefficients, Depth, Node, Parameters, Rule};
    use crate::rules::reason::Plain;

    pub(super) const RULE: Rule = Rule::LateMoveReduction;

    pub(super) fn base_cost(_: &Parameters, _: &Coefficients, _: &Node<'_>, _: &Candidate) -> BaseCost {
        BaseCost { base: Depth::plies(2), reduction: Depth::ZERO }
    }

    pub(super) fn reason(_: &Parameters, _: &Coefficients, _: &Node<'_>, _: &Candidate) -> Plain {
        Plain
    }
}

#[cfg(test)]
mod tests;
