//! Any lines as what an engine of the xboard protocol says: sorted by what they mean, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_engine::score::Score;

mod game {
    pub use quarterply_games::game::Claim;
}
#[path = "../../crates/games/src/players/xboard/features.rs"]
#[allow(dead_code, missing_docs)]
mod features;
#[path = "../../crates/games/src/players/xboard/said.rs"]
#[allow(dead_code, missing_docs)]
mod said;

fuzz_target!(|text: &str| {
    let mut known = features::Features::default();
    for line in text.lines() {
        match said::Said::read(line) {
            said::Said::Feature(pairs) => {
                for (name, value) in features::pairs(pairs) {
                    known.take(name, value);
                }
            }
            said::Said::Thinking(thought) => {
                let score = thought.score.expect("it was read from a number");
                assert!(score > -Score::INFINITE && score < Score::INFINITE, "{score:?} from {line}");
            }
            _ => {}
        }
    }
});
