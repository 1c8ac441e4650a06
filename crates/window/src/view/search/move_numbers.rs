//! Numbers of moves with their names: a tree of a million rows names a few thousand moves again and again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use quarterply_engine::position::pack;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::{San, Suffix};

use crate::view::MoveNumber;

/// The number of each name that was given one.
#[derive(Default)]
pub struct MoveNumbers(HashMap<u32, Option<MoveNumber>, BuildHasherDefault<Mixer>>);

impl MoveNumbers {
    /// The number of a move of this name; `make` gives it one.
    pub fn number(
        &mut self,
        mv: Move,
        san: &San,
        suffix: Option<Suffix>,
        make: impl FnOnce() -> Option<MoveNumber>,
    ) -> Option<MoveNumber> {
        *self.0.entry(key(mv, san, suffix)).or_insert_with(make)
    }
}

/// All that makes a difference in a name: the move, what moves, what distinguishes it, check and mate.
fn key(mv: Move, san: &San, suffix: Option<Suffix>) -> u32 {
    const ROLE: u32 = 16;
    const FILE: u32 = 19;
    const RANK: u32 = 20;
    const CAPTURE: u32 = 21;
    const SUFFIX: u32 = 22;
    let name = match *san {
        San::Normal { role, file, rank, capture, .. } => {
            (role as u32) << ROLE
                | u32::from(file.is_some()) << FILE
                | u32::from(rank.is_some()) << RANK
                | u32::from(capture) << CAPTURE
        }
        San::Castle(_) | San::Put { .. } | San::Null => 0,
    };
    let suffix = match suffix {
        None => 0,
        Some(Suffix::Check) => 1,
        Some(Suffix::Checkmate) => 2,
    };
    u32::from(pack(mv)) | name | suffix << SUFFIX
}

/// Spreads small numbers; the usual hash is made for keys from strangers and takes longer than all the rest here.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        const HALF: u32 = 32;
        let mixed = (self.0 ^ u64::from(number)).wrapping_mul(FACTOR);
        self.0 = mixed ^ mixed >> HALF;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use quarterply_engine::shakmaty::CastlingMode;
    use quarterply_engine::shakmaty::san::SanPlus;

    #[test]
    fn names_that_differ_have_keys_that_differ() {
        let mut seen: HashMap<u32, String> = HashMap::new();
        for fen in [
            "r3k2r/1P6/8/3N1N2/8/8/8/R3K2R w KQ - 0 1",
            "r3k2r/1P6/8/3N4/8/8/8/R3K2R w KQ - 0 1",
            "r3k2r/1P6/8/5p2/3N4/8/8/R3K2R w KQ - 0 1",
            "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1",
            "3r2k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1",
            "6k1/5p1p/8/8/8/8/8/3Q2K1 w - - 0 1",
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
            for mv in game.position().legal_moves() {
                let SanPlus { san, suffix } = SanPlus::from_move(game.position().chess().clone(), mv);
                let name = format!("{} {mv:?}", SanPlus { san, suffix });
                let known = seen.entry(key(mv, &san, suffix)).or_insert_with(|| name.clone());
                assert_eq!(known.split(' ').next(), name.split(' ').next(), "{fen}");
            }
        }
    }
}
