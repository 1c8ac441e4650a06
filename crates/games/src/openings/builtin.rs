//! Random balanced openings, the same for the same seed.

use super::chess960::{START_POSITIONS, start_position};
use crate::game::ended;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Engine;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Random plies from the start position.
pub const PLIES: usize = 8;
/// Nodes of the search that judges the balance: a few milliseconds.
const NODES: u64 = 4000;
/// Table of that search (MiB): small, because it is emptied for each opening.
const TABLE: usize = 1;
/// Openings further from equality are left out (pawns/100).
const IMBALANCE_MAX: i32 = 70;
/// Positions with a static evaluation further from equality are not searched (pawns/100).
const GLANCE_MAX: i32 = 250;
/// Generation ends after this number of draws without a new opening.
const DRAWS_MAX: usize = 5000;

/// Distinct random openings. The sequence is endless, unless the number of plies is so small that all openings have been drawn.
pub struct Openings {
    engine: Engine,
    seed: u64,
    /// Random plies.
    pub plies: usize,
    /// True for random start positions of Chess960.
    pub draw_rank: bool,
    next: u64,
    /// Keys of all positions that were evaluated.
    seen: HashSet<u64>,
}

impl Openings {
    /// The openings of this seed, evaluated by these parameters.
    pub fn new(parameters: Parameters, seed: u64) -> Openings {
        let mut engine = Engine::new(parameters);
        // Without memory for the smaller table, the larger one stays, which is only slower.
        let _ = engine.resize(TABLE);
        Openings { engine, seed, plies: PLIES, draw_rank: false, next: 0, seen: HashSet::new() }
    }

    /// Plays random moves; `None` if the game ended before the last one or the position is not quiet.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Game> {
        let start = if self.draw_rank { start_position(rng.random_range(0..START_POSITIONS)) } else { Game::new() };
        random_moves(rng, start, self.plies).filter(|game| !game.position().in_check())
    }

    fn is_balanced(&mut self, game: &Game) -> bool {
        // The initial position counts as balanced, whatever score a short search gives it.
        if game.moves().is_empty() && !self.draw_rank {
            return true;
        }
        if self.engine.evaluate(game.position()).0.abs() > GLANCE_MAX {
            return false;
        }
        self.engine.new_game();
        self.engine.search_within(game, &Limits::nodes(NODES)).report.score.0.abs() <= IMBALANCE_MAX
    }
}

/// Random numbers that depend on `seed` and `number` only, so that openings and games can be drawn in any order.
pub fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// Plays random moves, drawn uniformly; `None` if the game is over then, or before.
pub fn random_moves(rng: &mut ChaCha8Rng, start: Game, plies: usize) -> Option<Game> {
    let mut game = start;
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.play(moves[rng.random_range(0..moves.len())]);
    }
    ended(&game).is_none().then_some(game)
}

impl Iterator for Openings {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        for _ in 0..DRAWS_MAX {
            let mut rng = stream(self.seed, self.next);
            self.next += 1;
            if let Some(game) = self.draw(&mut rng)
                && self.seen.insert(game.position().key())
                && self.is_balanced(&game)
            {
                return Some(game);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    fn standard(seed: u64) -> Openings {
        Openings::new(Parameters::default(), seed)
    }

    #[test]
    fn a_seed_gives_the_same_openings_and_another_seed_others() {
        let take = |seed| standard(seed).take(3).map(|game| game.fen()).collect::<Vec<_>>();
        let first = take(7);
        assert_eq!(first, take(7));
        assert_ne!(first, take(8));
        assert!(first[0] != first[1] && first[1] != first[2]);
    }

    #[test]
    fn openings_are_playable() {
        for plies in [4, PLIES, 13] {
            for game in (Openings { plies, ..standard(1) }).take(5) {
                assert_eq!(game.moves().len(), plies);
                assert!(!game.position().in_check() && !game.position().legal_moves().is_empty());
            }
        }
    }

    #[test]
    fn no_opening_comes_twice_and_the_last_is_the_end() {
        // Of the 20 first moves all are balanced but perhaps a few.
        let after = |plies| Openings { plies, ..standard(3) };
        let all: Vec<String> = after(1).map(|game| game.fen()).collect();
        let different: HashSet<&String> = all.iter().collect();
        assert!(different.len() == all.len() && (10..=20).contains(&all.len()), "{all:?}");
        assert_eq!(after(0).count(), 1);
    }

    #[test]
    fn chess960_begins_on_drawn_ranks() {
        let games: Vec<Game> = Openings { draw_rank: true, ..standard(5) }.take(6).collect();
        let starts: HashSet<String> = games.iter().map(Game::start_fen).collect();
        assert!(starts.len() > 3, "{starts:?}");
        assert!(games.iter().all(|game| game.castling_mode() == CastlingMode::Chess960));
    }
}
