//! Logistic regression, and the quality of its chances.
//!
//! Newton's method maximises the likelihood of the examples, with a weak prior that pulls weights towards zero. Losses are in bits for
//! each example.

use super::sample::{Examples, LateMoveExample};
use nalgebra::{DMatrix, DVector};
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::learned_cost::{Features, Params, WEIGHTS, bits, limited, odds, reduction};
use quarterply_engine::score::Depth;
use std::f64::consts::LN_2;

/// The fixed-point one of features, weights and bits.
const ONE: f64 = 1024.0;
/// The prior's precision for a weight of one: a few examples' worth.
const PRIOR: f64 = 1.0;
/// Newton's steps; it is done after far fewer.
const STEPS: usize = 50;
/// No weight moves by more than this in the last step.
const SETTLED: f64 = 1e-9;
/// Rows of the calibration table.
pub const BINS: usize = 10;
/// The weight of the formula's reduction (plies), next to those of the features.
const FORMULA: usize = 2;

/// A group of held-out examples with similar chances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChanceBin {
    /// Examples.
    pub count: u64,
    /// Those that mattered.
    pub mattered: u64,
    /// The mean of the chances that were predicted.
    pub predicted: f64,
    /// The mean reduction of the formula, in plies.
    pub formula: f64,
    /// The mean reduction of the learned cost, in plies.
    pub learned: f64,
}

/// The results of a fit.
#[derive(Clone, Debug)]
pub struct CostFit {
    /// The parameters of the rule, switched on: the line from bits to reductions.
    pub params: Params,
    /// The coefficients of the rule: `weights` as whole numbers (1/1024 bit) within their range.
    pub coefficients: Features,
    /// Weights in bits, in the order of the features.
    pub weights: Vec<f64>,
    /// Their standard errors.
    pub errors: Vec<f64>,
    /// Loss on held-out examples with the same chance for all.
    pub constant: f64,
    /// Loss of the chance that follows from the formula's reduction alone.
    pub formula: f64,
    /// Loss of the model with rounded weights, as the search computes it.
    pub learned: f64,
    /// The same on the training examples.
    pub train: f64,
    /// Held-out examples by their predicted chance.
    pub bins: Vec<ChanceBin>,
}

/// Fits the chance to the examples, and the reductions to those of the formula.
pub fn fit(examples: &Examples) -> CostFit {
    let Examples { train, held_out, .. } = examples;
    let rows = |e: &LateMoveExample| e.features.iter().map(|f| f64::from(*f) / ONE).collect::<Vec<_>>();
    let (natural, natural_errors) = regress(train, WEIGHTS.coefficients.len(), &rows);
    let by_formula = |e: &LateMoveExample| vec![1.0, plies(e.formula)];
    let (formula, _) = regress(train, FORMULA, &by_formula);
    let share = train.iter().filter(|e| e.mattered).count() as f64 / train.len().max(1) as f64;
    let coefficients = rounded(&natural);
    let params = fit_reductions(train, &coefficients);
    let in_bits = |values: &DVector<f64>| values.iter().map(|value| value / LN_2).collect::<Vec<_>>();
    CostFit {
        params,
        coefficients,
        weights: in_bits(&natural),
        errors: in_bits(&natural_errors),
        constant: mean(held_out, |e| surprise(share, e.mattered)),
        formula: mean(held_out, |e| surprise(logistic(dot(&formula, &by_formula(e))), e.mattered)),
        learned: mean(held_out, |e| loss(&coefficients, e)),
        train: mean(train, |e| loss(&coefficients, e)),
        bins: bins(&params, &coefficients, held_out),
    }
}

fn plies(depth: Depth) -> f64 {
    f64::from(depth.0) / f64::from(Depth::ONE_PLY.0)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn dot(weights: &DVector<f64>, row: &[f64]) -> f64 {
    weights.iter().zip(row).map(|(w, x)| w * x).sum()
}

fn mean(examples: &[LateMoveExample], value: impl Fn(&LateMoveExample) -> f64) -> f64 {
    examples.iter().map(value).sum::<f64>() / examples.len().max(1) as f64
}

/// The bits of an outcome that was given this chance.
fn surprise(chance: f64, mattered: bool) -> f64 {
    -(if mattered { chance } else { 1.0 - chance }).max(f64::MIN_POSITIVE).log2()
}

/// The bits of an example under the model, by integers as in the search.
fn loss(coefficients: &Features, example: &LateMoveExample) -> f64 {
    let odds = odds(coefficients, &example.features);
    f64::from(bits(if example.mattered { odds } else { -odds })) / ONE
}

/// The most likely weights, in natural logarithms, and their standard errors.
fn regress(
    examples: &[LateMoveExample],
    width: usize,
    row: &dyn Fn(&LateMoveExample) -> Vec<f64>,
) -> (DVector<f64>, DVector<f64>) {
    let rows: Vec<(Vec<f64>, f64)> = examples.iter().map(|e| (row(e), f64::from(u8::from(e.mattered)))).collect();
    let mut weights = DVector::zeros(width);
    let mut errors = DVector::zeros(width);
    for _ in 0..STEPS {
        let mut slope = -&weights * PRIOR;
        let mut curvature = DMatrix::identity(width, width) * PRIOR;
        for (row, label) in &rows {
            let chance = logistic(dot(&weights, row));
            let weight = chance * (1.0 - chance);
            for (i, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                slope[i] += (label - chance) * x;
                for (j, y) in row.iter().enumerate().take(i + 1) {
                    curvature[(i, j)] += weight * x * y;
                }
            }
        }
        curvature.fill_upper_triangle_with_lower_triangle();
        // The prior makes it positive definite.
        let Some(factors) = curvature.cholesky() else { break };
        let step = factors.solve(&slope);
        weights += &step;
        errors = factors.inverse().diagonal().map(f64::sqrt);
        if step.amax() < SETTLED {
            break;
        }
    }
    (weights, errors)
}

/// These weights (natural logarithms), rounded and within their range.
fn rounded(weights: &DVector<f64>) -> Features {
    std::array::from_fn(|at| (weights[at] / LN_2 * ONE).round().clamp(WEIGHTS.min.into(), WEIGHTS.max.into()) as i32)
}

/// Sets a parameter of the rule to the allowed value nearest to this one.
fn set(parameters: &mut Parameters, name: &str, value: f64) {
    let name = format!("learned_cost.{name}");
    if let Ok(entry) = Parameters::find(&name) {
        let value = value.round().clamp(entry.spec.min.into(), entry.spec.max.into()) as i32;
        // It is within the range of a parameter that exists.
        let _ = parameters.set(&name, value);
    }
}

/// Reductions: the line through those of the formula (least squares), shifted until both have the same sum. A bit must not make a
/// reduction smaller: if the line is so at depth 1, only the part that grows with depth is kept.
fn fit_reductions(examples: &[LateMoveExample], coefficients: &Features) -> Params {
    let bits = |e: &LateMoveExample| f64::from(bits(odds(coefficients, &e.features))) / ONE;
    let deeper = |e: &LateMoveExample| bits(e) * f64::from(e.depth.whole().max(1)).log2();
    let [_, per_bit, per_bit_deeper] = squares(examples, |e| [1.0, bits(e), deeper(e)]);
    let mut parameters = Parameters::default();
    parameters.learned_cost.on = true;
    if per_bit >= 0.0 {
        set(&mut parameters, "per_bit", per_bit);
        set(&mut parameters, "per_bit_deeper", per_bit_deeper);
    } else {
        let [_, per_bit_deeper] = squares(examples, |e| [1.0, deeper(e)]);
        set(&mut parameters, "per_bit", 0.0);
        set(&mut parameters, "per_bit_deeper", per_bit_deeper);
    }
    let target: i64 = examples.iter().map(|e| i64::from(e.formula.0)).sum();
    let spec = Params::SPECS.iter().find(|spec| spec.name == "base");
    let (mut low, mut high) = spec.map_or((0, 0), |spec| (spec.min, spec.max));
    // Reductions grow with the base: bisect.
    while low < high {
        let middle = low + (high - low) / 2;
        set(&mut parameters, "base", middle.into());
        let found: i64 = examples.iter().map(|e| i64::from(learned(&parameters.learned_cost, coefficients, e).0)).sum();
        if found < target {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    set(&mut parameters, "base", low.into());
    parameters.learned_cost
}

/// The sum of terms that comes nearest to the formula's reductions: the factor of each term (1/1024 ply).
fn squares<const N: usize>(examples: &[LateMoveExample], terms: impl Fn(&LateMoveExample) -> [f64; N]) -> [f64; N] {
    let mut squares = DMatrix::<f64>::identity(N, N) * PRIOR;
    let mut products = DVector::<f64>::zeros(N);
    for example in examples {
        let terms = terms(example);
        for (i, x) in terms.iter().enumerate() {
            products[i] += x * f64::from(example.formula.0);
            for (j, y) in terms.iter().enumerate() {
                squares[(i, j)] += x * y;
            }
        }
    }
    // The identity makes it positive definite.
    let found = squares.cholesky().map_or_else(|| DVector::zeros(N), |factors| factors.solve(&products));
    std::array::from_fn(|index| found[index])
}

/// The reduction of the learned cost.
fn learned(params: &Params, coefficients: &Features, example: &LateMoveExample) -> Depth {
    let bits = bits(odds(coefficients, &example.features));
    limited(params, reduction(params, bits, example.depth.whole()), example.depth)
}

/// Held-out examples in groups of the same size, the least likely first.
fn bins(params: &Params, coefficients: &Features, examples: &[LateMoveExample]) -> Vec<ChanceBin> {
    let mut sorted: Vec<(i32, &LateMoveExample)> =
        examples.iter().map(|e| (odds(coefficients, &e.features), e)).collect();
    sorted.sort_by_key(|(odds, _)| *odds);
    let size = sorted.len().div_ceil(BINS).max(1);
    let bin = |part: &[(i32, &LateMoveExample)]| {
        let count = part.len() as f64;
        let sum = |value: &dyn Fn(&(i32, &LateMoveExample)) -> f64| part.iter().map(value).sum::<f64>() / count;
        ChanceBin {
            count: part.len() as u64,
            mattered: part.iter().filter(|(_, e)| e.mattered).count() as u64,
            predicted: sum(&|(odds, _)| (-f64::from(bits(*odds)) / ONE).exp2()),
            formula: sum(&|(_, e)| plies(e.formula)),
            learned: sum(&|(_, e)| plies(learned(params, coefficients, e))),
        }
    };
    sorted.chunks(size).map(bin).collect()
}

/// The names and meanings of the weights, in order.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    WEIGHTS.coefficients.iter().map(|coefficient| (coefficient.name, coefficient.doc.trim()))
}
