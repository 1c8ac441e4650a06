//! The random parts of a game: its opening moves and later random moves, from separate random streams for each game.

use quarterply_engine::position::Game;
use quarterply_games::openings::random_moves;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use shakmaty::Move;
use std::ops::RangeInclusive;

pub use quarterply_games::openings::stream;

/// Set in the seed of the later moves, so that they are not the numbers of the opening.
const LATER: u64 = 1 << 63;

/// Random moves in place of chosen ones after the opening of a game: they lead to positions that searches visit and games of good moves
/// do not contain.
pub struct RandomMoves {
    rng: ChaCha8Rng,
    share: f64,
}

impl RandomMoves {
    /// Those of game `number` of a run, this share of its moves (0 to 1).
    pub fn new(seed: u64, number: u64, share: f64) -> RandomMoves {
        RandomMoves { rng: stream(seed ^ LATER, number), share }
    }

    /// The move to play instead of `best`, the move of the search; `None` if that is `best`. Captures and promotions are not replaced,
    /// because filters recognise positions that are not quiet by the stored move.
    pub fn instead_of(&mut self, best: Move, game: &Game) -> Option<Move> {
        if self.share == 0.0 || !self.rng.random_bool(self.share) || best.is_capture() || best.is_promotion() {
            return None;
        }
        let moves = game.position().legal_moves();
        Some(moves[self.rng.random_range(0..moves.len())]).filter(|mv| *mv != best)
    }
}

/// One of these positions, drawn uniformly. A single one is returned without a draw.
pub fn one_of<'a>(rng: &mut ChaCha8Rng, starts: &'a [Game]) -> &'a Game {
    match starts {
        [only] => only,
        many => &many[rng.random_range(0..many.len())],
    }
}

/// Plays a number of random moves from the range `plies`; number and moves are drawn uniformly. `None` if the game is over then, or
/// before.
pub fn random_opening(rng: &mut ChaCha8Rng, start: &Game, plies: RangeInclusive<u32>) -> Option<Game> {
    let plies = rng.random_range(plies) as usize;
    random_moves(rng, start.clone(), plies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn both_parities_come_equally_often() {
        let mut lengths: HashMap<usize, u32> = HashMap::new();
        for number in 1..=2000 {
            if let Some(game) = random_opening(&mut stream(5, number), &Game::new(), 8..=9) {
                *lengths.entry(game.moves().len()).or_default() += 1;
            }
        }
        let (even, odd) = (lengths[&8], lengths[&9]);
        assert_eq!(lengths.len(), 2);
        // Within four standard deviations of a fair coin.
        assert!(even.abs_diff(odd) < 4 * 45, "{even} {odd}");
    }

    #[test]
    fn first_moves_are_drawn_uniformly() {
        let mut firsts: HashMap<String, u32> = HashMap::new();
        for number in 0..4000 {
            let game = random_opening(&mut stream(1, number), &Game::new(), 1..=1).expect("nobody is mated in one ply");
            *firsts.entry(game.moves()[0].to_string()).or_default() += 1;
        }
        // Twenty moves, two hundred each: within five standard deviations.
        assert_eq!(firsts.len(), 20);
        assert!(firsts.values().all(|count| (130..270).contains(count)), "{firsts:?}");
    }
}
