//! Fingerprints that are the same on every machine and for ever: FNV-1a in 64 bits.

use quarterply_engine::params::Parameters;

/// A hash of the bytes added so far.
pub struct Fingerprint(pub u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint::new()
    }
}

impl Fingerprint {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// The hash of nothing.
    pub fn new() -> Fingerprint {
        Fingerprint(Fingerprint::BASIS)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(Fingerprint::PRIME));
    }
}

/// A short fingerprint of bytes in hexadecimal.
pub fn fingerprint(bytes: &[u8]) -> String {
    let mut hash = Fingerprint::new();
    hash.add(bytes);
    format!("{:016x}", hash.0)
}

/// A fingerprint of parameters, learned coefficients and network: equal if all values that differ from the defaults are equal. Names of
/// files do not matter, nor does the code that uses the values.
pub fn of_parameters(parameters: &Parameters) -> String {
    let numbers = parameters.differing().map(|(entry, value)| (entry.name, value));
    let values = numbers.chain(parameters.differing_coefficients()).map(|(name, value)| format!("{name}={value}\n"));
    fingerprint((values.collect::<String>() + &parameters.eval_file.identity()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::network::EvalFile;

    #[test]
    fn parameters_differ_by_every_value_coefficient_and_network() {
        let usual = Parameters::default();
        let with = |name: &str, value: i32| {
            let mut parameters = Parameters::default();
            parameters.restore(name, value).expect(name);
            parameters
        };
        // A number of a rule that is off and one of the clock: no bench differs by them.
        let others = [with("multi_cut.reduction", 3), with("clock.moves_to_go", 60), with("learned_cost.bias", 77)];
        let classical = Parameters::with_evaluation(EvalFile::Classical);
        let mut all: Vec<String> = others.iter().chain([&usual, &classical]).map(of_parameters).collect();
        assert_eq!(of_parameters(&usual.clone()), of_parameters(&usual));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), others.len() + 2);
    }

    #[test]
    fn fingerprints_are_the_published_ones() {
        for (text, expected) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
            assert_eq!(fingerprint(text.as_bytes()), expected, "{text}");
        }
    }
}
