//! From weights in training to the network that the engine reads: rounded to whole numbers.

use crate::train::packed::Packed;
use crate::train::shape::{SIDES, Shape};
use quarterply_engine::network::{INPUTS, Network, NetworkError, OUTPUT_MAX, Parts, QA, QB, bucket};
use shakmaty::Color;

/// Rounds weights to the network that plays; `facts` describe its training, as JSON.
///
/// # Errors
/// The engine does not support the shape, or a weight exceeds its bounds.
pub fn network(shape: Shape, weights: &[f32], scale: i32, facts: String) -> Result<Network, NetworkError> {
    Network::new(&parts(shape, weights, scale, facts))
}

fn parts(shape: Shape, weights: &[f32], scale: i32, facts: String) -> Parts {
    let Shape { hidden, buckets } = shape;
    let whole = |place: usize, one: i32| (weights[place] * one as f32).round() as i16;
    let features = |input| (0..hidden).map(move |unit| whole(shape.feature(input, unit), QA));
    let outputs = |bucket| {
        (0..SIDES).flat_map(move |side| (0..hidden).map(move |unit| whole(shape.output(bucket, side, unit), QB)))
    };
    let bias = |bucket| (weights[shape.output_bias(bucket)] * (QA * QB) as f32).round() as i32;
    Parts {
        neurons: hidden,
        buckets,
        scale,
        facts,
        weights: (0..INPUTS).flat_map(features).collect(),
        biases: (0..hidden).map(|unit| whole(shape.bias(unit), QA)).collect(),
        output_weights: (0..buckets).flat_map(outputs).collect(),
        output_biases: (0..buckets).map(bias).collect(),
    }
}

/// The same network with its outputs rounded together: the integers near the weights are chosen so that the values of `positions`
/// are closest to `exact`, the values before rounding, in the network's units. One weight corrects the rounding of others and of the
/// first layer. Outputs that would exceed the bounds of [`Network::check`] are rounded one by one, as by [`network`].
///
/// # Errors
/// As [`network`].
pub fn fitted(
    shape: Shape,
    weights: &[f32],
    scale: i32,
    facts: String,
    (positions, exact): (&[Packed], &[f32]),
) -> Result<Network, NetworkError> {
    let mut parts = parts(shape, weights, scale, facts);
    let width = SIDES * shape.hidden;
    for own in 0..shape.buckets {
        let mut squares = Squares::new(width);
        for (position, exact) in positions.iter().zip(exact) {
            if bucket(position.pieces(), shape.buckets) == own {
                squares.add(&activations(&parts, position), *exact);
            }
        }
        if squares.count > 0 {
            let bias = squares.solve(&mut parts.output_weights[own * width..][..width]);
            parts.output_biases[own] = (bias * f64::from(QA * QB)).round() as i32;
        }
    }
    Network::new(&parts).or_else(|_| network(shape, weights, scale, parts.facts))
}

/// The activations of the hidden units of both sides: squared clipped sums, at most 1, as the engine computes them.
fn activations(parts: &Parts, position: &Packed) -> Vec<f32> {
    let seen = position.active_features();
    let side = |inputs: &[u16]| {
        let mut sums: Vec<i32> = parts.biases.iter().map(|&bias| bias.into()).collect();
        for &input in inputs {
            let row = &parts.weights[usize::from(input) * parts.neurons..][..parts.neurons];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
        sums.into_iter().map(|sum| {
            let clipped = sum.clamp(0, QA) as f32 / QA as f32;
            clipped * clipped
        })
    };
    side(&seen.own[..seen.count]).chain(side(&seen.other[..seen.count])).collect()
}

/// The sums of a linear fit: of products of activations with each other and with the exact values.
struct Squares {
    width: usize,
    count: usize,
    /// By row; only the upper triangle is filled.
    products: Vec<f64>,
    target_products: Vec<f64>,
    means: Vec<f64>,
    mean: f64,
}

/// Rounds of improvement at most.
const ROUNDS_MAX: usize = 60;
/// Regularisation towards the weights before, as a share of the mean square of an activation, so that weights of units that are rarely
/// active in these positions hardly change.
const HOLD: f64 = 0.003;

impl Squares {
    fn new(width: usize) -> Squares {
        let zeros = || vec![0.0; width];
        Squares {
            width,
            count: 0,
            products: vec![0.0; width * width],
            target_products: zeros(),
            means: zeros(),
            mean: 0.0,
        }
    }

    fn add(&mut self, activations: &[f32], exact: f32) {
        self.count += 1;
        self.mean += f64::from(exact);
        for (at, &own) in activations.iter().enumerate().filter(|(_, own)| **own > 0.0) {
            self.target_products[at] += f64::from(own) * f64::from(exact);
            self.means[at] += f64::from(own);
            let row = &mut self.products[at * self.width..][..self.width];
            row[at..].iter_mut().zip(&activations[at..]).for_each(|(sum, other)| *sum += f64::from(own * other));
        }
    }

    /// Changes integer weights (1/QB), one after the other, to minimise the squared error, until none changes; returns the bias for
    /// them.
    fn solve(mut self, whole: &mut [i16]) -> f64 {
        let (width, count) = (self.width, self.count as f64);
        self.mean /= count;
        for at in 0..width {
            self.means[at] /= count;
            self.target_products[at] = self.target_products[at] / count - self.means[at] * self.mean;
        }
        // Covariances: the bias corrects the means.
        let mut covariance = vec![0.0; width * width];
        for row in 0..width {
            for column in row..width {
                let value = self.products[row * width + column] / count - self.means[row] * self.means[column];
                covariance[row * width + column] = value;
                covariance[column * width + row] = value;
            }
        }
        let hold = HOLD * (0..width).map(|at| covariance[at * width + at]).sum::<f64>() / width as f64;
        let unit = f64::from(QB);
        let first: Vec<i16> = whole.to_vec();
        let mut slope: Vec<f64> = (0..width)
            .map(|row| {
                let columns = covariance[row * width..][..width].iter().zip(&first);
                self.target_products[row]
                    - columns.map(|(value, &weight)| value * f64::from(weight) / unit).sum::<f64>()
            })
            .collect();
        for _ in 0..ROUNDS_MAX {
            let mut moved = false;
            for at in 0..width {
                let wish = slope[at] - hold * f64::from(whole[at] - first[at]) / unit;
                let step = (wish / (covariance[at * width + at] + hold) * unit).round();
                let limit = f64::from(OUTPUT_MAX);
                let new = (f64::from(whole[at]) + step).clamp(-limit, limit) as i16;
                let change = f64::from(new - whole[at]) / unit;
                if change != 0.0 {
                    moved = true;
                    whole[at] = new;
                    let row = &covariance[at * width..][..width];
                    slope.iter_mut().zip(row).for_each(|(slope, value)| *slope -= value * change);
                }
            }
            if !moved {
                break;
            }
        }
        self.mean - whole.iter().zip(&self.means).map(|(&weight, mean)| f64::from(weight) / unit * mean).sum::<f64>()
    }
}

/// The network's values of positions for their sides to move (pawns/100).
pub fn values(network: &Network, data: &[Packed]) -> Vec<f32> {
    data.iter().map(|position| network.value(&position.board(), Color::White).0 as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::shape::Layer;
    use crate::train::testing::positions;
    use crate::train::trainer::{Trainer, TrainerState};

    #[test]
    fn activations_are_those_of_the_engine() {
        let shape = Shape { hidden: 32, buckets: 4 };
        let parts = parts(shape, &TrainerState::new(shape, 5).weights, 400, String::new());
        let network = Network::new(&parts).expect("within bounds");
        let data = positions(40);
        for (position, value) in data.iter().zip(values(&network, &data)) {
            let own = bucket(position.pieces(), shape.buckets);
            let row = &parts.output_weights[own * SIDES * shape.hidden..];
            let sum: f32 =
                activations(&parts, position).iter().zip(row).map(|(x, &weight)| x * f32::from(weight)).sum();
            let bias = parts.output_biases[own] as f32 / QA as f32;
            let expected = (sum + bias) / QB as f32 * parts.scale as f32;
            assert!((expected - value).abs() < 1.5, "{expected} {value}");
        }
    }

    /// Training keeps the sum of output weights within its bound; rounding them together can increase it.
    #[test]
    fn outputs_that_exceed_their_sum_when_rounded_together_are_rounded_one_by_one() {
        let shape = Shape { hidden: 256, buckets: 1 };
        let mut weights = TrainerState::new(shape, 3).weights;
        // All units are alike, so that each output weight must grow.
        weights[shape.range(Layer::Features)].fill(0.01);
        weights[shape.range(Layer::Outputs)].fill(1.0);
        let data = positions(100);
        let larger: Vec<f32> = Trainer::new(shape, 1).values(&weights, &data).iter().map(|value| value * 3.0).collect();
        let fitted = fitted(shape, &weights, 400, String::new(), (&data, &larger)).expect("within bounds");
        assert_eq!(fitted.name(), network(shape, &weights, 400, String::new()).expect("within bounds").name());
    }

    #[test]
    fn outputs_rounded_together_are_nearer_to_the_exact_values_of_other_positions() {
        let shape = Shape { hidden: 32, buckets: 2 };
        let mut weights = TrainerState::new(shape, 3).weights;
        // Weights of the first layer are as large as trained ones, and integers: outputs could not correct their rounding.
        for weight in &mut weights[shape.range(Layer::Features)] {
            *weight = (*weight * 6.0 * QA as f32).round() / QA as f32;
        }
        let data = positions(3000);
        let (known, others) = data.split_at(2400);
        let mut trainer = Trainer::new(shape, 1);
        let exact = trainer.values(&weights, known);
        let expected = trainer.values(&weights, others);
        let scale = 400;
        let error = |network: &Network| {
            let found = values(network, others);
            let squares =
                found.iter().zip(&expected).map(|(value, expected)| (value / scale as f32 - expected).powi(2));
            (squares.sum::<f32>() / others.len() as f32).sqrt() * scale as f32
        };
        let plain = error(&network(shape, &weights, scale, String::new()).expect("within bounds"));
        let fitted = error(&fitted(shape, &weights, scale, String::new(), (known, &exact)).expect("within bounds"));
        assert!(fitted < plain * 0.75, "{fitted} {plain}");
    }
}
