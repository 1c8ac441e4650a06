//! From weights in training to the network that the engine reads: rounded to whole numbers.

use crate::packed::Packed;
use crate::shape::{SIDES, Shape};
use quarterply_engine::network::{INPUTS, Network, NetworkError, Parts, QA, QB, bucket};
use shakmaty::Color;

/// Rounds weights to the network that plays; `facts`: what is known of its making, as JSON.
///
/// # Errors
/// The shape is none that the engine takes, or a weight is beyond its bounds.
pub fn network(shape: Shape, weights: &[f32], scale: i32, facts: String) -> Result<Network, NetworkError> {
    let Shape { hidden, buckets } = shape;
    let whole = |place: usize, one: i32| (weights[place] * one as f32).round() as i16;
    let features = |input| (0..hidden).map(move |unit| whole(shape.feature(input, unit), QA));
    let outputs = |bucket| {
        (0..SIDES).flat_map(move |side| (0..hidden).map(move |unit| whole(shape.output(bucket, side, unit), QB)))
    };
    let bias = |bucket| (weights[shape.output_bias(bucket)] * (QA * QB) as f32).round() as i32;
    Network::new(&Parts {
        neurons: hidden,
        buckets,
        scale,
        facts,
        weights: (0..INPUTS).flat_map(features).collect(),
        biases: (0..hidden).map(|unit| whole(shape.bias(unit), QA)).collect(),
        output_weights: (0..buckets).flat_map(outputs).collect(),
        output_biases: (0..buckets).map(bias).collect(),
    })
}

/// The same network without the mean of what rounding changes: `exact` are the values of some positions before it, in units of the
/// scale. Rounding errs for most positions of a bucket to the same side, and its bias can make up for that.
///
/// # Errors
/// As [`network`].
pub fn settled(
    shape: Shape,
    weights: &[f32],
    scale: i32,
    facts: String,
    (positions, exact): (&[Packed], &[f32]),
) -> Result<Network, NetworkError> {
    let rounded = values(&network(shape, weights, scale, String::new())?, positions);
    let mut sums = vec![(0.0, 0u32); shape.buckets];
    for ((position, exact), rounded) in positions.iter().zip(exact).zip(rounded) {
        let (sum, count) = &mut sums[bucket(position.pieces(), shape.buckets)];
        *sum += f64::from(*exact) - f64::from(rounded) / f64::from(scale);
        *count += 1;
    }
    let mut weights = weights.to_vec();
    for (bucket, (sum, count)) in sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0) {
        weights[shape.output_bias(bucket)] += (sum / f64::from(count)) as f32;
    }
    network(shape, &weights, scale, facts)
}

/// The network's values of positions for their sides to move (pawns/100).
pub fn values(network: &Network, data: &[Packed]) -> Vec<f32> {
    data.iter().map(|position| network.value(&position.board(), Color::White).0 as f32).collect()
}
