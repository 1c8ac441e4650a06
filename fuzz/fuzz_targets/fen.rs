//! Any text as FEN: refused with a message, or a position that writes itself down and reads itself back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;

fuzz_target!(|text: &str| {
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        match Game::from_fen(text, mode) {
            Ok(game) => {
                let again = Game::from_fen(&game.fen(), mode).expect("our own FEN is legal");
                assert_eq!(again.fen(), game.fen());
                assert_eq!(again.position().key(), game.position().key());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
