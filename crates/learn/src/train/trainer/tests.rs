use super::*;
use crate::train::kernel::{ENDING_MEN, sigmoid};
use crate::train::quantise;
use crate::train::shape::TILE;
use crate::train::testing::positions;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;

const GOAL: Labels = Labels { result: 0.3, result_endings: 0.3, scale: 400.0, unit: 1.0, classical: 0.0 };
const STEP: TrainingStep = TrainingStep { goal: GOAL, rate: 1e-3, decay: 0.01, average: 0.0, distil: None };

fn all(data: &[Packed]) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

/// The mean loss, in the plainest way there is.
fn loss(shape: Shape, weights: &[f64], data: &[Packed], goal: &Labels) -> f64 {
    let value = |position: &Packed| {
        let seen = position.active_features();
        let bucket = quarterply_engine::network::bucket(position.pieces(), shape.buckets);
        let mut value = weights[shape.output_bias(bucket)];
        for (side, inputs) in [seen.own, seen.other].iter().enumerate() {
            for unit in 0..shape.hidden {
                let inputs = inputs[..seen.count].iter();
                let sum: f64 = inputs.map(|input| weights[shape.feature(usize::from(*input), unit)]).sum();
                let clipped = (sum + weights[shape.bias(unit)]).clamp(0.0, 1.0);
                value += clipped * clipped * weights[shape.output(bucket, side, unit)];
            }
        }
        let (share, classical) = (f64::from(goal.classical), f64::from(position.classical) / f64::from(goal.scale));
        let value = value * (1.0 - share) * f64::from(goal.unit) + classical * share;
        let miss = 1.0 / (1.0 + (-value).exp()) - f64::from(goal.target(position));
        miss * miss
    };
    data.iter().map(value).sum::<f64>() / data.len() as f64
}

/// For the network alone, for its blend with classical values, and for a network with a separate unit.
#[test]
fn gradients_are_those_of_finite_differences() {
    let valued = |(number, position): (usize, Packed)| position.with_classical(Score(37 * number as i32 - 2000));
    let data: Vec<Packed> = positions(150).into_iter().enumerate().map(valued).collect();
    for goal in [GOAL, Labels { classical: 0.4, ..GOAL }, Labels { unit: 1.6, ..GOAL }] {
        differentiate(&data, &goal);
    }
}

fn differentiate(data: &[Packed], goal: &Labels) {
    const DELTA: f64 = 1e-4;
    let shape = Shape { hidden: 2 * TILE, buckets: 2 };
    let state = TrainerState::new(shape, 7);
    let mut trainer = Trainer::new(shape, 2);
    trainer.differentiate(&state.weights, data, &all(data), &TrainingStep { goal: *goal, ..STEP });
    let parts: Vec<_> = trainer.parts.iter().map(lock).collect();
    let mean = parts.iter().map(|part| part.loss).sum::<f64>() / data.len() as f64;
    let gradient = |place: usize| parts.iter().map(|part| part.gradients[place]).sum::<f32>() / data.len() as f32;
    let exact: Vec<f64> = state.weights.iter().map(|weight| f64::from(*weight)).collect();
    assert!((mean - loss(shape, &exact, data, goal)).abs() < 1e-6);
    let mut compared = 0;
    for layer in Layer::ALL {
        let range = shape.range(layer);
        // The largest of a layer, and some others.
        let largest =
            range.clone().max_by(|a, b| gradient(*a).abs().total_cmp(&gradient(*b).abs())).expect("not empty");
        for place in range.clone().step_by(range.len() / 5 + 1).chain([largest]) {
            let nudged = |by: f64| {
                let mut weights = exact.clone();
                weights[place] += by;
                loss(shape, &weights, data, goal)
            };
            let slope = (nudged(DELTA) - nudged(-DELTA)) / (2.0 * DELTA);
            let found = f64::from(gradient(place));
            assert!((found - slope).abs() < 1e-6 + 1e-3 * slope.abs(), "{layer:?} {place}: {found} {slope}");
            compared += u32::from(slope.abs() > 1e-5);
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn threads_and_instructions_change_nothing() {
    let shape = Shape { hidden: 2 * TILE, buckets: 4 };
    let data = positions(700);
    let learn = |mut trainer: Trainer| {
        let mut state = TrainerState::new(shape, 1);
        let losses: Vec<f64> = (0..5).map(|_| trainer.step(&mut state, &data, &all(&data), &STEP)).collect();
        assert!(losses[4] < losses[0], "{losses:?}");
        let bits: Vec<u32> = state.weights.iter().map(|weight| weight.to_bits()).collect();
        (bits, losses.last().map(|loss| loss.to_bits()))
    };
    let plain = learn(Trainer::on(Arch::Scalar, shape, 1));
    for threads in [1, 2, 5, 40] {
        assert!(learn(Trainer::new(shape, threads)) == plain, "{threads} threads");
    }
}

#[test]
fn weights_stay_within_the_integer_range() {
    let shape = Shape { hidden: 1024, buckets: 1 };
    let data = positions(64);
    let mut state = TrainerState::new(shape, 1);
    state.weights.fill(3.0);
    let wild = TrainingStep { rate: 0.5, ..STEP };
    Trainer::new(shape, 1).step(&mut state, &data, &all(&data), &wild);
    let network = quantise::network(shape, &state.weights, 400, String::new());
    assert!(network.is_ok(), "{network:?}");
}

#[test]
fn the_rounded_network_has_nearly_the_same_values() {
    let shape = Shape { hidden: 2 * TILE, buckets: 8 };
    let data = positions(300);
    let mut state = TrainerState::new(shape, 2);
    // So that every bias counts.
    state.weights[shape.range(Layer::OutputBiases)].copy_from_slice(&[0.3, -0.2, 0.1, 0.5, -0.4, 0.25, 0.6, -0.7]);
    let exact = Trainer::new(shape, 1).values(&state.weights, &data);
    let (weights, facts) = (&state.weights, String::new);
    let plain = quantise::network(shape, weights, 400, facts()).expect("first weights are small");
    let settled = quantise::fitted(shape, weights, 400, facts(), (&data, &exact)).expect("so they are");
    let rounded = quantise::values(&settled, &data);
    let error = |network| {
        let differences = quantise::values(network, &data).into_iter().zip(&exact).map(|(r, e)| (r - e * 400.0).abs());
        differences.sum::<f32>() / data.len() as f32
    };
    assert!(error(&settled) < error(&plain), "{} {}", error(&settled), error(&plain));
    // First output weights are a few units only, of which rounding takes up to a half.
    for (exact, rounded) in exact.iter().zip(&rounded) {
        assert!((exact * 400.0 - rounded).abs() < 30.0, "{exact} {rounded}");
    }
    assert!(exact.iter().any(|value| (value - exact[0]).abs() > 0.05), "values differ");
}

#[test]
fn targets_are_between_score_and_result() {
    let position = |score, half_points| {
        let mut position = positions(1)[0];
        (position.score, position.half_points) = (score, half_points);
        position
    };
    for (score, half, expected) in [(0, 1, 0.5), (400, 2, 0.7 * sigmoid(1.0) + 0.3), (-400, 0, 0.7 * sigmoid(-1.0))] {
        assert!((GOAL.target(&position(score, half)) - expected).abs() < 1e-6);
    }
}

#[test]
fn results_of_endings_have_a_weight_of_their_own() {
    let goal = Labels { result: 0.0, result_endings: 1.0, ..GOAL };
    let board = |men: usize| {
        let pawns = ["8", "p7", "pp6", "ppp5", "pppp4", "ppppp3", "pppppp2", "ppppppp1", "pppppppp"];
        let (first, second) = ((men - 2).min(8), men - 2 - (men - 2).min(8));
        let fen = format!("4k3/8/{}/{}/8/8/8/4K3 w - - 0 1", pawns[first], pawns[second].to_uppercase());
        let game = Game::standard(&fen).expect("a position");
        let won = Packed::new(game.position(), 0, 2);
        assert_eq!(won.pieces(), men);
        won
    };
    for (men, expected) in [(ENDING_MEN - 1, 1.0), (ENDING_MEN, 1.0), (ENDING_MEN + 1, 0.5)] {
        assert_eq!(goal.target(&board(men)), expected, "{men} men");
    }
}

/// The average after each batch: it moves towards the latest weights by one minus what it keeps, which is less at first.
#[test]
fn the_average_keeps_its_share_and_less_at_first() {
    let shape = Shape { hidden: TILE, buckets: 1 };
    let (data, mut state) = (positions(100), TrainerState::new(shape, 7).with_average());
    let mut trainer = Trainer::new(shape, 1);
    let place = shape.output_bias(0);
    let mut expected = f64::from(state.weights[place]);
    for batch in 1..=40 {
        trainer.step(&mut state, &data, &all(&data), &TrainingStep { rate: 1e-2, average: 0.8, ..STEP });
        let keep = f64::min(0.8, f64::from(1 + batch) / f64::from(10 + batch));
        expected = keep * expected + (1.0 - keep) * f64::from(state.weights[place]);
        assert!((f64::from(state.result()[place]) - expected).abs() < 1e-6, "batch {batch}");
    }
    assert!((f64::from(state.weights[place]) - expected).abs() > 1e-5, "the latest weight is another");
}
