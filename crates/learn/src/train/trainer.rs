//! One step of training: the gradients of a batch, and AdamW.
//!
//! A batch is cut into [`PARTS`] parts, with any number of threads; each part has its own gradients, and they are added in the order of
//! the parts. So the result is the same to the bit with any number of threads.

use crate::train::aligned::Aligned;
use crate::train::kernel::{BLOCK, Labels, Scratch, forward, learn};
use crate::train::packed::Packed;
use crate::train::shape::{Layer, SIDES, Shape};
use crate::train::teacher::{MoveSampling, Teacher};
use pulp::Arch;
use quarterply_datagen::opening::stream;
use quarterply_engine::network::{BIAS_MAX, OUTPUT_MAX, OUTPUT_SUM_MAX, QA, QB, WEIGHT_MAX};
use rand::RngExt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Parts of a batch: more threads than this are of no use.
pub const PARTS: usize = 16;
/// Weights that are updated at a time.
const CHUNK: usize = 1 << 13;
/// Decay of the mean gradient (beta 1).
const KEEP_MEAN: f64 = 0.9;
/// Decay of the mean squared gradient (beta 2).
const KEEP_SQUARE: f64 = 0.999;
/// After n batches the average of the weights keeps at most (1 + n) / (this + n) of itself.
const AVERAGE_START: u64 = 10;
/// Added to the root of the mean square.
const EPSILON: f32 = 1e-8;
/// Bound of output biases: the scale times this exceeds every score.
const OUTPUT_BIAS_MAX: f32 = 100.0;
/// The random stream of the first weights; those of passes are numbered from 0.
const START_STREAM: u64 = u64::MAX;
/// Largest first weight of an input. Weights of rare inputs stay near it and are noise, so it is small.
const FIRST_WEIGHT: f32 = 0.015;
/// Largest first weight of an output: large compared with a unit of rounding.
const FIRST_OUTPUT: f32 = 0.4;
/// First bias of hidden units: between the clipping bounds, so that all of them have a gradient.
const FIRST_BIAS: f32 = 0.3;

/// The state of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainerState {
    /// The weights: see [`Shape`].
    pub weights: Aligned,
    /// Mean gradients.
    pub means: Aligned,
    /// Mean squared gradients.
    pub squares: Aligned,
    /// The exponential moving average of the weights, if there is one.
    pub average: Option<Aligned>,
    /// Batches learned from.
    pub steps: u64,
}

/// The settings of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingStep {
    /// The labels of positions.
    pub goal: Labels,
    /// Learning rate.
    pub rate: f32,
    /// Weight decay: a step multiplies a weight by one minus this times the rate.
    pub decay: f32,
    /// Decay of the average of the weights after many batches.
    pub average: f64,
    /// Which positions are replaced by others with classical values.
    pub distil: Option<MoveSampling>,
}

impl TrainerState {
    /// First weights: random and small; the same for the same seed.
    pub fn new(shape: Shape, seed: u64) -> TrainerState {
        let mut random = stream(seed, START_STREAM);
        let mut weights = Aligned::zeros(shape.weights());
        for (layer, most) in [(Layer::Features, FIRST_WEIGHT), (Layer::Outputs, FIRST_OUTPUT)] {
            for weight in &mut weights[shape.range(layer)] {
                *weight = random.random_range(-most..most);
            }
        }
        weights[shape.range(Layer::Biases)].fill(FIRST_BIAS);
        let none = Aligned::zeros(weights.len());
        TrainerState { means: none.clone(), squares: none, average: None, weights, steps: 0 }
    }

    /// The same with an average of the weights, from now on.
    pub fn with_average(self) -> TrainerState {
        TrainerState { average: Some(self.weights.clone()), ..self }
    }

    /// The weights of the network: their average, or the latest.
    pub fn result(&self) -> &Aligned {
        self.average.as_ref().unwrap_or(&self.weights)
    }

    /// Adds the latest weights to their average. Its decay is smaller at first, so that the random first weights have no part in it
    /// (as in `ExponentialMovingAverage` of TensorFlow with a number of updates).
    fn add_to_average(&mut self, keep: f64) {
        let Some(average) = &mut self.average else { return };
        let keep = keep.min((1 + self.steps) as f64 / (AVERAGE_START + self.steps) as f64) as f32;
        average.iter_mut().zip(&self.weights[..]).for_each(|(mean, weight)| *mean += (1.0 - keep) * (weight - *mean));
    }
}

/// The largest weight of a layer that can be rounded to its integers.
fn limit(layer: Layer) -> f32 {
    match layer {
        Layer::Features => f32::from(WEIGHT_MAX) / QA as f32,
        Layer::Biases => f32::from(BIAS_MAX) / QA as f32,
        Layer::Outputs => f32::from(OUTPUT_MAX) / QB as f32,
        Layer::OutputBiases => OUTPUT_BIAS_MAX,
    }
}

/// Threads and working memory of a training.
pub struct Trainer {
    shape: Shape,
    arch: Arch,
    parts: Vec<Mutex<PartialGradients>>,
    scratches: Vec<Scratch>,
    /// One for each thread.
    teachers: Vec<Teacher>,
}

/// The gradients of a part of a batch.
struct PartialGradients {
    gradients: Aligned,
    loss: f64,
}

impl Trainer {
    /// A trainer of networks of this shape with this number of threads.
    pub fn new(shape: Shape, threads: usize) -> Trainer {
        Trainer::on(Arch::new(), shape, threads)
    }

    /// The same with the instructions of `arch`.
    pub fn on(arch: Arch, shape: Shape, threads: usize) -> Trainer {
        let part = || Mutex::new(PartialGradients { gradients: Aligned::zeros(shape.weights()), loss: 0.0 });
        let threads = threads.clamp(1, PARTS);
        Trainer {
            shape,
            arch,
            parts: (0..PARTS).map(|_| part()).collect(),
            scratches: (0..threads).map(|_| Scratch::new(shape)).collect(),
            teachers: (0..threads).map(|_| Teacher::default()).collect(),
        }
    }

    /// Makes a step by a batch, given by the indices of its positions; returns its mean loss before the step.
    pub fn step(&mut self, state: &mut TrainerState, data: &[Packed], batch: &[u32], step: &TrainingStep) -> f64 {
        self.differentiate(&state.weights, data, batch, step);
        let parts: Vec<MutexGuard<'_, PartialGradients>> = self.parts.iter().map(lock).collect();
        let loss = parts.iter().map(|part| part.loss).sum::<f64>() / batch.len() as f64;
        state.steps += 1;
        let update = Update {
            gradients: parts.iter().map(|part| &part.gradients[..]).collect(),
            share: 1.0 / batch.len() as f32,
            correct_mean: correction(KEEP_MEAN, state.steps),
            correct_square: correction(KEEP_SQUARE, state.steps),
            step: *step,
        };
        update.all(self.arch, self.shape, state, self.scratches.len());
        drop(update);
        restrain(self.shape, &mut state.weights);
        state.add_to_average(step.average);
        loss
    }

    /// Finds the gradients of all parts.
    fn differentiate(&mut self, weights: &[f32], data: &[Packed], batch: &[u32], step: &TrainingStep) {
        let (shape, arch, parts) = (self.shape, self.arch, &self.parts);
        let work = Mutex::new(0..PARTS);
        let work = &work;
        thread::scope(|scope| {
            for (scratch, teacher) in self.scratches.iter_mut().zip(&mut self.teachers) {
                scope.spawn(move || {
                    while let Some(number) = next(work) {
                        let mut part = lock(&parts[number]);
                        let PartialGradients { gradients, loss } = &mut *part;
                        gradients.fill(0.0);
                        *loss = 0.0;
                        for block in share_of(batch, number).chunks(BLOCK) {
                            let positions = block.iter().map(|&at| match step.distil {
                                None => data[at as usize],
                                Some(draw) => teacher.teach(&data[at as usize], draw, at),
                            });
                            let positions: Vec<Packed> = positions.collect();
                            *loss += learn(arch, shape, weights, gradients, &positions, &step.goal, scratch);
                        }
                    }
                });
            }
        });
    }

    /// The values of positions in the network's units, in their order.
    pub fn values(&mut self, weights: &[f32], data: &[Packed]) -> Vec<f32> {
        let (shape, arch) = (self.shape, self.arch);
        let mut values = vec![0.0; data.len()];
        let work = Mutex::new(data.chunks(BLOCK).zip(values.chunks_mut(BLOCK)));
        thread::scope(|scope| {
            for scratch in &mut self.scratches {
                let work = &work;
                scope.spawn(move || {
                    while let Some((positions, values)) = next(work) {
                        forward(arch, shape, weights, positions, scratch);
                        values.copy_from_slice(scratch.values());
                    }
                });
            }
        });
        values
    }
}

/// The positions of one part of a batch.
fn share_of(batch: &[u32], part: usize) -> &[u32] {
    let at = |part: usize| batch.len() * part / PARTS;
    &batch[at(part)..at(part + 1)]
}

/// The next piece of work. In the head of `while let`, a lock would last until the end of the body, and the other threads would wait.
fn next<T>(work: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    lock(work).next()
}

/// Locks a mutex; poisoning is ignored because a panic of a thread ends its scope.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bias correction of a mean that started at zero.
fn correction(keep: f64, steps: u64) -> f32 {
    (1.0 / (1.0 - libm::pow(keep, steps as f64))) as f32
}

/// AdamW for all weights.
struct Update<'a> {
    gradients: Vec<&'a [f32]>,
    /// One by the size of the batch.
    share: f32,
    correct_mean: f32,
    correct_square: f32,
    step: TrainingStep,
}

/// Weights that are updated together.
struct Chunk<'a> {
    range: Range<usize>,
    limit: f32,
    weights: &'a mut [f32],
    means: &'a mut [f32],
    squares: &'a mut [f32],
}

impl Update<'_> {
    fn all(&self, arch: Arch, shape: Shape, state: &mut TrainerState, threads: usize) {
        let mut chunks = Vec::new();
        let (mut weights, mut means, mut squares) =
            (&mut state.weights[..], &mut state.means[..], &mut state.squares[..]);
        for layer in Layer::ALL {
            let mut range = shape.range(layer);
            while !range.is_empty() {
                let length = range.len().min(CHUNK);
                let (a, b, c);
                (a, weights) = weights.split_at_mut(length);
                (b, means) = means.split_at_mut(length);
                (c, squares) = squares.split_at_mut(length);
                let here = range.start..range.start + length;
                chunks.push(Chunk { range: here, limit: limit(layer), weights: a, means: b, squares: c });
                range.start += length;
            }
        }
        let work = &Mutex::new(chunks.into_iter());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(move || {
                    let mut sums = Vec::with_capacity(CHUNK);
                    while let Some(chunk) = next(work) {
                        arch.dispatch(Apply { update: self, chunk, sums: &mut sums });
                    }
                });
            }
        });
    }
}

struct Apply<'a, 'b> {
    update: &'a Update<'b>,
    chunk: Chunk<'a>,
    sums: &'a mut Vec<f32>,
}

impl pulp::NullaryFnOnce for Apply<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Apply { update, chunk: Chunk { range, limit, weights, means, squares }, sums } = self;
        sums.clear();
        sums.resize(range.len(), 0.0);
        for gradients in &update.gradients {
            for (sum, gradient) in sums.iter_mut().zip(&gradients[range.clone()]) {
                *sum += gradient;
            }
        }
        let (keep_mean, keep_square) = (KEEP_MEAN as f32, KEEP_SQUARE as f32);
        let Update { share, correct_mean, correct_square, step: TrainingStep { rate, decay, .. }, .. } = *update;
        for (((weight, mean), square), sum) in weights.iter_mut().zip(means).zip(squares).zip(sums.iter()) {
            let gradient = sum * share;
            *mean = keep_mean * *mean + (1.0 - keep_mean) * gradient;
            *square = keep_square * *square + (1.0 - keep_square) * gradient * gradient;
            let step = *mean * correct_mean / ((*square * correct_square).sqrt() + EPSILON);
            *weight = (*weight - rate * (step + decay * *weight)).clamp(-limit, limit);
        }
    }
}

/// Shrinks output weights of one sign whose sum could overflow after rounding.
fn restrain(shape: Shape, weights: &mut [f32]) {
    // Rounding can add half a unit to each of them.
    let most = OUTPUT_SUM_MAX as f32 / QB as f32 - (SIDES * shape.hidden) as f32 / (2 * QB) as f32;
    for outputs in weights[shape.range(Layer::Outputs)].chunks_mut(SIDES * shape.hidden) {
        for sign in [1.0, -1.0] {
            let sum: f32 = outputs.iter().map(|weight| (weight * sign).max(0.0)).sum();
            if sum > most {
                outputs.iter_mut().filter(|weight| **weight * sign > 0.0).for_each(|weight| *weight *= most / sum);
            }
        }
    }
}

#[cfg(test)]
mod tests;
