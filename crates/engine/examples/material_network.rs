//! Writes a network that counts material, with noise in all its other numbers: something to measure the speed of networks with.
//!
//! ```sh
//! cargo run --release -p quarterply-engine --example material_network -- 256 8 material.nnue
//! ```

use quarterply_engine::network::{INPUTS, Network, Parts};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::ExitCode;

/// Squares of a piece of one role and side among the inputs.
const SQUARES: usize = 64;
/// What pieces add to a neuron that counts material: pawn to king.
const VALUES: [i16; 6] = [4, 12, 13, 20, 38, 0];
/// Neurons that count material, each worth a quarter of it.
const COUNTERS: usize = 4;
/// Where those neurons stand when material is even.
const MIDDLE: i16 = 128;
const OUTPUT: i16 = 127;
/// The other neurons: bias, and greatest weights before and behind them.
const NOISE: [i16; 3] = [64, 12, 4];

fn parts(neurons: usize, buckets: usize) -> Parts {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut weights = Vec::with_capacity(INPUTS * neurons);
    for input in 0..INPUTS {
        let piece = input / SQUARES;
        let value = if piece < VALUES.len() { VALUES[piece] } else { -VALUES[piece - VALUES.len()] };
        let noise = |_| random.random_range(-NOISE[1]..=NOISE[1]);
        weights.extend((0..COUNTERS).map(|_| value).chain((COUNTERS..neurons).map(noise)));
    }
    let mut output_weights = Vec::with_capacity(2 * neurons * buckets);
    for half in 0..2 * buckets {
        let counter = if half % 2 == 0 { OUTPUT } else { -OUTPUT };
        let noise = |_| random.random_range(-NOISE[2]..=NOISE[2]);
        output_weights.extend((0..COUNTERS).map(|_| counter).chain((COUNTERS..neurons).map(noise)));
    }
    Parts {
        neurons,
        buckets,
        scale: 400,
        facts: "{\"made\":\"by example material_network, not trained\"}".to_owned(),
        weights,
        biases: (0..neurons).map(|neuron| if neuron < COUNTERS { MIDDLE } else { NOISE[0] }).collect(),
        output_weights,
        output_biases: vec![0; buckets],
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers = |index: usize| arguments.get(index).and_then(|text| text.parse().ok());
    let (Some(neurons @ COUNTERS..), Some(buckets), Some(path)) = (numbers(0), numbers(1), arguments.get(2)) else {
        eprintln!("give the neurons of a perspective, the output buckets and the file: 256 8 material.nnue");
        return ExitCode::from(2);
    };
    let written = Network::new(&parts(neurons, buckets))
        .map_err(|error| error.to_string())
        .and_then(|network| std::fs::write(path, network.encode()).map_err(|error| format!("{path}: {error}")));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}
