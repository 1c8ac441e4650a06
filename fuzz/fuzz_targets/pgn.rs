//! Any bytes as games in PGN: read, or refused with a message that names the file; and games made from the bytes: each move is read, or
//! belongs to a game that is reported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_games::pgn::{GameError, GameFault, parse_annotated};

#[path = "../../crates/games/src/pgn/tests/generated.rs"]
mod generated;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = parse_annotated("fuzz.pgn", bytes) {
        assert!(error.to_string().contains("fuzz.pgn"));
    }
    generated::check(bytes);
});
