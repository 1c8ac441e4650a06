//! Initial weights taken from a network instead of random ones.
//!
//! A network of an earlier generation has learned most of what the next one needs, so fewer passes are enough. Its integers are used
//! without change; the moments of its training are not known and start at zero.

use crate::train::error::TrainError;
use crate::train::settings::Plan;
use crate::train::shape::SIDES;
use crate::train::trainer::TrainerState;
use quarterply_engine::network::{INPUTS, Network, QA, QB};

/// The copy of the network in the folder of a run.
pub const START: &str = "start.nnue";

/// The initial state of a run of this plan with the weights of this network. Additional outputs of the plan are copies.
///
/// # Errors
/// The plan has another shape: the flag is named with its valid value.
pub fn state(network: &Network, plan: &Plan) -> Result<TrainerState, TrainError> {
    let parts = network.parts();
    let refused = |text: String| Err(TrainError::Setting(text));
    if plan.hidden != parts.neurons {
        return refused(format!("--hidden {}: the network of --from has {1}; give {1}", plan.hidden, parts.neurons));
    }
    let (buckets, given) = (parts.buckets, plan.buckets);
    if !given.is_multiple_of(buckets) {
        return refused(format!("--buckets {given}: the network of --from has {buckets}; give a multiple of that"));
    }
    let shape = plan.shape();
    let mut state = TrainerState::new(shape, plan.seed);
    let weights = &mut state.weights;
    for unit in 0..shape.hidden {
        for input in 0..INPUTS {
            weights[shape.feature(input, unit)] = f32::from(parts.weights[input * shape.hidden + unit]) / QA as f32;
        }
        weights[shape.bias(unit)] = f32::from(parts.biases[unit]) / QA as f32;
    }
    for bucket in 0..shape.buckets {
        let from = bucket * parts.buckets / shape.buckets;
        for side in 0..SIDES {
            for unit in 0..shape.hidden {
                let weight = parts.output_weights[(from * SIDES + side) * shape.hidden + unit];
                weights[shape.output(bucket, side, unit)] = f32::from(weight) / QB as f32;
            }
        }
        weights[shape.output_bias(bucket)] = parts.output_biases[from] as f32 / (QA * QB) as f32;
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::quantise;
    use crate::train::testing::positions;

    /// A network of random numbers, with its outputs all different.
    fn network(plan: &Plan) -> Network {
        let mut state = TrainerState::new(plan.shape(), 5);
        for bucket in 0..plan.buckets {
            state.weights[plan.shape().output_bias(bucket)] = bucket as f32 / 10.0;
        }
        quantise::network(plan.shape(), &state.weights, plan.scale, "{}".into()).expect("its numbers fit")
    }

    #[test]
    fn a_network_comes_back_as_it_was() {
        let plan = Plan { hidden: 32, buckets: 4, ..Plan::default() };
        let network = network(&plan);
        let state = state(&network, &plan).expect("the same shape");
        let again = quantise::network(plan.shape(), &state.weights, plan.scale, "{}".into()).expect("its numbers fit");
        assert_eq!(again.name(), network.name());
        assert_eq!(state.steps, 0);
    }

    #[test]
    fn additional_outputs_have_the_values_of_their_origins() {
        let (few, many) =
            (Plan { hidden: 32, buckets: 2, ..Plan::default() }, Plan { hidden: 32, buckets: 8, ..Plan::default() });
        let network = network(&few);
        let state = state(&network, &many).expect("more outputs");
        let more = quantise::network(many.shape(), &state.weights, many.scale, "{}".into()).expect("its numbers fit");
        let positions = positions(200);
        assert_eq!(quantise::values(&more, &positions), quantise::values(&network, &positions));
    }

    #[test]
    fn a_plan_of_another_kind_is_refused() {
        let plan = Plan { hidden: 32, buckets: 4, ..Plan::default() };
        let network = network(&plan);
        for (other, says) in [
            (Plan { hidden: 64, ..plan.clone() }, "--hidden 64: the network of --from has 32"),
            (Plan { buckets: 2, ..plan.clone() }, "--buckets 2: the network of --from has 4"),
        ] {
            let error = state(&network, &other).expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
