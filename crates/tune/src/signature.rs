//! The signature of a search, as far as a run can tell.
//!
//! Results of two builds may be mixed if and only if both search the same trees. So a run does not record a commit or a program
//! file, but the results of a few small searches: with the start values and with two candidates at random, on positions of the bench.

use super::space::{Candidate, Space};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Engine;
use quarterply_files::bench;
use quarterply_files::fingerprint::fingerprint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Positions searched with each candidate.
const POSITIONS: usize = 24;
/// Depth of each search (plies).
const DEPTH: u32 = 6;
/// Nodes of each search at most.
const NODES: u64 = 5_000;
/// Candidates at random.
const RANDOM: usize = 2;
/// Their seed.
const SEED: u64 = 1;

/// The signature of our engine's search for candidates of this space.
pub fn of_engine(base: &Parameters, space: &Space) -> Result<String, ParameterError> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut random =
        || -> Candidate { space.dimensions.iter().map(|d| d.value(rng.random_range(0..d.levels()))).collect() };
    let mut candidates = vec![space.start()];
    candidates.extend((0..RANDOM).map(|_| random()));
    let limits = Limits { depth: Some(DEPTH), nodes: Some(NODES), ..Limits::default() };
    let mut text = String::new();
    let mut total = 0;
    for candidate in candidates {
        let mut engine = Engine::new(space.apply(base, &candidate)?);
        for record in bench::positions().into_iter().take(POSITIONS) {
            let game = Game::from_chess(record.position.clone(), record.mode);
            engine.new_game();
            let outcome = engine.search_within(&game, &limits);
            total += outcome.nodes;
            // Writing to a string cannot fail.
            let _ = write!(text, "{} {} {:?};", outcome.nodes, outcome.report.score.0, outcome.best);
        }
    }
    Ok(format!("{total}-{}", fingerprint(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_repeats_and_depends_on_the_base() {
        let signature = |base: &Parameters| {
            let space = Space::of_engine(base, "check.quarters").expect("a space");
            of_engine(base, &space).expect("good values")
        };
        let base = Parameters::default();
        assert_eq!(signature(&base), signature(&base));
        let mut other = base.clone();
        other.set("null_move.on", 0).expect("a switch");
        assert_ne!(signature(&base), signature(&other));
    }
}
