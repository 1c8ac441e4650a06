//! Random balanced openings, the same for the same seed.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, Engine};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Random plies from the start position.
pub const PLIES: usize = 8;
/// Depth of the search that judges the balance (plies).
const DEPTH: u32 = 10;
/// Openings further from equality are left out (pawns/100).
const IMBALANCE_MAX: i32 = 60;

/// An endless source of openings.
pub struct Openings {
    engine: Engine,
    seed: u64,
    next: u64,
}

impl Openings {
    /// The openings of this seed, judged by these parameters.
    pub fn new(parameters: Parameters, seed: u64) -> Openings {
        Openings { engine: Engine::new(parameters), seed, next: 0 }
    }

    /// Plays random moves; `None` if the game ended on the way or is not quiet.
    fn draw(rng: &mut ChaCha8Rng) -> Option<Game> {
        let mut game = Game::new();
        for _ in 0..PLIES {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                return None;
            }
            game.play(moves[rng.random_range(0..moves.len())]);
        }
        let over = crate::game::ended(&game).is_some();
        (!over && !game.position().in_check()).then_some(game)
    }

    fn is_balanced(&mut self, game: &Game) -> bool {
        self.engine.new_game();
        let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
        let outcome = self.engine.search(game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
        outcome.report.score.0.abs() <= IMBALANCE_MAX
    }
}

impl Iterator for Openings {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        loop {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(self.next);
            self.next += 1;
            if let Some(game) = Openings::draw(&mut rng)
                && self.is_balanced(&game)
            {
                return Some(game);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_openings_and_another_seed_others() {
        let take = |seed| Openings::new(Parameters::default(), seed).take(3).map(|game| game.fen()).collect::<Vec<_>>();
        let first = take(7);
        assert_eq!(first, take(7));
        assert_ne!(first, take(8));
        assert!(first[0] != first[1] && first[1] != first[2]);
    }

    #[test]
    fn openings_are_playable() {
        for game in Openings::new(Parameters::default(), 1).take(5) {
            assert_eq!(game.moves().len(), PLIES);
            assert!(!game.position().in_check() && !game.position().legal_moves().is_empty());
        }
    }
}
