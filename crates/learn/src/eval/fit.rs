//! Gradient descent from the compiled weights to those under which the evaluation predicts the games best.
//!
//! The target of a position mixes the score of the search with the result of the game. The loss is the mean square of target minus
//! prediction, both between 0 and 1, plus the penalty of the prior. Adam (`kingma2015`) on shuffled batches; the rate falls along half a
//! cosine. In the end all values are multiplied by one factor, which makes a pawn of the endgame worth 100. Batches are split into the
//! same parts and added in the same order with any number of threads.

use super::data::{EvalData, EvalExample};
use super::model::{self, CURVE_EG, CURVE_MG, EG, LEN, Vector};
use super::prior::Prior;
use quarterply_engine::eval::groups::VALUE;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Settings of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvalPlan {
    /// Passes over the data.
    pub passes: usize,
    /// First step of a weight (pawns/100 and its like).
    pub rate: f64,
    /// Weight of the game's result in the target (0 to 1); the rest is the search's score.
    pub result: f64,
    /// Seed of the shuffling.
    pub seed: u64,
}

impl Default for EvalPlan {
    fn default() -> EvalPlan {
        EvalPlan { passes: 80, rate: 1.0, result: 0.05, seed: 1 }
    }
}

/// Positions in a batch.
const BATCH: usize = 16_384;
/// The last rate, as a share of the first.
const RATE_END: f64 = 0.01;
/// Adam's decay of the gradient (beta 1) and of its square (beta 2), and its epsilon.
const MEMORY: f64 = 0.9;
const MEMORY_OF_SQUARES: f64 = 0.999;
const TINY: f64 = 1e-12;
/// A pawn of the endgame is worth this: the unit of all values.
const PAWN: f64 = 100.0;
/// Positions that one thread adds at a time.
const PART: usize = 1024;

/// Turns values into predictions, and scores and results into targets.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Value of the evaluation at which the odds are e to 1.
    pub scale: f64,
    /// Score of the search at which the odds are e to 1 (pawns/100 of the players).
    pub score_scale: f64,
    /// Weight of the game's result in the target.
    pub result: f64,
}

/// Expected points at this value.
#[inline]
fn expected(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-value / scale).exp())
}

impl Link {
    /// Expected points of White at this value of the evaluation.
    #[inline]
    pub fn predict(&self, white: f64) -> f64 {
        expected(white, self.scale)
    }

    /// The target of this position (expected points of White).
    #[inline]
    pub fn target(&self, example: &EvalExample<'_>) -> f64 {
        (1.0 - self.result) * expected(example.score(), self.score_scale) + self.result * example.points()
    }

    /// The link under which the scores of the search predict the results best, and these weights the targets.
    pub fn fitted(weights: &[f64], data: &EvalData, result: f64) -> Link {
        let stride = data.positions().div_ceil(LINK_SAMPLE).max(1);
        let sample: Vec<usize> = (0..data.positions()).step_by(stride).collect();
        let score_scale = least(|scale| {
            sum(&sample, |index| {
                let example = data.example(index);
                (example.points() - expected(example.score(), scale)).powi(2)
            })
        });
        let link = |scale: f64| Link { scale, score_scale, result };
        link(least(|scale| squared_error(weights, data, &sample, &link(scale))))
    }
}

/// Positions that a link is fitted to.
const LINK_SAMPLE: usize = 500_000;

/// The minimum of a function of a scale, by golden section.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    const NARROW: f64 = 40.0;
    const WIDE: f64 = 1000.0;
    const ROUNDS: usize = 24;
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let (mut low, mut high) = (NARROW, WIDE);
    for _ in 0..ROUNDS {
        let step = GOLDEN * (high - low);
        if of(high - step) < of(low + step) { high = low + step } else { low = high - step }
    }
    (low + high) / 2.0
}

/// A sum over positions, in the same order with any number of threads.
fn sum(indices: &[usize], of: impl Fn(usize) -> f64 + Sync) -> f64 {
    let parts: Vec<f64> = indices.par_chunks(PART).map(|part| part.iter().map(|&index| of(index)).sum()).collect();
    parts.iter().sum()
}

/// Sum of squares of target minus prediction over some positions.
fn squared_error(weights: &[f64], data: &EvalData, positions: &[usize], link: &Link) -> f64 {
    sum(positions, |index| {
        let example = data.example(index);
        (link.predict(model::value(weights, &example)) - link.target(&example)).powi(2)
    })
}

/// Mean square of target minus prediction.
pub fn loss(weights: &[f64], data: &EvalData, link: &Link) -> f64 {
    let all: Vec<usize> = (0..data.positions()).collect();
    squared_error(weights, data, &all, link) / data.positions().max(1) as f64
}

/// The losses after a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Passes done.
    pub number: usize,
    /// Loss on the training positions.
    pub train: f64,
    /// Loss on the held-out positions.
    pub held_out: f64,
}

/// The results of a fit.
#[derive(Clone, Debug)]
pub struct EvalFit {
    /// The weights before.
    pub before: Vector,
    /// The weights after, whole numbers, in units in which a pawn of the endgame is worth 100.
    pub after: Vector,
    /// Before the first pass, and after each.
    pub fitted_passes: Vec<Pass>,
    /// With the rounded weights, held out.
    pub rounded: f64,
    /// The link of the weights after.
    pub link: Link,
}

/// Fits the weights. `progress` receives each pass.
pub fn fit(
    start: &[f64],
    train: &EvalData,
    held_out: &EvalData,
    plan: &EvalPlan,
    mut progress: impl FnMut(&Pass),
) -> EvalFit {
    let link = Link::fitted(start, train, plan.result);
    let prior = Prior::default();
    let mut adam = Adam::new(start);
    let mut order: Vec<usize> = (0..train.positions()).collect();
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    let measure = |number: usize, weights: &[f64]| Pass {
        number,
        train: loss(weights, train, &link),
        held_out: loss(weights, held_out, &link),
    };
    let mut fitted_passes = vec![measure(0, start)];
    let batches = train.positions().div_ceil(BATCH);
    let steps = (plan.passes * batches) as f64;
    for pass in 0..plan.passes {
        order.shuffle(&mut random);
        for (number, batch) in order.chunks(BATCH).enumerate() {
            let done = (pass * batches + number) as f64 / steps;
            let falling = RATE_END + (1.0 - RATE_END) * (1.0 + (PI * done).cos()) / 2.0;
            let gradient = gradient(&adam.weights, train, batch, &link, &prior);
            adam.step(&gradient, plan.rate * falling);
        }
        fitted_passes.push(measure(pass + 1, &adam.weights));
        progress(&fitted_passes[pass + 1]);
    }
    let factor = PAWN / adam.weights[EG + VALUE.at(0)];
    let after: Vector = model::rescaled(&adam.weights, factor).iter().map(|weight| weight.round()).collect();
    let link = Link { scale: link.scale * factor, ..link };
    EvalFit { before: start.to_vec(), rounded: loss(&after, held_out, &link), after, fitted_passes, link }
}

/// The loss of a position with an error of 1/100 pawn where the prediction is steepest; the unit of the prior.
fn unit(link: &Link, positions: usize) -> f64 {
    (1.0 / (4.0 * link.scale)).powi(2) / positions as f64
}

/// Gradient of the loss over a batch, and of the prior.
fn gradient(weights: &[f64], data: &EvalData, batch: &[usize], link: &Link, prior: &Prior) -> Vector {
    let share = 1.0 / batch.len() as f64;
    let parts: Vec<Vector> = batch
        .par_chunks(PART)
        .map(|part| {
            let mut gradient = vec![0.0; LEN];
            for &index in part {
                let example = data.example(index);
                let target = link.target(&example);
                model::add_gradient(weights, &example, &mut gradient, |white| {
                    let p = link.predict(white);
                    2.0 * (p - target) * p * (1.0 - p) / link.scale * share
                });
            }
            gradient
        })
        .collect();
    let mut gradient = vec![0.0; LEN];
    for part in &parts {
        for (sum, slope) in gradient.iter_mut().zip(part) {
            *sum += slope;
        }
    }
    prior.add_gradient(weights, unit(link, data.positions()), &mut gradient);
    // No danger, no penalty.
    gradient[CURVE_MG] = 0.0;
    gradient[CURVE_EG] = 0.0;
    gradient
}

/// Adam.
struct Adam {
    weights: Vector,
    slopes: Vector,
    squares: Vector,
    steps: i32,
}

impl Adam {
    fn new(start: &[f64]) -> Adam {
        Adam { weights: start.to_vec(), slopes: vec![0.0; LEN], squares: vec![0.0; LEN], steps: 0 }
    }

    fn step(&mut self, gradient: &[f64], rate: f64) {
        self.steps += 1;
        let fresh = 1.0 - MEMORY.powi(self.steps);
        let fresh_squares = 1.0 - MEMORY_OF_SQUARES.powi(self.steps);
        for (place, slope) in gradient.iter().enumerate() {
            self.slopes[place] = MEMORY * self.slopes[place] + (1.0 - MEMORY) * slope;
            self.squares[place] = MEMORY_OF_SQUARES * self.squares[place] + (1.0 - MEMORY_OF_SQUARES) * slope * slope;
            let size = (self.squares[place] / fresh_squares).sqrt() + TINY;
            self.weights[place] -= rate * self.slopes[place] / fresh / size;
        }
    }
}
