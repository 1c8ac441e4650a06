//! Any bytes as games in PGN: read, or refused with a message that names the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_games::pgn;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = pgn::parse_games("fuzz.pgn", bytes) {
        assert!(error.to_string().contains("fuzz.pgn"));
    }
    if let Err(error) = pgn::parse_annotated("fuzz.pgn", bytes) {
        assert!(error.to_string().contains("fuzz.pgn"));
    }
});
