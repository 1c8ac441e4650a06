//! Any text as what another tuner found: refused with a message that names the file, or values that all lie in their ranges.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_engine::params::Parameters;
use quarterply_tune::import;

fuzz_target!(|text: &str| {
    match import::import("fuzz.txt", text, &Parameters::default()) {
        Ok(found) => {
            assert!(!found.changes.is_empty());
            for entry in Parameters::specs() {
                let value = found.parameters.get(&entry.name).expect("every parameter has a value");
                assert!((entry.spec.min..=entry.spec.max).contains(&value), "{} is {value}", entry.name);
            }
        }
        Err(error) => assert!(error.to_string().contains("fuzz.txt"), "{error}"),
    }
});
