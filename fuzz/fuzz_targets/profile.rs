//! Any bytes as a profile: refused with a message that names the file, or parameters that are written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_files::profile;

fuzz_target!(|bytes: &[u8]| {
    match profile::parse_profile("fuzz.toml", bytes) {
        Ok(parameters) => {
            let text = profile::write_profile(&parameters, |_| true);
            let again = profile::parse_profile("again.toml", text.as_bytes()).expect("our own profile is read");
            assert_eq!(again, parameters);
        }
        Err(error) => assert!(error.to_string().contains("fuzz.toml"), "{error}"),
    }
});
