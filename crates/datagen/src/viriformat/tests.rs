use super::*;
use crate::opening::{random_opening, stream};
use proptest::prelude::*;
use quarterply_engine::position::Game;

const FENS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 13 77",
    "8/8/4kpp1/3p4/3P1PP1/4K3/8/8 w - - 99 300",
    "6k1/5ppp/8/2pP4/8/2n5/5PPP/3B2K1 w - c6 0 30",
    "4k3/PP4P1/8/8/8/8/pp4p1/4K3 b - - 0 40",
    // Castling rooks elsewhere, one of two on the same side.
    "1r2k1r1/8/8/8/8/8/8/1R2K1RR w GBgb - 0 1",
];

fn game(fen: &str) -> Game {
    let mode = if fen.contains('G') { CastlingMode::Chess960 } else { CastlingMode::Standard };
    Game::from_fen(fen, mode).expect(fen)
}

/// Everything about a position.
fn same(a: &Chess, b: &Chess) -> bool {
    a == b
        && a.halfmoves() == b.halfmoves()
        && a.fullmoves() == b.fullmoves()
        && a.legal_ep_square() == b.legal_ep_square()
}

#[test]
fn positions_come_back() {
    for fen in FENS {
        let chess = game(fen).position().chess().clone();
        let (back, mode) = decode_position(&encode_position(&chess)).expect(fen);
        assert!(same(&chess, &back), "{fen}: {back:?}");
        assert_eq!(mode, game(fen).castling_mode(), "{fen}");
    }
}

#[test]
fn every_legal_move_comes_back_and_no_other_does() {
    for fen in FENS {
        let game = game(fen);
        let position = game.position();
        let legal: std::collections::HashMap<u16, Move> =
            position.legal_moves().into_iter().map(|mv| (encode_move(mv), mv)).collect();
        assert_eq!(legal.len(), position.legal_moves().len(), "{fen}: two moves share a code");
        assert!(!legal.contains_key(&0), "{fen}");
        for raw in 0..=u16::MAX {
            // A promotion piece without promotion is not looked at, as the format allows it to be zero.
            let clean =
                if raw >> KIND_SHIFT == KIND_PROMOTION { raw } else { raw & !(PROMOTION_MASK << PROMOTION_SHIFT) };
            assert_eq!(decode_move(position, raw), legal.get(&clean).copied(), "{fen} {raw:#06x}");
        }
    }
}

/// The example of the format's specification. It prints the four bits of the first piece of a byte first; the crate, like all
/// implementations, stores them last.
#[test]
fn the_start_position_is_that_of_the_specification() {
    let bytes = encode_position(&Chess::default());
    let nibbles: Vec<u8> = bytes[PIECES..TURN].iter().map(|byte| byte.rotate_left(4)).collect();
    let bytes = [&bytes[..PIECES], &nibbles, &bytes[TURN..]].concat();
    let words: [u64; 4] =
        std::array::from_fn(|i| u64::from_be_bytes(bytes[8 * i..8 * i + 8].try_into().expect("8 bytes")));
    assert_eq!(words, [0xffff_0000_0000_ffff, 0x6124_5216_0000_0000, 0x8888_8888_e9ac_da9e, 0x4000_0100_0000_0000]);
    let mut game = Game::new();
    for (text, code) in [("e2e4", 0x070c), ("e7e5", 0x0934), ("d1h5", 0x09c3), ("e8e7", 0x0d3c), ("h5e5", 0x0927)] {
        assert_eq!(encode_move(game.play_uci(text).expect(text)), code, "{text}");
    }
}

#[test]
fn bytes_that_are_not_a_position_are_refused() {
    let good = encode_position(&Chess::default());
    let with = |at: usize, byte: u8| {
        let mut bytes = good;
        bytes[at] = byte;
        decode_position(&bytes).expect_err("no position").to_string()
    };
    assert!(with(2, 1).contains("33 pieces"));
    assert!(with(PIECES, 0x27).contains("piece on a1: code 7"));
    assert!(with(TURN, 65).contains("en passant square: code 65"));
    assert!(with(PIECES + 2, 0x11).contains("king"), "{}", with(PIECES + 2, 0x11));
}

proptest! {
    #[test]
    fn random_positions_and_moves_come_back(number in any::<u64>(), plies in 0u32..200) {
        let Some(game) = random_opening(&mut stream(1, number), &Game::new(), plies..=plies) else { return Ok(()) };
        let chess = game.position().chess();
        let (back, _) = decode_position(&encode_position(chess)).expect("a legal position");
        prop_assert!(same(chess, &back));
        for mv in game.position().legal_moves() {
            prop_assert_eq!(decode_move(game.position(), encode_move(mv)), Some(mv));
        }
    }

    #[test]
    fn bytes_at_random_never_panic(bytes in any::<[u8; POSITION_BYTES]>()) {
        if let Ok((chess, _)) = decode_position(&bytes) {
            prop_assert!(decode_position(&encode_position(&chess)).is_ok());
        }
    }
}
