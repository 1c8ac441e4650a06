//! Late-move reductions.

use super::Description;
use crate::node::{Candidate, Node, NodeType, Stage};
use crate::position::is_quiet;
use crate::score::{Depth, Score};
use crate::whole::log;
use crate::words::{pawns, signed_plies};
use std::fmt;

pub(crate) const RULE: Description = Description {
    name: "late move reduction",
    about: "Late-move reductions: late moves are first searched less deeply.",
    idea: "Late moves are first searched with less depth. The reduction depends on the logarithms of depth and \
        move number, in fractions of a ply, and is adjusted by node type, history and other facts about the move. \
        If a reduced search beats alpha, the move is searched again.",
    risk: "Quiet moves whose effect is deeper than the reduced search.",
    reads: "move order, history, table, expected node type, static evaluation, whose turn it is at the root.",
    papers: "`romstad-lmr`, current practice; the gap form of `levy1989` is its ancestor.",
};

/// The terms that have no parameter alone, and what they mean.
const BASE: (&str, &str) = ("base", "reduced by depth and move number");
const LIMIT: (&str, &str) = ("limit", "limited: a reduction is at least 0, and some depth always remains");

/// Declares the terms of a reduction: each with its label in the reason, its amount, and its parameters. `with` names a number of the
/// reason that is shown behind the term; `means` replaces the meaning that the first parameter has.
macro_rules! terms {
    (
        |$p:ident, $n:ident, $c:ident|
        parameters { $($parameters:tt)* }
        $($term:ident $label:literal $(means $meaning:literal)? = $amount:expr, $(with $note:ident $note_text:literal)? { $($own:tt)* })*
    ) => {
        crate::params! { $($parameters)* $($($own)*)* }

        crate::reason! {
            @terms terms
            base: Depth,
            $($term $label: Depth,)*
            granted: Depth,
            corrected "corrected by": Score,
        }

        /// The meanings of the terms, by label: each has the name of the parameter that it depends on, or the beginning of that name.
        fn terms() -> Vec<(&'static str, String)> {
            let of = |term: &str| {
                let spec = Params::SPECS.iter().find(|spec| spec.name.starts_with(term));
                let doc = spec.map_or("", |spec| spec.doc.trim());
                format!("reduced {}", doc.split_once(" (").map_or(doc, |(meaning, _)| meaning))
            };
            let own = [$(($label, None$(.or(Some($meaning.to_owned())))?.unwrap_or_else(|| of(stringify!($term)))),)*];
            let [base, limit] = [BASE, LIMIT].map(|(label, meaning)| (label, meaning.to_owned()));
            [base].into_iter().chain(own).chain([limit]).collect()
        }

        impl Reason {
            /// Nothing is reduced.
            const NONE: Reason =
                Reason { base: Depth::ZERO, $($term: Depth::ZERO,)* granted: Depth::ZERO, corrected: Score::ZERO };

            /// The terms; nothing is granted yet.
            #[inline(always)]
            fn of($p: &Params, $n: &Node<'_>, $c: &Candidate) -> Reason {
                Reason { base: $c.usual_reduction, $($term: $amount,)* granted: Depth::ZERO, corrected: $n.uncertainty }
            }

            /// The sum of the terms.
            #[inline(always)]
            fn sum(&self) -> Depth {
                self.base $(+ self.$term)*
            }

            /// The terms with their labels and the notes behind them.
            fn labelled(&self) -> impl Iterator<Item = (&'static str, Depth, Option<(&'static str, Score)>)> {
                [$(($label, self.$term, None$(.or(Some(($note_text, self.$note))))?),)*].into_iter()
            }
        }
    };
}

terms! {
    |p, n, c|
    parameters {
        /// search late moves with less depth first
        on = true;
        /// least depth (plies)
        depth_min = 2 in 1..=8 by 1;
        /// first move that may be reduced; at the root the move after it (move number)
        number_min = 2 in 2..=12 by 1;
        /// constant part of the reduction of quiet moves (1/1024 ply)
        quiet_base = 512 in 0..=3072 by 32, neutral 896;
        /// product of the natural logarithms of depth and move number that adds a ply for quiet moves (1/1024)
        quiet_divisor = 2112 in 1024..=6144 by 64, neutral 2400;
        /// constant part of the reduction of captures (1/1024 ply)
        noisy_base = 128 in -1024..=2048 by 32, neutral 0;
        /// product of the natural logarithms of depth and move number that adds a ply for captures (1/1024)
        noisy_divisor = 4096 in 1024..=8192 by 64, neutral 3400;
        /// least depth that remains (1/1024 ply)
        floor = 1152 in 0..=3072 by 128, neutral 1024;
    }
    pv "pv" = when(n.is_pv(), -p.pv), {
        /// less on the principal variation (1/1024 ply)
        pv = 1536 in 0..=3072 by 64, neutral 1024;
    }
    was_pv "was pv" = when(n.was_pv && !n.is_pv(), -p.was_pv), {
        /// less at nodes that were on a principal variation (1/1024 ply)
        was_pv = 448 in 0..=3072 by 64, neutral 512;
    }
    cut "cut node" = when(n.kind == NodeType::Cut, p.cut), {
        /// more at expected cut nodes (1/1024 ply)
        cut = 896 in 0..=3072 by 64, neutral 1280;
    }
    worsening "worsening" = when(!n.improving, p.worsening), {
        /// more when the evaluation does not improve (1/1024 ply)
        worsening = 384 in 0..=2048 by 64, neutral 512;
    }
    noisy_table_move "noisy table move" = when(n.table_move.is_some_and(|mv| !is_quiet(mv)), p.noisy_table_move), {
        /// more when the table move is a capture (1/1024 ply)
        noisy_table_move = 1088 in 0..=2048 by 64, neutral 768;
    }
    check "check" = when(c.gives_check, -p.check), {
        /// less for moves that give check (1/1024 ply)
        check = 1536 in 0..=3072 by 64, neutral 1024;
    }
    evasion "evasion" = when(n.in_check, -p.evasion), {
        /// less in check (1/1024 ply)
        evasion = 0 in 0..=3072 by 64, neutral 512;
    }
    killer_or_counter "killer or countermove" = when(c.killer_or_counter, -p.killer_or_counter), {
        /// less for killers and countermoves (1/1024 ply)
        killer_or_counter = 512 in 0..=3072 by 64, neutral 1024;
    }
    cutoffs "cutoffs" = when(c.cutoffs_below >= p.cutoffs_min, p.cutoffs), {
        /// more when the next ply has seen many cutoffs (1/1024 ply)
        cutoffs = 1344 in 0..=2048 by 64, neutral 768;
        /// least number of cutoffs at the next ply for `cutoffs` (cutoffs)
        cutoffs_min = 3 in 1..=16 by 1;
    }
    raised "raised" = Depth(p.raised * n.raised), {
        /// more for each time alpha was raised at the node (1/1024 ply)
        raised = 384 in 0..=2048 by 64, neutral 512;
    }
    uncertain "uncertain" = -Depth(p.uncertain * n.uncertainty.0 / CENTIPAWNS), with corrected "evaluation corrected by" {
        /// less for each pawn of correction of the evaluation (1/1024 ply)
        uncertain = 960 in 0..=4096 by 64, neutral 512;
    }
    history "history" means "reduced less if the move was good elsewhere, more if it was bad" = -Depth(c.history * Depth::ONE_PLY.0 / p.history_unit(c)), {
        /// history that lowers the reduction of a quiet move by one ply; negative history raises it (history counts)
        history_divisor = 19456 in 2048..=65536 by 512, neutral 16384;
        /// capture history that lowers the reduction of a capture by one ply; negative history raises it (history
        /// counts)
        noisy_history_divisor = 17920 in 2048..=65536 by 512, neutral 12288;
    }
    table_move_gap "table move gap" = by_gap(p, n), {
        /// more for each pawn of the table move's lead over the other moves beyond 1.85 pawns (1/1024 ply)
        table_move_gap = 0 in 0..=1024 by 32;
    }
    missing "men missing" = Depth(p.missing * (MEN - n.position.board().occupied().count() as i32)), {
        /// more for each man missing from the board (1/1024 ply; less if negative)
        missing = -16 in -64..=64 by 4, neutral 0;
    }
    failed_low_pv "failed-low pv" = when(n.was_pv && table_fails_low(n), p.failed_low_pv), {
        /// more at nodes that were on a principal variation if the table's value is at most alpha (1/1024 ply)
        failed_low_pv = 64 in 0..=2048 by 64, neutral 0;
    }
    root "at the root" = when(n.ply.is_root(), -by_iteration(n, p.root, p.root_slope)), {
        /// less at the root (1/1024 ply)
        root = 1216 in 0..=3072 by 64, neutral 0;
        /// additionally less at the root for each ply of the iteration from the 9th to the 24th (1/1024 ply)
        root_slope = 288 in 0..=512 by 16, neutral 0;
    }
    own "own" = when(n.ply.is_even(), -by_iteration(n, p.own, p.own_slope)), {
        /// less for moves of the side to move at the root (1/1024 ply)
        own = 320 in 0..=2048 by 64, neutral 0;
        /// additionally less for those moves for each ply of the iteration from the 9th to the 24th (1/1024 ply)
        own_slope = 16 in 0..=256 by 8, neutral 0;
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "base {}", signed_plies(-self.base))?;
        for (label, term, note) in self.labelled().filter(|(_, term, _)| *term != Depth::ZERO) {
            write!(f, ", {label} {}", signed_plies(-term))?;
            if let Some((text, score)) = note {
                write!(f, " ({text} {})", pawns(score))?;
            }
        }
        if self.sum() != self.granted {
            write!(f, ", limited from {} to {}", signed_plies(-self.sum()), signed_plies(-self.granted))?;
        }
        Ok(())
    }
}

impl Params {
    /// The history that changes the reduction of the move by one ply (counts).
    #[inline(always)]
    fn history_unit(&self, c: &Candidate) -> i32 {
        if c.quiet { self.history_divisor } else { self.noisy_history_divisor }
    }
}

/// The amount, if something holds.
#[inline(always)]
fn when(holds: bool, amount: i32) -> Depth {
    Depth(if holds { amount } else { 0 })
}

/// Returns true if the table's value is at most alpha.
#[inline(always)]
fn table_fails_low(n: &Node<'_>) -> bool {
    n.entry.is_some_and(|e| e.bound.is_upper() && e.score <= n.window.alpha)
}

const MOVES: usize = 64;
const DEPTHS: usize = 64;

/// Reductions by depth and move number: recomputed when the parameters change.
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

/// The amount to add to the cost of a move in its first search: never negative, and some depth is always left.
#[inline]
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    reason(p, n, c).granted
}

/// The terms of a reduction, and what is granted.
#[inline(always)]
pub(crate) fn reason(p: &Params, n: &Node<'_>, c: &Candidate) -> Reason {
    if !p.on
        || c.number < p.number_min + i32::from(n.ply.is_root())
        || n.plies() < p.depth_min
        || c.stage == Stage::Table
    {
        return Reason::NONE;
    }
    let reason = Reason::of(p, n, c);
    let most = n.depth - Depth::ONE_PLY - Depth(p.floor);
    Reason { granted: reason.sum().clamp(Depth::ZERO, most.max(Depth::ZERO)), ..reason }
}

/// `base` plus `slope` for each ply of the iteration beyond the eighth.
#[inline(always)]
fn by_iteration(n: &Node<'_>, base: i32, slope: i32) -> i32 {
    if slope == 0 {
        return base;
    }
    let beyond = (n.root_depth - ITERATION).0.clamp(0, BEYOND_MAX.0);
    base + slope * beyond / Depth::ONE_PLY.0
}

/// More for later moves, the larger the gap between the table move and them.
#[inline(always)]
fn by_gap(p: &Params, n: &Node<'_>) -> Depth {
    let gap = (n.table_move_gap.0 - TABLE_MOVE_GAP_MIN).max(0);
    Depth((p.table_move_gap * gap / CENTIPAWNS).min(TABLE_MOVE_GAP_TERM_MAX))
}

/// The iteration up to which moves at the root and of its side are reduced by the same.
const ITERATION: Depth = Depth::plies(8);

/// Plies beyond it that count at most.
const BEYOND_MAX: Depth = Depth::plies(16);

/// Men at the beginning of a game.
const MEN: i32 = 32;
const CENTIPAWNS: i32 = 100;
/// The gap between the table move and the others above which these are reduced more (pawns/100), and the greatest increase (1/1024 ply).
pub(crate) const TABLE_MOVE_GAP_MIN: i32 = 185;
pub(crate) const TABLE_MOVE_GAP_TERM_MAX: i32 = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_has_its_meaning() {
        let terms = terms();
        assert!(terms.iter().all(|(_, meaning)| !meaning.is_empty() && !meaning.contains("1/1024")), "{terms:?}");
        assert!(terms.contains(&("cut node", "reduced more at expected cut nodes".to_owned())), "{terms:?}");
        assert!(terms.contains(&("check", "reduced less for moves that give check".to_owned())), "{terms:?}");
    }

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
        let p =
            Params { quiet_base: 896, quiet_divisor: 2400, noisy_base: -512, noisy_divisor: 3400, ..Params::DEFAULT };
        let exact = Reductions::new(&p);
        for (quiet, plies, number, amount) in
            [(true, 1, 9, 896), (true, 8, 20, 3617), (true, 20, 8, 3617), (false, 8, 20, 1409), (false, 2, 2, 0)]
        {
            let found = exact.base(quiet, plies, number).0;
            assert!((found - amount).abs() <= 2, "{quiet} {plies} {number}: {found}, not {amount}");
        }
        assert_eq!(r.base(true, 500, 500), r.base(true, 63, 63));
        assert_eq!(Reductions::new(&Params { on: false, ..Params::DEFAULT }).base(true, 9, 9), Depth::ZERO);
    }
}
