//! Many rows of pairs of games, each measured to the same width: Stein's two-stage procedure (`stein1945`).
//!
//! Every row gets a first stage of the same size. Its variance alone, with Student's t of its degrees of freedom, determines how many pairs
//! a row needs for an interval of the requested width. The interval then uses the mean of all pairs and, again, the variance of the first stage.
//! Neither the size nor the width follows from a mean, so looking at the results between the stages needs no further correction.
//!
//! A first stage in which nearly all pairs ended alike is a poor estimate of how often they do not. Two pairs that were won and two that were
//! lost, each half a point per game away from the mean, are therefore added to the variance (`agresti-coull1998`), not to the mean.
//!
//! Widths are those at an even score. The same width in points per game is a wider interval of Elo far from it: 16 Elo at an even score are
//! 19 at -150.

use crate::pentanomial::Pentanomial;
use crate::{CONFIDENCE, ELO_PER_TENFOLD, Estimate, elo_of_score, score_of_elo};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pairs that are added to the variance, and the squared distance of each from the mean (points per game).
const ADDED: f64 = 4.0;
const ADDED_SQUARE: f64 = 0.25;
/// Half points of a pair.
const HALF_POINTS: f64 = 4.0;
/// The score of equal players.
const EVEN: f64 = 0.5;

/// The variance of a row, estimated from its first stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstStage {
    /// Pairs of the stage.
    pub pairs: u64,
    /// Standard deviation of the score per game of one pair.
    pub deviation: f64,
    /// Quantile of Student's distribution for a two-sided interval.
    quantile: f64,
}

impl FirstStage {
    /// From the pairs of the stage; `None` with fewer than two.
    pub fn new(first: Pentanomial) -> Option<FirstStage> {
        let pairs = first.pairs();
        let student = student(pairs)?;
        let mean = first.score();
        let squares = first.counts.iter().zip(0u32..);
        let squares: f64 =
            squares.map(|(count, half)| *count as f64 * (f64::from(half) / HALF_POINTS - mean).powi(2)).sum();
        let deviation = (regular(squares + ADDED * ADDED_SQUARE, pairs)).sqrt();
        Some(FirstStage { pairs, deviation, quantile: student.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)) })
    }

    /// Half the width of the interval of the score after `pairs` pairs.
    pub fn half_width(&self, pairs: u64) -> f64 {
        self.quantile * self.deviation / (pairs as f64).sqrt()
    }

    /// Pairs after which the interval of the score has at most this half width; at least those of the stage.
    pub fn pairs_for(&self, half_width: f64) -> u64 {
        let needed = (self.quantile * self.deviation / half_width).powi(2).ceil();
        self.pairs.max(needed as u64)
    }

    /// The Elo difference after all pairs of the row, those of the stage among them.
    pub fn elo(&self, all: Pentanomial) -> Estimate {
        let (score, reach) = (all.score(), self.half_width(all.pairs()));
        Estimate { value: elo_of_score(score), low: elo_of_score(score - reach), high: elo_of_score(score + reach) }
    }

    /// The two-sided p-value of the row's score, all pairs counted, if the players are equally strong.
    pub fn p_value(&self, all: Pentanomial) -> f64 {
        let distance = (all.score() - EVEN).abs() * (all.pairs() as f64).sqrt() / self.deviation;
        student(self.pairs).map_or(1.0, |student| 2.0 * student.cdf(-distance))
    }
}

/// The variance from a sum of squares that includes the added pairs, or a covariance.
fn regular(squares: f64, pairs: u64) -> f64 {
    squares / (pairs as f64 - 1.0 + ADDED)
}

/// Student's distribution for the variance of this many pairs.
fn student(pairs: u64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, pairs.checked_sub(1)? as f64).ok()
}

/// Half the width of an interval of the score that is `width` Elo wide at an even score.
pub fn half_width_of_elo(width: f64) -> f64 {
    score_of_elo(width / 2.0) - EVEN
}

/// Pairs of each row, those of its first stage included, for an interval of the score of the half width that is given with it. If `budget`
/// pairs do not suffice, the row that is widest compared with its request gets the next pair, the first of equals; a larger budget then only
/// adds pairs, and so does a smaller width of all rows.
pub fn sizes(rows: &[(FirstStage, f64)], budget: Option<u64>) -> Vec<u64> {
    let required: Vec<u64> = rows.iter().map(|(row, half_width)| row.pairs_for(*half_width)).collect();
    let total = required.iter().fold(0u64, |sum, pairs| sum.saturating_add(*pairs));
    let Some(budget) = budget.filter(|budget| *budget < total) else { return required };
    let mut sizes: Vec<u64> = rows.iter().map(|(row, _)| row.pairs).collect();
    // The bits of positive numbers have their order.
    let entry = |at: usize, pairs: u64| ((rows[at].0.half_width(pairs) / rows[at].1).to_bits(), Reverse(at));
    let mut widest: BinaryHeap<_> = sizes.iter().enumerate().map(|(at, pairs)| entry(at, *pairs)).collect();
    let mut left = budget.saturating_sub(sizes.iter().sum());
    while left > 0 {
        let Some((_, Reverse(at))) = widest.pop() else { break };
        if sizes[at] < required[at] {
            sizes[at] += 1;
            left -= 1;
            widest.push(entry(at, sizes[at]));
        }
    }
    sizes
}

/// Elo of the row `a` minus Elo of the row `b`, each given by the half points of its pairs (0 to 4). Pair `i` of both rows was played from
/// the same opening: the covariance of the scores of the first `first` pairs makes the interval narrower if openings that are good for one
/// row are good for the other. Ends are infinite if a row won or lost everything, or has fewer than two pairs.
pub fn difference(a: &[u8], b: &[u8], first: usize) -> Estimate {
    let first = first.min(a.len()).min(b.len());
    let (of_a, of_b) = (counted(a), counted(b));
    let stages = FirstStage::new(counted(&a[..first])).zip(FirstStage::new(counted(&b[..first])));
    let slopes = slope(of_a.score()).zip(slope(of_b.score()));
    let value = elo_of_score(of_a.score()) - elo_of_score(of_b.score());
    let Some(((stage_a, stage_b), (slope_a, slope_b))) = stages.zip(slopes) else {
        return Estimate { value: if value.is_finite() { value } else { 0.0 }, ..Estimate::UNKNOWN };
    };
    let own = |stage: FirstStage, slope: f64, row: &[u8]| (slope * stage.deviation).powi(2) / row.len() as f64;
    let shared = slope_a * slope_b * covariance(&a[..first], &b[..first]) / a.len().max(b.len()) as f64;
    let variance = own(stage_a, slope_a, a) + own(stage_b, slope_b, b) - 2.0 * shared;
    let reach = stage_a.quantile * variance.max(0.0).sqrt();
    Estimate { value, low: value - reach, high: value + reach }
}

/// Counts the pairs with each result, given by their half points.
pub fn counted(half_points: &[u8]) -> Pentanomial {
    let mut pairs = Pentanomial::default();
    half_points.iter().for_each(|half| pairs.add(usize::from(*half)));
    pairs
}

/// Elo for a point per game at this score; `None` where it is infinite.
fn slope(score: f64) -> Option<f64> {
    let spread = score * (1.0 - score);
    (spread > 0.0).then(|| ELO_PER_TENFOLD / std::f64::consts::LN_10 / spread)
}

/// The covariance of the scores per game of pairs with the same openings.
fn covariance(a: &[u8], b: &[u8]) -> f64 {
    let mean = |row: &[u8]| row.iter().map(|half| f64::from(*half)).sum::<f64>() / row.len() as f64;
    let (of_a, of_b) = (mean(a), mean(b));
    let products: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - of_a) * (f64::from(*b) - of_b)).sum();
    regular(products / HALF_POINTS.powi(2), a.len() as u64)
}

/// Which of these p-values are significant when all are considered together: with the probability [`CONFIDENCE`] none of those marked is
/// due to chance (`holm1979`).
pub fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut marked = vec![false; p_values.len()];
    for (rank, at) in order.iter().enumerate() {
        if p_values[*at] > (1.0 - CONFIDENCE) / (p_values.len() - rank) as f64 {
            break;
        }
        marked[*at] = true;
    }
    marked
}

#[cfg(test)]
mod tests;
