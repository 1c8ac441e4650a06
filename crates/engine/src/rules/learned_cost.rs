//! Learned cost: late moves are reduced by the chance that they matter.

use super::Description;
use crate::coefficients::{Coefficient, CoefficientModel, Group};
use crate::node::{Candidate, Node, NodeType, Stage};
use crate::position::is_quiet;
use crate::score::{Depth, Score};
use crate::see;
use crate::whole;
use crate::words::plies;

pub(crate) const RULE: Description = Description {
    name: "learned cost",
    about: "Learned cost: late moves are reduced by the probability that they matter.",
    idea: "A late move matters if it beats alpha. The probability is estimated before the move is made, by a \
        logistic model fitted to searches of this engine (`quarterply learn cost` audits a sample of late moves \
        by a full search). Unlikely moves are searched with less depth: each bit, a halving of the probability, \
        costs a fraction of a ply.",
    risk: "The probability is an average over similar positions. Unlikely moves that win have the same features \
        as unlikely moves that lose.",
    reads: "window, move order, history, table, expected node type, static evaluation.",
    papers: "`tsuruoka2002` for costs as logarithms of chances, `lim-lee2006-rankcut` for the chance that a \
        late move is better.",
};

crate::params! {
    /// reduce late moves by the probability that they matter instead of by `late_move_reduction`
    on = false;
    /// least depth (plies)
    depth_min = 2 in 1..=8 by 1;
    /// first move that may be reduced; at the root the move after it (move number)
    number_min = 2 in 2..=12 by 1;
    /// reduction of a move that matters with certainty (1/1024 ply)
    base = -478 in -4096..=2048 by 64;
    /// reduction for each bit, that is each halving of the probability (1/1024 ply)
    per_bit = 0 in 0..=1024 by 16;
    /// increase of `per_bit` for each doubling of the depth (1/1024 ply)
    per_bit_deeper = 211 in -256..=512 by 8;
    /// least depth that remains (1/1024 ply)
    floor = 1024 in 0..=3072 by 128;
}

/// The model: features, which are fixed-point numbers, 1024 for one, and a weight for each, which is in a file of coefficients.
macro_rules! model {
    ($(#[doc = $doc:literal] $name:ident: |$n:pat_param, $c:pat_param| $feature:expr;)*) => {
        /// The weights of the features, in their order.
        pub const WEIGHTS: Group = Group {
            name: "weights",
            min: -16_384,
            max: 16_384,
            coefficients: &[$(Coefficient { name: stringify!($name), doc: $doc },)*],
        };

        /// The features of a move before it is made; 1024 means 1.
        pub fn features(n: &Node<'_>, c: &Candidate) -> Features {
            [$({
                let ($n, $c) = (n, c);
                $feature
            },)*]
        }
    };
}

model! {
    /// intercept: log odds of move number 1 at depth 1 without other features (1/1024 bit)
    bias: |_, _| ONE;
    /// weight of each doubling of the move number (1/1024 bit)
    number: |_, c| log2(c.number);
    /// weight of each doubling of the depth (1/1024 bit)
    depth: |n, _| log2(n.plies());
    /// weight of the product of the numbers of doublings of move number and depth (1/1024 bit)
    number_depth: |n, c| log2(c.number) * log2(n.plies()) / ONE;
    /// weight of 16384 counts of history, of a quiet move (1/1024 bit)
    history: |_, c| if c.quiet { history(c.history) } else { 0 };
    /// weight of 16384 counts of history, of a capture (1/1024 bit)
    noisy_history: |_, c| if c.quiet { 0 } else { history(c.history) };
    /// weight of being a capture or a queen promotion (1/1024 bit)
    noisy: |_, c| flag(!c.quiet);
    /// weight of the value of the captured piece, for each ten pawns (1/1024 bit)
    captured: |_, c| if c.quiet { 0 } else { see::gain(c.mv) * ONE / CAPTURED_UNIT };
    /// weight of losing material by static exchange (1/1024 bit)
    losing: |n, c| flag(!c.see_ge(n, Score::ZERO));
    /// weight of being a killer or the countermove (1/1024 bit)
    killer_or_counter: |_, c| flag(c.killer_or_counter);
    /// weight of giving check (1/1024 bit)
    check: |_, c| flag(c.gives_check);
    /// weight of being in check (1/1024 bit)
    evasion: |n, _| flag(n.in_check);
    /// weight of the static evaluation lying below alpha, for each 256 pawns/100 (1/1024 bit)
    behind: |n, _| if n.in_check { 0 } else { gap(n.window.alpha - n.static_eval) };
    /// weight of the best value so far lying below alpha, for each 256 pawns/100 (1/1024 bit)
    short: |n, _| gap(n.window.alpha - n.best);
    /// weight of there being a table move (1/1024 bit)
    table_move: |n, _| flag(n.table_move.is_some());
    /// weight of the table move being a capture (1/1024 bit)
    noisy_table_move: |n, _| flag(n.table_move.is_some_and(|mv| !is_quiet(mv)));
    /// weight of the table's value lying above alpha, for each 256 pawns/100 (1/1024 bit)
    table_margin: |n, _| n.entry.map_or(0, |entry| gap(entry.score - n.window.alpha));
    /// weight of the correction of the evaluation, for each 256 pawns/100 (1/1024 bit)
    uncertain: |n, _| gap(n.uncertainty);
    /// weight of the evaluation being better than two plies ago (1/1024 bit)
    improving: |n, _| flag(n.improving);
    /// weight of being on the principal variation (1/1024 bit)
    pv: |n, _| flag(n.is_pv());
    /// weight of a node that was on a principal variation (1/1024 bit)
    was_pv: |n, _| flag(n.was_pv);
    /// weight of an expected cut node (1/1024 bit)
    cut: |n, _| flag(n.kind == NodeType::Cut);
    /// weight of eight cutoffs in the next ply (1/1024 bit)
    cutoffs: |_, c| c.cutoffs_below.min(CUTOFFS_MAX) * ONE / CUTOFFS_MAX;
    /// weight of each time that alpha was raised at the node (1/1024 bit)
    raised: |n, _| n.raised.min(RAISED_MAX) * ONE;
}

/// The features of a move, or their weights (1/1024 bit).
pub type Features = [i32; WEIGHTS.coefficients.len()];

/// The weights as data.
pub const MODEL: CoefficientModel = CoefficientModel {
    rule: "learned_cost",
    option: "learned_cost.coefficients",
    groups: &[WEIGHTS],
    built_in: include_str!("../../coefficients/learned-cost.toml"),
};

/// The fixed-point one.
const ONE: i32 = 1024;
/// History that counts as one (counts), and the most that counts.
const HISTORY_UNIT: i32 = 16_384;
const HISTORY_MAX: i32 = 4 * HISTORY_UNIT;
/// Pawns/100 that count as one of what a move takes.
const CAPTURED_UNIT: i32 = 1000;
/// Pawns/100 that count as one of a difference of values, and the most that counts.
const GAP_UNIT: i32 = 256;
const GAP_MAX: i32 = 4 * GAP_UNIT;
const CUTOFFS_MAX: i32 = 8;
const RAISED_MAX: i32 = 4;

fn flag(holds: bool) -> i32 {
    if holds { ONE } else { 0 }
}

fn history(counts: i32) -> i32 {
    counts.clamp(-HISTORY_MAX, HISTORY_MAX) * (ONE / 64) / (HISTORY_UNIT / 64)
}

fn gap(difference: Score) -> i32 {
    difference.0.clamp(-GAP_MAX, GAP_MAX) * ONE / GAP_UNIT
}

/// Logarithms that are tabulated.
const LOGS: usize = 64;
const LOG_TABLE: [i32; LOGS] = {
    let mut table = [0; LOGS];
    let mut n = 1;
    while n < LOGS {
        table[n] = log2_of(n as u64);
        n += 1;
    }
    table
};

/// The logarithm to base 2 of a small number, 1024 for one; that of less than one is none.
fn log2(n: i32) -> i32 {
    LOG_TABLE[(n.max(1) as usize).min(LOGS - 1)]
}

/// The logarithm to base 2 in 1/1024.
const fn log2_of(n: u64) -> i32 {
    whole::log2(n, 24, 10) as i32
}

/// Odds are limited to 2 to the power of this.
const ODDS_MAX: i32 = 16;
/// `log2(1 + 2^x)` in 1/1024 for whole `x` from -[`ODDS_MAX`] on.
const SURPRISES: [i32; 2 * ODDS_MAX as usize + 2] = {
    let mut table = [0; 2 * ODDS_MAX as usize + 2];
    let mut index = 0;
    while index < table.len() {
        let x = index as i32 - ODDS_MAX;
        let size = x.unsigned_abs();
        // 1 + 2^-s is (2^s + 1) / 2^s.
        table[index] = log2_of((1 << size) + 1) - if x < 0 { size as i32 * ONE } else { 0 };
        index += 1;
    }
    table
};

/// Converts the log2 of odds to -log2 of the probability (both in 1/1024 bit): each bit halves the probability.
pub fn bits(odds: i32) -> i32 {
    let x = (-odds).clamp(-ODDS_MAX * ONE, ODDS_MAX * ONE);
    let (whole, part) = (x.div_euclid(ONE), x.rem_euclid(ONE));
    let at = |whole: i32| SURPRISES[(whole + ODDS_MAX) as usize];
    at(whole) + (at(whole + 1) - at(whole)) * part / ONE
}

/// The logarithm to base 2 of the odds that a move matters (1/1024 bit).
pub fn odds(weights: &Features, features: &Features) -> i32 {
    let sum: i64 = weights.iter().zip(features).map(|(w, f)| i64::from(*w) * i64::from(*f)).sum();
    (sum / i64::from(ONE)).clamp((-ODDS_MAX * ONE).into(), (ODDS_MAX * ONE).into()) as i32
}

const PERCENT: f64 = 100.0;

crate::reason! {
    bits: Depth,
    requested: Depth,
    granted: Depth,
    "it matters with probability {:.1} %: {} bits, reduced by {}{}",
    PERCENT * (-f64::from(bits.0) / f64::from(ONE)).exp2(), plies(bits), plies(granted),
    if requested == granted { String::new() } else { format!(", limited from {}", plies(requested)) }
}

/// Returns true if this move may be reduced.
pub fn applies(p: &Params, n: &Node<'_>, c: &Candidate) -> bool {
    c.number >= p.number_min + i32::from(n.ply.is_root()) && n.plies() >= p.depth_min && c.stage != Stage::Table
}

/// The amount to add to the cost of a move in its first search: never negative, and some depth is always left.
#[inline]
pub fn cost(p: &Params, weights: &Features, n: &Node<'_>, c: &Candidate) -> Depth {
    reason(p, weights, n, c).granted
}

/// The chance that a move matters, and what follows from it.
pub(crate) fn reason(p: &Params, weights: &Features, n: &Node<'_>, c: &Candidate) -> Reason {
    if !p.on || !applies(p, n, c) {
        return Reason { bits: Depth::ZERO, requested: Depth::ZERO, granted: Depth::ZERO };
    }
    let bits = bits(odds(weights, &features(n, c)));
    let requested = reduction(p, bits, n.plies());
    Reason { bits: Depth(bits), requested, granted: limited(p, requested, n.depth) }
}

/// The reduction of a move whose probability of mattering is this number of bits below certainty.
pub fn reduction(p: &Params, bits: i32, plies: i32) -> Depth {
    let rate = p.per_bit + p.per_bit_deeper * log2(plies) / ONE;
    Depth(p.base + bits * rate / ONE)
}

/// The part of a reduction that is granted at this depth.
pub fn limited(p: &Params, requested: Depth, depth: Depth) -> Depth {
    let most = depth - Depth::ONE_PLY - Depth(p.floor);
    requested.clamp(Depth::ZERO, most.max(Depth::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integer_logarithm_is_the_logarithm() {
        for n in 1..LOGS {
            let exact = (n as f64).log2() * f64::from(ONE);
            assert!((f64::from(log2(n as i32)) - exact).abs() < 2.0, "{n}: {} {exact}", log2(n as i32));
        }
        assert_eq!((log2(0), log2(-3), log2(1000)), (0, 0, log2(LOGS as i32 - 1)));
    }

    #[test]
    fn bits_are_the_logarithm_of_the_chance() {
        for odds in (-14 * ONE..14 * ONE).step_by(100) {
            let chance = 1.0 / (1.0 + (-f64::from(odds) / f64::from(ONE)).exp2());
            let exact = -chance.log2() * f64::from(ONE);
            assert!((f64::from(bits(odds)) - exact).abs() < 30.0, "{odds}: {} {exact}", bits(odds));
            assert!(bits(odds) >= bits(odds + 100), "{odds}: better odds are fewer bits");
        }
        assert_eq!(bits(0), ONE, "even odds are one bit");
        assert_eq!((bits(i32::MIN + 1), bits(i32::MAX)), (bits(-ODDS_MAX * ONE), bits(ODDS_MAX * ONE)));
    }

    #[test]
    fn each_weight_counts_its_feature() {
        let nothing: Features = [0; WEIGHTS.coefficients.len()];
        assert_eq!(odds(&nothing, &nothing.map(|_| ONE)), 0);
        for (index, coefficient) in WEIGHTS.coefficients.iter().enumerate() {
            let (mut weights, mut features) = (nothing, nothing);
            (weights[index], features[index]) = (300, 2 * ONE);
            assert_eq!(odds(&weights, &features), 600, "{}", coefficient.name);
        }
    }

    #[test]
    fn rarer_moves_are_reduced_more_within_limits() {
        let p = Params { base: -512, per_bit: 256, per_bit_deeper: 64, floor: 1024, ..Params::DEFAULT };
        assert_eq!(reduction(&p, 4 * ONE, 1), Depth(-512 + 4 * 256));
        assert_eq!(reduction(&p, 4 * ONE, 4), Depth(-512 + 4 * (256 + 2 * 64)));
        assert!(reduction(&p, 5 * ONE, 4) > reduction(&p, 4 * ONE, 4));
        assert_eq!(limited(&p, Depth(-9), Depth::plies(8)), Depth::ZERO);
        assert_eq!(limited(&p, Depth::plies(9), Depth::plies(8)), Depth::plies(6));
        assert_eq!(limited(&p, Depth::plies(9), Depth::plies(1)), Depth::ZERO, "there is nothing to take");
    }
}
