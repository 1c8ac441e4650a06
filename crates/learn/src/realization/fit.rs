//! The weights of the softmax: those under which the moves played are likeliest, with a little against large weights.
//!
//! The loss has one minimum. Newton's steps find it: slopes and curvature are exact, and a step that does not lower the loss is halved.
//! Positions are split into the same parts and added in the same order with any number of threads.

use super::data::{RealizationData, RealizationExample};
use nalgebra::{Cholesky, DMatrix, DVector};
use quarterply_engine::chance::BIT;
use quarterply_engine::rules::realization::{Feature, WEIGHTS};
use rayon::prelude::*;
use std::f64::consts::LN_2;

/// Number of weights.
pub const LEN: usize = Feature::ALL.len();

/// Steps at most.
pub const STEPS: usize = 40;
/// Default penalty of large weights: the loss in bits of a weight of one bit.
pub const PENALTY: f64 = 1.0;
/// A step that lowers the loss by less ends the fit (bits a position).
const ENOUGH: f64 = 1e-7;
/// The fit ends if a step that is halved this number of times does not lower the loss.
const HALVINGS: usize = 20;
/// Positions that one thread adds at a time.
const PART: usize = 512;

/// The weights after each step.
#[derive(Clone, Debug)]
pub struct RealizationFit {
    /// The weights in bits.
    pub weights: Vec<f64>,
    /// Their standard errors, as far as the data determine them.
    pub errors: Vec<f64>,
    /// The cross-entropy of what was learned from, before and after each step (bits a position).
    pub losses: Vec<f64>,
    /// True if it was interrupted.
    pub stopped: bool,
}

/// Loss, slopes and curvature, summed.
struct Sums {
    loss: f64,
    slope: DVector<f64>,
    curve: DMatrix<f64>,
}

impl Sums {
    fn none() -> Sums {
        Sums { loss: 0.0, slope: DVector::zeros(LEN), curve: DMatrix::zeros(LEN, LEN) }
    }
}

/// The chances of the moves of a position under these weights (bits).
pub fn chances(weights: &[f64], example: &RealizationExample<'_>) -> Vec<f64> {
    let sums: Vec<f64> = (0..example.moves())
        .map(|index| example.features(index).map(|(feature, value)| weights[feature] * value).sum())
        .collect();
    let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = sums.iter().map(|sum| (sum - most).exp2()).collect();
    let total: f64 = odds.iter().sum();
    odds.into_iter().map(|odds| odds / total).collect()
}

fn surprise(chance: f64) -> f64 {
    -chance.max(f64::MIN_POSITIVE).log2()
}

fn add(sums: &mut Sums, weights: &[f64], example: &RealizationExample<'_>) {
    let chances = chances(weights, example);
    sums.loss += surprise(chances[example.played()]);
    let mut mean = [0.0; LEN];
    for (index, chance) in chances.iter().enumerate() {
        for (feature, value) in example.features(index) {
            mean[feature] += chance * value;
            for (other, second) in example.features(index) {
                sums.curve[(feature, other)] += LN_2 * chance * value * second;
            }
        }
    }
    for (feature, value) in example.features(example.played()) {
        sums.slope[feature] -= value;
    }
    let touched: Vec<usize> = (0..LEN).filter(|&feature| mean[feature] != 0.0).collect();
    for &column in &touched {
        sums.slope[column] += mean[column];
        for &row in &touched {
            sums.curve[(row, column)] -= LN_2 * mean[row] * mean[column];
        }
    }
}

fn sums(weights: &[f64], data: &RealizationData) -> Sums {
    let entered = |mut sums: Sums, index| {
        add(&mut sums, weights, &data.example(index));
        sums
    };
    let parts: Vec<Sums> = (0..data.positions()).into_par_iter().fold_chunks(PART, Sums::none, entered).collect();
    parts.into_iter().fold(Sums::none(), |mut all, part| {
        all.loss += part.loss;
        all.slope += part.slope;
        all.curve += part.curve;
        all
    })
}

/// Cross-entropy of the moves played (bits a position).
pub fn loss(weights: &[f64], data: &RealizationData) -> f64 {
    let entered = |sum: f64, index| {
        let example = data.example(index);
        sum + surprise(chances(weights, &example)[example.played()])
    };
    let parts: Vec<f64> = (0..data.positions()).into_par_iter().fold_chunks(PART, || 0.0, entered).collect();
    parts.iter().sum::<f64>() / data.positions().max(1) as f64
}

/// Fits the weights of the `enabled` features; the others stay zero. `penalty` is as in [`PENALTY`]; `go_on` receives the loss after each step.
pub fn fit(
    data: &RealizationData,
    penalty: f64,
    enabled: &[bool; LEN],
    mut go_on: impl FnMut(usize, f64) -> bool,
) -> RealizationFit {
    let positions = data.positions().max(1) as f64;
    let penalty_of = |weights: &[f64]| penalty * weights.iter().map(|w| w * w).sum::<f64>();
    let mut fit = RealizationFit {
        weights: vec![0.0; LEN],
        errors: vec![f64::INFINITY; LEN],
        losses: Vec::new(),
        stopped: false,
    };
    let mut now = loss(&fit.weights, data) + penalty_of(&fit.weights) / positions;
    fit.losses.push(loss(&fit.weights, data));
    for step in 1..=STEPS {
        let Some((newton_step, errors)) = newton(&fit.weights, &sums(&fit.weights, data), penalty, enabled) else {
            break;
        };
        fit.errors = errors;
        let mut length = 1.0;
        let mut better = None;
        for _ in 0..HALVINGS {
            let tried: Vec<f64> = fit.weights.iter().zip(newton_step.iter()).map(|(w, d)| w - length * d).collect();
            let plain = loss(&tried, data);
            let value = plain + penalty_of(&tried) / positions;
            if value < now {
                better = Some((tried, plain, value));
                break;
            }
            length /= 2.0;
        }
        let Some((tried, plain, value)) = better else { break };
        let gain = now - value;
        (fit.weights, now) = (tried, value);
        fit.losses.push(plain);
        if !go_on(step, plain) {
            fit.stopped = true;
            break;
        }
        if gain < ENOUGH {
            break;
        }
    }
    fit
}

/// Newton's step and the standard errors of the weights.
fn newton(weights: &[f64], sums: &Sums, penalty: f64, enabled: &[bool; LEN]) -> Option<(DVector<f64>, Vec<f64>)> {
    let (mut slope, mut curve) = (sums.slope.clone(), sums.curve.clone());
    for place in 0..LEN {
        slope[place] += 2.0 * penalty * weights[place];
        curve[(place, place)] += 2.0 * penalty;
        if !enabled[place] {
            slope[place] = 0.0;
            curve.row_mut(place).fill(0.0);
            curve.column_mut(place).fill(0.0);
            curve[(place, place)] = 1.0;
        }
    }
    let factors = Cholesky::new(curve)?;
    let inverse = factors.inverse();
    // The loss is in bits and a likelihood in natural units: this is the factor.
    let error = |place: usize| if enabled[place] { (inverse[(place, place)] / LN_2).max(0.0).sqrt() } else { 0.0 };
    Some((factors.solve(&slope), (0..LEN).map(error).collect()))
}

/// The weights as the engine has them: whole numbers (1/1024 bit) within their range.
pub fn rounded(weights: &[f64]) -> Vec<i32> {
    weights.iter().map(|weight| ((weight * f64::from(BIT)).round() as i32).clamp(WEIGHTS.min, WEIGHTS.max)).collect()
}

/// Whole weights in bits again.
pub fn in_bits(weights: &[i32]) -> Vec<f64> {
    weights.iter().map(|&weight| f64::from(weight) / f64::from(BIT)).collect()
}
