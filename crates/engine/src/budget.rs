//! The remaining budget of a line: one amount per side.
//!
//! Normally a cost is deducted from both amounts, which is ordinary fractional depth. With separate budgets only the mover pays, and
//! pays double, so that equal costs give equal depth. The published rule continues while either side has something left (`levy1989`):
//! `theta` 1024 and debts without a limit. It is expensive; the blend of the two amounts and the limit of debts are ours.

use crate::score::Depth;
use shakmaty::Color;

crate::params! {
    /// depth added by each iteration (1/1024 ply)
    increment = 1024 in 128..=4096 by 128;
    /// deduct twice the cost of a move from the mover's budget; off: the cost from both budgets
    separate = false;
    /// weight of the larger of two separate budgets; 1024: the search continues while either side has budget left
    /// (1/1024)
    theta = 563 in 512..=1024 by 16;
    /// greatest amount by which a separate budget may be overdrawn (1/1024 ply)
    debt_max = 2048 in 0..=1048576 by 256;
}

const WHOLE: i32 = 1024;

/// Depth left for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    white: Depth,
    black: Depth,
}

impl Budget {
    /// The same amount for both sides.
    #[inline(always)]
    pub const fn even(depth: Depth) -> Budget {
        Budget { white: depth, black: depth }
    }

    /// The depth that rules read.
    #[inline(always)]
    pub fn left(self, p: &Params) -> Depth {
        if !p.separate {
            return self.white;
        }
        let (more, less) = (self.white.max(self.black), self.white.min(self.black));
        Depth((more.0 * p.theta + less.0 * (WHOLE - p.theta)) / WHOLE)
    }

    /// The remaining budget after `mover` made a move of this cost.
    #[inline(always)]
    pub fn deduct(self, p: &Params, mover: Color, cost: Depth) -> Budget {
        if !p.separate {
            return Budget::even(self.white - cost);
        }
        let floor = Depth(-p.debt_max);
        match mover {
            Color::White => Budget { white: (self.white - cost * 2).max(floor), ..self },
            Color::Black => Budget { black: (self.black - cost * 2).max(floor), ..self },
        }
    }

    /// The remaining budget after both sides paid this amount, as for null moves and changes of a node's depth.
    #[inline(always)]
    pub fn deduct_both(self, cost: Depth) -> Budget {
        Budget { white: self.white - cost, black: self.black - cost }
    }

    /// The remaining amounts of White and Black.
    #[inline(always)]
    pub const fn sides(self) -> (Depth, Depth) {
        (self.white, self.black)
    }

    /// White's amount less Black's, rounded to plies; 0 if both are about equal. The draft in the table is the pair of this number and
    /// the depth of the entry, which is the blend of both amounts.
    #[inline(always)]
    pub fn imbalance(self) -> u64 {
        const HALF: Depth = Depth(Depth::ONE_PLY.0 / 2);
        (self.white - self.black + HALF).whole() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_budget_is_plain_depth() {
        let p = Params::DEFAULT;
        let left =
            Budget::even(Depth::plies(6)).deduct(&p, Color::White, Depth(700)).deduct(&p, Color::Black, Depth(1348));
        assert_eq!(left.left(&p), Depth::plies(4));
        assert_eq!(left.imbalance(), 0);
    }

    #[test]
    fn a_little_more_for_one_side_is_no_imbalance() {
        let p = Params { separate: true, ..Params::DEFAULT };
        let imbalance = |white: i32, black: i32| {
            let root = Budget::even(Depth::plies(6));
            root.deduct(&p, Color::White, Depth(white)).deduct(&p, Color::Black, Depth(black)).imbalance() as i64
        };
        assert_eq!([imbalance(0, 0), imbalance(255, 0), imbalance(0, 255)], [0; 3], "half a ply is less than it takes");
        assert_eq!((imbalance(0, 256), imbalance(257, 0)), (1, -1));
        assert_eq!((imbalance(0, 1024), imbalance(1024, 0)), (2, -2), "the mover pays double");
    }

    #[test]
    fn separate_budgets_agree_with_depth_at_equal_costs_and_favour_cheap_moves() {
        let p = Params { separate: true, ..Params::DEFAULT };
        let root = Budget::even(Depth::plies(6));
        let even = root.deduct(&p, Color::White, Depth::ONE_PLY).deduct(&p, Color::Black, Depth::ONE_PLY);
        assert_eq!(even.left(&p), Depth::plies(4));
        let cheap = root.deduct(&p, Color::White, Depth::QUARTER).deduct(&p, Color::Black, Depth::plies(2));
        let shared = Params::DEFAULT;
        let plain = root.deduct(&shared, Color::White, Depth::QUARTER).deduct(&shared, Color::Black, Depth::plies(2));
        assert!(cheap.left(&p) > plain.left(&shared), "the attacker's budget keeps the line alive");
        let spent = Budget::even(Depth::ZERO).deduct(&p, Color::White, Depth::plies(9));
        assert!(spent.left(&p) >= Depth(-p.debt_max), "debts are limited");
    }
}
