//! Late-move reductions.
//!
//! *Idea*: Moves late in the order are searched less deep first: by the logarithms of depth and move number, in fractions of a
//! ply, less or more by node type, history and what else is known of the move. A reduced search that beats alpha is repeated.
//! *Risk*: Quiet moves whose point lies deeper than the reduced search sees.
//! *Reads*: move order, history, table, expected node type, static evaluation, whose turn it is at the root.
//! *Papers*: `romstad-lmr`, current practice; the gap form of `levy1989` is its ancestor.
//! *Measured*: ECM, 20 000 nodes, off: 466 solved (+40 -121 against 547 with it on), nodes to the solution x1.32 (1.23 ..
//! 1.42), -137.0 Elo (-186.8 .. -92.0) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use super::reason::Reason;
use super::{Family, RuleInfo};
use crate::node::Stage;
use crate::node::{Candidate, Kind, Node};
use crate::score::{Depth, Score};
use crate::whole::log;
use crate::words::{plies, signed_plies};
use std::fmt;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "late move reduction",
    about: "Late-move reductions.",
    family: Family::Reduction,
    switches: &["late_move_reduction.on"],
};

crate::params! {
    /// search late moves less deep first
    on = true;
    /// least depth (plies)
    depth_min = 2 in 1..=8 by 1;
    /// first move that may be reduced (move number)
    number_min = 2 in 2..=12 by 1;
    /// reduction of quiet moves at any depth and number (1/1024 ply)
    quiet_base = 512 in 0..=3072 by 32, neutral 896;
    /// product of the logarithms that makes a ply for quiet moves (1/1024)
    quiet_divisor = 2112 in 1024..=6144 by 64, neutral 2400;
    /// reduction of captures at any depth and number (1/1024 ply)
    noisy_base = 128 in -1024..=2048 by 32, neutral 0;
    /// product of the logarithms that makes a ply for captures (1/1024)
    noisy_divisor = 4096 in 1024..=8192 by 64, neutral 3400;
    /// less on the principal variation (1/1024 ply)
    pv = 1536 in 0..=3072 by 64, neutral 1024;
    /// less where a principal variation once was (1/1024 ply)
    was_pv = 448 in 0..=3072 by 64, neutral 512;
    /// more at expected cut nodes (1/1024 ply)
    cut = 896 in 0..=3072 by 64, neutral 1280;
    /// more when the evaluation does not improve (1/1024 ply)
    worsening = 384 in 0..=2048 by 64, neutral 512;
    /// more when the table move is a capture (1/1024 ply)
    noisy_table_move = 1088 in 0..=2048 by 64, neutral 768;
    /// less for moves that give check (1/1024 ply)
    check = 1536 in 0..=3072 by 64, neutral 1024;
    /// less in check (1/1024 ply)
    evasion = 0 in 0..=3072 by 64, neutral 512;
    /// less for killers and countermoves (1/1024 ply)
    refuter = 512 in 0..=3072 by 64, neutral 1024;
    /// history that changes the reduction of a quiet move by one ply (counts)
    history_divisor = 19456 in 2048..=65536 by 512, neutral 16384;
    /// capture history that changes the reduction of a capture by one ply (counts)
    noisy_history_divisor = 17920 in 2048..=65536 by 512, neutral 12288;
    /// more when the next ply has seen many cutoffs (1/1024 ply)
    cutoffs = 1344 in 0..=2048 by 64, neutral 768;
    /// cutoffs of the next ply that count as many (cutoffs)
    cutoffs_min = 3 in 1..=16 by 1;
    /// more for each time alpha was raised here (1/1024 ply)
    raised = 384 in 0..=2048 by 64, neutral 512;
    /// less for each pawn of correction of the evaluation (1/1024 ply)
    uncertain = 960 in 0..=4096 by 64, neutral 512;
    /// more for each pawn that the table move stands out from the others (1/1024 ply)
    stands_out = 0 in 0..=1024 by 32;
    /// more for each man missing from the board (1/1024 ply; less if negative)
    missing = -16 in -64..=64 by 4, neutral 0;
    /// more where a principal variation once was and the table's value is at most alpha (1/1024 ply)
    fallen_pv = 64 in 0..=2048 by 64, neutral 0;
    /// less at the root (1/1024 ply)
    root = 1216 in 0..=3072 by 64, neutral 0;
    /// less for moves of the side to move at the root (1/1024 ply)
    own = 320 in 0..=2048 by 64, neutral 0;
    /// further less at the root for each ply of the iteration beyond the eighth (1/1024 ply)
    root_slope = 288 in 0..=512 by 16, neutral 0;
    /// further less for moves of the side to move at the root, likewise (1/1024 ply)
    own_slope = 16 in 0..=256 by 8, neutral 0;
    /// depth that is always left (1/1024 ply)
    floor = 1152 in 0..=3072 by 128, neutral 1024;
}

crate::reason! {
    /// base
    base: Depth,
    /// pv
    pv: Depth,
    /// was pv
    was_pv: Depth,
    /// cut node
    cut: Depth,
    /// worsening
    worsening: Depth,
    /// noisy table move
    noisy_table_move: Depth,
    /// check
    check: Depth,
    /// evasion
    evasion: Depth,
    /// refuter
    refuter: Depth,
    /// cutoffs
    cutoffs: Depth,
    /// raised
    raised: Depth,
    /// uncertain
    uncertain: Depth,
    /// history
    history: Depth,
    /// stands out
    stands_out: Depth,
    /// men missing
    missing: Depth,
    /// fallen pv
    fallen_pv: Depth,
    /// at the root
    root: Depth,
    /// own
    own: Depth,
    /// granted
    granted: Depth,
    /// corrected by
    corrected: Score,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "base {}", plies(self.base))?;
        let numbers = self.numbers();
        let mut sum = self.base;
        for (label, &term) in Why::LABELS.iter().zip(numbers.as_slice()) {
            if !matches!(*label, "base" | "granted" | "corrected by") && term != 0 {
                sum += Depth(term);
                write!(f, ", {label} {}", signed_plies(Depth(term)))?;
                if *label == "uncertain" {
                    write!(f, " (evaluation corrected by {})", self.corrected.0)?;
                }
            }
        }
        if sum != self.granted {
            write!(f, ", limited from {} to {}", plies(sum), plies(self.granted))?;
        }
        Ok(())
    }
}

const MOVES: usize = 64;
const DEPTHS: usize = 64;

/// Reductions by depth and move number: made anew when the parameters change.
pub struct Reductions {
    quiet: Box<[[i32; MOVES]; DEPTHS]>,
    noisy: Box<[[i32; MOVES]; DEPTHS]>,
}

impl Reductions {
    /// Tabulates base + ln(depth) ln(number) / divisor.
    pub fn new(p: &Params) -> Reductions {
        Reductions {
            quiet: tabulate(p.on, p.quiet_base, p.quiet_divisor),
            noisy: tabulate(p.on, p.noisy_base, p.noisy_divisor),
        }
    }

    /// The reduction before adjustments.
    #[inline(always)]
    pub fn base(&self, quiet: bool, plies: i32, number: i32) -> Depth {
        let table = if quiet { &self.quiet } else { &self.noisy };
        Depth(table[(plies.max(0) as usize).min(DEPTHS - 1)][(number.max(0) as usize).min(MOVES - 1)])
    }
}

fn tabulate(on: bool, base: i32, divisor: i32) -> Box<[[i32; MOVES]; DEPTHS]> {
    let mut table = Box::new([[0; MOVES]; DEPTHS]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, cell) in row.iter_mut().enumerate().skip(1) {
            if on {
                let product = log(depth as u32) * log(number as u32) / i64::from(divisor);
                *cell = (base + product as i32).max(0);
            }
        }
    }
    table
}

/// What to add to the cost of a move in its first search: never negative, and some depth is always left.
#[inline]
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    why(p, n, c).granted
}

/// The terms of a reduction, and what is granted.
#[inline(always)]
pub(crate) fn why(p: &Params, n: &Node<'_>, c: &Candidate) -> Why {
    if !p.on
        || c.number < p.number_min + i32::from(n.ply.is_root())
        || n.plies() < p.depth_min
        || c.stage == Stage::Table
    {
        return Why::NONE;
    }
    let when = |holds: bool, amount: i32| Depth(if holds { amount } else { 0 });
    let noisy_table_move = n.table_move.is_some_and(|mv| !crate::position::is_quiet(mv));
    let history_divisor = if c.quiet { p.history_divisor } else { p.noisy_history_divisor };
    Why {
        base: c.usual_reduction,
        pv: when(n.is_pv(), -p.pv),
        was_pv: when(n.was_pv && !n.is_pv(), -p.was_pv),
        cut: when(n.kind == Kind::Cut, p.cut),
        worsening: when(!n.improving, p.worsening),
        noisy_table_move: when(noisy_table_move, p.noisy_table_move),
        check: when(c.gives_check, -p.check),
        evasion: when(n.in_check, -p.evasion),
        refuter: when(c.refuter, -p.refuter),
        cutoffs: when(c.cutoffs_below >= p.cutoffs_min, p.cutoffs),
        raised: Depth(p.raised * n.raised),
        uncertain: -Depth(p.uncertain * n.uncertainty.0 / CENTIPAWNS),
        history: -Depth(c.history * Depth::ONE_PLY.0 / history_divisor),
        stands_out: by_gap(p, n),
        missing: Depth(p.missing * (MEN - n.position.board().occupied().count() as i32)),
        fallen_pv: when(
            n.was_pv && n.entry.is_some_and(|e| e.bound.is_upper() && e.score <= n.window.alpha),
            p.fallen_pv,
        ),
        root: when(n.ply.is_root(), -by_iteration(n, p.root, p.root_slope)),
        own: when(n.ply.is_even(), -by_iteration(n, p.own, p.own_slope)),
        granted: Depth::ZERO,
        corrected: n.uncertainty,
    }
    .limited(n.depth - Depth::ONE_PLY - Depth(p.floor))
}

/// What grows by `slope` with each ply of the iteration beyond the eighth.
#[inline(always)]
fn by_iteration(n: &Node<'_>, base: i32, slope: i32) -> i32 {
    if slope == 0 {
        return base;
    }
    let beyond = (n.root_depth - ITERATION).0.clamp(0, BEYOND_MAX.0);
    base + slope * beyond / Depth::ONE_PLY.0
}

/// More for later moves, the further the table move stands out from them.
#[inline(always)]
fn by_gap(p: &Params, n: &Node<'_>) -> Depth {
    let gap = (n.stands_out.0 - STANDS_OUT).max(0);
    Depth((p.stands_out * gap / CENTIPAWNS).min(STANDS_OUT_MAX))
}

impl Why {
    /// Nothing is reduced.
    const NONE: Why = Why {
        base: Depth::ZERO,
        pv: Depth::ZERO,
        was_pv: Depth::ZERO,
        cut: Depth::ZERO,
        worsening: Depth::ZERO,
        noisy_table_move: Depth::ZERO,
        check: Depth::ZERO,
        evasion: Depth::ZERO,
        refuter: Depth::ZERO,
        cutoffs: Depth::ZERO,
        raised: Depth::ZERO,
        uncertain: Depth::ZERO,
        history: Depth::ZERO,
        stands_out: Depth::ZERO,
        missing: Depth::ZERO,
        fallen_pv: Depth::ZERO,
        root: Depth::ZERO,
        own: Depth::ZERO,
        granted: Depth::ZERO,
        corrected: Score::ZERO,
    };

    /// The sum of the terms is granted, but no more than `most` and no less than nothing.
    #[inline(always)]
    fn limited(self, most: Depth) -> Why {
        let sum = self.base
            + self.pv
            + self.was_pv
            + self.cut
            + self.worsening
            + self.noisy_table_move
            + self.check
            + self.evasion
            + self.refuter
            + self.cutoffs
            + self.raised
            + self.uncertain
            + self.history
            + self.stands_out
            + self.missing
            + self.fallen_pv
            + self.root
            + self.own;
        Why { granted: sum.clamp(Depth::ZERO, most.max(Depth::ZERO)), ..self }
    }
}

/// The iteration up to which moves at the root and of its side are reduced by the same.
const ITERATION: Depth = Depth::plies(8);

/// Plies beyond it that count at most.
const BEYOND_MAX: Depth = Depth::plies(16);

/// Men at the beginning of a game.
const MEN: i32 = 32;
const CENTIPAWNS: i32 = 100;
/// How far a table move must stand out before the others are reduced more (pawns/100), and the most that this adds (1/1024 ply).
pub(crate) const STANDS_OUT: i32 = 185;
pub(crate) const STANDS_OUT_MAX: i32 = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integer_logarithm_is_the_logarithm() {
        for n in 1..400u32 {
            let exact = f64::from(n).ln() * 1024.0;
            assert!((log(n) as f64 - exact).abs() < 2.0, "{n}: {} {exact}", log(n));
        }
    }

    #[test]
    fn later_and_deeper_moves_are_reduced_more_and_captures_less() {
        let r = Reductions::new(&Params::DEFAULT);
        assert!(r.base(true, 8, 20) > r.base(true, 8, 4));
        assert!(r.base(true, 16, 10) > r.base(true, 6, 10));
        assert!(r.base(false, 8, 20) < r.base(true, 8, 20));
        assert_eq!(r.base(true, 500, 500), r.base(true, 63, 63));
        assert_eq!(Reductions::new(&Params { on: false, ..Params::DEFAULT }).base(true, 9, 9), Depth::ZERO);
    }
}
