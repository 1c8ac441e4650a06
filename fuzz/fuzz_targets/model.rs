//! Any text as a model: refused, or searched and written in every form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_window::{Model, text};

fuzz_target!(|input: &str| {
    if let Ok(model) = Model::parse(input) {
        let run = model.run();
        assert!(!run.pv.is_empty());
        assert!(!text::log(&run).is_empty() && !text::diagram(&run).is_empty());
        assert!(run.to_json().is_object());
    }
});
