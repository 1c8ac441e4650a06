//! Learning from self-play games.
//!
//! [`eval`] fits the weights of the classical evaluation, [`cost`] those of the learned cost of late moves, [`order`] trains the networks
//! that order moves, [`realization`] fits the chances of moves, [`wdl`] those of results, [`train`] trains the network that evaluates
//! positions. Nothing here prints; the same data and seed give the same result with any number of threads.

#![forbid(unsafe_code)]

pub mod cost;
pub mod eval;
pub mod order;
pub mod realization;
pub mod train;
pub mod wdl;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random numbers that depend on the seed and the game only.
pub(crate) fn of_game(seed: u64, game: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed ^ game.rotate_left(u64::BITS / 2))
}

/// Returns true if a game is held out; about one of `holdout_every` games is. Whole games are held out because their positions are correlated.
pub(crate) fn is_held_out(seed: u64, holdout_every: u64, game: u64) -> bool {
    of_game(seed, game).random_range(0..holdout_every.max(1)) == 0
}
