//! Any lines as UCI commands: parsed, ignored or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_uci::command;

fuzz_target!(|text: &str| {
    for line in text.lines() {
        if let Err(error) = command::parse(line) {
            assert!(!error.to_string().is_empty());
        }
    }
});
