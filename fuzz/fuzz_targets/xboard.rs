//! Any lines as output of an engine of the xboard protocol: sorted by their meaning, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_engine::score::Score;

mod game {
    pub use quarterply_games::game::GameResult;
}
#[path = "../../crates/games/src/players/xboard/features.rs"]
#[allow(dead_code, missing_docs)]
mod features;
#[path = "../../crates/games/src/players/xboard/line.rs"]
#[allow(dead_code, missing_docs)]
mod line;

fuzz_target!(|text: &str| {
    let mut known = features::Features::default();
    for text in text.lines() {
        match line::EngineLine::read(text) {
            line::EngineLine::Feature(pairs) => {
                for (name, value) in features::pairs(pairs) {
                    known.take(name, value);
                }
            }
            line::EngineLine::Thinking(thought) => {
                let score = thought.score.expect("it was read from a number");
                assert!(score > -Score::INFINITE && score < Score::INFINITE, "{score:?} from {text}");
            }
            _ => {}
        }
    }
});
