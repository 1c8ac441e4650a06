//! Any bytes as a suite: every line becomes a record or an error that names its line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_files::epd;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = epd::parse_suite("fuzz.epd", bytes) {
        assert!(error.to_string().contains("fuzz.epd"));
    }
});
