//! Training: a softmax over the quiet moves of each position, by gradient descent with an adaptive step for each weight
//! (Adagrad).
//!
//! One thread and one order of positions: the same data and seed give the same network everywhere, to the bit.

use super::data::{OrderData, OrderExample};
use quarterply_engine::ordering::network::{CEILING, HIDDEN_ONE, NAT, Network, OUTPUT_ONE, Sparse};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Settings of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderPlan {
    /// Hidden units.
    pub hidden: usize,
    /// Passes over the positions.
    pub passes: usize,
    /// First step of a weight; its steps shrink with the sum of its squared gradients.
    pub rate: f32,
    /// Decides first weights and the order of positions.
    pub seed: u64,
}

impl OrderPlan {
    /// The default plan for a network with this number of hidden units.
    pub fn with_hidden(hidden: usize) -> OrderPlan {
        OrderPlan { hidden, passes: 4, rate: 0.05, seed: 1 }
    }
}

/// The accuracy of the predicted moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Cross-entropy of the move played (bits).
    pub bits: f64,
    /// Share of positions in which the move played comes first.
    pub top_1: f64,
    /// Share in which it is among the first three.
    pub top_3: f64,
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct OrderFit {
    /// Rounded to whole numbers.
    pub network: Network,
    /// Held-out games after each pass, before rounding.
    pub quality_by_pass: Vec<Quality>,
    /// Held-out games: every quiet move equally likely.
    pub uniform: Quality,
    /// Held-out games: the rounded network.
    pub rounded: Quality,
}

/// Weights with the sums of their squared gradients.
struct Layer {
    weights: Vec<f32>,
    squares: Vec<f32>,
    /// Greatest size that the integers can hold.
    limit: f32,
}

impl Layer {
    fn new(count: usize, one: i32, mut first: impl FnMut() -> f32) -> Layer {
        let limit = i8::MAX as f32 / one as f32;
        Layer { weights: (0..count).map(|_| first()).collect(), squares: vec![0.0; count], limit }
    }

    #[inline]
    fn step(&mut self, at: usize, gradient: f32, rate: f32) {
        const SMALL: f32 = 1e-6;
        self.squares[at] += gradient * gradient;
        let moved = self.weights[at] - rate * gradient / (self.squares[at] + SMALL).sqrt();
        self.weights[at] = moved.clamp(-self.limit, self.limit);
    }

    fn rounded(&self, one: i32) -> Vec<i8> {
        self.weights.iter().map(|weight| (weight * one as f32).round() as i8).collect()
    }
}

/// The network in training.
struct OrderModel {
    hidden: usize,
    first: Layer,
    first_bias: Layer,
    second: Layer,
    second_bias: Layer,
    /// The gradient of each output; the indices of changed ones are in `touched`.
    output_gradients: Vec<f32>,
    touched: Vec<usize>,
}

/// Greatest value of a hidden unit.
const CEILING_F: f32 = CEILING as f32 / HIDDEN_ONE as f32;

impl OrderModel {
    fn new(inputs: usize, outputs: usize, plan: &OrderPlan) -> OrderModel {
        const FIRST: f32 = 0.2;
        const SECOND: f32 = 0.1;
        let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
        let around = |size: f32| move |random: &mut ChaCha8Rng| random.random_range(-size..size);
        let (first, second) = (around(FIRST), around(SECOND));
        OrderModel {
            hidden: plan.hidden,
            first: Layer::new(inputs * plan.hidden, HIDDEN_ONE, || first(&mut random)),
            second: Layer::new(outputs * plan.hidden, OUTPUT_ONE, || second(&mut random)),
            first_bias: Layer::new(plan.hidden, HIDDEN_ONE, || FIRST),
            second_bias: Layer::new(outputs, OUTPUT_ONE, || 0.0),
            output_gradients: vec![0.0; outputs],
            touched: Vec::new(),
        }
    }

    /// The sums of the hidden units, before they are clipped.
    fn sums(&self, inputs: &[(u16, i8)]) -> Vec<f32> {
        let mut sums = self.first_bias.weights.clone();
        for &(input, factor) in inputs {
            let row = &self.first.weights[usize::from(input) * self.hidden..][..self.hidden];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight * f32::from(factor));
        }
        sums
    }

    fn output(&self, hidden: &[f32], unit: usize) -> f32 {
        let row = &self.second.weights[unit * self.hidden..][..self.hidden];
        row.iter().zip(hidden).map(|(weight, value)| weight * value).sum::<f32>() + self.second_bias.weights[unit]
    }

    /// The value of each move of a position (nats).
    fn values(&self, hidden: &[f32], example: &OrderExample<'_>) -> Vec<f32> {
        let value = |units: &[(u16, i8)]| {
            units.iter().map(|&(unit, factor)| self.output(hidden, unit.into()) * f32::from(factor)).sum()
        };
        example.moves().map(value).collect()
    }

    /// One step towards the move that was played.
    fn learn(&mut self, example: &OrderExample<'_>, rate: f32) {
        let sums = self.sums(example.inputs());
        let hidden = clipped(&sums);
        let chances = softmax(&self.values(&hidden, example));
        for (place, units) in example.moves().enumerate() {
            let error = chances[place] - if place == example.played() { 1.0 } else { 0.0 };
            for &(unit, factor) in units {
                let unit = usize::from(unit);
                if self.output_gradients[unit] == 0.0 {
                    self.touched.push(unit);
                }
                self.output_gradients[unit] += error * f32::from(factor);
            }
        }
        let mut below = vec![0.0; self.hidden];
        for unit in std::mem::take(&mut self.touched) {
            let error = std::mem::take(&mut self.output_gradients[unit]);
            for at in 0..self.hidden {
                let cell = unit * self.hidden + at;
                below[at] += error * self.second.weights[cell];
                self.second.step(cell, error * hidden[at], rate);
            }
            self.second_bias.step(unit, error, rate);
        }
        // A hidden unit that is clipped does not move.
        let open = |at: usize| sums[at] > 0.0 && sums[at] < CEILING_F;
        for at in (0..self.hidden).filter(|&at| open(at)) {
            self.first_bias.step(at, below[at], rate);
            for &(input, factor) in example.inputs() {
                self.first.step(usize::from(input) * self.hidden + at, below[at] * f32::from(factor), rate);
            }
        }
    }

    fn rounded(&self) -> Network {
        Network {
            hidden: self.hidden,
            first: self.first.rounded(HIDDEN_ONE),
            first_bias: self.first_bias.rounded(HIDDEN_ONE),
            second: self.second.rounded(OUTPUT_ONE),
            second_bias: self.second_bias.rounded(OUTPUT_ONE),
        }
    }
}

fn clipped(sums: &[f32]) -> Vec<f32> {
    sums.iter().map(|sum| sum.clamp(0.0, CEILING_F)).collect()
}

/// Chances of moves from their values (nats).
fn softmax(values: &[f32]) -> Vec<f32> {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = values.iter().map(|value| libm::expf(value - most)).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// How well the values that `values` returns for the moves of each position predict the move played.
fn quality(data: &OrderData, mut values: impl FnMut(&OrderExample<'_>) -> Vec<f32>) -> Quality {
    let (mut bits, mut top_1, mut top_3) = (0.0, 0.0, 0.0);
    for index in 0..data.positions() {
        let example = data.example(index);
        let (values, played) = (values(&example), example.played());
        // Moves with the same value share their ranks equally.
        let before = values.iter().filter(|&&value| value > values[played]).count() as f64;
        let equal = values.iter().filter(|&&value| value == values[played]).count() as f64;
        let among = |places: f64| ((places - before) / equal).clamp(0.0, 1.0);
        bits -= libm::log2(f64::from(softmax(&values)[played]).max(f64::MIN_POSITIVE));
        top_1 += among(1.0);
        top_3 += among(3.0);
    }
    let count = data.positions().max(1) as f64;
    Quality { bits: bits / count, top_1: top_1 / count, top_3: top_3 / count }
}

/// The quality of a network of whole numbers.
pub fn measure(network: &Network, data: &OrderData) -> Quality {
    quality(data, |example| {
        let inputs: Sparse = example.inputs().iter().copied().collect();
        let hidden = network.hidden(&inputs);
        let value = |units: &[(u16, i8)]| network.value(&hidden, &units.iter().copied().collect()) as f32 / NAT as f32;
        example.moves().map(value).collect()
    })
}

/// Trains. `progress` receives the number of the pass and the result on held-out games.
pub fn fit(
    (inputs, outputs): (usize, usize),
    train: &OrderData,
    held_out: &OrderData,
    plan: &OrderPlan,
    mut progress: impl FnMut(usize, Quality),
) -> OrderFit {
    let mut model = OrderModel::new(inputs, outputs, plan);
    let mut order: Vec<usize> = (0..train.positions()).collect();
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed.wrapping_add(1));
    let mut quality_by_pass = Vec::new();
    for pass in 1..=plan.passes {
        order.shuffle(&mut random);
        for &index in &order {
            model.learn(&train.example(index), plan.rate);
        }
        let reached = quality(held_out, |example| model.values(&clipped(&model.sums(example.inputs())), example));
        quality_by_pass.push(reached);
        progress(pass, reached);
    }
    let network = model.rounded();
    let rounded = measure(&network, held_out);
    let uniform = quality(held_out, |example| vec![0.0; example.moves().len()]);
    OrderFit { network, quality_by_pass, uniform, rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::NetworkInput;
    use quarterply_engine::position::Game;

    /// Positions of games in which always the move with the smallest unit is played: a rule that can be learned.
    fn data(games: usize, first: u64) -> OrderData {
        let mut data = OrderData::default();
        for seed in first..first + games as u64 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut game = Game::new();
            for _ in 0..40 {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                let units = NetworkInput::MOVE_MAP.units;
                let number = |mv: &shakmaty::Move| units(game.position(), *mv).first().map_or(0, |u| u.0);
                let quiet = moves.iter().copied().filter(|&mv| quarterply_engine::position::is_quiet(mv));
                if let Some(least) = quiet.min_by_key(number) {
                    data.push(NetworkInput::MOVE_MAP, game.position(), least);
                }
                game.play(moves[random.random_range(0..moves.len())]);
            }
        }
        data
    }

    fn trained(seed: u64) -> OrderFit {
        let plan = OrderPlan { hidden: 8, passes: 3, rate: 0.1, seed };
        let sizes = (NetworkInput::MOVE_MAP.inputs, NetworkInput::MOVE_MAP.outputs);
        fit(sizes, &data(30, 0), &data(5, 1000), &plan, |_, _| ())
    }

    #[test]
    fn a_rule_is_learned_and_survives_rounding() {
        let fit = trained(1);
        assert!(fit.uniform.bits > 3.5 && fit.uniform.top_1 < 0.1, "{:?}", fit.uniform);
        assert!(fit.rounded.top_1 > 0.4 && fit.rounded.top_3 > 0.6, "{:?}", fit.rounded);
        let last = fit.quality_by_pass.last().expect("three passes");
        assert!((fit.rounded.bits - last.bits).abs() < 0.1, "{:?} {last:?}", fit.rounded);
        assert!(fit.quality_by_pass[2].bits < fit.quality_by_pass[0].bits);
    }

    #[test]
    fn a_seed_determines_the_network() {
        let one = trained(1).network;
        assert_eq!(one, trained(1).network);
        assert_ne!(one, trained(2).network);
    }

    #[test]
    fn equal_values_share_the_places() {
        let data = data(1, 7);
        let first = quality(&data, |example| {
            let mut values = vec![0.0; example.moves().len()];
            values[example.played()] = 30.0;
            values
        });
        assert!(first.bits < 0.001 && first.top_1 == 1.0 && first.top_3 == 1.0, "{first:?}");
        let uniform = quality(&data, |example| vec![1.0; example.moves().len()]);
        // Some positions have fewer than three quiet moves.
        assert!(uniform.top_1 < 0.1 && uniform.top_3 <= 3.0 * uniform.top_1, "{uniform:?}");
        assert!(uniform.top_3 > 2.0 * uniform.top_1, "{uniform:?}");
    }
}
