//! Forward and backward for a block of positions, written so that the compiler turns it into the widest instructions that the
//! processor has.
//!
//! Two choices make it fast. Hidden units are processed tile by tile, so that the weights of a tile (48 KiB) stay in the fastest caches for
//! all positions of the block. And gradients of the first layer are summed input by input: for each input, the rows of the positions that
//! have it are added in registers and written once.
//!
//! Every sum has a fixed order, lane by lane, and multiplications and additions are never fused: results are the same to the bit
//! with every instruction set.

use crate::train::aligned::Aligned;
use crate::train::packed::{ActiveFeatures, INPUTS_MAX, Packed};
use crate::train::shape::{Lanes, SIDES, Shape, TILE, Weights, WeightsMut};
use pulp::{Arch, NullaryFnOnce};
use quarterply_engine::network::{INPUTS, bucket};

/// Positions that are processed together.
pub const BLOCK: usize = 128;

/// A position with at most this number of pieces, kings and pawns included, is an ending.
pub const ENDING_MEN: usize = 12;

/// The labels of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labels {
    /// Weight of the game's result; the rest is the score's.
    pub result: f32,
    /// The same in endings, see [`ENDING_MEN`].
    pub result_endings: f32,
    /// Score (pawns/100) at which the chance of a win is e to 1.
    pub scale: f32,
    /// The size of one unit of the network's output (scales).
    pub unit: f32,
    /// Share of the classical value in what is compared with the target; the network's is the rest.
    pub classical: f32,
}

impl Labels {
    /// The target of a position (expected points); from its score alone if it has no result.
    pub fn target(&self, position: &Packed) -> f32 {
        let expected = sigmoid(f32::from(position.score) / self.scale);
        let weight = if position.pieces() <= ENDING_MEN { self.result_endings } else { self.result };
        position.points().map_or(expected, |points| (1.0 - weight) * expected + weight * points)
    }

    /// The expected points of the network's value (in its units), blended with the classical one.
    pub fn points(&self, value: f32, position: &Packed) -> f32 {
        let classical = f32::from(position.classical) / self.scale;
        sigmoid(self.share() * value + self.classical * classical)
    }

    /// The weight of the network's output in the blend (scales per unit).
    pub fn share(&self) -> f32 {
        (1.0 - self.classical) * self.unit
    }
}

/// Points from odds.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// Working memory of one thread.
pub struct Scratch {
    seen: Vec<ActiveFeatures>,
    buckets: Vec<usize>,
    /// Sums of hidden units before clipping, by tile, position, side; later their gradients for one tile.
    sums: Aligned,
    /// Lanes of the outputs.
    dots: Aligned,
    values: Vec<f32>,
    /// Gradients of the outputs.
    slopes: Vec<f32>,
    /// Where the positions of each input begin in `rows`.
    starts: Vec<u16>,
    /// The same, moved on as they are filled in.
    next: Vec<u16>,
    /// Position and side (position * 2 + side).
    rows: Vec<u16>,
    tile: Aligned,
}

impl Scratch {
    /// For networks of this shape.
    pub fn new(shape: Shape) -> Scratch {
        Scratch {
            seen: Vec::with_capacity(BLOCK),
            buckets: Vec::with_capacity(BLOCK),
            sums: Aligned::zeros(shape.tiles() * BLOCK * SIDES * TILE),
            dots: Aligned::zeros(BLOCK * TILE),
            values: vec![0.0; BLOCK],
            slopes: vec![0.0; BLOCK],
            starts: vec![0; INPUTS + 1],
            next: vec![0; INPUTS + 1],
            rows: vec![0; BLOCK * SIDES * INPUTS_MAX],
            tile: Aligned::zeros(BLOCK * SIDES * TILE),
        }
    }

    /// The values found by the latest block, in the network's units.
    pub fn values(&self) -> &[f32] {
        &self.values[..self.seen.len()]
    }

    fn load_features(&mut self, shape: Shape, positions: &[Packed]) {
        self.seen.clear();
        self.seen.extend(positions.iter().map(|position| position.active_features()));
        self.buckets.clear();
        self.buckets.extend(positions.iter().map(|position| bucket(position.pieces(), shape.buckets)));
    }

    /// Sorts the positions by inputs.
    fn index(&mut self) {
        self.starts.fill(0);
        for seen in &self.seen {
            for list in [&seen.own, &seen.other] {
                for &input in &list[..seen.count] {
                    self.starts[usize::from(input) + 1] += 1;
                }
            }
        }
        for input in 1..self.starts.len() {
            self.starts[input] += self.starts[input - 1];
        }
        self.next.copy_from_slice(&self.starts);
        for (position, seen) in self.seen.iter().enumerate() {
            for (side, list) in [&seen.own, &seen.other].into_iter().enumerate() {
                for &input in &list[..seen.count] {
                    let place = &mut self.next[usize::from(input)];
                    self.rows[usize::from(*place)] = (position * SIDES + side) as u16;
                    *place += 1;
                }
            }
        }
    }
}

/// Finds the values of at most [`BLOCK`] positions; see [`Scratch::values`].
pub fn forward(arch: Arch, shape: Shape, weights: &[f32], positions: &[Packed], scratch: &mut Scratch) {
    scratch.load_features(shape, positions);
    let weights = shape.split(weights);
    arch.dispatch(Forward { shape, weights, scratch });
}

/// Adds the gradients of at most [`BLOCK`] positions to `gradients`, and gives the sum of their losses. The loss of a position is the
/// square of the difference between expected points and target.
pub fn learn(
    arch: Arch,
    shape: Shape,
    weights: &[f32],
    gradients: &mut [f32],
    positions: &[Packed],
    goal: &Labels,
    scratch: &mut Scratch,
) -> f64 {
    forward(arch, shape, weights, positions, scratch);
    let mut loss = 0.0;
    for (index, position) in positions.iter().enumerate() {
        let points = goal.points(scratch.values[index], position);
        let miss = points - goal.target(position);
        loss += f64::from(miss) * f64::from(miss);
        scratch.slopes[index] = 2.0 * miss * points * (1.0 - points) * goal.share();
    }
    scratch.index();
    let (weights, gradients) = (shape.split(weights), shape.split_mut(gradients));
    arch.dispatch(Backward { shape, weights, gradients, scratch });
    loss
}

/// Squared clipped ReLU, the square left out.
#[inline(always)]
fn clip(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

struct Forward<'a> {
    shape: Shape,
    weights: Weights<'a>,
    scratch: &'a mut Scratch,
}

impl NullaryFnOnce for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Forward { shape, weights, scratch } = self;
        let Scratch { seen, buckets, sums, dots, values, .. } = scratch;
        let tiles = shape.tiles();
        let sums: &mut [[Lanes; SIDES]] = sums.as_chunks_mut().0.as_chunks_mut().0;
        let dots: &mut [Lanes] = dots.as_chunks_mut().0;
        dots.fill([0.0; TILE]);
        for tile in 0..tiles {
            let features = &weights.features[tile * INPUTS..][..INPUTS];
            let bias = weights.biases[tile];
            let sums = &mut sums[tile * BLOCK..][..BLOCK];
            for (((seen, bucket), sums), dot) in seen.iter().zip(buckets.iter()).zip(sums).zip(dots.iter_mut()) {
                let found = add_up(features, bias, seen);
                let outputs = &weights.outputs[(bucket * tiles + tile) * SIDES..][..SIDES];
                *dot = weigh(*dot, &found, [outputs[0], outputs[1]]);
                *sums = found;
            }
        }
        for ((value, dot), bucket) in values.iter_mut().zip(dots).zip(buckets) {
            *value = dot.iter().sum::<f32>() + weights.output_biases[*bucket];
        }
    }
}

/// The sums of one tile of hidden units, for both sides.
#[inline(always)]
fn add_up(features: &[Lanes], bias: Lanes, seen: &ActiveFeatures) -> [Lanes; SIDES] {
    let (mut own, mut other) = (bias, bias);
    let count = seen.count.min(INPUTS_MAX);
    for (a, b) in seen.own[..count].iter().zip(&seen.other[..count]) {
        let (a, b) = (&features[usize::from(*a)], &features[usize::from(*b)]);
        for lane in 0..TILE {
            own[lane] += a[lane];
        }
        for lane in 0..TILE {
            other[lane] += b[lane];
        }
    }
    [own, other]
}

/// Adds the contribution of one tile to an output.
#[inline(always)]
fn weigh(mut dot: Lanes, sums: &[Lanes; SIDES], outputs: [Lanes; SIDES]) -> Lanes {
    for side in 0..SIDES {
        for lane in 0..TILE {
            let clipped = clip(sums[side][lane]);
            dot[lane] += clipped * clipped * outputs[side][lane];
        }
    }
    dot
}

struct Backward<'a> {
    shape: Shape,
    weights: Weights<'a>,
    gradients: WeightsMut<'a>,
    scratch: &'a mut Scratch,
}

impl NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Backward { shape, weights, gradients, scratch } = self;
        let Scratch { seen, buckets, sums, slopes, starts, rows, tile: hidden, .. } = scratch;
        let (tiles, count) = (shape.tiles(), seen.len());
        let sums: &[[Lanes; SIDES]] = sums.as_chunks().0.as_chunks().0;
        let hidden: &mut [Lanes] = hidden.as_chunks_mut().0;
        for (slope, bucket) in slopes[..count].iter().zip(buckets.iter()) {
            gradients.output_biases[*bucket] += slope;
        }
        for tile in 0..tiles {
            let sums = &sums[tile * BLOCK..][..count];
            let mut bias = gradients.biases[tile];
            for (((sums, slope), bucket), hidden) in
                sums.iter().zip(slopes.iter()).zip(buckets.iter()).zip(hidden.as_chunks_mut::<SIDES>().0)
            {
                let at = (bucket * tiles + tile) * SIDES;
                let (outputs, into) = (&weights.outputs[at..][..SIDES], &mut gradients.outputs[at..][..SIDES]);
                for side in 0..SIDES {
                    hidden[side] = through(&sums[side], *slope, &outputs[side], &mut into[side], &mut bias);
                }
            }
            gradients.biases[tile] = bias;
            let features = &mut gradients.features[tile * INPUTS..][..INPUTS];
            for (input, feature) in features.iter_mut().enumerate() {
                let (from, to) = (usize::from(starts[input]), usize::from(starts[input + 1]));
                if from < to {
                    collect(feature, &rows[from..to], hidden);
                }
            }
        }
    }
}

/// Carries the gradient of an output through one tile: adds to those of the output weights and of the biases, and gives those of
/// the hidden sums.
#[inline(always)]
fn through(sums: &Lanes, slope: f32, outputs: &Lanes, into: &mut Lanes, bias: &mut Lanes) -> Lanes {
    let mut hidden = [0.0; TILE];
    for lane in 0..TILE {
        let sum = sums[lane];
        let clipped = clip(sum);
        into[lane] += slope * clipped * clipped;
        // A clipped unit has no gradient.
        let rise = if sum > 0.0 && sum < 1.0 { 2.0 * sum } else { 0.0 };
        hidden[lane] = slope * outputs[lane] * rise;
        bias[lane] += hidden[lane];
    }
    hidden
}

/// Adds the gradients of the rows that have one input.
#[inline(always)]
fn collect(feature: &mut Lanes, rows: &[u16], hidden: &[Lanes]) {
    let (mut even, mut odd) = (*feature, [0.0; TILE]);
    let (pairs, rest) = rows.as_chunks::<2>();
    for [a, b] in pairs {
        let (a, b) = (&hidden[usize::from(*a)], &hidden[usize::from(*b)]);
        for lane in 0..TILE {
            even[lane] += a[lane];
        }
        for lane in 0..TILE {
            odd[lane] += b[lane];
        }
    }
    for row in rest {
        let row = &hidden[usize::from(*row)];
        for lane in 0..TILE {
            even[lane] += row[lane];
        }
    }
    for lane in 0..TILE {
        feature[lane] = even[lane] + odd[lane];
    }
}
