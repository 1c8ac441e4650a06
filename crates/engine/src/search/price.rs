//! The ledger: what one move costs, rule by rule.

use super::Searcher;
use super::observer::{Numbers, Observer, Verdict};
use crate::node::{Candidate, Node};
use crate::rules::{
    Rule, check, explosion, late_move_reduction, mate_threat, one_reply, passed_pawn, recapture, singular,
};
use crate::score::Depth;

/// What a move costs beyond or below one ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Price {
    /// Taken off the cost of one ply.
    pub extension: Depth,
    /// Added to the cost of the first, reduced search.
    pub reduction: Depth,
}

impl Price {
    /// The cost of a search that is not reduced.
    #[inline(always)]
    pub fn full(self) -> Depth {
        Depth::ONE_PLY - self.extension
    }

    /// Is the extension two plies or more?
    #[inline(always)]
    pub fn is_double(self) -> bool {
        self.extension >= Depth::plies(2)
    }
}

impl<O: Observer> Searcher<O> {
    /// Adds up the ledger of a move.
    pub(crate) fn price(&mut self, n: &Node<'_>, c: &Candidate) -> Price {
        let p = self.params();
        let extensions = [
            (Rule::Check, check::cost(&p.check, n, c)),
            (Rule::OneReply, one_reply::cost(&p.one_reply, n, c)),
            (Rule::Recapture, recapture::cost(&p.recapture, n, c, self.earlier(n.ply, 1).captured_on)),
            (Rule::PassedPawn, passed_pawn::cost(&p.passed_pawn, n, c)),
            (Rule::MateThreat, mate_threat::cost(&p.mate_threat, n, c)),
            (Rule::Singular, singular::cost(&p.singular, n, c)),
        ];
        let wished = extensions.iter().fold(Depth::ZERO, |sum, (_, cost)| sum - *cost);
        let extension = explosion::limit(&p.explosion, n, wished, self.root_depth);
        let reduction =
            late_move_reduction::cost(&p.late_move_reduction, &self.reductions, n, c, self.frame(n.ply.next()).cutoffs);
        let price = Price { extension, reduction };
        if O::WATCHES {
            let at = self.at(n);
            let cutoffs = self.frame(n.ply.next()).cutoffs;
            let limited = (Rule::Explosion, wished - extension);
            let ledger = extensions.into_iter().chain([limited, (Rule::LateMoveReduction, reduction)]);
            let mut total = Depth::ONE_PLY;
            for (rule, cost) in ledger.filter(|(_, cost)| *cost != Depth::ZERO) {
                total += cost;
                let numbers = match rule {
                    Rule::Explosion => explosion::why(wished, extension),
                    Rule::LateMoveReduction => {
                        let p = &self.params().late_move_reduction;
                        late_move_reduction::why(p, &self.reductions, n, c, cutoffs)
                    }
                    _ => Numbers::default(),
                };
                self.because(|| numbers);
                self.observer.ruled(at, rule, Verdict::Priced(c.mv, cost));
            }
            debug_assert_eq!(total, price.full() + price.reduction, "the ledger is what is charged");
            self.observer.charged(at, c.mv, total);
        }
        price
    }

    /// Depth left after the usual reduction of a move: what pruning near the leaves asks for.
    #[inline]
    pub(crate) fn reduced_depth(&self, n: &Node<'_>, c: &Candidate) -> Depth {
        (n.depth - Depth::ONE_PLY - self.reductions.base(c.quiet, n.plies(), c.number)).max(Depth::ZERO)
    }
}
