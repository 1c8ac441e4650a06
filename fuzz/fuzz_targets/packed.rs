//! Bytes of a file of packed games, and any bytes as the data of a block: refused with a message, or games that are packed again alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_datagen::packed::file::{PackedFile, is_packed};
use quarterply_datagen::packed::games::{decode, encode};
use std::path::Path;

/// Games that the data of a block is read as, at most.
const GAMES_MAX: u8 = 16;

fuzz_target!(|bytes: &[u8]| {
    match bytes {
        _ if is_packed(bytes) => file(bytes),
        [count, data @ ..] => block(data, u32::from(count % GAMES_MAX)),
        [] => {}
    }
});

fn file(bytes: &[u8]) {
    let file = match PackedFile::from_bytes(Path::new("fuzz.games"), bytes.to_vec()) {
        Ok(file) => file,
        Err(error) => return assert!(error.to_string().contains("fuzz.games")),
    };
    for block in file.blocks() {
        if let Err(error) = block.and_then(|block| block.decode()) {
            assert!(error.to_string().contains("fuzz.games"));
        }
    }
}

fn block(data: &[u8], count: u32) {
    let Ok(games) = decode(data, 1, count) else { return };
    let again = encode(&games).expect("games that were read can be replayed");
    assert_eq!(decode(&again, 1, count), Ok(games));
}
