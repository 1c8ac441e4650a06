//! The mean of several networks (model soups, `wortsman2022`).
//!
//! Networks that were trained with other settings from common start weights are in one basin of the loss, and so is the mean of
//! their weights, often nearer to its minimum. The mean of networks without a common start is meaningless.

use crate::train::error::TrainError;
use quarterply_engine::network::{Network, Parts};
use serde_json::{Value, json};

/// A property of networks: its name, and what it is of one.
type Alike = (&'static str, fn(&Network) -> Value);

/// What has to be the same in all networks of a mean.
const ALIKE: [Alike; 6] = [
    ("threat inputs", |network| json!(network.threats())),
    ("hidden units", |network| json!(network.neurons())),
    ("output buckets", |network| json!(network.buckets())),
    ("scale", |network| json!(network.parts().scale)),
    ("share of the classical evaluation", |network| known(network)["plan"]["classical"].clone()),
    ("network to begin with", |network| known(network)["plan"]["from"].clone()),
];

/// The facts of a network; `null` if they are none.
fn known(network: &Network) -> Value {
    serde_json::from_str(network.facts()).unwrap_or_default()
}

/// The mean of some networks, each with its name for people. The facts are those of the first, and what the others were.
///
/// # Errors
/// There are fewer than two, or one differs from the first in what must be alike.
pub fn average(networks: &[(String, Network)]) -> Result<Network, TrainError> {
    let [(first_name, first), others @ ..] = networks else { return Err(few(networks.len())) };
    if others.is_empty() {
        return Err(few(networks.len()));
    }
    for (what, of) in ALIKE {
        for (name, network) in others {
            let (found, wanted) = (of(network), of(first));
            if found != wanted {
                let text = format!(
                    "{name}: {what} {found}, of {first_name} {wanted}: only networks that are alike have a mean"
                );
                return Err(TrainError::Setting(text));
            }
        }
    }
    let all: Vec<Parts> = networks.iter().map(|(_, network)| network.parts()).collect();
    let mut facts = known(first);
    if let Value::Object(facts) = &mut facts {
        let names: Vec<String> = networks.iter().map(|(_, network)| network.name()).collect();
        facts.insert("mean_of".to_owned(), json!(names));
        // The loss of the mean was not measured.
        facts.remove("held_out_loss");
    }
    Ok(Network::new(&Parts {
        facts: facts.to_string(),
        weights: mean(&all, |parts| &parts.weights),
        biases: mean(&all, |parts| &parts.biases),
        output_weights: mean(&all, |parts| &parts.output_weights),
        output_biases: mean(&all, |parts| &parts.output_biases),
        ..first.parts()
    })?)
}

fn few(found: usize) -> TrainError {
    TrainError::Setting(format!("{found} networks have no mean: name two or more"))
}

/// The rounded means of a list of numbers, one by one.
fn mean<T: Copy + Into<i64> + TryFrom<i64>>(all: &[Parts], list: fn(&Parts) -> &Vec<T>) -> Vec<T> {
    let count = all.len() as f64;
    (0..list(&all[0]).len())
        .map(|at| {
            let sum: i64 = all.iter().map(|parts| -> i64 { list(parts)[at].into() }).sum();
            let mean = libm::round(sum as f64 / count) as i64;
            // Between the least and the greatest of them.
            T::try_from(mean).unwrap_or(list(&all[0])[at])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::network::INPUTS;

    fn network(weight: i16, facts: &str) -> (String, Network) {
        let neurons = 32;
        let parts = Parts {
            neurons,
            buckets: 1,
            threats: false,
            scale: 400,
            facts: facts.to_owned(),
            weights: vec![weight; INPUTS * neurons],
            biases: vec![-weight; neurons],
            output_weights: (0..2 * neurons as i16).map(|at| at % 8 - weight).collect(),
            output_biases: vec![i32::from(weight) * 1000],
        };
        (format!("{weight}.nnue"), Network::new(&parts).expect("small numbers"))
    }

    const FACTS: &str = r#"{"plan":{"classical":0.5,"from":"768x32x1-00000000"},"held_out_loss":0.1}"#;

    #[test]
    fn every_number_is_the_rounded_mean() {
        let mean = average(&[network(3, FACTS), network(4, FACTS), network(9, FACTS)]).expect("alike").parts();
        assert!(mean.weights.iter().all(|&weight| weight == 5), "16 / 3 rounded");
        assert!(mean.biases.iter().all(|&bias| bias == -5));
        assert_eq!(mean.output_weights[..9], [-5, -4, -3, -2, -1, 0, 1, 2, -5]);
        assert_eq!(mean.output_biases, [5333]);
        assert!(mean.facts.contains("mean_of") && !mean.facts.contains("held_out_loss"), "{}", mean.facts);
        assert!(mean.facts.contains("\"classical\":0.5"), "{}", mean.facts);
    }

    #[test]
    fn only_networks_that_are_alike_have_a_mean() {
        let other = FACTS.replace("0.5", "0.25");
        let apart = FACTS.replace("00000000", "00000001");
        for (networks, says) in [
            (vec![], "0 networks have no mean"),
            (vec![network(3, FACTS)], "1 networks have no mean: name two or more"),
            (
                vec![network(3, FACTS), network(4, &other)],
                "4.nnue: share of the classical evaluation 0.25, of 3.nnue 0.5",
            ),
            (vec![network(3, FACTS), network(4, &apart)], "network to begin with \"768x32x1-00000001\""),
        ] {
            let error = average(&networks).expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
